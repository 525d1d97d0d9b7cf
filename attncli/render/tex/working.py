"""Lines of working, their `=` below each other.

Lines that fit between the margins have their parts in columns. Where they don't, all of them go
on to a next line at the same part; a part that is too long is broken between its terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Expression, Number, Omitted
from attncli.document import Line, Working
from attncli.notation.latex import latex
from attncli.render.tex.alignment import aligned
from attncli.render.tex.measure import math_width
from attncli.render.tex.setting import Setting
from attncli.render.tex.text import JOINT

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
    labels = [latex(line.label, setting.working).replace(JOINT, " ") for line in lines]
    most = max(map(math_width, labels), default=0)
    texts = [[_part_text(part, setting) for _, part in line.parts] for line in lines]
    own_line = most > setting.room / 3 and most + _widest(texts) > setting.room
    grid = _TexGrid.of(texts, setting.room - (INDENT if own_line else most))
    if grid.columns and all(isinstance(line.parts[-1][1], Number) for line in lines):
        texts = _with_results_aligned(texts)
    rows = _rows(block, labels, texts, grid, own_line=own_line)
    start, end = ("alignat*", f"{{{grid.columns}}}") if grid.columns > 1 else ("align*", "")
    body = "\n".join(f"  {row}" for row in rows)
    body = body[: body.rindex(_NEXT)]
    return f"\\begin{{{start}}}{end}\n{body}\n\\end{{{start}}}"


def _widest(texts: Sequence[Sequence[str]]) -> float:
    return max((RELATION_WIDTH + math_width(text) for row in texts for text in row), default=0)


def _with_results_aligned(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    results = aligned([row[-1] for row in texts])
    return [[*row[:-1], result] for row, result in zip(texts, results, strict=True)]


def _part_text(part: Expression, setting: Setting) -> str:
    """A part in display style; in one line where fractions or parentheses are too wide for that,
    or where there is something to write above or below a fraction's own line."""
    text = latex(part, setting.working)
    wide = max(map(math_width, text.split(JOINT))) + RELATION_WIDTH > setting.room * 0.6
    if wide or (r"\dfrac" in text and r"\fillin" in text):
        return latex(part, setting.working._replace(inline=True))
    return text


class _TexGrid(NamedTuple):
    """How many columns of parts there are (none: there is no room for columns), before which part
    of a line of k parts a new row begins, and how wide a row may be."""

    columns: int
    breaks: dict[int, list[bool]]
    room: float

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], room: float) -> _TexGrid:
        widths = {
            count: [max(map(math_width, column)) for column in zip(*rows, strict=True)]
            for count, rows in _by_length(texts).items()
        }
        breaks = {count: _breaks(columns, room) for count, columns in widths.items()}
        alike = len(widths) == 1 and not any(any(row) for row in breaks.values())
        fits = alike and all(sum(w) + RELATION_WIDTH * len(w) <= room for w in widths.values())
        return cls(next(iter(widths)) if fits else 0, breaks, room)


def _by_length(texts: Sequence[Sequence[str]]) -> dict[int, list[Sequence[str]]]:
    """Lines grouped by their number of parts."""
    groups: dict[int, list[Sequence[str]]] = {}
    for row in texts:
        groups.setdefault(len(row), []).append(row)
    return groups


def _breaks(widths: Sequence[float], room: float) -> list[bool]:
    """Before which part a new row begins: where the parts so far leave no room for it."""
    used, breaks = 0.0, []
    for size in widths:
        breaks.append(bool(used) and used + RELATION_WIDTH + size > room)
        used = (0 if breaks[-1] else used) + RELATION_WIDTH + size
    return breaks


def _rows(
    block: Working,
    labels: Sequence[str],
    texts: Sequence[Sequence[str]],
    grid: _TexGrid,
    *,
    own_line: bool,
) -> Iterator[str]:
    lines = iter(zip(labels, texts, strict=True))
    for line in block.lines:
        if isinstance(line, Omitted):
            yield rf"& \vdots{_NEXT}"
            continue
        label, parts = next(lines)
        if own_line:
            yield rf"& {label}{_SAME}"
        relations = [RELATIONS[relation] for relation, _ in line.parts]
        rows = _chain(relations, parts, grid)
        start = r"&\quad " if own_line else f"{label} &"
        yield from _joined(start, rows, own_line=own_line)


def _joined(start: str, rows: Sequence[str], *, own_line: bool) -> Iterator[str]:
    """A line's rows; the first begins with the label, the others where its first `=` stands."""
    other = r"&\quad " if own_line else "&"
    for k, row in enumerate(rows):
        end = _NEXT if k == len(rows) - 1 else _SAME
        yield (start if k == 0 else other) + row + end + _space_below(row)


def _space_below(row: str) -> str:
    return next((space for sign, space in _APART.items() if sign in row), "")


def _chain(relations: Sequence[str], parts: Sequence[str], grid: _TexGrid) -> list[str]:
    """The parts of a line with their relations, in as many rows as the grid says."""
    rows: list[str] = []
    joint = " &&" if grid.columns > 1 else " "
    for relation, part, new in zip(relations, parts, grid.breaks[len(parts)], strict=True):
        first, *others = pieces(part, grid.room - RELATION_WIDTH)
        if rows and not new:
            rows[-1] += f"{joint}{relation} {first}"
        else:
            rows.append(f"{relation} {first}")
        rows += (rf"\qquad {piece}" for piece in others)
    return rows


def pieces(text: str, room: float) -> list[str]:
    """A part in pieces that fit on a row each, broken only where that is needed."""
    if math_width(text) <= room:
        return [text.replace(JOINT, " ")]
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
        yield from [entry.replace(JOINT, " ")] if math_width(entry) <= room else entry.split(JOINT)
