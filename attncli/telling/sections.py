"""Sections of a page: of a part, of one that happens again, of the last."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attncli.arithmetic.expression import Equation, Symbol
from attncli.document import Block, Section
from attncli.steps import formulas_of
from attncli.tables import MatrixBlock, SideBySide
from attncli.telling.parts import definitions_of, made_by, place_in_words, step_of, title_of
from attncli.telling.working import adds_up_uses
from attncli.trace import BackwardPlace, CellPlace, Place, PlannedStep, Trace


def section_of(
    trace: Trace, part: PlannedStep, number: int | None, blocks: Sequence[Block]
) -> Section:
    """A section about a part."""
    formulas = formulas_at(trace, part)
    place = place_in_words(part.path)
    return Section(part.step, number, title_of(part), formulas, tuple(blocks), part.path, place)


def formulas_at(trace: Trace, part: PlannedStep) -> tuple[Equation, ...]:
    """The formulas of a part, in the names of its place."""
    return formulas_of(step_of(part), part.place, definitions_of(trace, part) or part.definitions)


def leads_on(part: PlannedStep, after: Sequence[PlannedStep]) -> bool:
    """Whether what comes after it tells a part in brief: of what a sublayer adds, the residual."""
    return bool(after) and (step_of(part).on_the_way or after[0].step == "residual")


def happens_again(part: PlannedStep, before: Sequence[PlannedStep]) -> bool:
    """Whether a page has told before in the same words what happens; of steps that are `told_once`,
    and of a step back through a cell at some time, whether one was."""
    happens = step_of(part).happens_at(part.place)
    alike = [one for one in before if one.step == part.step]
    if step_of(part).told_once or is_back_in_time(part.place):
        return bool(alike)
    return any(step_of(one).happens_at(one.place) == happens for one in alike)


def is_back_in_time(place: Place) -> bool:
    return isinstance(place, BackwardPlace) and isinstance(place.forward, CellPlace)


def in_fewer_words(
    section: Section, blocks: Sequence[Block], told_before: Collection[Equation]
) -> Section:
    """A section that happens again, with a formula that goes into its heading where it is another
    than before: of a residual, what is added to what."""
    is_new = len(section.formulas) == 1 and section.formulas[0] not in told_before
    formulas = section.formulas if is_new else ()
    return section._replace(blocks=tuple(blocks), formulas=formulas)


def of_sums(trace: Trace, part: PlannedStep, section: Section) -> tuple[Equation, ...]:
    """The formulas of a step back that say of what several uses a gradient is the sum."""
    sums = {part.place.here(one.name) for one in made_by(trace, part) if adds_up_uses(one)}
    return tuple(
        one for one in section.formulas if isinstance(one.left, Symbol) and one.left.name in sums
    )


def as_result(section: Section) -> Section:
    """The last section, its closing table named as the result."""
    *before, last = section.blocks
    if isinstance(last, SideBySide):
        *others, (heading, matrix) = last.columns
        columns = (*others, (heading, matrix._replace(is_result=True)))
        last = last._replace(caption="Result", columns=columns)
    elif isinstance(last, MatrixBlock):
        last = last._replace(is_result=True)
    return section._replace(blocks=(*before, last))
