"""Lines of working on a screen: `=` signs below each other, long lines broken between terms."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import Number, Omitted, Product, Vector
from attncli.document import Addition, Working
from attncli.document import Line as WorkingLine
from attncli.render.notation import plain
from attncli.render.screen.lines import Line, Piece, at_point, left, settled, width, wrapped

_DEEPER = 2


def working_lines(block: Working, cells: int) -> list[Line]:
    """Each line on one line of the page, parts below parts; else each part on its own."""
    lines = [line for line in block.lines if isinstance(line, WorkingLine)]
    label_width = max((width(_label(line)) for line in lines), default=0)
    aligned = _aligned(lines, label_width)
    fits = all(_total(row) <= cells for row in aligned)
    rows = iter(aligned if fits else [])
    out: list[Line] = []
    for line in block.lines:
        if isinstance(line, Omitted):
            out.append([Piece("⋮".rjust(min(label_width, 4)), "rule")])
        elif fits:
            out.append(next(rows))
        else:
            out += _stacked(line, label_width, cells)
    return out


def _label(line: WorkingLine) -> str:
    return settled(plain(line.label))


def _total(line: Line) -> int:
    return sum(width(piece.text) for piece in line)


def _aligned(lines: Sequence[WorkingLine], label_width: int) -> list[Line]:
    """The lines with their parts in columns. Lines with fewer parts end further left."""
    if not lines:
        return []
    texts = [[settled(plain(part)) for _, part in line.parts] for line in lines]
    results = at_point([row[-1] for row in texts])
    if all(isinstance(line.parts[-1][1], Number) for line in lines):
        texts = [[*row[:-1], result] for row, result in zip(texts, results, strict=True)]
    widths: dict[tuple[int, int], int] = {}
    for row in texts:
        for k, text in enumerate(row):
            column = (len(row), k)
            widths[column] = max(widths.get(column, 0), width(text))
    out = []
    for line, row in zip(lines, texts, strict=True):
        pieces = [Piece(left(_label(line), label_width), "label")]
        for k, ((relation, _), text) in enumerate(zip(line.parts, row, strict=True)):
            last = k == len(row) - 1
            filled = text if last else left(text, widths[len(row), k])
            pieces += [Piece(f" {relation} ", "relation"), Piece(filled, _style(last))]
        out.append(pieces)
    return out


def _style(last: bool) -> str:
    return "result" if last else ""


def _stacked(line: WorkingLine, label_width: int, cells: int) -> list[Line]:
    """A part a line, each below the other; the label on a line of its own where it is long."""
    own_line = label_width > cells // 3
    indent = 2 if own_line else label_width + 1
    out: list[Line] = [[Piece(_label(line), "label")]] if own_line else []
    for k, (relation, part) in enumerate(line.parts):
        style = _style(k == len(line.parts) - 1)
        start = left(_label(line), label_width) + " " if k == 0 and not own_line else " " * indent
        room = cells - indent - _DEEPER
        first, *others = wrapped([Piece(plain(part), style)], room)
        out.append([Piece(start, "label"), Piece(f"{relation} ", "relation"), *first])
        out += [[Piece(" " * (indent + _DEEPER)), *more] for more in others]
    return out


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


def filled_vectors(vectors: Sequence[Vector]) -> list[str]:
    """Vectors as texts, each entry filled up so that entries stand below each other."""
    texts = [[settled(plain(entry)) for entry in vector.entries] for vector in vectors]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    rows = ([text.rjust(size) for text, size in zip(row, widths, strict=True)] for row in texts)
    return [f"[{', '.join(row)}]" for row in rows]


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
