"""A lesson in small, for the first page of a site: its answer, its picture, how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from attncli.maths.notation.escaping import printed
from attncli.names import Word
from attncli.web.search import prose

if TYPE_CHECKING:
    from attncli.document.blocks import Document
    from attncli.trace import Quantity, Trace


class Card(NamedTuple):
    """A lesson in small."""

    answer: Word
    """What its page comes to."""
    picture: str
    """The numbers that it is about, as a drawing; none of a lesson on no numbers."""
    minutes: int
    """How long reading its page takes."""


def card_of(trace: Trace, page: Document) -> Card:
    """Returns the page of a trace in small."""
    from attncli.document.blocks import text_of_spans
    from attncli.pages.parts.sentences import capital

    says = () if page.answer is None else capital(page.answer.says)
    return Card(Word(text_of_spans(says)), _picture(trace, page), minutes_of(page))


_WORDS, _LINES = 200, 8
"""What is read in a minute: words, and lines of working, which one follows with a pencil."""


def minutes_of(page: Document) -> int:
    """Estimates how long reading a page takes, of its words and its lines of working."""
    from attncli.document.blocks import ColumnSum, Line, in_lines, parts_of

    blocks = [*page.opening, *(block for section in page.sections for block in section.blocks)]
    lines = sum(1 for block in in_lines(blocks) for _ in parts_of(block, (Line, ColumnSum)))
    words = len(prose((*page.lead, *blocks)).split())
    return max(1, round(words / _WORDS + lines / _LINES))


def _picture(trace: Trace, page: Document) -> str:
    """Draws the numbers among which the answer of a page is; the tokens where it has none."""
    from attncli.document.pictures import HeatMaps
    from attncli.formats.svg.drawing import inline
    from attncli.formats.svg.heat_maps import boxes, in_small
    from attncli.pages.parts.blocks import matrix_block
    from attncli.pages.parts.selection import Selection

    tables = [*_about(trace, page)]
    about = next((table for table in tables if table.matrix.size > 1), *tables[:1] or (None,))
    if about is None:
        tokens = [printed(Word(token)) for token in trace.scenario.text.tokens]
        return inline(boxes(tokens)) if tokens else ""
    table = matrix_block(about, Selection())
    return inline(in_small(HeatMaps(about.name.local, (("", table),))))


def _about(trace: Trace, page: Document) -> Iterator[Quantity]:
    """Yields the tables of numbers that a page may be about: that of its answer, its weights, those
    that were worked, the last one first."""
    from attncli.pages.parts.findings import weights_of

    answer = None if page.answer is None or page.answer.cell is None else page.answer.cell.quantity
    first = [*([] if answer is None else [trace[answer]]), weights_of(trace)]
    others = (quantity for quantity in reversed([*trace.quantities.values()]) if not quantity.given)
    yield from (q for q in (*first, *others) if q is not None and q.matrix.size)
