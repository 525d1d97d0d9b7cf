"""A scenario's story with its shapes, and what its steps are once these are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from attncli.file.problems import NamedProblems, Objections, Problems, nearest
from attncli.name import below
from attncli.scenario.scenario import Scenario
from attncli.steps.order import step_named
from attncli.steps.story import awaits_times, steps, story
from attncli.trace import BackwardPlace, PlannedStep, UpdatePlace
from attncli.trace.shapes import shapes_of


def planned(scenario: Scenario, problems: Problems) -> Scenario:
    """The scenario with its story, and the shapes in it with all that they tell."""
    complaints = NamedProblems(scenario.places, problems)
    for stack in scenario.stacks:
        if stack.text.sentence is not None and not stack.text.tokens and not problems.found:
            where = below(stack.path, "sentence")
            complaints.add(where, "the sentence has no tokens", "write some words")
    told = story(scenario, complaints)
    complaints.hear(_check_rounding(scenario, told))
    if scenario.prediction.generate > 1:
        from attncli.trace.axes import check_generation

        complaints.hear(check_generation(scenario))
    shapes = shapes_of(scenario, told, problems)
    if awaits_times(scenario) and not problems.found:
        told = story(replace(scenario, shapes=shapes))
        shapes = shapes_of(scenario, told, problems)
    whole = replace(scenario, story=told, shapes=shapes)
    complaints.hear(_check_fits(whole))
    return whole if problems.found else replace(whole, story=tuple(sized(whole)))


def _check_rounding(scenario: Scenario, told: Iterable[PlannedStep]) -> Objections:
    """Other decimals are for quantities that a step makes, by their last or their full names."""
    if not scenario.rounding.quantities:
        return
    known = {made for step in steps() for made in step.makes}
    known |= {definition.name for part in told for definition in part.definitions}
    for name in scenario.rounding.quantities:
        if name not in known:
            right = nearest(name, sorted(known))
            yield f"rounding.quantities.{name}", f"no step makes {name}", right


def _check_fits(scenario: Scenario) -> Objections:
    """What steps find wrong when all shapes in a scenario's story are known."""
    part: PlannedStep
    for part in scenario.story:
        if scenario.training and part.updates:  # which fits as it did before the updates
            continue
        fits = step_named(part.step).fits
        for definition in part.definitions:
            if definition.operands and definition.name not in scenario.given:
                yield from fits(definition, scenario)


def with_numbers(scenario: Scenario) -> Iterator[PlannedStep]:
    """The story of a scenario, at places that know its numbers."""
    part: PlannedStep
    for part in scenario.story:
        place = replace(part.place, scenario=scenario)
        if isinstance(place, BackwardPlace):
            place = replace(place, forward=replace(place.forward, scenario=scenario))
        yield PlannedStep(part.step, place, part.definitions)


def sized(scenario: Scenario) -> Iterator[PlannedStep]:
    """The story of a scenario with all that its shapes tell."""
    told: list[PlannedStep] = []
    part: PlannedStep
    for part in scenario.story:
        if isinstance(part.place, BackwardPlace | UpdatePlace):
            break
        step, place = step_named(part.step), replace(part.place, scenario=scenario)
        sized = (step.sized(place, planned) for planned in part.definitions)
        made = [one if one.step == step.name else one._replace(step=step.name) for one in sized]
        told.append(PlannedStep(part.step, place, tuple(made)))
        yield told[-1]
    if scenario.goes_back:
        from attncli.steps.backward.way import what_follows

        yield from islice(what_follows(scenario, told), len(scenario.story) - len(told))
