"""Tables with booktabs: numbers lined up at the point, wide ones small, wider ones in bands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

from attncli.document.blocks import Graph, Table
from attncli.document.grid import Grid, GridCell, GridColumn, Omission, grid_of
from attncli.document.tables import Branch, MatrixBlock, SideBySide, in_groups
from attncli.formats.tex.setting import (
    GUIDE_WIDTH,
    WIDEST_NAME,
    Setting,
    aligned,
    breakable,
    escaped,
    guides,
    look_of,
    math_width,
    mathematics,
    name,
    text_width,
)
from attncli.formats.writers import is_long_list
from attncli.maths.equations.tree import Blank, Number, Symbol, Transposed, Vector
from attncli.maths.notation.columns import bands
from attncli.maths.notation.escaping import harmless, shown
from attncli.maths.notation.latex import latex
from attncli.names import Word


class TexCell(NamedTuple):
    """A cell of a table."""

    text: str
    """What stands in it."""
    width: float
    """Its width in ems."""
    lines: int = 1
    """In how many lines it is."""

    @classmethod
    def of(cls, word: Word | str) -> TexCell:
        """Makes a cell of somebody's word, or of a text of ours."""
        text = shown(word)
        return cls(breakable(text), text_width(text))

    @classmethod
    def of_name(cls, word: Word | str) -> TexCell:
        """Makes a cell of what names a row or a column."""
        width = text_width(shown(word))
        lines = 1 if width <= WIDEST_NAME else 1 + int(1.2 * width / WIDEST_NAME)
        return cls(name(word), min(width, WIDEST_NAME), lines)

    @classmethod
    def of_branch(cls, branch: Branch) -> TexCell:
        """Makes a cell of a row of a tree, behind the guides that lead to it."""
        cell = cls.of(branch.text)
        width = GUIDE_WIDTH * len(branch.guides)
        return cls(guides(branch.guides) + cell.text, width + cell.width)

    @classmethod
    def of_mathematics(cls, text: str) -> TexCell:
        return cls(mathematics(text) if text else "", math_width(text))


class TexColumn(NamedTuple):
    """A heading with the cells below it; numbers stand at the right."""

    heading: TexCell
    cells: tuple[TexCell, ...]
    numbers: bool = True

    @property
    def width(self) -> float:
        return max(cell.width for cell in (self.heading, *self.cells))


_MOST_PAIRS = 6


def in_pairs(names: TexColumn, numbers: TexColumn, room: float) -> list[TexColumn]:
    """Sets a list as several pairs of columns, names and numbers, in as few rows as the room
    allows."""
    count = len(names.cells)
    for height in range(ceil(count / _MOST_PAIRS), count):
        pairs = [_pair(names, numbers, start, height) for start in range(0, count, height)]
        columns = [column for pair in pairs for column in pair]
        if sum(column.width + GAP for column in columns) <= room:
            return columns
    return [names, numbers]


def _pair(names: TexColumn, numbers: TexColumn, start: int, height: int) -> Iterator[TexColumn]:
    """Yields the columns of so many rows of a list, set off from those at their left."""
    for column in (names, numbers):
        cells = column.cells[start : start + height]
        left = (TexCell("", 0),) * (height - len(cells))
        if start == 0:
            yield column._replace(cells=(*cells, *left))
            continue
        cells = tuple(map(_set_off, cells)) if column is names else cells
        yield TexColumn(TexCell("", 0), (*cells, *left), column.numbers)


def _set_off(cell: TexCell) -> TexCell:
    return TexCell(rf"\quad {cell.text}", cell.width + 1)


GAP, SMALL_GAP, CLOSE_GAP = 1.1, 0.55, 0.37
"""Twice `\\tabcolsep`, in ems: 6 pt by default, 3 pt in a small table, 2 pt between boxes."""
STRETCHED = r"\renewcommand\arraystretch{1.4}"
"""Rows that are high enough to write in."""
SMALL = 0.92
"""How wide `\\small` is, against the page's own size: 10 pt of 11 pt, and a little to spare."""
_MOST_LINES = 24
"""A longer table goes over pages in parts, of which two fit on one."""
_WIDEST = 0.35
"""In a table that is too wide, words with more than this part of the room are broken into lines."""


