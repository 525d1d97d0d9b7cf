"""A model of `transformers`, saved, becomes a scenario in one command, and says the same."""

from __future__ import annotations

import copy
import json
import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import Trace, load, work
from attncli.cli import app
from attncli.errors import UserError
from attncli.models.checkpoints import model_settings
from attncli.models.checkpoints.model_folder import Checkpoint, families
from attncli.models.checkpoints.model_settings import DEFAULTS, settled
from tests.auditor import audit
from tests.conftest import sampled, share
from tests.helpers.pages import page_of, tables_of
from tests.models.float_sides import told_otherwise

IDS = [5, 17, 2, 5]
_SIZES = {
    "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4,
    "vocab_size": 30, "max_position_embeddings": 32,
}  # fmt: skip
_GPT = {"n_embd": 16, "n_layer": 2, "n_head": 4, "vocab_size": 30, "n_positions": 32}
CONFIGS: dict[str, dict[str, Any]] = {
    "gpt2": _GPT,
    "gptj": {**_GPT, "rotary_dim": 2},
    "gpt_neox": {**_SIZES, "rotary_pct": 0.5},
    "bloom": {"hidden_size": 16, "n_layer": 2, "n_head": 4, "vocab_size": 30},
    "opt": {**_SIZES, "ffn_dim": 20, "word_embed_proj_dim": 16},
    "llama": {**_SIZES, "num_key_value_heads": 2, "tie_word_embeddings": False},
    "mistral": {**_SIZES, "num_key_value_heads": 2, "sliding_window": 3},
    "qwen2": {**_SIZES, "num_key_value_heads": 2},
    "qwen3": {**_SIZES, "num_key_value_heads": 2, "head_dim": 6},
    "gemma": {**_SIZES, "num_key_value_heads": 1, "head_dim": 6},
    "granite": {
        **_SIZES,
        "num_key_value_heads": 2,
        "embedding_multiplier": 12.0,
        "attention_multiplier": 0.3,
        "residual_multiplier": 0.22,
        "logits_scaling": 7.0,
    },
    "phi3": {**_SIZES, "num_key_value_heads": 2, "partial_rotary_factor": 0.5},
    "phi": {**_SIZES, "num_key_value_heads": 2},
    "gemma2": {
        **_SIZES,
        "num_hidden_layers": 3,
        "num_key_value_heads": 2,
        "head_dim": 6,
        "query_pre_attn_scalar": 10,
        "sliding_window": 3,
        "attn_logit_softcapping": 2.0,
        "final_logit_softcapping": 3.0,
        "layer_types": None,
    },
    "gemma3_text": {
        **_SIZES,
        "num_hidden_layers": 3,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "query_pre_attn_scalar": 10,
        "sliding_window": 2,
        "layer_types": None,
        "sliding_window_pattern": 3,
    },
    "olmo2": {**_SIZES, "num_key_value_heads": 2},
    "ministral": {**_SIZES, "num_key_value_heads": 2, "head_dim": 4, "sliding_window": 3},
    "cwm": {**_SIZES, "num_key_value_heads": 2, "head_dim": 6, "sliding_window": 3},
    "falcon": _SIZES,
    "starcoder2": {**_SIZES, "num_key_value_heads": 2, "sliding_window": 3},
    "stablelm": {**_SIZES, "num_key_value_heads": 2, "partial_rotary_factor": 0.5},
    "cohere": {**_SIZES, "num_key_value_heads": 2},
    "cohere2": {**_SIZES, "num_hidden_layers": 5, "num_key_value_heads": 2, "sliding_window": 3},
    "smollm3": {**_SIZES, "num_hidden_layers": 5, "num_key_value_heads": 2},
    **{
        kind: {**_SIZES, "num_key_value_heads": 2, "head_dim": 4}
        for kind in ("ernie4_5", "helium", "internlm3", "iquestcoder", "olmo", "seed_oss")
    },
}

