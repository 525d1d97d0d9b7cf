"""Sizes as bars: a column for each series, a row for each label, the number at each bar's end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Number
from attncli.notation.columns import bands
from attncli.pictures import Bars, Series
from attncli.render.numbers import text_of as number_text
from attncli.render.svg.elements import (
    Asked,
    Picture,
    element,
    line,
    number_at,
    silent,
    text_at,
    text_of,
    text_width,
    widest,
)
from attncli.render.svg.in_words import series_in_words

_ROW, _THICK, _HEADING = 26, 16, 30
_GAP, _BETWEEN = 8, 28
_LONGEST = 150.0
"""How long the longest bar of a scale is."""
_WIDEST = 900


class _Panel(NamedTuple):
    """A series, its size of a unit, where 0 is, and how wide all of it is."""

    series: Series
    unit: float
    zero: float
    wide: float


def bars(block: Bars, asked: Asked = silent) -> Picture:
    """The series beside each other, further ones below where there isn't room."""
    names = [text_of(label) for label in block.labels]
    left = widest(names) + _GAP
    rows = bands(_panels(block), lambda one: one.wide, _WIDEST - left, _BETWEEN)
    high = _HEADING + _ROW * len(names)
    elements: list[str] = []
    for k, row in enumerate(rows):
        top = k * (high + _BETWEEN)
        elements += _names(names, left - _GAP, top)
        x = left
        for panel in row:
            elements += _panel(panel, x, top, asked)
            x += panel.wide + _BETWEEN
    wide = left + max(sum(one.wide + _BETWEEN for one in row) for row in rows) - _BETWEEN
    size = (wide, len(rows) * (high + _BETWEEN) - _BETWEEN)
    return Picture(
        text_of(block.title), series_in_words(block.series, block.labels), size, tuple(elements)
    )


def _panels(block: Bars) -> list[_Panel]:
    """The series with their scales; shares of 1 have one together."""
    shares = [one for one in block.series if all(map(_is_share, one.numbers))]
    return [_panel_of(one, shares if one in shares else [one]) for one in block.series]


def _panel_of(series: Series, others: Sequence[Series]) -> _Panel:
    finite = [float(n.shown) for one in others for n in one.numbers if n.shown.is_finite()]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    unit = _LONGEST / ((high - low) or 1.0)
    below = [one for one in series.numbers if one.shown < 0]
    after = widest(number_text(one) for one in series.numbers if one.shown >= 0) + 2 * _GAP
    before = widest(number_text(one) for one in below) + 2 * _GAP if below else 0.0
    wide = before - low * unit + max(high * unit + after, text_width(text_of(series.name)))
    return _Panel(series, unit, before - low * unit, wide)


def _is_share(number: Number) -> bool:
    return 0 <= number.shown <= 1


def _names(names: Sequence[str], x: float, top: float) -> Iterator[str]:
    for i, name in enumerate(names):
        yield text_at(x, _middle(top, i), name, "end")


def _middle(top: float, i: int) -> float:
    return top + _HEADING + _ROW * (i + 0.5)


def _panel(panel: _Panel, x: float, top: float, asked: Asked) -> Iterator[str]:
    zero = x + panel.zero
    if panel.series.name:
        yield text_at(zero, top + _HEADING / 2 - 2, text_of(panel.series.name), "aside")
    for i, number in enumerate(panel.series.numbers):
        yield from _bar(number, zero, _middle(top, i), panel.unit, asked)
    bottom = top + _HEADING + _ROW * len(panel.series.numbers)
    yield line((zero, top + _HEADING), (zero, bottom), "axis")


def _bar(number: Number, zero: float, y: float, unit: float, asked: Asked) -> Iterator[str]:
    """A bar, whose length is its number's; none where that has no end."""
    size = float(number.shown) * unit if number.shown.is_finite() else 0.0
    kind = "bar below" if number.shown < 0 else "bar"
    if size:
        x = zero + min(size, 0.0)
        yield element("rect", x=x, y=y - _THICK / 2, width=abs(size), height=_THICK, class_=kind)
    if number.shown < 0:
        yield number_at(zero + size - _GAP, y, number, "end", asked)
    else:
        yield number_at(zero + size + _GAP, y, number, "", asked)
