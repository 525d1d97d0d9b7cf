"""Lines of working as HTML: a table, its `=` signs below each other."""

from __future__ import annotations

from attncli.arithmetic.expression import Expression, Omitted, Vector
from attncli.document import Addition, Line, Working
from attncli.notation.signs import signed
from attncli.render.html.spans import blanks_in, code_html, expression_html, plain_html
from attncli.render.html.style import HtmlStyle
from attncli.render.html.tables import row_of, table_of
from attncli.render.numbers import addend_sign


def working_html(block: Working, style: HtmlStyle) -> str:
    """A row for each line: its name, its working, its result. Where one of the lines has a
    blank, all of them are in plain notation."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    plainly = any(any(blanks_in(part)) for line in lines for _, part in line.parts)
    worked = any(len(line.parts) > 1 for line in lines)
    return table_of(
        row_of("⋮", [""] * (1 + worked))
        if isinstance(line, Omitted)
        else _row(line, style, plainly, worked)
        for line in block.lines
    )


def _row(line: Line, style: HtmlStyle, plainly: bool, worked: bool) -> str:
    write = plain_html if plainly else expression_html
    *before, result = (f"{relation} {write(part, style)}" for relation, part in line.parts)
    if not isinstance(line.parts[-1][1], Vector):
        result = f'<span class="result">{result}</span>'  # a vector may have to be broken
    cells = [" ".join(before), result] if worked else [result]
    return row_of(code_html(line.label, style), cells)


def addition_html(block: Addition, style: HtmlStyle) -> str:
    """Vectors added up in columns: each product with its value, and the total."""
    vectors = [block.total, *(one for one in block.addends if not isinstance(one, Omitted))]
    write = plain_html if any(any(blanks_in(one)) for one in vectors) else expression_html
    rows = []
    for k, addend in enumerate(block.addends):
        sign = addend_sign(addend, k).strip()
        if isinstance(addend, Omitted):
            rows.append(row_of(sign, ["…", ""]))
            continue
        product: Expression = signed(addend[0])[1]
        rows.append(row_of(sign, [write(product, style), f"→ {write(addend[1], style)}"]))
    rows.append(row_of(block.relation, ["", write(block.total, style)]))
    label = f'<tr><th scope="colgroup" colspan="3">{code_html(block.label, style)}</th></tr>'
    return table_of(rows, label)
