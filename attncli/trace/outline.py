"""What a scenario comes to, as far as its steps and shapes tell that without a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attncli.records import NamedTuple
from attncli.scenario.scenario import Scenario, Shape
from attncli.trace.trace import PlannedStep, Trace


class Outline(NamedTuple):
    """The parts that a scenario gets through, and the shapes of all that is given or made."""

    scenario: Scenario
    parts: tuple[PlannedStep, ...]
    shapes: Mapping[str, Shape]


def outline_of(trace: Trace) -> Outline:
    """The outline of what was worked."""
    shapes = {name: quantity.matrix.shape for name, quantity in trace.quantities.items()}
    return outlined(trace.scenario, trace.story, shapes)


def outlined(
    scenario: Scenario, story: Iterable[PlannedStep], shapes: Mapping[str, Shape]
) -> Outline:
    """The outline of a story of which so much is known."""
    made = {name for name in shapes if name not in scenario.given and name not in scenario.random}
    parts = (
        part
        for part in story
        if not made.isdisjoint(definition.name for definition in part.definitions)
        or (part.step == "tokenize" and part.place.text.tokens)
    )
    return Outline(scenario, tuple(parts), shapes)
