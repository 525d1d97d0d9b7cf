"""The shipped scenarios in the order of learning, and the reference by topics and by rows.

Groups, and the first sentence of each scenario's `about`, are kept in a file beside the scenarios,
so that to list them none has to be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Document,
    Paragraph,
    Spans,
    Subheading,
    Term,
)
from attncli.names import Word
from attncli.scenario.file import shipped

_FILE = "contents.json"

Contents = Mapping[str, Mapping[str, str]]
"""What each scenario answers, by the title of its group and its name."""


def contents() -> Contents:
    """Reads the table of contents, in the order of learning; it is empty where the file isn't
    there."""
    path = shipped.folder() / _FILE
    found: Contents = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def scenarios_catalogue(*more: Block) -> Document:
    """Returns the page of all scenarios: where to start, the scenarios in their groups, then
    `more`."""
    return Document(Word("Scenarios"), (), closing=(*_blocks(contents()), *more))


def _blocks(groups: Contents) -> list[Block]:
    first = [name for shown in groups.values() for name in shown][:1]
    blocks: list[Block] = [Paragraph(("Start here: ", Term(f"attn run {name}"))) for name in first]
    for title, shown in groups.items():
        rows = tuple((name, (says,)) for name, says in shown.items())
        blocks += [Subheading((title,)), DefinitionList(rows)]
    return blocks


FILE = "README.md"
_HEADING = re.compile(r"^## (?=\w+: )", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n\n", re.MULTILINE)
"""What says which table comes."""
_HEADING_OR_TABLE = re.compile(
    r"^#+ (?P<heading>.*)$"
    r"|(?P<before>(?<=\n\n)(?:^[^#|\n].*\n)*^[^#|\n].*:\n\n)?(?P<table>(?:^\|.*\n)+)",
    re.MULTILINE,
)


class Topic(NamedTuple):
    """A part of the reference, such as `## Rounding: what is rounded when`."""

    name: str
    """What it is called in `attn help`."""
    says: str
    """What it is about, in a line."""
    text: str
    """All of it, as Markdown."""


def topics() -> dict[str, Topic]:
    """Returns the parts of the reference by name, in their order."""
    return {topic.name: topic for topic in map(_topic, _HEADING.split(_whole())[1:])}


def entries(word: str) -> str:
    """Finds the rows of the reference's tables about a key, a step or an option, each below its
    heading. Behind them come the rows of keys that take the word as a value, without their other
    values."""
    values = [part.replace("\n\n\n", "\n\n") for part in _entries(word, 1)]
    return "\n".join([*_entries(word, 0), *values])


def _entries(word: str, cell: int) -> Iterator[str]:
    """Yields the rows that have a word in the cell of this number and in none before it, as tables
    below their headings."""
    heading = text = ""
    for found in _HEADING_OR_TABLE.finditer(_whole()):
        heading = found["heading"] or heading
        named, rule, *rows = (found["table"] or "\n\n").splitlines()
        about = [_about(row, word, cell) for row in rows if _first_with(row, word) == cell]
        if about:
            opening = () if heading == text else (f"## {heading}", "")
            text = heading
            yield "\n".join((*opening, found["before"] or "", named, rule, *about, ""))


def _first_with(row: str, word: str) -> int | None:
    """Finds which of the first two cells of a row has a word first, from 0; None where neither has
    it."""
    cells = row.split(" | ")[:2]
    return next((k for k, cell in enumerate(cells) if f"`{word}`" in cell), None)


def _about(row: str, word: str, cell: int) -> str:
    """Returns a row; of a cell with many values only the one that is asked for is left."""
    cells = row.split(" | ")
    if cell and cells[cell].count("`, `") > _FEW:
        cells[cell] = f"`{word}`, …"
    return " | ".join(cells)


_FEW = 3
"""Values that are all told, beside the one that is asked for."""


def _whole() -> str:
    return _COMMENT.sub("", (shipped.folder() / FILE).read_text("utf-8"))


def topics_page() -> Document:
    """Returns the page of topics: what each is about, and how to look a word up."""
    rows = tuple((topic.name, (topic.says,)) for topic in topics().values())
    how: Spans = (
        Term("attn help rounding"), " prints a topic; ", Term("attn help softcap"),
        " what is said of a key, a step, an option or a value; ", Term("attn help models"),
        " which models are read, and ", Term("attn help gemma"), " how.",
    )  # fmt: skip
    return Document(Word("attn help TOPIC"), (), closing=(DefinitionList(rows), Callout(how)))


def _topic(part: str) -> Topic:
    heading, _, _ = part.partition("\n")
    name, _, says = heading.partition(": ")
    return Topic(name.lower(), says, f"## {part}")
