"""What a scenario file may say: the one declaration of its keys.

Reading, validation, the JSON Schema and the documentation's lists of keys all come of it. A
scenario is a stack (a text and layers), an encoder that is a stack too, and what is done
with the last layer's output.
"""

from __future__ import annotations

from attncli.arithmetic.rounding import MOST_DECIMALS
from attncli.choices import POLICIES
from attncli.scenario.keys.kinds import (
    Choice,
    Either,
    Flag,
    Key,
    ListOf,
    MapOf,
    NumberKind,
    Record,
    Schema,
    TextKind,
    WholeNumber,
)
from attncli.scenario.keys.matrices import MatrixKind, VectorKind
from attncli.scenario.keys.stack import ENCODER, INPUT, LAYERS
from attncli.scenario.nodes import Map, Node, Scalar, describe
from attncli.scenario.problems import Problems

STORY = (
    "dictionary",
    "learn",
    "estimate",
    "prune",
    "viterbi",
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
    "unstack",
    "start",
    "input",
    "memory",
    "gates",
    "state",
    "states",
    "readout",
    "gradient",
    "unembed",
    "predict",
    "loss",
)
"""The steps in the order they are told; each is a module of `attncli.steps`."""

_COUNT = WholeNumber(1, 10**6)
_MATRIX = MatrixKind()
_NAMED = MatrixKind(named=True)
_VECTOR = VectorKind()
_TOKEN = TextKind("a token")
_POSITIVE = NumberKind(positive=True)
_DECIMALS = WholeNumber(0, MOST_DECIMALS)

ROUNDING = Record(
    (
        Key("policy", Choice(POLICIES), "carry goes on with rounded numbers, exact with full ones"),
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
_TIED = Choice(("tied",), "rows of numbers")

_KEYS_OF_A_RUN = (
    Key("title", TextKind("a title"), "what the page is called"),
    Key("source", TextKind("a source"), "where the numbers come from"),
    *INPUT,
    Key("memory", _NAMED, "what cross-attention attends to, [m, d_memory]"),
    *LAYERS,
    Key("encoder", ENCODER, "an encoder whose output is the memory: the keys of a stack again"),
    Key(
        "unembedding",
        Either(lambda node: _TIED if isinstance(node, Scalar) else _MATRIX, (_TIED, _MATRIX)),
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

    def read(self, node: Node, problems: Problems) -> Node | None:
        if isinstance(node, Map) and node.entries:
            self._check_no_variants(node, problems)
            return node
        wrong = f"{describe(node)} where keys with other values belong"
        problems.add(node.where, wrong, "give some, like {scale: none}")
        return None

    def _check_no_variants(self, node: Map, problems: Problems) -> None:
        for key, _ in node.entries:
            if key.text == "variants":
                wrong = "a variant can't have variants of its own"
                problems.add(key.where, wrong, "list all of them in the scenario's `variants`")

    def schema(self) -> Schema:
        return {"type": "object", "properties": {"variants": False}}


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
