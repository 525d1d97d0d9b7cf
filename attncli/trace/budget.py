"""The cost of working a scenario, from its story and its shapes, before any of it is done."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from attncli.efforts import WORKING, Effort
from attncli.errors import Problem
from attncli.scenario.file.problems import too_much
from attncli.scenario.scenario import Cost, Scenario, Shape
from attncli.trace.quantity import Definition
from attncli.trace.trace import PlannedStep

_COPIES = 3
"""How many more times a drawn matrix is kept in memory while it is rounded."""

_LESS = {
    "variants": "give fewer variants",
    "generate": "generate fewer tokens, or give fewer layers",
    "layers": "give fewer layers",
}
"""Advice by the key that makes a scenario large. Elsewhere the shapes do."""


def cost_of(scenario: Scenario) -> Cost:
    """Counts what a scenario costs: its steps, cells, terms of sums and numbers, times the tokens
    and beams that are generated. An extent that isn't known counts as 1."""
    story: Sequence[PlannedStep] = scenario.plan.story
    definitions, shapes = [d for part in story for d in part.definitions], scenario.plan.shapes
    names = {*scenario.given.names, *(definition.name for definition in definitions)}
    cells = sum(math.prod(_known(shapes.get(name))) for name in names)
    drawn = (
        math.prod(source.shape or _known(shapes.get(name)))
        for name, source in scenario.given.random.items()
    )
    copies = _COPIES * max(drawn, default=0)
    terms = sum(_terms(definition, shapes) for definition in definitions)
    made = sum(math.prod(_known(shapes.get(definition.name))) for definition in definitions)
    cost = Cost(len(story), cells + copies, terms, made)
    generation = scenario.prediction.generation
    return cost.times(max(generation.length, 1) * max(generation.beams, 1))


def excess(scenario: Scenario, cost: Cost, effort: Effort = WORKING) -> Problem | None:
    """Returns the problem to report where a scenario costs more than is worked without `large`, and
    None otherwise."""
    if scenario.file.large or not cost.is_too_much(effort):
        return None
    cause = next(filter(scenario.file.places.__contains__, _causes(scenario)), "")
    less = _LESS.get(cause, "give fewer tokens, layers or dimensions")
    return too_much(scenario.where(cause), cost.description(effort), less).problems[0]


def _causes(scenario: Scenario) -> Iterator[str]:
    """Yields the keys that may make a scenario large, first those that do so by themselves."""
    if scenario.variants:
        yield "variants"
    if scenario.prediction.generation.length > 1:
        yield "generate"
    if len(scenario.stack.layers) > len(scenario.text.tokens):
        yield "layers"
    yield from ("tokens", "sentence", "X", *scenario.given.random, *scenario.given.matrices)


def _known(shape: Shape | None) -> tuple[int, ...]:
    return tuple(extent or 1 for extent in shape or ())


def _terms(definition: Definition, shapes: Mapping[str, Shape]) -> int:
    """Counts the terms of all sums of a definition: the cells of its result times the extents that
    its operands have and its result doesn't."""
    signature = definition.operation.sides
    texts = {letter for dim in signature.result for letter, _ in dim.letters}
    summed: dict[str, int] = {}
    for name, dims in zip(definition.operands, signature.operands, strict=True):
        for dim, extent in zip(dims, _known(shapes.get(name)) or (1, 1), strict=True):
            if dim.alone is not None and dim.alone not in texts:
                summed[dim.alone] = extent
    return math.prod((*_known(shapes.get(definition.name)), *summed.values()))
