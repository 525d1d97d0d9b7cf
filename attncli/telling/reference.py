"""The reference of files, rounding, exercises and so on, kept beside the shipped scenarios: topics,
and single rows of its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from attncli.document import Document, Facts, Note, Spans, Term
from attncli.file import shipped
from attncli.word import Word

FILE = "README.md"
_HEADING = re.compile(r"^## (?=\w+: )", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n\n", re.MULTILINE)
"""What says which table comes."""
_HEADING_OR_TABLE = re.compile(
    r"^#+ (?P<heading>.*)$|(?P<before>(?:^[^#|\n].*\n)*^[^#|\n].*:\n\n)?(?P<table>(?:^\|.*\n)+)",
    re.MULTILINE,
)


class Topic(NamedTuple):
    """A part of the reference, `## Rounding: what is rounded when`, and its text as Markdown."""

    name: str
    says: str
    text: str


def topics() -> dict[str, Topic]:
    """The parts of the reference by name, in their order."""
    return {one.name: one for one in map(_topic, _HEADING.split(_whole())[1:])}


def entries(word: str) -> str:
    """The rows of the reference's tables about a key, a step, an option, or a value that a key
    takes, each below its heading."""
    return "\n".join(_entries(word))


def _entries(word: str) -> Iterator[str]:
    heading = told = ""
    for found in _HEADING_OR_TABLE.finditer(_whole()):
        heading = found["heading"] or heading
        named, rule, *rows = (found["table"] or "\n\n").splitlines()
        about = [row for row in rows if f"`{word}`" in " | ".join(row.split(" | ")[:2])]
        if about:
            opening = () if heading == told else (f"## {heading}", "")
            told = heading
            yield "\n".join((*opening, found["before"] or "", named, rule, *about, ""))


def _whole() -> str:
    return _COMMENT.sub("", (shipped.folder() / FILE).read_text("utf-8"))


def contents() -> Document:
    """Each topic and what it is about, and how to look a word up."""
    rows = tuple((one.name, (one.says,)) for one in topics().values())
    how: Spans = (
        Term("attn help rounding"), " prints a topic; ", Term("attn help softcap"),
        " what is said of a key, a step, an option or a value.",
    )  # fmt: skip
    return Document(Word("attn help TOPIC"), (), closing=(Facts(rows), Note(how)))


def _topic(part: str) -> Topic:
    heading, _, _ = part.partition("\n")
    name, _, says = heading.partition(": ")
    return Topic(name.lower(), says, f"## {part}")
