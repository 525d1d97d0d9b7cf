"""The steps of a story once all shapes in it are known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from attncli.file.problems import Problems
from attncli.records import replace
from attncli.scenario.scenario import Scenario
from attncli.steps.order import step_named
from attncli.trace import BackwardPlace, PlannedStep, UpdatePlace


def check_fits(scenario: Scenario, problems: Problems) -> None:
    """What steps find wrong when all shapes in a scenario's story are known."""
    part: PlannedStep
    for part in scenario.story:
        if scenario.training and part.updates:  # which fits as it did before the updates
            continue
        fits = step_named(part.step).fits
        for definition in part.definitions:
            if definition.operands and definition.name not in scenario.given:
                fits(definition, scenario, problems)


def sized(scenario: Scenario) -> Iterator[PlannedStep]:
    """The story of a scenario with its numbers, and with all that its shapes tell."""
    told: list[PlannedStep] = []
    part: PlannedStep
    for part in scenario.story:
        if isinstance(part.place, BackwardPlace | UpdatePlace):
            break
        step, place = step_named(part.step), replace(part.place, scenario=scenario)
        sized = (step.sized(place, planned) for planned in part.definitions)
        definitions = tuple([one._replace(step=part.step) for one in sized])
        told.append(PlannedStep(part.step, place, definitions))
        yield told[-1]
    if scenario.goes_back:
        from attncli.steps.backward.story import what_follows

        yield from islice(what_follows(scenario, told), len(scenario.story) - len(told))
