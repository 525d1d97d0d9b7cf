"""The story of a trace worked for many scenarios at once, which differ from its own in their given
numbers only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.at_once import made_of_each
from attncli.arithmetic.rounding import Unworkable
from attncli.records import replace
from attncli.scenario.scenario import Scenario
from attncli.trace.quantity import Definition, Quantity
from attncli.trace.trace import Trace


def retold_at_once(trace: Trace, scenarios: Sequence[Scenario]) -> list[Trace] | None:
    """What `retold` gives of each scenario; None where one of them can't be worked, or makes a
    quantity of another shape."""
    told = [dict(trace.quantities) for _ in scenarios]
    for quantities, scenario in zip(told, scenarios, strict=True):
        for name, matrix in scenario.given.items():
            quantities[name] = trace[name].holding(matrix)
    for definition in trace.plan:
        if definition.name not in trace:
            continue
        try:
            matrices = _made(trace, told, definition)
        except Unworkable:
            return None
        old = trace[definition.name]
        if old.definition is not definition or any(m.shape != old.matrix.shape for m in matrices):
            return None
        for quantities, matrix in zip(told, matrices, strict=True):
            quantities[definition.name] = old.holding(matrix)
    return [
        replace(trace, scenario=one, generated=(), variants={}, quantities=quantities)
        for one, quantities in zip(scenarios, told, strict=True)
    ]


def _made(
    trace: Trace, told: Sequence[Mapping[str, Quantity]], definition: Definition
) -> list[Matrix]:
    """A quantity of each trace."""
    each = [tuple(one[name].matrix for name in definition.operands) for one in told]
    rounding = trace.rounding.of_quantity(definition.step, definition.name)
    return made_of_each(definition.operation, rounding, definition.step, each)
