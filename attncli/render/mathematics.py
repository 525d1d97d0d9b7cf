"""The formulas, the working and the tables of a document as mathematics, as MathJax takes it."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic.expression import Number, Omitted, Symbol
from attncli.document import Addition, Block, Document, Line, Working
from attncli.notation.latex import latex
from attncli.render.grid import grid_of
from attncli.tables import MatrixBlock

_RELATIONS = {"=": "=", "≈": r"\approx"}


def mathematics_of(document: Document) -> str | None:
    """`$$…$$`, a line a row; None of a page that has none."""
    rows = [*_rows(document)]
    lines = " \\\\\n".join(rows)
    return f"$$\\begin{{aligned}}\n{lines}\n\\end{{aligned}}$$" if rows else None


def _rows(document: Document) -> Iterator[str]:
    for block in document.opening:
        yield from _of_block(block)
    for section in document.sections:
        for formula in section.formulas:
            yield f"{latex(formula.left)} &= {latex(formula.right)}"
        for block in section.blocks:
            yield from _of_block(block)
    for block in document.closing:
        yield from _of_block(block)


def _of_block(block: Block) -> Iterator[str]:
    match block:
        case Working(lines):
            yield from (r"&\ \vdots" if isinstance(one, Omitted) else _line(one) for one in lines)
        case Addition():
            relation = _RELATIONS[block.relation]
            yield f"{latex(block.label)} &{relation} {latex(block.total)}"
        case MatrixBlock():
            yield f"{latex(Symbol(block.name))} &= {_matrix(block)}"


def _line(line: Line) -> str:
    told = (f"{_RELATIONS[relation]} {latex(part)}" for relation, part in line.parts)
    return f"{latex(line.label)} &{' '.join(told)}"


def _matrix(block: MatrixBlock) -> str:
    """The numbers of a table without its names; what is left out, as dots."""
    entries = (row for _, row in grid_of(block).rows())
    rows = (
        " & ".join(latex(one) if isinstance(one, Number) else r"\cdots" for one in row)
        for row in entries
    )
    told = r" \\ ".join(rows)
    return rf"\begin{{bmatrix}} {told} \end{{bmatrix}}"
