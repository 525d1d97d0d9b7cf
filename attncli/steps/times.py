"""How often the cells of a scenario are taken."""

from __future__ import annotations

from attncli.name import below
from attncli.scenario.model import Stack
from attncli.scenario.scenario import Scenario


def awaits_times(scenario: Scenario) -> bool:
    """Whether only the shapes in a story can tell how often one of its cells is taken."""
    return any(
        layer.recurrent is not None and not times_of(scenario, stack)
        for stack in scenario.stacks
        for layer in stack.layers
    )


def times_of(scenario: Scenario, stack: Stack) -> int:
    """How many rows the input of a stack has, as far as that can be told."""
    X = below(stack.path, "X")
    own = scenario.given.get(X)
    height = own.shape[0] if own is not None else scenario.shapes.get(X, (None, None))[0]
    return height or len(stack.text.tokens)
