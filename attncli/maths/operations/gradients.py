"""The derivative of an operation with respect to an operand, an operation again.

    derivative(Linear(), 1)        dW = Gᵀ X

It takes the operation's operands, its result, and G, the gradient of the loss with respect to the
result; and makes the gradient with respect to the operand. With the result for an operand, that of
a softmax is G ⊙ exp', as on paper: exp' = exp. By hand are those of operations that put numbers
elsewhere, rotate them, or pick one a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from attncli.maths.equations import derivative as equations
from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.choices import chosen_first, told
from attncli.maths.equations.formulas import in_matrices, names_of_constants, with_names
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import parse
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Length,
    Negative,
    Operand,
    Quotient,
    Sum,
    Vector,
    at,
    children,
    constant,
    define,
    each,
    minus,
    operands_in,
    rewritten,
)
from attncli.maths.equations.working import sum_of
from attncli.maths.numbers.rounding import Array, Error, largest
from attncli.maths.operations.equation import Indexed, is_a
from attncli.maths.operations.losses import (
    BinaryCrossEntropies,
    BinaryLossOfLogits,
    CrossEntropies,
    DistributionLoss,
    LossOfLogits,
    NegativeLog,
    TargetDifference,
    smooth,
)
from attncli.maths.operations.operation import Operation, WholeNumbers, Working
from attncli.maths.operations.positions import Rotate
from attncli.maths.operations.rearranging import Moved
from attncli.maths.operations.relative_positions import TakeByBucket
from attncli.maths.operations.written import WrittenOperation


@dataclass(frozen=True)
class ScatterAdd(Operation):
    """The sum, for each number of an operand, of the gradients of all places that an operation puts
    it in; 0 for a number that it leaves out."""

    operation: Moved | TakeByBucket
    operand: int

    @property
    def repeats(self) -> bool:
        return True

    def signature(self) -> str:
        before, _, after = self.operation.signature().partition(" -> ")
        return f"{before}, {after}, {after} -> {before.split(', ')[self.operand]}"

    def formula(self, name: str, *operands: str) -> Equation:
        *before, _, gradient = operands
        return self.operation.formula_back(name, self.operand, gradient, *before)

    def values(self, *operands: Matrix) -> Array:
        return self._added(operands, operands[-1].values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        number = self._first(operands) + i * operands[self.operand].shape[1] + j
        places = np.argwhere(self.operation.sources(operands[:-2]) == number).tolist()
        return (sum_of([operands[-1].number(*place) for place in places]),)

    def places(self, *operands: Matrix) -> int | None:
        return operands[-1].places

    def error(self, *operands: Matrix) -> Error:
        gradient = operands[-1].values
        most = int(self._added(operands, np.ones(gradient.shape)).max())
        return Error((most + 2) * EPSILON * most * largest(gradient))

    def _added(self, operands: Sequence[Matrix], gradient: Array) -> Array:
        shape, first = operands[self.operand].shape, self._first(operands)
        count = first + shape[0] * shape[1]
        sources = self.operation.sources(operands[:-2]).ravel()
        added = np.bincount(sources, gradient.ravel(), minlength=count)
        return np.asarray(added[first:count].reshape(shape), dtype=np.float64)

    def _first(self, operands: Sequence[Matrix]) -> int:
        """Counts the numbers of the operands before this one."""
        return sum(operand.size for operand in operands[: self.operand])


@dataclass(frozen=True)
class RotateBack(Operation):
    """A gradient with each pair of columns turned back by its angle: the inverse of a rotation is
    its transpose."""

    rotation: Rotate

    shapes = "n d, n p, n p, n d, n d -> n d"

    def formula(self, name: str, *operands: str) -> Equation:
        _, cosine, sine, _, gradient = operands
        forth = self.rotation.formula(name, gradient, cosine, sine)
        match forth.right:
            case Vector((Sum((x_cosine, Negative(y_sine))), Sum((x_sine, y_cosine)))):
                back = Vector((Sum((x_cosine, y_sine)), minus(y_cosine, x_sine)))
                return Equation(forth.left, back)
            case other:
                raise TypeError(f"no rotation of pairs: {other}")

    def values(self, *operands: Matrix) -> Array:
        return self._back.values(*_turned(operands))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return self._back.cell(i, j, *_turned(operands))

    def places(self, *operands: Matrix) -> int | None:
        return self._back.places(*_turned(operands))

    def error(self, *operands: Matrix) -> Error:
        return self._back.error(*_turned(operands))

    @property
    def _back(self) -> Rotate:
        """Returns the rotation in the other direction."""
        return replace(self.rotation, back=not self.rotation.back)


def _turned(operands: Sequence[Matrix]) -> tuple[Matrix, Matrix, Matrix]:
    """Picks the gradient, the cosines and the sines."""
    _, cosine, sine, _, gradient = operands
    return gradient, cosine, sine


@dataclass(frozen=True)
class TargetSlope(Operation):
    """The slope −G / p for the target of each row, and 0 elsewhere: how a loss −ln p changes with
    the probabilities. [n, v], [n, 1], [n, 1] -> [n, v]"""

    targets: tuple[int, ...]

    shapes = "n v, n 1, n 1 -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        gradient, probability = at(operands[-1], "i"), at(operands[0], "i", "target")
        return define(at(name, "i", "target"), Negative(Quotient(gradient, probability)))

    def values(self, *operands: Matrix) -> Array:
        probabilities, _, gradient = (operand.values for operand in operands)
        rows, columns = np.arange(len(probabilities)), list(self.targets)
        slopes = np.zeros(probabilities.shape)
        slopes[rows, columns] = -gradient[:, 0] / probabilities[rows, columns]
        return slopes

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        if j != self.targets[i]:
            return (constant(0),)
        return (Negative(Quotient(operands[-1].number(i, 0), operands[0].number(i, j))),)


def derivative(operation: Operation, operand: int) -> Operation:
    """Derives ∂L/∂X for the operand X of a place, from the operation's operands, its result, and
    the gradient of the loss with respect to the result.

    Raises NotImplementedError where there is none, or none is known.
    """
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
    """Returns the derivative of a loss in the form that people know, which no rule gives; None for
    other operations."""
    match operation:
        case LossOfLogits() | DistributionLoss():
            return TargetDifference(operation)
        case NegativeLog(targets):
            return TargetSlope(targets)
        case BinaryLossOfLogits():
            return operation.slope()
        case Indexed() if is_a(operation, BinaryCrossEntropies, CrossEntropies):
            return _of_equation(smooth(operation), 0)
        case _:
            return None


@cache
def gradient_of(operation: Operation, operand: int) -> tuple[Operation, tuple[int, ...]]:
    """Derives the gradient without operands that it doesn't use.

    Returns it, and the places of its operands among the operation's operands, its result (the last
    but one) and the gradient of that.
    """
    made = derivative(operation, operand)
    if not isinstance(made, Indexed) or type(made) not in (Indexed, WrittenOperation):
        return made, tuple(range(len(made.sides.operands)))
    needed = _needed(made)
    places = {place: k for k, place in enumerate(needed)}
    sides, result = made.signature().split(" -> ")
    kept = [side for k, side in enumerate(sides.split(", ")) if k in places]
    tree = rewritten(made.tree, partial(_moved, places))
    shown = None if made.shown is None else rewritten(made.shown, partial(_moved, places))
    moved = replace(made, shapes=f"{', '.join(kept)} -> {result}", tree=tree, shown=shown)
    if isinstance(moved, WrittenOperation):
        counts = frozenset(places[place] for place in moved.counts if place in places)
        return replace(moved, counts=counts), needed
    return moved, needed


@cache
def has_derivative(operation: Operation, operand: int) -> bool:
    """Tells whether an operation can be differentiated with respect to an operand."""
    try:
        derivative(operation, operand)
    except NotImplementedError:
        return False
    return True


def is_flat(operation: Operation, operand: int) -> bool:
    """Tells whether an operation's result stays the same while an operand changes a little.

    A table of positions takes only its operand's size, a mask or the choice of the largest numbers
    jumps, and some operands of a loss are told by another one, as probabilities are by their
    logits.
    """
    match operation:
        case WholeNumbers():
            return True
        case Indexed(tree=tree) if _is_condition(tree, operand):
            return True
        case _:
            of_loss = _of_loss(operation) is not None and operand > 0
            size_alone = operation.takes_only_sizes or operand < operation.first_for_size
            return size_alone or of_loss


def _needed(made: Indexed) -> tuple[int, ...]:
    """Lists the operands of which an equation uses numbers or extents; the gradient is always among
    them."""
    used = {o.place for o in operands_in(made.tree)}
    used |= {length.place for length in each(made.tree, Length)}
    sides = made.sides
    for letter in (side.alone for side in sides.result):
        named = [k for k in used if letter in {side.alone for side in sides.operands[k]}]
        source = None if letter is None else sides.source_of(letter)
        if not named and source is not None:
            used.add(source[0])
    return tuple(sorted(used))


def _moved(places: Mapping[int, int], part: Expression) -> Expression | None:
    """Renumbers an operand, or the extent of one; returns None for other parts."""
    match part:
        case Operand(place, indices):
            return Operand(places[place], indices)
        case Length(place, axis):
            return Length(places[place], axis)
        case _:
            return None


def _is_condition(tree: Expression, operand: int) -> bool:
    """Tells whether an operand does nothing but choose: a mask, or a table of what is kept, can't
    change a little."""
    return _has(tree, operand) and not _is_worked(tree, operand)


def _is_worked(tree: Expression, operand: int) -> bool:
    """Tells whether numbers of an operand are worked with, and not only compared."""
    match tree:
        case Operand(place):
            return bool(place == operand)
        case Apply("where", (Apply("finite", (table,)), *_)) if _has(table, operand):
            return False  # a table that hides by −∞ isn't learned
        case Apply("where", (_, *others)):
            return any(_is_worked(part, operand) for part in others)
        case Apply("step"):
            return False
        case _:
            return any(_is_worked(part, operand) for part in children(tree))


def _has(tree: Expression, operand: int) -> bool:
    return any(o.place == operand for o in operands_in(tree))


def _of_equation(equation: Indexed, operand: int) -> Indexed:
    chosen = isinstance(equation, WrittenOperation)
    counts = equation.counts if isinstance(equation, WrittenOperation) else frozenset()
    signature, tree = equations.derivative(
        equation.tree, equation.sides, operand, chosen=chosen, counts=counts
    )
    made = parse(signature)
    if isinstance(equation, WrittenOperation):
        tree = chosen_first(tree)
        is_counted = any(node.place in counts for node in operands_in(tree))
        shown = (None if is_counted else in_matrices(tree, made)) or told(tree, counts)
        return WrittenOperation(signature, tree, shown, counts=counts, decimals=equation.decimals)
    names = names_of_constants(equation.tree, equation.shown or equation.tree)
    shown = with_names(in_matrices(tree, made) or tree, names, made)
    return Indexed(signature, tree, shown)
