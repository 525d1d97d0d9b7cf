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
from attncli.arithmetic.extremes import least_and_greatest, smallest
from attncli.arithmetic.operations import base
from attncli.arithmetic.rounding import Spread
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
    assert smallest(values, but_zeros=True) == min(others, default=math.inf)


@given(st.lists(st.floats(), min_size=1), st.sampled_from((1, 80)))
def test_the_least_and_the_greatest_number(numbers: list[float], columns: int) -> None:
    found = least_and_greatest(np.array([numbers] * columns))
    if any(map(math.isnan, numbers)):
        assert all(map(math.isnan, found))
    else:
        assert found == (min(numbers), max(numbers))
