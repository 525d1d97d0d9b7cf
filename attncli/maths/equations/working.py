"""The working of a cell, and of long sums as a page tells them: `1 + 2 + 3 + … + 512`.

The first form is an equation with numbers for its operands; others follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.long_sums import MANY, LongSum
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import Signature, axis_of
from attncli.maths.equations.tree import Expression, Number, constant
from attncli.maths.numbers import decimals
from attncli.names import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Places: TypeAlias = "int | NDArray[np.intp]"
"""A place, or several."""
_FIRST = 3
"""Terms that are told before those that are left out."""


def in_brief(tree: Expression) -> Collection[ex.Total]:
    """Finds the sums of an equation that are shown without most of their terms where they are many:
    sums of plain cells; and of products and squares of cells, where a page leaves terms out."""
    of_cells = (total for total in ex.each(tree, ex.Total) if len(_factors(total)) == 1)
    return (*of_cells, *(total for total in _elided_in(tree) if _factors(total)))


def _elided_in(tree: Expression) -> Iterator[ex.Total]:
    """Yields the sums that lie where `elision.shortened` leaves terms out."""
    match tree:
        case ex.Total():
            yield tree
        case ex.Sum(terms):
            for term in terms:
                yield from _elided_in(term)
        case ex.Quotient(dividend, divisor):
            yield from (*_elided_in(dividend), *_elided_in(divisor))


def _factors(total: ex.Total) -> Sequence[ex.Operand]:
    """Returns the one or two cells whose product each term of a sum is; none for any other sum."""
    match total:
        case ex.Total(_, ex.Operand() as cell):
            return (cell,)
        case ex.Total(over, ex.Power(ex.Operand() as cell, ex.TWO)) if len(over) == 1:
            return (cell, cell)
        case ex.Total(over, ex.Product((ex.Operand() as a, ex.Operand() as b))) if len(over) == 1:
            return (a, b)
    return ()


def brief_total(total: ex.Total, shapes: Signature, term: Filled, written_out: Filled) -> Filled:
    """Makes the function that writes a sum out, without most of its terms where they are many."""
    cells = _factors(total)
    lines = [(cell.place, shapes.along(cell)) for cell in cells]
    if any(along.count(index) != 1 for index in total.over for _, along in lines):
        return written_out
    place, along = lines[0]
    sides = [along.index(index) for index in total.over]

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        extents = [operands[place].shape[side] for side in sides]
        count = math.prod(extents)
        if count <= MANY:
            return written_out(at, operands)

        def term_at(k: int) -> Expression:
            cell = (int(index) for index in np.unravel_index(k, extents))
            return term({**at, **dict(zip(total.over, cell, strict=True))}, operands)

        others = np.unravel_index(np.arange(_FIRST, count - 1), extents)
        some: dict[str, _Places] = {**at, **dict(zip(total.over, others, strict=True))}
        omitted = _left_out(
            [(operands[k], some[rows], some[columns]) for k, (rows, columns) in lines]
        )
        places = elided(count, MOST_PARTS, _FIRST)
        return ex.Sum(tuple(omitted if k is None else term_at(k) for k in places))

    return fill


def _left_out(factors: Sequence[tuple[Matrix, _Places, _Places]]) -> ex.Omitted:
    """Adds up the terms with these factors that a page leaves out, as it would show them.

    Numbers in whole units are added up as these, which halves the time of a page of 512 × 512.
    """
    counts = [_counts(*factor) for factor in factors]
    known = [counted for counted in counts if counted is not None]
    if len(known) == len(factors):
        places = sum(matrix.places or 0 for matrix, *_ in factors)
        total = decimals.counted(sum(map(math.prod, zip(*known, strict=True))), places)
    else:
        each = [[m.shown(*cell) for cell in np.broadcast(*cells)] for m, *cells in factors]
        products = [reduce(decimals.product, terms) for terms in zip(*each, strict=True)]
        places, total = max(map(decimals.places, products)), decimals.total(products)
    return ex.Omitted(Number.written(total), places if len(factors) > 1 else 0)


def _counts(matrix: Matrix, rows: _Places, columns: _Places) -> list[int] | None:
    """Returns some numbers in whole units of the last of their decimals, where they are shown so;
    otherwise None."""
    if matrix.written is not None or not matrix.is_shown_in_full or matrix.counts is None:
        return None
    found: list[int] = matrix.counts[rows, columns].tolist()
    return found


def one_omission(added: Filled) -> Filled:
    """Gathers the terms that are left out of the sums in a sum at one place, as a page shows it:
    nothing but its last term comes after them."""

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        node = added(at, operands)
        if not isinstance(node, ex.Sum) or ex.Omitted not in map(type, node.terms):
            return node
        *before, last = node.terms
        return ex.Sum((*before[:_FIRST], _together(before[_FIRST:]), last))

    return fill


def _together(terms: Sequence[Expression]) -> ex.Omitted:
    """Leaves terms out, products of numbers among them."""
    values = [deciding.shown(term) for term in terms]
    places = [
        term.places if isinstance(term, ex.Omitted) else decimals.places(value)
        for term, value in zip(terms, values, strict=True)
        if not isinstance(term, Number)
    ]
    return ex.Omitted(Number.written(decimals.total(values)), max(places))


Indices = Mapping[str, int]
"""Where each index is, from 0; and "", which stands for an axis without any, at 0."""
Filled = Callable[[Indices, Sequence[Matrix]], Expression]
"""An equation for its indices and its operands."""

LONGEST_PRODUCT = 10
"""Decimals past which the products of a sum are left out of its working."""


def sum_of(terms: Sequence[Expression]) -> Expression:
    """Adds terms up; a single one stays itself, and none at all make 0."""
    if len(terms) > 1:
        return ex.Sum(tuple(terms))
    return terms[0] if terms else ex.ZERO


def are_long(numbers: Iterable[Number]) -> bool:
    """Tells whether a number on the way of a line is too long to be shown."""
    return any(decimals.places(number.shown) > LONGEST_PRODUCT for number in numbers)


def product_of(a: Number, b: Number) -> Number:
    """Multiplies two numbers on the way of a line, in full."""
    return Number.inner(decimals.product(a.shown, b.shown), ex.Product((a, b)))


def negated(x: Number) -> Number:
    """Changes the sign of a number on the way of a line."""
    full, shown = decimals.negated(x.full), decimals.negated(x.shown)
    return Number(full, shown, ex.INNER, ex.Negative(x)) if x.cell else Number(full, shown)


def filled(
    tree: Expression,
    shapes: Signature,
    *,
    whole: bool = False,
    brief: bool = False,
    places: int | None = None,
) -> Filled:
    """Makes the function that writes the first form of a cell's working: the equation with numbers.

    A `whole` form contains its conditions, where others have what these lead to; a `brief` one
    leaves out most terms of long sums of products, and with the `places` of the result of all long
    sums, products and maxima.
    """
    brief_nodes = in_brief(tree) if brief else ()

    def of(node: Expression) -> Filled:
        match node:
            case ex.Operand() | ex.Length():
                return _leaf(node, shapes)
            case ex.Total() | ex.Reduced():
                axes = [axis_of(index, tree, shapes) for index in node.over]
                made = _over_indices(node, axes, of, whole)
                if isinstance(node, ex.Total) and node in brief_nodes:
                    return brief_total(node, shapes, *made)
                in_short = places is not None and _in_short(node, shapes, axes, made, places)
                return in_short or made.written_out
            case ex.Sum(terms):
                added = _sum([_term(of, term, whole) for term in terms])
                return one_omission(added) if brief_nodes else added
            case ex.Negative(operand):
                return _negative(of(operand))
            case _:
                return _node(node, of, whole)

    return of(tree)


def _leaf(node: ex.Operand | ex.Length, shapes: Signature) -> Filled:
    place = node.place
    if isinstance(node, ex.Length):
        axis = node.axis
        return lambda _, operands: constant(operands[place].shape[axis])
    rows, columns = shapes.along(node)
    return lambda at, operands: operands[place].number(at[rows], at[columns])


def _kept(
    of: Callable[[Expression], Filled],
    term: Expression,
    whole: bool,
    nothing: Expression = ex.ZERO,
) -> tuple[Filled, Filled | None]:
    """Splits a term of a sum into itself and the condition without which it is 0, or whatever else
    is `nothing`, and left out."""
    match term:
        case ex.Apply("where", (condition, node, other)) if not whole and other == nothing:
            return of(node), of(condition)
        case _:
            return of(term), None


def _holds(condition: Filled | None, at: Indices, operands: Sequence[Matrix]) -> bool:
    return condition is None or bool(deciding.full(condition(at, operands)))


def _where(condition: Filled, filled: Filled, other: Filled) -> Filled:
    return lambda at, known: (filled if _holds(condition, at, known) else other)(at, known)


def _cells(
    kept: Filled | None, axes: Sequence[tuple[int, int]], over: str
) -> Callable[[Indices, Sequence[Matrix]], list[Indices]]:
    """Makes the function that lists the places along some indices of what isn't left out."""

    def cells(at: Indices, operands: Sequence[Matrix]) -> list[Indices]:
        found = [at]
        for index, (place, axis) in zip(over, axes, strict=True):
            count = operands[place].shape[axis]
            found = [{**cell, index: k} for cell in found for k in range(count)]
        return [cell for cell in found if _holds(kept, cell, operands)]

    return cells


