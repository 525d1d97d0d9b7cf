"""What a scenario comes to, as far as its steps and shapes tell that without a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attncli.scenario import Scenario
from attncli.scenario.scenario import Shape
from attncli.trace.trace import Part, Trace


class Outline(NamedTuple):
    """The parts that a scenario gets through, and the shapes of all that is given or made."""

    scenario: Scenario
    parts: tuple[Part, ...]
    shapes: Mapping[str, Shape]


def outline_of(trace: Trace) -> Outline:
    """The outline of what was worked."""
    shapes = {name: quantity.matrix.shape for name, quantity in trace.quantities.items()}
    return outlined(trace.scenario, trace.story, shapes)


def outlined(scenario: Scenario, story: Iterable[Part], shapes: Mapping[str, Shape]) -> Outline:
    """The outline of a story of which so much is known."""
    made = {name for name in shapes if name not in scenario.given and name not in scenario.random}
    parts = (
        part
        for part in story
        if not made.isdisjoint(making.name for making in part.makings)
        or (part.step == "tokenize" and part.scope.text.tokens)
    )
    return Outline(scenario, tuple(parts), shapes)
