"""Answers in words, as people write them: `AI`, `b`, `(u, g)`, `ug`, `u g`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

_LONGEST = 500
"""Characters of an answer that is looked at."""
BETWEEN = re.compile(r"[\s,;+()\[\]{}<>'\"“”‘’«»`→·|/]+")
"""What stands around the parts of a pair, or between them."""


def chosen(text: str, options: Sequence[str], labels: Sequence[str]) -> int | None:
    """The option, from 0, that somebody means by its label, its words, or its parts in a row; None
    where it is none or might be another, too."""
    if len(text) > _LONGEST:
        return None
    ways: tuple[Callable[[str], object], ...] = (str.strip, _plainly, _parts, _joined)
    for way in ways:
        found = [k for k, option in enumerate(options) if way(option) == way(text)]
        if found and way(text):
            return found[0] if len(found) == 1 else None
    label = _joined(text).rstrip(".:").upper()
    return labels.index(label) if label in labels else None


def _plainly(text: str) -> str:
    """The text as it is compared, whatever its letters' case."""
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in BETWEEN.split(_plainly(text)) if part)


def _joined(text: str) -> str:
    return "".join(_parts(text))
