"""Making a mistake on purpose."""

from __future__ import annotations

from attncli.scenario import ScenarioError
from attncli.steps.step import Mistake
from attncli.trace import Making, Part, Trace


def made_wrongly(trace: Trace, part: Part, mistake: Mistake) -> Making | None:
    """How a mistake makes its quantity in a part; None where the part doesn't come to make it."""
    making = mistake.making(part.scope)
    if making is None or making.name not in trace or trace[making.name].given:
        return None
    return making


def mistaken(trace: Trace, part: Part, making: Making) -> Trace | None:
    """The trace with a quantity made in a wrong way, and whatever else the part makes of it worked
    again; None where its figures don't allow that."""
    try:
        wrong = trace.within(part).remake(making)
    except (KeyError, ValueError, ScenarioError):
        return None
    same_shape = wrong[making.name].matrix.shape == trace[making.name].matrix.shape
    return wrong if same_shape else None
