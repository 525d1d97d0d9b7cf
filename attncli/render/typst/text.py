"""Words as string literals of Typst, and which characters its fonts have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from attncli.notation.typst import literal
from attncli.notation.words import ISOLATE, POP, printed
from attncli.word import Word

PRINTED = (
    "\x20-\x7e\xa0-\u04ff\u0531-\u05f4\u0621-\u063a\u0640-\u0655\u0660-\u066d\u06f0-\u06f9"
    "\u10d0-\u10ff\u1d00-\u2027\u2030-\u2040\u2044-\u2052\u2054-\u205e\u2070-\u2103\u2153-\u2184\u2190-\u222e\u2234-\u223d"
    "\u2241-\u226b\u226d-\u228b\u228d-\u22a6\u22ee\u22ef\u2308-\u2315\u2335-\u237a\u2423"
    "\u2460-\u262f\u2638-\u268b\u270c-\u2727\u2800-\u28ff\u2c60-\u2cff\ufb00-\ufb4f\ufe70-\ufefe"
)
"""What the fonts have that come with Typst: Libertinus, New Computer Modern, DejaVu Sans Mono."""
_PRINTED = re.compile(f"[{PRINTED}{ISOLATE}{POP}]")
_LONG, _PART = 24, 6
"""Characters without a space on one line, and of the parts that longer ones may be broken into."""
_RUN = re.compile(rf"[^ \u00a0]{{{_LONG + 1},}}")
_BREAK = "\u200b"


def characters(text: str) -> str:
    """The text, what no font has as its code point: `U+732B`."""
    return "".join(map(_character, unicodedata.normalize("NFC", text)))


@cache
def _character(character: str) -> str:
    known = _PRINTED.match(character) and unicodedata.category(character) != "Cn"
    return character if known else f"U+{ord(character):04X}"


def text(words: str) -> str:
    """A text as a literal, in which what is too long for a line may be broken anywhere."""
    return literal(breakable(characters(words)))


def breakable(words: str) -> str:
    """A text with places to break it at where it has a long run without any."""
    return _RUN.sub(_in_parts, words)


def _in_parts(run: re.Match[str]) -> str:
    return _BREAK.join(run[0][k : k + _PART] for k in range(0, len(run[0]), _PART))


def word(one: Word | str) -> str:
    """Somebody's word as it is printed, or a text of ours."""
    return text(printed(one) if isinstance(one, Word) else one)


def joined(parts: Iterable[str]) -> str:
    """Pieces of code that stand one after the other, as a block of code."""
    return f"{{{'; '.join(parts)}}}"


def listed(parts: Iterable[str]) -> str:
    """Pieces of code as an array."""
    return "(" + "".join(f"{part}, " for part in parts) + ")"


def code(name: str) -> str:
    """A name as the program writes it."""
    return f"code({text(name)})"
