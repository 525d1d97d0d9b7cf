"""Honest paths through a working, many at once: each time that a number is used, cell by cell, it
is taken in full, rounded to the stated decimals, or to one or two more.

A path may draw these choices at random, or make them so that one number becomes as large, or as
small, as it can be. Nothing of this is known to what says where honest paths lead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Expression, Location
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.softmax import Exponential
from attncli.trace import Trace

Choose = Callable[[Location, Array], Array]
"""What is taken of the ways [4, p] to use a number in a cell, on each of p paths."""

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "max": lambda *x: reduce(np.maximum, x), "min": lambda *x: reduce(np.minimum, x),
    "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc), "where": np.where,
    "finite": np.isfinite, "step": lambda x: (x > 0) * 1.0, "less": np.less, "at_most": np.less_equal,
    "abs": np.abs, "ln": np.log, "expm1": np.expm1, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "σ": lambda x: 1 / (1 + np.exp(-x)),
}  # fmt: skip

_MADE: Mapping[type, Callable[..., Any]] = {
    ex.Sum: lambda *terms: reduce(np.add, terms),
    ex.Product: lambda *factors: reduce(np.multiply, factors),
    ex.Quotient: np.divide,
    ex.Negative: np.negative,
    ex.Power: np.power,
    ex.Root: np.sqrt,
}


def round_half_away(values: Array, places: int) -> Array:
    with np.errstate(invalid="ignore"):
        units = np.abs(values) * 10.0**places
        made = np.copysign(np.floor(units + 0.5 + 1e-9), values) / 10.0**places
    return np.where(np.isfinite(values), made, values)


def value(form: Expression, number: Callable[[ex.Number], Any]) -> Any:
    """What a cell's working comes to."""

    def of(node: Expression) -> Any:
        if isinstance(node, ex.Number):
            return number(node) if node.cell is not ex.INNER or node.form is None else of(node.form)
        if isinstance(node, ex.Apply):
            return _FUNCTIONS[node.function](*map(of, node.arguments))
        if node == ex.E:
            return np.e
        return _MADE[type(node)](*map(of, _parts(node)))

    return of(form)


def _parts(node: Expression) -> tuple[Expression, ...]:
    match node:
        case ex.Sum(parts) | ex.Product(parts):
            return parts
        case ex.Quotient(a, b) | ex.Power(a, b):
            return a, b
        case ex.Negative(entry) | ex.Root(entry):
            return (entry,)
    raise TypeError(type(node).__name__)


@dataclass(frozen=True)
class Honest:
    """The honest paths of a trace, whose numbers are rounded to these decimals."""

    trace: Trace
    places: Mapping[str, int]
    stable: bool = False
    """Whether the maximum of each row is subtracted before a softmax."""

    @cached_property
    def forms(self) -> Mapping[Location, Expression]:
        """How each cell is worked that is worked, in order."""
        return dict(self._forms())

    def _forms(self) -> Iterator[tuple[Location, Expression]]:
        for name in self.trace:
            definition = self.trace[name].definition
            if definition is not None:
                operands, operation = self.trace.operands(definition), definition.operation
                if self.stable and isinstance(operation, Exponential):
                    operation = replace(operation, always=True)
                for i, j in np.ndindex(*self.trace[name].matrix.shape):
                    form = operation.first_form(i, j, *operands)
                    yield Location(name, i, j), form

    def is_worked(self, name: str) -> bool:
        definition = self.trace[name].definition
        return definition is not None and not definition.operation.copies

    def walked(self, count: int, choose: Choose) -> dict[Location, Array]:
        """The numbers in full [p] on so many paths."""
        full: dict[Location, Array] = {}
        for cell, form in self.forms.items():
            copies = not self.is_worked(cell.quantity)

            def number(node: ex.Number, cell: Location = cell, copies: bool = copies) -> Any:
                at = node.cell
                if at is None or at not in full:
                    return self._given(node)
                # to put a number elsewhere isn't to use it
                return full[at] if copies else choose(cell, self.ways(at, full[at]))

            with np.errstate(all="ignore"):
                full[cell] = np.broadcast_to(value(form, number), count)
        return full

    def ways(self, at: Location, values: Array) -> Array:
        places = self.places_of(at)
        return np.array([values, *(round_half_away(values, places + k) for k in range(3))])

    def _given(self, node: ex.Number) -> float:
        if node.cell is not None and node.cell.quantity:
            name, i, j = node.cell
            return float(self.trace[name].values[i, j])
        return float(node.full)

    def places_of(self, at: Location) -> int:
        """The decimals of a number; a copy's those of what it copies."""
        while not self.is_worked(at.quantity):
            match self.forms[at]:
                case ex.Number(cell=Location() as source) if source in self.forms:
                    at = source
                case _:
                    return 12
        return self.places[at.quantity]

    def written(self, full: Mapping[Location, Array]) -> dict[Location, Array]:
        return {at: round_half_away(values, self.places_of(at)) for at, values in full.items()}

    def at_random(self, count: int, rng: np.random.Generator) -> dict[Location, Array]:
        def choose(_: Location, ways: Array) -> Array:
            drawn = rng.integers(0, len(ways), count)
            return np.asarray(np.choose(drawn, ways))

        return self.written(self.walked(count, choose))

    def towards(self, targets: list[Location]) -> dict[Location, Array]:
        """Two paths for each target [2 t], on the second of which it is as large as can be, on the
        first as small: each use is rounded the way that moves it there."""
        pulls = self._pulls(targets)
        seen: dict[Location, int] = {}

        def choose(cell: Location, ways: Array) -> Array:
            k = seen[cell] = seen.get(cell, -1) + 1
            up = pulls[cell][k] > 0
            up = np.concatenate([~up, up])
            return np.asarray(np.where(up, ways.max(axis=0), ways.min(axis=0)))

        return self.written(self.walked(2 * len(targets), choose))

    def _pulls(self, targets: list[Location]) -> dict[Location, list[Array]]:
        """How much each target [t] changes with each use of a number in each cell."""
        full = {at: array[0] for at, array in self.walked(1, lambda _, ways: ways[0]).items()}
        pull = {at: np.zeros(len(targets)) for at in self.forms}
        for k, at in enumerate(targets):
            pull[at][k] = 1.0
        found: dict[Location, list[Array]] = {}
        for cell, form in reversed([*self.forms.items()]):
            uses, slopes = self._slopes(form, full)
            found[cell] = [slope * pull[cell] for slope in slopes]
            for at, array in zip(uses, found[cell], strict=True):
                pull[at] += array
        return found

    def _slopes(
        self, form: Expression, full: Mapping[Location, Any]
    ) -> tuple[list[Location], Array]:
        """The numbers that a working uses, and how it changes with each."""
        uses: list[Location] = []
        value(form, lambda node: self._noted(node, full, uses))
        near = np.eye(len(uses) + 1)[:, 1:] * 1e-7
        at = iter(range(len(uses)))

        def number(node: ex.Number) -> Any:
            if node.cell is None or node.cell not in full:
                return self._given(node)
            return full[node.cell] + near[:, next(at)]

        with np.errstate(all="ignore"):
            made = np.broadcast_to(value(form, number), len(uses) + 1)
            return uses, np.nan_to_num(made[1:] - made[0]) / 1e-7

    def _noted(self, node: ex.Number, full: Mapping[Location, Any], uses: list[Location]) -> float:
        if node.cell is None or node.cell not in full:
            return self._given(node)
        uses.append(node.cell)
        return float(full[node.cell])
