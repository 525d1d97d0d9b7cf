"""What a scenario may say of positions and segments, key by key."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from attncli.file.keys import Key, Needs, Record
from attncli.file.kinds import (
    COUNT,
    NUMBER,
    POSITIVE,
    Choice,
    Either,
    Flag,
    Kind,
    ListOf,
    WholeNumber,
)
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
IDS: Key[tuple[int, ...]] = Key(
    "ids",
    ListOf(_PLACE),
    "of `table`: the position of each token, where they don't follow each other",
    (),
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
_FACTOR = Key("factor", POSITIVE, "how many times as far the model is to reach")
_ORIGINAL = Key("original_length", COUNT, "the length that the model was first trained on")


def _scaling(kind: str, says: str, *keys: Key[Any], needs: tuple[str, ...] = ()) -> Record:
    needed = ("factor", *needs)
    example = ", ".join([f"kind: {kind}", *(f"{name}: {_EXAMPLES[name]}" for name in needed)])
    return Record.of(
        Key("kind", Choice((kind,)), f"`{kind}`: {says}"),
        _FACTOR,
        *keys,
        needs=Needs("scaling", needed, f"{{{example}}}"),
    )


_EXAMPLES = {"factor": 4, "original_length": 4096}
_BY_LENGTH = (_ORIGINAL.name,)
SCALINGS: dict[str, Record] = {
    "linear": _scaling("linear", "each frequency is divided by the factor"),
    "ntk": _scaling("ntk", "the base is multiplied by factor^(d/(d − 2))"),
    "dynamic": _scaling(
        "dynamic",
        "the same, with the factor s × length / original_length − (s − 1), of a text that is longer"
        " than the original length",
        _ORIGINAL,
        needs=_BY_LENGTH,
    ),
    "llama3": _scaling(
        "llama3",
        "frequencies that turn seldom within the original length are divided by the factor, those"
        " that turn often stay, and between the two is a ramp",
        _ORIGINAL,
        Key("low_freq_factor", POSITIVE, "how many turns are seldom, 1 by default", Decimal(1)),
        Key("high_freq_factor", POSITIVE, "how many turns are often, 4 by default", Decimal(4)),
        needs=_BY_LENGTH,
    ),
    "yarn": _scaling(
        "yarn",
        "the same with a ramp from pair to pair, and cosines and sines times an attention factor",
        _ORIGINAL,
        Key("beta_fast", POSITIVE, "how many turns are often, 32 by default", Decimal(32)),
        Key("beta_slow", POSITIVE, "how many turns are seldom, 1 by default", Decimal(1)),
        Key(
            "attention_factor",
            POSITIVE,
            "what cosines and sines are multiplied by, 0.1 ln factor + 1 by default",
        ),
        Key("truncate", Flag(), "whether the ramp begins and ends at whole pairs, the default"),
        needs=_BY_LENGTH,
    ),
}
_ANY_SCALING = Record.of(Key("kind", Choice(tuple(SCALINGS)), "which it is"))


def _kind_of_scaling(node: Node) -> Kind[object]:
    kind = node.get("kind") if isinstance(node, Map) else None
    known: Kind[object] = SCALINGS.get(kind.text if isinstance(kind, Scalar) else "", _ANY_SCALING)
    return known


SCALING: Key[Any] = Key(
    "scaling",
    Either(_kind_of_scaling, tuple(SCALINGS.values())),
    "frequencies of a model that is to reach further than it was trained: `{kind: linear, factor:"
    " 4}`, or `ntk`, `dynamic`, `llama3`, `yarn`",
)
COS: Key[Any] = Key(
    "cos",
    MATRIX,
    "the cosines themselves, instead of what `base` makes them of: a row for each position, from 0,"
    " a column for each pair",
)
SIN: Key[Any] = Key("sin", MATRIX, "the sines, likewise")
_TURNING: tuple[Key[Any], ...] = (PAIRS, BASE, DIMENSIONS, START, SCALING, COS, SIN)
"""How queries and keys are turned."""
_NOT_TURNED, _TURNED = Choice(("none",), "a map like {base: 10000}"), Record.of(*_TURNING)
ROPE: Key[Any] = Key(
    "rope",
    Either(
        lambda node: _NOT_TURNED if isinstance(node, Scalar) else _TURNED, (_NOT_TURNED, _TURNED)
    ),
    "how queries and keys are turned here, beyond what `positions` says of `rope`: `{base: 10000}`"
    " (Gemma 3), or `none`: not at all (Cohere 2)",
    shared=True,
)
SLOPES = Key("slopes", ListOf(NUMBER), "a slope for each head, by default the paper's", ())
BUCKETS: Key[int | None] = Key(
    "buckets", COUNT, "how many buckets there are, by default as many as the table has rows"
)
MAX_DISTANCE = Key(
    "max_distance",
    COUNT,
    "from this distance on all are in the last bucket, 128 by default",
    128,
)
BIDIRECTIONAL: Key[bool | None] = Key(
    "bidirectional",
    Flag(),
    "whether keys after the query have buckets of their own, the second half of them, by default"
    " except in a decoder",
)
_KINDS: dict[str, Kind[object]] = {
    "sinusoidal": Record.of(
        Key("kind", Choice(("sinusoidal",)), "`sinusoidal`: sines and cosines are added"),
        BASE,
        START,
    ),
    "rope": Record.of(
        Key("kind", Choice(("rope",)), "`rope`: queries and keys are turned"),
        *_TURNING,
    ),
    "alibi": Record.of(
        Key("kind", Choice(("alibi",)), "`alibi`: a score loses slope × distance"),
        SLOPES,
    ),
    "relative": Record.of(
        Key(
            "kind",
            Choice(("relative",)),
            "`relative`: a score gains a learned number, by the bucket that its distance is in",
        ),
        Key("table", MATRIX, "of `relative`: a row for each bucket, a column for each head"),
        BUCKETS,
        MAX_DISTANCE,
        BIDIRECTIONAL,
    ),
    "table": Record.of(
        Key("kind", Choice(("table",)), "`table`: rows of a table are added"),
        Key("table", MATRIX, "of `table`: its rows, as if it stood for `positions` alone"),
        START,
        IDS,
    ),
}
_ANY_KIND = Record.of(Key("kind", Choice(tuple(_KINDS)), "which it is"))
_WORD = Choice(
    (*(one for one in _KINDS if one not in ("table", "relative")), "none"), "rows of numbers"
)


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