def _reduced(
    function: str, term: Filled, kept: Filled | None, axes: Sequence[tuple[int, int]], over: str
) -> Filled:
    cells = _cells(kept, axes, over)

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        return _reduction_of(function, [term(cell, operands) for cell in cells(at, operands)])

    return fill


def _reduction_of(function: str, numbers: Sequence[Expression]) -> Expression:
    """Returns the largest, the smallest or the product of numbers; a single one stays itself."""
    if len(numbers) == 1:
        return numbers[0]
    if function == "prod":
        return ex.Product(tuple(numbers)) if numbers else ex.ONE
    return ex.Apply(function, tuple(numbers))


class _OverIndices(NamedTuple):
    """A sum, or another reduction, as it is written out."""

    term: Filled
    written_out: Filled


def _over_indices(
    node: ex.Total | ex.Reduced,
    axes: Sequence[tuple[int, int]],
    of: Callable[[Expression], Filled],
    whole: bool,
) -> _OverIndices:
    nothing = ex.ZERO if isinstance(node, ex.Total) else ex.NEUTRAL[node.function]
    term, kept = _kept(of, node.operand, whole, nothing)
    if isinstance(node, ex.Total):
        return _OverIndices(term, _total(term, kept, axes, node.over))
    return _OverIndices(term, _reduced(node.function, term, kept, axes, node.over))


