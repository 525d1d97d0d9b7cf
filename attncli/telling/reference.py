"""The reference of files, rounding, exercises and so on, kept beside the shipped scenarios."""

from __future__ import annotations

import re

from attncli.document import Document, Facts
from attncli.file import shipped
from attncli.records import NamedTuple
from attncli.word import Word

FILE = "README.md"
_HEADING = re.compile(r"^## (?=\w+: )", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n\n", re.MULTILINE)
"""What says which table comes."""


class Topic(NamedTuple):
    """A part of the reference, `## Rounding: what is rounded when`, and its text as Markdown."""

    name: str
    says: str
    text: str


def topics() -> dict[str, Topic]:
    """The parts of the reference by name, in their order."""
    text = (shipped.folder() / FILE).read_text("utf-8")
    return {one.name: one for one in map(_topic, _HEADING.split(_COMMENT.sub("", text))[1:])}


def contents() -> Document:
    """Each topic and what it is about."""
    rows = tuple((one.name, (one.says,)) for one in topics().values())
    return Document(Word("attn help TOPIC"), (), closing=(Facts(rows),))


def _topic(part: str) -> Topic:
    heading, _, _ = part.partition("\n")
    name, _, says = heading.partition(": ")
    return Topic(name.lower(), says, f"## {part}")
