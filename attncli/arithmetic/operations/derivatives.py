"""The derivative of an operation with respect to an operand, an operation again.

    derivative(Linear(), 1)        dW = Gᵀ X

It takes the operation's operands, its result, and G, the gradient of the loss with respect to the
result; and makes the gradient with respect to the operand. With the result for an operand, that of
a softmax is G ⊙ exp', as on paper: exp' = exp.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attncli.arithmetic.equations import derivative as equations
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.equations.matrices import in_matrices, names_of_constants, with_names
from attncli.arithmetic.equations.shapes import parsed
from attncli.arithmetic.expression import Product, Quotient, Total
from attncli.arithmetic.operations.backward import RotateBack, ScatterAdd, TargetSlope
from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.operations.elementwise import TakeRows
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.joining import Moved
from attncli.arithmetic.operations.masking import AddFinite, Masked
from attncli.arithmetic.operations.rotary import Rotate
from attncli.arithmetic.operations.sampling import KeptShare, KeptSum, NegativeLog


def derivative(operation: Operation, operand: int) -> Operation:
    """∂L/∂X for the operand X of a place, from the operation's operands, its result, and ∂L/∂ its
    result. Raises NotImplementedError where there is none, or none is known."""
    match operation:
        case Indexed():
            return _of_equation(operation, operand)
        case Moved() | TakeRows():
            return ScatterAdd(operation, operand)
        case Rotate() if operand == 0:
            return RotateBack(operation)
        case NegativeLog(targets):
            return TargetSlope(targets)
        case _:
            return _of_equation(_equation_like(operation, operand), operand)


def _equation_like(operation: Operation, operand: int) -> Indexed:
    """The equation that has the slope in an operand of an operation that isn't one."""
    places, equation = _EQUATIONS.get(type(operation), (set[int](), None))
    if equation is None or operand not in places:
        what = f"{type(operation).__name__} has no derivative in operand {operand + 1}"
        raise NotImplementedError(f"{what}: it is no equation there")
    return equation


def _of_equation(equation: Indexed, operand: int) -> Indexed:
    shapes = parsed(equation.shapes)
    signature, tree = equations.derivative(equation.tree, shapes, operand)
    made = parsed(signature)
    names = names_of_constants(equation.tree, equation.shown or equation.tree)
    shown = with_names(in_matrices(tree, made) or tree, names, made)
    return Indexed(signature, tree, shown)


_X, _Y = cell(0, "i", "j"), cell(1, "i", "j")

_EQUATIONS: Mapping[type[Operation], tuple[set[int], Indexed]] = MappingProxyType(
    {
        Masked: ({0}, Indexed("n m, n m -> n m", Product((_X, _Y)))),
        AddFinite: ({0}, Indexed("n m, n m -> n m", _X)),
        KeptSum: ({0}, Indexed("n v, n v -> n 1", Total("j", Product((_X, _Y))))),
        KeptShare: (
            {0, 2},
            Indexed("n v, n v, n 1 -> n v", Quotient(Product((_X, _Y)), cell(2, "i"))),
        ),
    }
)
"""Equations with the slopes of operations that are none, and the operands that they have them in: a
mask, or a table of what is kept, is nothing that could change a little."""
