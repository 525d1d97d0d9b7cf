"""QTI 2.1 packages read back by the published schema, and marked by a reader that knows nothing of
the writer."""

from __future__ import annotations

from decimal import Decimal
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from attncli.classroom.exercises.tasks import with_hints
from attncli.cli import app
from attncli.document.blocks import Document
from attncli.document.questions import Item
from attncli.formats import RenderOptions, files_of
from attncli.output_files import packed
from attncli.trace import Trace
from tests.classroom import qti
from tests.classroom.exercises.test_exercise import SMALL
from tests.classroom.exercises.test_moodle import NASTY
from tests.classroom.made import papers, questions, request_for
from tests.classroom.qti.schema import QTI, faults
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, trace_of


def check(trace: Trace, blank: str) -> int:
    """Writes a package, reads it back and marks it; the number of its blanks."""
    document = papers(trace, request_for(trace, blank)).whole
    document = with_hints(document, trace)
    package = qti.opened(packed(files_of([document], "qti", RenderOptions(80))))
    (item,) = package.items.values()
    asked = questions(document)
    variables = [e.attrib["identifier"] for e in item.iter(f"{{{QTI}}}responseDeclaration")]
    assert len(variables) == len(asked)
    right = {name: typed(entry) for name, entry in zip(variables, asked, strict=True)}
    assert qti.mark(item, right) == (document_points(document), ()), "the key earns full marks"
    assert qti.mark(item, {}).score == 0
    for ends in (0, 1):
        edges = {name: edge(entry, ends) for name, entry in zip(variables, asked, strict=True)}
        assert qti.mark(item, edges).score == document_points(document), "ends are included"
    for name, entry in islice(zip(variables, asked, strict=True), 0, None, 1 + len(asked) // 3):
        check_blank(item, name, entry)
    return len(asked)


def edge(question: Item, end: int) -> str:
    """One of the two ends of what is accepted."""
    assert question.key is not None
    number = (question.key.accepted.low, question.key.accepted.high)[end]
    return f"{number:f}" if number.is_finite() else "-inf"


def check_blank(item: ElementTree.Element, name: str, question: Item) -> None:
    key = question.key
    assert key is not None
    if not key.number.shown.is_finite():
        assert [qti.mark(item, {name: text}).score for text in ("-inf", "−∞", "0")] == [1, 1, 0]
        return
    step = Decimal(1).scaleb(-key.places - 3)
    for number in (key.accepted.low - step, key.accepted.high + step):
        others = any(slip.accepted.low <= number <= slip.accepted.high for slip in key.slips)
        assert others or qti.mark(item, {name: f"{number:f}"}).score == 0
    for slip in key.slips:
        score, texts = qti.mark(item, {name: f"{slip.number.shown:f}"})
        assert score == (0 if slip.accepted.low <= 0 <= slip.accepted.high else 0.5)
        feedback = [e for e in item.iter(f"{{{QTI}}}modalFeedback") if e.get("identifier") in texts]
        assert any(slip.name.replace("_", " ") in "".join(e.itertext()) for e in feedback)


def document_points(document: Document) -> float:
    assert document.paper is not None
    return float(document.paper.points)


def typed(question: Item) -> str:
    assert question.key is not None
    number = question.key.number.shown
    return f"{number:f}" if number.is_finite() else "-inf"


@sampled(31, name=SMALL, blank=["results", "all"])
def test_shipped_scenarios(name: str, blank: str) -> None:
    assert check(trace_of(SHIPPED[name]), blank) > 0


@pytest.mark.parametrize("blank", ["results", "random:0.1"])
def test_words_that_xml_would_obey(blank: str) -> None:
    assert check(trace_of(NASTY.replace("sentence: x\n", "")), blank) > 0


def exported(tmp_path: Path, *arguments: str) -> qti.Package:
    target = tmp_path / "exam.zip"
    result = CliRunner().invoke(app, ["exercise", "i_love_ai", *arguments, "-o", str(target)])
    assert result.exit_code == 0, result.output
    return qti.opened(target.read_bytes())


def test_a_test_draws_one_of_the_forms(tmp_path: Path) -> None:
    package = exported(tmp_path, "--step", "scores", "--step", "softmax", "--forms", "4")
    assert len(package.items) == 4
    (selection,) = package.test.iter(f"{{{QTI}}}selection")
    (session,) = package.test.iter(f"{{{QTI}}}itemSessionControl")
    assert (selection.get("select"), session.get("maxAttempts")) == ("1", "3")
    weights = [weight.get("value") for weight in package.test.iter(f"{{{QTI}}}weight")]
    assert weights == ["30"] * 4, "what Canvas takes for the points of an item"
    for item in package.items.values():
        body = item.find(f"{{{QTI}}}itemBody/{{{QTI}}}div")
        assert body is not None
        text = "".join(body.itertext())
        assert "--seed" not in text
        assert len([*body.iter(f"{{{QTI}}}textEntryInteraction")]) == 30
        given = [
            t
            for t in body.iter(f"{{{QTI}}}table")
            if (name := t.find(f".//{{{QTI}}}code")) is not None and name.text in ("Q", "K")
        ]
        assert len(given) == 2, "Q and K stand in each"


def test_hints_come_one_try_after_the_other(tmp_path: Path) -> None:
    (item,) = exported(tmp_path, "--step", "softmax").items.values()
    assert [qti.mark(item, {}, attempt).feedback for attempt in (1, 2, 3)] == [
        ("hint1",),
        ("hint2",),
        (),
    ]


def test_only_those_who_mark_see_the_solution(tmp_path: Path) -> None:
    (item,) = exported(tmp_path, "--step", "softmax").items.values()
    (rubric,) = item.iter(f"{{{QTI}}}rubricBlock")
    assert rubric.get("view") == "scorer tutor"
    assert "6.436" in "".join(rubric.itertext())
    (body,) = item.iter(f"{{{QTI}}}itemBody")
    body.remove(rubric)
    assert "6.436" not in "".join(body.itertext())


def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        exported(tmp_path / place, "--forms", "2", "--step", "softmax")
    first, second = ((tmp_path / place / "exam.zip").read_bytes() for place in ("a", "b"))
    assert first == second


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<p><aside/></p>", "p holds aside , not"),
        ("<table><thead><tr/></thead></table>", "table holds thead , not"),
        ('<variable identifier="1x"/>', "has identifier='1x'"),
        ('<baseValue baseType="real">1</baseValue>', "has baseType='real'"),
        ("<responseIf><setOutcomeValue identifier='SCORE'/></responseIf>", "responseIf holds"),
        ("<gte><variable identifier='R1'/></gte>", "gte holds variable , not"),
        ('<p dir="rtl">x</p>', "p has dir"),
        ("<responseProcessing>1</responseProcessing>", "holds text"),
    ],
)
def test_what_the_schema_forbids_is_a_fault(text: str, fault: str) -> None:
    root = ElementTree.fromstring(f'<div xmlns="{QTI}">{text}</div>')
    assert any(fault in line for line in faults(root[0]))
