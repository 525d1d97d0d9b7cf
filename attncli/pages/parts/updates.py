"""Models worked again after an update: the steps that a page tells, and in how few words."""

from __future__ import annotations

from attncli.document.blocks import Block, Section
from attncli.document.tables import DataTable
from attncli.maths.operations.activations import Add
from attncli.maths.operations.operation import Operation
from attncli.names import Name
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.findings import finding_of
from attncli.pages.parts.selection import Selection, definitions_of, made_by
from attncli.scenario.model import UPDATES, after_updates, pass_of
from attncli.steps import formulas_of
from attncli.steps.order import step_of
from attncli.trace import Definition, PlannedStep, Trace, UpdatePlace

_TOLD = ("update", "loss", "progress")
"""The steps of a later pass that a page tells by default."""
FEW = 4
"""So many numbers that are trained are worked at each update."""


def is_left_out(trace: Trace, part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a page goes without a part of a model that is worked again after an update, or
    of another micro-batch but where what that gives is used."""
    if not is_again(part, selection):
        return False
    told = part.step in _TOLD and not (part.step == "loss" and _is_repeated(trace, part))
    place = pass_of(part.path)
    operands = {name for d in part.definitions for name in d.operands} if place else ()
    own = any(name.path == place and trace[name].given for name in operands)
    return not (told or own)


def in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Returns what is told of a later update: the parameters after it, and what it came to."""
    path = Name(UPDATES, after_updates(part.updates))
    made = [(q, matrix_block(q, selection, part.path)) for q in made_by(trace, part)]
    tables = [table if q.name.inside(path) else DataTable(table) for q, table in made]
    return [*tables, *finding_of(trace, part, selection)]


def is_in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a page says no more of a later update than its parameters and what it came
    to."""
    update = part.step == "update" and not trains_few(trace)
    progress = part.step == "progress" and _is_repeated(trace, part)
    return is_again(part, selection) and (update or progress)


def _is_repeated(trace: Trace, part: PlannedStep) -> bool:
    """Tells whether a part comes after an update whose likes have shown how it is worked."""
    return part.updates > 1 and not trains_few(trace)


def trained_parameters(trace: Trace) -> list[Name]:
    """Lists the parameters that are trained."""
    given = (q.name for q in trace.quantities.values() if q.given)
    return [name for name in given if name.under(Name(UPDATES)) in trace]


def trains_few(trace: Trace) -> bool:
    """Tells whether so little is trained that all of it is worked at each update."""
    return sum(trace[name].matrix.size for name in trained_parameters(trace)) <= FEW


def in_one(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """Returns a section of an update with the formulas of one parameter, as those of all are alike;
    any other section as it is."""
    if not isinstance(part.place, UpdatePlace):
        return section
    alike: dict[tuple[str, Operation], Definition] = {}
    here = after_updates(part.place.after)
    for definition in definitions_of(trace, part):
        if isinstance(definition.operation, Add):  # the predicted changes of each
            continue
        made = definition.name.seen_from(here).places[0].local  # m_hat of m_hat.W_Q
        alike.setdefault((made, definition.operation), definition)
    equations = formulas_of(step_of(part), part.place, tuple(alike.values()))
    return section._replace(formulas=equations)


def is_again(part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a part is of a model that is worked again, of which a page tells in brief."""
    return not selection.whole and part.is_again
