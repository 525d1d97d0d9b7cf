"""What a scenario file may say: the one declaration of its keys.

Reading, validation, the JSON Schema and the documentation's lists of keys all come of it. A
scenario is a stack (a text and layers), an encoder that is a stack too, and what is done
with the last layer's output.
"""

from __future__ import annotations

from attncli.arithmetic.operations import ACTIVATIONS
from attncli.arithmetic.rounding import MOST_DECIMALS
from attncli.choices import POLICIES
from attncli.scenario.kinds import (
    Choice,
    Either,
    Flag,
    Key,
    Kind,
    ListOf,
    MapOf,
    NumberKind,
    OneOrMany,
    Record,
    Schema,
    TextKind,
    WholeNumber,
    looks_like_number,
)
from attncli.scenario.matrices import MatrixKind, Vector, truth_table
from attncli.scenario.nodes import Items, Map, Node, Text
from attncli.scenario.sources import SourceKind, is_source
from attncli.scenario.tokenizers import TOKENIZERS

NONE = "none"
SCALES = ("sqrt_d_k", NONE)
GATED = {"swiglu": "silu", "geglu": "gelu"}
"""Activations of gated networks (Shazeer 2020, arXiv:2002.05202), and what they gate with."""
BLOCKS = ("attention", "encoder", "decoder")
NORM_PLACES = ("post", "pre", NONE)
NORM_KINDS = ("layer", "rms")

STORY = (
    "tokenize",
    "embed",
    "positions",
    "project",
    "split",
    "rotate",
    "scores",
    "scale",
    "softcap",
    "bias",
    "temperature",
    "mask",
    "softmax",
    "dropout",
    "weighted_sum",
    "merge",
    "residual",
    "norm",
    "ffn",
    "unembed",
    "predict",
    "loss",
)
"""The steps in the order they are told; each is a module of `attncli.steps`."""

_COUNT = WholeNumber(1, 10**6)
_DECIMALS = WholeNumber(0, MOST_DECIMALS)
_MATRIX = MatrixKind()
_NAMED = MatrixKind(named=True)
_VECTOR = Vector()
_TOKEN = TextKind("a token")
_TOKEN_VECTORS = MapOf(_VECTOR, "token")
_POSITIVE = NumberKind(positive=True)
_NUMBER = NumberKind()


def _word_or(words: tuple[str, ...], number: Kind[object]) -> Either:
    """One of a few words, or a number."""
    word = Choice(words)
    return Either(lambda node: number if looks_like_number(node) else word, (word, number))


def _embeddings(node: Node) -> Kind[object]:
    return _TOKEN_VECTORS if isinstance(node, Map) and not is_source(node) else _MATRIX


_TABLE_SCALE = _word_or(("sqrt_d_model", NONE), _POSITIVE)
_SCALE = _word_or(SCALES, _POSITIVE)

NORM_SETTINGS = (
    Key("kind", Choice(NORM_KINDS), "layer (the default) or rms"),
    Key("epsilon", NumberKind(least=0), "ε, 0.00001 by default"),
    Key(
        "epsilon_in",
        Choice(("root", "deviation")),
        "whether ε is added under the root (the default) or to the deviation",
    ),
    Key("over", Choice(("n", "n-1")), "what the squares are divided by, n by default"),
)
NORM = Record(
    (
        *NORM_SETTINGS,
        Key("gamma", _VECTOR, "γ, [d], multiplied; left out where it isn't given"),
        Key("beta", _VECTOR, "β, [d], added; left out where it isn't given"),
    )
)

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
_POSITION_WORD = Choice((*POSITION_KINDS, NONE))


def _position(node: Node) -> Kind[object]:
    if isinstance(node, Text):
        return _POSITION_WORD
    if isinstance(node, Map) and not is_source(node):
        kind = node.get("kind")
        return POSITION_KINDS.get(kind.text if isinstance(kind, Text) else "", _SINUSOIDAL)
    return _MATRIX


def _positions(node: Node) -> Kind[object]:
    several = isinstance(node, Items) and not all(isinstance(n, Items) for n in node.items)
    return _SEVERAL_POSITIONS if several else _ONE_POSITION


_ONE_POSITION = Either(_position, (_POSITION_WORD, *POSITION_KINDS.values(), _MATRIX))
_SEVERAL_POSITIONS = ListOf(_ONE_POSITION)

_MASK_WORD = Choice(("causal",))
_MASK_RULE = Record(
    (
        Key("padding", ListOf(_TOKEN), "keys that nobody sees: tokens, or positions from 1"),
        Key("window", _COUNT, "how far a query sees: keys less than so many places away"),
        Key("allowed", truth_table(), "[n, m] of true/false or 1/0; true: may be seen"),
        Key("blocked", truth_table(), "[n, m] of true/false or 1/0; true: may not be seen"),
        Key("add", MatrixKind(infinite=True), "[n, m] of numbers to add; -inf: not seen"),
    )
)
_MASK = OneOrMany(
    Either(
        lambda node: _MASK_WORD if isinstance(node, Text) else _MASK_RULE, (_MASK_WORD, _MASK_RULE)
    )
)

