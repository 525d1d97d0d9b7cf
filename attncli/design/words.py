"""Sentences of two to eight different words, for scenarios that nobody wrote."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import RandomState


_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "name": (
            "Ada", "Ben", "Clara", "David", "Emil", "Fatima", "Grace", "Hugo", "Ida", "Jonas",
            "Kira", "Leo", "Mia", "Nils", "Olga", "Paul", "Rosa", "Sami", "Tilda", "Yusuf",
        ),
        "rests": (
            "dreams", "laughs", "listens", "reads", "runs", "sings", "sleeps", "smiles", "waits",
        ),
        "does": (
            "brings", "buys", "carries", "draws", "finds", "keeps", "likes", "paints", "sells",
        ),
        "do": ("bring", "buy", "carry", "draw", "find", "keep", "like", "paint", "sell"),
        "how often": ("always", "gladly", "never", "often", "rarely", "sometimes"),
        "what kind": ("bright", "little", "new", "old", "quiet", "red", "round", "small", "warm"),
        "what": (
            "apples", "bells", "boats", "books", "kites", "lamps", "maps", "pencils", "shells",
            "stamps", "stones", "trains",
        ),
        "where": ("abroad", "downstairs", "indoors", "nearby", "outside", "upstairs"),
        "when": ("today", "tomorrow", "tonight"),
    }
)  # fmt: skip

_PATTERNS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        2: ("name", "rests"),
        3: ("name", "does", "what"),
        4: ("name", "does", "what kind", "what"),
        5: ("name", "how often", "does", "what kind", "what"),
        6: ("name", "how often", "does", "what kind", "what", "where"),
        7: ("name", "how often", "does", "what kind", "what", "where", "when"),
        8: ("name", "and", "name", "how often", "do", "what kind", "what", "where"),
    }
)
"""The kinds of words of a sentence of so many; a kind that isn't there is the word itself."""

FEWEST, MOST = min(_PATTERNS), max(_PATTERNS)


def sentence(count: int, random: RandomState) -> list[str]:
    """So many different words that make a sentence."""
    words: list[str] = []
    for kind in _PATTERNS[count]:
        known = _WORDS.get(kind, (kind,))
        left = [word for word in known if word not in words]
        words.append(left[random.randint(len(left))])
    return words
