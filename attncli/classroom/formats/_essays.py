"""Questions that a person marks, apart from what a platform marks by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from attncli.classroom.files.mathematics import beginning, in_a_line
from attncli.classroom.formats._self_marking import Styled, answer_of, printed_blocks
from attncli.document.blocks import AnswerSpace, Document, Pool, Section, each
from attncli.document.questions import Item
from attncli.formats.html.blocks import blocks_html
from attncli.names import Word

_LONGEST_TITLE = 60
"""The most characters of a question's words that stand for it in a list."""
_LINES = 5
"""The lines to write on where a question doesn't say how many."""


class Essay(NamedTuple):
    """A question of an exam that a person marks."""

    item: Item
    """What is asked, by its id in the exam."""
    section: Section
    """The question with its text and what it is marked by."""
    part: str
    """The number and title of its part; empty where the exam has one part."""

    @property
    def lines(self) -> int:
        """Returns how many lines there are to write on."""
        spaces = (block for block in each(self.section.blocks) if isinstance(block, AnswerSpace))
        return next((space.lines for space in spaces), 0) or _LINES

    @property
    def title(self) -> Word:
        """Returns the beginning of its words."""
        return in_a_line(beginning(self.item.asks, _LONGEST_TITLE))

    def asked(self, styled: Styled) -> str:
        """Writes the question as HTML."""
        return blocks_html(printed_blocks(self.section.blocks), styled(answer_of))

    def marked_by(self, styled: Styled) -> str:
        """Writes what a person marks it by as HTML."""
        return blocks_html(printed_blocks(self.section.solution), styled(answer_of))


def essays_of(documents: Iterable[Document], pools: Iterable[Pool] = ()) -> list[Essay]:
    """Lists the questions of all forms of an exam that a person marks, each once, but for those of
    pools from which a platform draws."""
    drawn = {item.id for pool in pools for item in pool.items}
    found: dict[tuple[str, str], Essay] = {}
    for document in documents:
        for essay in _essays_of(document):
            if essay.item.id not in drawn:
                found.setdefault((essay.item.id, essay.item.asks), essay)
    return list(found.values())


def without_essays(document: Document) -> Document:
    """Returns an exam without what a person marks, for what marks by itself."""
    if document.paper is None or document.paper.kind != "exercise":
        return document
    sections = tuple(s for s in document.sections if not any(map(_is_essay, s.questions)))
    points = sum(item.points for section in sections for item in section.questions)
    return document._replace(sections=sections, paper=document.paper._replace(points=points))


def _essays_of(document: Document) -> Iterator[Essay]:
    if document.paper is None or document.paper.kind != "exercise":
        return
    title = ""
    for section in document.sections:
        if not section.questions:
            title = next((span.raw for span in section.title if isinstance(span, Word)), "")
        for item in filter(_is_essay, section.questions):
            number, _, _ = item.id.rpartition("/")
            part = f"{number}. {title}".rstrip(". ") if number else ""
            yield Essay(item, section, part)


def _is_essay(item: Item) -> bool:
    return item.by_hand and bool(item.asks)
