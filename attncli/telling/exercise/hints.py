"""Hints: how what is asked for is done, in words, formulas and names, without a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attncli.document import (
    Addition,
    Block,
    Bullets,
    Document,
    Line,
    Prose,
    Section,
    Subheading,
    Working,
    parts_of,
)
from attncli.languages.words import TaskWords
from attncli.name import Name
from attncli.steps import Step, step_named
from attncli.telling.exercise.lines import Asked, LineAsker
from attncli.telling.exercise.told import ToldCells
from attncli.trace import Trace
from attncli.word import Word


def hints_page(whole: Document, trace: Trace) -> Document:
    """A sheet of hints for an exercise: what each step is for, how one of its cells is worked, and
    the mistakes people make."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(_sections(whole.sections, trace, whole.paper.words.tasks)),
        given=(),
        opening=(),
        paper=whole.paper._replace(kind="hints", command=Word("")),
    )


def with_hints(whole: Document, trace: Trace) -> Document:
    """An exercise with its hints for one try after the other: how each step is done, then the
    mistakes people make."""
    assert whole.paper is not None
    words = whole.paper.words.tasks
    how, mistakes = zip(*_hints(whole.sections, trace, words), strict=True)
    tries = (tuple(section for section in told if section.blocks) for told in (how, mistakes))
    return whole._replace(hints=tuple(told for told in tries if told))


def _sections(sections: Sequence[Section], trace: Trace, words: TaskWords) -> Iterator[Section]:
    for how, mistakes in _hints(sections, trace, words):
        yield how._replace(blocks=(*how.blocks, *mistakes.blocks))


def _hints(
    sections: Sequence[Section], trace: Trace, words: TaskWords
) -> Iterator[tuple[Section, Section]]:
    """For each section how it is done, and the mistakes of its step; of a step what it is for,
    and its mistakes, where it comes first."""
    known: set[str] = set()
    for section in sections:
        step, bare = step_named(section.step), section._replace(questions=(), solution=())
        place = next((part.place for part in trace.story if part.step == section.step), None)
        purpose = () if section.step in known else (Prose((step.purpose_at(place),)),)
        mistakes = () if section.step in known else _mistakes(step, words)
        known.add(section.step)
        yield (
            bare._replace(blocks=(*purpose, *_by_names(section, trace, words))),
            bare._replace(blocks=tuple(mistakes)),
        )


def _mistakes(step: Step[Any], words: TaskWords) -> Sequence[Block]:
    mistakes = tuple((mistake.says,) for mistake in step.mistakes)
    return [Subheading((words.common_mistakes,)), Bullets(mistakes)] if mistakes else []


def _by_names(section: Section, trace: Trace, words: TaskWords) -> list[Block]:
    """The first line of each quantity of the solution, names in the place of its numbers."""
    lines = [line_by_names(line, trace, section.path) for line in _first_lines(section.solution)]
    told = tuple(line for line in lines if line.parts)
    return [Subheading((words.how_one_is_done,)), Working(told)] if told else []


def line_by_names(line: Line | Addition, trace: Trace, path: Name) -> Line:
    """A line without its result, names in the place of its numbers."""
    asker = LineAsker(trace, path, Asked(quantities=frozenset(trace)), ToldCells(trace))
    if isinstance(line, Addition):
        added, _ = asker.addition(line)
        assert isinstance(added, Working)
        (line,) = (one for one in added.lines if isinstance(one, Line))
    forms = [form for _, form in line.parts[:-1]]
    told, _ = asker.forms(forms, line, asks=True)
    return line._replace(parts=tuple(("=", form) for form in told if form is not None))


def _first_lines(blocks: Sequence[Block]) -> Iterator[Line | Addition]:
    seen: set[str] = set()
    kinds: tuple[type[Line | Addition], ...] = (Line, Addition)
    for line in (one for block in blocks for one in parts_of(block, kinds)):
        if line.quantity not in seen:
            seen.add(line.quantity)
            yield line
