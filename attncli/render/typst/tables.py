"""Quantities, and whatever else has rows and columns, as tables of Typst."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from attncli.arithmetic.expression import Omitted, Symbol
from attncli.document import Edge, Graph, Table, TableCell
from attncli.marked import MarkedNumber
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.notation.typst import literal
from attncli.render.colours import VERDICTS, ink_of
from attncli.render.grid import Grid, Omission, grid_of, grid_of_vectors, label_of
from attncli.render.typst.cells import OMITTED, Column, in_ink, looking_cells, named
from attncli.render.typst.mathematics import filled, mathematics
from attncli.render.typst.setting import TypstSetting
from attncli.render.typst.text import joined, listed, text, word
from attncli.tables import Branch, MatrixBlock, SideBySide, in_groups
from attncli.word import Word

_NUMBER = re.compile(rf"{MINUS}?\d+(?:\.\d+)?")
_NO_NAME = "none"


def together(blocks: Sequence[MatrixBlock], setting: TypstSetting) -> str:
    """Quantities beside each other as far as they fit; each pair in a row of its own."""
    rows = groupby(in_groups(blocks), lambda group: group[0].quantity if len(group) > 1 else None)
    return "\n".join(
        f"beside{listed(matrix(one, setting) for group in row for one in group)}" for _, row in rows
    )


def matrix(block: MatrixBlock, setting: TypstSetting) -> str:
    """A quantity with the names of its rows and columns."""
    grid = grid_of(block)
    columns = (
        Column(
            in_ink(named(column.heading, setting), setting.ink(column.role)),
            looking_cells(grid, column, setting.for_decimals(_decimals(block))),
            not column.has_words,
        )
        for column in grid.columns
    )
    names = _row_names(_heading(block, setting), grid, setting, block.role_of_names)
    return listed(map(str, (names, *columns)))


def _decimals(block: MatrixBlock) -> int:
    most, places = block.matrix.decimals, block.matrix.places
    return most if places is None else min(most, places)


def _heading(block: MatrixBlock, setting: TypstSetting) -> str:
    """The name of a quantity, and whether it was given; of lists each column has its own."""
    if block.are_lists:
        return _NO_NAME
    name = mathematics(Symbol(block.name), setting.notation)
    return joined([name, text(f" ({block.origin})")]) if block.given and block.origin else name


def _row_names(heading: str, grid: Grid, setting: TypstSetting, role: str = "") -> Column:
    names = (in_ink(named(name, setting), setting.ink(role)) for name in grid.names)
    return Column(heading, tuple(names), numbers=False)


def side_by_side(block: SideBySide, setting: TypstSetting) -> str:
    """Rows of quantities as vectors; as a table each where they don't fit beside each other."""
    grid = grid_of_vectors(block)
    columns = (
        Column(
            in_ink(word(label_of(one.heading)), setting.ink(_role(one.quantity))),
            looking_cells(grid, one, setting),
            numbers=False,
        )
        for one in grid.columns
    )
    whole = listed(map(str, (_row_names(text("Token"), grid, setting), *columns)))
    apart = listed(matrix(table, setting) for _, table in block.columns)
    caption = text(block.caption) if block.caption else "none"
    return f"vectors({caption}, {whole}, {apart})"


def _role(block: MatrixBlock | None) -> str:
    return "" if block is None else ink_of(block.quantity)


def table(block: Table, _: TypstSetting) -> str:
    """A table of words and numbers; its first column names the rows."""
    columns = [
        _words_column(heading, [row[j] for row in block.rows])
        for j, heading in enumerate(block.headings)
    ]
    return f"beside({listed(map(str, columns))})"


def _words_column(heading: Word | str, entries: Sequence[TableCell]) -> Column:
    texts = [entry for entry in entries if isinstance(entry, str) and entry]
    words = not texts or any(isinstance(entry, Word | MarkedNumber | Branch) for entry in entries)
    if words or not all(map(_NUMBER.fullmatch, texts)):
        return Column(word(heading), tuple(map(_words_cell, entries)), numbers=False)
    numbers = iter(filled(texts))
    cells = (
        f"${next(numbers)}$" if isinstance(entry, str) and entry else _words_cell(entry)
        for entry in entries
    )
    return Column(word(heading), tuple(cells))


def _words_cell(entry: TableCell) -> str:
    """A cell of a table of words; a number that was judged is in the ink of its verdict."""
    if isinstance(entry, Omitted):
        return OMITTED[Omission.ROWS]
    if isinstance(entry, Branch):
        return f"branch({literal(entry.guides)}, {text(entry.told)})"
    told = word(label_of(entry))
    return in_ink(told, VERDICTS[entry.judgement]) if isinstance(entry, MarkedNumber) else told


def graph(block: Graph, _: TypstSetting) -> str:
    """An arrow for each edge, the heavier the longer."""
    most = float(max(edge.weight.full for edge in block.edges))
    arrows = (f"arrow({float(edge.weight.full) / most:.3f})" for edge in block.edges)
    weights = filled([plain(edge.weight) for edge in block.edges])
    columns = [
        Column(_NO_NAME, tuple(arrows), numbers=False),
        Column(text("to"), tuple(word(edge.target) for edge in block.edges), numbers=False),
        Column(text("weight"), tuple(f"${one}$" for one in weights)),
    ]
    sources = Column(text("from"), tuple(_sources(block.edges)), numbers=False)
    return f"beside({listed(map(str, (sources, *columns)))})"


def _sources(edges: Iterable[Edge]) -> Iterator[str]:
    """Who attends, told once for all of its edges."""
    before: Word | None = None
    for edge in edges:
        yield _NO_NAME if edge.source == before else word(edge.source)
        before = edge.source
