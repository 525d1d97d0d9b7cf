"""Lines of working, their `=` below each other, and column additions as they are done on paper.

Lines that fit between the margins have their parts in columns. Where they don't, all of them go on
to a next line at the same part; a part that is too long is broken between its terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from attncli.document.blocks import ColumnSum, Derivation, Line
from attncli.document.grid import ink_of
from attncli.formats.numbers import FilledAddend, filled_addends
from attncli.formats.tex.setting import (
    JOINT,
    InkedNotation,
    Setting,
    aligned,
    math_width,
    on_one_line,
)
from attncli.formats.tex.tables import STRETCHED
from attncli.maths.equations.tree import Expression, Number, Omitted
from attncli.maths.notation.columns import PartColumns, Room, filled_vectors
from attncli.maths.notation.latex import RELATIONS, latex
from attncli.maths.notation.plain import MINUS

RELATION_WIDTH = 1.33
INDENT = 2.0
_ENTRY_END = f",{JOINT}"
_OTHERWISE = r"\text{, otherwise }"
_NEXT, _SAME = r" \\", r" \\*"
_APART = {r"\fillin": "[1.6ex]", r"\dfrac": "[0.6ex]"}
"""Ends of rows, and what is added to them where there is something to write or a fraction. No page
ends within a line of working."""


def working(block: Derivation, setting: Setting) -> str:
    """Sets the lines of working as `align*` or, in columns, as `alignat*`."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    labels = [on_one_line(latex(line.label, setting.working)) for line in lines]
    texts = [_part_texts(line, setting) for line in lines]
    places = PartColumns.of(labels, texts, Room(setting.room, RELATION_WIDTH, INDENT, math_width))
    columns = _columns(places)
    if columns and all(isinstance(line.parts[-1][1], Number) for line in lines):
        texts = _with_results_aligned(texts)
    texts = [_with_result_inked(*e, setting) for e in zip(lines, texts, strict=True)]
    rows = _rows(block, zip(labels, texts, strict=True), places, " &&" if columns > 1 else " ")
    start, end = ("alignat*", f"{{{columns}}}") if columns > 1 else ("align*", "")
    body = "\n".join(f"  {row}" for row in rows)
    body = body[: body.rindex(_NEXT)]  # an empty row would follow a last `\\`
    return f"\\begin{{{start}}}{end}\n{body}\n\\end{{{start}}}"


def _columns(places: PartColumns) -> int:
    """Counts how many columns of parts there are; none where lines differ, or are too long for
    that."""
    if len(places.widths) != 1:
        return 0
    ((count, widths),) = places.widths.items()
    fits = sum(widths) + RELATION_WIDTH * count <= places.room
    return count if fits and not any(places.breaks[count]) else 0


