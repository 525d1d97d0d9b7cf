"""Lines of working on a screen: `=` signs below each other, long lines broken between terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Number, Omitted, Product, Vector
from attncli.document import Addition, Working
from attncli.document import Line as WorkingLine
from attncli.render.figures import at_point, filled_vectors
from attncli.render.notation import plain
from attncli.render.notation.plain import GLUE
from attncli.render.screen.lines import Line, Piece, left, settled, width, wrapped

_RELATION = 3
"""The cells of ` = `."""


def working_lines(block: Working, cells: int) -> list[Line]:
    """The lines with their parts in columns. Where the page is too narrow, all of them go on
    to a next line at the same part; a part that is too long is broken between its terms."""
    lines = [line for line in block.lines if isinstance(line, WorkingLine)]
    label_width = max((width(_label(line)) for line in lines), default=0)
    texts = _part_texts(lines)
    widest = max((width(text) for row in texts for text in row), default=0)
    own_line = label_width > cells // 3 and label_width + _RELATION + widest > cells
    indent = 2 if own_line else label_width
    grid = _Grid.of(texts, cells - indent)
    rows = iter(texts)
    out: list[Line] = []
    for line in block.lines:
        if isinstance(line, Omitted):
            out.append([Piece("⋮".rjust(min(label_width, 4)), "rule")])
            continue
        label = Piece(_label(line), "label")
        out += [[label]] if own_line else []
        start = Piece(" " * indent) if own_line else Piece(left(label.text, indent), "label")
        out += _placed(line, next(rows), grid, start)
    return out


class _Grid(NamedTuple):
    """Where parts stand: for lines of k parts, the width of each and where a new line begins."""

    widths: dict[int, list[int]]
    breaks: dict[int, list[bool]]
    cells: int

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], cells: int) -> _Grid:
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


def _placed(line: WorkingLine, texts: Sequence[str], grid: _Grid, start: Piece) -> list[Line]:
    """The parts of one line, on as many lines of the page as the grid says."""
    indent = Piece(" " * width(start.text))
    out: list[Line] = [[start]]
    widths, breaks = grid.widths[len(texts)], grid.breaks[len(texts)]
    for k, ((relation, _), text) in enumerate(zip(line.parts, texts, strict=True)):
        if breaks[k]:
            out.append([indent])
        style = "result" if k == len(texts) - 1 else ""
        last = k == len(texts) - 1 or breaks[k + 1]
        room = grid.cells - _RELATION
        first, *others = wrapped([Piece(text, style)], room, 2) if last else ([Piece(text)], [])
        fill = "" if last else " " * (widths[k] - width(text))
        out[-1] += [Piece(f" {relation} ", "relation"), *_settled(first), Piece(fill)]
        out += [[indent, Piece(" " * _RELATION), *more] for more in others if more]
    return out


def _settled(line: Line) -> Line:
    return [Piece(settled(piece.text), piece.style) for piece in line]


def _label(line: WorkingLine) -> str:
    return settled(plain(line.label))


def _total(line: Line) -> int:
    return sum(width(piece.text) for piece in line)


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
    products, results = _addend_texts(block)
    product_width = max(map(width, products))
    result_width = max(map(width, [*results, settled(plain(block.total))]))
    label = [Piece(settled(plain(block.label)), "label")]
    if 2 + product_width + 3 + result_width > cells:
        return [label, *_long_addition(block, cells)]
    out: list[Line] = [label]
    for k, (product, result) in enumerate(zip(products, results, strict=True)):
        arrow = f"{left(product, product_width)} → " if result else product
        out.append([Piece(_sign(k)), Piece(arrow), Piece(result, "")])
    total = settled(plain(block.total))
    rule = "─" * (2 + product_width + 3 + result_width)
    gap = " " * (product_width + 3)
    out.append([Piece(rule, "rule")])
    out.append([Piece(f"{block.relation} ", "relation"), Piece(gap), Piece(total, "result")])
    return out


def _sign(k: int) -> str:
    return "+ " if k else "  "


def _addend_texts(block: Addition) -> tuple[list[str], list[str]]:
    """The products and their values as texts, entries filled up to one width."""
    known = [addend for addend in block.addends if not isinstance(addend, Omitted)]
    products = iter(_filled_products([product for product, _ in known]))
    *vectors, _ = filled_vectors([*(vector for _, vector in known), block.total])
    results = iter(vectors)
    texts = []
    for addend in block.addends:
        texts.append(("…", "") if isinstance(addend, Omitted) else (next(products), next(results)))
    return [product for product, _ in texts], [result for _, result in texts]


def _filled_products(products: Sequence[Product]) -> list[str]:
    weights = [settled(plain(product.factors[0])) for product in products]
    vectors = [product.factors[1] for product in products]
    widest = max(map(width, weights))
    filled = filled_vectors([vector for vector in vectors if isinstance(vector, Vector)])
    return [
        f"{weight.rjust(widest)} × {vector}" for weight, vector in zip(weights, filled, strict=True)
    ]


def _long_addition(block: Addition, cells: int) -> list[Line]:
    """The same with each product's value on a line of its own."""
    out: list[Line] = []
    for k, addend in enumerate(block.addends):
        if isinstance(addend, Omitted):
            out.append([Piece(f"{_sign(k)}…")])
            continue
        product, value = addend
        out += [[Piece(_sign(k)), *line] for line in wrapped([Piece(plain(product))], cells - 2)]
        arrow = wrapped([Piece(plain(value))], cells - 6)
        out.append([Piece("    → "), *arrow[0]])
        out += [[Piece(" " * 6), *line] for line in arrow[1:]]
    first, *others = wrapped([Piece(plain(block.total), "result")], cells - 2)
    out.append([Piece("─" * min(cells, 40), "rule")])
    out.append([Piece(f"{block.relation} ", "relation"), *first])
    return [*out, *([Piece("  "), *line] for line in others)]
