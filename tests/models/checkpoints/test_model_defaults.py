"""What a config.json leaves out is what the model's class of settings in `transformers` takes for it."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import MISSING, fields
from typing import Any

import pytest

from attncli.errors import UserError
from attncli.models.checkpoints.model_folder import families
from attncli.models.checkpoints.model_settings import DEFAULTS, settled

_READ = "".join(
    path.read_text("utf-8")
    for pattern in ("*.py", "families/*.yaml")
    for path in sorted(DEFAULTS.parent.parent.glob(pattern))
    if path.name not in ("modules.py", "module_inputs.py")  # whose are not those of a config.json
)


def _class_of(kind: str) -> Any:
    package = pytest.importorskip("transformers", reason="there is nothing to compare with")
    return package.models.auto.configuration_auto.CONFIG_MAPPING[kind]


def _row(kind: str) -> dict[str, Any]:
    """What a class takes for those settings that are named where checkpoints are read."""
    made = _class_of(kind)
    names = dict(made.attribute_map)
    read = [field for field in fields(made) if re.search(rf"\b{field.name}\b", _READ)]
    defaults = {
        names.get(entry.name, entry.name): (
            entry.default if entry.default_factory is MISSING else entry.default_factory()
        )
        for entry in read
        if entry.name not in ("rope_parameters", "model_type")
    }
    turned = getattr(made(), "rope_parameters", None)
    return {"names": names, "defaults": defaults} | ({"rope": turned} if turned else {})


def _as_text(rows: dict[str, Any]) -> str:
    """JSON with a line for each thing that is said of a type of models."""
    texts = []
    for kind, row in rows.items():
        parts = (f'"{name}": {json.dumps(part)}' for name, part in row.items())
        lines = (
            textwrap.fill(
                part, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )
            for part in parts
        )
        texts.append(f'"{kind}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(texts) + "\n}\n"


@pytest.mark.real("transformers")
def test_the_table_is_that_of_the_classes(rewrite: bool) -> None:
    rows = {kind: _row(kind) for kind in sorted(families())}
    if rewrite:
        DEFAULTS.write_text(_as_text(rows), "utf-8")
    assert DEFAULTS.read_text("utf-8") == _as_text(rows)


_WINDOWED = {"num_hidden_layers": 7, "sliding_window": 3, "max_window_layers": 4}
_LINEAR = {"rope_type": "linear", "factor": 8.0}
SAID: list[dict[str, Any]] = [
    *({"model_type": kind} for kind in sorted(families())),
    *(
        {"model_type": kind, **_WINDOWED, "use_sliding_window": asked}
        for kind in ("qwen2", "qwen3", "qwen2_moe", "qwen3_moe")
        for asked in (True, False)
    ),
    *(
        {
            "model_type": kind,
            "hidden_size": 12,
            "n_embd": 12,
            "num_attention_heads": 3,
            "num_hidden_layers": 5,
        }
        for kind in ("gpt2", "gptj", "bloom", "distilbert", "bart", "whisper", "llama", "phi3")
    ),
    {
        "model_type": "gemma2",
        "num_hidden_layers": 4,
        "sliding_window_pattern": 3,
        "attn_logit_softcapping": None,
    },
    {"model_type": "gemma3_text", "num_hidden_layers": 4, "sliding_window_pattern": 3},
    {
        "model_type": "gemma3_text",
        "rope_scaling": _LINEAR,
        "rope_theta": 5e5,
        "rope_local_base_freq": 2e3,
    },
    {"model_type": "gemma3_text", "rope_parameters": {"full_attention": _LINEAR}},
    {"model_type": "gemma", "hidden_act": "gelu"},
    {"model_type": "gemma", "hidden_act": "relu"},
    {"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0}, "rope_theta": 5e5},
    {"model_type": "llama", "rope_parameters": _LINEAR, "layer_types": None, "sliding_window": 4},
    {"model_type": "gpt_neox", "rope_theta": 500.0, "rotary_pct": 0.5},
    {"model_type": "gpt_neox", "rotary_emb_base": 500},
    {"model_type": "phi", "partial_rotary_factor": 0.4},
    {"model_type": "t5", "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    {"model_type": "t5", "feed_forward_proj": "gated-silu", "num_layers": 3},
    {"model_type": "t5", "feed_forward_proj": "gelu", "dense_act_fn": "relu"},
    {"model_type": "mistral", "sliding_window": None},
    {"model_type": "qwen2", "num_key_value_heads": None, "num_attention_heads": 8},
    {"model_type": "qwen3_moe", "num_experts": 5},
    {"model_type": "olmoe", "num_local_experts": 5},
    {"model_type": "mixtral", "num_experts": 5},
]


@pytest.mark.real("transformers")
@pytest.mark.parametrize("said", SAID, ids=str)
def test_settings_are_those_of_the_class(said: dict[str, Any]) -> None:
    theirs = _class_of(said["model_type"]).from_dict(said)
    ours = settled(said)
    if "rope_parameters" in ours:
        assert ours["rope_parameters"].items() == theirs.rope_parameters.items()
    declared = {field.name for field in fields(theirs)}
    for key in (key for key in ours if key in declared and key != "rope_parameters"):
        expected = getattr(theirs, key)
        if key == "id2label" and ours[key] is None:
            expected = None  # two, which have no names
        if key == "sliding_window":
            expected = expected or None  # 0 in Qwen2-MoE
        if key == "head_dim" and ours[key] is None:
            expected = None  # which is worked out where it is needed
        if key != "tie_word_embeddings":  # which are tied or not as the tensors are
            assert ours[key] == expected, key
    for key in ("dense_act_fn", "is_gated_act", "scale_decoder_outputs"):
        assert ours.get(key) == getattr(theirs, key, None)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"model_type": "vit", "patch_size": None},
            "patch_size: null is no value for it; give one like 16, or leave patch_size out: it is 16 then",
        ),
        ({"model_type": "llama", "rms_norm_eps": None}, "rms_norm_eps: null"),
        ({"model_type": "bart", "decoder_layers": None}, "decoder_layers: null"),
        ({"model_type": "qwen2", "use_sliding_window": 1}, "use_sliding_window: 1 is no value"),
        ({"model_type": "gpt2", "n_layer": True}, "n_layer: true"),
        (
            {"model_type": "gemma3_text", "sliding_window_pattern": 0},
            "sliding_window_pattern: 0 is no value",
        ),
        (
            {"model_type": "gemma2", "num_hidden_layers": 2, "layer_types": ["full_attention"]},
            "for each of the 2 layers",
        ),
        (
            {"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": ["linear_attention"]},
            "sliding_attention or full_attention",
        ),
        (
            {"model_type": "gemma3_text", "rope_scaling": {"type": "linear", "factor": 8.0}},
            "say rope_type",
        ),
        (
            {"model_type": "gemma2", "sliding_window": None},
            "there is no sliding_window; say how wide it is",
        ),
        (
            {"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": ["sliding_attention"]},
            "there is no sliding_window that is asked for",
        ),
    ],
)
def test_a_setting_without_a_value_is_told(said: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        settled(said)
