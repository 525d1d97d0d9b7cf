"""The answer key as a page: the worked solutions, and what known mistakes would give."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Omitted
from attncli.document import Block, Bullets, Document, Section, Spans, Subheading
from attncli.questions import MistakenAnswer
from attncli.telling.sentences import joined
from attncli.word import Word


def key_page(whole: Document) -> Document:
    """The key of an exercise."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(map(_section, whole.sections)),
        given=(),
        opening=(),
        paper=whole.paper._replace(kind="key"),
    )


def _section(section: Section) -> Section:
    return section._replace(blocks=(*section.solution, *_slips(section)), solution=())


def _slips(section: Section) -> list[Block]:
    """What common mistakes would give, by which they can be told."""
    found: dict[str, list[tuple[str, MistakenAnswer]]] = {}
    for question in section.questions:
        for slip in question.key.slips if question.key is not None else ():
            found.setdefault(slip.says, []).append((question.id, slip))
    if not found:
        return []
    told = tuple(_slip(says, places) for says, places in found.items())
    return [Subheading(("Known mistakes, by what they give",)), Bullets(told)]


def _slip(says: str, places: Sequence[tuple[str, MistakenAnswer]]) -> Spans:
    told: list[Spans] = [(slip.number, " for ", Word(id_)) for id_, slip in places]
    shown = elided(len(told), MOST_PARTS)
    given = joined((Omitted(),) if place is None else told[place] for place in shown)
    return (says, " It gives ", *given, ".")
