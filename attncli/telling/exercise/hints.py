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
)
from attncli.steps import Step, step_named
from attncli.telling.blocks import common_mistakes
from attncli.telling.exercise.lines import Asked, LineAsker
from attncli.trace import Trace


def hints_page(whole: Document, trace: Trace) -> Document:
    """A sheet of hints for an exercise: what each step is for, how one of its cells is worked, and
    the mistakes people make."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(_sections(whole.sections, trace)),
        given=(),
        opening=(),
        paper=whole.paper._replace(kind="hints"),
    )


def _sections(sections: Sequence[Section], trace: Trace) -> Iterator[Section]:
    """A section for each; what a step is for, and its mistakes, where it comes first."""
    known: set[str] = set()
    for section in sections:
        blocks = _by_names(section, trace)
        if section.step not in known:
            blocks = _about(step_named(section.step), blocks)
        known.add(section.step)
        yield section._replace(blocks=tuple(blocks), questions=(), solution=())


def _about(step: Step[Any], working: Sequence[Block]) -> list[Block]:
    blocks: list[Block] = [Prose((step.purpose,)), *working]
    mistakes = tuple((mistake.says,) for mistake in step.mistakes)
    return [*blocks, *common_mistakes([Bullets(mistakes)] if mistakes else [])]


def _by_names(section: Section, trace: Trace) -> list[Block]:
    """The first line of each quantity of the solution, names in the place of its numbers."""
    everything = LineAsker(trace, section.path, Asked(quantities=frozenset(trace)), terms=False)
    lines = [_by_name(line, everything) for line in _first_lines(section.solution)]
    told = tuple(line for line in lines if line.parts)
    return [Subheading(("How one of them is done",)), Working(told)] if told else []


def _by_name(line: Line | Addition, asker: LineAsker) -> Line:
    if isinstance(line, Addition):
        added, _ = asker.addition(line)
        assert isinstance(added, Working)
        (line,) = (one for one in added.lines if isinstance(one, Line))
    forms = [form for _, form in line.parts[:-1]]
    told, _ = asker.forms(forms, line, asks=True)
    return line._replace(parts=tuple(("=", form) for form in told if form is not None))


def _first_lines(blocks: Sequence[Block]) -> Iterator[Line | Addition]:
    seen: set[str] = set()
    for block in blocks:
        lines = block.lines if isinstance(block, Working) else (block,)
        for line in lines:
            if isinstance(line, Line | Addition) and line.quantity not in seen:
                seen.add(line.quantity)
                yield line
