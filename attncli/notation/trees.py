"""Expressions as lists of JSON, for whoever works them again: `["/", 4, 7]`, where 4 and 7 are the
places of numbers in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from attncli.equations import tree as ex
from attncli.equations.tree import Expression, Location, Number, Signature
from attncli.names import Word
from attncli.notation.plain import plain
from attncli.notation.spreadsheet import entries
from attncli.numbers import decimals

Tree = int | str | list["Tree"]
"""A number's place, or its digits; or a sign with what it is between."""
PlaceOf = Callable[[Location], int]

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
    """An expression over cells, or with the shapes of its operands an equation with indices, whose
    operands are `["of", 0, "i", "k"]`. Raises TypeError for one that has no such form."""

    def of(part: Expression) -> Tree:
        if isinstance(part, Number):
            return _number(part, place_of)
        if isinstance(part, ex.Dot):
            pairs = zip(entries(part.left), entries(part.right), strict=True)
            return of(ex.Sum(tuple(map(ex.Product, pairs))))
        named = _named(part, shapes)
        if named is not None:
            return named
        sign, parts = _signed(part)
        return [sign, *map(of, parts)]

    return of(node)


def _number(node: Number, place_of: PlaceOf) -> Tree:
    if node.cell == ex.INNER and node.form is not None:
        return tree_of(node.form, place_of)
    if node.cell is not None and node.cell.quantity:
        return place_of(node.cell)
    return decimals.text(node.full)


def _named(part: Expression, shapes: Signature | None) -> Tree | None:
    """What has no parts: e and π, an operand of an equation, how long one is."""
    match part:
        case ex.E | ex.PI:
            return [part.name]
        case ex.Operand(place) if shapes is not None:
            return ["of", place, *shapes.along(part)]
        case ex.Length(place, axis):
            return ["length", place, axis]
        case _:
            return None


def _signed(part: Expression) -> tuple[str, Sequence[Expression]]:
    """What stands between parts, and these; over which indices a sum goes is told by its sign."""
    if isinstance(part, ex.Apply):
        return part.function, part.arguments
    if isinstance(part, ex.Total) and not part.alike:
        return f"sum {part.over}", (part.operand,)
    if isinstance(part, Word) or type(part) not in _SIGNS:
        raise TypeError(f"{plain(part)} has no form in a browser")
    first, *others = part.parts
    return _SIGNS[type(part)], first if type(first) is tuple else (first, *others)
