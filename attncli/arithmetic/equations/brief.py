"""Long sums as a page tells them: `1 + 2 + 3 + … + 512`, and what `…` comes to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Expression, Number
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.signature import Signature

if TYPE_CHECKING:
    from attncli.arithmetic.equations.working import Filled, Indices

_MANY = 256
"""Of more terms only those are made that are told."""
_FIRST = 3
"""Terms that are told before those that are left out."""


def in_brief(tree: Expression) -> Collection[ex.Total]:
    """The sums of an equation that are told without most of their terms where they are many: of
    cells as they are; and of products and squares of cells, where a page leaves terms out."""
    of_cells = (total for total in ex.each(tree, ex.Total) if len(_factors(total)) == 1)
    return (*of_cells, *(total for total in _elided_in(tree) if _factors(total)))


def _elided_in(tree: Expression) -> Iterator[ex.Total]:
    """The sums that lie where `elision.shortened` leaves terms out."""
    match tree:
        case ex.Total():
            yield tree
        case ex.Sum(terms):
            for term in terms:
                yield from _elided_in(term)
        case ex.Quotient(dividend, divisor):
            yield from (*_elided_in(dividend), *_elided_in(divisor))


def _factors(total: ex.Total) -> Sequence[ex.Operand]:
    """The one or two cells whose product each term of a sum over an index is; none of any other."""
    match total:
        case ex.Total(over, ex.Operand() as cell) if len(over) == 1:
            return (cell,)
        case ex.Total(over, ex.Power(ex.Operand() as cell, ex.TWO)) if len(over) == 1:
            return (cell, cell)
        case ex.Total(over, ex.Product((ex.Operand() as a, ex.Operand() as b))) if len(over) == 1:
            return (a, b)
    return ()


def brief_total(total: ex.Total, shapes: Signature, term: Filled, written_out: Filled) -> Filled:
    """Terms added up, without most of them where they are many."""
    cells = _factors(total)
    lines = [(cell.place, shapes.along(cell)) for cell in cells]
    if any(along.count(total.over) != 1 for _, along in lines):
        return written_out
    place, along = lines[0]
    side = along.index(total.over)

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        count = operands[place].shape[side]
        if count <= _MANY:
            return written_out(at, operands)
        omitted = _left_out(
            [
                [
                    operands[one].shown(*({**at, total.over: k}[side] for side in sides))
                    for one, sides in lines
                ]
                for k in range(_FIRST, count - 1)
            ]
        )
        places = elided(count, MOST_PARTS, _FIRST)
        told = (omitted if k is None else term({**at, total.over: k}, operands) for k in places)
        return ex.Sum(tuple(told))

    return fill


def _left_out(terms: Sequence[Sequence[Decimal]]) -> ex.Omitted:
    """The terms that have such factors, as a page would show these."""
    products = [reduce(decimals.product, factors) for factors in terms]
    places = max(map(decimals.places, products)) if len(terms[0]) > 1 else 0
    return ex.Omitted(Number.written(decimals.total(products)), places)


def one_omission(added: Filled) -> Filled:
    """A sum with terms left out of some of its sums has these in one place, as a page tells it:
    nothing is told after them but its last term."""

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        told = added(at, operands)
        if not isinstance(told, ex.Sum) or ex.Omitted not in map(type, told.terms):
            return told
        *before, last = told.terms
        return ex.Sum((*before[:_FIRST], _together(before[_FIRST:]), last))

    return fill


def _together(terms: Sequence[Expression]) -> ex.Omitted:
    """Some terms, with products of numbers among them, as left out."""
    values = [evaluation.shown(term) for term in terms]
    places = [
        term.places if isinstance(term, ex.Omitted) else decimals.places(value)
        for term, value in zip(terms, values, strict=True)
        if not isinstance(term, Number)
    ]
    return ex.Omitted(Number.written(decimals.total(values)), max(places))
