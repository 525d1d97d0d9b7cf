"""The quantities of a page by themselves, as numbers, and as mathematics for MathJax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from attncli.document.blocks import (
    Block,
    ColumnSum,
    Derivation,
    Document,
    Line,
    Section,
    TextList,
    each,
    parts_of,
)
from attncli.document.grid import GridCell, Omission, grid_of
from attncli.document.pictures import PICTURES
from attncli.document.tables import MatrixBlock, SideBySide
from attncli.errors import UserError
from attncli.maths.equations.tree import Blank, Number, Omitted, Symbol
from attncli.maths.notation.latex import RELATIONS, latex
from attncli.maths.numbers.rounding import Array


def mathematics_of(document: Document) -> str | None:
    """Writes a page's quantities as `$$…$$`, a line a row; returns None for a page that has
    none."""
    rows = [*_rows(document)]
    lines = " \\\\\n".join(rows)
    return f"$$\\begin{{aligned}}\n{lines}\n\\end{{aligned}}$$" if rows else None


def _rows(document: Document) -> Iterator[str]:
    for section, blocks in document.parts:
        for equation in () if section is None else section.formulas:
            yield f"{latex(equation.left)} &= {latex(equation.right)}"
        for block in each(blocks):
            yield from _of_block(block)


def _of_block(block: Block) -> Iterator[str]:
    match block:
        case Derivation(lines):
            yield from (
                r"&\ \vdots" if isinstance(line, Omitted) else _line(line) for line in lines
            )
        case ColumnSum():
            relation = RELATIONS[block.relation]
            yield f"{latex(block.label)} &{relation} {latex(block.total)}"
        case MatrixBlock():
            for table in (block, *block.lists):
                yield f"{latex(Symbol(table.name))} &= {_matrix(table)}"
            if block.display.with_sums:
                yield from _sums(block)
        case SideBySide():
            tables = (table._replace(rows=block.rows) for _, table in block.columns)
            yield from (f"{latex(Symbol(entry.name))} &= {_matrix(entry)}" for entry in tables)


def _line(line: Line) -> str:
    texts = (f"{RELATIONS[relation]} {latex(part)}" for relation, part in line.parts)
    return f"{latex(line.label)} &{' '.join(texts)}"


def _matrix(block: MatrixBlock) -> str:
    """Sets the numbers of a table without its names; what is left out, as dots."""
    return _bracketed(map(_entry, row) for _, *row in grid_of(block.alone).rows())


def _sums(block: MatrixBlock) -> Iterator[str]:
    """Yields what the rows of a table add up to, as they are shown: the matrix times a column of
    ones; nothing for a table without sums."""
    display = block.display._replace(turned=False)
    sums = grid_of(block._replace(lists=(), display=display)).columns[-1]
    if sums.numbers:
        relation = RELATIONS["≈" if any(cell.before for cell in sums.cells) else "="]
        ones = rf"{latex(Symbol(block.name))} \thinspace \mathbf{{1}}"
        yield f"{ones} &{relation} {_bracketed([_entry(cell)] for cell in sums.cells)}"


def _bracketed(rows: Iterable[Iterable[str]]) -> str:
    text = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}} {text} \end{{bmatrix}}"


def _entry(cell: GridCell) -> str:
    match cell.content:
        case Omission():
            return _OMITTED[cell.content]
        case Number() | Blank():
            return latex(cell.content)
        case _:
            raise TypeError(f"{cell.content} is no number")


_OMITTED = {
    Omission.ROWS: r"\vdots",
    Omission.COLUMNS: r"\cdots",
    Omission.BOTH: r"\ddots",
    Omission.UNTOLD: "",
}


Shown = MatrixBlock | TextList


class NoQuantitiesError(UserError):
    """A fault: a page has no numbers for a format that has nothing else."""


def tables_in(blocks: Iterable[Block]) -> Iterator[Shown]:
    """Yields the quantities that blocks show, but for those of pictures."""
    for block in each(blocks):
        if not isinstance(block, PICTURES):  # whose numbers tables tell
            for table in parts_of(block, MatrixBlock):
                yield from (table, *table.lists)
            yield from parts_of(block, TextList)


def made_in(section: Section) -> Iterator[Shown]:
    """Yields those quantities of a section's blocks that its step makes."""
    for table in tables_in(section.blocks):
        if isinstance(table, TextList) or table.made_in == section.step:
            yield table


def arrays_of(documents: Sequence[Document], form: str) -> dict[str, Array]:
    """Returns the numbers of what is given and made, by their full names. Raises
    NoQuantitiesError."""
    shown = (table for d in documents for table in (*d.data.given, *_made(d)))
    arrays = {name: array for name, array in map(_named, shown) if array is not None}
    if not arrays:
        right = "choose another format, or `attn run`, whose pages have quantities"
        raise NoQuantitiesError.of(f"--format {form}", "the page has no quantities", right)
    return arrays


def _made(document: Document) -> Iterator[Shown]:
    return (table for section in document.sections for table in made_in(section))


def _named(table: Shown) -> tuple[str, Array | None]:
    """Returns a quantity's name and its array; words have none."""
    if isinstance(table, TextList):
        numbers = [value for value in table.values if isinstance(value, int)]
        return table.name, np.array(numbers, dtype=np.int64) if numbers else None
    values = table.matrix.values[list(table.as_data.rows)] + 0.0  # no minus zero
    return str(table.quantity or table.name), values[:, 0] if table.is_list else values
