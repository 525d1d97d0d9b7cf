"""Lines of working, their `=` below each other.

Lines that fit between the margins have their parts in columns. Where they don't, all of them go
on to a next line at the same part; a part that is too long is broken between its terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.arithmetic.expression import Expression, Number, Omitted
from attncli.document import Line, Working
from attncli.notation.columns import PartColumns, Room
from attncli.notation.latex import latex
from attncli.render.colours import ink_of
from attncli.render.tex.alignment import aligned
from attncli.render.tex.colours import InkedNotation
from attncli.render.tex.measure import math_width
from attncli.render.tex.setting import Setting
from attncli.render.tex.text import JOINT, on_one_line

RELATIONS = {"=": "=", "≈": r"\approx"}
RELATION_WIDTH = 1.33
INDENT = 2.0
_ENTRY_END = f",{JOINT}"
_NEXT, _SAME = r" \\", r" \\*"
_APART = {r"\fillin": "[1.6ex]", r"\dfrac": "[0.6ex]"}
"""Ends of rows, and what is added to them where there is something to write or a fraction. No page
ends within a line of working."""


def working(block: Working, setting: Setting) -> str:
    """The lines of working as `align*` or, in columns, as `alignat*`."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    labels = [on_one_line(latex(line.label, setting.working)) for line in lines]
    texts = [_part_texts(line, setting) for line in lines]
    places = PartColumns.of(labels, texts, Room(setting.room, RELATION_WIDTH, INDENT, math_width))
    columns = _columns(places)
    if columns and all(isinstance(line.parts[-1][1], Number) for line in lines):
        texts = _with_results_aligned(texts)
    texts = [_with_result_inked(*one, setting) for one in zip(lines, texts, strict=True)]
    rows = _rows(block, zip(labels, texts, strict=True), places, " &&" if columns > 1 else " ")
    start, end = ("alignat*", f"{{{columns}}}") if columns > 1 else ("align*", "")
    body = "\n".join(f"  {row}" for row in rows)
    body = body[: body.rindex(_NEXT)]  # an empty row would follow a last `\\`
    return f"\\begin{{{start}}}{end}\n{body}\n\\end{{{start}}}"


def _columns(places: PartColumns) -> int:
    """How many columns of parts there are; none where lines differ, or are too long for that."""
    if len(places.widths) != 1:
        return 0
    ((count, widths),) = places.widths.items()
    fits = sum(widths) + RELATION_WIDTH * count <= places.room
    return count if fits and not any(places.breaks[count]) else 0


def _with_results_aligned(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    results = aligned([row[-1] for row in texts])
    return [[*row[:-1], result] for row, result in zip(texts, results, strict=True)]


def _with_result_inked(line: Line, texts: list[str], setting: Setting) -> list[str]:
    """A number; a vector has its inks inside."""
    if isinstance(line.parts[-1][1], Number):
        texts[-1:] = [setting.working.inked(texts[-1], ink_of(line.quantity))]
    return texts


def _part_texts(line: Line, setting: Setting) -> list[str]:
    """The parts; a number that is the result is still to be lined up, and inked."""
    result = setting.working.but(result=ink_of(line.quantity))
    if isinstance(line.parts[-1][1], Number):
        result = result.but(coloured=False)
    styles = [setting.working] * (len(line.parts) - 1) + [result]
    parts = (part for _, part in line.parts)
    return [
        _part_text(part, style, setting.room) for part, style in zip(parts, styles, strict=True)
    ]


def _part_text(part: Expression, style: InkedNotation, room: float) -> str:
    """A part in display style; in one line where fractions or parentheses are too wide for that,
    or where there is something to write above or below a fraction's own line."""
    text = latex(part, style)
    wide = max(map(math_width, text.split(JOINT))) + RELATION_WIDTH > room * 0.6
    if wide or (r"\dfrac" in text and r"\fillin" in text):
        return latex(part, style.but(inline=True))
    return text


def _rows(
    block: Working, texts: Iterator[tuple[str, list[str]]], places: PartColumns, joint: str
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
    """A line's rows; the first begins with the label, the others where its first `=` stands."""
    for k, row in enumerate(rows):
        end = _NEXT if k == len(rows) - 1 else _SAME
        space = next((space for sign, space in _APART.items() if sign in row), "")
        yield (start if k == 0 else other) + row + end + space


def _chain(
    relations: Sequence[str], parts: Sequence[str], places: PartColumns, joint: str
) -> list[str]:
    """The parts of a line with their relations, in as many rows as their columns say."""
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
    """A part in pieces that fit on a row each, broken only where that is needed."""
    if math_width(text) <= room:
        return [on_one_line(text)]
    rows: list[str] = []
    for term in _terms(text, room - INDENT):
        longer = f"{rows[-1]} {term}" if rows else term
        if rows and math_width(longer) + (INDENT if len(rows) > 1 else 0) > room:
            rows.append(term)
        else:
            rows[-1:] = [longer]
    return rows


def _terms(text: str, room: float) -> Iterator[str]:
    """What isn't broken: the entries of a vector, or the terms of those that are too long."""
    *entries, last = text.split(_ENTRY_END)
    for entry in (*(entry + "," for entry in entries), last):
        yield from [on_one_line(entry)] if math_width(entry) <= room else entry.split(JOINT)