GIVEN = {
    "X": "the embedded tokens themselves, [n, d_model]",
    "Q": "queries, [n, d_k]",
    "K": "keys, [m, d_k]",
    "V": "values, [m, d_v]",
    "scores": "attention scores, [n, m]",
    "scaled": "scores after scaling, [n, m]",
    "weights": "attention weights, [n, m]",
    "output": "the attention's output, [n, d_v]",
}
"""Quantities that a scenario may give in place of what would have made them."""

_PROJECTIONS = (
    Key("W_Q", _MATRIX, "query weights, [d_model, heads · d_k], used as x W_Q"),
    Key("W_K", _MATRIX, "key weights, [d_model, kv_heads · d_k]"),
    Key("W_V", _MATRIX, "value weights, [d_model, kv_heads · d_v]"),
    Key("b_Q", _VECTOR, "query bias"),
    Key("b_K", _VECTOR, "key bias"),
    Key("b_V", _VECTOR, "value bias"),
)
_GIVEN_IN_HEADS = tuple(Key(name, _NAMED, says) for name, says in GIVEN.items() if name != "X")
HEAD = Record(
    (
        *_PROJECTIONS,
        *_GIVEN_IN_HEADS,
        Key("bias", _MATRIX, "numbers added to this head's scores, [n, m]"),
    )
)
_OWN_HEADS = ListOf(HEAD)
_HEADS = Either(
    lambda node: _OWN_HEADS if isinstance(node, Items) else _COUNT, (_COUNT, _OWN_HEADS)
)

_CACHE = Record(
    (
        Key("tokens", ListOf(_TOKEN), "the tokens before the new ones"),
        Key("K", _NAMED, "their keys, [c, kv_heads · d_k]"),
        Key("V", _NAMED, "their values, [c, kv_heads · d_v]"),
    )
)
_DROPOUT = Record(
    (
        Key("p", NumberKind(least=0, below=1), "the share that is dropped"),
        Key("mask", truth_table(), "[n, m], 1 where a weight is kept"),
    )
)

ATTENTION_SETTINGS = (
    Key("heads", _HEADS, "how many heads share W_Q, W_K, W_V; or a list, each with its own"),
    Key("kv_heads", _COUNT, "how many heads of keys and values the query heads share"),
    Key("projection", Choice((NONE,)), "none: queries, keys and values are the inputs themselves"),
    Key("weights_layout", Choice(("linear",)), "linear: weights are out × in, used as x Wᵀ"),
    Key("scale", _SCALE, "what scores are divided by: sqrt_d_k (the default), none, or a number"),
    Key("softcap", _POSITIVE, "c in c · tanh(scores / c)"),
    Key("temperature", _POSITIVE, "what scores are divided by just before the softmax"),
    Key("mask", _MASK, "causal, or rules; a list of them for several together"),
    Key(
        "mask_value",
        Either(
            lambda node: Choice(("-inf",)) if not looks_like_number(node) else _NUMBER,
            (Choice(("-inf",)), _NUMBER),
        ),
        "what stands in the place of a masked score: -inf (the default), or a number",
    ),
)
ATTENTION_MATRICES = (
    *_PROJECTIONS,
    Key("W_O", _MATRIX, "output weights, [heads · d_v, d_model]"),
    Key("b_O", _VECTOR, "output bias"),
    Key("bias", _MATRIX, "numbers added to the scores of every head, [n, m]"),
    Key("cache", _CACHE, "keys and values of earlier tokens, which the new ones see too"),
    Key("dropout", _DROPOUT, "weights that are dropped, and the others scaled by 1 / (1 − p)"),
    *_GIVEN_IN_HEADS,
)
CROSS = Record((*ATTENTION_SETTINGS, *ATTENTION_MATRICES))

LAYER_SETTINGS = (
    *ATTENTION_SETTINGS,
    Key("block", Choice(BLOCKS), "attention, encoder or decoder"),
    Key("norm", Choice(NORM_PLACES), "post (the default), pre or none"),
    Key("norms", Record(NORM_SETTINGS), "how all the layer's norms are done"),
    Key("residuals", Flag(), "whether a sublayer's input is added to its output"),
    Key(
        "activation",
        Choice((*ACTIVATIONS, *GATED, NONE)),
        "the feed-forward network's activation, relu by default",
    ),
    Key("d_k", _COUNT, "the columns of a head's queries and keys, where no matrix says"),
    Key("d_v", _COUNT, "the columns of a head's values, where no matrix says"),
    Key("d_ff", _COUNT, "the columns of the feed-forward network, where no matrix says"),
)
"""What a layer may say besides its matrices; said at the top it holds for every layer."""

