"""The walk of a format over a document from top to bottom, and running text.

A format is a table from each kind of piece to what writes it; `written` is what drives all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeGuard, TypeVar

from attncli.document.blocks import (
    ONLY_DATA,
    Block,
    Document,
    Folded,
    Span,
    Spans,
    Term,
    as_on_paper,
    beside_products,
    rule_for,
)
from attncli.document.tables import MatrixBlock, ProductBlock
from attncli.maths.equations.elision import elided_rows
from attncli.maths.equations.tree import Equation, Expression, Root, Symbol, Transposed
from attncli.maths.notation.escaping import harmless
from attncli.names import Name, Word

Written = TypeVar("Written")
_NAME = re.compile(r"(√?)\b([A-Za-z]_[A-Za-z0-9]+)(ᵀ?)(?![\w\[=])")
"""A letter with something below it, in a text: `d_k`, `√d_model`, `W_Qᵀ`."""
_CODE = re.compile(r"( ?)`([\w.-]+)`( ?)", re.ASCII)
_IN_TURN = (Word, str, Term, str)
"""A name as somebody marks it in a text, `tril`; what stands around it, a space, it, a space."""


def spans_as(
    spans: Spans,
    text: Callable[[str], Written],
    word: Callable[[Word], Written],
    term: Callable[[str | Symbol], Written],
    mathematics: Callable[[Expression | Equation], Written],
) -> Iterator[Written]:
    """Yields the spans as a format that has mathematics writes each kind of them; names like `d_k`
    in a text are symbols."""
    for span in spans:
        for part in _parts(span):
            match part:
                case str():
                    yield text(part)
                case Word():
                    yield word(part)
                case Term(name):
                    yield term(harmless(name) if isinstance(name, str) else name)
                case _:
                    yield mathematics(part)


def has_time(name: str | Symbol) -> TypeGuard[Symbol]:
    """Tells whether a name is of a time, which mathematics, as in the heading of a table, writes
    above it."""
    return isinstance(name, Symbol) and isinstance(name.name, Name) and name.name.time is not None


def _parts(span: Span) -> Spans:
    if isinstance(span, Word) and " " in span.raw:
        pieces = enumerate(_CODE.split(span.raw))
        return tuple(_IN_TURN[k % 4](piece) for k, piece in pieces if piece)
    return _with_symbols(span) if isinstance(span, str) and "_" in span else (span,)


@lru_cache(maxsize=4096)
def _with_symbols(text: str) -> Spans:
    parts: list[Span] = []
    end = 0
    for name in _NAME.finditer(text):
        symbol: Expression = Symbol(name[2])
        symbol = Transposed(symbol) if name[3] else symbol
        parts += [text[end : name.start()], Root(symbol) if name[1] else symbol]
        end = name.end()
    return tuple(part for part in (*parts, text[end:]) if part != "")


T = TypeVar("T")
_LONGEST = 4
"""Rows of a list with blanks that is told in one column."""
_BESIDE = 4
"""Tables of a longer one that stand side by side."""


class Title(NamedTuple):
    """A beginning of a page; of an exercise it also says which of its papers it is."""

    title: Word
    called: str


class Heading(NamedTuple):
    """A beginning of a section."""

    title: Spans
    """What the section is called."""
    formulas: tuple[Equation, ...]
    """Its formulas."""
    folded: Folded = Folded()
    """What a format may fold away."""
    asks: bool = False
    """Whether it asks something, and doesn't only lead to the next one."""


class NewPage(NamedTuple):
    """A place where a new page begins if the text is printed."""


class Tables(NamedTuple):
    """A run of tables that follow each other, for a format that sets small ones side by side."""

    matrices: tuple[MatrixBlock, ...]


class Products(NamedTuple):
    """Products of one left operand, which is told once for all of them."""

    blocks: tuple[ProductBlock, ...]

    @property
    def left(self) -> MatrixBlock:
        """Returns what is at their left."""
        return self.blocks[0].left


Piece = Block | Title | Heading | NewPage | Tables | Products


