"""The derivative of an operation with respect to an operand, an operation again.

    derivative(Linear(), 1)        dW = Gᵀ X

It takes the operation's operands, its result, and G, the gradient of the loss with respect to the
result; and makes the gradient with respect to the operand. With the result for an operand, that of
a softmax is G ⊙ exp', as on paper: exp' = exp.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from attncli.arithmetic.equations import derivative as equations
from attncli.arithmetic.equations.matrices import in_matrices, names_of_constants, with_names
from attncli.arithmetic.expression import Apply, Expression, Length, Operand, each, rewritten
from attncli.arithmetic.operations.backward import RotateBack, ScatterAdd, TargetSlope
from attncli.arithmetic.operations.base import Operation, WholeNumbers
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.losses import (
    BinaryCrossEntropies,
    BinaryLossOfLogits,
    CrossEntropies,
    DistributionDifference,
    DistributionLoss,
    LossOfLogits,
    TargetDifference,
    smooth,
)
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.relative import TakeByBucket
from attncli.arithmetic.operations.rotary import Rotate
from attncli.arithmetic.operations.sampling import NegativeLog
from attncli.arithmetic.operations.texts import is_a
from attncli.arithmetic.signature import operands_in, parse


def derivative(operation: Operation, operand: int) -> Operation:
    """∂L/∂X for the operand X of a place, from the operation's operands, its result, and ∂L/∂ its
    result. Raises NotImplementedError where there is none, or none is known."""
    of_loss = _of_loss(operation) if operand == 0 else None
    if of_loss is not None:
        return of_loss
    text = operation.equation.text if is_a(operation, Indexed) and operation.equation else ""
    what = f"{text or type(operation).__name__} has no derivative in operand {operand + 1}"
    if operand < operation.first_for_size:
        raise NotImplementedError(f"{what}: it takes only its size")
    match operation:
        case Indexed() if is_a(operation, CrossEntropies):
            return _of_equation(smooth(operation), operand)
        case Indexed(tree=tree) if not _is_condition(tree, operand):
            return _of_equation(operation, operand)
        case TakeByBucket() if operand == 1:
            return ScatterAdd(operation, operand)
        case Moved():
            return ScatterAdd(operation, operand)
        case Rotate() if operand == 0:
            return RotateBack(operation)
        case _:
            raise NotImplementedError(f"{what}: it is no equation there")


def _of_loss(operation: Operation) -> Operation | None:
    """The derivative of a loss of which no equation says it as people know it."""
    match operation:
        case LossOfLogits(targets):
            return TargetDifference(targets)
        case NegativeLog(targets):
            return TargetSlope(targets)
        case DistributionLoss():
            return DistributionDifference(operation)
        case BinaryLossOfLogits():
            return operation.slope()
        case Indexed() if is_a(operation, BinaryCrossEntropies, CrossEntropies):
            return _of_equation(smooth(operation), 0)
        case _:
            return None


@cache
def gradient_of(operation: Operation, operand: int) -> tuple[Operation, tuple[int, ...]]:
    """The derivative without the operands that it makes no use of, and the places of the others
    among the operation's operands, its result (the last but one) and the gradient of that."""
    made = derivative(operation, operand)
    if type(made) is not Indexed:
        return made, tuple(range(len(made.sides.operands)))
    needed = _needed(made)
    places = {place: k for k, place in enumerate(needed)}
    sides, result = made.signature().split(" -> ")
    kept = [side for k, side in enumerate(sides.split(", ")) if k in places]
    tree = rewritten(made.tree, partial(_moved, places))
    shown = None if made.shown is None else rewritten(made.shown, partial(_moved, places))
    return Indexed(f"{', '.join(kept)} -> {result}", tree, shown), needed


@cache
def has_derivative(operation: Operation, operand: int) -> bool:
    """Whether what an operation makes changes with an operand, little by little."""
    try:
        derivative(operation, operand)
    except NotImplementedError:
        return False
    return True


def is_flat(operation: Operation, operand: int) -> bool:
    """Whether what an operation makes stays the same while an operand changes a little: a table of
    positions takes only its size, a mask or the choice of the largest numbers jumps; and whether
    another operand of a loss tells all of it, as logits do of their probabilities."""
    match operation:
        case WholeNumbers():
            return True
        case Indexed(tree=tree) if _is_condition(tree, operand):
            return True
        case _:
            told = _of_loss(operation) is not None and operand > 0
            size_alone = operation.takes_only_sizes or operand < operation.first_for_size
            return size_alone or told


def _needed(made: Indexed) -> tuple[int, ...]:
    """The operands that an equation has, or whose extents it takes; G goes with them always."""
    used = {one.place for one in operands_in(made.tree)}
    used |= {one.place for one in each(made.tree, Length)}
    sides = made.sides
    for letter in (side.alone for side in sides.result):
        named = [k for k in used if letter in {side.alone for side in sides.operands[k]}]
        source = None if letter is None else sides.source_of(letter)
        if not named and source is not None:
            used.add(source[0])
    return tuple(sorted(used))


def _moved(places: Mapping[int, int], part: Expression) -> Expression | None:
    """An operand, or the extent of one, at its new place."""
    match part:
        case Operand(place, indices):
            return Operand(places[place], indices)
        case Length(place, axis):
            return Length(places[place], axis)
        case _:
            return None


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
