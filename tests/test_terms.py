"""One name for one thing, and formulas that count as their page says."""

from __future__ import annotations

import math
import re

import pytest

from attncli.render import Page, render
from attncli.steps import step_named
from attncli.telling.lesson import lessons
from attncli.telling.selection import Selection
from attncli.telling.walkthrough import walkthrough
from tests.pages import SHIPPED, page_of, trace_of

_PE = re.compile(r"(\w+)\[1, 1\] is PE\((\d+), (\d+)\)")
_FORMULAS = (
    "PE(pos, 2i) = sin(pos / 10000^(2i/d_model))",
    "PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model))",
)
_WAVES = {
    "markdown": (r"\mathrm{PE}\left(\mathrm{pos}, 2i\right) = \sin", r"2i+1\right) = \cos"),
    "latex": (r"\mathrm{PE}(\mathrm{pos}, 2i) = \sin", r"\mathrm{PE}(\mathrm{pos}, 2i+1) = \cos"),
    "json": _FORMULAS,
}


@pytest.mark.parametrize("start", [0, 3])
def test_positions_count_as_the_page_says(start: int) -> None:
    """Where PE's pos and i begin, as the page says of P[1, 1], every cell is as PE says."""
    trace = trace_of(SHIPPED["word_order"], f"positions={{kind: sinusoidal, start: {start}}}")
    told = _PE.search(" ".join(page_of(trace).split()))
    assert told
    P = trace[told[1]].values
    for (row, column), value in [((r, c), P[r, c]) for r in range(4) for c in range(4)]:
        pos, i = row + int(told[2]), (column + int(told[3])) // 2
        wave = math.cos if column % 2 else math.sin
        assert value == pytest.approx(wave(pos / 10000 ** (2 * i / 4)), abs=1e-9)


def test_positions_have_a_formula_for_each_wave() -> None:
    trace = trace_of(SHIPPED["encoder_block"])
    lesson = lessons(trace, [(step_named("positions"), trace)], Selection(detail="full"))
    run = walkthrough(trace, Selection(steps=("positions",)))
    for document in (run, lesson):
        lines = [line.strip() for line in render(document, "terminal", Page(80)).splitlines()]
        assert all(lines.count(formula) == 1 for formula in _FORMULAS)
        for form, waves in _WAVES.items():
            page = render(document, form, Page(80))
            assert all(wave in page for wave in waves), form


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "json"])
def test_what_goes_into_the_first_layer_has_one_name(form: str) -> None:
    selection = Selection(steps=("embed", "positions", "project"))
    for name in ("i_love_ai", "word_order", "encoder_block"):
        document = walkthrough(trace_of(SHIPPED[name]), selection)
        page = " ".join(render(document, form, Page(80)).split())
        assert "Each input embedding is multiplied" in page
        assert ("adds up to the input embeddings" in page) == (name == "encoder_block")
        assert not re.search(r"Each (input|embedding) is|Token\W+Embedding\b", page)
