"""Bars and curves in characters. What tells series apart is a mark or a fill, not a colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Number
from attncli.notation import plain
from attncli.notation.words import printed
from attncli.pictures import Bars, Curves, Label
from attncli.render.screen.lines import Line, StyledText, left, width
from attncli.word import Word

_FILLS, _MARKS, _SEVERAL = "█▒▓░", "●○■□▲△◆◇", "✱"
_WIDEST, _NARROWEST = 48, 8
_GAP = "  "


def text_of_label(label: Label) -> str:
    """A label as it is printed."""
    return printed(label) if isinstance(label, Word) else label


def finite(number: Number) -> float:
    """A number as a size; what is infinite has none."""
    value = float(number.full)
    return value if math.isfinite(value) else 0.0


class _Scale(NamedTuple):
    """Cells for numbers: how many for 1, and how many there are left and right of 0."""

    per_one: float
    below: int
    above: int

    @classmethod
    def of(cls, numbers: Sequence[Number], room: int) -> _Scale:
        values = [0.0, *map(finite, numbers)]
        low, high = min(values), max(values)
        per_one = room / (high - low) if high > low else 0.0
        below = math.ceil(-low * per_one)
        return cls(per_one, below, room - below)

    def bar(self, number: Number, fill: str) -> str:
        """What is there at all has a cell; where some go below 0, a line says where 0 is."""
        value = finite(number)
        size = max(round(abs(value) * self.per_one), int(value != 0))
        if not self.below:
            return fill * size
        if value < 0:
            return f"{fill * min(size, self.below):>{self.below}}│"
        return f"{'':{self.below}}│{fill * min(size, self.above)}"


def bars(picture: Bars, cells: int) -> list[Line]:
    """A bar for each number, all of one scale; those below 0 go to the left."""
    labels = _columned(picture.labels)
    names = _columned([one.name for one in picture.series])
    numbers = [number for one in picture.series for number in one.numbers]
    taken = width(labels[0]) + width(names[0]) + 2 * len(_GAP) + 2
    room = cells - taken - max(len(plain(number)) for number in numbers)
    scale = _Scale.of(numbers, max(_NARROWEST, min(_WIDEST, room)))
    lines: list[Line] = []
    for k, label in enumerate(labels):
        lines += [[]] if k and len(names) > 1 else []
        for n, (series, name) in enumerate(zip(picture.series, names, strict=True)):
            shown = label if n == 0 else " " * width(label)
            bar = scale.bar(series.numbers[k], _FILLS[n % len(_FILLS)])
            start = StyledText(f"{shown}{_GAP}{name}{_GAP}")
            number = StyledText(f" {plain(series.numbers[k])}", "total")
            lines.append([start, StyledText(bar), number])
    return lines


def _columned(labels: Sequence[Label]) -> list[str]:
    """Labels as a column."""
    texts = [text_of_label(label) for label in labels]
    most = max(map(width, texts))
    return [left(text, most) for text in texts]


def curves(picture: Curves, cells: int) -> list[Line]:
    """A line for each label, and in it a mark for each series, the further to the right the larger
    its number."""
    axis, *labels = _columned([picture.axis, *picture.labels])
    numbers = [number for one in picture.series for number in one.numbers]
    placed = math.log if picture.logarithmic else float
    room = max(_NARROWEST, min(_WIDEST, cells - width(axis) - 3))
    values = [placed(finite(number)) for number in numbers]
    low, high = min(values), max(values)
    per_one = (room - 1) / (high - low) if high > low else 0.0
    ends = [plain(numbers[values.index(one)]) for one in (low, high)]
    lines: list[Line] = [[StyledText(f"{axis}   {_between(ends, room)}", "rule")]]
    for k, label in enumerate(labels):
        row = [" "] * room
        for series, mark in zip(picture.series, marks(len(picture.series)), strict=True):
            place = round((placed(finite(series.numbers[k])) - low) * per_one)
            row[place] = mark if row[place] == " " else _SEVERAL
        lines.append([StyledText(f"{label} │ "), StyledText("".join(row))])
    scale = "to a logarithmic scale" if picture.logarithmic else ""
    return [*lines, [], *legend([one.name for one in picture.series], cells, scale)]


def _between(ends: Sequence[str], room: int) -> str:
    """What stands at the two ends of an axis."""
    low, high = ends
    return f"{low}{' ' * max(1, room - len(low) - len(high))}{high}"


def marks(count: int) -> str:
    """A mark for each series."""
    return (_MARKS * (1 + count // len(_MARKS)))[:count]


def legend(names: Sequence[Label], cells: int, more: str = "") -> list[Line]:
    """What each mark stands for."""
    named = zip(marks(len(names)), names, strict=True)
    told = [f"{mark} {text_of_label(name)}" for mark, name in named]
    told += [f"{_SEVERAL} several"] if len(names) > 1 else []
    rows = [""]
    for one in (*told, *([more] if more else [])):
        if rows[-1] and width(rows[-1]) + 3 + width(one) > cells:
            rows.append("")
        rows[-1] += f"{'   ' if rows[-1] else ''}{one}"
    return [[StyledText(row, "rule")] for row in rows]
