"""Numbers of matrices as texts, for every format that prints tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attncli.document.blocks import ColumnSum
from attncli.maths.equations.tree import Blank, Expression, Number, Omitted, Product, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.notation import signed
from attncli.maths.notation.plain import MINUS


def text_of(number: Number | Blank) -> str:
    """Writes a number as it is printed; what is to be filled in as a rule."""
    return plain(number)


class Addend(NamedTuple):
    """An addend of a column addition."""

    sign: str
    """Its sign; of a first positive one a space."""
    product: Product | Omitted
    """Its product, without the minus; `…` for those left out."""
    value: Vector | None
    """What the product comes to; None for those left out."""


def addends_of(block: ColumnSum, *, may_change: bool = False) -> list[Addend]:
    """Lists the addends, the sign of each by itself, but of a number that may change."""
    addends = []
    for k, addend in enumerate(block.addends):
        product, value = (addend, None) if isinstance(addend, Omitted) else addend
        minus, positive = (False, product) if may_change else signed(product)
        assert isinstance(positive, Product | Omitted)
        sign = MINUS if minus else "+" if k else " "
        addends.append(Addend(sign, positive, value))
    return addends


class FilledAddend(NamedTuple):
    """An addend's texts: its sign, its product and its value; no value of those left out."""

    sign: str
    product: str
    value: str


def filled_addends(
    block: ColumnSum,
    weights_of: Callable[[Sequence[Expression]], list[str]],
    vectors_of: Callable[[Sequence[Vector]], list[str]],
    times: str,
    omitted: str,
) -> tuple[list[FilledAddend], str]:
    """Returns the addends with their weights and the entries of their vectors filled up to stand
    below each other, and the total filled up to stand below their values."""
    addends = addends_of(block)
    products = [a.product for a in addends if isinstance(a.product, Product)]
    vectors = [f for product in products for f in product.factors if isinstance(f, Vector)]
    *values, total = vectors_of([*(a.value for a in addends if a.value), block.total])
    weights = weights_of([product.factors[0] for product in products])
    rows = zip(weights, vectors_of(vectors), values, strict=True)
    texts = []
    for sign, product, _ in addends:
        if isinstance(product, Omitted):
            texts.append(FilledAddend(sign, omitted, ""))
            continue
        weight, vector, value = next(rows)
        texts.append(FilledAddend(sign, f"{weight}{times}{vector}", value))
    return texts, total
