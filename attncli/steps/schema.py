"""The schema of a scenario file: the keys of all steps, and words of the field that are none.

The keys of the steps are put together as the model is. Reading, validation, the JSON Schema and the
documentation's lists of keys all come of it. A scenario is a stack (a text and layers), an encoder
that is a stack too, and what is done with the last layer's output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from attncli.errors import listed, quote
from attncli.maths.numbers.rounding import MOST_DECIMALS, Rounding
from attncli.option_values import POLICIES
from attncli.scenario.file.keys import (
    COUNT,
    Choice,
    Either,
    Flag,
    Key,
    Kind,
    ListOf,
    MapOf,
    OneOrMany,
    Record,
    Schema,
    TextKind,
    WholeNumber,
    keys_of_fields,
)
from attncli.scenario.file.matrices import VectorKind
from attncli.scenario.file.nodes import Map, Node, Scalar, describe
from attncli.scenario.file.problems import Diagnostics, knows_nothing, nearest
from attncli.scenario.published import CLAIMS, PUBLISHED
from attncli.scenario.show import Show
from attncli.scenario.templates import AlikeKind
from attncli.steps.order import STORY, keys_of, step_named
from attncli.steps.step import Step
from attncli.trace.place import P

KEY_NAMES = MappingProxyType(
    {
        **dict.fromkeys(("num_heads", "n_heads", "num_attention_heads", "n_head"), "heads"),
        **dict.fromkeys(("num_key_value_heads", "n_kv_heads"), "kv_heads"),
        **dict.fromkeys(("num_layers", "n_layers", "num_hidden_layers", "n_layer"), "layers"),
        **dict.fromkeys(("hidden_size", "embedding_dim", "n_embd", "dim"), "d_model"),
        **dict.fromkeys(("normalization", "layer_norm", "layernorm", "rms_norm"), "norm"),
        **dict.fromkeys(("causal", "attention_mask", "padding"), "mask"),
        **dict.fromkeys(("text", "input", "prompt"), "sentence"),
        **dict.fromkeys(("vocab", "ids"), "vocabulary"),
        "vocab_size": "vocabulary_size",
        **dict.fromkeys(("output_projection", "W_out", "o_proj"), "W_O"),
        **dict.fromkeys(("lm_head", "W_U", "classifier"), "unembedding"),
        **dict.fromkeys(("pooler", "mlm_head", "prediction_head"), "head"),
        **dict.fromkeys(("embeddings_project", "embedding_hidden_mapping_in"), "project_in"),
        **dict.fromkeys(("classes", "id2label"), "labels"),
        **dict.fromkeys(("positional_encoding", "pe"), "positions"),
        **dict.fromkeys(("hidden_dim", "ffn_dim", "intermediate_size"), "d_ff"),
        **dict.fromkeys(("head_dim", "d_head"), "d_k"),
    }
)
"""Words of other programs and people for keys, each with the key."""


STEP_NAMES = MappingProxyType(
    {
        **dict.fromkeys(
            ("input_gate", "forget_gate", "output_gate", "update_gate", "reset_gate"), "gates"
        ),
        **dict.fromkeys(("feedforward", "feed_forward", "mlp"), "ffn"),
        **dict.fromkeys(("layer_norm", "layernorm", "rms_norm", "normalization"), "norm"),
        **dict.fromkeys(("add", "skip", "residual_connection", "skip_connection"), "residual"),
        **dict.fromkeys(("hidden_state", "cell_state"), "state"),
        **dict.fromkeys(("concat", "concatenation", "output_projection"), "merge"),
        **dict.fromkeys(("positional_encoding", "pe"), "positions"),
        **dict.fromkeys(("bptt", "vanishing_gradient"), "gradient"),
        **dict.fromkeys(("qkv", "query", "queries", "key", "keys", "value", "values"), "project"),
        **dict.fromkeys(("multihead", "multi_head", "heads"), "split"),
        **dict.fromkeys(("rope", "rotary"), "rotate"),
        **dict.fromkeys(("relu", "gelu", "silu", "activation"), "ffn"),
        **dict.fromkeys(("bpe", "wordpiece", "merges"), "learn"),
        **dict.fromkeys(("unigram", "em"), "estimate"),
        **dict.fromkeys(("sampling", "greedy", "argmax"), "predict"),
        "initial_state": "start",
    }
)
"""Words of people for the work of a step, each with the step."""


def step_meant(word: str) -> str | None:
    """Says which step a word means that names a step, or something that one makes; returns None
    where it is neither."""
    name = word.casefold()
    if name in STEP_NAMES:
        step = step_named(STEP_NAMES[name])
        return f"it belongs to the step {step.name}{_more_of(step)}"
    if name in STORY:
        return f"{name} is a step{_more_of(step_named(name))}"
    for step in map(step_named, STORY):
        if word in step.results.names:
            return f"the step {step.name} makes {word}{_more_of(step)}"
    return None


def _more_of(step: Step[P]) -> str:
    keys = f" (keys: {listed(key.name for key in step.keys)})" if step.keys else ""
    return f"{keys}: see attn explain --step {step.name}"


def nearest_step(name: str, own: Sequence[str] = ()) -> str:
    """Suggests the step that is meant by a name that none has; a scenario's `own` come first."""
    if name.casefold() in STEP_NAMES:
        return f"did you mean {STEP_NAMES[name.casefold()]}?"
    return nearest(name, (*own, *STORY), _maker)