_BERT = {**_SIZES, "is_decoder": False}
_DISTILBERT = {
    "dim": 16, "hidden_dim": 20, "n_layers": 2, "n_heads": 4, "vocab_size": 30,
    "max_position_embeddings": 32,
}  # fmt: skip
_ROBERTA = _BERT | {"pad_token_id": 1}
_PADDED = _BERT | {"pad_token_id": 5}
_ELECTRA = _BERT | {"embedding_size": 6}
_DEBERTA = _SIZES | {
    "relative_attention": True, "position_biased_input": False, "pos_att_type": "p2c|c2p",
    "max_relative_positions": 2, "type_vocab_size": 0,
}  # fmt: skip
_DEBERTA_V3 = _DEBERTA | {
    "max_relative_positions": -1, "position_buckets": 4, "share_att_key": True,
    "norm_rel_ebd": "layer_norm", "layer_norm_eps": 0.01,
}  # fmt: skip
_VIT = {**_SIZES, "image_size": 8, "patch_size": 4}
OTHERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("bert", "BertModel", _BERT),
    "bert, masked": ("bert", "BertForMaskedLM", _BERT),
    "bert, classes": ("bert", "BertForSequenceClassification", _BERT | {"num_labels": 3}),
    "roberta, masked": ("roberta", "RobertaForMaskedLM", _ROBERTA),
    "roberta, classes": ("roberta", "RobertaForSequenceClassification", _ROBERTA),
    "bert, untied": ("bert", "BertForMaskedLM", _BERT | {"tie_word_embeddings": False}),
    "roberta, untied": ("roberta", "RobertaForMaskedLM", _ROBERTA | {"tie_word_embeddings": False}),
    "roberta, padded": ("roberta", "RobertaModel", _PADDED),
    "electra": ("electra", "ElectraModel", _ELECTRA),
    "electra, masked": ("electra", "ElectraForMaskedLM", _ELECTRA),
    "electra, classes": (
        "electra",
        "ElectraForSequenceClassification",
        _ELECTRA | {"num_labels": 3},
    ),
    "deberta, masked": ("deberta", "DebertaForMaskedLM", _DEBERTA),
    "deberta-v2, masked": ("deberta-v2", "DebertaV2ForMaskedLM", _DEBERTA_V3),
    "deberta-v2, classes": (
        "deberta-v2",
        "DebertaV2ForSequenceClassification",
        _DEBERTA | {"num_labels": 3},
    ),
    "deberta-v2, one product": (
        "deberta-v2",
        "DebertaV2Model",
        _DEBERTA_V3 | {"pos_att_type": ["c2p"], "type_vocab_size": 2},
    ),
    "electra, as wide": ("electra", "ElectraModel", _BERT | {"embedding_size": 16}),
    "vit": ("vit", "ViTModel", _VIT),
    "vit, classes": ("vit", "ViTForImageClassification", _VIT | {"num_labels": 3}),
    **{
        f"{kind}, {what}": (kind, f"{name}{made_by}", _ROBERTA)
        for kind, name in (
            ("xlm-roberta", "XLMRoberta"),
            ("camembert", "Camembert"),
            ("data2vec-text", "Data2VecText"),
            ("ernie", "Ernie"),
        )
        for what, made_by in (("masked", "ForMaskedLM"), ("classes", "ForSequenceClassification"))
    },
    "vit_msn, classes": ("vit_msn", "ViTMSNForImageClassification", _VIT | {"num_labels": 3}),
    "distilbert, masked": ("distilbert", "DistilBertForMaskedLM", _DISTILBERT),
    "distilbert, classes": ("distilbert", "DistilBertForSequenceClassification", _DISTILBERT),
    "distilbert, words": ("distilbert", "DistilBertForTokenClassification", _DISTILBERT),
}
"""Models that foretell no next token: their kinds, classes and settings."""
_TEXT, _SEEN = (sizes | {"projection_dim": 6} for sizes in (_SIZES | {"eos_token_id": 9}, _VIT))
TOWERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "clip": (
        "clip",
        "CLIPModel",
        {"text_config": _TEXT, "vision_config": _SEEN, "projection_dim": 6},
    ),
    "clip_text_model": ("clip_text_model", "CLIPTextModelWithProjection", _TEXT),
    "clip_vision_model": ("clip_vision_model", "CLIPVisionModelWithProjection", _SEEN),
}
"""Models of texts and pictures."""
_BART = {
    "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 20, "decoder_ffn_dim": 12, "vocab_size": 30,
    "max_position_embeddings": 32,
}  # fmt: skip
_T5 = {
    "d_model": 16, "d_kv": 5, "d_ff": 20, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4,
    "vocab_size": 30, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 6,
}  # fmt: skip
_SEQ2SEQ = "AutoModelForSeq2SeqLM"
WITH_ENCODERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bart": ("bart", _SEQ2SEQ, _BART | {"scale_embedding": True}),
    "bart, untied": ("bart", _SEQ2SEQ, _BART | {"tie_word_embeddings": False}),
    "mbart": ("mbart", _SEQ2SEQ, _BART),
    "plbart": ("plbart", _SEQ2SEQ, _BART),
    "pegasus": ("pegasus", _SEQ2SEQ, _BART),
    "blenderbot": ("blenderbot", _SEQ2SEQ, _BART | {"scale_embedding": True}),
    "t5": ("t5", _SEQ2SEQ, _T5),
    "mt5": ("mt5", _SEQ2SEQ, _T5),
    "t5_1.1": (
        "t5",
        _SEQ2SEQ,
        _T5 | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    ),
}
"""Models whose decoder attends to what an encoder has read."""
_WHISPER = _BART | {"max_source_positions": 7, "max_target_positions": 32, "num_mel_bins": 3}
HEARD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "whisper": ("whisper", "AutoModelForSpeechSeq2Seq", _WHISPER),
    "whisper, untied": (
        "whisper",
        "AutoModelForSpeechSeq2Seq",
        _WHISPER | {"scale_embedding": True, "tie_word_embeddings": False},
    ),
    **{f"{name}, given states": WITH_ENCODERS[name] for name in ("bart", "t5")},
}
"""Models whose decoder attends to what an encoder has made, which is given."""
_EXPERTS = {**_SIZES, "num_key_value_heads": 2, "num_experts_per_tok": 2}
CONFIGS |= {
    "mixtral": {**_EXPERTS, "num_local_experts": 3, "sliding_window": 3},
    "qwen2_moe": {
        **_EXPERTS, "num_experts": 4, "moe_intermediate_size": 6,
        "shared_expert_intermediate_size": 8,
    },
    "qwen3_moe": {**_EXPERTS, "num_experts": 3, "moe_intermediate_size": 6, "head_dim": 6,
                  "norm_topk_prob": True},
    "olmoe": {**_EXPERTS, "num_experts": 3, "norm_topk_prob": False},
    "gpt_oss": {**_EXPERTS, "num_local_experts": 3, "num_hidden_layers": 3, "head_dim": 6,
                "sliding_window": 3, "swiglu_limit": 1.5},
}  # fmt: skip
_LATENT = {
    **_EXPERTS, "hidden_size": 14, "num_attention_heads": 2, "num_key_value_heads": 2, "q_lora_rank": 7, "kv_lora_rank": 4,
    "qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 6, "moe_intermediate_size": 6,
    "n_routed_experts": 6, "n_group": 3, "topk_group": 2, "first_k_dense_replace": 1,
}  # fmt: skip
CONFIGS |= {
    "deepseek_v2": {**_LATENT, "topk_method": "group_limited_greedy", "routed_scaling_factor": 3.0},
    **dict.fromkeys(("deepseek_v3", "glm4_moe_lite", "sarvam_mla", "youtu"), _LATENT),
}
_BY_LENGTH = {"factor": 8.0, "original_max_position_embeddings": 1500}
SCALED: dict[str, tuple[str, str, dict[str, Any]]] = {
    f"llama, {kind}": (
        "llama",
        "AutoModelForCausalLM",
        {
            **_SIZES, "head_dim": 8, "max_position_embeddings": 3,
            "rope_parameters": {"rope_type": kind, "rope_theta": 10000.0, **b},
        },
    )
    for kind, b in {
        "linear": {"factor": 4.0},
        "dynamic": {"factor": 4.0},
        "llama3": {**_BY_LENGTH, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
        "yarn": _BY_LENGTH,
    }.items()
}  # fmt: skip
"""Models that reach further than they were trained."""
_WINDOWS = {**_SIZES, "num_hidden_layers": 3, "num_key_value_heads": 2,
            "use_sliding_window": True, "sliding_window": 2}  # fmt: skip
_BIASES = {**_SIZES, "num_key_value_heads": 2, "attention_bias": True, "mlp_bias": True}
_CAUSAL = "AutoModelForCausalLM"
_NOT_HAD = {"sliding_window": 2, "use_sliding_window": True, "attn_logit_softcapping": 0.5}
_FALCON = {"new_decoder_architecture": True, "num_kv_heads": 2}
_ONE, _WHOLE = "sliding_attention", "full_attention"
SAID: dict[str, tuple[str, str, dict[str, Any]]] = {
    "qwen2, late windows": ("qwen2", _CAUSAL, _WINDOWS | {"max_window_layers": 1}),
    "qwen3, late windows": ("qwen3", _CAUSAL, _WINDOWS | {"max_window_layers": 2, "head_dim": 6}),
    "qwen2_moe, windows": (
        "qwen2_moe", _CAUSAL, {**CONFIGS["qwen2_moe"], **_WINDOWS, "max_window_layers": 1},
    ),
    "qwen2_moe, some dense": (
        "qwen2_moe", _CAUSAL,
        {**CONFIGS["qwen2_moe"], "num_hidden_layers": 3, "mlp_only_layers": [1]},
    ),
    "qwen2_moe, every other": (
        "qwen2_moe", _CAUSAL,
        {**CONFIGS["qwen2_moe"], **_WINDOWS, "max_window_layers": 1, "decoder_sparse_step": 2},
    ),
    "qwen3_moe, some dense": (
        "qwen3_moe", _CAUSAL,
        {**CONFIGS["qwen3_moe"], "mlp_only_layers": [0], "num_hidden_layers": 3},
    ),
    "qwen2_moe, no experts": (
        "qwen2_moe", _CAUSAL, {**CONFIGS["qwen2_moe"], "mlp_only_layers": [0, 1]},
    ),
    "qwen3_moe, windows": ("qwen3_moe", _CAUSAL, {**CONFIGS["qwen3_moe"], **_WINDOWS}),
    "gpt_neox, in a row": (
        "gpt_neox", _CAUSAL, {**_SIZES, "rotary_pct": 0.5, "use_parallel_residual": False},
    ),
    "bert, causal": ("bert", "BertLMHeadModel", {**_SIZES, "is_decoder": True}),
    "opt, norms behind": (
        "opt", _CAUSAL, CONFIGS["opt"] | {"do_layer_norm_before": False},
    ),
    "opt, narrow embeddings": (
        "opt", _CAUSAL,
        CONFIGS["opt"] | {"do_layer_norm_before": False, "word_embed_proj_dim": 6},
    ),
    "opt, wide embeddings": ("opt", _CAUSAL, CONFIGS["opt"] | {"word_embed_proj_dim": 18}),
    "phi, norms of queries": (
        "phi", _CAUSAL, CONFIGS["phi"] | {"qk_layernorm": True, "layer_norm_eps": 0.01},
    ),
    "gpt2, not scaled": ("gpt2", _CAUSAL, _GPT | {"scale_attn_weights": False}),
    "llama, biases": ("llama", _CAUSAL, _BIASES),
    "olmo2, biases": ("olmo2", _CAUSAL, _BIASES),
    "gemma, gelu": ("gemma", _CAUSAL, CONFIGS["gemma"] | {"hidden_act": "gelu"}),
    "gemma3_text, linear": (
        "gemma3_text", _CAUSAL,
        CONFIGS["gemma3_text"] | {
            "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "rope_theta": 500.0,
            "rope_local_base_freq": 50.0,
        },
    ),
    "gemma3_text, every layer scaled": (
        "gemma3_text", _CAUSAL,
        CONFIGS["gemma3_text"] | {
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0},
                "sliding_attention": {"rope_type": "linear", "factor": 2.0},
            },
        },
    ),
    "gemma2, linear": (
        "gemma2", _CAUSAL,
        CONFIGS["gemma2"] | {"rope_scaling": {"rope_type": "linear", "factor": 8.0}},
    ),
    "gemma3_text, caps": (  # of which that on scores does nothing
        "gemma3_text", _CAUSAL,
        CONFIGS["gemma3_text"] | {"attn_logit_softcapping": 0.5, "final_logit_softcapping": 2.0},
    ),
    "gemma2, no caps": (
        "gemma2", _CAUSAL,
        CONFIGS["gemma2"] | {"attn_logit_softcapping": None, "final_logit_softcapping": None},
    ),
    "gemma2, a pattern": ("gemma2", _CAUSAL, CONFIGS["gemma2"] | {"sliding_window_pattern": 3}),
    **{
        f"{kind}, a window for nothing": (kind, _CAUSAL, CONFIGS[kind] | _NOT_HAD)
        for kind in ("llama", "gemma", "granite", "olmo2", "phi", "gpt_neox", "olmoe")
    },
    **{
        f"{kind}, no window": (kind, _CAUSAL, CONFIGS[kind] | {"sliding_window": None})
        for kind in ("mistral", "mixtral", "phi3")
    },
    **{
        f"{kind}, windows not asked for": (
            kind, _CAUSAL,
            CONFIGS[kind] | {"sliding_window": 2, "use_sliding_window": False, "max_window_layers": 0},
        )
        for kind in ("qwen2", "qwen3", "qwen2_moe", "qwen3_moe")
    },
    "qwen2, types of layers": (
        "qwen2", _CAUSAL, _WINDOWS | {"layer_types": [_WHOLE, _ONE, _WHOLE], "max_window_layers": 0},
    ),
    "mistral, types of layers": (
        "mistral", _CAUSAL, CONFIGS["mistral"] | {"layer_types": [_WHOLE, _WHOLE]},
    ),
    "opt, plain norms": (
        "opt", _CAUSAL, CONFIGS["opt"] | {"layer_norm_elementwise_affine": False, "enable_bias": False},
    ),
    "opt, plain norms behind": (
        "opt", _CAUSAL,
        CONFIGS["opt"] | {"layer_norm_elementwise_affine": False, "do_layer_norm_before": False},
    ),
    "opt, no last norm": ("opt", _CAUSAL, CONFIGS["opt"] | {"_remove_final_layer_norm": True}),
    "bloom, sums of slices": (
        "bloom", _CAUSAL, CONFIGS["bloom"] | {"pretraining_tp": 2, "slow_but_exact": True},
    ),
    "bloom, one slice": ("bloom", _CAUSAL, CONFIGS["bloom"] | {"slow_but_exact": True}),
    "gpt_neox, an odd share": (
        "gpt_neox", _CAUSAL, _SIZES | {"num_attention_heads": 1, "rotary_pct": 0.2, "rotary_emb_base": 50},
    ),
    "gpt_neox, one dimension": ("gpt_neox", _CAUSAL, _SIZES),
    "gpt_neox, linear": (
        "gpt_neox", _CAUSAL,
        _SIZES | {"rotary_pct": 0.75, "rope_scaling": {"type": "linear", "factor": 4.0}},
    ),
    "falcon, new": ("falcon", _CAUSAL, _SIZES | _FALCON),
    "falcon, new with one norm": (
        "falcon", _CAUSAL, _SIZES | _FALCON | {"num_ln_in_parallel_attn": 1},
    ),
    "falcon, alibi in a row": (
        "falcon", _CAUSAL,
        _SIZES | {"alibi": True, "parallel_attn": False, "multi_query": False, "bias": True},
    ),
    "stablelm, side by side": (
        "stablelm", _CAUSAL,
        CONFIGS["stablelm"] | {"use_parallel_residual": True, "use_qkv_bias": True},
    ),
    "starcoder2, no biases": (
        "starcoder2", _CAUSAL, CONFIGS["starcoder2"] | {"use_bias": False, "sliding_window": None},
    ),
    "cohere, biases": ("cohere", _CAUSAL, CONFIGS["cohere"] | {"attention_bias": True}),
    "smollm3, windows": (
        "smollm3", _CAUSAL,
        CONFIGS["smollm3"] | {"no_rope_layers": [0, 1, 1, 0, 1], "use_sliding_window": True,
                              "sliding_window": 2},
    ),
    "gpt_oss, not scaled": (
        "gpt_oss", _CAUSAL,
        CONFIGS["gpt_oss"] | {"attention_bias": False, "rope_parameters": {"rope_type": "default"},
                              "layer_types": [_WHOLE, _WHOLE, _ONE]},
    ),
    "deepseek_v3, yarn": (
        "deepseek_v3", _CAUSAL,
        _LATENT | {
            "q_lora_rank": None, "rope_interleave": False, "attention_bias": True, "n_group": 1,
            "topk_group": 1, "first_k_dense_replace": 0, "qk_rope_head_dim": 4,
            "rope_parameters": _BY_LENGTH | {
                "rope_type": "yarn", "rope_theta": 10000.0, "mscale": 0.7, "mscale_all_dim": 0.9,
            },
        },
    ),
    "deepseek_v2, greedy": (
        "deepseek_v2", _CAUSAL, _LATENT | {"rope_scaling": _BY_LENGTH | {
            "type": "yarn", "mscale_all_dim": 0.7, "mscale": 0.7}},
    ),
    "glm4_moe_lite, types of layers": (
        "glm4_moe_lite", _CAUSAL, _LATENT | {"mlp_layer_types": ["sparse", "dense"]},
    ),
    "llama, no head": ("llama", "AutoModel", CONFIGS["llama"]),
    "phi3, a window": ("phi3", _CAUSAL, CONFIGS["phi3"] | {"sliding_window": 2}),
}  # fmt: skip
"""Models whose settings are not those that their kind has by default."""


