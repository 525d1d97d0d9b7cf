"""Large results, which are looked at only where their range doesn't follow from what they are of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from attncli import Trace, load, work
from attncli.arithmetic.equations.ranges import widened
from attncli.arithmetic.extremes import (
    CACHED,
    extremes,
    least_and_greatest,
    smallest,
    smallest_but_zeros,
)
from attncli.arithmetic.operations import base
from attncli.arithmetic.rounding import Range, Spread
from tests.conftest import sampled
from tests.pages import LIGHT


def exact(name: str) -> Trace:
    return work(load(name, ["rounding.policy=exact"]))


@sampled(3, name=LIGHT)
def test_results_are_the_same_where_all_count_as_large(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = exact(name)
    monkeypatch.setattr(base, "CACHED", 0)
    for quantity in exact(name).quantities.values():
        theirs = small[quantity.name].values
        assert np.array_equal(quantity.values, theirs)
        assert np.array_equal(np.signbit(quantity.values), np.signbit(theirs))


SETTINGS: dict[str, dict[str, Any]] = {
    "heads": {"heads": 2, "block": "encoder", "activation": "gelu"},
    "causal": {"mask": "causal", "activation": "relu"},
    "capped": {"softcap": 5, "activation": "leaky_relu"},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_foreseen_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For numbers that leave noise, zeros, and e^x that are next to nothing."""
    monkeypatch.setattr(base, "CACHED", 0)
    rng = np.random.default_rng(3)
    names = ("W_Q", "W_K", "W_V", "W_O", "W1", "W2")
    weights = {name: rng.normal(size=(4, 4)) for name in names}
    foreseen = 0
    for size in (1e-160, 1e-9, 0.3, 3.0, 40.0):
        X = rng.normal(size=(6, 4)) * size
        X[2], X[3] = X[1], 0
        trace = work(load({**weights, **SETTINGS[name], "X": X, "rounding": {"policy": "exact"}}))
        for quantity in trace.quantities.values():
            foreseen += _holds(quantity.values, quantity.matrix.spread)
    assert foreseen > 20


def _holds(values: NDArray[np.float64], spread: Spread | None) -> bool:
    """Whether it is known, and then holds."""
    if spread is None:
        return False
    (low, high), least = spread
    slack = 1e-12 * spread.range.size
    assert low - slack <= values.min()
    assert values.max() <= high + slack
    assert least * (1 - 1e-12) <= np.abs(values).min()
    assert not (np.signbit(values) & (values == 0)).any()
    return True


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.integers(1, 3))
def test_the_smallest_size(numbers: list[float], columns: int) -> None:
    values = np.array([numbers] * columns).T
    assert smallest(values) == min(map(abs, numbers))
    values += 0.0  # which takes the sign off zeros
    others = [abs(number) for number in numbers if number]
    assert smallest_but_zeros(values) == min(others, default=math.inf)


@given(st.integers(0, 2**32), st.sampled_from((math.nan, math.inf, -math.inf, 0.0, 1e-9, -1e-9)))
def test_extremes_of_many_numbers_are_those_of_all_blocks(seed: int, odd: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(loc=rng.choice([-9, 0, 9]), size=(3, CACHED // 2))
    values[rng.integers(3), 5] = odd
    low, high, size = extremes(values)
    if math.isnan(odd):
        assert math.isnan(low)
        assert math.isnan(high)
    else:
        assert (low, high, size) == (values.min(), values.max(), np.abs(values).min())


@given(st.lists(st.floats(), min_size=1), st.sampled_from((1, 80)))
def test_the_least_and_the_greatest_number(numbers: list[float], columns: int) -> None:
    found = least_and_greatest(np.array([numbers] * columns))
    if any(map(math.isnan, numbers)):
        assert all(map(math.isnan, found))
    else:
        assert found == (min(numbers), max(numbers))


@given(st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)))
def test_a_wider_range_contains_a_range(ends: tuple[float, float]) -> None:
    low, high = sorted(ends)
    wide_low, wide_high = widened(Range(low, high))
    assert wide_low <= low <= high <= wide_high
    assert wide_low >= 0 or low < 0  # what is positive is known to be


@sampled(3, name=LIGHT)
def test_a_rough_bound_is_no_smaller(name: str) -> None:
    trace = exact(name)
    for definition in trace.plan:
        if definition.name not in trace:
            continue
        operands = trace.operands(definition)
        size = trace[definition.name].matrix.range.size
        rough, error = (
            bound(*operands).at(size)
            for bound in (definition.operation.rough_error, definition.operation.error)
        )
        assert rough >= error * (1 - 1e-12)