def _maker(name: str) -> str | None:
    """Suggests the step that makes a quantity: `did you mean unembed, which makes logits?` Returns
    None where none does."""
    makers = (step.name for step in map(step_named, STORY) if name in step.results.names)
    return next((f"did you mean {maker}, which makes {name}?" for maker in makers), None)


def key_meant(word: str) -> str | None:
    """Says what belongs in place of a word that isn't a key where it stands; returns None where
    nothing is known."""
    if word in SCENARIO.known:
        return "it belongs at the top of the scenario"
    if word in KEY_NAMES:
        return f"it is called {_with_words(KEY_NAMES[word])} here"
    if word in STORY:
        return step_meant(word)
    above = [key.name for key in SCENARIO.keys if word in _known_inside(key.kind)]
    return f"it belongs inside {listed(above)}" if above else step_meant(word)


def _with_words(name: str) -> str:
    """Returns a key with the words that it takes, where it takes no others: `norm (post, pre or
    none)`."""
    kind = SCENARIO.known[name].kind
    if not isinstance(kind, Choice):
        return name
    *words, last = kind.words
    return f"{name} ({', '.join(words)} or {last})"


ATTENTION = keys_of("attention")
WAY = keys_of("way")
CELL = keys_of("cell")
LAYER_ALONE = keys_of("layer")

_WAY = Record(WAY, hint=key_meant)
_WAY_BACK = Key(
    "backward",
    _WAY,
    "the matrices of the way back, where a cell goes both ways; what is of a way is named "
    "by it, `backward.a[2]`",
)
_OF_A_LAYER = (
    Key(
        "block",
        Choice(("attention", "encoder", "decoder")),
        "`attention`: no residuals, no norms; `encoder` (the default in `layers`); `decoder`: "
        "causal, and attends to the memory too where there is one",
        shared=True,
    ),
    Key(
        "cross",
        Record(ATTENTION, hint=key_meant),
        "a decoder's attention to the memory: the keys of attention again. The layer's `heads`, "
        "`kv_heads`, `scale`, `softcap`, `softcap_order`, `temperature`, `mask_value`, `softmax` "
        "and `weights_layout` hold unless it says others",
    ),
    _WAY_BACK,
)
LAYER = keys_of("attention", "layer", "cell", "way", also=_OF_A_LAYER)

