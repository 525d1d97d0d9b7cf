"""Bars beside rows of shares: in a terminal with room, never where something is asked for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.formats import format_names
from tests.helpers.pages import SHIPPED, page_of, trace_of

BARS = " ▁▂▃▄▅▆▇█"
ROW = re.compile(r"^  Q: \d+ +│ (?P<shares>.*?)  \d\.\d+(?P<bars>  [ ▁▂▃▄▅▆▇█]*)?$", re.MULTILINE)


def test_bars_are_as_high_as_their_shares() -> None:
    page = page_of(trace_of(SHIPPED["i_love_ai"]))
    assert "Q: I    │ 0.422    0.155  0.422  0.999  ▅▂▅\n" in page
    assert "Q: AI   │ 0.245    0.090  0.665  1.000  ▃▁█\n" in page


@pytest.mark.parametrize("width", [40, 60, 77, 80, 120])
def test_bars_need_room(width: int) -> None:
    page = page_of(trace_of(SHIPPED["i_love_ai"]), "terminal", width)
    assert ("▅▂▅" in page) == (width >= 80)
    assert "0.665  1.000" in page


@pytest.mark.parametrize("form", [one for one in format_names() if one != "terminal"])
def test_other_formats_have_none(form: str) -> None:
    assert not set("▁▂▃▄▅▆▇█") & set(page_of(trace_of(SHIPPED["i_love_ai"]), form))


@given(st.lists(st.lists(st.integers(0, 99), min_size=2, max_size=6), min_size=1, max_size=4))
def test_a_longer_bar_is_a_larger_share(rows: list[list[int]]) -> None:
    shares = [[f"0.{n:02}" for n in (row * 6)[: len(rows[0])]] for row in rows]
    text = ", ".join(f"[{', '.join(row)}]" for row in shares)
    page = page_of(trace_of(f"weights: [{text}]\n"))
    entries = list(ROW.finditer(page.partition("Given")[2]))
    numbers = [float(number) for row in shares for number in row]
    bars = [(match["bars"] or "  ")[2:].ljust(len(rows[0])) for match in entries]
    if not any(numbers):
        assert not "".join(bars).strip()
        return
    heights = [BARS.index(bar) for row in bars for bar in row]
    assert max(heights) == 8
    for number, height in zip(numbers, heights, strict=True):
        assert abs(height - 8 * number / max(numbers)) <= 1
        assert (height == 0) == (number == 0)


def test_given_weights_below_zero_have_none() -> None:
    page = page_of(trace_of("weights: [[0.5, -0.5], [1, 2]]\n"))
    assert not set("▁▂▃▄▅▆▇█") & set(page)
