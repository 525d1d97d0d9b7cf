"""Honest papers on a trace: all numbers are right, each author has a way of keeping and writing them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal

import numpy as np

from attncli.judging.verdicts import Given
from attncli.maths.equations.tree import Location
from attncli.maths.numbers.rounding import Array
from attncli.trace import Trace
from tests.helpers.honest_paths import Honest, round_half_away

Choose = Callable[[Location, Array], Array]
"""What is taken of the ways [4, p] to use a number: in full, rounded, to one or two decimals more."""

WAYS = ("carried", "in full", "one decimal more", "mixed by quantity", "mixed by use", "stable")
"""The last one carries, and subtracts the maximum of each row before a softmax."""


def answers(
    trace: Trace,
    places: Mapping[str, int],
    way: str,
    cells: Collection[Location] | None = None,
    seed: int = 1,
) -> dict[Location, Given]:
    """What the author of a paper writes down in some cells, or in all."""
    more = way == "one decimal more"
    honest = Honest(trace, {n: p + more for n, p in places.items()}, stable=way == "stable")
    full = honest.walked(1, _chooser(way, np.random.default_rng(seed)))
    wanted = full.keys() if cells is None else full.keys() & {*cells}
    return {at: _written(full[at], honest.places_of(at)) for at in full if at in wanted}


def _written(value: Array, places: int) -> Given:
    number = float(round_half_away(value, places)[0])
    text = f"{number:.{places}f}" if np.isfinite(number) else str(number)
    return Given(text, Decimal(text), places)


def _chooser(way: str, rng: np.random.Generator) -> Choose:
    drawn: dict[str, int] = {}

    def choose(cell: Location, ways: Array) -> Array:
        match way:
            case "in full":
                k = 0
            case "mixed by use":
                k = int(rng.integers(0, len(ways)))
            case "mixed by quantity":
                k = drawn.setdefault(cell.quantity, int(rng.integers(0, len(ways))))
            case _:
                k = 1
        return np.asarray(ways[k])

    return choose