_LAYER = Record(LAYER, hint=key_meant)
_LAYERS = ListOf(_LAYER)
_OF_A_STACK = (
    *_OF_A_LAYER,
    Key(
        "layers",
        Either(lambda _: _LAYERS, (_LAYERS, COUNT, AlikeKind(_LAYER))),
        "the layers, one after the other; each has the keys of a layer, of attention or of a cell."
        " Or how many there are, if they differ only in their matrices, which `weights` names; or"
        " both: `{count: 6, odd: {mask: {window: 4}}, 6: {norm: none}}`, with `each`, `odd`,"
        " `even` and single ones from 1",
    ),
)
_PARTS = ("stack", "attention", "layer", "cell", "way")
ENCODER = keys_of(*_PARTS, also=_OF_A_STACK)

_DECIMALS = WholeNumber(0, MOST_DECIMALS)
_STEP, _OWN_STEP = Choice(STORY), TextKind("a step")


class _DecimalsOfSteps(MapOf[int]):
    """Decimals by the names of steps, those of a scenario's own, too, which it knows itself."""

    def read(self, node: Node, problems: Diagnostics) -> dict[str, int] | None:
        return {} if isinstance(node, Map) and not node.entries else super().read(node, problems)

    def schema(self) -> Schema:
        each = (Key(step, _DECIMALS, f"the decimals of {step}").schema() for step in STORY)
        properties = dict(zip(STORY, each, strict=True))
        return {
            "type": "object",
            "properties": properties,
            "additionalProperties": _DECIMALS.schema(),
        }


ROUNDING = Record.of(
    Key(
        "policy",
        Choice(POLICIES),
        "`carry` continues with rounded numbers, `exact` with full ones",
        Rounding.policy,
    ),
    Key("decimals", _DECIMALS, "the decimals of every quantity, 3 by default", Rounding.decimals),
    Key(
        "steps",
        _DecimalsOfSteps(_DECIMALS, "step"),
        "other decimals for single steps: `{softmax: 4}`",
    ),
    Key(
        "quantities",
        MapOf(_DECIMALS, "quantity"),
        "other decimals for single quantities: `{exp: 3}`",
    ),
)


class _Changes:
    """A kind of value: the keys of a scenario for which a variant has other values. They are read
    when it is worked."""

    def read(self, node: Node, problems: Diagnostics) -> Node | None:
        if not isinstance(node, Map) or not node.entries:
            wrong = f"{describe(node)} where keys with other values belong"
            problems.add(node.where, wrong, "give some, like {scale: none}")
            return None
        for key, _ in node.entries:
            if key.text == "variants":
                wrong = "a variant can't have variants of its own"
                problems.add(key.where, wrong, "list all of them in the scenario's `variants`")
        return node

    def schema(self) -> Schema:
        keys = {key.name: key for key in SCENARIO.keys if key.name != "variants"}
        return {**Record(keys).schema(), "minProperties": 1}


_OF_A_FILE = (
    Key("title", TextKind("a title"), "what the page is called"),
    Key(
        "about",
        TextKind("some sentences"),
        "what the page begins with, in two to four sentences: the question that it answers, and "
        "what to look at",
    ),
    Key("source", TextKind("a source"), "where the numbers come from"),
    *_OF_A_STACK,
    Key(
        "backward",
        Either(
            lambda node: _WAY_BACK.kind if isinstance(node, Map) else Flag(),
            (Flag(), _WAY_BACK.kind),
        ),
        "`true`: the gradients of the loss follow, from the last step back to the first; or "
        + _WAY_BACK.says
        + ", beside which `train: {steps: 0}` asks for the gradients",
    ),
    Key(
        "encoder",
        Record(ENCODER, hint=key_meant),
        "a stack of its own, with the keys of the text, of layers and of attention, whose "
        "output is the memory",
    ),
    Key("show", Record.of(*keys_of_fields(Show)), "what the page shows"),
    Key(
        "published",
        PUBLISHED,
        "quantity, row or cell, as `--cell` has it → the numbers that the source prints for it,"
        " with the source's own decimals: `output[I]: [2.0, 2.265]`",
    ),
    Key(
        "claims",
        CLAIMS,
        "quantity or row → what the source says of its rows in words; the page says which rows are"
        " so: `weights: {largest: itself}`",
    ),
    Key(
        "ours",
        OneOrMany(TextKind("a quantity or a row of one")),
        "the given matrices, or rows of such, that the source doesn't have and that are chosen for"
        " this example: `[W_Q, 'weights[can]']`, or `all`",
    ),
    Key(
        "until",
        Either(lambda _: _OWN_STEP, (_STEP, _OWN_STEP)),
        "the last step that is worked, perhaps one of the scenario's own: `until: scores`",
    ),
    Key("rounding", ROUNDING, "the rounding policy and its decimals"),
    Key(
        "variants",
        MapOf(_Changes(), "name"),
        "name → keys with other values; each is worked as well, and its result compared with "
        "the scenario's own",
    ),
)
SCENARIO = Record(keys_of(*_PARTS, "file", also=_OF_A_FILE), hint=key_meant)


