"""Elision: what is left out of a long sum, vector, table or list: `1 + 2 + 3 + … + 512`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attncli.maths.equations.tree import (
    Dot,
    Expression,
    Omitted,
    Product,
    Quotient,
    Sum,
    Vector,
    rewritten,
)

MOST_PARTS, MOST_ROWS_OF_A_LIST = 12, 40
"""A sum, a vector, a table or a list with more parts than this is elided on a page."""
MOST_FOLLOWED = 5000
"""Numbers that are followed back to what they came from; of a very large trace the nearest."""


def elided(count: int, most: int, first: int = 3) -> Sequence[int | None]:
    """Returns the places 0 … count − 1; if there are more than `most`, the first few, None for
    those left out, and the last."""
    if count <= most:
        return range(count)
    return [*range(first), None, count - 1]


def elided_rows(count: int, *, of_list: bool) -> Sequence[int | None]:
    """Returns the places of the rows that are shown, None for those left out; a list, with one
    number a row, may have more of them."""
    return elided(count, MOST_ROWS_OF_A_LIST if of_list else MOST_PARTS)


def shown_entries(count: int, entry: Callable[[int], Expression]) -> Vector:
    """Makes a vector of `count` entries, with those that a page shows."""
    places = elided(count, MOST_PARTS)
    return Vector(tuple(Omitted() if k is None else entry(k) for k in places))


def shortened(node: Expression, most: int) -> Expression:
    """Shortens sums and vectors of more than `most` parts, with `…` for the middle."""

    def change(node: Expression) -> Expression | None:
        match node:
            case Sum(parts) | Vector(parts):
                return type(node)(_some(parts, most))
            case Product() | Dot() | Quotient():
                return None
            case _:
                return node

    return rewritten(node, change)


def _some(parts: tuple[Expression, ...], most: int) -> tuple[Expression, ...]:
    places = elided(len(parts), most)
    return tuple(Omitted() if place is None else shortened(parts[place], most) for place in places)
