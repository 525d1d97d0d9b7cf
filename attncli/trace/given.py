"""Quantities that a scenario gives."""

from __future__ import annotations

from attncli.arithmetic.matrix import Matrix
from attncli.name import Name, below
from attncli.scenario.scenario import Scenario
from attncli.trace.axes import given_axes
from attncli.trace.quantity import Quantity


def given_quantity(scenario: Scenario, name: Name, matrix: Matrix) -> Quantity:
    """A matrix of a scenario, with the names of its rows and columns."""
    axes = given_axes(name, scenario, matrix.shape)
    return Quantity(name, matrix, *axes, origin=_origin(scenario, name))


def _origin(scenario: Scenario, name: Name) -> str:
    """Where the numbers come from of what no step makes."""
    for stack in scenario.stacks:
        tokenizing = stack.text.tokenizing
        if tokenizing is None:
            continue
        if name == below(stack.path, "word_counts") and not tokenizing.counts_given:
            return "counted"
        if name == below(stack.path, "log_p") and tokenizing.learned is not None:
            return "learned"
    return "given"