LAYER_KEYS = (
    *LAYER_SETTINGS,
    *ATTENTION_MATRICES,
    Key("cross", CROSS, "a decoder's attention to the memory: the keys of attention again"),
    *(Key(f"norm{k}", NORM, f"the layer's norm {k}: γ, β, and how it is done") for k in (1, 2, 3)),
    Key("W1", _MATRIX, "first weights of the feed-forward network, [d_model, d_ff]"),
    Key("b1", _VECTOR, "its bias, [d_ff]"),
    Key("W2", _MATRIX, "second weights of the feed-forward network, [d_ff, d_out]"),
    Key("b2", _VECTOR, "its bias, [d_out]"),
    Key("W3", _MATRIX, "the weights that a gate multiplies, [d_model, d_ff]"),
    Key("b3", _VECTOR, "their bias, [d_ff]"),
)
LAYER = Record(LAYER_KEYS)

_INPUT = (
    Key("sentence", TextKind("a sentence"), "the text that attention is worked out for"),
    Key("tokenizer", Choice(tuple(TOKENIZERS)), "how the sentence is cut into tokens"),
    Key("tokens", ListOf(_TOKEN), "the tokens themselves, in place of cutting"),
    Key("vocabulary", MapOf(WholeNumber(0, 10**9), "token"), "token → ID"),
    Key(
        "embeddings",
        Either(_embeddings, (_TOKEN_VECTORS, _MATRIX, SourceKind(2))),
        "token → vector, or a matrix whose rows are counted by ID from 0",
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
_LAYERS = (
    *LAYER_KEYS,
    Key("layers", ListOf(LAYER), "layers, one after the other; each has the keys of a layer"),
    Key("final_norm", NORM, "a norm after the last layer"),
)
ENCODER = Record((*_INPUT, *_LAYERS))

ROUNDING = Record(
    (
        Key("policy", Choice(POLICIES), "carry goes on with rounded figures, exact with full ones"),
        Key("decimals", _DECIMALS, "the decimals of every quantity, 3 by default"),
        Key(
            "steps",
            Record(tuple(Key(step, _DECIMALS, f"the decimals of {step}") for step in STORY)),
            "other decimals for single steps: {softmax: 4}",
        ),
        Key("quantities", MapOf(_DECIMALS, "quantity"), "for single quantities: {exp: 3}"),
    )
)
_NEXT = Record(
    (
        Key("temperature", _POSITIVE, "what logits are divided by"),
        Key("top_k", _COUNT, "how many of the likeliest tokens are kept"),
        Key("top_p", NumberKind(positive=True, most=1), "the share that the kept tokens reach"),
    )
)
_SHOW = Record(
    (
        Key("queries", ListOf(_TOKEN), "only these queries: tokens, or positions from 1"),
        Key("graph", Flag(), "ends with who attends to whom, as a graph"),
    )
)
_TIED = Choice(("tied",))

_KEYS_OF_A_RUN = (
    Key("title", TextKind("a title"), "what the page is called"),
    Key("source", TextKind("a source"), "where the figures come from"),
    *_INPUT,
    Key("memory", _NAMED, "what cross-attention attends to, [m, d_memory]"),
    *_LAYERS,
    Key("encoder", ENCODER, "an encoder whose output is the memory: the keys of a stack again"),
    Key(
        "unembedding",
        Either(lambda node: _TIED if isinstance(node, Text) else _MATRIX, (_TIED, _MATRIX)),
        "tied (the embeddings, transposed), or a matrix [d_model, vocabulary]",
    ),
    Key("b_U", _VECTOR, "the bias of the logits, [vocabulary]"),
    Key("predict_from", Choice(("last", "every")), "which positions get logits, last by default"),
    Key("next", _NEXT, "how the next token's probabilities are made of the logits"),
    Key("generate", WholeNumber(1, 50), "how many tokens to generate greedily"),
    Key("targets", ListOf(_TOKEN), "the tokens that should come next, for the loss"),
    Key("show", _SHOW, "what the page shows"),
    Key("rounding", ROUNDING, "the rounding policy and its decimals"),
)


class _Changes:
    """The keys of a scenario that a variant has other values for; read when it is worked."""

    def read(self, node: Node, problems: object) -> Node:  # noqa: ARG002
        return node

    def schema(self) -> Schema:
        return {"type": "object"}


SCENARIO = Record(
    (
        *_KEYS_OF_A_RUN,
        Key("variants", MapOf(_Changes(), "name"), "name → keys with other values, to compare"),
    )
)


def json_schema() -> Schema:
    """The JSON Schema (2020-12) of scenario files."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attncli scenario",
        "description": "A Transformer, or a part of one, to be worked by hand.",
        **SCENARIO.schema(),
    }
