"""What an answers file says: which exercise it belongs to, and its blanks by their ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.document import Document, Section
from attncli.questions import Paper, Question


class AnsweredBlank(NamedTuple):
    """A blank and what is written in it; nothing where that is for a student to do."""

    id: str
    answer: str = ""
    in_words: bool = False


def paper_of(document: Document, form: str) -> Paper:
    """What makes the document part of an exercise. Raises ValueError where nothing does."""
    if document.paper is None:
        raise ValueError(f"{form} is a format for exercises only")
    return document.paper


def asking(document: Document) -> Iterator[Section]:
    """The sections that ask for something."""
    return (section for section in document.sections if section.questions)


def entries(section: Section, paper: Paper) -> Iterator[AnsweredBlank]:
    """The blanks of a section in the order of the page, a student's without their answers."""
    for question in section.questions:
        told = "" if paper.kind == "sheet" else _answer(question)
        yield AnsweredBlank(question.id, told, question.words is not None)


def _answer(question: Question) -> str:
    if question.words is not None:
        return question.words.answer.raw
    return "" if question.key is None else decimals.text(question.key.number.shown)
