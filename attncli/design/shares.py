"""Which quantities are shares that add up to 1, which of them are masked, and which rows of a
quantity a page shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attncli.arithmetic.operations.masking import Masked
from attncli.arithmetic.operations.sampling import KeptShare
from attncli.arithmetic.operations.softmax import DivideByRow, Exponential
from attncli.arithmetic.operations.texts import is_a
from attncli.arithmetic.rounding import Array
from attncli.design.quantity import Flags
from attncli.file.address import AddressError, Index, parse_address
from attncli.name import Name
from attncli.steps import step_named
from attncli.trace import Axis, Definition, Quantity, Trace

Numbers = Callable[[str], Array]
"""The numbers of a quantity by its full name, [n, m] or [n, m, b]."""


def is_share(name: Name, definition: Definition | None = None) -> bool:
    """Whether each row of a quantity adds up to 1, but for rounding; of given ones, weights' do."""
    step = "softmax" if definition is None else definition.step
    return name.local in step_named(step).adds_up_to_one


def seen_of(name: Name, definitions: Mapping[Name, Definition], numbers: Numbers) -> Flags | None:
    """Which weights aren't masked, [n, m]; None for what isn't shares of 1.

    A softmax goes back to its scores, which a mask may have made; a given weight of 0 is masked.
    """
    if not is_share(name, definitions.get(name)):
        return None
    definition = definitions.get(name)
    if definition is None:
        return np.asarray(numbers(name) != 0)
    return _seen(definition, definitions, numbers)


def _seen(
    definition: Definition, definitions: Mapping[Name, Definition], numbers: Numbers
) -> Flags:
    before = next(map(definitions.get, definition.operands), None)
    match definition.operation:
        case Masked():
            return np.asarray(numbers(definition.operands[1]) != 0)
        case operation if is_a(operation, KeptShare):
            return np.asarray(numbers(definition.operands[1]) != 0)
        case operation if before is not None and is_a(operation, DivideByRow, Exponential):
            return _seen(before, definitions, numbers)
    return np.ones(numbers(definition.name).shape, dtype=np.bool_)


def shown_rows(trace: Trace) -> Callable[[Quantity], tuple[int, ...] | None]:
    """Which rows of a quantity a page shows, where the scenario names queries; None for all."""
    axis = next((q.rows for q in trace.quantities.values() if q.rows.role == "Q"), Axis(()))
    found = (_place(axis, query) for query in trace.scenario.show.queries)
    places = tuple(place for place in found if place is not None)

    def rows(quantity: Quantity) -> tuple[int, ...] | None:
        ours = quantity.rows.role in ("Q", "token") and quantity.rows.names == axis.names
        return places if places and ours else None

    return rows


def _place(axis: Axis, query: str) -> int | None:
    """The place, from 0, of a query: `2` is a position, `"2"` and `love` are names."""
    try:
        (index,) = parse_address(f"token[{query}]").indices
    except (AddressError, ValueError):
        index = Index(query)
    try:
        return axis.find(index, "the sentence")
    except AddressError:
        return None
