"""What a sheet says and how much room it takes: the task in words, questions from 1, layouts."""

from __future__ import annotations

import re
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attncli.classroom.files.exercise_file import Points
from attncli.cli import app
from attncli.document.blocks import AnswerSpace, parts_of
from attncli.document.tables import MatrixBlock
from attncli.formats import RenderOptions, render
from attncli.formats.typst.blocks import file as typst_file
from attncli.option_values import LAYOUTS
from tests.classroom.made import Papers, papers, request_for
from tests.helpers.pages import SHIPPED, trace_of


def made(name: str, *steps: str, layout: str = "lines", token: str | None = None) -> Papers:
    trace = trace_of(SHIPPED[name])
    chosen = next(entry for entry in LAYOUTS if entry == layout)
    return papers(trace, request_for(trace, steps=steps, token=token)._replace(layout=chosen))


def flat(papers: Papers) -> str:
    return " ".join(render(papers.sheet, "terminal", RenderOptions(100)).split())


def test_the_task_is_said_in_words() -> None:
    papers = made("i_love_ai", "scores", token="love")
    assert "Compute the three scores of the query \u201clove\u201d. " in flat(papers)
    several = flat(made("i_love_ai", "softmax"))
    assert "the nine exponentials exp (9 points); the three sums of exponentials exp_sum" in several
    assert "; the nine weights (9 points). " in several


def test_points_of_a_quantity_are_told_where_they_are_round() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    request = request_for(trace, steps=["softmax"])
    for total, told in (("21", True), ("8.4", False)):
        wanted = request._replace(points=Points(total=Decimal(total)))
        assert ("exp (9 points)" in flat(papers(trace, wanted))) == told
        assert f"({total} points)" in flat(papers(trace, wanted))


def test_a_name_of_a_time_is_written_as_its_table_has_it() -> None:
    sheet = made("yassine_rnn", "state").sheet
    for form, name in (("latex", r"$z^{\langle 1 \rangle}$"), ("markdown", "`z[1]`")):
        text = render(sheet, form, RenderOptions())
        assert text.count(name) == 2  # in the task and over the table
        assert f"Compute: the three numbers of {name} (3 points)" in text
    task = typst_file(sheet).partition("Compute: the three")[2].partition("(3 points)")[0]
    assert 't: ⟨"1"⟩' in task


def test_questions_are_numbered_from_one() -> None:
    papers = made("i_love_ai", "softmax", "weighted_sum")
    assert [section.number for section in papers.sheet.sections] == [1, 2]
    assert [section.number for section in papers.key.sections] == [1, 2]


def test_a_key_says_that_it_is_one() -> None:
    key = made("i_love_ai", "softmax").key
    for form in ("terminal", "markdown", "latex"):
        assert "Answer key, form A" in render(key, form, RenderOptions(100))


def test_room_is_as_asked_for() -> None:
    lines = {
        layout: sum(
            block.lines
            for section in made("i_love_ai", layout=layout).sheet.sections
            for block in section.blocks
            if isinstance(block, AnswerSpace)
        )
        for layout in LAYOUTS
    }
    assert lines["compact"] == 0 < lines["lines"] < lines["pages"]


def test_counting_needs_no_room_and_says_things_once() -> None:
    papers = made("bpe")
    blocks = [block for section in papers.sheet.sections for block in section.blocks]
    assert not any(isinstance(block, AnswerSpace) for block in blocks)
    assert flat(papers).count("each pair of neighbours is counted") == 1


def test_rounds_of_merges_take_little_room() -> None:
    """The words with their counts in running text, never broken inside a word; the blanks of a
    list in several columns, none of which is lost."""
    papers = made("bpe")
    page = render(papers.sheet, "terminal", RenderOptions(80))
    assert "h a p p i n e s s (2)" in page.replace("\u00a0", " ")
    assert not any(line.endswith(" h a") for line in page.splitlines())
    first = render(papers.sheet, "latex", RenderOptions()).partition(r"\question[17]")[0]
    rows = [line for line in first.splitlines() if r"\fillin" in line]
    assert [line.count(r"\fillin") for line in rows] == [5, 5, 4, 4]


