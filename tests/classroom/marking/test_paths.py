"""A number is judged by what its own author wrote before it: no honest paper is refused, and what is
accepted is hardly wider than that."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pytest

from attncli.classroom.exercises.blanked import taken
from attncli.judging.judging import Judge, Tolerance
from attncli.judging.verdicts import Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.pipeline.plain_data import all_numbers, plain_data, with_numbers
from tests import oracle
from tests.classroom.made import request_for
from tests.conftest import THOROUGH, sampled
from tests.helpers.honest_papers import WAYS, answers
from tests.helpers.pages import LARGE, SHIPPED, WORDS_ONLY, trace_of

SOME = ("i_love_ai", "learning_to_attend", "encoder_block", "yassine_gru", "adam_by_hand")
NAMES = sorted({*SHIPPED} - LARGE - {WORDS_ONLY, "i_love_tennis"})  # which have no blanks
SEEDS = 20 if THOROUGH else 2
RIGHT = ("correct", "worked otherwise")


class Sheet(NamedTuple):
    """What a scenario's exercise asks, who judges it, and the decimals of its quantities."""

    judge: Judge
    cells: tuple[Location, ...]
    places: dict[str, int]

    def key(self) -> dict[Location, Given]:
        trace = self.judge.trace
        numbers = {at: trace[at.quantity].number(*at[1:]).shown for at in self.cells}
        return {at: Given(str(x), x, self.places[at.quantity]) for at, x in numbers.items()}

    def verdicts(self, given: dict[Location, Given]) -> dict[Location, Verdict]:
        return {v.cell: v for v in self.judge.verdicts(given)}


@lru_cache(maxsize=4)
def sheet(name: str) -> Sheet:
    trace = trace_of(SHIPPED[name])
    page = taken(trace, request_for(trace), "")
    judge = page.judge
    cells = tuple(place.cell for place in page.places if place.cell is not None)
    return Sheet(judge, cells, {n: judge.key.decimals(n) for n in trace})


@pytest.mark.parametrize("way", WAYS)
@sampled(6, name=NAMES)
def test_no_honest_paper_is_refused(name: str, way: str) -> None:
    asked = sheet(name)
    for seed in range(SEEDS if way.startswith("mixed") else 1):
        given = answers(asked.judge.trace, asked.places, way, asked.cells, seed)
        refused = {at: v for at, v in asked.verdicts(given).items() if v.judgement not in RIGHT}
        assert not refused


@pytest.mark.parametrize(
    "name", ["i_love_ai", "pasta_lookup", "three_tokens_two_heads", "yassine_gru"]
)
def test_no_paper_of_the_oracle_is_refused(name: str) -> None:
    """Which draws anew how a number is rounded each time that it is used."""
    asked = sheet(name)
    trace, roots = asked.judge.trace, [*map(int, asked.judge.printed)]
    data = with_numbers(plain_data(name), all_numbers(trace.scenario))
    for seed in range(60 if THOROUGH else 8):
        numbers = oracle.paper(data, asked.cells, seed, roots=roots)
        given = {Location(*at): Given(str(x), x, asked.places[at[0]]) for at, x in numbers.items()}
        assert {v.judgement for v in asked.verdicts(given).values()} <= {*RIGHT}


def test_a_number_that_is_off_is_hardly_ever_accepted() -> None:
    """By 3 units of the last place in 13 of a thousand cells, by 10 in two."""
    rng, accepted, tried = np.random.default_rng(5), {3: 0, 10: 0}, 0
    for name in NAMES if THOROUGH else NAMES[::3]:
        asked = sheet(name)
        for at, right in asked.verdicts(asked.key()).items():
            number = right.given.number
            if number is None or not number.is_finite():
                continue
            tried += 1
            unit = Decimal(int(rng.choice([-1, 1]))).scaleb(-asked.places[at.quantity])
            for units in accepted:
                accepted[units] += right.accepted.takes(number + units * unit)
    assert accepted[3] <= tried * (0.015 if THOROUGH else 0.03)
    assert accepted[10] <= tried * 0.005


@pytest.mark.parametrize("name", SOME)
def test_where_a_number_is_wrong_all_others_are_right_or_follow(name: str) -> None:
    asked, rng = sheet(name), np.random.default_rng(6)
    cells = [at for at in asked.cells if asked.key()[at].number.is_finite()]  # type: ignore[union-attr]
    for k in rng.choice(len(cells), 40 if THOROUGH else 3, replace=False).tolist():
        at, given = cells[k], asked.key()
        wrong = given[at].number + Decimal("0.777")  # type: ignore[operator]
        given[at] = Given(str(wrong), wrong, max(3, asked.places[at.quantity]))
        found = asked.verdicts(given)
        assert found.pop(at).judgement not in RIGHT
        assert {v.judgement for v in found.values()} <= {*RIGHT, "carried forward"}