def saved(name: str, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    """A model of a family with weights drawn at random, which is saved in a folder."""
    kind, made_by, settings = (OTHERS | WITH_ENCODERS | HEARD | SCALED | SAID | TOWERS).get(
        name
    ) or (
        name,
        "AutoModelForCausalLM",
        CONFIGS[name],
    )
    torch = pytest.importorskip("torch", reason="there is no model to compare with")
    transformers = pytest.importorskip("transformers", reason="there is no model to compare with")
    import_module("safetensors.torch")  # which knows the types that torch has by then
    for single in ("float32", "float"):  # which models fall back to on the way
        patch.setattr(torch, single, torch.float64)
    patch.setattr(torch.Tensor, "float", torch.Tensor.double)
    torch.manual_seed(1)
    no_end = {"pad_token_id": None, "bos_token_id": 0, "eos_token_id": 0}
    config = transformers.AutoConfig.for_model(kind, **no_end | settings)
    config._attn_implementation = config._experts_implementation = "eager"
    make = getattr(transformers, made_by)
    model = getattr(make, "from_config", make)(config).double().eval()
    biases = (b for name, b in model.named_buffers() if name.endswith("correction_bias"))
    for weight in (*model.parameters(), *biases):
        weight.data += 0.3 * torch.randn_like(weight)
    model.save_pretrained(folder)
    return model


@pytest.mark.real("torch", "transformers")
@sampled(7, name=[*CONFIGS, *OTHERS, *SCALED, *SAID])
def test_a_checkpoint_is_what_its_model_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    sees = name.startswith("vit")
    given = torch.randn(1, 3, 8, 8) if sees else torch.tensor([IDS])
    np.save(tmp_path / "picture.npy", given[0])
    seen = _hooked(model)
    once = name == "falcon, alibi in a row"  # which is added twice where weights are asked for
    model.config._attn_implementation = "sdpa" if once else "eager"
    with torch.no_grad():
        value = model(given, output_hidden_states=True, output_attentions=not once)
    what = ("--picture", tmp_path / "picture.npy") if sees else ("--tokens", IDS)
    trace = _worked(tmp_path, *what)
    _same_weights(trace, "layers[{}].heads[{}]", value.attentions or ())
    behind = (
        "bert, causal",
        "opt, norms behind",
        "opt, plain norms behind",
        "opt, narrow embeddings",
    )
    post = (name in OTHERS or name in behind) and not sees
    beside = "layers[1].residual2" not in trace
    last = "norm2.normed" if post else "residual1" if beside else "residual2"
    _same_hooks(trace, seen)
    _same(trace, "X", value.hidden_states[0][0])
    projected = "project_out.projected" in trace
    if projected:
        _same(trace, "project_out.projected", value.hidden_states[-1][0])
    shown = value.hidden_states[1:] if post and not projected else value.hidden_states[1:-1]
    for k, states in enumerate(shown, 1):
        _same(trace, f"layers[{k}].{last}", states[0])
    if "logits" in value:
        _same_logits(trace, value)
    if "pooler_output" in value:
        _same(trace, "head.activated", value.pooler_output)


@pytest.mark.real("torch", "transformers")
@sampled(3, name=WITH_ENCODERS)
def test_so_is_one_with_an_encoder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    read, ids = [*IDS, 11, 0, 3], torch.tensor([IDS])
    asked, seen = {"output_hidden_states": True, "output_attentions": True}, _hooked(model)
    with torch.no_grad():
        value = model(torch.tensor([read]), decoder_input_ids=ids, **asked)
    trace = _worked(tmp_path, "--encoder-tokens", read, "--tokens", IDS)
    _same_hooks(trace, seen)
    _same_weights(trace, "encoder.layers[{}].heads[{}]", value.encoder_attentions)
    post = name.partition(",")[0] in ("bart", "plbart")
    encoder = "norm2" if post else "residual2"
    _same_states(trace, "encoder.", value.encoder_hidden_states, encoder)
    _same_decoder(trace, value, post=post)


@pytest.mark.real("torch", "transformers")
def test_copies_of_shared_embeddings_are_embeddings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved("t5", tmp_path, monkeypatch)
    import torch
    from safetensors.numpy import load_file, save_file

    tensors = load_file(tmp_path / "model.safetensors")
    for entry in ("encoder", "decoder"):
        tensors[f"{entry}.embed_tokens.weight"] = tensors["shared.weight"].copy()
    save_file(tensors, tmp_path / "model.safetensors")
    with torch.no_grad():
        value = model(torch.tensor([IDS]), decoder_input_ids=torch.tensor([IDS]))
    _same_logits(_worked(tmp_path, "--tokens", IDS), value)


@pytest.mark.real("torch", "transformers")
@sampled(2, name=HEARD)
def test_so_is_one_whose_encoder_is_given(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    heard, ids = torch.randn(1, 7, 16, dtype=torch.float64), torch.tensor([IDS])
    np.save(tmp_path / "heard.npy", heard)
    asked, seen = {"output_hidden_states": True, "output_attentions": True}, _hooked(model)
    with torch.no_grad():
        value = model(encoder_outputs=(heard,), decoder_input_ids=ids, **asked)
    trace = _worked(tmp_path, "--encoder-states", tmp_path / "heard.npy", "--tokens", IDS)
    _same_hooks(trace, seen)
    assert "encoder" not in "".join(trace)
    _same_decoder(trace, value, post=name.startswith("bart"))


@pytest.mark.real("torch", "transformers")
@pytest.mark.parametrize("name", ["whisper", "whisper, untied"])
def test_so_is_one_that_hears(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    sound, ids = torch.randn(1, 3, 14, dtype=torch.float64), torch.tensor([IDS])
    np.save(tmp_path / "mel.npy", sound)
    asked, seen = {"output_hidden_states": True, "output_attentions": True}, _hooked(model)
    with torch.no_grad():
        value = model(input_features=sound, decoder_input_ids=ids, **asked)
    trace = _worked(tmp_path, "--spectrogram", tmp_path / "mel.npy", "--tokens", IDS)
    _same_hooks(trace, seen)
    for k in (1, 2):
        out = seen[f"model.encoder.conv{k}"][0].T
        _same(trace, f"encoder.convolution{k}.convolved", out)
    _same_weights(trace, "encoder.layers[{}].heads[{}]", value.encoder_attentions)
    _same_states(trace, "encoder.", value.encoder_hidden_states, "residual2")
    _same_decoder(trace, value, post=False)


@pytest.mark.real("torch", "transformers")
@sampled(2, name=TOWERS)
def test_so_are_the_towers_of_clip(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    ids, picture = [5, 17, 2, 9], torch.randn(1, 3, 8, 8)
    np.save(tmp_path / "picture.npy", picture[0])
    seen, kinds = _hooked(model), [kind for kind in ("text", "vision") if kind in name]
    given = {"input_ids": torch.tensor([ids])} if "vision" not in name else {}
    given |= {"pixel_values": picture} if "text" not in name else {}
    with torch.no_grad():
        model(**given)
    for kind in kinds or ("text", "vision"):
        texts = kind == "text"
        what = ("--tokens", ids) if texts else ("--picture", tmp_path / "picture.npy")
        trace = _worked(tmp_path, *what)
        _same_hooks(trace, {name: out for name, out in seen.items() if kind in name})
        projected = seen["text_projection" if texts else "visual_projection"][0]
        row = trace["project_out.projected"].values[-1 if texts else 0]
        np.testing.assert_allclose(row, projected, atol=1e-9)


def _same_decoder(trace: Trace, value: Any, *, post: bool) -> None:
    _same_weights(trace, "layers[{}].heads[{}]", value.decoder_attentions)
    _same_weights(trace, "layers[{}].cross.heads[{}]", value.cross_attentions)
    _same_states(trace, "", value.decoder_hidden_states, "norm3" if post else "residual3")
    _same_logits(trace, value)


def _same_states(trace: Trace, path: str, states: Any, last: str) -> None:
    """Every hidden state of a stack, whose layers end with a norm or with a residual."""
    post = last.startswith("norm")
    _same(trace, f"{path}X", states[0][0])
    for k, expected in enumerate(states[1:] if post else states[1:-1], 1):
        _same(trace, f"{path}layers[{k}].{last}{'.normed' if post else ''}", expected[0])
    if not post:
        _same(trace, f"{path}final_norm.normed", states[-1][0])


def _worked(folder: Path, *entries: object) -> Trace:
    """The trace of the scenario that `attn new` writes of a checkpoint, for some options."""
    options = [
        ",".join(map(str, value)) if isinstance(value, list) else str(value) for value in entries
    ]
    place, config = folder / "model.yaml", folder / "config.json"
    new = ["new", str(place), "--force", "--from", str(folder), *options]
    result = CliRunner().invoke(app, new)
    assert result.exit_code == 0, result.stderr
    whole = place.read_text("utf-8")
    config.write_text(json.dumps(_shortest(json.loads(config.read_text("utf-8")))))
    result = CliRunner().invoke(app, new)
    assert result.exit_code == 0, result.stderr
    assert place.read_text("utf-8") == whole
    trace = work(load(place))
    assert not trace.unfinished
    assert [*told_otherwise(trace)] == []
    report = audit(page_of(trace, "terminal", 80, "rows"), "terminal", tables_of(trace))
    assert report.checked > 0
    assert report.false == []
    return trace


def _hooked(model: Any) -> dict[str, Any]:
    """What each module of a model puts out, by its name, once it has worked."""
    seen: dict[str, Any] = {}

    def kept(name: str) -> Any:
        def hook(_: Any, __: Any, out: Any) -> None:
            first = out[0] if isinstance(out, tuple) else out
            seen[name] = (
                first.clone() if hasattr(first, "clone") else first
            )  # some are added to later

        return hook

    for name, module in model.named_modules():
        module.register_forward_hook(kept(name))
    return seen


def _same_hooks(trace: Trace, seen: dict[str, Any]) -> None:
    """Whatever a module puts out as wide as X is among what is worked out."""
    shapes = {trace[name].values.shape for name in ("X", "encoder.X") if name in trace}
    ours = [q.values for q in trace.quantities.values() if q.values.shape in shapes]
    theirs = {
        name: out.numpy().reshape(-1, out.shape[-1])
        for name, out in seen.items()
        if getattr(out, "shape", ())[-2:] in shapes
        and not ("shared_expert" in "".join(seen) and name.endswith("experts"))  # one more is added
    }
    assert theirs
    missing = [
        name
        for name, out in theirs.items()
        if not any(out.shape == array.shape and np.abs(out - array).max() < 1e-6 for array in ours)
    ]
    assert missing == []


def _shortest(config: dict[str, Any]) -> dict[str, Any]:
    """What `transformers` needs to be told of the same settings: no key with its class's default."""
    import transformers
    from huggingface_hub.errors import StrictDataclassError

    kind = config["model_type"]
    made = transformers.models.auto.configuration_auto.CONFIG_MAPPING[kind]
    expected = made.from_dict(copy.deepcopy(config)).to_dict()
    for key in [text for text in config if text != "model_type"]:
        without = {other: value for other, value in config.items() if other != key}
        with suppress(StrictDataclassError, IndexError):  # sizes that don't fit together without it
            if made.from_dict(copy.deepcopy(without)).to_dict() == expected:
                config = without
    return config


def _same_logits(trace: Trace, value: Any) -> None:
    last = [name for name in trace if name.endswith("logits")][-1]
    logits = value.logits[0]
    _same(trace, last, logits if logits.dim() > 1 else logits[None])


def _same_weights(trace: Trace, path: str, value: Any) -> None:
    for k, weights in enumerate(value, start=1):
        for h, expected in enumerate(weights[0], start=1):
            name = f"{path.format(k, h)}.key_weights"  # without those of a sink
            _same(trace, name if name in trace else f"{path.format(k, h)}.weights", expected)


def _same(trace: Trace, name: str, expected: Any) -> None:
    np.testing.assert_allclose(trace[name].values, expected, atol=1e-9, err_msg=name)


@pytest.mark.real("torch", "transformers")
@sampled(2, name=["gpt2", "bert, masked", "bart", "roberta, masked"])
def test_a_text_is_read_with_the_tokenizer_beside_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        "bert, masked": "I love [MASK]",
        "roberta, masked": "I</s> love AI",
    }  # which is padding
    text = texts.get(name, "I love AI")
    model, tokenizer = saved(name, tmp_path, monkeypatch), _tokenizer(name)
    import torch

    tokenizer.save(str(tmp_path / "tokenizer.json"))
    value = tokenizer.encode(text)
    trace = _worked(tmp_path, "--tokens", text)
    assert trace.scenario.text.tokens == tuple(value.tokens)
    assert trace.scenario.text.ids == tuple(value.ids)
    ids = torch.tensor([value.ids])
    with torch.no_grad():
        made = model(ids, decoder_input_ids=ids) if name == "bart" else model(ids)
    _same(trace, "logits", made.logits[0])
    assert trace["logits"].columns.names[value.ids[1]] == value.tokens[1]


def _tokenizer(name: str) -> Any:
    """One with 30 tokens, as models of a kind have it."""
    package = pytest.importorskip("tokenizers", reason="there is nothing to compare with")
    letters = [*"abcdefghijklmnopqr"]
    if name == "bert, masked":
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "love", "##ly", "ai"]
        vocabulary = {word: k for k, word in enumerate([*words, *letters[:21]])}
        made = package.Tokenizer(package.models.WordPiece(vocabulary, unk_token="[UNK]"))
        made.add_special_tokens(words[:5])
        made.normalizer = package.normalizers.BertNormalizer()
        made.pre_tokenizer = package.pre_tokenizers.BertPreTokenizer()
        made.post_processor = package.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        return made
    words = ["<s>", "</s>", "I", "Ġ", "l", "o", "v", "e", "A", "lo", "Ġlo", "ve", "Ġlove"]
    merges = [("l", "o"), ("Ġ", "lo"), ("v", "e"), ("Ġlo", "ve")]
    vocabulary = {word: k for k, word in enumerate(dict.fromkeys([*words, *letters]))}
    made = package.Tokenizer(package.models.BPE(vocabulary, merges))
    made.pre_tokenizer = package.pre_tokenizers.ByteLevel(add_prefix_space=False)
    if name in ("bart", "roberta, masked"):
        made.add_special_tokens(words[:2])
        made.post_processor = package.processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    return made


def test_every_family_is_tried() -> None:
    tried = OTHERS | WITH_ENCODERS | HEARD | TOWERS
    kinds = {*CONFIGS, *(kind for kind, *_ in tried.values())}
    assert {*families()} == kinds - {"clip"}  # of whose towers each is one


def test_what_has_no_place_is_said(tmp_path: Path) -> None:
    save_file = pytest.importorskip("safetensors.numpy").save_file
    config = tmp_path / "config.json"
    arrays = dict.fromkeys([*_tensors("gpt2", 1), "h.0.strange"], np.ones((3, 2)))
    save_file(arrays, tmp_path / "model.safetensors")
    new = ["new", str(tmp_path / "m.yaml"), "--from", str(tmp_path)]
    for data, text in (
        ({"model_type": "gpt2", "n_layer": 1}, "h.0.strange: these tensors have no place"),
        ({"model_type": "unheard_of"}, "models of the type unheard_of aren't known; known: bart"),
        ({"model_type": "llama"}, "no tensor is called embed_tokens.weight"),
    ):
        config.write_text(json.dumps(data))
        result = CliRunner().invoke(app, new)
        assert (result.exit_code, text in result.stderr) == (2, True), result.stderr
    config.write_text(json.dumps({"model_type": "gpt2", "n_layer": 1}))
    save_file(dict.fromkeys(_tensors("gpt2", 1), np.ones((3, 2))), tmp_path / "model.safetensors")
    result = CliRunner().invoke(app, [*new, "--encoder-tokens", "1"])
    assert "a model of the type gpt2 has no encoder" in result.stderr
    save_file(
        {"model.decoder.embed_tokens.weight": np.ones((3, 2))}, tmp_path / "model.safetensors"
    )
    config.write_text(json.dumps({"model_type": "whisper", "decoder_layers": 1}))
    for options, text in (
        ((), "the encoder of a model of the type whisper reads no tokens; give what it hears"),
        (("--encoder-tokens", "1"), "reads no tokens; give what it hears or makes, like --spec"),
        (
            ("--encoder-tokens", "1", "--encoder-states", "heard.npy"),
            "--encoder-states: this is what an encoder makes of --encoder-tokens; keep one",
        ),
    ):
        result = CliRunner().invoke(app, [*new, *options])
        assert (result.exit_code, text in result.stderr) == (2, True), result.stderr
    config.unlink()
    assert "config.json: No such file" in CliRunner().invoke(app, new).stderr
    assert not (tmp_path / "m.yaml").exists()


def _told_of(folder: Path, config: dict[str, Any], *tensors: str) -> str:
    """What `attn new` complains of, of a checkpoint with these tensors."""
    save_file = pytest.importorskip("safetensors.numpy").save_file
    save_file({name: np.ones((3, 2)) for name in tensors}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    new = ["new", str(folder / "m.yaml"), "--from", str(folder / "config.json"), "--force"]
    result = CliRunner().invoke(app, new)
    assert (result.exit_code == 0) == (not result.stderr)
    return " ".join(result.stderr.split())


def test_a_family_without_usual_settings_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_settings, "DEFAULTS", tmp_path / "none.json")
    (tmp_path / "none.json").write_text("{}")
    text = _told_of(tmp_path, {"model_type": "gpt2"}, *_tensors("gpt2", 1))
    assert "the usual settings of models of the type gpt2 aren't known; add them to" in text


def test_tensors_of_a_kind_that_is_not_known_are_told(tmp_path: Path) -> None:
    tensors = ("wte.weight", "blocks.0.attn.weight", "blocks.1.attn.weight")
    text = _told_of(tmp_path, {"model_type": "mpt"}, *tensors)
    assert "models of the type mpt aren't known" in text
    assert "blocks.{i}.attn.weight" in text
    assert "wte.weight" in text
    assert "blocks.0" not in text


def test_a_tensor_that_a_later_layer_lacks_is_told(tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "n_layer": 2, "n_head": 1}
    tensors = [t for t in _tensors("gpt2", 2) if t != "h.1.ln_1.weight"]
    text = _told_of(tmp_path, config, *tensors)
    assert "h.1.ln_1.weight: no such tensor, and 2 layers have one" in text
    assert not _told_of(tmp_path, config, *tensors, "h.1.ln_1.weight")


@pytest.mark.parametrize(
    ("kind", "tensors", "lacking", "there"),
    [
        (
            "t5",
            r"shared|encoder\.",
            "decoder.block.{i}.layer.0.layer_norm.weight",
            "encoder.block.{i}",
        ),
        ("phi3", r"(?!.*qkv_proj)", "layers.{i}.self_attn.qkv_proj.weight; it has", "norm.weight"),
        ("llama", r"(?!.*[kv]_proj)", "layers.{i}.self_attn.k_proj.weight, layers.{i}", "q_proj"),
        ("qwen3", r"(?!.*k_norm)", "layers.{i}.self_attn.k_norm.weight; it has", "q_norm"),
        ("mixtral", r"(?!.*w3)", "layers.{i}.block_sparse_moe.experts.{e}.w3", "experts.{e}.w1"),
        (
            "bart",
            r"(?!.*encoder_attn\.v)",
            "decoder.layers.{i}.encoder_attn.v_proj.weight",
            "decoder",
        ),
    ],
)
def test_a_tensor_that_is_looked_for_is_told_with_what_is_there(
    kind: str, tensors: str, lacking: str, there: str, tmp_path: Path
) -> None:
    kept = [t for t in _tensors(kind, 1) if re.match(tensors, t)]
    layers = dict.fromkeys(
        ("num_hidden_layers", "num_layers", "encoder_layers", "decoder_layers"), 1
    )
    text = _told_of(tmp_path, {"model_type": kind, **layers}, *kept)
    wrong, right = text.split("; it has")
    assert "no tensor is called" in wrong
    assert lacking in text
    assert there in right


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (
            {"pad_token_id": None},
            "pad_token_id: null, and positions begin after it; say which it is",
        ),
        ({"num_attention_heads": None}, "num_attention_heads: null is no value for it"),
        ({}, ""),
    ],
)
def test_a_setting_that_is_null_is_told(config: dict[str, Any], told: str, tmp_path: Path) -> None:
    tensors = [
        t for t in _tensors("roberta", 1) if re.match("embeddings.[^_]*_?e|embeddings.L|encoder", t)
    ]
    text = _told_of(tmp_path, {"model_type": "roberta", "num_hidden_layers": 1, **config}, *tensors)
    assert told in text
    assert bool(told) == bool(text)


