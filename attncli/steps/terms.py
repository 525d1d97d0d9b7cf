"""Words of the field that are no keys: what is said instead, and where."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from attncli.file.problems import nearest
from attncli.refusals import listed
from attncli.steps.order import STORY, step_named
from attncli.steps.step import Step

KEY_NAMES = MappingProxyType(
    {
        **dict.fromkeys(("num_heads", "n_heads", "num_attention_heads", "n_head"), "heads"),
        **dict.fromkeys(("num_key_value_heads", "n_kv_heads"), "kv_heads"),
        **dict.fromkeys(("num_layers", "n_layers", "num_hidden_layers", "n_layer"), "layers"),
        **dict.fromkeys(("hidden_size", "embedding_dim", "n_embd", "dim"), "d_model"),
        **dict.fromkeys(("normalization", "layer_norm", "layernorm", "rms_norm"), "norms"),
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
"""What other programs and people call what is a key here."""


_STEP_NAMES = MappingProxyType(
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
"""What people call what a step does."""


def step_meant(word: str) -> str | None:
    """What a word means that names a step, or what one makes."""
    name = word.casefold()
    if name in _STEP_NAMES:
        step = step_named(_STEP_NAMES[name])
        return f"it belongs to the step {step.name}{_more_of(step)}"
    if name in STORY:
        return f"{name} is a step{_more_of(step_named(name))}"
    for step in map(step_named, STORY):
        if word in step.makes:
            return f"the step {step.name} makes {word}{_more_of(step)}"
    return None


def _more_of(step: Step[Any]) -> str:
    keys = f" (keys: {listed(key.name for key in step.keys)})" if step.keys else ""
    return f"{keys}: see attn explain --step {step.name}"


def nearest_step(name: str) -> str:
    """The step that is meant by a name that none has."""
    if name.casefold() in _STEP_NAMES:
        return f"did you mean {_STEP_NAMES[name.casefold()]}?"
    return nearest(name, STORY, _maker)


def _maker(name: str) -> str | None:
    """`did you mean unembed, which makes logits?`"""
    makers = (step.name for step in map(step_named, STORY) if name in step.makes)
    return next((f"did you mean {maker}, which makes {name}?" for maker in makers), None)