def _known_inside(kind: object) -> set[str]:
    """Returns the keys that belong inside a value of a kind, without those of whole layers."""
    if isinstance(kind, Record):
        return {*kind.known} if kind.hint is knows_nothing else set()
    kinds = getattr(kind, "kinds", ()) or filter(None, [getattr(kind, "kind", None)])
    return {key for inner in kinds for key in _known_inside(inner)}


def check_names_of_steps(tree: Map, problems: Diagnostics) -> None:
    """Complains where a scenario names a step that is neither one of these nor its own."""
    steps, rounding, until = (tree.get(key) for key in ("steps", "rounding", "until"))
    own = [key.text for key, _ in steps.entries] if isinstance(steps, Map) else []
    decimals = rounding.get("steps") if isinstance(rounding, Map) else None
    for key, _ in decimals.entries if isinstance(decimals, Map) else ():
        if key.text not in own and key.text not in STORY:
            right = problems.nearest(key.text, [*own, *STORY])
            problems.add(key.where, f"unknown key {quote(key.text)}", right)
    if isinstance(until, Scalar) and until.text not in own:
        Choice((*own, *STORY)).read(until, problems)


def json_schema() -> Schema:
    """Returns the JSON Schema (2020-12) of scenario files."""
    from attncli.scenario.file.keys import with_definitions

    whole = {**SCENARIO.schema(), "if": {"required": ["steps"]}, "else": _without_own_steps()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        # no title: language servers put it over what they say of each key
        "description": "A scenario of attncli: a Transformer, or a part of one.",
        **with_definitions(whole),
    }


def _without_own_steps() -> Schema:
    """Returns the schema of what names steps, where a scenario has none of its own."""
    known = _STEP.schema()
    steps = {"description": ROUNDING.known["steps"].says, "propertyNames": known}
    rounding = {"description": SCENARIO.known["rounding"].says, "properties": {"steps": steps}}
    until = {"description": SCENARIO.known["until"].says, **known}
    return {"properties": {"rounding": rounding, "until": until}}


def givable() -> frozenset[str]:
    """Returns the names of the quantities that a scenario may give in place of what would have made
    them."""
    steps = map(step_named, STORY)
    return frozenset(
        key.name for step in steps for key in step.keys if key.name in step.results.names
    )


def vectors() -> frozenset[str]:
    """Returns the keys of a single row, which has no name: biases, γ and β."""
    return frozenset(key.name for key in _inside(SCENARIO) if isinstance(key.kind, VectorKind))


def _inside(kind: Kind[object] | Record) -> Iterator[Key[object]]:
    """Yields the keys of a record and of the records in it, but not those of layers and of heads
    again."""
    for key in kind.keys if isinstance(kind, Record) else ():
        yield key
        yield from _inside(key.kind) if key.name not in ("layers", "encoder", "cross") else ()
