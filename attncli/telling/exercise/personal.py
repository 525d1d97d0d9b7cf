"""A sheet for somebody: with a name and an ID."""

from __future__ import annotations

from attncli.document import Block, Document, Facts, Fields
from attncli.word import Word


def sheet_for(sheet: Document, name: str, number: str) -> Document:
    """The sheet of a student, whose name needn't be written any more."""
    assert sheet.paper is not None
    words = sheet.paper.words
    whose = ((words.facts.name, (Word(name),)), (words.facts.id, (Word(number),)))
    rows = () if sheet.facts is None else sheet.facts.rows
    return sheet._replace(
        facts=Facts((*whose, *rows)),
        opening=tuple(_without(words.paper.name, block) for block in sheet.opening),
    )


def _without(name: str, block: Block) -> Block:
    if not isinstance(block, Fields):
        return block
    return Fields(tuple(one for one in block.names if one != name))
