"""Slips: numbers written down wrongly or in the wrong cell, terms left out or of the wrong sign."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from itertools import combinations, islice, permutations, product
from typing import Any, NamedTuple

import numpy as np

from attncli.judging.honest_paths import Paths, rounded, taken
from attncli.judging.verdicts import NOISE, Accepted, Cause
from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.tree import Expression, Location, Node, Number, numbers_in, rewritten
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.names import Word
from attncli.trace import Quantity

_SIGN = Cause("sign", "The sign is wrong.")
_POINT = Cause("decimal_point", "The decimal point was moved.")
_DIGITS = Cause("digits_transposed", "Two neighbouring digits were exchanged.")
OF_THE_PEN = tuple(cause.name for cause in (_SIGN, _DIGITS, _POINT))
"""Causes by which a right number was written down wrongly."""
_MOST_SHIFTED = 3
_HALF = 0.5


class RightNumbers(NamedTuple):
    """The numbers that are right for a cell."""

    accepted: Accepted
    """The range that is accepted."""
    full: Accepted
    """The range of the result before it is rounded."""
    places: int
    """The decimals that it is rounded to."""

    def takes(self, number: Decimal) -> bool:
        """Tells whether a number is right, judged by its own decimals where it has more than are
        asked for."""
        places = decimals.places(number.normalize())
        if places <= self.places or not self.accepted.takes(number):
            return self.accepted.takes(number)
        half = _HALF * 10.0**-places
        return Accepted(self.full.low - half, self.full.high + half).takes(number)

    def tells(self, number: Decimal) -> bool:
        """Tells whether a number is right and the range so narrow that this isn't by chance."""
        wide = max(_FEW * 10.0**-self.places, _CLOSELY * abs(float(number)))
        return self.full.high - self.full.low <= wide and self.takes(number)


def slips_of_the_pen(right: RightNumbers, number: Decimal) -> Iterator[Cause]:
    """Yields what was written wrongly, if correcting it gives a right number: the sign, the decimal
    point, or two digits exchanged."""
    if not number.is_finite() or not number:
        return
    if right.tells(-number):
        yield _SIGN
    if any(right.tells(number.scaleb(k)) for k in _SHIFTS):
        yield _POINT
    if any(right.tells(n) for n in _transposed(number)):
        yield _DIGITS


_FEW = 10
"""The widest range, in units of the last place, that a number isn't in by chance;"""
_CLOSELY = 0.1
"""or as a share of the number."""
_SHIFTS = tuple(k for k in range(-_MOST_SHIFTED, _MOST_SHIFTED + 1) if k)


