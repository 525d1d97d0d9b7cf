"""The sheet *All* of a workbook: a whole head as on paper, on one page, with a chart."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from attncli import Trace, load, work
from tests.conftest import THOROUGH, share
from tests.formats.test_xlsx import changed, formulas_of, workbook_of
from tests.helpers.spreadsheets import needs_libreoffice, printed_pages, range_of, recalculated

SOFTMAX = {name: name for name in ("scores", "exp", "exp_sum", "weights", "output")}
HEADS: Mapping[str, tuple[Sequence[str], Mapping[str, str]]] = {
    "i_love_ai": (
        ["W_Q[1,2]=-0.515"],
        {**{name: name for name in ("X", "W_Q", "W_K", "W_V", "Q", "K", "V")}, "Kᵀ": "K"} | SOFTMAX,
    ),
    "i_love_tennis_causal": (
        ["W_K[2,3]=0.9"],
        {"W_Qᵀ": "W_Q", "K": "K", "scaled": "scaled", "masked": "masked"} | SOFTMAX,
    ),
    "three_tokens_two_heads": (
        ["W_V[3,2]=0.25"],
        {"W_V": "W_V", "V": "V", **{name: f"heads[1].{name}" for name in SOFTMAX}},
    ),
    "next_token": (
        ["layers[2].W_Q[1,3]=-0.75"],
        {
            "norm1.normed": "layers[2].norm1.normed",
            "W_Q": "layers[2].W_Q",
            **{name: f"layers[2].heads[2].{name}" for name in (*SOFTMAX, "masked")},
        },
    ),
    "decoder_block": (
        ["cross.W_K[3,2]=-0.7"],
        {"memory": "memory", "W_K": "cross.W_K", **{name: f"cross.{name}" for name in SOFTMAX}},
    ),
    "pasta_lookup": (["K[2,1]=0.5"], {"Q": "Q", "Kᵀ": "K"} | SOFTMAX),
}
"""Scenarios with a number that somebody types, and the tables of their heads by what is written
above each."""
WITHOUT = ("yassine_lstm", "bpe", "i_love_tennis")
KINDS = [*HEADS] if THOROUGH else ["i_love_ai", *share(3, [*HEADS][1:], "heads")]


@cache
def shipped_trace(name: str) -> Trace:
    return work(load(name))


def table(sheet: Any, called: str, shape: tuple[int, int], nth: int = 0) -> list[list[Any]]:
    """The cells of the first table that is called so, or the nth from 0, [n, m]: they begin two
    rows below its name, behind the names of its rows."""
    is_it = re.compile(rf"{re.escape(called)}(\[.*|\s=.*| \(given\))?")
    cells = (cell for row in sheet.iter_rows() for cell in row)
    corner = [cell for cell in cells if is_it.fullmatch(str(cell.value))][nth]
    row, column = corner.row + 2, corner.column
    column += sheet.cell(row, column).data_type == "s"
    return [[sheet.cell(row + i, column + j) for j in range(shape[1])] for i in range(shape[0])]


def wrong_tables(workbook: Any, trace: Trace, tables: Mapping[str, str]) -> list[str]:
    """The tables of a head's sheet that have other numbers than the trace."""
    return [
        called for called, name in tables.items() if not _is_right(workbook, trace, called, name)
    ]


def _is_right(workbook: Any, trace: Trace, called: str, name: str) -> bool:
    values = trace[name].values.T if called.endswith("ᵀ") else trace[name].values
    cells = table(workbook["All"], called, values.shape)
    found = np.array([[cell.value for cell in row] for row in cells], dtype=np.float64)
    return bool(np.allclose(np.where(found < -1e100, -np.inf, found), values, atol=1e-12))


@pytest.mark.parametrize("name", KINDS)
def test_a_head_has_the_numbers_of_its_trace(name: str) -> None:
    trace = shipped_trace(name)
    workbook = openpyxl.load_workbook(io.BytesIO(workbook_of(trace)), data_only=True)
    assert wrong_tables(workbook, trace, HEADS[name][1]) == []


@needs_libreoffice
def test_a_head_follows_what_is_typed_on_other_sheets(tmp_path: Path) -> None:
    traces, files = {}, {}
    for name in KINDS:
        settings, _ = HEADS[name]
        cell, _, number = settings[0].rpartition("=")
        files[name] = changed(workbook_of(work(load(name))), cell, float(number))
        traces[name] = work(load(name, settings))
    found = recalculated(tmp_path, files)
    wrong = {name: wrong_tables(found[name], traces[name], HEADS[name][1]) for name in KINDS}
    assert wrong == {name: [] for name in KINDS}


def rows_of(cells: list[list[Any]]) -> list[int]:
    return [row[0].row for row in cells]


def columns_of(cells: list[list[Any]]) -> list[int]:
    return [cell.column for cell in cells[0]]