_INSIDE_NAME = re.compile(r"(?<=[.\]])(?=\w)")
"""Where a long name such as `layers[1].heads[2].weights` may be broken."""
_LONGEST_ARROW = 9
_ARROW = r"\rule[0.5ex]{{{:.1f}em}}{{0.4pt}}$\rightarrow$"
ABOUT = TexCell.of_mathematics(r"\approx")
DOTS = TexCell.of_mathematics(r"\dots")
_OMITTED = {
    Omission.ROWS: TexCell.of_mathematics(r"\vdots"),
    Omission.COLUMNS: DOTS,
    Omission.BOTH: DOTS,
    Omission.UNTOLD: TexCell("", 0),
}


def matrix(block: MatrixBlock, setting: Setting) -> str:
    """Sets a quantity as a table."""
    setting = setting._replace(blank_width=block.blank_width)
    columns = columns_of(grid_of(block), setting)
    if is_long_list(block):
        columns = in_pairs(columns[0], columns[1], setting.room)
    return _banded(columns, setting)


def side_by_side(block: SideBySide, setting: Setting) -> str:
    """Sets rows of quantities as vectors; as a table each where they don't fit beside each
    other."""
    caption = rf"\paragraph{{{escaped(block.caption)}}}\leavevmode\par" if block.caption else ""
    columns = columns_of(grid_of(block), setting)
    if _width(columns, GAP) <= setting.room:
        tables = _tabular(columns)
    else:
        tables = _JOINT.join(matrix(table, setting) for _, table in block.columns)
    return "\n".join(filter(None, [caption, together([tables])]))


def table(block: Table, setting: Setting) -> str:
    """Sets a table of words and numbers; its first column names the rows."""
    columns = columns_of(grid_of(block), setting, TexCell.of)
    if _width(columns, SMALL_GAP) * SMALL > setting.room:
        columns = [_in_lines(column, setting.room * _WIDEST) for column in columns]
    return together([_banded(columns, setting)])


_Words = Callable[[Word | str], TexCell]


def columns_of(grid: Grid, setting: Setting, words: _Words = TexCell.of_name) -> list[TexColumn]:
    return [_column(c, setting, words) for c in grid.columns]


def _column(column: GridColumn, setting: Setting, words: _Words) -> TexColumn:
    """Returns a column, each number filled up behind its point to the length of the longest."""
    numbers = iter(aligned([*map(latex, column.numbers)], before=False))
    write = partial(_cell, numbers=numbers, setting=setting, words=words)
    return TexColumn(write(column.heading), tuple(map(write, column.cells)), column.at_point)


def _cell(cell: GridCell, numbers: Iterator[str], setting: Setting, words: _Words) -> TexCell:
    match cell.content:
        case Omission():
            done = _OMITTED[cell.content]
        case Number():
            done = TexCell.of_mathematics(next(numbers))
        case Blank():
            done = TexCell(setting.entry(cell.content), setting.width_of(cell.content))
        case Vector():
            notation = setting.working.but(coloured=False)  # a column is in one ink
            done = TexCell.of_mathematics(latex(cell.content, notation))
        case Symbol() | Transposed():
            done = TexCell.of_mathematics(latex(cell.content, setting.working))
        case Branch():
            done = TexCell.of_branch(cell.content)
        case _:
            done = words(cell.content)
    about = ABOUT if cell.before else TexCell("", 0)
    behind = harmless(cell.behind)  # beside a word, it may have one in it
    text = f"{about.text} {done.text}".lstrip() + escaped(behind)
    width = about.width + done.width + text_width(behind)
    return TexCell(setting.look(look_of(cell.look)) + text if text else "", width, done.lines)


def _in_lines(column: TexColumn, widest: float) -> TexColumn:
    """Returns a column of many words, each cell in lines below each other."""
    if column.width <= widest:
        return column
    heading, *cells = (_cell_in_lines(cell, widest) for cell in (column.heading, *column.cells))
    return TexColumn(heading, tuple(cells), False)


def _cell_in_lines(cell: TexCell, widest: float) -> TexCell:
    text = _INSIDE_NAME.sub(r"\\allowbreak ", cell.text)
    box = rf"\parbox[t]{{{widest:.1f}em}}{{\raggedright {text}\strut}}"
    return TexCell(box, widest, 1 + int(1.2 * cell.width / widest))


