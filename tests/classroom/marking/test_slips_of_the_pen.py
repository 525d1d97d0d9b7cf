"""What is written down wrongly has the right number's digits, and what only comes near one is no slip
of the pen."""

from __future__ import annotations

import pytest

from attncli import load, work
from attncli.judging.judging import Judge
from attncli.judging.verdicts import read_number
from attncli.maths.equations.tree import Location
from attncli.names import raw_text
from tests.helpers.plain import read

TEXT = """\
tokens: [a, b]
X: {X}
projection: none
scale: none
until: {until}
rounding: {{policy: carry, decimals: 2}}
"""
ZERO = Judge(work(load(read(TEXT.format(X="[[1, 1], [1, -1]]", until="scores")))))
SMALL = Judge(work(load(read(TEXT.format(X="[[0.1, 0.1], [0.1, 0.1]]", until="scores")))))
FINE = Judge(work(load(read(TEXT.format(X="[[0.13, 0], [0.13, 0]]", until="scores")))))
POWER = Judge(work(load(read(TEXT.format(X="[[1, 1], [-1.96, -1.96]]", until="softmax")))))
"""Scores of 0, of 0.02, and of 0.0169, which is 0.02; and e^−3.92, which is 0.02."""


def named(judge: Judge, answer: str) -> str:
    """What an answer for the cell [a, b] is called."""
    cell = Location([*judge.trace][-1] if judge is not POWER else "exp", 0, 1)
    (verdict,) = judge.verdicts({cell: read_number(answer)})
    return verdict.judgement if verdict.cause is None else verdict.cause.name


@pytest.mark.parametrize("answer", ["3.7", "0.4", "4.9", "-2.5", "0.01", "-0.04", "0.40", "40"])
def test_no_number_is_0_with_its_point_moved(answer: str) -> None:
    assert named(ZERO, answer) == "slip"


@pytest.mark.parametrize("judge", [SMALL, POWER], ids=["score", "power"])
@pytest.mark.parametrize(
    ("answer", "name"),
    [
        *((answer, "slip") for answer in ("0.17", "0.24", "1.7", "19")),
        *((answer, "decimal_point") for answer in ("0.002", "0.2", "0.20", "2", "20", "0.00002")),
        ("0.02", "correct"),
        ("-0.02", "sign"),
    ],
)
def test_a_moved_point_keeps_the_right_digits(judge: Judge, answer: str, name: str) -> None:
    assert named(judge, answer) == name


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("0.2", "decimal_point"), ("0.17", "decimal_point"), ("0.169", "decimal_point"),
        ("-0.0169", "sign"), ("0.0619", "digits_transposed"), ("0.1069", "digits_transposed"),
        ("0.18", "slip"), ("0.168", "slip"),
    ],
)  # fmt: skip
def test_a_right_number_may_have_more_decimals_than_are_asked(answer: str, name: str) -> None:
    assert named(FINE, answer) == name


EXCHANGED = """\
tokens: [a, b, c]
X: [[1, 2], [3, 5], [7, 4]]
projection: none
scale: none
until: scores
"""


def answered(changed: dict[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """What causes say of the numbers of a table that are wrong, by their cells, if all others are
    right."""
    judge = Judge(work(load(read(EXCHANGED))))
    numbers = judge.trace["scores"].matrix
    cells = [Location("scores", i, j) for i in range(3) for j in range(3)]
    texts = {c: changed.get(c.indices, str(numbers.number(*c.indices).shown)) for c in cells}
    verdicts = judge.verdicts({cell: read_number(text) for cell, text in texts.items()})
    wrong = [v for v in verdicts if v.judgement != "correct"]
    return {v.cell.indices: raw_text(v.cause.worded) for v in wrong if v.cause is not None}


def test_two_numbers_in_each_others_place_have_one_explanation() -> None:
    """13 for 15 in [a, c], and 15 for 13 in [a, b]; not where the other number is right."""
    says = "scores[a, b] and scores[a, c] were exchanged."
    assert answered({(0, 1): "15", (0, 2): "13"}) == {(0, 1): says, (0, 2): says}
    alone = answered({(0, 1): "15"})
    assert "exchanged" not in alone.get((0, 1), "")
