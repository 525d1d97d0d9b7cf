"""Packages for Canvas, read as its importer reads QTI 2.1: what it takes for a numerical question,
the interval that it takes, the points that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from zipfile import ZipFile

import pytest

from attncli.document.blocks import Document
from attncli.document.questions import Item
from attncli.formats import RenderOptions, files_of
from tests.classroom import qti
from tests.classroom.exercises.test_qti import document_points
from tests.classroom.made import papers, questions, request_for
from tests.classroom.qti.schema import PACKAGE, QTI, faults
from tests.conftest import sampled
from tests.helpers.marking_cases import run
from tests.helpers.pages import LIGHT, SHIPPED, trace_of

NUMERICAL = ("extendedTextInteraction", "numerical_question")
INTERACTIONS = ("extendedTextInteraction", "choiceInteraction", "textEntryInteraction")


def read(files: Mapping[str, str]) -> dict[str, Element]:
    """The files of a package by the published schema, the manifest without metadata."""
    roots = {name: ElementTree.fromstring(text) for name, text in files.items() if "xml" in name}
    for name, root in roots.items():
        if name != "imsmanifest.xml":
            assert [*faults(root)] == [], name
    return roots


def kinds(manifest: Element) -> dict[str, tuple[str, ...]]:
    """What the manifest says of the items by their files: the interaction, and Canvas's kind."""
    found = {}
    for resource in manifest.iter(f"{{{PACKAGE}}}resource"):
        for metadata in resource.findall(f"{{{PACKAGE}}}metadata"):
            kind = [e.text or "" for e in metadata.iter(f"{{{QTI}}}interactionType")]
            fields = metadata.iter(f"{{{PACKAGE}}}instructureField")
            kind += [e.attrib["value"] for e in fields if e.get("name") == "question_type"]
            found[resource.attrib["href"]] = tuple(kind)
            resource.remove(metadata)
    assert [*faults(manifest, PACKAGE)] == []
    return found


def check_item(item: Element, kind: tuple[str, ...], asked: Item) -> None:
    (interaction,) = [e for e in item.iter() if e.tag.rpartition("}")[2] in INTERACTIONS]
    assert interaction.tag == f"{{{QTI}}}{kind[0]}"
    key = asked.key
    if key is None or not key.number.shown.is_finite():
        assert kind != NUMERICAL
        return
    assert kind == NUMERICAL
    ends = [item.find(f".//{{{QTI}}}{how}/{{{QTI}}}baseValue") for how in ("gte", "lte")]
    assert [end is not None and float(end.text or "") for end in ends] == [
        float(key.accepted.low), float(key.accepted.high),
    ]  # fmt: skip
    for number, score in ((key.accepted.low, 1), (key.number.shown, 1), (key.accepted.high + 1, 0)):
        assert qti.mark(item, {"R1": f"{number:f}"}).score == score * float(asked.points)


def check(document: Document) -> None:
    roots = read(files_of([document], "canvas", RenderOptions(80)))
    manifest = roots.pop("imsmanifest.xml")
    by_name = kinds(manifest)
    test = roots.pop("A.xml")
    drawn = [e.attrib["href"] for e in test.iter(f"{{{QTI}}}assessmentItemRef")]
    assert drawn == [*roots] == [*by_name]
    assert len({roots[name].attrib["identifier"] for name in drawn}) == len(drawn)
    for name, asked in zip(drawn, questions(document), strict=True):
        check_item(roots[name], by_name[name], asked)
    weights = (float(e.attrib["value"]) for e in test.iter(f"{{{QTI}}}weight"))
    assert sum(weights) == document_points(document)


@sampled(17, name=[name for name in LIGHT if name not in ("i_love_tennis", "tokenizers")])
def test_each_blank_is_a_question_that_takes_its_interval(name: str) -> None:
    trace = trace_of(SHIPPED[name])
    check(papers(trace, request_for(trace, "results")).whole)


def test_the_text_of_a_step_stands_once_with_its_blanks_numbered() -> None:
    trace = trace_of(SHIPPED["i_love_ai"])
    document = papers(trace, request_for(trace, steps=["softmax", "weighted_sum"])).whole
    roots = read(files_of([document], "canvas", RenderOptions(80)))
    texts = {name: "".join(e.itertext()) for name, e in roots.items() if "items/" in name}
    softmax = [name for name, text in texts.items() if "e is raised to each" in text]
    assert softmax == ["items/A_1.xml"]
    for k in range(1, 22):
        assert f"({k})" in texts[softmax[0]]
    assert [name for name, text in texts.items() if "the products are added" in text] == [
        "items/A_22.xml"
    ]
    assert "(5) exp[love, love]" in texts["items/A_5.xml"].replace("\u2068", "").replace(
        "\u2069", ""
    )


def test_questions_in_words_are_chosen_or_written(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text("exercise: It\nscenario: i_love_ai\nask: [{question: attends_most}, softmax]\n")
    package = tmp_path / "exam.zip"
    made = run("exercise", exam, "--format", "canvas", "-o", package)
    assert made.exit_code == 0, made.stderr
    with ZipFile(package) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    roots = read(files)
    by_name = kinds(roots["imsmanifest.xml"])
    assert "choiceInteraction" in {kind[0] for kind in by_name.values()}
    assert NUMERICAL in by_name.values()


def test_two_forms_are_two_quizzes(tmp_path: Path) -> None:
    package = tmp_path / "two.zip"
    words = ("exercise", "i_love_ai", "--step", "softmax", "--forms", "2", "--format", "canvas")
    assert run(*words, "-o", package).exit_code == 0
    with ZipFile(package) as archive:
        names = archive.namelist()
    assert {"A.xml", "B.xml"} <= {*names}
    refused = run(*words, "--hints", "-o", package)
    assert refused.exit_code == 2
    assert "the format canvas has none" in refused.stderr


pytestmark = pytest.mark.filterwarnings("error")


SMALL_NUMBERS = """
tokens: [a, b]
Q: [[0.00002, 0.1], [1, 2]]
K: [[1, 0], [0.5, 1]]
scale: none
until: scores
rounding: {policy: carry, decimals: 5}
"""


def test_what_canvas_rounds_away_is_told(tmp_path: Path) -> None:
    """It rounds what is typed to four decimals: 0.00002 to 0, and 0.10001 to 0.1."""
    scenario, target = tmp_path / "small.yaml", str(tmp_path / "small.zip")
    scenario.write_text(SMALL_NUMBERS, "utf-8")
    said = run("exercise", scenario, "--format", "canvas", "-o", target)
    assert said.exit_code == 0
    assert said.stdout == (
        "Canvas rounds what is typed to 4 decimals, so the right answer is marked wrong for"
        " scores[a, a] = 0.00002, scores[a, b] = 0.10001. Give the numbers another scale, or ask"
        " for fewer decimals\n"
    )


def test_what_canvas_keeps_needs_no_word(tmp_path: Path) -> None:
    target = str(tmp_path / "ours.zip")
    said = run("exercise", "i_love_ai", "--format", "canvas", "-o", target)
    assert (said.exit_code, said.stdout) == (0, "")
