"""What a page tells of later passes of training, and what an update came to."""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations.activations import Add
from attncli.arithmetic.operations.base import Operation
from attncli.document import Block, Section, Spans
from attncli.name import Name, below
from attncli.scenario.training import UPDATES, after_updates
from attncli.steps import formulas_of
from attncli.tables import Data
from attncli.telling.blocks import matrix_block
from attncli.telling.parts import definitions_of, made_by, step_of
from attncli.telling.selection import Selection
from attncli.trace import Definition, Place, PlannedStep, Trace, UpdatePlace

_TOLD = ("update", "loss", "progress")
"""The steps of a later pass that a page tells by default."""
FEW = 4
"""So many numbers that are trained are worked at each update."""


def is_left_out(part: PlannedStep, selection: Selection) -> bool:
    """Whether a page goes without a part of a model that is worked again after an update."""
    return is_again(part, selection) and part.step not in _TOLD


def in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """What is told of a later update: the parameters after it."""
    path = Name(UPDATES, after_updates(part.updates))
    made = [(one, matrix_block(one, selection, part.path)) for one in made_by(trace, part)]
    return [table if one.name.inside(path) else Data(table) for one, table in made]


def is_in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> bool:
    """Whether a page tells of a later update no more than the parameters after it."""
    trained = [
        one
        for one in made_by(trace, part)
        if one.name.inside(Name(UPDATES, after_updates(part.updates)))
    ]
    few = sum(one.matrix.size for one in trained) <= FEW
    return part.step == "update" and is_again(part, selection) and not few


def in_one(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """A section of an update whose formulas are those of one parameter, as those of all are
    alike."""
    if not isinstance(part.place, UpdatePlace):
        return section
    alike: dict[tuple[str, Operation], Definition] = {}
    here = after_updates(part.place.after)
    for one in definitions_of(trace, part):
        if isinstance(one.operation, Add):  # of what was promised for each
            continue
        made = one.name.seen_from(here).places[0].local  # m_hat of m_hat.W_Q
        alike.setdefault((made, one.operation), one)
    told = formulas_of(step_of(part), part.place, tuple(alike.values()))
    return section._replace(formulas=told)


def is_again(part: PlannedStep, selection: Selection) -> bool:
    """Whether a part is of a model that is worked again, of which a page tells in brief."""
    return not selection.whole and bool(part.updates)


def progressed(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """`after update 1 the loss is 1.343: it fell by 0.344; the gradient predicted …`"""
    assert isinstance(place, UpdatePlace)
    loss, change, promised = (
        trace.quantities.get(below(after_updates(place.update), local))
        for local in (trace.scenario.prediction.loss, "change", "promised")
    )
    if loss is None or change is None or promised is None:
        return []
    now, by, said = (one.matrix.number(0, 0) for one in (loss, change, promised))
    verb = "rose" if by.shown > 0 else "fell" if by.shown < 0 else "changed"
    size = Number(abs(by.full), abs(by.shown))
    of = ", as the gradient predicted." if by.shown == said.shown else (
        "; the gradient predicted a change of ", said, ".",
    )  # fmt: skip
    told = of if isinstance(of, tuple) else (of,)
    return [(f"after update {place.update} the loss is ", now, f": it {verb} by ", size, *told)]
