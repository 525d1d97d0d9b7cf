"""Numbers that were judged, as tables tell them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from attncli.word import Word

SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "✓",
        "worked otherwise": "≡",
        "carried forward": "→",
        "not worked": "∅",
        "rounding": "~",
        "known mistake": "✗",
        "slip": "!",
        "blank": "–",
        "unreadable": "?",
    }
)
"""What stands behind a number that was judged so."""

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "V",
        "worked otherwise": "V",
        "carried forward": "Q",
        "not worked": "K",
        "rounding": "given",
        "known mistake": "K",
        "slip": "K",
        "blank": "aside",
        "unreadable": "K",
        "changed": "K",
    }
)
"""The inks of numbers of which that is said: green, blue and red ones of those that there are."""


CHANGED = "changed"
"""What is said of a number beside which another one stands, which it is elsewhere."""


class MarkedNumber(NamedTuple):
    """A number in a table with what is said of it, and the right one where that is told; of one
    that is another one elsewhere, that one."""

    number: Word
    judgement: str
    right: str = ""

    @property
    def behind(self) -> str:
        """What stands behind the number: its sign, and the right number in brackets; or an arrow
        and what it is elsewhere."""
        if self.judgement == CHANGED:
            return f" → {self.right}"
        right = f" ({self.right})" if self.right else ""
        return f"{' ' if self.number.raw else ''}{SIGNS[self.judgement]}{right}"
