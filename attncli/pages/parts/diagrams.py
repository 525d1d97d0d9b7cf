"""Diagrams of models: steps with shapes between them, and recurrent cells through time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from attncli.document.pictures import Box, Diagram, Label, Link
from attncli.errors import counted
from attncli.maths.equations.tree import Vector
from attncli.maths.notation import plain
from attncli.names import Name, Word, raw
from attncli.pages.parts.pictures import called
from attncli.pages.parts.selection import (
    made_by,
    operands_of,
    place_in_words,
    shown_parts,
    title_of,
)
from attncli.scenario.model import ENCODER
from attncli.steps.order import step_of
from attncli.trace import (
    GRADIENTS,
    AttentionPlace,
    BackwardPlace,
    CellPlace,
    HeadPlace,
    Place,
    PlannedStep,
    Quantity,
    ResidualPlace,
    Trace,
    WayPlace,
)

_MOST_HEADS = 2
"""So many heads stand beside each other where an attention is drawn in its steps."""
_FEWEST = 5
"""A diagram of fewer steps tells nothing that the page doesn't."""
_AGAIN = ("rounds", "words", "gates")
_FLOWING = ("Q", "K", "token")
"""The roles of the rows of what flows, which weights don't have."""


class _Stage(NamedTuple):
    """A stage that one box stands for. The way back has stages of its own."""

    place: str
    """Where it is, in all layers."""
    step: str = ""
    """Its step; empty for all of an attention, or of a cell at a time."""
    back: bool = False
    """Whether it is on the way back."""


Groups = Mapping[_Stage, Sequence[PlannedStep]]
Flows = Mapping[tuple[_Stage, _Stage], Sequence[Quantity]]
Labels = Mapping[tuple[_Stage, _Stage], str]
"""What stands on an arrow, by its ends."""


def pipeline(trace: Trace) -> Iterator[Diagram]:
    """Yields the diagrams of what runs: cells through time, or several steps that are no mere
    sequence."""
    parts = [part for part in shown_parts(trace) if not part.is_again]
    yield from _chains(trace, parts) if _has_cells(parts) else _blocks(trace, parts)


def chart(trace: Trace) -> Diagram | None:
    """Returns the diagram of the steps where cells through time are drawn in its place: what is
    done at each time is one box, and nothing stands on the arrows, so that it is narrow; None where
    it has too few."""
    parts = [part for part in shown_parts(trace) if not part.is_again]
    found = next(_blocks(trace, parts), None) if _has_cells(parts) else None
    if found is None:
        return None
    links = tuple(link._replace(label="") for link in found.links)
    boxes = tuple(box._replace(label=_without_when(box.label)) for box in found.boxes)
    return found._replace(title="The steps", boxes=boxes, links=links)


def _without_when(title: Label) -> Label:
    """Shortens `Initial state, before the first token`."""
    return title.partition(", before ")[0] if isinstance(title, str) else title


def _has_cells(parts: Sequence[PlannedStep]) -> bool:
    return any(isinstance(_forward(part), CellPlace) for part in parts)


def _forward(part: PlannedStep) -> Place:
    return part.place.forward if isinstance(part.place, BackwardPlace) else part.place


def _is_back(part: PlannedStep) -> bool:
    return isinstance(part.place, BackwardPlace)


def _blocks(trace: Trace, parts: Sequence[PlannedStep]) -> Iterator[Diagram]:
    """Yields the diagram of the steps as boxes, with what flows between them as arrows. Where there
    are residuals or many heads, an attention is one box. Equal layers are drawn once, in a frame
    that says how many they are; what is done again and again is one box. On the way back only
    gradients flow."""
    places = [_forward(part) for part in parts]
    whole = any(isinstance(place, ResidualPlace) for place in places)
    whole |= any(isinstance(at, HeadPlace) and at.attention.heads > _MOST_HEADS for at in places)
    groups: dict[_Stage, list[PlannedStep]] = {}
    for part in parts:
        groups.setdefault(_stage_of(part, whole), []).append(part)
    flows = _flows(trace, groups)
    flowing = {stage for ends in flows for stage in ends}
    if len(groups) >= _FEWEST and len(flows) >= len(flowing):
        drawn = {stage: its for stage, its in groups.items() if stage in flowing}
        numbers = {id(part): number for number, part in enumerate(shown_parts(trace), start=1)}
        boxes = _boxes(drawn, flows, {stage: numbers[id(its[0])] for stage, its in drawn.items()})
        title = "The steps, and the shapes of what flows between them"
        links = _links(boxes, _shapes(flows))
        yield Diagram(title, tuple(boxes.values()), links, across=False)


