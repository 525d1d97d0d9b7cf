"""SentencePiece's map of characters, a tokenizer.json's `precompiled_charsmap`: a trie of what is
written otherwise, and how. It is applied as Hugging Face's `tokenizers` does."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple


def clustered(text: str, continues: Callable[[str, str], bool]) -> Iterator[str]:
    """The parts of a text that begin where a character doesn't continue what is before it."""
    cluster = ""
    for character in text:
        if cluster and continues(cluster, character):
            cluster += character
            continue
        if cluster:
            yield cluster
        cluster = character
    if cluster:
        yield cluster


_UNIT = 4
_LONGEST = 6
"""Bytes from which on a character with its accents is looked up part by part."""
_JOINERS = "\u200c\u200d"


class CharacterMap(NamedTuple):
    """A double-array trie (`units`, as the library Darts-clone has them) over bytes in UTF-8; its
    values are where in `written` the new text begins, which ends with a zero byte."""

    units: Sequence[int]
    written: bytes

    @classmethod
    def of(cls, blob: bytes) -> CharacterMap:
        """The map of the bytes in a file. Raises ValueError for what is none."""
        size = int.from_bytes(blob[:_UNIT], "little")
        if len(blob) < _UNIT + size or size % _UNIT or not size:
            raise ValueError("the map of characters is cut off")
        units = struct.unpack_from(f"<{size // _UNIT}I", blob, _UNIT)
        return cls(units, blob[_UNIT + size :])

    def apply(self, text: str) -> str:
        """The text as it is written otherwise."""
        return "".join(map(self._cluster, _clusters(text)))

    def _cluster(self, cluster: str) -> str:
        """A character with its accents as a whole, if it is short and there is something for it,
        else part by part."""
        whole = self._found(cluster) if len(_bytes(cluster)) < _LONGEST else None
        if whole is not None:
            return whole
        parts = ((one, self._found(one)) for one in cluster)
        return "".join(one if found is None else found for one, found in parts)

    def _found(self, text: str) -> str | None:
        """What the shortest beginning of a text that the trie has is written as."""
        place = _offset(self.units[0])
        for byte in _bytes(text):
            place ^= byte
            unit = self.units[place] if place < len(self.units) else 0
            if not byte or unit & 0x800000FF != byte:
                return None
            place ^= _offset(unit)
            if unit >> 8 & 1:
                start = self.units[place] & 0x7FFFFFFF
                return self.written[start : self.written.index(0, start)].decode()
        return None


def _offset(unit: int) -> int:
    """From a unit to its children: bit 9 says that the number above is in 256s."""
    return unit >> 10 << ((unit & 0x200) >> 6)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _clusters(text: str) -> Iterator[str]:
    """Characters with the marks that follow them (of Unicode's grapheme clusters, UAX 29, all that
    are short)."""
    return clustered(text, _continues)


def _continues(cluster: str, character: str) -> bool:
    if cluster == "\r":
        return character == "\n"
    first = unicodedata.category(cluster[0])
    if first in ("Cc", "Zl", "Zp") or (first == "Cf" and cluster[0] not in _JOINERS):
        return False
    return character in _JOINERS or unicodedata.category(character).startswith("M")
