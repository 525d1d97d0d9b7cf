"""Narrow and wide terminals: nothing is lost, nothing runs over."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from attncli.document.pictures import Bars, Series
from attncli.formats.screen.lines import CELLS, StyledText, line_width, width, wrapped
from attncli.formats.screen.pictures import bars
from attncli.formats.screen.products import NARROWEST
from attncli.maths.equations.tree import Number
from attncli.maths.notation.plain import GLUE
from attncli.trace import Trace
from tests.conftest import FEWER, sampled
from tests.helpers.pages import SHIPPED, page_of, trace_of
from tests.helpers.strategies import recurrents, scenarios, transformers, workable

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def numbers(page: str) -> Counter[str]:
    return Counter(NUMBER.findall(page))


SMALL, STRUCTURED = "i_love_ai", "encoder_block"
OTHERS = [name for name in SHIPPED if name not in (SMALL, STRUCTURED)]


def test_what_pages_say_themselves_is_as_wide_as_terminals_have_it() -> None:
    wide = {
        text: (width(f"√{text}"), cell_len(f"√{text}"), 1 + cells) for text, cells in CELLS.items()
    }
    assert len(wide) > 100
    assert {text: all_ways for text, all_ways in wide.items() if len({*all_ways}) > 1} == {}


def check_no_digit_is_lost(trace: Trace, detail: str, *sizes: int) -> None:
    """In narrow terminals none, however often it is printed; where products stand as on paper, whose
    operands are tables again, each is printed somewhere."""
    narrow = numbers(page_of(trace, "terminal", NARROWEST - 1, detail))
    for cells in sizes:
        found = numbers(page_of(trace, "terminal", cells, detail))
        assert not (narrow - found if cells < NARROWEST else narrow.keys() - found.keys()), cells


@sampled(5, detail=["summary", "rows", "full"], name=[SMALL, STRUCTURED])
def test_no_digit_is_lost(name: str, detail: str) -> None:
    trace = trace_of(SHIPPED[name], "rounding.policy=exact", "scale=sqrt_d_k")
    check_no_digit_is_lost(trace, detail, 20, 30, 40, 60, 80, 100, 120, 200)


@sampled(5, name=OTHERS)
def test_no_digit_of_others_is_lost(name: str) -> None:
    check_no_digit_is_lost(trace_of(SHIPPED[name], "rounding.policy=exact"), "full", 40)


@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()), st.integers(20, 130))
def test_no_digit_of_any_scenario_is_lost(text: str, cells: int) -> None:
    with workable():
        trace = trace_of(text)
    check_no_digit_is_lost(trace, "full", cells)


def check_no_line_runs_over(trace: Trace, detail: str, *sizes: int) -> None:
    for cells in sizes:
        for line in page_of(trace, "terminal", cells, detail).split("\n"):
            # a command is copied as one line, so that it stays whole
            assert width(line) <= cells or line.startswith("  attn "), line


@pytest.mark.parametrize("detail", ["summary", "rows", "full"])
@pytest.mark.parametrize("name", [SMALL, STRUCTURED])
def test_no_line_runs_over(name: str, detail: str) -> None:
    check_no_line_runs_over(trace_of(SHIPPED[name]), detail, 60, 80, 120)


@sampled(5, name=OTHERS)
def test_no_line_of_others_runs_over(name: str) -> None:
    check_no_line_runs_over(trace_of(SHIPPED[name]), "full", 60)
    check_no_line_runs_over(trace_of(SHIPPED[name]), "summary", 60, 80)


@settings(max_examples=FEWER)
@given(st.one_of(transformers(), recurrents()))
def test_no_line_of_any_transformer_runs_over(text: str) -> None:
    with workable():
        trace = trace_of(text)
    check_no_line_runs_over(trace, "full", 60)


def test_wide_and_combining_tokens_stay_aligned() -> None:
    text = "sentence: 猫 é x\nX: [[1], [2], [3]]\nW_Q: [[1]]\nrounding: {decimals: 2}\n"
    page = page_of(trace_of(text))
    bars = {
        width(line.split("│")[0]) for line in page.split("\n") if "│" in line and "  Q " not in line
    }
    table = [line for line in page.split("\n") if re.match(r"  (猫|é|x) +│", line)]
    assert len(table) >= 3
    for rows in zip(*[iter(table)] * 3, strict=True):  # each table's
        assert len({width(line.split("│")[0]) for line in rows}) == 1
    assert bars


@given(st.lists(st.text("ab 猫é", max_size=12), max_size=6), st.integers(4, 30))
def test_wrapping_keeps_every_word(texts: list[str], cells: int) -> None:
    lines = wrapped([StyledText(text) for text in texts], cells)
    words = " ".join("".join(piece.text for piece in line) for line in lines).split()
    assert words == "".join(texts).split()
    for line in lines:
        assert line_width(line) <= cells or " " not in "".join(p.text for p in line).strip()


@pytest.mark.parametrize(
    ("text", "brackets", "lines"),
    [
        ("[1.0, 2.0] + [3.0, 4.0]", "[]()", ["[1.0, 2.0]", "+\u00a0[3.0, 4.0]"]),
        ("[1 + 2 + 3, 4 + 5 + 6]", "[]()", ["[1 + 2 + 3,", "4 + 5 + 6]"]),
        ("[11 + 22 + 33 + 44, 5]", "[]()", ["[11 + 22 + 33", "+ 44, 5]"]),
        ("as it is in [1, 2]", "[]", ["as it is", "in [1, 2]"]),
        ("of a (b c d e f g)", "[]", ["of a (b c d e", "f g)"]),
    ],
)
def test_lines_break_between_components(text: str, brackets: str, lines: list[str]) -> None:
    text = text.replace("+ [", "+\u00a0[")
    found = wrapped([StyledText(text)], 13, brackets=brackets)
    texts = ["".join(piece.text for piece in line) for line in found]
    assert texts == [line.replace("\u00a0", " ") for line in lines]


def test_what_is_longer_than_a_line_goes_on_before_a_sign() -> None:
    text = "grad.y[i, j] = grad.loss[i, j] × (y[i, j] − t[i, j])".replace(" ", GLUE)
    texts = ["".join(piece.text for piece in line) for line in wrapped([StyledText(text)], 24, 2)]
    assert texts == ["grad.y[i, j]", "  = grad.loss[i, j]", "  × (y[i, j] − t[i, j])"]
    assert len(wrapped([StyledText(text)], 60)) == 1


def test_any_number_of_brackets_is_wrapped() -> None:
    lines = wrapped([StyledText("[a " * 5000)], 40)
    assert max(map(line_width, lines)) <= 40
    assert len(lines) < 450


@pytest.mark.parametrize(("detail", "cells"), [("rows", 60), ("full", 80)])
def test_results_stand_beside_what_they_come_from(detail: str, cells: int) -> None:
    """No vector is torn apart that fits below its name, and no result of a chain stands alone."""
    page = page_of(trace_of(SHIPPED["encoder_block"]), width=cells, detail=detail)
    assert re.search(r"= \[[−\d., ]+\]\n", page)
    assert not re.search(r"= \[(−?[\d.]+, )*−?[\d.]+,\n", page)
    assert not re.search(r" × .* = .* [+−] .*\n +=\s+[−\d.]+\n", page)


def test_marks_stay_with_what_they_mark() -> None:
    page = page_of(trace_of(SHIPPED["wordpiece"]), width=50, detail="rows")
    assert "  merged\n" in page
    assert "│ merged" not in page


@given(
    st.lists(st.decimals(-3, 0, places=1) | st.decimals(0, 3, places=3), min_size=1, max_size=6),
    st.integers(40, 120),
)
def test_bars_stay_within_the_terminal(values: list[Decimal], cells: int) -> None:
    labels = tuple(f"token {k}" for k, _ in enumerate(values))
    series = Series("logits", tuple(map(Number.written, values)))
    lines = bars(Bars("Bars", labels, (series,)), cells)
    assert max(map(line_width, lines)) <= cells