def _in_short(
    node: ex.Total | ex.Reduced,
    shapes: Signature,
    axes: Sequence[tuple[int, int]],
    made: _OverIndices,
    places: int,
) -> Filled:
    """Writes a sum, or another reduction, out; without most of its terms where they are many."""

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        extents = [operands[place].shape[axis] for place, axis in axes]
        if math.prod(extents) <= MANY:
            return made.written_out(at, operands)
        long_sum = LongSum(node, extents, shapes, at, operands)
        terms = long_sum.terms(lambda at: made.term(at, operands), places)
        if terms is None:
            return made.written_out(at, operands)
        return sum_of(terms) if isinstance(node, ex.Total) else _reduction_of(node.function, terms)

    return fill


def _total(term: Filled, kept: Filled | None, axes: Sequence[tuple[int, int]], over: str) -> Filled:
    cells = _cells(kept, axes, over)

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        return sum_of([term(cell, operands) for cell in cells(at, operands)])

    return fill


class _Term(NamedTuple):
    """A term of a sum, without its minus."""

    filled: Filled
    kept: Filled | None
    """The condition without which it is left out, if there is one."""
    is_spread: bool
    """Whether its own terms become terms of the sum."""
    is_taken: bool
    """Whether it is subtracted."""


def _term(of: Callable[[Expression], Filled], term: Expression, whole: bool) -> _Term:
    inner = term.operand if isinstance(term, ex.Negative) else term
    return _Term(*_kept(of, inner, whole), isinstance(term, ex.Total), inner is not term)


def _sum(terms: Sequence[_Term]) -> Filled:
    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        expressions: list[Expression] = []
        for term in terms:
            if not _holds(term.kept, at, operands):
                continue
            node = term.filled(at, operands)
            if term.is_spread and isinstance(node, ex.Sum):
                expressions += node.terms
            else:
                expressions.append(ex.Negative(node) if term.is_taken else node)
        return sum_of(expressions)

    return fill


def _negative(of: Filled) -> Filled:
    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        operand = of(at, operands)
        return negated(operand) if isinstance(operand, Number) else ex.Negative(operand)

    return fill


def _node(node: Expression, of: Callable[[Expression], Filled], whole: bool) -> Filled:
    """Makes the function that writes any other node, with numbers for the operands in its parts."""
    if isinstance(node, Number | ex.Symbol | Word):
        return lambda *_: node
    if isinstance(node, ex.Apply) and node.function == "where" and not whole:
        return _where(*map(of, node.arguments))
    *before, last = node.parts
    if type(last) is tuple:
        each = [of(part) for part in last]
        return lambda at, operands: node.of((*before, tuple([x(at, operands) for x in each])))
    each = [of(part) for part in node.parts]
    return lambda at, operands: node.of([x(at, operands) for x in each])


