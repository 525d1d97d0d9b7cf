"""A linear layer: x W, with or without a bias, W as rows × columns or as out × in."""

from __future__ import annotations

from typing import Any

from attncli.maths.operations.attention import Affine, AffineTransposed, Linear, MatMul
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.operation import Operation
from attncli.names import Name
from attncli.steps.mistakes import Change, wrong
from attncli.steps.step import Mistake
from attncli.trace import Definition, Place

MISTAKES_BACK = ("transpose_forgotten", "bias_not_summed", "averaged_over_tokens")
"""The mistakes that people make on the way back through one (`steps.backward.gradient_steps`)."""


def linear(place: Place, made: str, x: Name, suffix: str, *, out_in: bool) -> Definition:
    """Defines `made` = x W + b, with `W{suffix}` and, where it is given, `b{suffix}`. [n, k], [k,
    m], [m] -> [n, m]

    `x` is a full name; `out_in` has a W that is stored out × in.
    """
    W, b = place.find(f"W{suffix}"), place.find(f"b{suffix}")
    operation, operands = layer_of(place, x, W, b, out_in=out_in)
    return Definition(place.name(made), operation, operands)


def layer_of(
    place: Place, x: Name, W: Name, b: Name, *, out_in: bool
) -> tuple[Operation, tuple[Name, ...]]:
    """Returns the operation of a linear layer and its operands by their full names, with the bias
    only where it is given."""
    if place.scenario.gives(b):
        return (AffineTransposed() if out_in else Affine()), (x, W, b)
    return (Linear() if out_in else MatMul()), (x, W)


def rows_for_columns(W: str, *made: str, in_letters: bool = False) -> Mistake[Any]:
    """Makes the mistake of multiplying by the rows of a matrix for its columns, or by its columns
    for its rows where it is stored out × in, in the quantities `made` by it.

    `in_letters` has it written in letters as well, as X Wᵀ.
    """

    def which(_: Definition, layer: Definition) -> str:
        by_rows = is_a(layer.operation, Linear, AffineTransposed)
        letters = f"{layer.operands[0].local} {W}{'ᵀ' if by_rows else ''}"
        also = f", which is {letters}" if in_letters else ""
        return f"Multiplying {by_the_other_side(W, by_rows=by_rows)}{also}."

    says = f"Multiplying by the rows of {W} where its columns belong, or the other way round."
    return Mistake(f"{W}_transposed", says, wrong(transposed, *made), which)


def by_the_other_side(W: str, *, by_rows: bool) -> str:
    """Says by which side of a matrix something is wrongly multiplied, and by which it should be."""
    side, right = ("rows", "columns") if by_rows else ("columns", "rows")
    return f"by the {side} of {W} instead of its {right}"


def bias_left_out(b: str, *made: str, change: Change[Any] | None = None) -> Mistake[Any]:
    """Makes the mistake of leaving out a bias of the quantities `made` with it."""
    says = f"Leaving out the bias {b}."
    return Mistake(f"{b}_forgotten", says, wrong(change or without_bias, *made))


def without_bias(layer: Definition, _: Place) -> Definition | None:
    """Changes a linear layer to one without its bias; returns None where it has none."""
    if not is_a(layer.operation, Affine, AffineTransposed):
        return None
    bare = Linear() if is_a(layer.operation, AffineTransposed) else MatMul()
    return layer._replace(operation=bare, operands=layer.operands[:2])


def transposed(layer: Definition, _: Place) -> Definition | None:
    """Changes a linear layer to one that multiplies by the transpose of W; returns None for any
    other operation."""
    for kind, other in _TURNED:
        if is_a(layer.operation, kind):
            return layer._replace(operation=other())
    return None


_TURNED = (
    (MatMul, Linear), (Linear, MatMul), (Affine, AffineTransposed), (AffineTransposed, Affine),
)  # fmt: skip