def _transposed(number: Decimal) -> Iterator[Decimal]:
    """Yields the numbers with two neighbouring digits exchanged."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    padded = (0,) * max(0, 1 - exponent - len(digits)) + digits
    for k in range(len(padded) - 1):
        if padded[k] != padded[k + 1]:
            swapped = (*padded[:k], padded[k + 1], padded[k], *padded[k + 2 :])
            yield Decimal((sign, swapped, exponent))


_MOST = 2000
"""The most slips that are tried in a working. Of a long sum of products there are fewer,"""
_MOST_LEAVES = 50_000
"""so that at most so many numbers are looked at."""
_NEAR = 20
"""How many rows or columns away a number may be that is mistaken for another."""
_MOST_ROUNDED = 6
"""The most numbers in a working whose ways of rounding are tried in all combinations."""
_LEFT_OUT = Cause("term_left_out", "A term was left out.")
_OTHER_SIGN = Cause("sign_of_a_term", "A term was added instead of subtracted, or the reverse.")
_EXCHANGED = Cause("products_exchanged", "The factors of two products were exchanged.")


class _Slip(NamedTuple):
    cause: Cause
    form: Expression


def slips_of_a_term(
    paths: Paths, cell: Location, right: Accepted, number: float
) -> Iterator[Cause]:
    """Yields the slips in a single term by which a cell's working gives a number, each kind
    once."""
    trace, definition = paths.trace, paths.definition(cell.quantity)
    if definition is None or definition.operation.copies:
        return
    form = definition.operation.first_form(cell.row, cell.column, *trace.operands(definition))
    form = _with_numbers(form, partial(_number_at, paths))
    usual = _value(form)
    apart = max(abs(end - usual) for end in (right.low, right.high))
    apart += NOISE * max(1.0, abs(number))
    found: dict[str, Cause] = {}
    most = min(_MOST, _MOST_LEAVES // max(1, sum(1 for _ in numbers_in(form))))
    for slip in islice(_slips(paths, form), most):
        if abs(number - _value(slip.form)) <= apart:
            found.setdefault(slip.cause.name, slip.cause)
    yield from found.values()


def comes_of_rounding_early(paths: Paths, cell: Location, number: float) -> bool:
    """Tells whether a cell's working gives a number if some of its operands are rounded to one
    decimal fewer. With more than six operands it is taken to be possible."""
    trace, definition = paths.trace, paths.definition(cell.quantity)
    assert definition is not None
    form = definition.operation.first_form(cell.row, cell.column, *trace.operands(definition))
    used = [n.cell for n in numbers_in(form) if n.cell is not None and n.cell.quantity]
    worked = [
        entry for entry in dict.fromkeys(used) if paths.definition(entry.quantity) is not None
    ]
    if len(worked) > _MOST_ROUNDED:
        return True
    places, made = paths.decimals(cell.quantity), set[float]()
    form = _with_numbers(form, partial(_number_at, paths))
    for ways in product(*(_rounded_ways(paths, entry) for entry in worked)):
        numbers = dict(zip(worked, ways, strict=True))
        made.add(_value(_with_numbers(form, numbers.get)))
    values = np.array([value for value in made if not math.isnan(value)])
    return bool((np.abs(rounded(values, places) - number) < _HALF * 10.0**-places).any())


def _with_numbers(form: Expression, number_of: Callable[[Location], float | None]) -> Expression:
    """Returns a form with other numbers in the place of those of some cells."""

    def changed(node: Expression) -> Expression | None:
        if not isinstance(node, Number) or node.cell is None or not node.cell.quantity:
            return None
        number = number_of(node.cell)
        return None if number is None else _number(number, node.cell)

    return rewritten(form, changed)


def _number_at(paths: Paths, cell: Location) -> float:
    """Returns the middle of what the number of a cell may be."""
    low, high = (float(end[cell.row, cell.column]) for end in paths.used(cell.quantity))
    return low if low == high else (low + high) / 2


def _number(number: float, cell: Location) -> Number:
    full = Decimal(repr(number))
    return Number(full, full, cell)


def _value(form: Expression) -> float:
    """Returns the value of a form; NaN where it has none, such as that of a division by 0."""
    try:
        return float(deciding.full(form))
    except (TypeError, ValueError, ArithmeticError):
        return math.nan


def _rounded_ways(paths: Paths, cell: Location) -> set[float]:
    """Returns a number in full, rounded to the stated decimals, and to one fewer."""
    name, i, j = cell
    middle = paths.used(name).middle[i : i + 1, j : j + 1]
    places = paths.decimals(name)
    each = (middle, rounded(middle, places), rounded(middle, places - 1))
    return {array.item() for array in each}


def _slips(paths: Paths, form: Expression) -> Iterator[_Slip]:
    for node, put in _parts(form, lambda e: e):
        match node:
            case ex.Sum(terms):
                for cause, changed in _of_sum(terms):
                    yield _Slip(cause, put(changed))
    for node, put in _parts(form, lambda e: e):
        if isinstance(node, Number) and node.cell is not None and node.cell.quantity:
            for other in _misread(paths, node.cell):
                read = _number(_number_at(paths, other), other)
                yield _Slip(_misread_as(paths, node.cell, other), put(read))


def _parts(
    node: Expression, put: Callable[[Expression], Expression]
) -> Iterator[tuple[Expression, Callable[[Expression], Expression]]]:
    """Yields each part of a form, with a function that returns the form with another part in its
    place."""
    yield node, put
    if isinstance(node, ex.Leaf) or not isinstance(node, Node):
        return
    for k, part in enumerate(node.parts):
        for at, expression in _inside(part):
            yield from _parts(expression, _putter(node, k, at, put))


def _inside(part: Any) -> Iterator[tuple[int | None, Expression]]:  # noqa: ANN401
    if type(part) is tuple:
        yield from enumerate(part)
    elif not isinstance(part, str):
        yield None, part


def _putter(
    node: Node, k: int, at: int | None, put: Callable[[Expression], Expression]
) -> Callable[[Expression], Expression]:
    def changed(new: Expression) -> Expression:
        part = node.parts[k]
        entry = new if at is None else (*part[:at], new, *part[at + 1 :])
        return put(node.of([*node.parts[:k], entry, *node.parts[k + 1 :]]))

    return changed


def _of_sum(terms: tuple[Expression, ...]) -> Iterator[tuple[Cause, Expression]]:
    for k, term in enumerate(terms):
        before, after = terms[:k], terms[k + 1 :]
        yield _LEFT_OUT, ex.Sum((*before, *after))
        turned = term.operand if isinstance(term, ex.Negative) else ex.Negative(term)
        yield _OTHER_SIGN, ex.Sum((*before, turned, *after))
    for i, j in combinations(range(len(terms)), 2):
        match terms[i], terms[j]:
            case ex.Product((a, b)), ex.Product((c, d)):
                exchanged = [*terms]
                exchanged[i], exchanged[j] = ex.Product((a, d)), ex.Product((c, b))
                yield _EXCHANGED, ex.Sum(tuple(exchanged))


def _misread(paths: Paths, cell: Location) -> Iterator[Location]:
    """Yields the other cells of a table that are near a cell, the nearest first."""
    name, i, j = cell
    rows, columns = (
        range(max(0, at - _NEAR), min(extent, at + _NEAR + 1))
        for at, extent in zip((i, j), paths.trace[name].matrix.shape, strict=True)
    )
    others = [Location(name, k, m) for k, m in product(rows, columns) if (k, m) != (i, j)]
    yield from sorted(others, key=lambda at: abs(at.row - i) + abs(at.column - j))


def _misread_as(paths: Paths, cell: Location, other: Location) -> Cause:
    read, instead = (paths.trace[entry.quantity].address(*entry.indices) for entry in (other, cell))
    says = (Word(read), " was taken for ", Word(instead), ".")
    return Cause("operand_misread", says)


TURNED = Cause("row_and_column", "Rows and columns were exchanged.")
_ROW = Cause("another_row", "These are the numbers of another row.")
_COLUMN = Cause("another_column", "These are the numbers of another column.")
IN_EACH_OTHERS_PLACE = "cells_exchanged"
"""The name of the cause of two numbers of a table that stand in each other's place."""
OF_TABLES = tuple(cause.name for cause in (_ROW, _COLUMN))
"""The names of causes by which right numbers stand in another place of their table."""
_MOST_ROWS = 12
"""The most rows or columns of a table that is searched for exchanged ones."""


