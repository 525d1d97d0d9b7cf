"""The author's working, as it may have been, beside the right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from attncli.document import Block, Prose, Working
from attncli.file.problems import ScenarioError
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Verdict
from attncli.telling.working import cell_line
from attncli.trace import Trace

_NOT_WORKED = (ScenarioError, ValueError, KeyError, ArithmeticError, IndexError, TypeError)
"""What comes of numbers that no working gives, such as −∞ for a weight."""
_RIGHT = ("correct", "blank", "unreadable")


def beside(judge: Judge, verdict: Verdict, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """The working of a wrong number: as it may have been, and as it is right."""
    name, i, j = verdict.cell
    own = theirs(judge.trace, [one for one in verdicts if one.cell.quantity != name], verdict)
    if verdict.judgement == "known mistake" and own is not None:
        wrong = _made_wrongly(judge, own, verdict)
        if wrong is not None:
            yield Prose(("As it may have been worked:",))
            yield Working((cell_line(wrong, wrong[name], i, j),), _name(verdict))
    if own is not None and verdict.follows is not None:
        yield Prose(("From the earlier numbers given:",))
        yield Working((cell_line(own, own[name], i, j),))
    if judge.trace[name].definition is not None:
        yield Prose(("Right:",))
        yield Working((cell_line(judge.trace, judge.trace[name], i, j),))


def _name(verdict: Verdict) -> str:
    return verdict.cause.name if verdict.cause is not None else ""


def theirs(trace: Trace, verdicts: Sequence[Verdict], before: Verdict) -> Trace | None:
    """The trace worked again from an author's own numbers before a cell; None where these can't be
    worked on with."""
    order = list(trace)
    end = order.index(before.cell.quantity)
    for name in order[:end]:
        wrong = [one for one in verdicts if one.cell.quantity == name]
        wrong = [one for one in wrong if one.judgement not in _RIGHT]
        if not wrong:
            continue
        try:
            trace = trace.replay({name: _numbers(trace, name, wrong)})
        except _NOT_WORKED:
            return None
    return trace


def _numbers(trace: Trace, name: str, wrong: Sequence[Verdict]) -> list[list[Decimal]]:
    """The numbers of a quantity with the author's in the place of ours."""
    quantity = trace[name]
    n, m = quantity.matrix.shape
    rows = [[quantity.matrix.number(i, j).full for j in range(m)] for i in range(n)]
    for one in wrong:
        assert one.given.number is not None
        rows[one.cell.row][one.cell.column] = one.given.number
    return rows


def _made_wrongly(judge: Judge, trace: Trace, verdict: Verdict) -> Trace | None:
    """The trace with the mistake made in it that a verdict names."""
    cause, name = verdict.cause, verdict.cell.quantity
    if cause is None:
        return None
    made_in = cause.quantity or name
    ways = (one for one in judge.hypotheses.ways if one.name == cause.name)
    way = next((one for one in ways if one.definitions[0].name == made_in), None)
    if way is None:
        return None
    try:
        for definition in way.definitions:
            trace = trace.remake(definition)
    except _NOT_WORKED:
        return None
    same = trace[name].matrix.shape == judge.trace[name].matrix.shape
    return trace if same else None
