"""Making a mistake on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncli.file.problems import ScenarioError
from attncli.steps.step import Mistake
from attncli.trace import Definition, PlannedStep, Trace


def made_wrongly(trace: Trace, part: PlannedStep, mistake: Mistake[Any]) -> Definition | None:
    """How a mistake makes its quantity in a part; None where the part doesn't come to make it."""
    definition = mistake.definition(part.place)
    if definition is None or definition.name not in trace or trace[definition.name].given:
        return None
    return definition._replace(step=part.step)


def all_made_wrongly(
    trace: Trace, part: PlannedStep, mistake: Mistake[Any]
) -> Iterator[tuple[Definition, ...]]:
    """All that is made in other ways by whoever makes a mistake, of what is there, what the mistake
    is in first: once for each way to make it. None where the part doesn't come to make that, or
    where what it is made of isn't there."""
    first = made_wrongly(trace, part, mistake)
    if first is None:
        return
    for way in ((first, *mistake.also(part.place)), *mistake.variants(part.place)):
        made = tuple(
            one._replace(step=part.step)
            for one in way
            if one.name in trace and not trace[one.name].given
        )
        if made and all(operand in trace for one in made for operand in one.operands):
            yield made


def mistaken(trace: Trace, part: PlannedStep, definition: Definition) -> Trace | None:
    """The trace with a quantity made in a wrong way, and whatever else the part that makes it makes
    of it worked again; None where its numbers don't allow that."""
    made_in = trace.part_of(definition.name) or part
    try:
        wrong = trace.within(made_in).remake(definition)
    except (KeyError, ValueError, ScenarioError):
        return None
    same_shape = wrong[definition.name].matrix.shape == trace[definition.name].matrix.shape
    return wrong if same_shape else None
