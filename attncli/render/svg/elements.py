"""The elements of pictures, and how wide their texts are."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from attncli.notation.words import printed
from attncli.records import NamedTuple
from attncli.render.screen.lines import width
from attncli.word import Word

TEXT_SIZE, TITLE_SIZE = 14, 18
_CELL = 8.5
"""A terminal's cell in text of that size: 0.6 em in the usual fonts of one width, a little to
spare."""


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


def described(name: str, title: str, told: str, inside: Iterable[str], **more: float | str) -> str:
    """An element with a title and a description, for those who don't see it."""
    words = (element("title", escape(title)), element("desc", escape(told)))
    return element(name, (*words, *inside), role="img", **more)


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 1):g}"