def simplification_steps(first: Expression) -> tuple[Expression, ...]:
    """Lists a form and those that it is worked to.

    First what is in parentheses is worked, `1 − 0.3`; then squares and the products of sums, unless
    their numbers would be long.
    """
    expressions = [first]
    for work in (_without_parentheses, _worked):
        numbers: list[Number] = []
        form = work(expressions[-1], numbers)
        if not numbers:
            continue
        if work is _worked and are_long(numbers):
            break
        expressions.append(form)
    return tuple(expressions)


def _without_parentheses(form: Expression, numbers: list[Number]) -> Expression:
    """Works the sums of numbers that are factors of a sum's products, and what is added up inside
    the factors of a product. The results are appended to `numbers`."""
    if isinstance(form, ex.Product):
        return ex.Product(tuple(_inner_sums_worked(factor, numbers) for factor in form.factors))
    if not isinstance(form, ex.Sum) or not any(map(_has_parentheses, form.terms)):
        return form
    return ex.Sum(tuple(_one_number_each(term, numbers) for term in form.terms))


def _inner_sums_worked(factor: Expression, numbers: list[Number]) -> Expression:
    """Works the sums inside a factor: `1.06 − 0.0742` for `1.06 − (1.06 × 0.66 − 2.12 × 0.25 − 1.06
    × 0.09)`."""
    if not isinstance(factor, ex.Sum):
        return factor
    return ex.Sum(tuple(_inner_sum(term, numbers) for term in factor.terms))


def _inner_sum(term: Expression, numbers: list[Number]) -> Expression:
    match term:
        case ex.Negative(ex.Sum() as inner):
            total = _added(_worked(inner, []), numbers)
            return term if total is None else ex.Negative(total)
        case ex.Sum():
            return _added(_worked(term, []), numbers) or term
        case _:
            return term


def _has_parentheses(term: Expression) -> bool:
    return isinstance(term, ex.Product) and ex.Sum in map(type, term.factors)


def _one_number_each(term: Expression, numbers: list[Number]) -> Expression:
    if not isinstance(term, ex.Product):
        return term
    return ex.Product(tuple(_added(factor, numbers) or factor for factor in term.factors))


def _added(form: Expression, numbers: list[Number]) -> Number | None:
    """Adds a sum of numbers up and appends the result to `numbers`; returns None where it isn't
    one."""
    total = _signed(form) if isinstance(form, ex.Sum) else None
    if total is None:
        return None
    numbers.append(Number.inner(total, form))
    return numbers[-1]


def _signed(term: Expression) -> Decimal | None:
    if isinstance(term, Number):
        return term.shown
    if isinstance(term, ex.Omitted):
        return None if term.total is None else term.total.shown
    if isinstance(term, ex.Negative):
        taken = _signed(term.operand)
        return None if taken is None else decimals.negated(taken)
    if not isinstance(term, ex.Sum):
        return None
    found = [_signed(e) for e in term.terms]
    known = [n for n in found if n is not None]
    return decimals.total(known) if len(known) == len(found) else None


def _worked(form: Expression, numbers: list[Number]) -> Expression:
    match form:
        case ex.Sum(terms):
            return sum_of([_worked_term(term, numbers) for term in terms])
        case ex.Power(Number() as base, ex.TWO):
            numbers.append(product_of(base, base))
            return numbers[-1]
        case ex.Root(operand):
            inner = _worked(operand, [])
            return ex.Root(_added(inner, numbers) or _same_or_worked(operand, inner, numbers))
        case ex.Quotient(dividend, divisor):
            return ex.Quotient(_worked(dividend, numbers), divisor)
        case ex.Negative(operand):
            inner = _worked_term(operand, numbers)
            is_nothing = isinstance(inner, Number) and not inner.shown  # which has no minus
            return inner if is_nothing else ex.Negative(inner)
        case _:
            return form


def _same_or_worked(before: Expression, after: Expression, numbers: list[Number]) -> Expression:
    if isinstance(after, Number) and after != before:
        numbers.append(after)
    return after


def _worked_term(term: Expression, numbers: list[Number]) -> Expression:
    match term:
        case ex.Product((Number() as a, Number() as b)):
            numbers.append(product_of(a, b))
            return numbers[-1]
        case ex.Negative(ex.Product((Number() as a, Number() as b))):
            numbers.append(negated(product_of(a, b)))
            return numbers[-1]
        case ex.Omitted(_, places) if places:
            numbers.append(Number.inner(decimals.unit(places)))  # which is as long as they are
            return term
        case _:
            return _worked(term, numbers)
