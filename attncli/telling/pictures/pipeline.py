"""What runs: the steps of a story as boxes, what flows between them as arrows with its shapes.

Heads stand side by side, two of many; of many layers two. What is done again and again, at each
time of a cell, in each round, for each word, is one box; what is worked again with updated
parameters is none. On the way back only gradients flow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attncli.pictures import Box, Diagram, Label, Link
from attncli.records import NamedTuple
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
"""So many layers of a stack, and heads of an attention, are drawn."""
_COUNTED = {"layers": "layer", "heads": "head"}
_AGAIN = ("rounds", "words", "gates")
_FLOWING = ("Q", "K", "token")
"""The roles of the rows of what flows, which weights don't have."""


class _Stage(NamedTuple):
    """What one box stands for: a step at a place; all layers or heads that are left out."""

    place: str
    step: str


Groups = Mapping[_Stage, Sequence[PlannedStep]]
Flows = Mapping[tuple[_Stage, _Stage], Sequence[Quantity]]


def pipeline(trace: Trace) -> Iterator[Diagram]:
    """The diagram of a scenario that takes several steps."""
    groups: dict[_Stage, list[PlannedStep]] = {}
    for part in told_parts(trace):
        if not part.updates:
            groups.setdefault(_stage_of(part), []).append(part)
    flows = _flows(trace, groups)
    if len(groups) > 1 and flows:
        flowing = {stage for ends in flows for stage in ends}
        drawn = {stage: its for stage, its in groups.items() if stage in flowing}
        boxes = _boxes(drawn, flows)
        names = {stage: box.id for stage, box in boxes.items()}
        links = (Link(names[a], names[b], _flowing(them)) for (a, b), them in flows.items())
        title = "The steps, and the shapes of what flows between them"
        yield Diagram(title, tuple(boxes.values()), tuple(links), across=False)


def _stage_of(part: PlannedStep) -> _Stage:
    kept = ""
    for place in part.path.places:
        if place.local in _AGAIN:
            break
        if place.local in _COUNTED and (place.number or 0) > _MOST:
            return _Stage(f"{kept}{place.local}", "")
        kept += f"{place.alone}."
    if isinstance(part.place, ResidualPlace):
        kept += f"{part.place.number}."
    return _Stage(kept, part.step)


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
    behind = 1 + max((_head_of(s) for s, its in groups.items() if _is_encoder(its)), default=-1)
    boxes: dict[_Stage, Box] = {}
    used: set[tuple[int, int]] = set()
    for stage in (*inputs, *groups):
        parts = groups.get(stage, ())
        column = _head_of(stage) + (0 if _is_encoder(parts) else behind)
        while (column, rows[stage]) in used:
            column += 1
        used.add((column, rows[stage]))
        told = _told(parts) if parts else (stage.place, "given")
        boxes[stage] = Box(f"s{len(boxes) + 1}", *told, column, rows[stage])
    return boxes


def _is_encoder(parts: Sequence[PlannedStep]) -> bool:
    return bool(parts) and parts[0].path.places[:1] == (ENCODER,)


def _head_of(stage: _Stage) -> int:
    """The head that a stage is of, from 0; the one behind the last that is drawn is all others."""
    if stage.place.endswith("heads"):
        return _MOST
    _, heads, number = stage.place.rpartition("heads[")
    return int(number.partition("]")[0]) - 1 if heads else 0


def _told(parts: Sequence[PlannedStep]) -> tuple[Label, Label]:
    """What stands in a box and below it."""
    first = parts[0]
    stage = _stage_of(first)
    if not stage.step:
        local = stage.place.rpartition(".")[2]
        many = {place for part in parts for place in part.path.places if place.local == local}
        return f"{counted(len(many), f'more {_COUNTED[local]}')}", "alike"
    below = place_in_words(first.path)
    if len(parts) == 1 and not isinstance(first.place, CellPlace | RoundPlace):
        return _title(first), below
    times = "at each of {} times" if isinstance(first.place, CellPlace) else "{} times"
    often = times.format(len(parts)) if len(parts) > 1 else ""
    return step_of(first).title, ", ".join(filter(None, (below, often)))


def _title(part: PlannedStep) -> Label:
    title = title_of(part)
    text = "".join(map(raw, title))
    return Word(text) if any(isinstance(one, Word) for one in title) else text
