"""Where honest paths lead: none falls outside, and what holds them is hardly wider than it must be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array
from attncli.marking.judging import Judge
from attncli.marking.paths import Paths
from attncli.trace import Trace
from tests.pages import SHIPPED, trace_of

SMALL = ("alice_met_bob", "i_love_ai", "word_order", "yassine_gru")
DEEP = ("encoder_block", "decoder_block")
_PATHS = 40


def round_half_away(values: Array, places: int) -> Array:
    units = np.abs(values) * 10.0**places
    return np.asarray(np.copysign(np.floor(units + 0.5 + 1e-9), values) / 10.0**places)


def honest_path(
    trace: Trace, places: Mapping[str, int], rng: np.random.Generator
) -> dict[str, Array]:
    """What is written down on one path: each number, each time that it is used, is taken in full,
    rounded, or rounded to one or two decimals more."""
    full: dict[str, Array] = {}
    written: dict[str, Array] = {}

    def used(name: str) -> Matrix:
        values, definition = full[name], trace[name].definition
        if definition is not None and not definition.operation.copies:
            ways = [values, *(round_half_away(values, places[name] + more) for more in range(3))]
            values = np.choose(rng.integers(0, len(ways), values.shape), ways)
        return Matrix.of_array(values, 12, carry=False)

    for name in trace:
        definition = trace[name].definition
        if definition is None:
            full[name] = trace[name].values
            continue
        full[name] = definition.operation.values(*map(used, definition.operands))
        written[name] = round_half_away(full[name], places[name])
    return written


@pytest.mark.parametrize("name", [*SMALL, *DEEP])
def test_no_honest_path_falls_outside(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    judge = Judge(trace)
    paths: Paths = judge.right
    places = {name: paths.decimals(name) for name in trace}
    rng = np.random.default_rng(1)
    tried = [honest_path(trace, places, rng) for _ in range(_PATHS)]
    ratios: list[float] = []
    for quantity in tried[0]:
        unit = 10.0 ** -places[quantity]
        each = np.array([one[quantity] for one in tried])
        held = paths.written(quantity)
        finite = np.isfinite(each[0])
        assert (each >= held.low - 1e-6 * unit)[:, finite].all(), quantity
        assert (each <= held.high + 1e-6 * unit)[:, finite].all(), quantity
        with np.errstate(invalid="ignore"):
            reached = each.max(axis=0) - each.min(axis=0)
        ratios += [*(held.high[finite] - held.low[finite] + unit) / (reached + unit)[finite]]
    # drawn at random, paths of a deep block don't come near to their worst at once
    assert np.mean(ratios) < (1.5 if name in SMALL else 4)
