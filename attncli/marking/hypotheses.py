"""What an author may have done instead, and where that would have led."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.operations.softmax import Exponential
from attncli.file.problems import ScenarioError
from attncli.marking.paths import Paths, Tolerance, ranges
from attncli.marking.verdicts import Cause, Judgement
from attncli.steps import step_named
from attncli.steps.mistakes import all_made_wrongly
from attncli.trace import Definition, PlannedStep, Trace


class WrongWay(NamedTuple):
    """A known mistake that can be made in a trace, or another right way, as its judgement says:
    what it makes in other ways, the first of these being what it is called a mistake in."""

    name: str
    says: str
    definitions: tuple[Definition, ...]
    all: tuple[WrongWay, ...] = ()
    """The same mistake in each place, where it is made in several."""
    variant: int = 0
    """Which of the ways to make it this is."""
    judgement: Judgement = "known mistake"

    def places_in(self, names: Collection[str]) -> int:
        """In how many places it makes one of some quantities."""
        return sum(any(one.name in names for one in way.definitions) for way in self.all or (self,))

    def cause(self, quantity: str) -> Cause:
        """The mistake as a cause of what is wrong in a quantity."""
        names = [one.name for one in self.definitions]
        return Cause(self.name, self.says, "" if quantity in names else names[0])


class Hypotheses:
    """The known mistakes of a trace, each with the paths on which it alone is made."""

    def __init__(self, right: Paths, tolerance: Tolerance) -> None:
        self.right, self.tolerance = right, tolerance
        self._paths: dict[tuple[int, bool], Paths] = {}

    @cached_property
    def ways(self) -> tuple[WrongWay, ...]:
        """All of them, in the order of the story; then each that may be made in several places as
        it is made in all of them."""
        trace = self.right.trace
        single = [
            way
            for part in trace.story
            for way in (*right_ways(trace, part), *declared_ways(trace, part))
        ]
        alike: dict[tuple[str, str, int], list[WrongWay]] = {}
        for way in single:
            alike.setdefault((way.definitions[0].step, way.name, way.variant), []).append(way)
        return (*single, *(_everywhere(ways) for ways in alike.values() if len(ways) > 1))

    @cached_property
    def _by_quantity(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for k, way in enumerate(self.ways):
            for definition in way.definitions:
                found.setdefault(definition.name, []).append(k)
        return found

    def leading_to(self, name: str, given: Collection[str], again: Collection[str]) -> list[int]:
        """The mistakes that may show first in a quantity: those in making it, or in making what is
        between it and quantities that are given; those of some names, which were made before, in
        making anything that it is made of."""
        near = _between(self.right.trace, name, given)
        found = {k for one in near for k in self._by_quantity.get(one, ())}
        if again:
            near = _between(self.right.trace, name, ())
            every = {k for one in near for k in self._by_quantity.get(one, ())}
            found |= {k for k in every if self.ways[k].name in again}
        return sorted(k for k in found if self.ways[k].places_in(near) > 1 or not self.ways[k].all)

    def paths(self, k: int, theirs: Paths, *, roughly: bool = True) -> Paths:
        """Where a mistake leads from an author's own numbers."""
        instead: dict[str, Definition] = {one.name: one for one in self.ways[k].definitions}
        if theirs is not self.right:
            return theirs.from_here(instead=instead, roughly=roughly)
        if (k, roughly) not in self._paths:
            self._paths[k, roughly] = theirs.from_here(instead=instead, roughly=roughly)
        return self._paths[k, roughly]

    def ranges(self, paths: Paths, name: str) -> Enclosure | None:
        """What is right for a quantity on some paths; None of a mistake that its numbers, or their
        shapes, don't allow."""
        if paths.is_circular:
            return None
        try:
            held = ranges(paths, name, self.tolerance)
        except (ValueError, ArithmeticError, ScenarioError, IndexError, TypeError):
            return None
        return held if held.low.shape == self.right.trace[name].matrix.shape else None


def declared_ways(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """The mistakes that are declared beside the step of a part."""
    for mistake in step_named(part.step).mistakes:
        for k, definitions in enumerate(all_made_wrongly(trace, part, mistake)):
            yield WrongWay(mistake.name, mistake.says, definitions, variant=k)


def right_ways(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """The other ways in which a part is worked rightly, too: with a softmax that subtracts the
    maximum of each row first."""
    for one in part.definitions:
        if (
            isinstance(one.operation, Exponential)
            and one.name in trace
            and not trace[one.name].given
        ):
            stable = one._replace(operation=replace(one.operation, always=True))
            sums = (added for added in part.definitions if added.operands == (one.name,))
            yield WrongWay(*_STABLE, (stable, *sums), judgement="worked otherwise")


_STABLE = ("maximum_subtracted", "with the row's maximum subtracted.")


def _everywhere(ways: list[WrongWay]) -> WrongWay:
    each = {one.name: one for way in ways for one in way.definitions}
    return ways[0]._replace(definitions=tuple(each.values()), all=tuple(ways))


def _between(trace: Trace, name: str, given: Collection[str]) -> set[str]:
    """A quantity, and those that it is made of, back to given ones."""
    waiting, found = [name], {name}
    while waiting:
        definition = trace[waiting.pop()].definition
        for operand in () if definition is None else definition.operands:
            if operand not in found and operand not in given and not trace[operand].given:
                found.add(operand)
                waiting.append(operand)
    return found
