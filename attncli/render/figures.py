"""Figures of matrices as texts, for every format that prints tables."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import (
    MOST_PARTS,
    Blank,
    Number,
    Omitted,
    Product,
    Vector,
    elided,
    elided_rows,
)
from attncli.document import MatrixBlock
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.notation.signs import signed
from attncli.notation.words import shown
from attncli.word import Word


def text_of(figure: Number | Blank) -> str:
    """A figure as it is printed; what is to be filled in as a rule."""
    return plain(figure)


def heading_of(block: MatrixBlock) -> str:
    """The heading of a quantity's table: its name, and whether it was given."""
    return f"{block.name} ({block.origin})" if block.given else block.name


def row_heading(block: MatrixBlock, row: int | None) -> Word | str:
    """What a row is called, with its role where that helps; `⋮` for rows left out."""
    if row is None:
        return "⋮"
    return _in_role(block.roles[0], block.row_names[row])


def column_heading(block: MatrixBlock, j: int | None) -> Word | str:
    """What a column is called, with its role where that helps; a list's column has no name."""
    if j is None:
        return "…"
    return "" if block.is_list else _in_role(block.roles[1], block.column_names[j])


def _in_role(role: str, name: Word) -> Word:
    return Word(f"{role}: {name.raw}") if role else name


def sum_heading(block: MatrixBlock) -> str:
    """What the column of the rows' sums is called, unlike any of the others."""
    others = {shown(column_heading(block, j)).strip() for j in range(block.matrix.shape[1])}
    heading = "sum"
    while heading in others:
        heading = f"row {heading}"
    return heading


def sum_text(block: MatrixBlock, i: int | None) -> str:
    """What the figures of a row add up to, `⋮` for rows left out; `≈ 1.000` where it is rounded,
    nothing where it would tell what is to be filled in."""
    if i is None:
        return "⋮"
    if has_blanks(block, i):
        return ""
    sign, total = block.row_sum(i)
    return text_of(total) if sign == "=" else f"{sign} {text_of(total)}"


def has_blanks(block: MatrixBlock, i: int) -> bool:
    """Whether a figure of a row is to be filled in."""
    return any(isinstance(block.entry(i, j), Blank) for j in range(block.matrix.shape[1]))


def shown_rows(block: MatrixBlock) -> list[int | None]:
    """The rows that are printed; None for those left out of a long table."""
    places = elided_rows(len(block.rows), of_list=block.is_list)
    return [None if place is None else block.rows[place] for place in places]


def vector(block: MatrixBlock, i: int) -> Vector:
    """A row of a matrix as a vector, elided where it is long."""
    places = elided(block.matrix.shape[1], MOST_PARTS)
    return Vector(tuple(Omitted() if j is None else block.entry(i, j) for j in places))


def vector_texts(block: MatrixBlock, rows: Sequence[int | None]) -> list[str]:
    """Rows as vectors, each entry filled up to the width of its column."""
    vectors = [vector(block, i) for i in rows if i is not None]
    texts = iter(filled_vectors(vectors))
    return ["⋮" if i is None else next(texts) for i in rows]


def filled_vectors(vectors: Sequence[Vector]) -> list[str]:
    """Vectors as texts, their entries' decimal points below each other."""
    texts = [[plain(entry) for entry in v.entries] for v in vectors]
    columns = [at_point(column) for column in zip(*texts, strict=True)]
    return [f"[{', '.join(row)}]" for row in zip(*columns, strict=True)]


def at_point(texts: Sequence[str]) -> list[str]:
    """Figures filled up so that their decimal points stand above each other; −∞, which has
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