_STRANGE = [
    None,
    "x",
    [],
    {},
    0,
    -1,
    True,
    1.5,
    float("inf"),
    [None],
    {"rope_type": "yarn", "factor": "x"},
]
_OLDER = ("rope_scaling", "rope_parameters", "rope_theta", "partial_rotary_factor", "rotary_pct", "head_dim",
          "rope_local_base_freq", "rotary_emb_base", "num_labels", "id2label", "layer_types", "architectures")  # fmt: skip


@sampled(5, kind=sorted(families()))
def test_no_setting_ends_in_a_traceback(kind: str, tmp_path: Path) -> None:
    save_file = pytest.importorskip("safetensors.numpy").save_file
    names = [t.replace("{e}", "0") for t in _tensors(kind, 1)]
    save_file({name: np.ones((3, 2)) for name in names}, tmp_path / "model.safetensors")
    np.save(tmp_path / "heard.npy", np.ones((3, 2)))
    layers = ("num_hidden_layers", "num_layers", "encoder_layers", "decoder_layers")
    own = json.loads(DEFAULTS.read_text("utf-8"))[kind]["defaults"]
    new = ["new", str(tmp_path / "m.yaml"), "--force", "--from", str(tmp_path)]
    new += ["--encoder-states", str(tmp_path / "heard.npy")] if kind == "whisper" else []
    sees = kind.startswith(("vit", "clip_vision"))
    new += ["--picture", str(tmp_path / "heard.npy")] if sees else []
    for k, key in share(8, enumerate([*own, *_OLDER], start=len(kind)), kind):
        for value in (_STRANGE[k % len(_STRANGE)], _STRANGE[5 * k % len(_STRANGE)]):
            config = {"model_type": kind, **dict.fromkeys(layers, 1), "num_experts": 1, key: value}
            (tmp_path / "config.json").write_text(json.dumps(config))
            result = CliRunner().invoke(app, new)
            assert result.exit_code in (0, 2), (key, value, result.exception)