def _links(boxes: Mapping[_Stage, Box], labels: Labels) -> tuple[Link, ...]:
    ends = (pair for pair in labels if boxes.keys() >= {*pair})
    return tuple(Link(boxes[a].id, boxes[b].id, labels[a, b]) for a, b in ends)


def _shapes(flows: Flows) -> Labels:
    return {ends: _flowing(them) for ends, them in flows.items()}


def _stage_of(part: PlannedStep, whole: bool) -> _Stage:
    """Returns the stage of a part, where attentions may be drawn as a whole."""
    place, back = _forward(part), _is_back(part)
    if whole and isinstance(place, AttentionPlace):
        return _Stage(_kept(place.attention.path), "", back)
    if isinstance(part.place, ResidualPlace):
        return _Stage(f"{_kept(part.path)}{part.place.number}.", part.step)
    return _Stage(_kept(part.path), part.step)


def _kept(path: Name) -> str:
    """Writes where something is, whichever the layer, and without what is done again and again
    there."""
    kept = (place for place in path.places if place.local not in _AGAIN)
    return "".join(f"{p.local if p.local == _LAYERS else p.alone}." for p in kept)


_LAYERS = "layers"


def _flows(trace: Trace, groups: Groups) -> Flows:
    """Finds what flows from one stage to another, each quantity by its name there once. What comes
    back to an earlier stage at a later time has no arrow."""
    order = {stage: k for k, stage in enumerate(groups)}
    makers = {
        q.name: stage
        for stage, parts in groups.items()
        for part in parts
        for q in made_by(trace, part)
    }
    flows: dict[tuple[_Stage, _Stage], dict[str, Quantity]] = {}
    for stage, parts in groups.items():
        for part in parts:
            for quantity in _taken(trace, part):
                maker = makers.get(quantity.name)
                if quantity.given and quantity.rows.role in _FLOWING:
                    maker = _Stage(quantity.name, _GIVEN)
                if maker is not None and order.get(maker, -1) < order[stage]:
                    flows.setdefault((maker, stage), {}).setdefault(quantity.local, quantity)
    by_source = sorted(flows.items(), key=lambda rows: order.get(rows[0][0], -1))
    return {ends: tuple(them.values()) for ends, them in by_source}


def _taken(trace: Trace, part: PlannedStep) -> Sequence[Quantity]:
    """Returns what flows into a part: on the way back, what comes from the loss."""
    operands = operands_of(trace, part)
    if not isinstance(part.place, BackwardPlace):
        return operands
    back = [o for o in operands if o.name.inside(GRADIENTS)]
    return back or [o for o in operands if o.is_number]


_GIVEN = "given"


def _flowing(them: Sequence[Quantity]) -> str:
    """Writes names with their shapes, `Q, K 3×2`: a shape that several have once."""
    shapes: dict[str, list[str]] = {}
    for quantity in them:
        local = (
            f"{GRADIENTS}.{quantity.local}" if quantity.name.inside(GRADIENTS) else quantity.local
        )
        shapes.setdefault(_shape(quantity), []).append(local)
    return ", ".join(f"{', '.join(names)} {shape}".rstrip() for shape, names in shapes.items())


def _shape(quantity: Quantity) -> str:
    rows, columns = quantity.matrix.shape
    if quantity.is_number:
        return ""
    is_list = quantity.is_list or quantity.is_vector
    return f"{rows * columns}" if is_list else f"{rows}×{columns}"


def _boxes(groups: Groups, flows: Flows, sections: Mapping[_Stage, int]) -> Mapping[_Stage, Box]:
    """Places a box for each stage, below all that it comes from, with the number of its section."""
    inputs = dict.fromkeys(a for a, _ in flows if a.step == _GIVEN)
    rows: dict[_Stage, int] = dict.fromkeys(inputs, 0)
    for stage in groups:
        rows[stage] = max((rows[a] + 1 for a, b in flows if b == stage), default=0)
    behind = 1 + max((_column_of(s) for s, its in groups.items() if _is_encoder(its)), default=-1)
    boxes: dict[_Stage, Box] = {}
    used: set[tuple[int, int]] = set()
    for stage in (*groups, *inputs):  # what is given stands aside
        parts = groups.get(stage, ())
        column = _column_of(stage) + (0 if _is_encoder(parts) else behind)
        while (column, rows[stage]) in used:
            column += 1
        used.add((column, rows[stage]))
        pairs = _labels(stage, parts) if parts else (stage.place, "given")
        frame = _frame(parts)
        number, section = len(boxes) + 1, sections.get(stage, 0)
        at = (column, rows[stage])
        boxes[stage] = Box(f"s{number}", *pairs, *at, frame=frame, section=section)
    return boxes


