"""The shipped scenarios in the order of learning, with what each shows.

Groups and words are kept in a file beside the scenarios, so that to list them none has to be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from attncli.document import Block, Document, Facts, Prose, Subheading, Term
from attncli.file import shipped
from attncli.word import Word

_FILE = "contents.json"

Contents = Mapping[str, Mapping[str, str]]
"""What each scenario shows, by the title of its group and its name."""


def contents() -> Contents:
    """The table of contents, in the order of learning."""
    path = shipped.folder() / _FILE
    found: Contents = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def scenarios_catalogue(*more: Block) -> Document:
    """Where to start, the scenarios in their groups, and what else there is to say."""
    return Document(Word("Scenarios"), (), closing=(*_blocks(contents()), *more))


def _blocks(groups: Contents) -> list[Block]:
    first = [name for shown in groups.values() for name in shown][:1]
    blocks: list[Block] = [Prose(("Start here: ", Term(f"attn run {name}"))) for name in first]
    for title, shown in groups.items():
        rows = tuple((name, (says,)) for name, says in shown.items())
        blocks += [Subheading((title,)), Facts(rows)]
    return blocks
