"""What a scenario file may say: the one declaration of its keys.

Reading, validation, the JSON Schema and the documentation's list of keys all come of it.
"""

from __future__ import annotations

from attncli.arithmetic.operations import ACTIVATIONS
from attncli.arithmetic.rounding import MOST_DECIMALS
from attncli.choices import POLICIES
from attncli.scenario.kinds import (
    Choice,
    Either,
    Key,
    Kind,
    ListOf,
    MapOf,
    MatrixKind,
    NumberKind,
    Record,
    Schema,
    TextKind,
    Vector,
    WholeNumber,
)
from attncli.scenario.nodes import Map, Node, Text
from attncli.scenario.tokenizers import TOKENIZERS

SCALES = ("sqrt_d_k", "none")
NO_ACTIVATION = "none"

STORY = ("tokenize", "embed", "project", "scores", "scale", "softmax", "weighted_sum", "ffn")
"""The steps in the order they are told; each is a module of `attncli.steps`."""

_DECIMALS = WholeNumber(0, MOST_DECIMALS)
_MATRIX = MatrixKind()
_TOKEN_VECTORS = MapOf(Vector(), "token")
_DIVISOR = NumberKind(positive=True)
_SCALE_WORD = Choice(SCALES)


def _embeddings(node: Node) -> Kind[object]:
    return _TOKEN_VECTORS if isinstance(node, Map) else _MATRIX


def _scale(node: Node) -> Kind[object]:
    starts_number = isinstance(node, Text) and node.text[:1] in set("+-.0123456789")
    return _DIVISOR if starts_number else _SCALE_WORD


ROUNDING = Record(
    (
        Key("policy", Choice(POLICIES), "carry goes on with rounded figures, exact with full ones"),
        Key("decimals", _DECIMALS, "the decimals of every quantity, 3 by default"),
        Key(
            "steps",
            Record(tuple(Key(step, _DECIMALS, f"the decimals of {step}") for step in STORY)),
            "other decimals for single steps: {softmax: 4}",
        ),
    )
)

GIVEN = {
    "X": "the embedded tokens themselves, [n, d_model]",
    "Q": "queries, [n, d_k]",
    "K": "keys, [n, d_k]",
    "V": "values, [n, d_v]",
    "scores": "attention scores, [n, n]",
    "scaled": "scores after scaling, [n, n]",
    "weights": "attention weights, [n, n]",
    "output": "the attention's output, [n, d_v]",
}
"""Quantities that a scenario may give in place of what would have made them."""

WEIGHTS = {
    "W_Q": "query weights, [d_model, d_k], used as x W_Q",
    "W_K": "key weights, [d_model, d_k]",
    "W_V": "value weights, [d_model, d_v]",
    "W1": "first weights of the feed-forward network, [d_v, d_ff]",
    "W2": "second weights of the feed-forward network, [d_ff, d_out]",
}
BIASES = {
    "b1": "first bias of the feed-forward network, [d_ff]",
    "b2": "second bias of the feed-forward network, [d_out]",
}

SCENARIO = Record(
    (
        Key("title", TextKind("a title"), "what the page is called"),
        Key("source", TextKind("a source"), "where the figures come from"),
        Key("sentence", TextKind("a sentence"), "the text that attention is worked out for"),
        Key("tokenizer", Choice(tuple(TOKENIZERS)), "how the sentence is cut into tokens"),
        Key("tokens", ListOf(TextKind("a token")), "the tokens themselves, in place of cutting"),
        Key("vocabulary", MapOf(WholeNumber(0, 10**9), "token"), "token → ID"),
        Key(
            "embeddings",
            Either(_embeddings, (_TOKEN_VECTORS, _MATRIX)),
            "token → vector, or a matrix whose rows are counted by ID from 0",
        ),
        *(Key(name, _MATRIX, says) for name, says in {**GIVEN, **WEIGHTS}.items()),
        *(Key(name, Vector(), says) for name, says in BIASES.items()),
        Key(
            "scale",
            Either(_scale, (_SCALE_WORD, _DIVISOR)),
            "what the scores are divided by: sqrt_d_k (the default), none, or a number",
        ),
        Key(
            "activation",
            Choice((*ACTIVATIONS, NO_ACTIVATION)),
            "the feed-forward network's activation, relu by default",
        ),
        Key("rounding", ROUNDING, "the rounding policy and its decimals"),
    )
)


def json_schema() -> Schema:
    """The JSON Schema (2020-12) of scenario files."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attncli scenario",
        "description": "A sentence and the matrices of an attention layer, to be worked by hand.",
        **SCENARIO.schema(),
    }
