"""Making mistakes on purpose, and what people do wrong in equations of a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from attncli.arithmetic.expression import (
    Expression,
    Length,
    Negative,
    Quotient,
    Root,
    Sum,
    each,
    minus,
    rewritten,
)
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.losses import TargetDifference
from attncli.file.problems import ScenarioError
from attncli.steps.step import Mistake
from attncli.trace import Definition, PlannedStep, Trace


def swap(part: str, other: str) -> Callable[[Definition], Definition]:
    """A mistake in an equation that is a text: something else in the place of one of its parts."""

    def change(one: Definition) -> Definition:
        right = one.operation
        assert isinstance(right, Indexed)
        assert right.equation is not None
        wrong = right.equation.swap(part, other)
        left = dict(wrong.operands)
        named = zip(right.equation.operands, one.operands, strict=True)
        operands = tuple(name for (operand, _), name in named if operand in left)
        return one._replace(operation=wrong(*right.numbers), operands=operands)

    return change


def swapped(
    one: Definition, change: Callable[[Expression], Expression | None]
) -> Definition | None:
    """The same by its equation with some parts changed; None where there are none to change."""
    equation = one.operation
    if not isinstance(equation, Indexed):
        return None
    tree = rewritten(equation.tree, change)
    if tree == equation.tree:
        return None
    shown = equation.shown and rewritten(equation.shown, change)
    return one._replace(operation=Indexed(equation.signature(), tree, shown))


def sum_for_mean(one: Definition) -> Definition | None:
    """What is added up, without dividing it by how many there are."""
    equation = one.operation
    match equation:
        case Indexed(tree=Quotient(total, count)) if any(each(count, Length)):
            pass
        case _:
            return None
    shown = equation.shown.dividend if isinstance(equation.shown, Quotient) else None
    return one._replace(operation=Indexed(equation.signature(), total, shown))


def without_root(one: Definition) -> Definition | None:
    """What stands below a root, without taking that."""
    return swapped(one, lambda node: node.operand if isinstance(node, Root) else None)


def exchanged(one: Definition) -> Definition | None:
    """b − a for a − b."""
    if isinstance(one.operation, TargetDifference):
        return one._replace(operation=replace(one.operation, exchanged=True))

    def change(node: Expression) -> Expression | None:
        match node:
            case Sum((a, Negative(b))):
                return minus(b, a)
        return None

    return swapped(one, change)


def made_wrongly(trace: Trace, part: PlannedStep, mistake: Mistake[Any]) -> Definition | None:
    """How a mistake makes its quantity in a part; None where the part doesn't come to make it."""
    definition = mistake.definition(part.place)
    if definition is None or definition.name not in trace or trace[definition.name].given:
        return None
    return definition._replace(step=part.step)


def all_made_wrongly(
    trace: Trace, part: PlannedStep, mistake: Mistake[Any]
) -> Iterator[tuple[Definition, ...]]:
    """All that is made in other ways by whoever makes a mistake, of what is there, what the mistake
    is in first: once for each way to make it. None where the part doesn't come to make that, or
    where what it is made of isn't there."""
    first = made_wrongly(trace, part, mistake)
    if first is None:
        return
    for way in ((first, *mistake.also(part.place)), *mistake.variants(part.place)):
        made = tuple(
            one._replace(step=part.step)
            for one in way
            if one.name in trace and not trace[one.name].given
        )
        if made and all(operand in trace for one in made for operand in one.operands):
            yield made


def mistaken(trace: Trace, part: PlannedStep, definition: Definition) -> Trace | None:
    """The trace with a quantity made in a wrong way, and whatever else the part that makes it makes
    of it worked again; None where its numbers don't allow that."""
    made_in = trace.part_of(definition.name) or part
    try:
        wrong = trace.within(made_in).remake(definition)
    except (KeyError, ValueError, ScenarioError):
        return None
    same_shape = wrong[definition.name].matrix.shape == trace[definition.name].matrix.shape
    return wrong if same_shape else None
