"""An answers file to fill in: one line a blank, by its id.

Written as text, since only the scenario's reader knows YAML: keys are double-quoted scalars, in
which any character can stand as it is or as an escape.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.document import Document, Section, Spans
from attncli.notation.words import is_hidden, visible
from attncli.render.abilities import Abilities
from attncli.render.exercises._answers import AnsweredBlank, asking, entries, paper_of
from attncli.render.page import Page
from attncli.render.sentences import text_of_spans
from attncli.word import raw

SUFFIXES = (".yaml", ".yml")
ABILITIES = Abilities(keys=("none", "separate"), hints="none")

_LONGEST_KEY = 1000
"""YAML reads `key: value` on one line only where the key has at most 1024 characters."""


def render(document: Document, page: Page) -> str:  # noqa: ARG001
    """The blanks of a sheet, empty; those of an exercise or a key with what is right."""
    paper = paper_of(document, "yaml")
    filled = any(e.answer for section in asking(document) for e in entries(section, paper))
    words = paper.words.files
    lines = [f"# {words.key if filled else words.answers} · {_comment((document.title,))}"]
    lines += [] if filled else [f"# {line}" for line in words.how_to]
    if paper.owner is not None:
        name, number = map(raw, paper.owner)
        lines += [f"student: {quoted(name)}", f"id: {quoted(number)}"]
    lines += [f"form: {quoted(paper.form)}", f"hash: {quoted(paper.hash)}"]
    told = [line for section in asking(document) for line in _lines(document, section)]
    lines += ["answers:", *told] if told else ["answers: {}"]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Any text as a double-quoted scalar on one line."""
    return f'"{"".join(map(_written, text))}"'


def _lines(document: Document, section: Section) -> Iterator[str]:
    yield f"  # {_comment(section.heading)}"
    for entry in entries(section, paper_of(document, "yaml")):
        yield _entry(entry)


def _entry(entry: AnsweredBlank) -> str:
    name = quoted(entry.id)
    start = f"  {name}:" if len(name) <= _LONGEST_KEY else f"  ? {name}\n  :"
    if not entry.answer:
        return start
    return f"{start} {quoted(entry.answer) if entry.in_words else _number(entry.answer)}"


def _number(text: str) -> str:
    """A number; what YAML has no number for is a text."""
    return text if text[-1].isdigit() else quoted(text)


def _comment(spans: Spans) -> str:
    return "".join(c if _may_stand(c) else _escape(c) for c in text_of_spans(spans, visible))


def _written(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if _may_stand(character) else _escape(character)


def _may_stand(character: str) -> bool:
    """Whether YAML lets a character stand as it is, and people see that it is there."""
    return not is_hidden(character) and character not in "\ufffe\uffff"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004
