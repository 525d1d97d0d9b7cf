"""Which answers are right for a cell, whichever way its quantities were rounded.

The scenario is worked twice, once carrying rounded numbers on and once in full, both in decimals:
halves are then halves, and none is decided by the noise of floats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Context, Decimal
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.oracle.book import BY_THE_BOOK, Book, Hand, Record
from tests.oracle.numerals import LONGEST, places_written, round_half_away, settled
from tests.oracle.stack import worked

Cell = tuple[str, int, int]
"""The full name of a quantity, a row and a column, both from 0."""

_POLICIES = ("carry", "exact")
_WIDE = Context(prec=LONGEST)


class Interval(NamedTuple):
    """Every number from `low` to `high`, both included, is right.

    `carry` and `exact` are what the two policies give, `exact` rounded half away from zero to as
    many decimals as `carry` has, and at least to `decimals`: those of the quantity's rounding.
    None is said of a policy that the scenario's numbers can't be worked under.
    """

    low: Decimal
    high: Decimal
    carry: Decimal | None
    exact: Decimal | None
    decimals: int


def intervals(
    data: Record,
    cells: Iterable[Cell],
    folder: Path | None = None,
    start: Record | None = None,
    *,
    own: bool = False,
) -> dict[Cell, Interval]:
    """The accepted interval of each cell: half a unit of the last of the quantity's decimals
    around what either policy gives. A cell that holds −∞ under the scenario's own policy accepts
    just that, another one only numbers.

    `folder` is where the scenario's files are; `start` has rows that both policies start from in
    the place of what they would work, by full names. With `own`, what `exact` gives from the
    scenario's own numbers is right as well. Raises KeyError for a quantity that the scenario
    doesn't get to, IndexError for a cell outside it, ArithmeticError for numbers that can't be
    worked under either policy.
    """
    place = folder or Path()
    carry, exact = (_worked(data, place, start, policy) for policy in _POLICIES)
    far = _worked(data, place, None, "exact") if own and start else None
    if carry is None and exact is None:
        raise ArithmeticError("these numbers can't be worked")
    carries = (data.get("rounding") or {}).get("policy", "carry") == "carry"
    books = _Books(carry, exact, far, carry if carries else far or exact)
    return {cell: _interval(books, cell) for cell in cells}


def paper(
    data: Record, cells: Iterable[Cell], seed: int, start: Record | None = None,
    roots: Collection[int] = (),
) -> dict[Cell, Decimal]:  # fmt: skip
    """What somebody writes down who takes each number in full, rounded, or rounded to more
    decimals, as it happens at each use, and some `roots` as they are printed. Raises
    ArithmeticError for numbers that can't be worked."""
    carry = _worked(data, Path(), start, "carry")
    book = _worked(data, Path(), start, "exact", Hand(rng=Random(seed), roots=roots))
    if carry is None or book is None:
        raise ArithmeticError("these numbers can't be worked")
    places = _Books(carry, book, None, carry)
    numbers = {cell: _number(book, cell, _decimals(places, cell)) for cell in cells}
    return {cell: number for cell, number in numbers.items() if number is not None}


class _Books(NamedTuple):
    """What each policy gives, what `exact` gives from the scenario's own numbers, and which of
    these is the scenario's own policy."""

    carry: Book | None
    exact: Book | None
    far: Book | None
    own: Book | None

    @property
    def policies(self) -> tuple[Book | None, ...]:
        return self.carry, self.exact, self.far, self.own


def _worked(
    data: Record,
    folder: Path,
    start: Record | None,
    policy: str,
    hand: Hand = BY_THE_BOOK,
) -> Book | None:
    """The quantities under a policy; None where they can't be worked. What a tokenizer chooses
    stays as it is under the scenario's own policy."""
    said = data.get("rounding") or {}
    rounding = {**said, "policy": policy, "choices": said.get("policy", _POLICIES[0])}
    try:
        data = {**data, "rounding": rounding}
        return worked(data, folder, start, decimal=True, hand=hand)
    except ArithmeticError:
        return None


def _interval(books: _Books, cell: Cell) -> Interval:
    decimals = _decimals(books, cell)
    carry, exact, far, own = (_number(book, cell, decimals) for book in books.policies)
    known = [number for number in (own, carry, exact, far) if number is not None]
    right = [number for number in known if number.is_finite() == known[0].is_finite()]
    half = Decimal((0, (5,), -decimals - 1))
    low, high = _WIDE.subtract(min(right), half), _WIDE.add(max(right), half)
    return Interval(low, high, carry, exact, decimals)


def _decimals(books: _Books, cell: Cell) -> int:
    """Those that the quantity is rounded to; a copy's are those of what it copies."""
    name, i, j = cell
    if books.carry is None:
        return next(book.places[name] for book in books.policies if book is not None)
    number = books.carry.pages[name][i, j]
    if name in books.carry.copies and number.is_finite():
        return places_written(number)
    return max(books.carry.places[name], places_written(number))


def _number(book: Book | None, cell: Cell, decimals: int) -> Decimal | None:
    """A number as it is rounded; numbers that were carried are already."""
    if book is None:
        return None
    name, i, j = cell
    number = book.pages[name][i, j]
    return number if book.rounds else round_half_away(settled(number), decimals)
