"""The known mistakes of a trace: the ways to make its numbers wrongly that its steps declare."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from attncli.judging.honest_paths import (
    Decimals,
    Paths,
    Tolerance,
    ranges,
)
from attncli.judging.scaled_tables import times_in_words
from attncli.judging.wrong_ways import WrongWay, between, declared_ways
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.tree import (
    Apply,
    E,
    Expression,
    Number,
    Power,
    Quotient,
    Root,
    constant,
    e_to,
)
from attncli.maths.numbers import decimals
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.losses import LossTimes, MeanOfAll, SquaredError
from attncli.maths.operations.operation import One
from attncli.steps.mistakes import IMPOSSIBLE, swapped
from attncli.trace import Definition, Trace


class KnownMistakes:
    """The known mistakes of a trace, each with the paths on which it alone is made."""

    def __init__(self, trace: Trace, tolerance: Tolerance) -> None:
        self.trace, self.tolerance = trace, tolerance
        self._instead: dict[int, dict[str, Definition]] = {}

    @cached_property
    def ways(self) -> tuple[WrongWay, ...]:
        """Lists all ways to make a mistake, in the order of the story. Each that can be made in
        several places follows as made in all of them."""
        single = [way for part in self.trace.story for way in declared_ways(self.trace, part)]
        alike: dict[tuple[str, str, int], list[WrongWay]] = {}
        for way in single:
            alike.setdefault((way.definitions[0].step, way.name, way.variant), []).append(way)
        return (*single, *(_everywhere(ways) for ways in alike.values() if len(ways) > 1))

    @cached_property
    def _everywhere(self) -> Mapping[int, WrongWay]:
        """Maps the number of a way in a single place to the way that makes it everywhere."""
        numbers = {way: k for k, way in enumerate(self.ways)}
        return {numbers[way]: whole for whole in self.ways for way in whole.all}

    def all_that(self, k: int | None) -> tuple[Definition, ...]:
        """Returns all wrong definitions of someone who makes mistake number `k` wherever it can be
        made; none for None."""
        if k is None:
            return ()
        return self._everywhere.get(k, self.ways[k]).definitions

    @cached_property
    def _by_quantity(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for k, way in enumerate(self.ways):
            for definition in way.definitions:
                found.setdefault(definition.name, []).append(k)
        return found

    def leading_to(self, name: str, given: Collection[str], again: Collection[str]) -> list[int]:
        """Lists the numbers of mistakes that may show first in a quantity: those in making it, or
        in making what lies between it and given quantities. Mistakes named in `again` were made
        before, and count in anything that it is made of."""
        near = {*between(self.trace, name, given)}
        found = {k for text in near for k in self._by_quantity.get(text, ())}
        if again:
            near = {*between(self.trace, name, ())}
            every = {k for text in near for k in self._by_quantity.get(text, ())}
            found |= {k for k in every if self.ways[k].name in again}
        return sorted(k for k in found if self.ways[k].places_in(near) > 1 or not self.ways[k].all)

    def paths(self, k: int, theirs: Paths) -> Paths:
        """Returns where mistake number `k` leads from an author's own numbers."""
        if k not in self._instead:
            self._instead[k] = {d.name: self._by_hand(d, theirs) for d in self.ways[k].definitions}
        return theirs.from_here(instead=self._instead[k])

    @staticmethod
    def _by_hand(definition: Definition, theirs: Paths) -> Definition:
        """Returns a definition in which an exponent that is a quotient is worked by itself first,
        as one does by hand."""
        places = constant(theirs.decimals(definition.name))
        return swapped(definition, lambda node: _worked_first(node, places)) or definition

    def ranges(self, paths: Paths, name: str, places: Decimals | None = None) -> Enclosure | None:
        """Returns the range that is accepted for each number of a quantity on some paths, to so
        many decimals; None where the mistake can't be made with these numbers or shapes."""
        if paths.is_circular:
            return None
        try:
            if paths.made(name).low.shape != self.trace[name].matrix.shape:
                return None
            return ranges(paths, name, self.tolerance, places)
        except IMPOSSIBLE:
            return None


def _worked_first(node: Expression, places: Number) -> Expression | None:
    """Returns e^(x / √d) with the root and the quotient worked one after the other, each in full or
    rounded; None for any other node."""
    match node:
        case Power(base, Quotient(x, Root() as root)) if base == E:
            divisor = Apply("carried", (root, places))
            return e_to(Apply("carried", (Quotient(x, divisor), places)))
    return None


def scaled_gradients(trace: Trace, factor: float) -> WrongWay | None:
    """Returns the mistake that makes all gradients `factor` times too large, from the gradient of
    the loss on; None where there are no gradients."""
    first = [d for d in trace.plan if isinstance(d.operation, One) and d.name in trace]
    if not first:
        return None
    half = ", as by a loss of ½ Σ (y − t)²" if factor == _of_half_the_sum(trace, first[0]) else ""
    says = f"Each gradient is {times_in_words(factor)} what it should be{half}."
    times = LossTimes(Number.written(decimals.of_float(factor)))
    return WrongWay("other_factor", says, tuple(d._replace(operation=times) for d in first))


def _of_half_the_sum(trace: Trace, first: Definition) -> float | None:
    """Returns by which factor half the sum of squares is larger than their mean, or None where the
    loss isn't such a mean."""
    loss = trace[first.operands[0]].definition
    errors = None if loss is None else trace[loss.operands[0]].definition
    if loss is None or errors is None or not is_a(errors.operation, SquaredError):
        return None
    is_mean = is_a(loss.operation, MeanOfAll)
    return trace[errors.name].matrix.values.size / 2 if is_mean else None


def _everywhere(ways: list[WrongWay]) -> WrongWay:
    each = {d.name: d for way in ways for d in way.definitions}
    return ways[0]._replace(definitions=tuple(each.values()), all=tuple(ways))