def _frame(parts: Sequence[PlannedStep]) -> str:
    """Returns what the frame of a box is called that is of several layers; else nothing."""
    layers = {at.number for part in parts for at in part.path.places if at.local == _LAYERS}
    stack = "Encoder · " if _is_encoder(parts) else ""
    return f"{stack}{counted(len(layers), 'layer')}" if len(layers) > 1 else ""


def _is_encoder(parts: Sequence[PlannedStep]) -> bool:
    return bool(parts) and parts[0].path.places[:1] == (ENCODER,)


def _column_of(stage: _Stage) -> int:
    """Returns the number of the head that a stage is of, from 0."""
    found = re.search(r"heads\[(\d+)\]\.$", stage.place)
    return int(found[1]) - 1 if found else 0


def _labels(stage: _Stage, parts: Sequence[PlannedStep]) -> tuple[Label, Label]:
    """Returns what stands in a box and below it."""
    first, place = parts[0], _forward(parts[0])
    if not stage.step and isinstance(place, AttentionPlace):
        name, heads = _attention_in_words(parts, place), place.attention.heads
        label = f"Backward through the {name}" if stage.back else name.capitalize()
        return label, counted(heads, "head") if heads > 1 else ""
    told = (_LAYERS, ENCODER.local) if _frame(parts) else ()
    places = (place_in_words(at.alone) for at in first.path.places if at.local not in told)
    below = " · ".join(filter(None, places))
    again = any(at.local in _AGAIN for at in first.path.places) or isinstance(place, CellPlace)
    if len(parts) == 1 or not again:
        return _title(first), below
    return step_of(first).words.title, ", ".join(filter(None, (below, f"{len(parts)} times")))


def _attention_in_words(parts: Sequence[PlannedStep], place: AttentionPlace) -> str:
    """Names the kind of attention: `masked multi-head attention`, `cross-attention`."""
    masked = "masked " if any(part.step == "mask" for part in parts) else ""
    many = "multi-head " if place.attention.heads > 1 else ""
    kind = "cross-attention" if place.attention.sees_memory else "attention"
    return f"{masked}{many}{kind}"


def _title(part: PlannedStep) -> Label:
    title = title_of(part)
    text = "".join(map(raw, title))
    return Word(text) if any(isinstance(entry, Word) for entry in title) else text


_MOST_TIMES, _FIRST_TIMES = 6, 2
"""So many times of a cell are drawn; of more the first ones, and the last."""
_READOUT = "readout"


def _chains(trace: Trace, parts: Sequence[PlannedStep]) -> Iterator[Diagram]:
    """Yields the diagram of each recurrent layer's cell through time, and that of its way back."""
    layers: dict[tuple[str, bool], list[PlannedStep]] = {}
    for part in parts:
        place = _forward(part)
        if isinstance(place, CellPlace) or (isinstance(place, WayPlace) and part.step == "start"):
            layers.setdefault((f"{place.layer.path}", _is_back(part)), []).append(part)
    for (_, back), its in layers.items():
        times = {time for part in its if part.step != "start" for _, time in [_way_and_time(part)]}
        if len(times) > 1:
            yield _chain(trace, its, back=back)


def _way_and_time(part: PlannedStep) -> tuple[WayPlace, int]:
    """Returns the way that a part goes, and at which time. Of the times that are drawn as one it is
    the first; what stands before all is at the start."""
    place = _forward(part)
    assert isinstance(place, WayPlace)
    time = place.time if isinstance(place, CellPlace) else place.start
    left_out = place.times > _MOST_TIMES and _FIRST_TIMES < time < place.times
    return place, _FIRST_TIMES + 1 if left_out else time