def exchanged_cells(
    quantity: Quantity, held: Enclosure, wrong: Array, place: tuple[int, int]
) -> Iterator[Cause]:
    """Yields that a `wrong` number of a quantity and another stand in each other's place, if each
    is right there by what is `held` to be. Both have the same cause."""
    here = Enclosure(*(end[place] for end in held))
    others = np.argwhere(taken(held, wrong[place]) & taken(here, wrong))
    for other in others[:1].tolist():
        first, second = (Word(quantity.address(i, j)) for i, j in sorted([[*place], other]))
        yield Cause(IN_EACH_OTHERS_PLACE, (first, " and ", second, " were exchanged."))


def moved_tables(
    made: Enclosure, numbers: Array, around: Callable[[Enclosure], Enclosure]
) -> Iterator[tuple[Cause, Enclosure]]:
    """Yields the range that is right if a table was transposed, or if a row or a column holds
    another one's numbers. `around` widens what is made to what is accepted."""
    n, m = numbers.shape
    if n == m:
        yield TURNED, around(_turned(made))
    if m > 1:
        yield from ((_ROW, held) for held in _another_row(made, numbers, around))
    if n > 1:
        found = _another_row(_turned(made), numbers.T, lambda held: _turned(around(_turned(held))))
        yield from ((_COLUMN, _turned(held)) for held in found)


def _turned(bounds: Enclosure) -> Enclosure:
    return Enclosure(bounds.low.T, bounds.high.T)


def _another_row(
    made: Enclosure, numbers: Array, around: Callable[[Enclosure], Enclosure]
) -> Iterator[Enclosure]:
    """Yields the table with another row in the place of one, where all given numbers of that row
    agree."""
    given = ~np.isnan(numbers)
    for i, k in permutations(range(len(numbers)), 2) if len(numbers) <= _MOST_ROWS else ():
        if given[i].sum() < 2:  # noqa: PLR2004
            continue
        low, high = (end.copy() for end in made)
        low[i], high[i] = (end[k] for end in made)
        held = around(Enclosure(low, high))
        if (taken(held, numbers)[i] | ~given[i]).all():
            yield held
