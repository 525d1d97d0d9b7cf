"""What a scenario comes to, as far as its steps and shapes tell that without a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

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
    return Outline(scenario, tuple(_got_through(scenario, story, shapes)), shapes)


def parts_of(trace: Trace) -> Iterator[PlannedStep]:
    """The parts that a trace gets through, for which nothing is worked."""
    return _got_through(trace.scenario, trace.story, trace.quantities)


def _got_through(
    scenario: Scenario, story: Iterable[PlannedStep], known: Iterable[str]
) -> Iterator[PlannedStep]:
    made = {name for name in known if name not in scenario.given and name not in scenario.random}
    for part in story:
        tells_tokens = part.step == "tokenize" and part.place.text.tokens
        if tells_tokens or not made.isdisjoint(one.name for one in part.definitions):
            yield part
