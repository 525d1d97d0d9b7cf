"""Products of matrices on a screen, as on paper: left, above, and where they cross the result."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from attncli.document.blocks import Derivation
from attncli.document.grid import grid_of_product
from attncli.document.tables import ProductBlock
from attncli.formats.screen.lines import Line, StyledText, left, line_width, right, width
from attncli.formats.screen.tables import (
    ScreenColumn,
    after_lines,
    band_lines,
    beside_each_other,
    columns_of,
    without_names,
)
from attncli.formats.screen.working import addition_lines, working_lines

NARROWEST = 100
"""Products stand so where a page has as many columns."""
_GAP = 4
"""Cells between a product and its lines, and between its tables."""
_ENDLESS = 10_000


def product_lines(block: ProductBlock, cells: int) -> list[Line]:
    """Sets a product, its lines beside it where they have room there, and else below it."""
    laid_out = laid_out_lines(block)
    if not block.working:
        return laid_out
    used = max(map(line_width, laid_out)) + _GAP
    beside = _lines(block, _ENDLESS)
    if used + max(map(line_width, beside)) > cells:
        return [*laid_out, [], *_lines(block, cells)]
    nothing: Line = []
    return [
        [*line, StyledText(" " * (used - line_width(line))), *told] if told else line
        for line, told in zip_longest(laid_out, beside, fillvalue=nothing)
    ]


def product_width(block: ProductBlock) -> int:
    """Counts the cells that a product takes without its lines."""
    return max(map(line_width, laid_out_lines(block)))


def _lines(block: ProductBlock, cells: int) -> list[Line]:
    """Sets the lines of a product in so many cells."""
    told = (
        working_lines(entry, cells)
        if isinstance(entry, Derivation)
        else addition_lines(entry, cells)
        for entry in block.working
    )
    return [line for lines in told for line in ([], *lines)][1:]


def laid_out_lines(block: ProductBlock) -> list[Line]:
    """Sets the tables of a product: the columns of its result below those of what is above, its
    rows behind those at the left."""
    above_names, *above = _above(block)
    name = without_names(columns_of(block.result)[0])
    own = [*map(ScreenColumn.of, grid_of_product(block).columns[1:])]
    side = max(above_names.width, name.width)
    wide = [max(upper.width, lower.width) for upper, lower in zip(above, own, strict=True)]
    upper, lower = (
        band_lines(_filled(its_name, side, left), [*map(_to_the_right, its, wide)])
        for its_name, its in ((above_names, above), (name, own))
    )
    first, *others = columns_of(block.left)
    before = band_lines(first, others)
    indent = StyledText(" " * (max(map(line_width, before)) + _GAP))
    after = [] if block.after is None else [after_lines(block.after)]
    below = beside_each_other([before, lower, *after], _ENDLESS)
    return [*([indent, *line] for line in upper), *below]


def _above(block: ProductBlock) -> list[ScreenColumn]:
    """Lists the columns of what is above, in whose last row stands what is added to the result."""
    columns = columns_of(block.above)
    if block.added is None:
        return columns
    names, *added = columns_of(block.added)
    sign = StyledText(f"+ {names.heading.text.strip()}", names.heading.style)
    fills = [left, *(right for _ in added)]
    last = [sign, *(column.cells[0] for column in added)]
    return [
        _filled(column._replace(cells=(*column.cells, cell)), column.width, fill)
        for column, cell, fill in zip(columns, last, fills, strict=True)
    ]


def _filled(column: ScreenColumn, cells: int, fill: Callable[[str, int], str]) -> ScreenColumn:
    """Fills a column up to so many cells, or as many as its widest has."""
    texts = [column.heading, *column.cells]
    most = max(cells, *(width(text.text) for text in texts))
    heading, *others = (text._replace(text=fill(text.text, most)) for text in texts)
    return ScreenColumn(heading, tuple(others))


def _to_the_right(column: ScreenColumn, cells: int) -> ScreenColumn:
    return _filled(column, cells, right)
