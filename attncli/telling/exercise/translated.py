"""A sheet's sections in another language: what their steps are called and say. Where a table has
nothing for it, it stays English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attncli.choices import LANGUAGES, Language
from attncli.document import Section, Span, Spans, each
from attncli.languages import sentences_in

_NUMBER = re.compile(r"\((?:\d+, )*\d+\)|\d+(?:\.\d+)?")
"""A number, or several in parentheses: what a table leaves open."""
_BETWEEN = re.compile(r"(?<=[.?:]) (?=[A-Zε])|(?<= ·) ")
"""Where a sentence, or a part of a place, is followed by another."""
_Table = Mapping[str, str]


def translated(section: Section, language: Language) -> Section:
    """A section as it is told in a language."""
    if language == LANGUAGES[0]:
        return section
    table = sentences_in(language)
    return section._replace(
        title=_spans(section.title, table),
        place=" · ".join(_told(part, table) for part in section.place.split(" · ")),
        blocks=tuple(_block(block, table) for block in each(section.blocks)),
    )


def _block(block: Any, table: _Table) -> Any:  # noqa: ANN401
    """A block whose text, or whose headings, are told in the language, whatever its kind."""
    if "text" in block._fields:
        return block._replace(text=_spans(block.text, table))
    if "headings" in block._fields:
        told = (_told(one, table) if isinstance(one, str) else one for one in block.headings)
        return block._replace(headings=tuple(told))
    return block


def _spans(spans: Spans, table: _Table) -> Spans:
    return tuple(_span(span, table) for span in spans)


def _span(span: Span, table: _Table) -> Span:
    if not isinstance(span, str):
        return span
    return " ".join(_told(part, table) for part in _BETWEEN.split(span))


def _told(text: str, table: _Table) -> str:
    """A title or a sentence, its numbers as they are."""
    bare = text.strip()
    known = table.get(_NUMBER.sub("{}", bare))
    if known is None:
        return text
    return text.replace(bare, known.format(*_NUMBER.findall(bare)))