def _chain(trace: Trace, parts: Sequence[PlannedStep], *, back: bool) -> Diagram:
    """Returns the diagram of a cell at each time beside that before it, with what it hands on; its
    tokens stand below, and below them the cell that goes from the right to the left. On the way
    back, the losses stand above."""
    groups: dict[_Stage, list[PlannedStep]] = {}
    for part in parts:
        place, time = _way_and_time(part)
        readout = part.step == _READOUT and not back
        stage = _Stage(f"{place.way}[{time}]", _READOUT if readout else "", back)
        groups.setdefault(stage, []).append(part)
    handed = {ends: [q for q in them if q.is_list] for ends, them in _flows(trace, groups).items()}
    flows = {ends: them for ends, them in handed.items() if them}
    boxes = {stage: _cell(trace, its, f"c{k}") for k, (stage, its) in enumerate(groups.items())}
    more = [*(_losses if back else _tokens)(trace, groups, boxes)]
    around = {box.id: box for box, _ in more}
    title = "The way back through time" if back else "The cell at each step"
    told = {} if back else _numbers(parts[0].place, flows)
    what = "what it hands on" if told else "the shapes of what it hands on"
    return Diagram(
        called(parts[0], f"{title}, and {what}"),
        (*around.values(), *boxes.values()),
        (*(link for _, link in more), *_links(boxes, told or _shapes(flows))),
    )


_MOST_CHARACTERS = 48
"""Longer numbers don't fit on an arrow."""


def _numbers(place: Place, flows: Flows) -> Labels:
    """Returns the numbers of what flows, rather to the next time than to a read-out, which then has
    the name; nothing where these are too many."""
    onward = {q.name for (_, to), them in flows.items() if not to.step for q in them}
    labels = {
        (source, to): ", ".join(
            f"{place.here(q.name)}" if to.step and q.name in onward else _told_whole(place, q)
            for q in them
        )
        for (source, to), them in flows.items()
    }
    return labels if all(len(text) <= _MOST_CHARACTERS for text in labels.values()) else {}


def _told_whole(place: Place, quantity: Quantity) -> str:
    """Writes a list with its numbers: `h[1] = [0.46, 0.2]`."""
    numbers = tuple(quantity.number(i, 0) for i in range(quantity.matrix.shape[0]))
    return f"{place.here(quantity.name)} = {plain(Vector(numbers))}"


_ROWS: Mapping[tuple[bool, bool], int] = MappingProxyType(
    {(False, True): 0, (False, False): 1, (True, False): 3, (True, True): 4}
)
"""The row of a box, by whether it goes backward, and whether it is a read-out; tokens are in 2."""


def _cell(trace: Trace, parts: Sequence[PlannedStep], name: str) -> Box:
    """Returns the box of a cell at a time, or at all that are drawn as one; or that of what is
    there before, or is read out."""
    first, (place, time) = parts[0], _way_and_time(parts[0])
    readout = first.step == _READOUT
    row = _ROWS[place.way == "backward", readout]
    label, below = f"{place.cell.kind.upper()} cell", place.titled("").strip()
    if first.step == "start":
        label = ", ".join(f"{place.here(made.name)}" for made in made_by(trace, first))
        below = "at the start"
    elif _is_back(first):
        label = "Backward"
    elif readout:
        label = step_of(first).words.title
    times = {_forward(part) for part in parts}
    many = len({at.time for at in times if isinstance(at, CellPlace)})
    if many > 1:
        label, below = f"{counted(many, 'more step')}", "alike"
    return Box(name, label, below, time, row)


def _tokens(
    trace: Trace, groups: Groups, boxes: Mapping[_Stage, Box]
) -> Iterator[tuple[Box, Link]]:
    """Yields a box for the token that each cell takes, with the arrow to it; those that take the
    same one share it."""
    for stage, parts in groups.items():
        taken = (q for part in parts for q in operands_of(trace, part) if q.rows.role == "token")
        rows = next(taken, None)
        times = [at.time for at in map(_forward, parts) if isinstance(at, CellPlace)]
        if rows is not None and not stage.step:
            column = boxes[stage].column
            word = rows.rows.words[times[0] - 1] if len({*times}) == 1 else "…"
            box = Box(f"t{column}", word, f"{rows.local} {rows.matrix.shape[1]}", column, 2)
            yield box, Link(box.id, boxes[stage].id)


def _losses(
    trace: Trace, groups: Groups, boxes: Mapping[_Stage, Box]
) -> Iterator[tuple[Box, Link]]:
    """Yields a box for the loss of each cell that is read out, with the arrow of what comes back
    from it."""
    own = {q.name for parts in groups.values() for part in parts for q in made_by(trace, part)}
    for stage, parts in groups.items():
        taken = {q.local: q for part in parts for q in _taken(trace, part) if q.name not in own}
        grads = [q for q in taken.values() if q.name.inside(GRADIENTS)]
        if grads:
            box = Box(f"l{boxes[stage].column}", "Loss", "", boxes[stage].column, 0)
            yield box, Link(box.id, boxes[stage].id, _flowing(grads))
