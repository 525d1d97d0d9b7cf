"""What runs: the steps of a story as boxes, what flows between them as arrows with its shapes.

Heads stand side by side, two of many; of many layers two; so do the times of a cell, each of which
goes on from the one before it. What is done again and again, in each round, for each word, is one
box; what is worked again with updated parameters is none. On the way back only gradients flow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from attncli.pictures import Box, Diagram, Label, Link
from attncli.scenario.model import ENCODER
from attncli.telling.blocks import shape_in_short
from attncli.telling.parts import (
    made_by,
    operands_of,
    place_in_words,
    step_of,
    title_of,
    told_parts,
)
from attncli.telling.sentences import counted
from attncli.trace import (
    GRADIENTS,
    BackwardPlace,
    CellPlace,
    PlannedStep,
    Quantity,
    ResidualPlace,
    RoundPlace,
    Trace,
)
from attncli.word import Word, raw

_MOST = 2
"""So many layers of a stack, and heads of an attention, are drawn; of many times of a cell, too."""
_FEW_TIMES = 3
"""No more times than these are all drawn."""
_COUNTED = {"layers": "layer", "heads": "head", "times": "time"}
_AGAIN = ("rounds", "words", "gates")
_FLOWING = ("Q", "K", "token")
"""The roles of the rows of what flows, which weights don't have."""


class _Stage(NamedTuple):
    """What one box stands for: a step at a place; all layers, heads or times that are left out, on
    the way back others."""

    place: str
    step: str
    back: bool = False


Times = Mapping[tuple[str, str], Sequence[int]]
"""The times of a cell in the order in which they are worked, by where it is and the step."""
Groups = Mapping[_Stage, Sequence[PlannedStep]]
Flows = Mapping[tuple[_Stage, _Stage], Sequence[Quantity]]


def pipeline(trace: Trace) -> Iterator[Diagram]:
    """The diagram of a scenario that takes several steps."""
    parts = [part for part in told_parts(trace) if not part.updates]
    groups: dict[_Stage, list[PlannedStep]] = {}
    times = _times_in(parts)
    for part in parts:
        groups.setdefault(_stage_of(part, times), []).append(part)
    flows = _flows(trace, groups)
    if len(groups) > 1 and flows:
        flowing = {stage for ends in flows for stage in ends}
        drawn = {stage: its for stage, its in groups.items() if stage in flowing}
        boxes = _boxes(drawn, flows)
        names = {stage: box.id for stage, box in boxes.items()}
        links = (Link(names[a], names[b], _flowing(them)) for (a, b), them in flows.items())
        title = "The steps, and the shapes of what flows between them"
        yield Diagram(title, tuple(boxes.values()), tuple(links), across=False)


def _times_in(parts: Sequence[PlannedStep]) -> Times:
    """The times of cells, of steps that are taken at several of them."""
    often = Counter((_kept(part), part.step) for part in parts)
    again = [part for part in parts if _time_of(part) and often[_kept(part), part.step] > 1]
    found: dict[tuple[str, bool], dict[int, None]] = {}
    for part in again:
        found.setdefault((_kept(part), _is_back(part)), {})[_time_of(part) or 0] = None
    return {(_kept(one), one.step): (*found[_kept(one), _is_back(one)],) for one in again}


def _time_of(part: PlannedStep) -> int | None:
    place = part.place.forward if isinstance(part.place, BackwardPlace) else part.place
    return place.time if isinstance(place, CellPlace) else None


def _is_back(part: PlannedStep) -> bool:
    return isinstance(part.place, BackwardPlace)


def _kept(part: PlannedStep) -> str:
    """Where a part is, but for what is done again and again there."""
    kept = takewhile(lambda place: place.local not in _AGAIN, part.path.places)
    return "".join(f"{place.alone}." for place in kept)


def _stage_of(part: PlannedStep, times: Times) -> _Stage:
    back, kept = _is_back(part), _kept(part)
    for place in part.path.places:
        if place.local in _COUNTED and (place.number or 0) > _MOST:
            return _Stage(f"{kept.partition(f'{place.alone}.')[0]}{place.local}", "", back)
    if isinstance(part.place, ResidualPlace):
        return _Stage(f"{kept}{part.place.number}.", part.step)
    worked = times.get((kept, part.step), ())
    number = worked.index(_time_of(part) or 0) + 1 if len(worked) > 1 else 0
    if len(worked) > _FEW_TIMES and number > _MOST:
        return _Stage(f"{kept}times", "", back)
    return _Stage(f"{kept}times[{number}]." if number else kept, part.step)