def test_a_product_stands_where_its_operands_cross() -> None:
    sheet = formulas_of(workbook_of(shipped_trace("i_love_ai")))["All"]
    X, Q, weights = (table(sheet, name, shape) for name, shape in _SHAPES.items())
    for name in "QKV":
        made = table(sheet, name, (3, 2))
        assert rows_of(made) == rows_of(X)
        assert columns_of(made) == columns_of(table(sheet, f"W_{name}", (2, 2)))
    scores, left = table(sheet, "scores", (3, 3)), table(sheet, "Q", (3, 2), nth=1)
    assert rows_of(Q) != rows_of(left) == rows_of(scores) == rows_of(weights)
    assert columns_of(scores) == columns_of(table(sheet, "Kᵀ", (2, 3)))
    output = table(sheet, "output", (3, 2))
    assert rows_of(output) == rows_of(weights)
    assert columns_of(output) == columns_of(table(sheet, "V", (3, 2), nth=1))


_SHAPES = {"X": (3, 2), "Q": (3, 2), "weights": (3, 3)}


def test_products_are_worked_of_what_is_left_of_them_and_above() -> None:
    """A score of its row of Q and its column of Kᵀ; that Q is a link to the one above, and W_Q one
    to what can be changed."""
    workbook = formulas_of(workbook_of(shipped_trace("i_love_ai")))
    sheet = workbook["All"]
    scores, above = table(sheet, "scores", (3, 3)), table(sheet, "Kᵀ", (2, 3))
    first, left = (table(sheet, "Q", (3, 2), nth) for nth in range(2))
    a, b = (cell.coordinate for cell in left[1])
    c, d = (above[k][2].coordinate for k in range(2))
    assert scores[1][2].value == f"=ROUND(ROUND({a}*{c}+{b}*{d},12),3)"
    assert left[1][0].value == f"='All'!${first[1][0].column_letter}${first[1][0].row}"
    given, linked = range_of(workbook, "W_Q")[1][0], table(sheet, "W_Q", (2, 2))[1][0]
    assert linked.value == f"='{given.parent.title}'!${given.column_letter}${given.row}"
    assert linked.protection.locked
    assert not given.protection.locked


def test_a_head_is_one_landscape_page_with_one_chart_of_its_weights() -> None:
    for name in KINDS:
        trace = shipped_trace(name)
        workbook = formulas_of(workbook_of(trace))
        sheet = workbook["All"]
        setup = sheet.page_setup
        assert setup.orientation == "landscape"
        assert {setup.fitToWidth, setup.fitToHeight} <= {1, None}  # None, too, is 1
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        (chart,) = sheet._charts
        weights = table(sheet, "weights", trace[HEADS[name][1]["weights"]].values.shape)
        drawn = [series.val.numRef.f.replace("$", "") for series in chart.series]
        columns = zip(*weights, strict=True)
        ends = (dict.fromkeys((c[0].coordinate, c[-1].coordinate)) for c in columns)
        assert drawn == ["All!" + ":".join(both) for both in ends]


def test_a_head_is_that_of_the_answer() -> None:
    """Which the sheet says, where there are several; of another answer the last head's."""
    for name, place, answer in (
        ("three_tokens_two_heads", "Head 1", "In short: for token 3, one head gives token 1"),
        ("next_token", "Layer 2 · Head 2", "In short: after “go” the most likely next token"),
    ):
        sheet = formulas_of(workbook_of(shipped_trace(name)))["All"]
        assert sheet.cell(1, 1).value.endswith(f" · {place}")
        assert sheet.cell(2, 1).value.startswith(answer)


@pytest.mark.parametrize("name", WITHOUT)
def test_without_a_head_there_is_no_such_sheet(name: str) -> None:
    assert "All" not in formulas_of(workbook_of(shipped_trace(name))).sheetnames


def test_a_wide_head_is_folded_and_one_too_large_to_be_read_has_no_sheet() -> None:
    """What is made of rows goes on below, behind what it is made of; of a larger one only scores
    and weights are told."""
    causal = formulas_of(workbook_of(shipped_trace("i_love_tennis_causal")))["All"]
    first, again, exp = (table(causal, name, (4, 4), k) for name, k in _FOLDED)
    assert rows_of(first) != rows_of(again) == rows_of(exp)
    assert columns_of(again)[-1] < columns_of(exp)[0]
    assert again[1][0].value == f"='All'!${first[1][0].column_letter}${first[1][0].row}"
    assert again[1][0].coordinate in exp[1][0].value

    large = formulas_of(workbook_of(shipped_trace("tennis_and_rafael")))["All"]
    names = {str(cell.value).split("[")[0] for row in large.iter_rows() for cell in row}
    assert "weights" in names
    assert "exp" not in names
    wide = work(load("i_can_go_alone", ["d_model=40"]))
    assert "All" not in formulas_of(workbook_of(wide)).sheetnames


_FOLDED = (("masked", 0), ("masked", 1), ("exp", 0))


@needs_libreoffice
def test_a_head_is_printed_on_one_page(tmp_path: Path) -> None:
    pages = printed_pages(tmp_path, workbook_of(shipped_trace("encoder_block")))
    its = [page for page in pages if "Each product stands" in page.text]
    assert len(its) == 1
    (page,) = its
    assert page.width > page.height
    assert all(name in page.text for name in ("W_V (given)", "exp_sum", "output = weights V"))
    assert "###" not in page.text
