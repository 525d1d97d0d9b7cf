"""The derivative of an operation with respect to an operand, an operation again.

    derivative(Linear(), 1)        dW = Gᵀ X

It takes the operation's operands, its result, and G, the gradient of the loss with respect to the
result; and makes the gradient with respect to the operand. With the result for an operand, that of
a softmax is G ⊙ exp', as on paper: exp' = exp.
"""

from __future__ import annotations

from attncli.arithmetic.equations import derivative as equations
from attncli.arithmetic.equations.matrices import in_matrices, names_of_constants, with_names
from attncli.arithmetic.expression import Apply, Expression, Operand
from attncli.arithmetic.operations.backward import RotateBack, ScatterAdd, TargetSlope
from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.rotary import Rotate
from attncli.arithmetic.operations.sampling import NegativeLog
from attncli.arithmetic.signature import operands_in, parse


def derivative(operation: Operation, operand: int) -> Operation:
    """∂L/∂X for the operand X of a place, from the operation's operands, its result, and ∂L/∂ its
    result. Raises NotImplementedError where there is none, or none is known."""
    match operation:
        case Indexed(tree=tree) if not _is_condition(tree, operand):
            return _of_equation(operation, operand)
        case Moved():
            return ScatterAdd(operation, operand)
        case Rotate() if operand == 0:
            return RotateBack(operation)
        case NegativeLog(targets):
            return TargetSlope(targets)
        case _:
            what = f"{type(operation).__name__} has no derivative in operand {operand + 1}"
            raise NotImplementedError(f"{what}: it is no equation there")


def _is_condition(tree: object, operand: int) -> bool:
    """Whether an operand is what something is chosen by: a mask, or a table of what is kept, is
    nothing that could change a little."""
    match tree:
        case Apply("where", (condition, *_)) if _has(condition, operand):
            return True
        case Operand():
            return False
        case tuple():
            return any(_is_condition(part, operand) for part in tree)
        case _:
            return False


def _has(tree: Expression, operand: int) -> bool:
    return any(one.place == operand for one in operands_in(tree))


def _of_equation(equation: Indexed, operand: int) -> Indexed:
    signature, tree = equations.derivative(equation.tree, equation.sides, operand)
    made = parse(signature)
    names = names_of_constants(equation.tree, equation.shown or equation.tree)
    shown = with_names(in_matrices(tree, made) or tree, names, made)
    return Indexed(signature, tree, shown)
