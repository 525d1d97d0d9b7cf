"""Quantities that can't be made: the reason, and what would help."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from graphlib import TopologicalSorter

from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.decimals import SIGNIFICANT
from attncli.maths.numbers.rounding import Rounding, TooLarge, TooLong, TooSmall, Unworkable
from attncli.names import Name
from attncli.scenario.scenario import Scenario
from attncli.trace.quantity import Definition, Quantity

_MOST = SIGNIFICANT // 2
"""The most decimals that are suggested: with them 1 / p, the perplexity, of the smallest p above 0
is no longer than the digits that are carried."""


def cause_of(
    scenario: Scenario,
    quantities: Mapping[str, Quantity],
    definition: Definition,
    trouble: Unworkable,
) -> str:
    """Returns the name of what to look at where a quantity can't be made: the key that its
    definition blames, or where a number gets too large, the largest given quantity that leads to
    it."""
    from attncli.maths.operations.activations import DivideBy

    divided = isinstance(definition.operation, DivideBy) or isinstance(trouble, TooLong)
    known = divided and definition.blame in scenario.file.places
    if known or not isinstance(trouble, TooLarge):
        return definition.blame
    return _largest_given(definition, quantities) or definition.blame


def _largest_given(definition: Definition, quantities: Mapping[str, Quantity]) -> Name | None:
    """Finds the given quantity with the largest number, of all that a definition is worked from."""
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


def remedy_of(
    rounding: Rounding,
    quantities: Mapping[str, Quantity],
    definition: Definition,
    trouble: Unworkable,
) -> str:
    """Suggests what would help, in words. Where a number is rounded to 0, it tries for the fewest
    decimals, and for the policy `exact`, under which the definition and all that leads to it can be
    worked."""
    if not isinstance(trouble, TooSmall):
        return trouble.instead
    works = partial(_can_be_worked, _leading_to(definition, quantities), quantities)
    places = range(rounding.decimals + 1, _MOST + 1) if rounding.carries else ()
    carried = [Rounding("carry", decimals) for decimals in places]
    enough = carried[bisect_left(carried, True, key=works) :]
    texts = [f"{enough[0].decimals} decimals"] if enough else []
    if rounding.carries and works(rounding.under("exact")):
        texts.append("the policy exact")
    return " or ".join(texts) or trouble.instead


def _leading_to(definition: Definition, quantities: Mapping[str, Quantity]) -> Sequence[Definition]:
    """Lists the definitions that lead to one, in the order of working, with that one last."""
    made, waiting = dict[Name, Definition](), [definition]
    while waiting:
        entry = waiting.pop()
        made[entry.name] = entry
        operands = (quantities[name].definition for name in entry.operands if name not in made)
        waiting += [operand for operand in operands if operand is not None]
    order = TopologicalSorter({d.name: d.operands for d in made.values()}).static_order()
    return [made[name] for name in order if name in made]


def _can_be_worked(
    plan: Sequence[Definition], quantities: Mapping[str, Quantity], rounding: Rounding
) -> bool:
    """Tells whether a plan can be worked from given numbers under a rounding."""
    from attncli.maths.operations.softmax import Exponential

    matrices: dict[Name, Matrix] = {}
    try:
        for definition in plan:
            operation = definition.operation
            if isinstance(operation, Exponential):  # which may be worked otherwise then
                operation = replace(operation, decimals=rounding.decimals, carry=rounding.carries)
            operands = (matrices.get(name, quantities[name].matrix) for name in definition.operands)
            matrices[definition.name] = operation.make(rounding, definition.step, *operands)
    except Unworkable:
        return False
    return True