def test_bounds_do_not_pile_up() -> None:
    """0 was accepted where −0.51 is right, from −1.165 to 0.135."""
    asked = sheet("learning_to_attend")
    for verdict in asked.verdicts(asked.key()).values():
        low, high = verdict.accepted
        unit = 10.0 ** -asked.places[verdict.cell.quantity]
        assert not low <= 0 <= high or abs(verdict.expected.shown) <= unit


@sampled(5, name=SOME, number=["0", "0.001", "1"])
def test_one_number_throughout_earns_nothing(name: str, number: str) -> None:
    """But where it is right."""
    asked = sheet(name)
    given = dict.fromkeys(asked.cells, Given(number, Decimal(number), len(number[2:])))
    found = asked.verdicts(given)
    happens = sum(v.expected.shown == Decimal(number) for v in found.values())
    assert sum(v.judgement in RIGHT for v in found.values()) <= happens + len(found) / 10


@pytest.mark.parametrize("way", ["carried", "in full"])
@sampled(5, name=[name for name in NAMES if name != "adam_by_hand"])  # which would divide by 0
def test_two_decimals_for_three_are_a_habit_of_writing(name: str, way: str) -> None:
    """But where they can't be told from 0."""
    asked = sheet(name)
    places = {quantity: min(most, 2) for quantity, most in asked.places.items()}
    given = answers(asked.judge.trace, places, way, asked.cells)
    finite = {at: x for at, x in given.items() if x.number is not None and x.number.is_finite()}
    found = asked.verdicts(finite).values()
    off = [v for v in found if v.judgement not in (*RIGHT, "rounding") and v.given.number]
    zeros = sum(not v.given.number and bool(v.expected.shown) for v in found)
    assert len(off) <= (len(found) / 10 if zeros else len(found) / 50)


@sampled(
    5,
    name=["i_love_ai", "three_tokens_two_heads"],
    most=[1, 2],
    left_out=[(), ("exp",), ("exp", "weights")],
)
def test_the_maximum_may_be_subtracted(name: str, most: int, left_out: tuple[str, ...]) -> None:
    """In few decimals, and where the powers of e aren't written down."""
    asked = sheet(name)
    places = {quantity: min(own, most) for quantity, own in asked.places.items()}
    cells = [at for at in asked.cells if at.quantity.rpartition(".")[2] not in left_out]
    for written in (asked.places, places):
        found = asked.verdicts(answers(asked.judge.trace, written, "stable", cells)).values()
        assert {v.judgement for v in found} <= {*RIGHT, "rounding"}


def test_sums_tell_the_maximum_subtracted_where_the_powers_are_left_blank() -> None:
    asked = sheet("i_love_ai")
    given = answers(asked.judge.trace, asked.places, "stable", asked.cells)
    blank = {at: Given("") if at.quantity == "exp" else x for at, x in given.items()}
    found = asked.verdicts(blank).values()
    assert {v.judgement for v in found} <= {*RIGHT, "blank"}
    sums = [v.judgement for v in found if v.cell.quantity == "exp_sum"]
    assert sums == ["worked otherwise"] * 3


def test_few_decimals_may_have_been_kept_on_the_way() -> None:
    """z = 0.703 isn't asked: tanh(0.70) = 0.604, and tanh(0.703) = 0.606."""
    text = "X: [[1, 0]]\nW1: [[0.703], [0]]\nW2: [[1]]\nactivation: tanh\nprojection: none\n"
    judge, at = Judge(trace_of(text)), Location("activated", 0, 0)
    for number, judgement in (("0.60", "rounding"), ("0.61", "rounding"), ("0.59", "slip")):
        given = Given(number, Decimal(number), 2)
        assert [v.judgement for v in judge.verdicts({at: given})] == [judgement]


@pytest.mark.parametrize(
    ("number", "is_right"),
    [("1.225", True), ("1.2349", True), ("1.236", False), ("1.224", False)],
)
def test_three_digits_are_those_that_a_number_rounds_to(number: str, is_right: bool) -> None:
    trace = trace_of("X: [[1.234]]\nW_Q: [[1]]\nW_K: [[1]]\nuntil: project\n")
    judge = Judge(trace, tolerance=Tolerance(digits=3))
    given = Given(number, Decimal(number), 4)
    (verdict,) = judge.verdicts({Location("Q", 0, 0): given})
    assert (verdict.judgement == "correct") is is_right


def test_what_hangs_on_hundreds_of_numbers_that_nobody_writes_is_not_asked() -> None:
    """A score of 512 columns, of which the sheet shows four, might be 3,872 units off."""
    asked = sheet("i_can_go_alone")
    assert "scores" not in {at.quantity for at in asked.cells}
    for at, verdict in asked.verdicts(asked.key()).items():
        low, high = verdict.accepted
        assert high - low <= 10 * 10.0 ** -asked.places[at.quantity]
