"""Sheets as they are printed: full pages, headings with their tables, all that a question takes."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.commands.renderings import document_of
from attncli.document.blocks import (
    AnswerSpace,
    Document,
    Paragraph,
    Section,
    Table,
    parts_of,
    text_of_spans,
)
from attncli.document.pictures import PICTURES
from attncli.document.tables import MatrixBlock
from attncli.formats import RenderOptions, render
from attncli.maths.equations.tree import Symbol
from attncli.names import Name, Word
from tests.classroom.made import papers, request_for
from tests.conftest import sampled
from tests.formats.test_pdf import bytes_of, text_of
from tests.helpers.pages import SHIPPED, trace_of

NAMES = [
    "adam_by_hand",
    "bpe",
    "delta_rule",
    "encoder_block",
    "graph_attention",
    "hopfield_retrieval",
    "i_love_ai",
    "i_love_tennis_causal",
    "learning_to_attend",
    "masked_word",
    "mixture_of_experts",
    "three_tokens_two_heads",
    "two_heads",
    "word_order",
    "yassine_gru",
    "yassine_lstm",
    "yassine_rnn",
]
DOTS, MARGINS = 30, (20, 24)
"""Dots an inch, and the millimetres above and below what stands on a page."""


@cache
def sheet(name: str) -> Document:
    trace = trace_of(SHIPPED[name])
    return papers(trace, request_for(trace)).sheet


def rows_of(pdf: bytes) -> list[list[bytes]]:
    """The rows of pixels of each page, between the margins."""
    command = ["pdftoppm", "-r", str(DOTS), "-gray", "-"]
    data = subprocess.run(command, input=pdf, capture_output=True, check=True).stdout
    pages = []
    while data:
        found = re.match(rb"P5\s(\d+) (\d+)\s\d+\s", data)
        assert found is not None
        width, height = int(found[1]), int(found[2])
        pixels = data[found.end() : found.end() + width * height]
        data = data[found.end() + width * height :]
        rows = [pixels[k * width : (k + 1) * width] for k in range(height)]
        above, below = (round(mm / 25.4 * DOTS) for mm in MARGINS)
        pages.append(rows[above : height - below])
    return pages


def inked(pdf: bytes) -> list[list[bool]]:
    """Which rows of each page have something on them, between the margins."""
    return [[min(row) < 250 for row in rows] for rows in rows_of(pdf)]


def begins_with_lines(rows: list[bytes]) -> bool:
    """Whether the first thing on a page goes from margin to margin: a line to write on."""
    first = next(row for row in rows if min(row) < 250)
    return sum(pixel < 250 for pixel in first) > 0.7 * len(first)


def emptiest(rows: list[bool]) -> float:
    """The share of a page that its largest gap takes."""
    runs = "".join("x" if row else " " for row in rows).split("x")
    return max(map(len, runs)) / len(rows)


@pytest.mark.real("pdftotext")
@sampled(4, name=NAMES)
def test_no_page_but_the_last_is_more_than_a_third_empty(name: str) -> None:
    *before, _ = inked(bytes_of(sheet(name)))
    assert [k for k, rows in enumerate(before, 1) if emptiest(rows) > 1 / 3 + 0.02] == []


@pytest.mark.real("pdftotext")
@sampled(4, name=NAMES)
def test_lines_stand_on_the_page_of_what_they_belong_to(name: str) -> None:
    pages = rows_of(bytes_of(sheet(name)))
    assert [k for k, rows in enumerate(pages, 1) if begins_with_lines(rows)] == []


@pytest.mark.real("pdftotext")
def test_no_state_of_a_cell_is_parted() -> None:
    """Its tables stand on one page, and the gates of each step on two."""
    pages = text_of(bytes_of(sheet("yassine_lstm")), "-layout").split("\f")[:-1]
    assert len(pages) == 12
    states = [page for page in pages if "State at step" in page]
    assert len(states) == 4
    assert all("tanh" in page and page.count("points)\n") <= 3 for page in states)


@pytest.mark.real("pdftotext")
@sampled(4, name=NAMES)
def test_a_heading_stands_with_its_table(name: str) -> None:
    """Behind the last heading of a page come its task and something to fill in."""
    for page in text_of(bytes_of(sheet(name)), "-layout").split("\f")[:-1]:
        _, *behind = re.split(r"^\d+ · .*points?\)$", page, flags=re.MULTILINE)
        lines = [line for text in behind[-1:] for line in text.splitlines() if line.strip()]
        assert not behind or len(lines) > 3, page  # task, names and rows of a table, the foot


def test_what_a_question_starts_from_stands_above_its_blanks() -> None:
    softmax, gates = section("i_love_ai", "softmax"), section("yassine_lstm", "gates", 2)
    tables = {t.quantity: t for block in softmax.blocks for t in parts_of(block, MatrixBlock)}
    assert [*tables] == ["scores", "exp", "exp_sum", "weights"]
    scores = tables[Name("scores")]
    assert not scores.blanks
    assert not any(scores.matrix.has(i, j) for i in range(3) for j in range(3))
    names = {t.quantity for block in gates.blocks for t in parts_of(block, MatrixBlock)}
    assert {"W_ux", "W_ua", "b_u", "x[2]", "a[1]"} <= names


@pytest.mark.parametrize(("name", "step", "told"), [
    ("i_love_ai", "softmax", False), ("i_love_ai", "", True),
])  # fmt: skip
def test_dotted_places_are_explained_where_there_are_some(name: str, step: str, told: bool) -> None:
    trace = trace_of(SHIPPED[name])
    made = papers(trace, request_for(trace, steps=(step,) if step else ()))
    known = [page.facts is not None and "Dots" in dict(page.facts.rows) for page in made]
    assert known == [False, told, False, False]


def section(name: str, step: str, number: int = 1) -> Section:
    return [s for s in sheet(name).sections if s.step == step][number - 1]


@pytest.mark.parametrize(("step", "lines"), [("project", 9), ("scores", 5), ("softmax", 10)])
def test_there_are_as_many_lines_as_the_working_takes(step: str, lines: int) -> None:
    """Eighteen cells as `1 × 1 + 0 × 0` take half a line each."""
    rooms = [b.lines for b in section("i_love_ai", step).blocks if isinstance(b, AnswerSpace)]
    assert rooms == [lines] * (lines > 0)


@pytest.mark.parametrize(("step", "lines"), [("scores", [4]), ("softmax", [3]), ("mask", [])])
def test_lines_are_as_many_as_the_working_of_a_row_takes(step: str, lines: list[int]) -> None:
    """A line for each product, one for two exponentials, none for what is copied."""
    trace = trace_of(SHIPPED["i_love_tennis_causal"])
    (asked,) = papers(trace, request_for(trace, steps=[step], token="love")).sheet.sections
    assert [b.lines for b in asked.blocks if isinstance(b, AnswerSpace)] == lines


def test_each_gate_has_room_for_its_working() -> None:
    blocks = section("yassine_lstm", "gates", 2).blocks
    assert len([block for block in blocks if isinstance(block, AnswerSpace)]) == 4


def test_a_key_calls_blanks_as_the_sheet_does() -> None:
    trace = trace_of(SHIPPED["yassine_lstm"])
    gates = papers(trace, request_for(trace)).key.sections
    blanks = [row[0] for s in gates for b in s.blocks if isinstance(b, Table) for row in b.rows]
    assert Symbol(Name("c[2]"), (Word("1"),)) in blanks
    assert Word("c[2][1]") not in blanks


def test_a_key_says_how_ties_go() -> None:
    trace = trace_of(SHIPPED["bpe"])
    first, second, *_ = papers(trace, request_for(trace)).key.sections
    told = [
        [text_of_spans(b.text) for b in s.blocks if isinstance(b, Paragraph)]
        for s in (first, second)
    ]
    rule = "The one whose left part, then right part, comes first in the vocabulary is merged"
    assert told == [[], [f"4 pairs tie at 10: a p, h a, p i, p p. {rule}: a p."]]


HANDOUT = """
tokens: [a, b]
X: [[1, 0], [0, 1]]
heads: 2
W_Q: [[1, 0], [0, 1]]
W_K: [[1, 2], [0, 1]]
W_V: [[1, 0], [2, 1]]
W_O: [[1, 0], [0, 1]]
show: {pictures: false, what_if: {What if nothing is scaled?: scale=none}}
"""


@pytest.mark.parametrize("form", ["pdf", "latex"])
def test_a_handout_has_all_heads_tables_and_no_commands(form: str) -> None:
    trace = trace_of(HANDOUT)
    page, other = (document_of(trace, form, {}) for form in (form, "terminal"))
    tables = {t.quantity for s in page.sections for b in s.blocks for t in parts_of(b, MatrixBlock)}
    made = {f"heads[{k}].{name}" for k in (1, 2) for name in ("scores", "exp", "weights", "output")}
    assert made <= tables
    texts = render(page, "markdown", RenderOptions()).splitlines()
    assert not [line for line in texts if "attn " in line or "--detail" in line]
    assert "attn " in render(other, "markdown", RenderOptions())


@pytest.mark.parametrize("form", ["pdf", "latex"])
def test_a_handout_counts_what_follows_of_its_source(form: str) -> None:
    """In the terminal it says which command tells what doesn't."""
    page, other = (
        render(document_of(trace_of(SHIPPED["i_love_ai"]), name, {}), "markdown", RenderOptions())
        for name in (form, "terminal")
    )
    assert "56 of the source's 57 numbers follow.\n" in page
    assert "attn " not in page
    assert "56 of the source's 57 numbers follow; `attn check " in other


