"""Pools in files for learning platforms, which draw from them by themselves where they can."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner, Result

from attncli.cli import app
from tests.classroom import cloze, qti
from tests.classroom.qti.schema import QTI

CELLS = "{cell: 'scores[I, I]'}, {cell: 'scores[AI, I]'}, {cell: 'scores[AI, AI]'}"
EXAM = """\
exam: Quiz / one
forms: 2
parts:
  - {{title: Cells, scenario: i_love_ai, points: {{total: 4}}, pool: [{cells}], take: 2}}
  - title: Words
    questions: [{{ask: How much is 1 + 1?, number: 2}}]
    pool:
      - {{ask: Why?, answer: Because., points: 2}}
      - {{ask: How many heads?, number: 1, points: 2}}
      - {{ask: What asks?, options: [a key, a query], right: a query, points: {points}}}
    take: 2
  - {{title: Last, questions: [{{ask: And now?, answer: Home., points: 3}}]}}
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def made(folder: Path, form: str, cells: str = CELLS, points: int = 2) -> tuple[Path, str]:
    """An exam written for a platform, and what is said on standard error."""
    (folder / "quiz.yaml").write_text(EXAM.format(cells=cells, points=points), "utf-8")
    place = folder / f"quiz.{form}"
    result = run("exercise", folder / "quiz.yaml", "--format", form, "-o", place)
    assert result.exit_code == 0, result.output
    return place, result.stderr


def by_category(xml: str) -> dict[str, list[ElementTree.Element]]:
    found: dict[str, list[ElementTree.Element]] = {}
    for question in ElementTree.fromstring(xml).iter("question"):
        if question.get("type") == "category":
            own = found[question.findtext("category/text") or ""] = []
        else:
            own.append(question)
    return found


def test_moodle_has_each_pool_as_a_category(tmp_path: Path) -> None:
    """Each of its questions once, besides the forms with what they drew, and without it."""
    place, said = made(tmp_path, "moodle")
    xml = place.read_text("utf-8")
    found = {
        name.removeprefix("$course$/top/Quiz // one"): [
            (q.get("type"), (q.findtext("name/text") or "").partition(" · ")[2]) for q in questions
        ]
        for name, questions in by_category(xml).items()
    }
    assert [*found] == [
        "", "/3. Last", "/Without the pools", "/Pool: Cells (take 2)", "/Pool: Words (take 2)",
    ]  # fmt: skip
    assert found["/Pool: Cells (take 2)"] == [
        ("cloze", f"1/scores[{at}]") for at in ("I, I", "AI, I", "AI, AI")
    ]
    assert found["/Pool: Words (take 2)"] == [
        ("essay", "Why?"),
        ("cloze", "2/q3"),
        ("cloze", "2/q4"),
    ]
    assert found["/3. Last"] == [("essay", "And now?")]
    fields = [len(question.fields) for question in cloze.questions(xml)]
    assert fields[:2] in ([4, 4], [4, 5], [5, 4], [5, 5]), "two cells, 2/q1, and what was drawn"
    assert fields[2:] == [1, 1, *[1] * 5], "only 2/1 isn't drawn"
    assert said == (
        "moodle: its forms have what they drew; to have it drawn anew, add random questions: 1 from “Without the pools”, 2 from “Pool: Cells (take 2)”, 2 from “Pool:"
        " Words (take 2)”\n"
    )


def test_a_question_of_a_pool_has_its_share_of_the_points(tmp_path: Path) -> None:
    place, _ = made(tmp_path, "moodle")
    pool = [
        question
        for question in cloze.questions(place.read_text("utf-8"))
        if "Cells" in question.name
    ]
    assert [question.fields[0].weight for question in pool] == [2, 2, 2]


def test_a_test_of_qti_draws_from_its_pools(tmp_path: Path) -> None:
    place, said = made(tmp_path, "qti")
    package = qti.opened(place.read_bytes())
    drawn = {
        section.attrib["title"]: (selection.get("select"), len([*section.iter(f"{{{QTI}}}weight")]))
        for section in package.test.iter(f"{{{QTI}}}assessmentSection")
        for selection in section.iter(f"{{{QTI}}}selection")
        if section.get("identifier") != "forms"
    }
    assert drawn == {"Cells": ("2", 3), "Words": ("2", 3)}
    assert said == ""


def test_each_quiz_of_canvas_has_groups_that_it_draws_from(tmp_path: Path) -> None:
    place, said = made(tmp_path, "canvas")
    assert said == ""
    with ZipFile(place) as archive:
        tests = [ElementTree.fromstring(archive.read(f"{form}.xml")) for form in "AB"]
        names = {*archive.namelist()}
    groups = [
        section
        for test in tests
        for section in test.iter(f"{{{QTI}}}assessmentSection")
        if section.find(f"{{{QTI}}}selection") is not None
    ]
    assert len({group.get("identifier") for group in groups}) == 4
    for group in groups:
        refs = [*group.iter(f"{{{QTI}}}assessmentItemRef")]
        assert len(refs) == 3
        assert {ref.attrib["href"] for ref in refs} <= names


@pytest.mark.parametrize(
    ("form", "cells", "points"),
    [
        ("qti", CELLS, 3),
        ("qti", f"{CELLS}, {{cell: 'weights[I, I]'}}", 2),
        ("canvas", CELLS.replace("AI, AI", "AI, *"), 2),
    ],
    ids=["points that differ", "scores that another question shows", "three blanks"],
)
def test_what_a_platform_cannot_draw_is_told(
    tmp_path: Path, form: str, cells: str, points: int
) -> None:
    """Its forms have what they drew."""
    place, said = made(tmp_path, form, cells, points)
    assert said.startswith(f"{form}: it can't draw from the pools: its forms have what they drew; ")
    assert said.count("\n") == 1
    with ZipFile(place) as archive:
        assert not [name for name in archive.namelist() if "pool" in name]


def test_moodle_is_told_of_a_pool_that_tells_its_answers(tmp_path: Path) -> None:
    _, said = made(tmp_path, "moodle", f"{CELLS}, {{cell: 'weights[I, I]'}}")
    assert said.endswith("; in “Cells” a question shows what another asks for\n")


def test_what_cannot_share_the_points_alone_has_those_of_its_blanks(tmp_path: Path) -> None:
    """Of 12 points a softmax of a row is named to bring 1 a blank, 7; one draw leaves less."""
    path = tmp_path / "quiz.yaml"
    path.write_text(
        "exam: Prüfung\nlanguage: de\nforms: 1\nparts:\n"
        "  - {title: A, scenario: i_love_ai, points: {total: 12, softmax: 1}, ask: [scores],\n"
        "     pool: [{cell: 'weights[I, I]'}, {step: softmax, token: love}], take: 1}\n",
        "utf-8",
    )
    result = run("exercise", path, "--format", "moodle")
    assert result.exit_code == 0, result.output
    weights = {
        question.name: sum(field.weight for field in question.fields)
        for question in cloze.questions(result.stdout)
    }
    assert weights["A · exp[love, I]"] == 7
    assert "1 from “Auswahl: A (davon 1)”" in result.stderr
