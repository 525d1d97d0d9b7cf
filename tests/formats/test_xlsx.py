"""Live workbooks: worked again by LibreOffice, they come to the numbers of the trace."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pytest

from attncli import Trace, load, work
from attncli.formats import RenderOptions, contents_of
from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import Location, Number
from attncli.maths.notation.escaping import ISOLATE, POP, visible
from attncli.maths.notation.spreadsheet import SheetCell, formula
from attncli.names import Word
from attncli.option_values import Policy
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.file.shipped import names
from tests.conftest import THOROUGH, share
from tests.helpers import hostile
from tests.helpers.marking_cases import run
from tests.helpers.spreadsheets import (
    needs_libreoffice,
    not_as_worked,
    range_of,
    recalculated,
    rendered,
)

BOTH: tuple[Policy, ...] = ("carry", "exact")
WIDE = ["d_model=40"]
"""As many columns are named by two letters; 512 of them take seconds."""
CHANGED = {
    "attention": ("i_love_ai", [], "W_Q[1,2]", -0.515),
    "large scores": ("i_love_ai", ["W_Q=[[30, 1], [2, 40]]"], "W_K[2,1]", 14.5),
    "masked": ("i_love_tennis_causal", ["mask=[causal, {window: 3}]"], "W_K[2,3]", 0.9),
    "block": ("encoder_block", [], "norm1.gamma[3]", 1.5),
    "cross attention": ("decoder_block", [], "cross.W_K[3,2]", -0.7),
    "variants": ("word_order", [], "W_K[2,1]", 0.4),
    "recurrent": ("yassine_lstm", [], "W_fx[2,3]", 0.25),
    "next token": (
        "next_token",
        ["next={temperature: 0.8, top_k: 4, top_p: 0.6}"],
        "unembedding[2,3]",
        -1.5,
    ),
}
"""A scenario of each kind as it is changed first, and the number that somebody types into it."""
FORMULAS = ("=", "+", "-", "@")
"""What a text may begin with that is read as a formula where somebody edits it."""
LIKE_OTHERS = ("attention", "block")
"""Kinds whose cells the others have, too: a sheet takes LibreOffice a second."""


def workbook_of(trace: Trace) -> bytes:
    data = contents_of(walkthrough(trace, Selection(detail="full")), "xlsx", RenderOptions(80))
    assert isinstance(data, bytes)
    return data


def formulas_of(data: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(data))


def shipped_traces() -> dict[str, Trace]:
    """Those of all scenarios under each policy; by default a wide one."""
    if not THOROUGH:
        return {"wide": work(load("i_can_go_alone", WIDE))}
    worked = {name: work(load(name)) for name in names()}
    return {f"{n}.{policy}": trace.under(policy) for n, trace in worked.items() for policy in BOTH}


def changes() -> dict[str, tuple[str, list[str], str, float]]:
    others = [kind for kind in CHANGED if kind not in LIKE_OTHERS]
    return {kind: CHANGED[kind] for kind in (CHANGED if THOROUGH else share(2, others, "typed"))}


def test_the_first_sheet_begins_with_the_answer() -> None:
    rows = [row[0].value for row in formulas_of(workbook_of(work(load("i_love_ai"))))["Read me"]]
    assert rows[:3] == [
        "I love AI",
        "In short: “love” attends most to “AI”: 0.576 (step 5).",
        "3 tokens · d_model 2 · not scaled · 3 decimals, rounded at each step",
    ]
    assert rows[3].startswith("How does “love” come to a vector")
    begins = [text.partition(".")[0] for text in rows if text]
    assert (
        begins.index("around it") < begins.index("Each step has a sheet") < begins.index("Sheets")
    )


@needs_libreoffice
def test_a_workbook_comes_to_the_numbers_of_the_trace(tmp_path: Path) -> None:
    traces = shipped_traces()
    files = {name: workbook_of(trace) for name, trace in traces.items()}
    for k, (kind, (name, settings, cell, number)) in enumerate(changes().items()):
        for policy in BOTH if THOROUGH else BOTH[k % 2 :][:1]:
            own = [*settings, f"rounding.policy={policy}"]
            files[f"{kind} {policy}"] = changed(workbook_of(work(load(name, own))), cell, number)
            traces[f"{kind} {policy}"] = work(load(name, [*own, f"{cell}={number}"]))
    found = recalculated(tmp_path, files)
    wrong = {name: not_as_worked(found[name], trace) for name, trace in traces.items()}
    assert {name: texts for name, texts in wrong.items() if texts} == {}


SIGNS = """
X: [[-1.5, 0.25], [2, -0.001], [-12, 0]]
W_Q: [[-1, 0.5], [0, -2]]
W_K: [[1, 0], [0, -0.4]]
W_V: [[-123456789.125, 1], [3, -0.0000004]]
mask: causal
"""


@needs_libreoffice
def test_numbers_are_seen_as_they_are_on_the_page(tmp_path: Path) -> None:
    """Those below zero with their sign, long ones with all of their digits, and −∞ as such."""
    path = tmp_path / "signs.yaml"
    path.write_text(SIGNS, "utf-8")
    trace = work(load(path))
    text = rendered(tmp_path, workbook_of(trace))
    rows = {" ".join(line.split()[-2:]) for line in text.splitlines()}
    for name in ("Q", "K", "V", "output"):
        matrix = trace[name].matrix
        for i in range(3):
            assert " ".join(str(matrix.number(i, j).shown) for j in range(2)) in rows, name
    assert "-1.503 −∞ −∞" in " ".join(text.split())
    assert "###" not in text


def changed(data: bytes, cell: str, number: float) -> bytes:
    """A workbook in which somebody typed another number, and none of the results is known."""
    workbook = formulas_of(data)
    quantity, _, places = cell.rstrip("]").rpartition("[")
    *row, column = (int(place) - 1 for place in places.split(","))
    range_of(workbook, quantity)[sum(row)][column].value = number
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


class TestFormulas:
    """Expressions as a spreadsheet reads them."""

    def written(self, node: ex.Expression, decimals: int | None = None) -> str:
        return formula(node, "here", lambda c: SheetCell(c.quantity, c.row, c.column), decimals)

    def cells(self, quantity: str, count: int, *, down: bool = False) -> list[Number]:
        at = (Location(quantity, k * down, k * (not down)) for k in range(count))
        return [Number(ex.ONE.full, ex.ONE.shown, cell) for cell in at]

    def test_cells_are_addresses(self) -> None:
        (a,) = self.cells("here", 1)
        (b,) = self.cells("it's", 1)
        assert self.written(ex.Quotient(a, b)) == "=A1/'it''s'!A1"
        assert self.written(ex.e_to(a), 3) == "=ROUND(EXP(A1),3)"

    def test_sums_are_ranges(self) -> None:
        row, column = self.cells("here", 4), self.cells("W", 4, down=True)
        products = ex.Sum(tuple(map(ex.Product, zip(row, column, strict=True))))
        assert self.written(ex.Sum(tuple(row))) == "=SUM(A1:D1)"
        assert self.written(products, 3) == "=ROUND(ROUND(MMULT(A1:D1,'W'!A1:A4),12),3)"
        squares = ex.Sum(tuple(ex.Power(ex.minus(x, column[0]), ex.TWO) for x in row))
        assert self.written(squares) == "=SUMPRODUCT((A1:D1-'W'!A1)^2)"
        assert self.written(ex.Sum((*row, column[0]))) == "=SUM(A1:D1)+'W'!A1"

    def test_conditions_are_met_or_not(self) -> None:
        a, b, c = self.cells("here", 3)
        less = ex.Apply("less", (a, ex.TWO))
        assert self.written(ex.Apply("where", (less, b, c))) == "=IF(A1<2,B1,C1)"
        assert self.written(ex.Apply("where", (a, b, c))) == "=IF(A1<>0,B1,C1)"
        assert self.written(ex.Sum((less, b))) == "=IF(A1<2,1,0)+B1"

    def test_ranks_tell_equal_numbers_apart(self) -> None:
        row = ex.Vector(tuple(self.cells("here", 3)))
        last = (row.entries[2], row, ex.Vector(row.entries[:2]))
        first = (row.entries[0], row, ex.Vector(()))
        assert self.written(ex.Apply("count_before", last)) == "=RANK(C1,A1:C1)-1+COUNTIF(A1:B1,C1)"
        assert self.written(ex.Apply("count_before", first)) == "=RANK(A1,A1:C1)-1"

    def test_a_minus_is_taken_after_a_power(self) -> None:
        (a,) = self.cells("here", 1)
        assert self.written(ex.Negative(ex.Power(a, ex.TWO))) == "=-(A1^2)"
        assert self.written(ex.Power(ex.constant(-2), ex.TWO)) == "=(-2)^2"
        assert self.written(ex.minus(a, ex.minus(a, a))) == "=A1-(A1-A1)"

    def test_an_unknown_node_is_named(self) -> None:
        for node, name in ((ex.Omitted(), "Omitted"), (ex.Apply("fog", ()), "fog")):
            with pytest.raises(TypeError, match=name):
                self.written(node)


@pytest.mark.parametrize("seed", range(60 if THOROUGH else 3))
def test_hostile_words_stay_texts(tmp_path: Path, seed: int) -> None:
    """Each is there as it is shown elsewhere, and no cell but ours is a formula."""
    random = Random(f"xlsx {seed}")
    data = hostile.attention(random, tmp_path)
    workbook = formulas_of(workbook_of(work(load(hostile.written(data, tmp_path / "s.yaml")))))
    cells = [cell for sheet in workbook for row in sheet.iter_rows() for cell in row]
    texts = [cell for cell in cells if cell.data_type == "s"]
    assert all(cell.quotePrefix for cell in texts if str(cell.value).startswith(FORMULAS))
    found = "\n".join(str(cell.value) for cell in texts).replace(ISOLATE, "").replace(POP, "")
    assert all(visible(Word(word)) in found for word in hostile.strings(data))
    formulas = {
        str(getattr(value.value, "text", value.value)) for value in cells if value.data_type == "f"
    }
    assert formulas
    words = [word for word in hostile.strings(data) if len(word) > 4]
    assert not [word for word in words for text in formulas if word in text]


def test_the_same_page_is_the_same_file() -> None:
    trace = work(load("i_love_ai"))
    data = workbook_of(trace)
    assert data == workbook_of(work(load("i_love_ai")))
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert {m.date_time[0] for m in file.infolist()} == {1980}


def test_what_is_given_can_be_changed_and_what_is_worked_cannot() -> None:
    workbook = formulas_of(workbook_of(work(load("i_love_tennis_causal"))))
    assert not range_of(workbook, "W_Q")[0][0].protection.locked
    assert not range_of(workbook, "mask")[0][0].protection.locked
    assert range_of(workbook, "weights")[0][0].protection.locked
    assert range_of(workbook, "weights")[0][0].value.startswith("=ROUND(")


def test_without_the_package_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    result = run("run", "i_love_ai", "-o", tmp_path / "page.xlsx")
    assert result.exit_code == 2
    assert "pip install 'attncli[xlsx]'" in result.stderr
    assert not (tmp_path / "page.xlsx").exists()
