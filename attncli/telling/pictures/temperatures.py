"""What a temperature changes: the shares of a row at several, each worked by the same equations."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations.activations import DivideBy
from attncli.file.problems import ScenarioError
from attncli.pictures import Bars, Series
from attncli.telling.pictures.places import called_by
from attncli.telling.pictures.softmax_bars import cut_of_bars, largest, shown_row, softmax_of
from attncli.telling.selection import Selection
from attncli.trace import Definition, HeadPlace, PlannedStep, Quantity, Trace, make

_USUAL = (Decimal("0.5"), Decimal(1), Decimal(2))


def pictures(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Bars]:
    """The row of the softmax that the part is, or that follows it."""
    own = _softmax_after(trace, part)
    made = None if own is None else softmax_of(trace, own)
    if own is None or made is None or _told_before(trace, part):
        return
    shares = trace[made[-1].name]
    said = _own_temperature(trace, own)
    try:
        worked = {
            one: shares if one == said else _at(trace, own, made, one)
            for one in sorted({*_USUAL, said})
        }
    except ScenarioError:  # numbers that get too large at a low temperature
        return
    i = shown_row(shares, selection)
    places = largest(shares, i)
    series = (
        Series(f"T = {one:f}", tuple(_number(its, shares, i, j) for j in places))
        for one, its in worked.items()
    )
    title = called_by(own, "{} at several temperatures" + cut_of_bars(shares), shares, i)
    yield Bars(title, tuple(shares.columns.words[j] for j in places), tuple(series))


def _softmax_after(trace: Trace, part: PlannedStep) -> PlannedStep | None:
    if part.step != "temperature":
        return part
    parts = (one for one in trace.story if one.path == part.path and one.step == "softmax")
    return next(parts, None)


def _told_before(trace: Trace, part: PlannedStep) -> bool:
    """Whether a step of its own, before this one, has the picture."""
    return part.step == "softmax" and part.place.name("tempered") in trace


def _own_temperature(trace: Trace, part: PlannedStep) -> Decimal:
    place = part.place
    said = place.attention.said if isinstance(place, HeadPlace) else trace.scenario.prediction.said
    temperature: Decimal | None = said.values.get("temperature")
    return Decimal(1) if temperature is None else temperature


def _at(
    trace: Trace, part: PlannedStep, made: tuple[Definition, ...], temperature: Decimal
) -> Quantity:
    """The shares at a temperature: in the place of the scenario's own, or just before softmax."""
    name, result = part.place.name("tempered"), made[-1].name
    divide = DivideBy(Number.written(temperature))
    if name in trace:
        own = trace[name].definition
        assert own is not None
        return trace.leading_to((result,)).remake(own._replace(operation=divide))[result]
    first, *others = _from_scores(trace, made)
    x, *more = first.operands
    worked = dict(trace.quantities)
    tempered = Definition(name, divide, (x,), "temperature")
    for one in (tempered, first._replace(operands=(name, *more)), *others):
        worked[one.name] = make(trace.scenario, worked, one)
    return worked[result]


def _from_scores(trace: Trace, made: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """All that is made of scores that are numbers: what is masked out is −∞, and masked again."""
    scores = trace[made[0].operands[0]]
    masked = scores.definition
    is_masked = masked is not None and scores.local in ("masked", "filtered")
    return (masked, *made) if masked is not None and is_masked else made


def _number(its: Quantity, shares: Quantity, i: int, j: int) -> Number:
    """A number of the page knows its cell; one at another temperature is in no cell."""
    return its.number(i, j) if its is shares else its.matrix.number(i, j)
