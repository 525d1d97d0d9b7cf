"""What stands around the questions of an exercise: whose it is, and what is to be known first."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.document import Prose, Spans
from attncli.languages.words import FactWords
from attncli.scenario.exercise import Frame
from attncli.word import Word


def framing_facts(frame: Frame, words: FactWords) -> Iterator[tuple[str, Spans]]:
    """The course, the institution and the date, as far as they are said."""
    said = (
        (words.course, frame.course),
        (words.institution, frame.institution),
        (words.date, frame.date),
    )
    yield from ((name, (Word(text),)) for name, text in said if text)


def instructions(frame: Frame) -> Iterator[Prose]:
    """What is to be known before the first question, if something is said."""
    if frame.instructions:
        yield Prose((Word(frame.instructions),))
