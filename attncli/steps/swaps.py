"""What people do wrong in equations of a kind, wherever they occur: one part of the equation is put
for something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
from attncli.arithmetic.operations import TargetDifference
from attncli.arithmetic.operations.indexed import Indexed
from attncli.trace import Definition


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
