"""The formulas, the working and the tables of a document as mathematics, as MathJax takes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncli.arithmetic.expression import Blank, Number, Omitted, Symbol
from attncli.document import Addition, Block, Document, Line, Working, each
from attncli.grid import GridCell, Omission, grid_of
from attncli.notation.latex import RELATIONS, latex
from attncli.tables import MatrixBlock, SideBySide


def mathematics_of(document: Document) -> str | None:
    """`$$…$$`, a line a row; None of a page that has none."""
    rows = [*_rows(document)]
    lines = " \\\\\n".join(rows)
    return f"$$\\begin{{aligned}}\n{lines}\n\\end{{aligned}}$$" if rows else None


def _rows(document: Document) -> Iterator[str]:
    for section, blocks in document.parts:
        for one in () if section is None else section.formulas:
            yield f"{latex(one.left)} &= {latex(one.right)}"
        for block in each(blocks):
            yield from _of_block(block)


def _of_block(block: Block) -> Iterator[str]:
    match block:
        case Working(lines):
            yield from (r"&\ \vdots" if isinstance(one, Omitted) else _line(one) for one in lines)
        case Addition():
            relation = RELATIONS[block.relation]
            yield f"{latex(block.label)} &{relation} {latex(block.total)}"
        case MatrixBlock():
            for table in (block, *block.beside):
                yield f"{latex(Symbol(table.name))} &= {_matrix(table)}"
            if block.with_sums:
                yield from _sums(block)
        case SideBySide():
            tables = (table._replace(rows=block.rows) for _, table in block.columns)
            yield from (f"{latex(Symbol(one.name))} &= {_matrix(one)}" for one in tables)


def _line(line: Line) -> str:
    told = (f"{RELATIONS[relation]} {latex(part)}" for relation, part in line.parts)
    return f"{latex(line.label)} &{' '.join(told)}"


def _matrix(block: MatrixBlock) -> str:
    """The numbers of a table without its names; what is left out, as dots."""
    alone = block._replace(beside=(), tokens=(), with_sums=False, turned=False)
    return _bracketed(map(_entry, row) for _, *row in grid_of(alone).rows())


def _sums(block: MatrixBlock) -> Iterator[str]:
    """What the rows of a table add up to, as they are shown: the matrix times a column of ones."""
    sums = grid_of(block._replace(beside=(), turned=False)).columns[-1]
    if sums.numbers:
        relation = RELATIONS["≈" if any(one.before for one in sums.cells) else "="]
        ones = rf"{latex(Symbol(block.name))} \thinspace \mathbf{{1}}"
        yield f"{ones} &{relation} {_bracketed([_entry(one)] for one in sums.cells)}"


def _bracketed(rows: Iterable[Iterable[str]]) -> str:
    told = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}} {told} \end{{bmatrix}}"


def _entry(cell: GridCell) -> str:
    match cell.told:
        case Omission():
            return _OMITTED[cell.told]
        case Number() | Blank():
            return latex(cell.told)
        case _:
            raise TypeError(f"{cell.told} is no number")


_OMITTED = {
    Omission.ROWS: r"\vdots",
    Omission.COLUMNS: r"\cdots",
    Omission.BOTH: r"\ddots",
    Omission.UNTOLD: "",
}