def graph(block: Graph) -> str:
    """Draws an arrow for each edge, the heavier the longer."""
    most = float(max(edge.weight.full for edge in block.edges))
    sources: list[TexCell] = []
    before: Word | None = None
    for edge in block.edges:
        sources.append(TexCell.of_name(edge.source if edge.source != before else ""))
        before = edge.source
    lengths = [max(0.3, _LONGEST_ARROW * float(edge.weight.full) / most) for edge in block.edges]
    arrows = [TexCell(_ARROW.format(length), length + 1) for length in lengths]
    weights = aligned([latex(edge.weight) for edge in block.edges])
    columns = [
        TexColumn(TexCell("", 0), tuple(arrows), False),
        TexColumn(
            TexCell.of("to"), tuple(TexCell.of_name(edge.target) for edge in block.edges), False
        ),
        TexColumn(TexCell.of("weight"), tuple(map(TexCell.of_mathematics, weights))),
    ]
    return together([_tabular([TexColumn(TexCell.of("from"), tuple(sources), False), *columns])])


_JOINT = "\n\\hspace{2em plus 1em}\n"
_JOINT_IN_PAIR = "%\n\\penalty5000\\hspace{1.5em}%\n"
"""Between tables that belong beside each other: broken only if they don't fit."""


def matrices(blocks: Sequence[MatrixBlock], setting: Setting) -> str:
    """Sets quantities as tables beside each other, pairs closer."""
    groups = ([matrix(block, setting) for block in group] for group in in_groups(blocks))
    return together([_JOINT_IN_PAIR.join(group) for group in groups])


def together(tables: Sequence[str]) -> str:
    """Sets tables beside each other as long as they fit, then below."""
    return (
        "{\\raggedright\\lineskip 2ex\\lineskiplimit 2ex\\noindent\n"
        + _JOINT.join(tables)
        + "\\par}"
    )


def close(table: str) -> str:
    """Sets the columns of a table closer to each other."""
    return "{\\tabcolsep 2pt%\n" + table + "}"


def small(table: str) -> str:
    """Sets a table smaller."""
    return "{\\small\\tabcolsep 3pt%\n" + table + "}"


def _width(columns: Sequence[TexColumn], gap: float) -> float:
    return columns[0].width + sum(column.width + gap for column in columns[1:])


def _banded(columns: Sequence[TexColumn], setting: Setting) -> str:
    """Sets a table, smaller if it needs to be; or in bands with the row names before each."""
    if _width(columns, GAP) <= setting.room:
        return _tabular(columns)
    if _width(columns, SMALL_GAP) * SMALL <= setting.room:
        return small(_tabular(columns))
    names, *others = columns
    found = bands(others, lambda column: column.width, setting.room - names.width - GAP, GAP)
    return _JOINT.join(_tabular([names, *band]) for band in found)


def _tabular(columns: Sequence[TexColumn]) -> str:
    """Sets the table; a long one in parts that fit on a page each."""
    kinds = "".join("r" if column.numbers else "l" for column in columns)
    headings = tex_row(column.heading for column in columns)
    has_blanks = any(r"\fillin" in cell.text for column in columns for cell in column.cells)
    stretch = f"{STRETCHED}%\n" if has_blanks else ""
    headings += "[-0.2em]" if has_blanks else ""
    rows = [*zip(*(column.cells for column in columns), strict=True)]
    start, end = rf"\begin{{tabular}}[t]{{@{{}}{kinds}@{{}}}}", r"\end{tabular}"
    tables = [
        "\n".join(
            [start, r"\toprule", headings, r"\midrule", *map(tex_row, some), r"\bottomrule", end]
        )
        for some in _parts(rows)
    ]
    text = _JOINT.join(tables)
    return f"{{{stretch}{text}}}" if stretch else text


def _parts(rows: Sequence[tuple[TexCell, ...]]) -> Iterator[list[tuple[TexCell, ...]]]:
    """Yields the rows of a table in parts of nearly one length, none of which is longer than it
    may."""
    heights = [max(cell.lines for cell in row) for row in rows]
    most = ceil(sum(heights) / max(1, ceil(sum(heights) / _MOST_LINES)))
    part: list[tuple[TexCell, ...]] = []
    used = 0
    for row, height in zip(rows, heights, strict=True):
        if part and used + height > most:
            yield part
            part, used = [], 0
        part.append(row)
        used += height
    yield part


def tex_row(cells: Iterable[TexCell]) -> str:
    return " & ".join(cell.text for cell in cells) + r" \\"
