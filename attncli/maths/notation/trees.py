"""Expressions as lists of JSON, `["/", 4, 7]`, where 4 and 7 are places in a list of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from attncli.maths.equations import tree as ex
from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import Expression, Location, Number
from attncli.maths.notation.plain import plain
from attncli.maths.notation.spreadsheet import entries
from attncli.maths.numbers import decimals

Tree = int | str | list["Tree"]
"""A number's place, or its digits; or a sign with what it is between."""
PlaceOf = Callable[[Location], int | str]

_SIGNS: Mapping[type, str] = MappingProxyType(
    {
        ex.Sum: "+",
        ex.Product: "*",
        ex.Quotient: "/",
        ex.Negative: "-",
        ex.Power: "^",
        ex.Root: "sqrt",
        ex.Vector: "list",
    }
)


def tree_of(node: Expression, place_of: PlaceOf, shapes: Signature | None = None) -> Tree:
    """Converts an expression to lists of JSON.

    With the shapes of its operands it is an equation with indices, whose operands are `["of", 0,
    "i", "k"]`. Raises TypeError for an expression that has no such form.
    """
    match node:
        case Number():
            return _number(node, place_of)
        case ex.E | ex.PI:
            return [node.name]
        case ex.Operand(place) if shapes is not None:
            return ["of", place, *shapes.along(node)]
        case ex.Length(place, axis):
            return ["length", place, axis]
        case _:
            sign, parts = _signed(node)
            return [sign, *(tree_of(part, place_of, shapes) for part in parts)]


def _signed(node: Expression) -> tuple[str, Sequence[Expression]]:
    """Splits a node into its sign and its parts; the sign of a sum says which indices it runs
    over."""
    match node:
        case ex.Dot():
            pairs = zip(entries(node.left), entries(node.right), strict=True)
            return "+", [*map(ex.Product, pairs)]
        case ex.Apply():
            return node.function, node.arguments
        case ex.Total() if node.met is None:
            return f"sum {node.over}", (node.operand,)
        case ex.Sum() | ex.Product() | ex.Vector():
            return _SIGNS[type(node)], *node.parts
        case ex.Quotient() | ex.Negative() | ex.Power() | ex.Root():
            return _SIGNS[type(node)], node.parts
    raise TypeError(f"{plain(node)} has no form in a browser")


def _number(node: Number, place_of: PlaceOf) -> Tree:
    if node.cell == ex.INNER and node.form is not None:
        return tree_of(node.form, place_of)
    if node.cell is not None and node.cell.quantity:
        return place_of(node.cell)
    return decimals.text(node.full)
