"""Numbers in mathematics, filled up so that their decimal points stand below each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def aligned(texts: Sequence[str], *, before: bool = True) -> list[str]:
    """Numbers filled up behind their points to the longest, and `before` them if wanted."""
    parts = [_parted(text) for text in texts]
    most = _Parts(
        "-" if before and any(part.sign for part in parts) else "",
        max((part.head for part in parts), key=len, default="") if before else "",
        max((part.tail for part in parts), key=len, default=""),
    )
    return [
        _filled(part, most) if part.head else text for text, part in zip(texts, parts, strict=True)
    ]


class _Parts(NamedTuple):
    """A number's minus, its digits before the point, and the point with what follows."""

    sign: str
    head: str
    tail: str


def _parted(text: str) -> _Parts:
    """The parts of a number, none of them where it isn't written in digits alone."""
    sign, rest = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not rest.replace(".", "").isdigit():
        return _Parts("", "", "")
    head, point, tail = rest.partition(".")
    return _Parts(sign, head, point + tail)


def _filled(part: _Parts, most: _Parts) -> str:
    start = "0" * (len(most.head) - len(part.head)) + ("" if part.sign else most.sign)
    end = most.tail[len(part.tail) :]
    sign = "{-}" if part.sign and start else part.sign  # else it would be a difference
    return f"{_phantom(start)}{sign}{part.head}{part.tail}{_phantom(end)}"


def _phantom(text: str) -> str:
    return rf"\phantom{{{text}}}" if text else ""
