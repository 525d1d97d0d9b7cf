"""Accepted intervals as the oracle derives them: by hand, and against the package's traces."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli import load, work
from attncli.maths.operations.rearranging import TakeRows
from attncli.pipeline.plain_data import plain_data, with_numbers
from attncli.trace import Trace
from tests import oracle
from tests.conftest import FEWER, sampled
from tests.helpers.pages import EQUATIONS, LARGE, SHIPPED, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import recurrents, transformers, workable

SMALL = sorted(set(SHIPPED) - LARGE - EQUATIONS)  # 512 dimensions take decimals seconds


def interval(text: str, name: str, i: int = 0, j: int = 0) -> oracle.Interval:
    return oracle.intervals(read(text), [(name, i, j)])[name, i, j]


def numbers(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


def test_both_policies_agree() -> None:
    """e/(e + 1) = 0.7311 is 0.73, and so is 2.72/3.72 = 0.7312."""
    text = "scores: [[1, 0]]\nscale: none\nrounding: {decimals: 2}\n"
    e = Decimal(1).exp()
    exact = (e / (e + 1)).quantize(Decimal("0.01"))
    carry = (Decimal("2.72") / Decimal("3.72")).quantize(Decimal("0.01"))
    low, high = numbers("0.725", "0.735")
    assert interval(text, "weights") == (low, high, carry, exact, 2)


def test_the_policies_differ() -> None:
    """Three times e is 8.15, rounded 8; but three times 3 is 9, and a third of it 0.333."""
    text = "scores: [[1, 1, 1]]\nscale: none\nV: [[1], [1], [1]]\n"
    text += "rounding: {decimals: 0, steps: {weighted_sum: 2}, quantities: {weights: 3}}\n"
    assert [*interval(text, "exp_sum")] == [*numbers("7.5", "9.5", "9", "8"), 0]
    assert [*interval(text, "weights", j=2)] == [*numbers("0.3325", "0.3335", "0.333", "0.333"), 3]
    # 3 × 0.333 = 0.999 is 1.00 as well
    assert [*interval(text, "output")] == [*numbers("0.995", "1.005", "1.00", "1.00"), 2]


def test_halves_are_halves() -> None:
    """0.57 × 0.5 = 0.285, which floats hold as 0.28499…, and −0.125: both go away from zero."""
    text = "X: [[0.57, 0.25]]\nW_Q: [[0.5, 0], [0, -0.5]]\nrounding: {decimals: 2}\n"
    assert [*interval(text, "Q")] == [*numbers("0.285", "0.295", "0.29", "0.29"), 2]
    assert [*interval(text, "Q", j=1)] == [*numbers("-0.135", "-0.125", "-0.13", "-0.13"), 2]


def test_a_half_that_roots_come_to() -> None:
    """A normalised row has no mean, however its numbers are rooted: what is left is −2.218/4."""
    data = read(SHIPPED["encoder_block"])
    ffn = [["-0.883", "0.170", "-0.257", "-1.248"]] * 4
    cells = [("norm2.mean", i, 0) for i in range(4)]
    found = oracle.intervals(
        {**data, "rounding": {"decimals": 3}}, cells, start={"ffn": [numbers(*row) for row in ffn]}
    )
    assert {found[cell].exact for cell in cells} == {Decimal("-0.555")}


def test_policies_go_apart_over_steps() -> None:
    """0.15 × 0.5 = 0.075 is carried on as 0.1, and 0.15 × 4 = 0.6 is the key."""
    text = "X: [[0.15]]\nW_Q: [[0.5]]\nW_K: [[4]]\nscale: 1\nrounding: {decimals: 1}\n"
    # carried: 0.1 × 0.6 = 0.06 → 0.1; in full: 0.075 × 0.6 = 0.045 → 0.0
    assert [*interval(text, "scores")] == [*numbers("-0.05", "0.15", "0.1", "0.0"), 1]


def test_numbers_that_are_taken_over() -> None:
    """A number keeps the decimals that it was written with, and its last place is their last."""
    text = "X: [[1.00046, 3]]\nprojection: none\nmask: {blocked: [[0]]}\n"
    assert [*interval(text, "X")] == [*numbers("1.000455", "1.000465", "1.00046", "1.00046"), 5]
    assert [*interval(text, "Q", j=1)] == [*numbers("2.9995", "3.0005", "3", "3"), 3]
    hidden = "scores: [[1, 2]]\nscale: none\nmask: {blocked: [[0, 1]]}\n"
    assert [*interval(hidden, "masked", j=1)] == [*[Decimal("-Infinity")] * 4, 3]


def test_what_is_not_there() -> None:
    with pytest.raises(KeyError, match="logits"):
        interval(SHIPPED["i_love_ai"], "logits")
    with pytest.raises(IndexError):
        interval(SHIPPED["i_love_ai"], "weights", 3)
    equal = "X: [[1, 1]]\nblock: encoder\nprojection: none\nW_O: [[0, 0], [0, 0]]\nnorm1: {epsilon: 0}\n"
    with pytest.raises(ArithmeticError):
        interval(equal, "norm1.normed")


def test_a_policy_that_cannot_be_worked() -> None:
    """e^-90 rounds to 0 under carry, which nothing can be divided by."""
    text = "scores: [[-90]]\nscale: none\n"
    low, high = numbers("0.9995", "1.0005")
    assert interval(text, "weights") == (low, high, None, Decimal("1.000"), 3)


@sampled(2, name=SMALL)
def test_shipped_scenarios(name: str) -> None:
    data = plain_data(name)
    traces = [work(load(name, [f"rounding.policy={policy}"])) for policy in ("carry", "exact")]
    agree(data, traces[0], traces[1])


@settings(max_examples=FEWER)
@given(st.one_of(transformers(), recurrents()))
def test_random_transformers(text: str) -> None:
    data = read(text)
    written = with_numbers(data, given_numbers(trace_of(text)))  # random numbers become written
    with workable():
        traces = [
            work(load({**written, "rounding": {**data["rounding"], "policy": policy}}))
            for policy in ("carry", "exact")
        ]
    agree(written, traces[0], traces[1])


def given_numbers(trace: Trace) -> dict[str, list[list[Decimal]]]:
    """Every given matrix of a scenario, its numbers in full."""
    return {
        name: [[matrix.number(i, j).full for j in range(matrix.shape[1])] for i in range(len(rows))]
        for name, matrix in trace.scenario.given.matrices.items()
        for rows in [matrix.values]
    }


def agree(data: Any, carry: Trace, exact: Trace) -> None:
    """Each made cell of both traces lies in the middle of its half of the interval."""
    made = {name: carry[name] for name in carry if carry[name].definition is not None}
    cells = [
        (name, int(i), int(j)) for name in made for i, j in np.ndindex(made[name].values.shape)
    ]
    for (name, i, j), interval in oracle.intervals(data, cells).items():
        definition = made[name].definition
        assert definition is not None
        if not definition.operation.copies and not isinstance(definition.operation, TakeRows):
            assert interval.decimals == carry.rounding.decimals_of(
                definition.step, definition.name
            ), name
        carried, full = carry[name].matrix.number(i, j).full, exact[name].values[i, j]
        assert interval.carry == carried, (name, i, j)
        if not np.isfinite(full):
            assert interval.low == interval.high == carried
            continue
        assert interval.exact is not None
        half = Decimal(5).scaleb(-interval.decimals - 1)
        assert interval.low == min(carried, interval.exact) - half
        assert interval.high == max(carried, interval.exact) + half
        assert (
            interval.exact == rounded(full, interval) or abs(full - halfway(interval.exact)) < 1e-9
        )


def rounded(full: float, interval: oracle.Interval) -> Decimal:
    assert interval.carry is not None
    places = max(interval.decimals, -int(interval.carry.as_tuple().exponent))
    return Decimal(f"{full:.15g}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def halfway(number: Decimal) -> float:
    """The half above or below a number that is nearest to zero."""
    half = Decimal(5).scaleb(int(number.as_tuple().exponent) - 1)
    return float(number - half if number > 0 else number + half)
