"""Numbers of matrices as texts, for every format that prints tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Blank, Expression, Number, Omitted, Product, Vector
from attncli.document import Addition
from attncli.notation import plain
from attncli.notation.notation import signed
from attncli.notation.plain import MINUS
from attncli.tables import MatrixBlock


def text_of(number: Number | Blank) -> str:
    """A number as it is printed; what is to be filled in as a rule."""
    return plain(number)


def heading_of(block: MatrixBlock) -> str:
    """The heading of a quantity's table: its name, and whether it was given. Of lists beside each
    other each column has its own."""
    if block.are_lists:
        return ""
    return f"{block.name} ({block.origin})" if block.given and block.origin else block.name


def filled(numbers: Sequence[Expression]) -> list[str]:
    """Numbers as texts, their decimal points below each other."""
    return at_point([plain(number) for number in numbers])


def filled_vectors(
    vectors: Sequence[Vector],
    column: Callable[[Sequence[Expression]], list[str]] = filled,
    form: str = "[{}]",
    between: str = ", ",
) -> list[str]:
    """Vectors as texts, with the entries in each column as they stand below each other."""
    columns = map(column, zip(*(vector.entries for vector in vectors), strict=True))
    return [form.format(between.join(row)) for row in zip(*columns, strict=True)]


def at_point(texts: Sequence[str]) -> list[str]:
    """Numbers filled up so that their decimal points stand above each other; −∞, which has
    none, and `⋮` at the right."""
    heads = [text.partition(".")[0] if _has_digits(text) else "" for text in texts]
    tails = [text[len(head) :] if head else "" for text, head in zip(texts, heads, strict=True)]
    before, after = max(map(len, heads)), max(map(len, tails))
    return [
        head.rjust(before) + tail.ljust(after) if head else text.rjust(before + after)
        for text, head, tail in zip(texts, heads, tails, strict=True)
    ]


def _has_digits(text: str) -> bool:
    return any(character.isdigit() for character in text)


class Addend(NamedTuple):
    """An addend of a column addition: its sign, of a first positive one a space; its product,
    without the minus, and its value; `…` and none for those left out."""

    sign: str
    product: Product | Omitted
    value: Vector | None


def addends_of(block: Addition) -> list[Addend]:
    """The addends, the sign of each by itself."""
    addends = []
    for k, addend in enumerate(block.addends):
        product, value = (addend, None) if isinstance(addend, Omitted) else addend
        minus, positive = signed(product)
        assert isinstance(positive, Product | Omitted)
        sign = MINUS if minus else "+" if k else " "
        addends.append(Addend(sign, positive, value))
    return addends


class FilledAddend(NamedTuple):
    """The texts of an addend: its sign, its product and its value; no value of those left out."""

    sign: str
    product: str
    value: str


def filled_addends(
    block: Addition,
    weights_of: Callable[[Sequence[Expression]], list[str]],
    vectors_of: Callable[[Sequence[Vector]], list[str]],
    times: str,
    omitted: str,
) -> tuple[list[FilledAddend], str]:
    """The addends with their weights and the entries of their vectors filled up to stand below each
    other, and the total filled up to stand below their values."""
    addends = addends_of(block)
    products = [one.product for one in addends if isinstance(one.product, Product)]
    vectors = [one for product in products for one in product.factors if isinstance(one, Vector)]
    *values, total = vectors_of([*(one.value for one in addends if one.value), block.total])
    weights = weights_of([product.factors[0] for product in products])
    told = zip(weights, vectors_of(vectors), values, strict=True)
    texts = []
    for sign, product, _ in addends:
        if isinstance(product, Omitted):
            texts.append(FilledAddend(sign, omitted, ""))
            continue
        weight, vector, value = next(told)
        texts.append(FilledAddend(sign, f"{weight}{times}{vector}", value))
    return texts, total
