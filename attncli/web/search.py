"""What the search of a site knows: sections by their words, steps by those of their lessons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import combining, normalize

if TYPE_CHECKING:
    from attncli.document.blocks import Block, Document, Spans


class SearchPlace(NamedTuple):
    """A section as a search finds it."""

    heading: str
    """Its heading."""
    step: str
    """Its step."""
    quantities: str
    """The names of its quantities."""
    words: str
    """The words of its text that the search has from none of these."""


def places_of(page: Document) -> Iterator[SearchPlace]:
    """Yields the sections of a page, in the order in which their places on it are counted."""
    from attncli.document.blocks import in_lines, parts_of, text_of_spans
    from attncli.document.tables import MatrixBlock

    steps = step_texts()
    for section in (section for section in page.sections if not section.is_data):
        tables = (
            table for block in in_lines(section.blocks) for table in parts_of(block, MatrixBlock)
        )
        names = " ".join(dict.fromkeys(str(table.name) for table in tables))
        heading = text_of_spans(section.heading)
        found = f"{heading} {names} {steps.get(section.step, '')}"
        words = new_words(prose((*section.blocks, *section.folded.lesson)), found)
        yield SearchPlace(heading, section.step, names, words)


@cache
def step_texts() -> Mapping[str, str]:
    """Returns what is said of each step, whatever its numbers: the words of its lesson."""
    from attncli.steps import steps

    return {
        step.name: new_words(
            f"{step.name} {step.words.title} {step.words.does} {step.words.why} {step.words.more}"
            f" {' '.join(mistake.says for mistake in step.mistakes)}"
        )
        for step in steps()
    }


def prose(blocks: Iterable[Block]) -> str:
    """Joins the sentences of some blocks."""
    from attncli.document.blocks import (
        Bullets,
        Callout,
        Paragraph,
        Subheading,
        parts_of,
        text_of_spans,
    )

    texts: list[Spans] = []
    for block in blocks:
        told: Iterator[Bullets | Callout | Paragraph | Subheading] = parts_of(
            block, (Bullets, Callout, Paragraph, Subheading)
        )
        for part in told:
            texts += part.items if isinstance(part, Bullets) else (part.text,)
    return " ".join(map(text_of_spans, texts))


def new_words(text: str, known: str = "") -> str:
    """Returns the words of a text, each once, that aren't within another text, as the search reads
    both: in small letters without accents. Numbers aren't words."""
    plain = "".join(c for c in normalize("NFKD", f"{text}\0{known}") if not combining(c)).lower()
    text, _, known = plain.partition("\0")
    words = dict.fromkeys(re.findall(r"[^\W\d]\w+", text))
    return " ".join(word for word in words if word not in known)