def test_pairs_to_be_counted_stand_in_the_order_of_the_words() -> None:
    """Not the most frequent one first, which would tell what is merged."""
    text = "tokenizer: bpe\ncorpus: {ab: 1, cab: 2, dd: 5}\nmerges: 2\nsentence: ab"
    trace = trace_of(text)
    entry = papers(trace, request_for(trace))
    ids = [question.id for question in entry.key.sections[0].questions]
    assert ids == ["rounds[1].counts[a b]", "rounds[1].counts[c a]", "rounds[1].counts[d d]"]
    answers = [q.key.number.shown for q in entry.key.sections[0].questions if q.key]
    assert answers == [3, 2, 5]


def test_a_gate_has_all_that_it_takes_beside_its_blanks() -> None:
    """Its matrices in a row, and below these the input, the state, and its own tables."""
    (section,) = made("yassine_lstm", "gates").sheet.sections[:1]
    tables = [table for block in section.blocks for table in parts_of(block, MatrixBlock)]
    names = [table.quantity.local for table in tables]
    assert names[:7] == ["W_ux", "W_ua", "b_u", "x", "a", "z_update", "update"]
    assert [table.display.begins_row for table in tables[:4]] == [True, False, False, True]
    assert names.count("x") == names.count("a") == 4


@pytest.mark.real("pdflatex")
@pytest.mark.parametrize(
    ("asked", "most"),
    [
        (["i_love_ai", "--step", "softmax", "--step", "weighted_sum"], 2),
        (["bpe"], 4),
    ],
)
def test_pages(asked: list[str], most: int, tmp_path: Path) -> None:
    line = ["exercise", *asked, "--format", "latex", "--key", "none", "-o"]
    assert CliRunner().invoke(app, [*line, str(tmp_path / "sheet.tex")]).exit_code == 0
    command = ["pdflatex", "-interaction=batchmode", "sheet.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    log = (tmp_path / "sheet.log").read_text("latin-1")
    pages = int(log.split("Output written on")[1].split("(")[1].split()[0])
    assert pages <= most
    assert "Overfull" not in log


def test_only_rows_that_something_is_worked_from_are_to_be_carried_over() -> None:
    sheet = made("i_love_ai", "scores", "softmax", token="AI").sheet
    (scores,) = (
        table
        for block in sheet.sections[1].blocks
        for table in parts_of(block, MatrixBlock)
        if table.quantity == "scores"
    )
    assert scores.rows == (2,)
    assert not scores.blanks
    assert not scores.matrix.has(2, 0)


@pytest.mark.parametrize(
    ("name", "cells", "told"),
    [
        ("i_love_ai", ["exp_sum[I]"], "exp_sum[I], the sum of the exponentials of the query “I”"),
        ("encoder_block", ["norm1.mean[2]"], "mean[can], the mean of the token “can”"),
        ("i_love_ai", ["Q[I, 1]"], "Q[I, 1]"),
        ("yassine_lstm", ["gates[2].output[1]"], "output[1], the number of the output gate"),
    ],
)
def test_single_numbers_are_told_in_words(name: str, cells: list[str], told: str) -> None:
    trace = trace_of(SHIPPED[name])
    assert f"Compute {told}." in flat(papers(trace, request_for(trace, cells=cells)))


def test_known_mistakes_call_blanks_as_the_answers_do() -> None:
    key = made("three_tokens_two_heads", "softmax", token="1").key
    for section in key.sections:
        page = render(key._replace(sections=(section,)), "terminal", RenderOptions(200))
        answers, mistakes = page.split("Known mistakes, by")
        named = {*re.findall(r" for (\S+\[.*?\])", mistakes)}
        assert named
        assert all(f"\n  {name} " in answers for name in named)


def test_each_dot_product_has_a_line() -> None:
    section, *_ = made("three_tokens_two_heads", "scores", token="1").sheet.sections
    (room,) = (block for block in section.blocks if isinstance(block, AnswerSpace))
    assert room.lines >= len(section.questions)


def test_a_sheet_says_of_products_and_scaling_where_they_are_asked() -> None:
    for step, products, scaling in (
        ("mask", False, False),
        ("scale", False, True),
        ("scores", True, False),
    ):
        told = flat(made("i_love_tennis_causal", step))
        assert ("Products " in told) == products
        assert ("Scaling " in told) == scaling
