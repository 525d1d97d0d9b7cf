"""What a stack may say: its text, its embeddings and positions, its layers."""

from __future__ import annotations

from attncli.scenario.keys.kinds import (
    Choice,
    Either,
    Key,
    Kind,
    ListOf,
    MapOf,
    NumberKind,
    Record,
    TextKind,
    WholeNumber,
    word_or,
)
from attncli.scenario.keys.layer import GIVEN, LAYER, LAYER_KEYS, NONE, NORM
from attncli.scenario.keys.matrices import MatrixKind, VectorKind
from attncli.scenario.keys.sources import SourceKind, is_source
from attncli.scenario.keys.tokenizing import TOKENIZING
from attncli.scenario.nodes import Items, Map, Node, Scalar

_COUNT = WholeNumber(1, 10**6)
_MATRIX = MatrixKind()
_NAMED = MatrixKind(named=True)
_VECTOR = VectorKind()
_TOKEN = TextKind("a token")
_POSITIVE = NumberKind(positive=True)
_NUMBER = NumberKind()
_TOKEN_VECTORS = MapOf(VectorKind(inline=True), "token")
_TABLE_SCALE = word_or(("sqrt_d_model", NONE), _POSITIVE)


ONE_HOT = "one_hot"
_ONE_HOT = Choice((ONE_HOT,), "a map from token to vector, or rows by ID")


def _embeddings(node: Node) -> Kind[object]:
    if isinstance(node, Scalar):
        return _ONE_HOT
    return _TOKEN_VECTORS if isinstance(node, Map) and not is_source(node) else _MATRIX


_SINUSOIDAL = Record(
    (
        Key("kind", Choice(("sinusoidal",)), "sinusoidal"),
        Key("base", _POSITIVE, "the base of the wavelengths, 10000 by default"),
        Key("start", WholeNumber(0, 10**6), "the position of the first token, 0 by default"),
    )
)
_ROPE = Record(
    (
        Key("kind", Choice(("rope",)), "rope"),
        Key(
            "pairs",
            Choice(("interleaved", "half")),
            "which dimensions turn together: neighbours (the default), or one of each half",
        ),
        Key("base", _POSITIVE, "the base of the angles, 10000 by default"),
        Key("dimensions", WholeNumber(2, 10**6), "how many dimensions turn, all by default"),
        Key("start", WholeNumber(0, 10**6), "the position of the first token, 0 by default"),
    )
)
_ALIBI = Record(
    (
        Key("kind", Choice(("alibi",)), "alibi"),
        Key("slopes", ListOf(_NUMBER), "a slope for each head, by default the paper's"),
    )
)
POSITION_KINDS: dict[str, Kind[object]] = {
    "sinusoidal": _SINUSOIDAL,
    "rope": _ROPE,
    "alibi": _ALIBI,
}
_ANY_POSITION = Record((Key("kind", Choice(tuple(POSITION_KINDS)), "which it is"),))
_POSITION_WORD = Choice((*POSITION_KINDS, NONE), "rows of numbers")


def _position(node: Node) -> Kind[object]:
    if isinstance(node, Scalar):
        return _POSITION_WORD
    if isinstance(node, Map) and not is_source(node):
        kind = node.get("kind")
        if kind is None:
            return _SINUSOIDAL
        return POSITION_KINDS.get(kind.text if isinstance(kind, Scalar) else "", _ANY_POSITION)
    return _MATRIX


def _positions(node: Node) -> Kind[object]:
    several = isinstance(node, Items) and not all(isinstance(n, Items) for n in node.items)
    return _SEVERAL_POSITIONS if several else _ONE_POSITION


_ONE_POSITION = Either(_position, (_POSITION_WORD, *POSITION_KINDS.values(), _MATRIX))
_SEVERAL_POSITIONS = ListOf(_ONE_POSITION)

INPUT = (
    Key("sentence", TextKind("a sentence"), "the text that attention is worked out for"),
    *TOKENIZING,
    Key("tokens", ListOf(_TOKEN), "the tokens themselves, instead of cutting"),
    Key("vocabulary", MapOf(WholeNumber(0, 10**9), "token"), "token → ID"),
    Key(
        "embeddings",
        Either(_embeddings, (_TOKEN_VECTORS, _MATRIX, SourceKind(2), _ONE_HOT)),
        "token → vector, a matrix whose rows are counted by ID from 0, or one_hot",
    ),
    Key("X", _NAMED, GIVEN["X"]),
    Key("d_model", _COUNT, "the columns of X, where no matrix says"),
    Key(
        "embedding_scale",
        _TABLE_SCALE,
        "what embeddings are multiplied by: none (the default), sqrt_d_model, or a number",
    ),
    Key("segments", ListOf(WholeNumber(0, 10**6)), "the segment of each token, counted from 0"),
    Key("segment_embeddings", _MATRIX, "a row for each segment, [s, d_model], added"),
    Key(
        "positions",
        Either(_positions, (_ONE_POSITION, _SEVERAL_POSITIONS)),
        "sinusoidal, rope, alibi, or a matrix to add; a list of them for several together",
    ),
    Key("embedding_norm", NORM, "a norm before the first layer"),
    *(
        Key(name, _NAMED, f"what {W} is applied to, where that isn't X")
        for name, W in (("queries", "W_Q"), ("keys", "W_K"), ("values", "W_V"))
    ),
)
LAYERS = (
    *LAYER_KEYS,
    Key("layers", ListOf(LAYER), "layers, one after the other; each has the keys of a layer"),
    Key("final_norm", NORM, "a norm after the last layer"),
)
ENCODER = Record((*INPUT, *LAYERS))