def pieces_of(document: Document) -> Iterator[Piece]:
    """Yields a whole page; each section of an exercise on one of its own, and its key behind it."""
    paper, beside = document.paper, beside_products(document.sections)
    if document.facts is not None:
        called = "" if paper is None else f" · {paper.called}"
        yield Title(document.title, called)
        yield from document.lead
    yield from document.opening
    for k, section in enumerate(document.sections):
        if section.is_data:
            continue  # told by what comes after it
        begins = paper is not None and (paper.cover if k == 0 else paper.layout == "pages")
        if begins or document.as_slides:
            yield NewPage()
        heading = section.heading
        if paper is not None:
            heading = section.heading_with_points(paper.words)
        asks = bool(section.questions)
        yield Heading(heading, section.formulas, section.folded, asks)
        yield from as_on_paper(section.blocks, beside)
    yield from document.closing
    yield from document.foot
    if document.answers.key is not None:
        yield NewPage()
        yield from pieces_of(document.answers.key)


def pieces_of_all(documents: Iterable[Document]) -> Iterator[Piece]:
    """Yields whole pages, each on a new one."""
    for k, document in enumerate(documents):
        if k > 0:
            yield NewPage()
        yield from pieces_of(document)


def with_tables_together(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yields the pieces, tables that follow each other as one."""
    for is_matrix, group in groupby(pieces, lambda piece: isinstance(piece, MatrixBlock)):
        if is_matrix:
            yield from _rows_of(block for block in group if isinstance(block, MatrixBlock))
        else:
            yield from group


def with_products_together(
    pieces: Iterable[Piece], fit: Callable[[Products], bool]
) -> Iterator[Piece]:
    """Yields the pieces, products of one left operand that follow each other as one, as far as they
    `fit` beside each other and have no lines between them."""
    row = Products(())
    for piece in pieces:
        if not isinstance(piece, ProductBlock):
            yield from (row,) if row.blocks else ()
            row = Products(())
            yield piece
            continue
        more = Products((*row.blocks, piece))
        if not row.blocks or (_go_together(row.blocks[-1], piece) and fit(more)):
            row = more
        else:
            yield row
            row = Products((piece,))
    yield from (row,) if row.blocks else ()


def _go_together(first: ProductBlock, second: ProductBlock) -> bool:
    both = (first, second)
    left, other = (block.left for block in both)
    alike = (left.quantity, left.rows, left.display) == (other.quantity, other.rows, other.display)
    return alike and not any(block.working or block.after for block in both)


def _rows_of(tables: Iterable[MatrixBlock]) -> Iterator[Tables]:
    """Yields tables that may stand side by side."""
    row: list[MatrixBlock] = []
    for table in tables:
        if table.display.begins_row and row:
            yield Tables(tuple(row))
            row = []
        row.append(table)
    yield Tables(tuple(row))


def lists_in_columns(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yields the pieces, a long list with blanks as several tables, which stand side by side."""
    for piece in pieces:
        if not isinstance(piece, MatrixBlock) or not is_long_list(piece):
            yield piece
            continue
        height = -(-len(piece.rows) // min(_BESIDE, len(piece.rows)))
        further = piece._replace(display=piece.display._replace(begins_row=False))
        for start in range(0, len(piece.rows), height):
            column = further if start else piece
            yield column._replace(rows=piece.rows[start : start + height])


def is_long_list(table: MatrixBlock) -> bool:
    """Tells whether a list with blanks would be a high and narrow table."""
    elided = None in elided_rows(len(table.rows), of_list=True)
    long = len(table.rows) > _LONGEST and not elided
    return long and table.is_list and bool(table.blanks) and not table.lists


def written(
    pieces: Iterable[Piece], writers: Mapping[type, Callable[..., T]], *settings: object
) -> Iterator[T]:
    """Yields each piece as its writer writes it, without those that come to nothing.

    Raises TypeError for a piece that has no writer.
    """
    for piece in pieces:
        if isinstance(piece, ONLY_DATA):
            continue
        if text := rule_for(piece, writers, "this format")(piece, *settings):
            yield text
