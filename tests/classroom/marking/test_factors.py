"""Numbers that are all by one factor too large or too small: gradients of a loss that is another one,
a row that is divided by another number, and dropout that was left on."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache

import numpy as np
import pytest

from attncli import load, work
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.names import raw_text, worded
from tests.classroom.planted.sheet import Array, rounded
from tests.conftest import THOROUGH
from tests.helpers.plain import read

TRAINED = """\
tokens: [a, b]
X: [[1, 0.5, -1], [0.3, -0.7, 0.8]]
W1: [[0.4, -0.6, 0.9], [0.7, 0.2, -1], [-0.8, 0.5, 0.3]]
b1: [0.5, 0.4, 0.3]
W2: [[0.9, 0.2, -0.5], [-0.7, 1, 0.4], [0.3, -0.8, 0.6]]
b2: [0.2, 0.1, -0.1]
targets: [[1, 0, 0.5], [-0.4, 0.3, 1]]
loss: mse
backward: true
"""
SCORES = """\
tokens: [a, b, c]
scores: [[2, 0.3, -0.4], [0.2, 0.9, 0.5], [-0.7, 0.6, 1.1]]
scale: 1.7
until: softmax
"""


@cache
def judge_of(text: str) -> Judge:
    return Judge(work(load(read(text))))


def wrong(judge: Judge, written: Mapping[str, Array]) -> list[Verdict]:
    numbers = {
        Location(name, i, j): Given(f"{value:.3f}", Decimal(f"{value:.3f}"), 3)
        for name, table in written.items()
        for (i, j), value in np.ndenumerate(rounded(table))
    }
    verdicts = judge.verdicts(numbers)
    return [v for v in verdicts if v.judgement not in ("correct", "carried forward")]


def gradients(factor: float, *left_out: str) -> dict[str, Array]:
    """The way there and back in full, of a loss that is so many times the mean."""
    data = read(TRAINED)
    names = ("X", "W1", "b1", "W2", "b2", "targets")
    X, W1, b1, W2, b2, T = (np.array(data[name], dtype=float) for name in names)
    z = X @ W1 + b1
    a = np.maximum(z, 0)
    Y = a @ W2 + b2
    d_y = factor * 2 * (Y - T) / Y.size
    d_a = d_y @ W2.T
    d_z = d_a * (z > 0)
    made = {
        "grad.ffn": d_y, "grad.W2": a.T @ d_y, "grad.b2": d_y.sum(axis=0, keepdims=True),
        "grad.activated": d_a, "grad.hidden": d_z, "grad.W1": X.T @ d_z,
        "grad.b1": d_z.sum(axis=0, keepdims=True),
    }  # fmt: skip
    return {name: table for name, table in made.items() if name not in left_out}


def test_right_gradients_are_right() -> None:
    assert wrong(judge_of(TRAINED), gradients(1)) == []


@pytest.mark.parametrize(
    ("factor", "says"),
    [
        (3, "Each gradient is 3 times what it should be, as by a loss of ½ Σ (y − t)²."),
        (0.5, "Each gradient is 0.5 times what it should be."),
        (7, "Each gradient is 7 times what it should be."),
        (-1, "Each gradient is −1 times what it should be."),
        (1 / 3, "Each gradient is 0.333333 times what it should be."),
    ],
)
@pytest.mark.parametrize("left_out", [(), ("grad.ffn",), ("grad.ffn", "grad.activated", "grad.W2")])
def test_a_factor_of_all_gradients_is_told_once(
    factor: float, says: str, left_out: tuple[str, ...]
) -> None:
    """What comes behind follows from it, also where it isn't made of what is asked."""
    written = gradients(factor, *left_out)
    found = wrong(judge_of(TRAINED), written)
    assert {v.cause.says for v in found if v.cause} == {says}
    first = next(name for name in judge_of(TRAINED).trace if name in written)
    assert {v.cell.quantity for v in found} == {first}
    assert {v.judgement for v in found} == {"known mistake"}


def test_a_sum_for_the_mean_keeps_its_name() -> None:
    found = wrong(judge_of(TRAINED), gradients(6))
    assert {v.cause.name for v in found if v.cause} == {"sum_for_mean"}


def softmax() -> tuple[Array, Array, Array]:
    scores = np.array(read(SCORES)["scores"], dtype=float) / 1.7
    exp = np.exp(scores)
    return scores, exp, exp.sum(axis=1, keepdims=True)


def test_a_row_that_is_divided_by_another_number_is_told() -> None:
    scaled, exp, total = softmax()
    weights = exp / total
    weights[1] = exp[1] / total[2]  # the sum of the row below
    found = wrong(judge_of(SCORES), {"exp": exp, "exp_sum": total, "weights": weights})
    assert {(v.cell.quantity, v.cell.row) for v in found} == {("weights", 1)}
    assert {v.cause.name for v in found if v.cause} == {"other_factor_of_row"}
    scaled[2] *= 1.7 / 3
    found = wrong(judge_of(SCORES), {"scaled": scaled})
    (says,) = {v.cause.says for v in found if v.cause}
    assert raw_text(worded(says)).endswith(
        "times what it should be: it was divided by another number."
    )


def test_dropout_that_was_left_on_is_told() -> None:
    _, exp, total = softmax()
    weights = exp / total
    dropped = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 1]])
    judge = judge_of(SCORES)
    for p, says in ((0.5, "2 times"), (0.2, "1.25 times")):
        found = wrong(judge, {"weights": weights * dropped / (1 - p)})
        assert {v.cause.name for v in found if v.cause} == {"dropout_on"}
        assert all(says in v.cause.says for v in found if v.cause)
    assert (weights / (1 - 0.5)).max() > 1  # values above 1, none of them dropped
    found = wrong(judge, {"weights": weights / (1 - 0.5)})
    assert {v.cause.says for v in found if v.cause} == {"Each number is 2 times what it should be."}


def test_wrong_numbers_have_no_factor_by_chance() -> None:
    """Of random tables hardly one in a hundred."""
    rng, judge, named = np.random.default_rng(7), judge_of(SCORES), 0
    count = 200 if THOROUGH else 50
    for _ in range(count):
        found = wrong(judge, {"weights": rng.uniform(0, 1, (3, 3))})
        named += any(v.cause and "factor" in v.cause.name for v in found)
    assert named <= count // 50
