"""Why something can't be made."""

from __future__ import annotations

from collections.abc import Mapping

from attncli.arithmetic.rounding import TooLarge, TooLong, Unworkable
from attncli.name import Name
from attncli.scenario.scenario import Scenario
from attncli.trace.quantity import Definition, Quantity


def cause_of(
    scenario: Scenario,
    quantities: Mapping[str, Quantity],
    definition: Definition,
    trouble: Unworkable,
) -> str:
    """What to look at where something can't be made: the key that its definition names; or if it
    gets too large by nothing that this key says, the largest of what was given for it."""
    from attncli.arithmetic.operations import DivideBy

    divided = isinstance(definition.operation, DivideBy) or isinstance(trouble, TooLong)
    said = divided and definition.blame in scenario.places
    if said or not isinstance(trouble, TooLarge):
        return definition.blame
    return _largest_given(definition, quantities) or definition.blame


def _largest_given(definition: Definition, quantities: Mapping[str, Quantity]) -> Name | None:
    """The given quantity that has the largest number, of all that something is made of."""
    sizes: dict[Name, float] = {}
    waiting, seen = [*definition.operands], set(definition.operands)
    while waiting:
        quantity = quantities[waiting.pop()]
        if quantity.definition is None:
            sizes[quantity.name] = quantity.matrix.range.size
            continue
        new = set(quantity.definition.operands) - seen
        waiting, seen = [*waiting, *new], seen | new
    return max(sizes, key=sizes.__getitem__, default=None)
