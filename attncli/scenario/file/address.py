"""Addresses of cells: `weights[love, AI]`, `Q[2, 1]`, `layers[1].heads[2].exp_sum["1"]`.

Patterns are addresses of several: `weights[*, last]`, `weights[, AI]`, `scores[love]`, `gates[2]`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from attncli.errors import quote


class AddressError(ValueError):
    """The error of an address that can't be read or that names nothing, with what is wrong and what
    would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(f"{wrong}; {right}")


class Index(NamedTuple):
    """One index of an address: a name, or a position if it is a bare number."""

    text: str
    quoted: bool = False

    @property
    def position(self) -> int | None:
        """Returns the 1-based position that a bare number means, or None for a name."""
        digits = self.text.isascii() and self.text.isdigit()
        return int(self.text[:_LONGEST]) if digits and not self.quoted else None

    @property
    def is_every(self) -> bool:
        """Tells whether it means all places along a side, unless one of them is called so."""
        return self.text == EVERY and not self.quoted

    @property
    def is_last(self) -> bool:
        """Tells whether it means the last place along a side, unless one of them is called so."""
        return self.text == LAST and not self.quoted


EVERY, LAST = "*", "last"
"""Indices of all places along a side, and of the last one."""
_LIKE = "write for example weights[love, AI] or Q[2, 1]"
_LONGEST = 18
"""The most digits of a position that are read; no position has so many."""


class Address(NamedTuple):
    """An address: the name of a quantity or a key, and the indices of a cell in it."""

    name: str
    """The name with its path and its time: `a[2]` for `a[2][1]`."""
    indices: tuple[Index, ...] = ()

    @property
    def segments(self) -> list[str]:
        """Returns the keys and counted places that the name leads through: `layers`, `1`, `W_Q`."""
        return [part for part in re.split(_SEGMENT, self.name) if part]


_NUMBER = r"\[(?:\d++|\*|last)\]"
"""What counts a place or a time in a name: a number, or in a pattern all of them, or the last."""
_SHAPE = rf"((?:[^\[\]]++{_NUMBER}\.)*+[^\[\]]++(?:{_NUMBER}(?=\s*\[))?)\s*(?:\[(.*)\])?"
_SEGMENT = r"\.|\[(\d+)\]"
_INDEX = r"""\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s](?:[^,]*[^,\s])?))\s*(?:,|$)"""
_BARE = r"""[^\s",\[\]\\](?:[^",\[\]\\\n]*[^\s",\[\]\\])?"""


def parse_address(text: str) -> Address:
    """Parses an address. Raises AddressError for any other text."""
    shape = re.fullmatch(_SHAPE, text.strip(), re.DOTALL)
    if shape is None:
        raise AddressError(f"{quote(text)} is not of the form name[row, column]", _LIKE)
    name, inside = shape.groups()
    return Address(name.rstrip(), () if inside is None else tuple(_indices(inside, text)))


def parse_pattern(text: str) -> Address:
    """Parses an address in which an index may be left out, which then means all places:
    `weights[, AI]`. Raises AddressError for any other text."""
    whole = re.sub(r"(?<=\[)(?=\s*,)|(?<=,)(?=\s*\]\s*$)", EVERY, text)
    return parse_address(whole)


def matching(name: str) -> re.Pattern[str]:
    """Returns what the names match that a name with `[*]` or `[last]` means: `gates[*].forget`."""
    parts = re.split(r"\[(\*|last)\]", name)
    return re.compile("".join(r"\[\d+\]" if k % 2 else re.escape(p) for k, p in enumerate(parts)))


def _indices(inside: str, text: str) -> list[Index]:
    indices: list[Index] = []
    position = 0
    while position < len(inside) or not indices:
        match = re.compile(_INDEX, re.DOTALL).match(inside, position)
        if match is None:
            raise AddressError(f"{quote(text)} has an index missing or not closed", _LIKE)
        quoted, bare = match.groups()
        unescaped = None if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
        indices.append(Index(bare, False) if unescaped is None else Index(unescaped, True))
        position = match.end()
    return indices


@lru_cache(maxsize=4096)
def write_index(name: str) -> str:
    """Writes a name as an index, in quotes where it would otherwise be read as something else."""
    if name.isidentifier():  # as most are
        return name
    if re.fullmatch(_BARE, name) and not (name.isascii() and name.isdigit()):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
