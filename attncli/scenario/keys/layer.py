"""What a layer may say, and its parts: attention, masks, norms, the feed-forward network."""

from __future__ import annotations

from attncli.arithmetic.operations import ACTIVATIONS
from attncli.scenario.keys.kinds import (
    Choice,
    Either,
    Flag,
    Key,
    ListOf,
    NumberKind,
    OneOrMany,
    Record,
    TextKind,
    WholeNumber,
    word_or,
)
from attncli.scenario.keys.matrices import MatrixKind, VectorKind, truth_table
from attncli.scenario.keys.recurrent import CELL_KEYS, CELL_SETTINGS
from attncli.scenario.nodes import Items, Scalar

NONE = "none"
SCALES = ("sqrt_d_k", NONE)
GATED = {"swiglu": "silu", "geglu": "gelu"}
"""Activations of gated networks (Shazeer 2020, arXiv:2002.05202), and what they gate with."""
BLOCKS = ("attention", "encoder", "decoder")
NORM_PLACES = ("post", "pre", NONE)
NORM_KINDS = ("layer", "rms")

_COUNT = WholeNumber(1, 10**6)
_HEAD_COUNT = WholeNumber(1, 1024)
_MATRIX = MatrixKind()
_NAMED = MatrixKind(named=True)
_VECTOR = VectorKind()
_TOKEN = TextKind("a token")
_POSITIVE = NumberKind(positive=True)
_NUMBER = NumberKind()
_SCALE = word_or(SCALES, _POSITIVE)

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

_MASK_WORD = Choice(("causal", NONE), "a rule like {padding: [3]}")
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
        lambda node: _MASK_WORD if isinstance(node, Scalar) else _MASK_RULE,
        (_MASK_WORD, _MASK_RULE),
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
    lambda node: _OWN_HEADS if isinstance(node, Items) else _HEAD_COUNT, (_HEAD_COUNT, _OWN_HEADS)
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
    Key("kv_heads", _HEAD_COUNT, "how many heads of keys and values the query heads share"),
    Key("projection", Choice((NONE,)), "none: queries, keys and values are the inputs themselves"),
    Key(
        "weights_layout",
        Choice(("row", "linear", "torch")),
        "linear: weights are out × in, used as x Wᵀ (row: x W, attention's default); torch: a"
        " cell's, stacked",
    ),
    Key("scale", _SCALE, "what scores are divided by: sqrt_d_k (the default), none, or a number"),
    Key("softcap", _POSITIVE, "c in c · tanh(scores / c)"),
    Key("temperature", _POSITIVE, "what scores are divided by just before the softmax"),
    Key("mask", _MASK, "causal, none, or rules; a list of them for several together"),
    Key(
        "mask_value",
        word_or(("-inf",), _NUMBER),
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
    *CELL_SETTINGS,
    Key("block", Choice(BLOCKS), "attention, encoder or decoder"),
    Key("norm", Choice(NORM_PLACES), "post (the default of encoder and decoder), pre or none"),
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
    *CELL_KEYS,
)
LAYER = Record(LAYER_KEYS)

VECTORS = frozenset(
    key.name for key in (*LAYER_KEYS, *NORM.keys) if isinstance(key.kind, VectorKind)
)
"""What is a single row, which has no name: biases, γ and β."""
