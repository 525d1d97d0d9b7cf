"""Numbers of matrices as texts, for every format that prints tables."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import (
    Blank,
    Number,
    Omitted,
    Product,
    Vector,
)
from attncli.document import MatrixBlock
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.notation.signs import signed


def text_of(number: Number | Blank) -> str:
    """A number as it is printed; what is to be filled in as a rule."""
    return plain(number)


def heading_of(block: MatrixBlock) -> str:
    """The heading of a quantity's table: its name, and whether it was given."""
    return f"{block.name} ({block.origin})" if block.given else block.name


def filled_vectors(vectors: Sequence[Vector]) -> list[str]:
    """Vectors as texts, their entries' decimal points below each other."""
    texts = [[plain(entry) for entry in v.entries] for v in vectors]
    columns = [at_point(column) for column in zip(*texts, strict=True)]
    return [f"[{', '.join(row)}]" for row in zip(*columns, strict=True)]


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


def addend_sign(addend: tuple[Product, Vector] | Omitted, k: int) -> str:
    """The sign before the k-th addend of a column addition: a space before a first positive one."""
    minus = not isinstance(addend, Omitted) and signed(addend[0])[0]
    if minus:
        return MINUS
    return "+" if k else " "
