"""An answers file to fill in, one line a blank, and the exercise that answers files belong to.

Written as text, since only the scenario's reader knows YAML: keys are double-quoted scalars, in
which any character can stand as it is or as an escape.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.document.blocks import Document, Section, Spans, text_of_spans
from attncli.document.questions import Item, Paper
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.maths.notation.escaping import commented, key_of, quoted, visible
from attncli.names import raw

SUFFIXES = (".yaml", ".yml")
ABILITIES = FormatInfo(PaperAbilities(keys=("none", "separate"), hints="none"))


def paper_of(document: Document, form: str) -> Paper:
    """Returns what makes the document part of an exercise. Raises ValueError where nothing does."""
    if document.paper is None:
        raise ValueError(f"{form} is a format for exercises only")
    return document.paper


def asking(document: Document) -> Iterator[Section]:
    """Yields the sections that ask for something."""
    return (section for section in document.sections if section.questions)


def entries(section: Section, paper: Paper) -> Iterator[Item]:
    """Yields the blanks of a section in the order of the page, a student's without their
    answers."""
    return (q.unanswered if paper.kind == "sheet" else q for q in section.questions)


def render(document: Document, page: RenderOptions) -> str:  # noqa: ARG001
    """Writes the blanks of a sheet, empty; those of an exercise or a key with what is right."""
    paper = paper_of(document, "yaml")
    filled = any(e.answer for section in asking(document) for e in entries(section, paper))
    words = paper.words.files
    lines = [f"# {words.key if filled else words.answers} · {_comment((document.title,))}"]
    lines += [] if filled else [f"# {line}" for line in words.texts["how_to"]]
    if paper.owner is not None:
        name, number = map(raw, paper.owner)
        lines += [f"student: {quoted(name)}", f"id: {quoted(number)}"]
    lines += [f"form: {quoted(paper.form)}", f"hash: {quoted(paper.hash)}"]
    texts = [line for section in asking(document) for line in _lines(document, section)]
    lines += ["answers:", *texts] if texts else ["answers: {}"]
    return "\n".join(lines) + "\n"


def _lines(document: Document, section: Section) -> Iterator[str]:
    yield f"  # {_comment(section.heading)}"
    for entry in entries(section, paper_of(document, "yaml")):
        yield _entry(entry)


def _entry(entry: Item) -> str:
    start = key_of(quoted(entry.id), "  ")
    if not entry.answer:
        return start
    return f"{start} {quoted(entry.answer) if entry.words else _number(entry.answer)}"


def _number(text: str) -> str:
    """Writes a number; what YAML has no number for is a text."""
    return text if text[-1].isdigit() else quoted(text)


def _comment(spans: Spans) -> str:
    return commented(text_of_spans(spans, visible))
