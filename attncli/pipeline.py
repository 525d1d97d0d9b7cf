"""From a scenario to its trace: plan the story, leave out what nobody needs, do the sums."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from attncli.arithmetic.matrix import Matrix
from attncli.scenario import Scenario
from attncli.steps import STEPS
from attncli.trace import Making, Quantity, Trace, Unfinished, make
from attncli.trace.axes import axes_of


def work(scenario: Scenario) -> Trace:
    """The worked scenario, as far as what is given goes.

    Raises ScenarioError where the figures can't be worked: a row of exponentials that all
    round to zero, figures too long for the decimals asked for.
    """
    given = _given(scenario)
    plan = _needed(_planned(scenario), given)
    quantities = {name: _quantity(scenario, name, matrix) for name, matrix in given.items()}
    for making in plan:
        if all(name in quantities for name in making.operands):
            quantities[making.name] = make(scenario, quantities, making)
    return Trace(scenario, quantities, plan, _unfinished(plan, quantities))


def _unfinished(plan: Iterable[Making], known: Container[str]) -> Unfinished | None:
    """The first making that couldn't be done; rather one that has some of what it needs."""
    blocked = [making for making in plan if making.name not in known]
    begun = [making for making in blocked if any(name in known for name in making.operands)]
    if not blocked:
        return None
    making = (begun or blocked)[0]
    return Unfinished(making, tuple(name for name in making.operands if name not in known))


def _given(scenario: Scenario) -> dict[str, Matrix]:
    given = dict(scenario.given)
    if scenario.embeddings is not None:
        given["embeddings"] = scenario.embeddings
    return given


def _quantity(scenario: Scenario, name: str, matrix: Matrix) -> Quantity:
    return Quantity(name, matrix, *axes_of(name, scenario, matrix.shape))


def _planned(scenario: Scenario) -> list[Making]:
    return [making for step in STEPS for making in step.plan(scenario)]


def _needed(plan: Iterable[Making], given: Mapping[str, object]) -> tuple[Making, ...]:
    """The makings that lead somewhere: not those of given quantities, nor of what only
    given quantities would have been made of."""
    makings = list(plan)
    consumed = {operand for making in makings for operand in making.operands}
    wanted: set[str] = {making.name for making in makings if making.name not in consumed}
    kept: list[Making] = []
    for making in reversed(makings):
        if making.name in wanted and making.name not in given:
            kept.append(making)
            wanted.update(making.operands)
    return tuple(reversed(kept))