def _with_results_aligned(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    results = aligned([row[-1] for row in texts])
    return [[*row[:-1], result] for row, result in zip(texts, results, strict=True)]


def _with_result_inked(line: Line, texts: list[str], setting: Setting) -> list[str]:
    """Returns a line's texts with its result in its ink, if that is a number; a vector has its inks
    inside."""
    if isinstance(line.parts[-1][1], Number):
        texts[-1:] = [setting.working.inked(texts[-1], ink_of(line.quantity))]
    return texts


def _part_texts(line: Line, setting: Setting) -> list[str]:
    """Writes the parts; a number that is the result is still to be lined up, and inked."""
    result = setting.working.but(result=ink_of(line.quantity))
    if isinstance(line.parts[-1][1], Number):
        result = result.but(coloured=False)
    styles = [setting.working] * (len(line.parts) - 1) + [result]
    parts = (part for _, part in line.parts)
    return [
        _part_text(part, style, setting.room) for part, style in zip(parts, styles, strict=True)
    ]


def _part_text(part: Expression, style: InkedNotation, room: float) -> str:
    """Writes a part in display style; in one line where fractions or parentheses are too wide for
    that, or where there is something to write above or below a fraction's own line."""
    text = latex(part, style)
    wide = max(map(math_width, text.split(JOINT))) + RELATION_WIDTH > room * 0.6
    if wide or (r"\dfrac" in text and r"\fillin" in text):
        return latex(part, style.but(inline=True))
    return text


def _rows(
    block: Derivation, texts: Iterator[tuple[str, list[str]]], places: PartColumns, joint: str
) -> Iterator[str]:
    for line in block.lines:
        if isinstance(line, Omitted):
            yield rf"& \vdots{_NEXT}"
            continue
        label, parts = next(texts)
        if places.own_line:
            yield rf"& {label}{_SAME}"
        relations = [RELATIONS[relation] for relation, _ in line.parts]
        other = r"&\quad " if places.own_line else "&"
        start = other if places.own_line else f"{label} &"
        yield from _joined(start, other, _chain(relations, parts, places, joint))


def _joined(start: str, other: str, rows: Sequence[str]) -> Iterator[str]:
    """Yields a line's rows; the first begins with the label, the others where its first `=`
    stands."""
    for k, row in enumerate(rows):
        end = _NEXT if k == len(rows) - 1 else _SAME
        space = next((space for sign, space in _APART.items() if sign in row), "")
        yield (start if k == 0 else other) + row + end + space


def _chain(
    relations: Sequence[str], parts: Sequence[str], places: PartColumns, joint: str
) -> list[str]:
    """Sets the parts of a line with their relations, in as many rows as their columns say."""
    rows: list[str] = []
    breaks = places.breaks[len(parts)]
    for relation, part, new in zip(relations, parts, breaks, strict=True):
        first, *others = pieces(part, places.room - RELATION_WIDTH)
        if rows and not new:
            rows[-1] += f"{joint}{relation} {first}"
        else:
            rows.append(f"{relation} {first}")
        rows += (rf"\qquad {piece}" for piece in others)
    return rows


def pieces(text: str, room: float) -> list[str]:
    """Breaks a part into pieces that fit on a row each, only where that is needed."""
    if math_width(text) <= room:
        return [on_one_line(text)]
    rows: list[str] = []
    value, other, rest = text.partition(_OTHERWISE)
    if value.count(r"\left") == value.count(r"\right"):  # inside of parentheses nothing breaks
        text = f"{value}{JOINT * bool(other)}{other}{rest}"
    for term in _terms(text, room - INDENT):
        longer = f"{rows[-1]} {term}" if rows else term
        if rows and math_width(longer) + (INDENT if len(rows) > 1 else 0) > room:
            rows.append(term)
        else:
            rows[-1:] = [longer]
    return rows


def _terms(text: str, room: float) -> Iterator[str]:
    """Yields what isn't broken: the entries of a vector, or the terms of those that are too
    long."""
    *entries, last = text.split(_ENTRY_END)
    for entry in (*(entry + "," for entry in entries), last):
        yield from [on_one_line(entry)] if math_width(entry) <= room else entry.split(JOINT)


_SIGN, _ARROW = 1.3, 1.6
_TO = r"{}\rightarrow{} "


def addition(block: ColumnSum, setting: Setting) -> str:
    """Sets the addition; where it is too wide, each value on a row of its own."""
    style = setting.working
    column = partial(style.column, filled=_aligned_numbers)
    aligned, total = filled_addends(
        block,
        column,
        partial(filled_vectors, column=column, between=f",{JOINT}"),
        r" \times ",
        r"\dots",
    )
    addends = [a._replace(sign=a.sign.strip().replace(MINUS, "-")) for a in aligned]
    products = max(math_width(addend.product) for addend in addends)
    widest = max(map(math_width, [total, *(a.value for a in addends if a.value)]))
    fits = _SIGN + products + _ARROW + widest <= setting.room
    rows = _beside(addends) if fits else _below(addends, setting)
    sign = RELATIONS[block.relation]
    space = r"\phantom{" + _TO.strip() + "}"
    end = [f"{sign} & & {space} {on_one_line(total)}"] if fits else _broken(sign, total, setting)
    return _array(on_one_line(latex(block.label, style)), [rows, end], 3 if fits else 2)


def _aligned_numbers(numbers: Sequence[Expression]) -> list[str]:
    """Writes numbers with their points below each other."""
    return aligned([latex(number) for number in numbers])


def _beside(addends: Sequence[FilledAddend]) -> list[str]:
    """Writes each product with its value behind it."""
    return [
        f"{sign} & {on_one_line(product)} & {_TO + on_one_line(value) if value else ''}".rstrip(
            " &"
        )
        for sign, product, value in addends
    ]


def _below(addends: Sequence[FilledAddend], setting: Setting) -> list[str]:
    """Writes each product with its value below it, both broken where they are long."""
    rows: list[str] = []
    for sign, product, value in addends:
        rows += _broken(sign, product, setting)
        rows += _broken("", rf"\rightarrow {value}", setting) if value else []
    return rows


def _broken(sign: str, text: str, setting: Setting) -> list[str]:
    first, *others = pieces(text, setting.room - _SIGN - INDENT)
    return [f"{sign} & {first}", *(rf"& \qquad {piece}" for piece in others)]


def _array(label: str, parts: Sequence[Sequence[str]], columns: int) -> str:
    """Sets the rows below a label, with a rule before the last part."""
    above, below = (" \\\\\n".join(rows) + r" \\" for rows in parts)
    stretch = STRETCHED if r"\fillin" in above + below else ""
    kinds = r"@{}r@{\ }" + "l@{}" * (columns - 1)
    return (
        f"\\[{stretch}\n\\begin{{array}}[b]{{{kinds}}}\n"
        f"\\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{label}}} \\\\\n"
        f"{above}\n\\midrule\n{below}\n\\end{{array}}\n\\]"
    )
