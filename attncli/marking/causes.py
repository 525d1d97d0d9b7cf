"""Why numbers are wrong: each known mistake is made on purpose, from the author's own numbers, and
what explains most of a quantity's numbers is what was done."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from attncli.arithmetic.expression import Location
from attncli.file.problems import ScenarioError
from attncli.marking.paths import Paths
from attncli.marking.slips import slips
from attncli.marking.verdicts import Cause, Given, Judgement
from attncli.marking.ways import rounding_ways
from attncli.records import NamedTuple
from attncli.steps import step_named
from attncli.steps.mistakes import made_wrongly
from attncli.trace import Trace

if TYPE_CHECKING:
    from attncli.marking.judging import Tolerance

Explained = Mapping[Location, tuple[Judgement, list[Cause]]]


class Hypothesis(NamedTuple):
    """What an author may have done instead, and where that would have led."""

    cause: Cause
    judgement: Judgement
    paths: Paths


class _Fit(NamedTuple):
    """How well a hypothesis explains the wrong numbers of a quantity: those that it gives, and how
    many of the author's other numbers speak against it."""

    hypothesis: Hypothesis
    cells: frozenset[Location]
    against: int


def explained(
    paths: Paths,
    name: str,
    given: Mapping[Location, Given],
    settled: Collection[Location],
    tolerance: Tolerance,
) -> Explained:
    """The judgement on each number of a quantity that is neither right nor follows, and its causes,
    those that explain most with least first."""
    open_ = [cell for cell in given if cell not in settled]
    fits = [_fit(one, given, settled, tolerance) for one in hypotheses(paths, name)]
    fits = sorted(
        (one for one in fits if one.cells), key=lambda fit: (-len(fit.cells), fit.against)
    )
    return {cell: _of_cell(paths, cell, given[cell], fits, tolerance) for cell in open_}


def hypotheses(paths: Paths, name: str) -> Iterator[Hypothesis]:
    """The known mistakes in making a quantity, and what is made between it and what is known."""
    trace = paths.trace
    between = set(_leading_to(trace, name, set(paths.known)))
    for part in trace.story:
        if between.isdisjoint(definition.name for definition in part.definitions):
            continue
        for mistake in step_named(part.step).mistakes:
            definition = made_wrongly(trace, part, mistake)
            if definition is None or definition.name not in between:
                continue
            if all(operand in trace for operand in definition.operands):
                cause = Cause(mistake.name, mistake.says, definition.name)
                way = paths.from_here(instead={definition.name: definition})
                yield Hypothesis(cause, "known mistake", way)


def _leading_to(trace: Trace, name: str, known: Collection[str]) -> Iterator[str]:
    """A quantity, and those that it is made of, back to known ones."""
    yield name
    definition = trace[name].definition
    for operand in () if definition is None else definition.operands:
        if operand not in known and not trace[operand].given:
            yield from _leading_to(trace, operand, known)


def _fit(
    one: Hypothesis,
    given: Mapping[Location, Given],
    settled: Collection[Location],
    tolerance: Tolerance,
) -> _Fit:
    takes = {cell for cell, said in given.items() if _takes(one.paths, cell, said, tolerance)}
    against = sum(cell not in takes for cell in settled if given[cell].number is not None)
    return _Fit(one, frozenset(takes - set(settled)), against)


def _takes(paths: Paths, cell: Location, given: Given, tolerance: Tolerance) -> bool:
    """Whether a way of working may give a number."""
    from attncli.marking.judging import accepted

    if given.number is None:
        return False
    try:
        return accepted(paths, cell, tolerance).takes(given.number)
    except (ValueError, ArithmeticError, ScenarioError, IndexError):
        return False  # a mistake that these numbers, or their shapes, don't allow


def _of_cell(
    paths: Paths, cell: Location, given: Given, fits: list[_Fit], tolerance: Tolerance
) -> tuple[Judgement, list[Cause]]:
    rounding = list(rounding_ways(paths, cell, given))
    if rounding:
        return "rounding", rounding
    known = [fit.hypothesis.cause for fit in fits if cell in fit.cells]
    if known:
        return "known mistake", known
    judgement, found = slips(paths, cell, given, tolerance)
    return judgement, found
