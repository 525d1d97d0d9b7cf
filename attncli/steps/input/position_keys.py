"""What a scenario may say of positions and segments, key by key."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from attncli.file.keys import Key, Record
from attncli.file.kinds import NUMBER, POSITIVE, Choice, Either, Kind, ListOf, WholeNumber
from attncli.file.matrices import MATRIX
from attncli.file.nodes import Items, Map, Node, Scalar
from attncli.file.sources import is_source

_PLACE = WholeNumber(0, 10**6)
BASE = Key(
    "base", POSITIVE, "the base of the wavelengths or angles, 10000 by default", Decimal(10000)
)
START = Key(
    "start", _PLACE, "the position of the first token, cached ones included, 0 by default", 0
)
PAIRS = Key(
    "pairs",
    Choice(("interleaved", "half")),
    "which dimensions turn together: neighbours, `interleaved` (the default), or one of "
    "each `half`",
    "interleaved",
)
DIMENSIONS: Key[int | None] = Key(
    "dimensions", WholeNumber(2, 10**6), "how many dimensions turn, all by default"
)
SLOPES = Key("slopes", ListOf(NUMBER), "a slope for each head, by default the paper's", ())
_KINDS: dict[str, Kind[object]] = {
    "sinusoidal": Record.of(
        Key("kind", Choice(("sinusoidal",)), "`sinusoidal`: sines and cosines are added"),
        BASE,
        START,
    ),
    "rope": Record.of(
        Key("kind", Choice(("rope",)), "`rope`: queries and keys are turned"),
        PAIRS,
        BASE,
        DIMENSIONS,
        START,
    ),
    "alibi": Record.of(
        Key("kind", Choice(("alibi",)), "`alibi`: a score loses slope × distance"),
        SLOPES,
    ),
    "table": Record.of(
        Key("kind", Choice(("table",)), "`table`: rows of a table are added"),
        Key("table", MATRIX, "of `table`: its rows, as if it stood for `positions` alone"),
        START,
    ),
}
_ANY_KIND = Record.of(Key("kind", Choice(tuple(_KINDS)), "which it is"))
_WORD = Choice((*(one for one in _KINDS if one != "table"), "none"), "rows of numbers")


def _kind_of(node: Node) -> Kind[object]:
    if isinstance(node, Scalar):
        return _WORD
    if isinstance(node, Map) and not is_source(node):
        kind = node.get("kind")
        if kind is None:
            return _KINDS["sinusoidal"]
        return _KINDS.get(kind.text if isinstance(kind, Scalar) else "", _ANY_KIND)
    return MATRIX


def _one_or_several(node: Node) -> Kind[object]:
    several = isinstance(node, Items) and not all(isinstance(n, Items) for n in node.items)
    return _SEVERAL if several else _ONE


_ONE = Either(_kind_of, (_WORD, *_KINDS.values(), MATRIX))
_SEVERAL = ListOf(_ONE)
SEGMENTS: Key[tuple[int, ...]] = Key(
    "segments", ListOf(_PLACE), "the segment of each token, counted from 0"
)
KEYS: tuple[Key[Any], ...] = (
    SEGMENTS,
    Key("segment_embeddings", MATRIX, "a row for each segment, [s, d_model], added"),
    Key(
        "positions",
        Either(_one_or_several, (_ONE, _SEVERAL)),
        "how the order of the tokens is told: `sinusoidal`, `rope`, `alibi`, `none`, a matrix "
        "whose first rows are added, or one of these with settings, below; a list for several "
        "together",
    ),
)