@pytest.mark.parametrize(
    ("kind", "lacking"),
    [
        ("bart", "encoder.layers.1.fc2.bias"),
        ("mixtral", "layers.1.block_sparse_moe.experts.2.w3.weight"),
        ("qwen3_moe", "layers.0.mlp.experts.1.up_proj.weight"),
    ],
)
def test_so_is_one_that_a_later_expert_or_a_layer_of_an_encoder_lacks(
    kind: str, lacking: str, tmp_path: Path
) -> None:
    layers = dict.fromkeys(("num_hidden_layers", "encoder_layers", "decoder_layers"), 2)
    config = {"model_type": kind, **layers, "num_experts": 3}
    forms = [
        t for t in _tensors(kind, 2) if "mlp." not in t or "mlp.experts" in t or "mlp.gate.w" in t
    ]
    names = [form.replace("{e}", str(e)) for form in forms for e in range(3)]
    text = _told_of(tmp_path, config, *(name for name in names if name != lacking))
    assert f"{lacking}: no such tensor, and 2 layers have one" in text
    assert not _told_of(tmp_path, config, *names)


def test_a_model_of_one_layer_has_its_type(tmp_path: Path) -> None:
    config = {"model_type": "gemma2", "num_hidden_layers": 1, "sliding_window": 7}
    assert not _told_of(tmp_path, config, *(t for t in _tensors("gemma2", 1) if "_proj.b" not in t))
    assert "window: 7" in (tmp_path / "m.yaml").read_text("utf-8")


