"""A worked scenario: its quantities by name, how each was made, and replaying them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Rounding, Unworkable
from attncli.scenario import Problem, Scenario, ScenarioError
from attncli.trace.axes import axes_of
from attncli.trace.quantity import Making, Quantity


class Unfinished(NamedTuple):
    """Where a trace ends: the making that comes next, and what is missing for it."""

    making: Making
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Trace:
    """The quantities of a scenario, in the order in which they were made.

    `trace["weights"].values` is a NumPy array [n, n]; `trace["weights"].making` says of what
    and how it was made. `unfinished` says what is missing for going on, if anything is.
    """

    scenario: Scenario
    quantities: Mapping[str, Quantity]
    plan: tuple[Making, ...]
    unfinished: Unfinished | None = None

    def __getitem__(self, name: str) -> Quantity:
        return self.quantities[name]

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    @property
    def rounding(self) -> Rounding:
        return self.scenario.rounding

    def operands(self, making: Making) -> tuple[Matrix, ...]:
        """The matrices that a making works on."""
        return tuple(self.quantities[name].matrix for name in making.operands)

    def replay(self, replaced: Mapping[str, ArrayLike]) -> Trace:
        """The trace with some quantities' figures replaced, and all that follows worked again
        under the same rounding.

        `replaced` gives new figures [n, m] by name. Raises KeyError for a name that isn't in
        the trace, ValueError for figures of another shape.
        """
        new = {name: self._with_values(name, values) for name, values in replaced.items()}
        return self._again(new, {})

    def remake(self, making: Making) -> Trace:
        """The trace with one quantity made in another way, and all that follows worked again.

        Raises KeyError or ValueError where the other way isn't possible with these figures.
        """
        return self._again({}, {making.name: making})

    def _with_values(self, name: str, values: ArrayLike) -> Quantity:
        quantity = self.quantities[name]
        array = np.array(values, dtype=np.float64).reshape(-1, quantity.matrix.shape[1])
        if array.shape != quantity.matrix.shape:
            raise ValueError(f"{name} has the shape {quantity.matrix.shape}, not {array.shape}")
        matrix = Matrix(array, None, quantity.matrix.decimals)
        return replace(quantity, matrix=matrix, making=None)

    def _again(self, new: Mapping[str, Quantity], others: Mapping[str, Making]) -> Trace:
        quantities = {**self.quantities, **new}
        changed = set(new)
        for making in self.plan:
            other = others.get(making.name, making)
            stale = making.name in others or not changed.isdisjoint(other.operands)
            if making.name in quantities and making.name not in new and stale:
                quantities[making.name] = make(self.scenario, quantities, other)
                changed.add(making.name)
        return replace(self, quantities=quantities)


def make(scenario: Scenario, quantities: Mapping[str, Quantity], making: Making) -> Quantity:
    """One quantity, made of others. Raises ScenarioError where its figures can't be worked."""
    operands = [quantities[name].matrix for name in making.operands]
    try:
        matrix = making.operation.make(scenario.rounding, making.step, *operands)
    except Unworkable as trouble:
        rows, _ = axes_of(making.name, scenario, operands[0].shape)
        what = f"{making.name}, row {rows.index(trouble.row)}: {trouble.what}"
        where = scenario.where("rounding", "decimals")
        raise ScenarioError([Problem(where, what, f"{trouble.instead} would do")]) from None
    return Quantity(making.name, matrix, *axes_of(making.name, scenario, matrix.shape), making)
