"""A sheet for somebody: with a name and an ID."""

from __future__ import annotations

from attncli.document import Block, Document, Facts, Fields
from attncli.word import Word

_NAME = "Name"


def sheet_for(sheet: Document, name: str, number: str) -> Document:
    """The sheet of a student, whose name needn't be written any more."""
    whose = ((_NAME, (Word(name),)), ("ID", (Word(number),)))
    rows = () if sheet.facts is None else sheet.facts.rows
    return sheet._replace(
        facts=Facts((*whose, *rows)), opening=tuple(map(_without_name, sheet.opening))
    )


def _without_name(block: Block) -> Block:
    if not isinstance(block, Fields):
        return block
    return Fields(tuple(name for name in block.names if name != _NAME))