def _flows(trace: Trace, groups: Groups) -> Flows:
    """What flows from one stage to another, each quantity by its name there once. What comes back
    to an earlier stage at a later time has no arrow."""
    order = {stage: k for k, stage in enumerate(groups)}
    makers = {
        one.name: stage
        for stage, parts in groups.items()
        for part in parts
        for one in made_by(trace, part)
    }
    flows: dict[tuple[_Stage, _Stage], dict[str, Quantity]] = {}
    for stage, parts in groups.items():
        for part in parts:
            for one in _taken(trace, part):
                maker = _Stage(one.name, _GIVEN) if _is_input(one) else makers.get(one.name)
                if maker is not None and order.get(maker, -1) < order[stage]:
                    flows.setdefault((maker, stage), {}).setdefault(one.local, one)
    by_source = sorted(flows.items(), key=lambda one: order.get(one[0][0], -1))
    return {ends: tuple(them.values()) for ends, them in by_source}


def _taken(trace: Trace, part: PlannedStep) -> Sequence[Quantity]:
    """What flows into a part: on the way back, what comes from the loss."""
    operands = operands_of(trace, part)
    if not isinstance(part.place, BackwardPlace):
        return operands
    back = [one for one in operands if one.name.inside(GRADIENTS)]
    return back or [one for one in operands if one.is_number]


_GIVEN = "given"


def _is_input(quantity: Quantity) -> bool:
    return quantity.given and quantity.rows.role in _FLOWING


def _flowing(them: Sequence[Quantity]) -> str:
    """`Q, K [3, 2]`: the names with their shapes, a shape that several have once."""
    shapes: dict[str, list[str]] = {}
    for one in them:
        local = f"{GRADIENTS}.{one.local}" if one.name.inside(GRADIENTS) else one.local
        shapes.setdefault(shape_in_short(one), []).append(local)
    return ", ".join(f"{', '.join(names)}{shape}" for shape, names in shapes.items())


def _boxes(groups: Groups, flows: Flows) -> Mapping[_Stage, Box]:
    """A box for each stage, below all that it comes from."""
    inputs = dict.fromkeys(a for a, _ in flows if a.step == _GIVEN)
    rows: dict[_Stage, int] = dict.fromkeys(inputs, 0)
    for stage in groups:
        rows[stage] = max((rows[a] + 1 for a, b in flows if b == stage), default=0)
    behind = 1 + max((_column_of(s) for s, its in groups.items() if _is_encoder(its)), default=-1)
    boxes: dict[_Stage, Box] = {}
    used: set[tuple[int, int]] = set()
    for stage in (*inputs, *groups):
        parts = groups.get(stage, ())
        column = _column_of(stage) + (0 if _is_encoder(parts) else behind)
        while (column, rows[stage]) in used:
            column += 1
        used.add((column, rows[stage]))
        told = _told(stage, parts) if parts else (stage.place, "given")
        boxes[stage] = Box(f"s{len(boxes) + 1}", *told, column, rows[stage])
    return boxes


def _is_encoder(parts: Sequence[PlannedStep]) -> bool:
    return bool(parts) and parts[0].path.places[:1] == (ENCODER,)


def _column_of(stage: _Stage) -> int:
    """The head or the time that a stage is of, from 0; what is behind the last that is drawn is all
    others."""
    if stage.place.endswith(("heads", "times")):
        return _MOST
    found = re.search(r"(?:heads|times)\[(\d+)\]\.$", stage.place)
    return int(found[1]) - 1 if found else 0


def _told(stage: _Stage, parts: Sequence[PlannedStep]) -> tuple[Label, Label]:
    """What stands in a box and below it."""
    first = parts[0]
    if not stage.step:
        local = stage.place.rpartition(".")[2]
        many: set[object] = {
            place for part in parts for place in part.path.places if place.local == local
        }
        many |= {_time_of(part) for part in parts} if local == "times" else set()
        where = place_in_words(first.path) if local == "times" else ""
        return f"{counted(len(many), f'more {_COUNTED[local]}')}", ", ".join(
            filter(None, (where, "alike"))
        )
    below, time = place_in_words(first.path), _time_of(first)
    if len(parts) == 1 and time is None and not isinstance(first.place, RoundPlace):
        return _title(first), below
    often = f"{len(parts)} times" if len(parts) > 1 else ""
    when = "" if time is None else f"at time {time}"
    return step_of(first).title, ", ".join(filter(None, (below, when, often)))


def _title(part: PlannedStep) -> Label:
    title = title_of(part)
    text = "".join(map(raw, title))
    return Word(text) if any(isinstance(one, Word) for one in title) else text
