"""The XML around cloze questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple
from xml.etree import ElementTree

from tests.classroom.cloze import faults
from tests.classroom.cloze.faults import ClozeError
from tests.classroom.cloze.grammar import Field, take_out

DECLARATION = re.compile(r"""<\?xml [^>]*encoding=["']utf-8["'][^>]*\?>""", re.IGNORECASE)
PENALTY = Decimal("0.3333333")  # where a question says none
LONGEST_NAME = 255  # Moodle cuts what is longer
LONGEST_IDNUMBER = 100


class Cloze(NamedTuple):
    """A question; `marked` is its text with `{#1}`, `{#2}`… in place of the fields."""

    name: str
    text: str
    marked: str
    fields: tuple[Field, ...]
    feedback: str
    penalty: Decimal
    tags: tuple[str, ...]
    idnumber: str | None
    hints: tuple[str, ...] = ()


def questions(xml: str) -> list[Cloze]:
    """The cloze questions of a file; `ClozeError` with all faults if Moodle would misread it."""
    found = [_question(element) for element in _root(xml).iterfind("question[@type='cloze']")]
    wrong = [
        f"question {number} ({question.name}): {fault}"
        for number, question in enumerate(found, 1)
        for fault in _faults(question)
    ]
    if wrong:
        raise ClozeError(wrong)
    return found


def _root(xml: str) -> ElementTree.Element:
    if not DECLARATION.match(xml):
        raise ClozeError(["the file doesn't begin with an XML declaration of UTF-8"])
    try:
        root = ElementTree.fromstring(xml.encode("utf-8"))
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        raise ClozeError([f"the XML isn't well-formed: {error}"]) from error
    if root.tag != "quiz":
        raise ClozeError([f"the file is a <{root.tag}>, not a <quiz>"])
    return root


def _question(element: ElementTree.Element) -> Cloze:
    text = _html(element, "questiontext")
    fields, marked = take_out(text)
    return Cloze(
        _text(element, "name/text"),
        text,
        marked,
        tuple(fields),
        _html(element, "generalfeedback"),
        _penalty(element),
        tuple((tag.text or "").strip() for tag in element.iterfind("tags/tag/text")),
        _text(element, "idnumber") or None,
        tuple(_text(hint, "text") for hint in element.iterfind("hint")),
    )


def _html(element: ElementTree.Element, name: str) -> str:
    part = element.find(name)
    written = "html" if part is None else part.get("format", "html").strip()
    if written != "html":
        raise ClozeError([f"<{name}> has the format {written}, not html"])
    return _text(element, f"{name}/text")


def _text(element: ElementTree.Element, path: str) -> str:
    """The text at a path, trimmed as Moodle trims it. It takes no child for text: HTML must be
    escaped or CDATA."""
    found = element.find(path)
    if found is None:
        return ""
    if len(found):
        raise ClozeError([f"<{path}> has tags that are neither escaped nor CDATA"])
    return (found.text or "").strip(" \t\n\r\0\v")


def _penalty(element: ElementTree.Element) -> Decimal:
    written = _text(element, "penalty")
    try:
        return Decimal(written) if written else PENALTY
    except InvalidOperation as error:
        raise ClozeError([f"the penalty {written!r} is no number"]) from error


def _faults(question: Cloze) -> Iterator[str]:
    yield from _of_headings(question)
    if not question.fields:
        yield "there is no field"
    for number, field in enumerate(question.fields, 1):
        for fault in faults.of_field(field):
            yield f"field {number}, {field.source!r}: {fault}"
    for fault in faults.of_text(question.marked, len(question.fields)):
        yield f"text: {fault}"
    for fault in faults.of_html(question.feedback):
        yield f"general feedback: {fault}"
    for number, hint in enumerate(question.hints, 1):
        for fault in faults.of_html(hint):
            yield f"hint {number}: {fault}"


def _of_headings(question: Cloze) -> Iterator[str]:
    if not question.name:
        yield "there is no name"
    if len(question.name) > LONGEST_NAME:
        yield f"the name has more than {LONGEST_NAME} characters"
    if "<" in question.name:
        yield "Moodle takes out of the name what looks like a tag: < must be the entity &lt;"
    if len(question.idnumber or "") > LONGEST_IDNUMBER:
        yield f"the idnumber has more than {LONGEST_IDNUMBER} characters"
    if not 0 <= question.penalty <= 1:
        yield f"the penalty {question.penalty} isn't from 0 to 1"