@pytest.mark.parametrize("form", ["pdf", "html", "terminal"])
def test_no_pictures_where_a_scenario_wants_none(form: str) -> None:
    page, with_them = (
        document_of(trace_of(HANDOUT.replace("false", wanted)), form, {})
        for wanted in ("false", "true")
    )
    kinds = [{type(b) for _, blocks in p.parts for b in blocks} for p in (page, with_them)]
    assert [bool(kind & {*PICTURES}) for kind in kinds] == [False, True]


@pytest.mark.real("pdftotext")
def test_slides_break_a_page_a_step(tmp_path: Path) -> None:
    path = tmp_path / "slides.pdf"
    result = CliRunner().invoke(app, ["run", "i_love_ai", "--slides", "-o", str(path)])
    assert result.exit_code == 0, result.output
    *pages, _ = text_of(path.read_bytes()).split("\f")
    headings = [re.findall(r"^\d+ · .*", page, flags=re.MULTILINE) for page in pages]
    assert max(map(len, headings)) == 1
    size = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", path.read_bytes())
    assert size is not None
    assert float(size[1]) / float(size[2]) == pytest.approx(16 / 9, abs=0.01)


def test_slides_are_of_a_format_that_has_such() -> None:
    result = CliRunner().invoke(app, ["run", "i_love_ai", "--slides", "--format", "markdown"])
    assert (result.exit_code, result.stderr) == (
        2,
        "--slides: markdown has no slides; add --format pdf\n",
    )
