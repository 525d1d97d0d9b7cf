"""A picture as its pixels in grey, its patches apart, with the numbers where there is room."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from attncli.document.pictures import Pixels, Series
from attncli.formats.numbers import text_of as number_text
from attncli.formats.svg.elements import (
    NOBODY,
    Askable,
    Picture,
    element,
    number_at,
    sentence,
    shifted,
    showing,
    text_at,
    widest,
    within_limits,
)
from attncli.maths.equations.tree import Number
from attncli.maths.notation.escaping import printed

_PIXEL, _SMALL, _PAD, _NAME, _BETWEEN = 40.0, 12.0, 12.0, 24.0, 8.0
_MOST_ACROSS = 12
"""Of a picture with more pixels in a row none has its number, and no patch its name."""
_LIGHT = 0.46
"""The share of white from which a number is black: either has a contrast of 4.5 : 1."""


def pixels(block: Pixels, asked: Askable = NOBODY) -> Picture:
    """Draws the patches beside and below each other as they lie in the picture."""
    across, side = isqrt(len(block.patches)), isqrt(len(block.patches[0].numbers))
    numbers = [float(n.shown) for patch in block.patches for n in patch.numbers]
    shades = _Shades(min(numbers), (max(numbers) - min(numbers)) or 1.0)
    told = across * side <= _MOST_ACROSS
    size = _size(block, side) if told else _SMALL
    wide, high = size * side, size * side + (_NAME if told else 0.0)
    parts = [_patch(patch, side, size, shades, asked, told=told) for patch in block.patches]
    elements = tuple(
        shifted(part, k % across * (wide + _BETWEEN), k // across * (high + _BETWEEN))
        for k, part in enumerate(parts)
    )
    texts = [sentence(printed(p.name), [(n,) for n in p.numbers]) for p in block.patches]
    whole = (across * (wide + _BETWEEN) - _BETWEEN, across * (high + _BETWEEN) - _BETWEEN)
    return Picture(printed(block.title), within_limits(texts), whole, elements)


class _Shades(NamedTuple):
    """A scale of grey."""

    low: float
    """The least number, which is black."""
    spread: float
    """How much more the greatest number is, which is white."""

    def share(self, number: Number) -> float:
        return (float(number.shown) - self.low) / self.spread


def _size(block: Pixels, side: int) -> float:
    """Returns the size of a pixel with room for each number, and for the names of patches."""
    numbers = widest(number_text(n) for patch in block.patches for n in patch.numbers) + _PAD
    return max(_PIXEL, numbers, (widest(printed(p.name) for p in block.patches) + _PAD) / side)


def _patch(
    patch: Series, side: int, size: float, shades: _Shades, asked: Askable, *, told: bool
) -> Picture:
    """Draws a patch, its name above it and its numbers in it where these are `told`."""
    top = _NAME if told else 0.0
    wide = size * side
    edge = element("rect", x=-1, y=top - 1, width=wide + 2, height=wide + 2, class_="box")
    elements = [edge]
    if told:
        elements.append(text_at(size * side / 2, top / 2 - 2, printed(patch.name), "middle aside"))
    for i, number in enumerate(patch.numbers):
        x, y, share = size * (i % side), top + size * (i // side), shades.share(number)
        grey = f"fill: rgb({', '.join([f'{share:.1%}'] * 3)})"
        shows = showing(number, asked, "grey", (size - 2,), _LIGHT)
        elements.append(element("rect", x=x, y=y, width=size, height=size, style=grey, **shows))
        if told:
            middle, high = x + size / 2, y + size / 2
            ink = f"fill: {'black' if share > _LIGHT else 'white'}"
            elements.append(number_at(middle, high, number, "middle", asked, style=ink))
    return Picture("", (), (size * side, top + size * side), tuple(elements))