def _tensors(kind: str, layers: int) -> list[str]:
    """The names of all tensors that a model of a kind has."""
    keys = families()[kind]["keys"].values()
    last = (value[-1] if isinstance(value, list) else value for value in keys)
    forms = dict.fromkeys(value["key"] if isinstance(value, dict) else value for value in last)
    return [*dict.fromkeys(form.replace("{i}", str(k)) for form in forms for k in range(layers))]


@pytest.mark.parametrize(
    ("kind", "setting", "value", "known"),
    [
        ("gpt2", "scale_attn_by_inverse_layer_idx", True, "false"),
        ("bloom", "apply_residual_connection_post_layernorm", True, "false"),
        ("olmoe", "clip_qkv", 0.5, "null"),
        ("gemma3_text", "use_bidirectional_attention", True, "false"),
        ("gemma", "use_bidirectional_attention", True, "false"),
        ("gemma", "hidden_activation", "gelu", "gelu_tanh"),
        ("llama", "is_causal", False, "true"),
        ("bert", "position_embedding_type", "relative_key", "absolute"),
        ("deberta-v2", "relative_attention", False, "true"),
    ],
)
def test_a_setting_that_makes_another_model_is_told(
    kind: str, setting: str, value: object, known: str, tmp_path: Path
) -> None:
    text = _told_of(tmp_path, {"model_type": kind, setting: value}, "wte.weight")
    assert f"isn't known; known: {setting}: {known}" in text


def test_a_pickle_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    result = CliRunner().invoke(app, ["new", str(tmp_path / "m.yaml"), "--from", str(tmp_path)])
    assert "pytorch_model.bin is a pickle" in result.stderr


@pytest.mark.parametrize(
    ("rope", "told"),
    [
        ({"type": "longrope", "factor": 2.0}, "rope_type longrope isn't known; known: linear"),
        ({"rope_type": "yarn", "factor": 2.0, "mscale": 1.0}, "mscale of yarn isn't known"),
    ],
)
def test_scaling_that_is_not_known_is_no_scaling_left_out(rope: dict[str, Any], told: str) -> None:
    config = settled({"model_type": "llama", "rope_scaling": rope})
    with pytest.raises(UserError, match=told):
        Checkpoint(config, Path("model.safetensors"), frozenset()).setting("=rope_scaling")
