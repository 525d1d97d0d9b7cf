"""A sheet for somebody: with a name and an ID."""

from __future__ import annotations

from attncli.document import Block, Document, Facts, Fields, each
from attncli.questions import Owner
from attncli.word import Word


def sheet_for(sheet: Document, name: str, number: str) -> Document:
    """The sheet of a student, whose name needn't be written any more."""
    assert sheet.paper is not None
    words, owner = sheet.paper.words, Owner(Word(name), Word(number))
    whose = ((words.facts.name, (owner.name,)), (words.facts.id, (owner.id,)))
    rows = () if sheet.facts is None else sheet.facts.rows
    return sheet._replace(
        facts=Facts((*whose, *rows)),
        paper=sheet.paper._replace(owner=owner),
        opening=tuple(_without(words.paper.name, block) for block in each(sheet.opening)),
    )


def _without(name: str, block: Block) -> Block:
    if not isinstance(block, Fields):
        return block
    return Fields(tuple(one for one in block.names if one != name))
