"""The elements of pictures, and how wide their texts are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from math import hypot
from typing import NamedTuple

from attncli.arithmetic.expression import Number
from attncli.notation.words import printed
from attncli.render.numbers import text_of as number_text
from attncli.render.screen.lines import width
from attncli.word import Word

TEXT_SIZE, TITLE_SIZE = 14, 18
_CELL = 8.5
"""A terminal's cell in text of that size: 0.6 em in the usual fonts of one width, a little to
spare."""
_EDGE = 3.0
_HEAD, _HALF_OF_HEAD = 11.0, 4.5
"""How long the head of an arrow is, and half its width."""

Asked = Callable[[Number], Mapping[str, str]]
"""The attributes of what shows a number, where a reader can ask where it comes from."""
Point = tuple[float, float]


def silent(_: Number) -> Mapping[str, str]:
    """Nobody can ask."""
    return {}


class Picture(NamedTuple):
    """A drawing from (0, 0) to its size, what it is called, and what it says in words."""

    title: str
    told: str
    size: tuple[float, float]
    elements: tuple[str, ...]


def text_of(word: Word | str) -> str:
    """Somebody's word as it is printed, or a text of ours."""
    return printed(word) if isinstance(word, Word) else word


def text_width(text: str) -> float:
    """The width of a text in a font of one width."""
    return width(text) * _CELL


def widest(texts: Iterable[str]) -> float:
    """The width of the widest text, 0 of none."""
    return max(map(text_width, texts), default=0.0)


def title_width(text: str) -> float:
    """The width of a text as the title of a page."""
    return text_width(text) * TITLE_SIZE / TEXT_SIZE


def element(name: str, inside: str | Iterable[str] = "", **attributes: float | str) -> str:
    """An element; `class_` is its class, and what stands for a `-` in a name is a `_`."""
    told = "".join(f' {_attribute(key)}="{_value(v)}"' for key, v in attributes.items())
    text = inside if isinstance(inside, str) else "\n".join(["", *inside, ""])
    return f"<{name}{told}>{text}</{name}>" if text else f"<{name}{told}/>"


def text_at(x: float, y: float, text: str, kind: str = "", **attributes: float | str) -> str:
    """A text, its middle as high as `y`."""
    classes: dict[str, str] = {"class_": kind} if kind else {}
    return element("text", escape(text), x=x, y=y + TEXT_SIZE * 0.35, **classes, **attributes)


def number_at(x: float, y: float, number: Number, kind: str, asked: Asked) -> str:
    """A number that can be asked, its middle as high as `y`."""
    return text_at(x, y, number_text(number), kind, **asked(number))


def plate(x: float, y: float, text: str) -> str:
    """What hides the line that a text stands on, its middle as high as `y`."""
    wide, high = text_width(text) + 2 * _EDGE, TEXT_SIZE * 1.2
    return element(
        "rect", "", x=x - wide / 2, y=y - high / 2, width=wide, height=high, class_="page"
    )


def line(start: Point, end: Point, kind: str, **attributes: float | str) -> str:
    (x1, y1), (x2, y2) = start, end
    return element("line", "", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind, **attributes)


def path(points: Iterable[Point], kind: str) -> str:
    """Straight lines from point to point."""
    return element("path", d="M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points), class_=kind)


def arrow_to(start: Point, end: Point, kind: str, **attributes: float | str) -> str:
    """A straight arrow; its shaft ends where its head begins."""
    away = hypot(end[0] - start[0], end[1] - start[1])
    share = max(0.0, 1 - _HEAD * 0.8 / away) if away else 0.0
    neck = (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
    return line(start, neck, kind, **attributes) + head_at(start, end, f"head {kind}")


def head_at(start: Point, end: Point, kind: str) -> str:
    """The head of an arrow that comes from `start`."""
    away = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    length = min(_HEAD, away)
    along, across = (end[0] - start[0]) / away, (end[1] - start[1]) / away
    x, y = end[0] - along * length, end[1] - across * length
    half = _HALF_OF_HEAD * length / _HEAD
    sides = ((x - across * half, y + along * half), (x + across * half, y - along * half))
    return element("path", d=_outline([end, *sides]), class_=kind)


def _outline(points: Iterable[Point]) -> str:
    return f"M{' L'.join(f'{x:.1f} {y:.1f}' for x, y in points)} z"


def placed(picture: Picture, x: float, y: float) -> str:
    """A picture inside another."""
    return element("g", picture.elements, transform=f"translate({x:.1f} {y:.1f})")


def described(name: str, title: str, told: str, inside: Iterable[str], **more: float | str) -> str:
    """An element with a title and a description, for those who don't see it."""
    words = (element("title", escape(title)), element("desc", escape(told)))
    return element(name, (*words, *inside), **{"role": "img", **more})


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 1):g}"
