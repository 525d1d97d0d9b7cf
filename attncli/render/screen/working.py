"""Lines of working on a screen: `=` signs below each other, long lines broken between terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Number, Omitted, Product, Vector
from attncli.document import Addition, Working
from attncli.document import Line as WorkingLine
from attncli.notation import plain
from attncli.notation.plain import GLUE, unbreakable
from attncli.notation.signs import signed
from attncli.render.numbers import addend_sign, at_point, filled_vectors
from attncli.render.screen.lines import Line, StyledText, left, width, wrapped

_RELATION = 3
"""The cells of ` = `."""
_SIGN, _ARROW = 2, 3
"""The cells of `+ ` and of ` → `."""


def working_lines(block: Working, cells: int) -> list[Line]:
    """The lines with their parts in columns. Where the page is too narrow, all of them go on
    to a next line at the same part; a part that is too long is broken between its terms."""
    lines = [line for line in block.lines if isinstance(line, WorkingLine)]
    label_width = max((width(_label(line)) for line in lines), default=0)
    texts = _part_texts(lines)
    widest = max((width(text) for row in texts for text in row), default=0)
    own_line = label_width > cells // 3 and label_width + _RELATION + widest > cells
    indent = 2 if own_line else label_width
    grid = _ScreenGrid.of(texts, cells - indent)
    rows = iter(texts)
    out: list[Line] = []
    for line in block.lines:
        if isinstance(line, Omitted):
            out.append([StyledText("⋮".rjust(min(label_width, 4)), "rule")])
            continue
        label = StyledText(_label(line), "label")
        out += [[label]] if own_line else []
        start = (
            StyledText(" " * indent) if own_line else StyledText(left(label.text, indent), "label")
        )
        out += _placed(line, next(rows), grid, start)
    return out


class _ScreenGrid(NamedTuple):
    """Where parts stand: for lines of k parts, the width of each and where a new line begins."""

    widths: dict[int, list[int]]
    breaks: dict[int, list[bool]]
    cells: int

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], cells: int) -> _ScreenGrid:
        widths = {
            count: [max(map(width, column)) for column in zip(*rows, strict=True)]
            for count, rows in _by_length(texts).items()
        }
        breaks = {count: _breaks(columns, cells) for count, columns in widths.items()}
        return cls(widths, breaks, cells)


def _by_length(texts: Sequence[Sequence[str]]) -> dict[int, list[Sequence[str]]]:
    """Lines grouped by their number of parts."""
    groups: dict[int, list[Sequence[str]]] = {}
    for row in texts:
        groups.setdefault(len(row), []).append(row)
    return groups


def _breaks(widths: Sequence[int], cells: int) -> list[bool]:
    """Before which part a new line begins: where the parts so far leave no room for it."""
    used, breaks = 0, []
    for size in widths:
        breaks.append(bool(used) and used + _RELATION + size > cells)
        used = (0 if breaks[-1] else used) + _RELATION + size
    return breaks


def _placed(
    line: WorkingLine, texts: Sequence[str], grid: _ScreenGrid, start: StyledText
) -> list[Line]:
    """The parts of one line, on as many lines of the page as the grid says."""
    indent = StyledText(" " * width(start.text))
    out: list[Line] = [[start]]
    widths, breaks = grid.widths[len(texts)], grid.breaks[len(texts)]
    for k, ((relation, _), text) in enumerate(zip(line.parts, texts, strict=True)):
        if breaks[k]:
            out.append([indent])
        style = "result" if k == len(texts) - 1 else ""
        last = k == len(texts) - 1 or breaks[k + 1]
        room = grid.cells - _RELATION
        first, *others = (
            wrapped([StyledText(text, style)], room, 2) if last else ([StyledText(text)], [])
        )
        fill = "" if last else " " * (widths[k] - width(text))
        out[-1] += [StyledText(f" {relation} ", "relation"), *_settled(first), StyledText(fill)]
        out += [[indent, StyledText(" " * _RELATION), *more] for more in others if more]
    return out


def _settled(line: Line) -> Line:
    return [StyledText(unbreakable(piece.text), piece.style) for piece in line]


def _label(line: WorkingLine) -> str:
    return unbreakable(plain(line.label))


def _part_texts(lines: Sequence[WorkingLine]) -> list[list[str]]:
    """The parts as texts that may be broken at spaces; results lined up at the point."""
    texts = [[plain(part) for _, part in line.parts] for line in lines]
    if lines and all(isinstance(line.parts[-1][1], Number) for line in lines):
        results = at_point([row[-1] for row in texts])
        filled = (result.replace(" ", GLUE) for result in results)
        texts = [[*row[:-1], result] for row, result in zip(texts, filled, strict=True)]
    return texts


def addition_lines(block: Addition, cells: int) -> list[Line]:
    """The column addition: addends with their products, a rule, the total."""
    addends = _addends(block)
    product_width = max(width(addend.product) for addend in addends)
    total = unbreakable(plain(block.total))
    value_width = max(width(text) for text in (total, *(addend.value for addend in addends)))
    label = [StyledText(unbreakable(plain(block.label)), "label")]
    if _SIGN + product_width + _ARROW + value_width > cells:
        return [label, *_long_addition(block, addends, cells)]
    out: list[Line] = [label]
    for sign, product, value in addends:
        filled = f"{left(product, product_width)} → {value}" if value else product
        out.append([StyledText(f"{sign} "), StyledText(filled)])
    gap = " " * (product_width + _ARROW)
    out.append([StyledText("─" * (_SIGN + len(gap) + value_width), "rule")])
    out.append(
        [StyledText(f"{block.relation} ", "relation"), StyledText(gap), StyledText(total, "result")]
    )
    return out


class _ScreenAddend(NamedTuple):
    """A sign, the product behind it, and its value; `…` and no value for those left out."""

    sign: str
    product: str
    value: str


def _addends(block: Addition) -> list[_ScreenAddend]:
    """The addends as texts, their numbers below each other."""
    known = [addend for addend in block.addends if not isinstance(addend, Omitted)]
    positive = [signed(product)[1] for product, _ in known]
    products = iter(_filled_products([p for p in positive if isinstance(p, Product)]))
    *vectors, _ = filled_vectors([*(vector for _, vector in known), block.total])
    values = iter(vectors)
    return [
        _ScreenAddend(addend_sign(addend, k), "…", "")
        if isinstance(addend, Omitted)
        else _ScreenAddend(addend_sign(addend, k), next(products), next(values))
        for k, addend in enumerate(block.addends)
    ]


def _filled_products(products: Sequence[Product]) -> list[str]:
    weights = [unbreakable(plain(product.factors[0])) for product in products]
    vectors = [product.factors[1] for product in products]
    widest = max(map(width, weights))
    filled = filled_vectors([vector for vector in vectors if isinstance(vector, Vector)])
    return [
        f"{weight.rjust(widest)} × {vector}" for weight, vector in zip(weights, filled, strict=True)
    ]


def _long_addition(block: Addition, addends: Sequence[_ScreenAddend], cells: int) -> list[Line]:
    """The same with each product's value on a line of its own, both broken where they are long."""
    out: list[Line] = []
    for sign, product, value in addends:
        out += _broken(StyledText(f"{sign} "), StyledText(product), cells)
        out += _broken(StyledText("    → "), StyledText(value), cells) if value else []
    out.append([StyledText("─" * min(cells, 40), "rule")])
    total = StyledText(plain(block.total), "result")
    return [*out, *_broken(StyledText(f"{block.relation} ", "relation"), total, cells)]


def _broken(start: StyledText, text: StyledText, cells: int) -> list[Line]:
    """A text behind its start, its further lines indented below."""
    indent = width(start.text)
    first, *others = wrapped([text], cells - indent, 2)
    return [[start, *first], *([StyledText(" " * indent), *line] for line in others)]
