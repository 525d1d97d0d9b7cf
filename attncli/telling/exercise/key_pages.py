"""The answer key as a page: the worked solutions, and what known mistakes would give."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Omitted
from attncli.document import Block, Bullets, Document, Section, Spans, Subheading
from attncli.languages.words import KeyWords
from attncli.questions import MistakenAnswer
from attncli.telling.sentences import joined, put_in
from attncli.word import Word


def key_page(whole: Document) -> Document:
    """The key of an exercise."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(_section(one, whole.paper.words.keys) for one in whole.sections),
        given=(),
        opening=(),
        paper=whole.paper._replace(kind="key"),
    )


def _section(section: Section, words: KeyWords) -> Section:
    return section._replace(blocks=(*section.solution, *_slips(section, words)), solution=())


def _slips(section: Section, words: KeyWords) -> list[Block]:
    """What common mistakes would give, by which they can be told."""
    found: dict[str, list[tuple[str, MistakenAnswer]]] = {}
    for question in section.questions:
        for slip in question.key.slips if question.key is not None else ():
            found.setdefault(slip.says, []).append((question.id, slip))
    if not found:
        return []
    told = tuple(_slip(says, places, words) for says, places in found.items())
    return [Subheading((words.known_mistakes,)), Bullets(told)]


def _slip(says: str, places: Sequence[tuple[str, MistakenAnswer]], words: KeyWords) -> Spans:
    told = [
        put_in(words.number_for, number=(slip.number,), blank=(Word(id_),)) for id_, slip in places
    ]
    shown = elided(len(told), MOST_PARTS)
    given = joined((Omitted(),) if place is None else told[place] for place in shown)
    return put_in(words.gives, mistake=says, numbers=given)
