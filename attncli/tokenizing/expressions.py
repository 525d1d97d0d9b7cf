"""Regular expressions of Hugging Face's `tokenizers` (Oniguruma's), for Python's `re`, which has no
classes such as `\\p{L}`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby

_CLASS = re.compile(r"\\p\{(\^?)(\w+)\}|\\P\{()(\w+)\}|\\([sSdDwW])|\\.|\[:|&&|[\[\]]", re.DOTALL)
_LETTERS_IN_CIRCLES = ((0x24B6, 0x24EA), (0x1F130, 0x1F14A), (0x1F150, 0x1F16A), (0x1F170, 0x1F18A))
_LAST_SPACE, _ALL = 0x3000, 0x110000
Span = tuple[int, int]
"""Code points from one to before another."""


def is_space(character: str) -> bool:
    """Whether a character is white space to Unicode, which the separators aren't that Python
    takes for some."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


def is_letter(character: str) -> bool:
    """Whether a character is of words, `\\w`: letters with their marks, digits, connectors."""
    kind = unicodedata.category(character)
    if kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or character in "\u200c\u200d":
        return True
    return any(start <= ord(character) < end for start, end in _LETTERS_IN_CIRCLES)


def compiled(pattern: str) -> re.Pattern[str]:
    """An expression for `re`. Raises ValueError for what there is no other word for."""
    try:
        return re.compile("".join(_translated(pattern)))
    except (re.error, OverflowError) as error:
        raise ValueError(f"the regular expression {pattern}") from error


def _translated(pattern: str) -> Iterator[str]:
    inside, done = False, 0
    for match in _CLASS.finditer(pattern):
        yield pattern[done : match.start()]
        done = match.end()
        if match[0] in ("[", "]"):
            if match[0] == "[" and inside:
                raise ValueError(f"the regular expression {pattern}, with classes in classes")
            inside = match[0] == "["
            yield match[0]
        elif match[0] in ("[:", "&&") and (inside or match[0] == "[:"):
            raise ValueError(f"the regular expression {pattern}, with classes in classes")
        else:
            yield _class(match, inside)
    yield pattern[done:]


def _class(match: re.Match[str], inside: bool) -> str:
    """A class of characters as the ranges that it has."""
    caret, name, _, other, short = match.groups()
    named = name or other or (short or "").lower()
    if not named:
        return match[0]
    spans = _spans(named)
    if caret or other or (short or "").isupper():
        spans = _others(spans)
    ranges = "".join(f"\\U{start:08x}-\\U{end - 1:08x}" for start, end in spans)
    return ranges if inside else f"[{ranges}]"


def _spans(name: str) -> list[Span]:
    """The ranges of a class. Oniguruma's `\\w` has no joiners, unlike that of other libraries."""
    if name == "s":
        spaces = [code for code in range(_LAST_SPACE + 1) if is_space(chr(code))]
        return [(code, code + 1) for code in spaces]
    kinds = {"d": ("Nd",), "w": ("L", "M", "Nd", "Nl", "Pc")}.get(name, (name,))
    found = [
        span for kind, spans in _by_category().items() if kind.startswith(kinds) for span in spans
    ]
    if not found:
        raise ValueError(f"the class \\p{{{name}}} of a regular expression")
    return sorted([*found, *(_LETTERS_IN_CIRCLES if name == "w" else ())])


@cache
def _by_category() -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    start = 0
    for kind, run in groupby(map(unicodedata.category, map(chr, range(_ALL)))):
        end = start + sum(1 for _ in run)
        found.setdefault(kind, []).append((start, end))
        start = end
    return found


def _others(spans: list[Span]) -> list[Span]:
    """What is between sorted ranges."""
    edges = [0, *(edge for span in spans for edge in span), _ALL]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
