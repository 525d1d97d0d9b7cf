"""One name for one thing, and formulas that count as their page says."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from attncli.formats import RenderOptions, render
from attncli.maths.notation.plain import plain, unbreakable
from attncli.pages.lesson import lessons
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.working import cell_line
from attncli.pages.walkthrough import walkthrough
from attncli.steps import step_named
from attncli.trace import Trace
from tests.helpers.pages import SHIPPED, page_of, trace_of

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
        lines = [
            line.strip() for line in render(document, "terminal", RenderOptions(80)).splitlines()
        ]
        assert all(lines.count(formula) == 1 for formula in _FORMULAS)
        for form, waves in _WAVES.items():
            page = render(document, form, RenderOptions(80))
            assert all(wave in page for wave in waves), form
        lines = render(document, "markdown", RenderOptions(80)).splitlines()
        assert sum(line.startswith(r"$\mathrm{PE}") and line.endswith("  ") for line in lines) == 2


def _line(trace: Trace, name: str) -> str:
    return " = ".join(plain(part) for _, part in cell_line(trace, trace[name], 0, 0).parts)


_LINES = {
    "yassine_rnn": {"aa[1]": "0.5 × 0 + 0 × 0 + 0 × 0 = 0.0", "z[1]": "1.4 + 0 = 1.4"},
    "yassine_gru": {
        "gates[1].z_candidate": "0.1 × 1 + 0.2 × 2 + 0.3 × 3 + 0 = 0.1 + 0.4 + 0.9 + 0 = 1.400",
        "a[1]": "0.574 × 0.885 = 0.508",
    },
    "yassine_lstm": {
        "gates[1].z_forget": "0.1 × 1 − 0.2 × 2 + 0.3 × 3 + 1 = 0.1 − 0.4 + 0.9 + 1 = 1.6",
        "c[1]": "0.769 × 0.885 = 0.681",
    },
}


@pytest.mark.parametrize("name", _LINES)
def test_an_empty_memory_is_left_out_of_the_lines(name: str) -> None:
    """And only that: one that is given, or put in its place, is worked as ever."""
    trace = trace_of(SHIPPED[name])
    by_name = {of: unbreakable(_line(trace, of)) for of in _LINES[name]}
    assert by_name == _LINES[name]
    h = trace["a[0]"].values.shape[0]
    initial = {start: [[1]] * h for start in ("a[0]", "c[0]") if start in trace.quantities}
    given = [f"initial_state={[1] * h}"] + [f"initial_cell={[1] * h}"] * (len(initial) - 1)
    full = trace_of(SHIPPED[name], *given)
    for other in (full, trace.replay(initial)):
        assert all(len(_line(other, of)) > len(_line(trace, of)) for of in by_name)
        assert all(np.allclose(other[of].values, full[of].values) for of in by_name)
    page = " ".join(page_of(trace).split())
    assert "its terms are left out" in page
    assert "its terms are left out" not in " ".join(page_of(full).split())


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "json"])
def test_what_goes_into_the_first_layer_has_one_name(form: str) -> None:
    selection = Selection(steps=("embed", "positions", "project"))
    for name in ("i_love_ai", "word_order", "encoder_block"):
        document = walkthrough(trace_of(SHIPPED[name]), selection)
        page = " ".join(render(document, form, RenderOptions(80)).split())
        assert "Each input embedding is multiplied" in page
        assert ("this gives the input embeddings" in page) == (name == "encoder_block")
        assert not re.search(r"Each (input|embedding) is|Token\W+Embedding\b", page)
