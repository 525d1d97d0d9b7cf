"""A model of `transformers`, saved, becomes a scenario in one command, and says the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import Trace, load, work
from attncli.building.checkpoint import Checkpoint
from attncli.building.family_tables import families
from attncli.building.layer_types import layer_types
from attncli.cli import app
from attncli.refusals import Refusal
from tests.auditor import audit
from tests.pages import page_of, tables_of

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
}

_BERT = {**_SIZES, "is_decoder": False}
_DISTILBERT = {
    "dim": 16, "hidden_dim": 20, "n_layers": 2, "n_heads": 4, "vocab_size": 30,
    "max_position_embeddings": 32,
}  # fmt: skip
_ROBERTA = _BERT | {"pad_token_id": 1}
_ELECTRA = _BERT | {"embedding_size": 6}
_VIT = {**_SIZES, "image_size": 8, "patch_size": 4}
OTHERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("bert", "BertModel", _BERT),
    "bert, masked": ("bert", "BertForMaskedLM", _BERT),
    "bert, classes": ("bert", "BertForSequenceClassification", _BERT | {"num_labels": 3}),
    "roberta, masked": ("roberta", "RobertaForMaskedLM", _ROBERTA),
    "roberta, classes": ("roberta", "RobertaForSequenceClassification", _ROBERTA),
    "electra": ("electra", "ElectraModel", _ELECTRA),
    "electra, masked": ("electra", "ElectraForMaskedLM", _ELECTRA),
    "electra, classes": (
        "electra",
        "ElectraForSequenceClassification",
        _ELECTRA | {"num_labels": 3},
    ),
    "electra, as wide": ("electra", "ElectraModel", _BERT | {"embedding_size": 16}),
    "vit": ("vit", "ViTModel", _VIT),
    "vit, classes": ("vit", "ViTForImageClassification", _VIT | {"num_labels": 3}),
    "distilbert, masked": ("distilbert", "DistilBertForMaskedLM", _DISTILBERT),
    "distilbert, classes": ("distilbert", "DistilBertForSequenceClassification", _DISTILBERT),
    "distilbert, words": ("distilbert", "DistilBertForTokenClassification", _DISTILBERT),
}
"""Models that foretell no next token: their kinds, classes and settings."""
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
    "t5": ("t5", _SEQ2SEQ, _T5),
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
}  # fmt: skip
_BY_LENGTH = {"factor": 8.0, "original_max_position_embeddings": 1500}
SCALED: dict[str, tuple[str, str, dict[str, Any]]] = {
    f"llama, {kind}": (
        "llama",
        "AutoModelForCausalLM",
        {
            **_SIZES, "head_dim": 8, "max_position_embeddings": 3,
            "rope_parameters": {"rope_type": kind, "rope_theta": 10000.0, **said},
        },
    )
    for kind, said in {
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
}  # fmt: skip
"""Models whose settings are not those that their kind has by default."""
_SIDE_BY_SIDE = ("gptj", "gpt_neox", "phi")


def saved(name: str, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    """A model of a family with weights drawn at random, which is saved in a folder."""
    kind, made_by, settings = (OTHERS | WITH_ENCODERS | HEARD | SCALED | SAID).get(name) or (
        name,
        "AutoModelForCausalLM",
        CONFIGS[name],
    )
    torch = pytest.importorskip("torch", reason="there is no model to compare with")
    transformers = pytest.importorskip("transformers", reason="there is no model to compare with")
    for single in ("float32", "float"):  # which models fall back to on the way
        patch.setattr(torch, single, torch.float64)
    patch.setattr(torch.Tensor, "float", torch.Tensor.double)
    torch.manual_seed(1)
    no_end = {"pad_token_id": None, "bos_token_id": 0, "eos_token_id": 0}
    config = transformers.AutoConfig.for_model(kind, **no_end | settings)
    config._attn_implementation = config._experts_implementation = "eager"
    make = getattr(transformers, made_by)
    model = getattr(make, "from_config", make)(config).double().eval()
    for weight in model.parameters():
        weight.data += 0.3 * torch.randn_like(weight)
    model.save_pretrained(folder)
    return model


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CONFIGS, *OTHERS, *SCALED, *SAID])
def test_a_checkpoint_is_what_its_model_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    sees = name.startswith("vit")
    given = torch.randn(1, 3, 8, 8) if sees else torch.tensor([IDS])
    np.save(tmp_path / "picture.npy", given[0])
    with torch.no_grad():
        told = model(given, output_hidden_states=True, output_attentions=True)
    what = ("--picture", tmp_path / "picture.npy") if sees else ("--tokens", IDS)
    trace = _worked(tmp_path, *what)
    _same_weights(trace, "layers[{}].heads[{}]", told.attentions)
    behind = ("bert, causal", "opt, norms behind", "opt, narrow embeddings")
    post = (name in OTHERS or name in behind) and not sees
    beside = name.partition(",")[0] in _SIDE_BY_SIDE and name != "gpt_neox, in a row"
    last = "norm2.normed" if post else "residual1" if beside else "residual2"
    _same(trace, "X", told.hidden_states[0][0])
    projected = "project_out.projected" in trace
    if projected:
        _same(trace, "project_out.projected", told.hidden_states[-1][0])
    shown = told.hidden_states[1:] if post and not projected else told.hidden_states[1:-1]
    for k, states in enumerate(shown, 1):
        _same(trace, f"layers[{k}].{last}", states[0])
    if "logits" in told:
        _same_logits(trace, told)
    if "pooler_output" in told:
        _same(trace, "head.activated", told.pooler_output)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_ENCODERS)
def test_so_is_one_with_an_encoder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    read, ids = [*IDS, 11, 0, 3], torch.tensor([IDS])
    asked = {"output_hidden_states": True, "output_attentions": True}
    with torch.no_grad():
        told = model(torch.tensor([read]), decoder_input_ids=ids, **asked)
    trace = _worked(tmp_path, "--encoder-tokens", read, "--tokens", IDS)
    _same_weights(trace, "encoder.layers[{}].heads[{}]", told.encoder_attentions)
    post = name == "bart"
    encoder = "norm2" if post else "residual2"
    _same_states(trace, "encoder.", told.encoder_hidden_states, encoder)
    _same_decoder(trace, told, post=post)


@pytest.mark.slow
@pytest.mark.parametrize("name", HEARD)
def test_so_is_one_whose_encoder_is_given(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(name, tmp_path, monkeypatch)
    import torch

    heard, ids = torch.randn(1, 7, 16, dtype=torch.float64), torch.tensor([IDS])
    np.save(tmp_path / "heard.npy", heard)
    asked = {"output_hidden_states": True, "output_attentions": True}
    with torch.no_grad():
        told = model(encoder_outputs=(heard,), decoder_input_ids=ids, **asked)
    trace = _worked(tmp_path, "--encoder-states", tmp_path / "heard.npy", "--tokens", IDS)
    assert "encoder" not in "".join(trace)
    _same_decoder(trace, told, post=name.startswith("bart"))


def _same_decoder(trace: Trace, told: Any, *, post: bool) -> None:
    _same_weights(trace, "layers[{}].heads[{}]", told.decoder_attentions)
    _same_weights(trace, "layers[{}].cross.heads[{}]", told.cross_attentions)
    _same_states(trace, "", told.decoder_hidden_states, "norm3" if post else "residual3")
    _same_logits(trace, told)


def _same_states(trace: Trace, path: str, states: Any, last: str) -> None:
    """Every hidden state of a stack, whose layers end with a norm or with a residual."""
    post = last.startswith("norm")
    _same(trace, f"{path}X", states[0][0])
    for k, expected in enumerate(states[1:] if post else states[1:-1], 1):
        _same(trace, f"{path}layers[{k}].{last}{'.normed' if post else ''}", expected[0])
    if not post:
        _same(trace, f"{path}final_norm.normed", states[-1][0])


def _worked(folder: Path, *told: object) -> Trace:
    """The trace of the scenario that `attn new` writes of a checkpoint, for some options."""
    options = [",".join(map(str, one)) if isinstance(one, list) else str(one) for one in told]
    place = folder / "model.yaml"
    result = CliRunner().invoke(app, ["new", str(place), "--from", str(folder), *options])
    assert result.exit_code == 0, result.stderr
    trace = work(load(place))
    assert not trace.unfinished
    report = audit(page_of(trace, "terminal", 80, "rows"), "terminal", tables_of(trace))
    assert report.checked > 0
    assert report.false == []
    return trace


def _same_logits(trace: Trace, told: Any) -> None:
    last = [name for name in trace if name.endswith("logits")][-1]
    logits = told.logits[0]
    _same(trace, last, logits if logits.dim() > 1 else logits[None])


def _same_weights(trace: Trace, path: str, told: Any) -> None:
    for k, weights in enumerate(told, start=1):
        for h, expected in enumerate(weights[0], start=1):
            _same(trace, f"{path.format(k, h)}.weights", expected)


def _same(trace: Trace, name: str, expected: Any) -> None:
    np.testing.assert_allclose(trace[name].values, expected, atol=1e-9, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "bert, masked", "bart"])
def test_a_text_is_read_with_the_tokenizer_beside_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "I love [MASK]" if name == "bert, masked" else "I love AI"
    model, tokenizer = saved(name, tmp_path, monkeypatch), _tokenizer(name)
    import torch

    tokenizer.save(str(tmp_path / "tokenizer.json"))
    told = tokenizer.encode(text)
    trace = _worked(tmp_path, "--tokens", text)
    assert trace.scenario.text.tokens == tuple(told.tokens)
    assert trace.scenario.text.ids == tuple(told.ids)
    ids = torch.tensor([told.ids])
    with torch.no_grad():
        made = model(ids, decoder_input_ids=ids) if name == "bart" else model(ids)
    _same(trace, "logits", made.logits[0])
    assert trace["logits"].columns.names[told.ids[1]] == told.tokens[1]


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
    if name == "bart":
        made.add_special_tokens(words[:2])
        made.post_processor = package.processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    return made


def test_every_family_is_tried() -> None:
    tried = OTHERS | WITH_ENCODERS | HEARD
    assert {*families()} == {*CONFIGS, *(kind for kind, *_ in tried.values())}


def test_what_has_no_place_is_said(tmp_path: Path) -> None:
    save_file = pytest.importorskip("safetensors.numpy").save_file
    config = tmp_path / "config.json"
    arrays = {"wte.weight": np.ones((3, 2)), "h.0.strange": np.ones(2)}
    save_file(arrays, tmp_path / "model.safetensors")
    new = ["new", str(tmp_path / "m.yaml"), "--from", str(tmp_path)]
    for said, told in (
        ({"model_type": "gpt2", "n_layer": 1}, "h.0.strange: these tensors have no place"),
        ({"model_type": "unheard_of"}, "models of the type unheard_of aren't known; known: bart"),
        ({"model_type": "llama"}, "no tensor is called embed_tokens.weight"),
    ):
        config.write_text(json.dumps(said))
        result = CliRunner().invoke(app, new)
        assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
    config.write_text(json.dumps({"model_type": "gpt2", "n_layer": 1}))
    save_file({"wte.weight": np.ones((3, 2))}, tmp_path / "model.safetensors")
    result = CliRunner().invoke(app, [*new, "--encoder-tokens", "1"])
    assert "a model of the type gpt2 has no encoder" in result.stderr
    save_file(
        {"model.decoder.embed_tokens.weight": np.ones((3, 2))}, tmp_path / "model.safetensors"
    )
    config.write_text(json.dumps({"model_type": "whisper", "decoder_layers": 1}))
    for options, told in (
        ((), "the encoder of a model of the type whisper reads no tokens; give what it makes"),
        (("--encoder-tokens", "1"), "reads no tokens; give what it makes"),
        (
            ("--encoder-tokens", "1", "--encoder-states", "heard.npy"),
            "--encoder-states: this is what an encoder makes of --encoder-tokens; keep one",
        ),
    ):
        result = CliRunner().invoke(app, [*new, *options])
        assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
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


def test_tensors_of_a_kind_that_is_not_known_are_told(tmp_path: Path) -> None:
    tensors = ("wte.weight", "blocks.0.attn.weight", "blocks.1.attn.weight")
    told = _told_of(tmp_path, {"model_type": "mpt"}, *tensors)
    assert "models of the type mpt aren't known" in told
    assert "blocks.{i}.attn.weight" in told
    assert "wte.weight" in told
    assert "blocks.0" not in told


def test_a_tensor_that_a_later_layer_lacks_is_told(tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "n_layer": 2, "n_head": 1}
    tensors = ("wte.weight", "h.0.ln_1.weight")
    told = _told_of(tmp_path, config, *tensors)
    assert "h.1.ln_1.weight: no such tensor, and 2 layers have one" in told
    assert not _told_of(tmp_path, config, *tensors, "h.1.ln_1.weight")


@pytest.mark.parametrize(
    ("kind", "setting", "value", "known"),
    [
        ("gpt2", "scale_attn_by_inverse_layer_idx", True, "false"),
        ("bloom", "apply_residual_connection_post_layernorm", True, "false"),
        ("olmoe", "clip_qkv", 0.5, "null"),
        ("gemma3_text", "use_bidirectional_attention", True, "false"),
        ("bert", "position_embedding_type", "relative_key", "absolute"),
    ],
)
def test_a_setting_that_makes_another_model_is_told(
    kind: str, setting: str, value: object, known: str, tmp_path: Path
) -> None:
    told = _told_of(tmp_path, {"model_type": kind, setting: value}, "wte.weight")
    assert f"isn't known; known: {setting}: {known}" in told


def test_a_pickle_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    result = CliRunner().invoke(app, ["new", str(tmp_path / "m.yaml"), "--from", str(tmp_path)])
    assert "pytorch_model.bin is a pickle" in result.stderr


_ONE, _ALL = "sliding_attention", "full_attention"


@pytest.mark.parametrize(
    ("config", "types"),
    [
        ({"model_type": "gemma2"}, [_ONE, _ALL, _ONE, _ALL]),
        ({"model_type": "gemma3_text", "sliding_window_pattern": 3}, [_ONE, _ONE, _ALL, _ONE]),
        ({"model_type": "gemma3_text"}, [_ONE] * 4),
        ({"model_type": "qwen2", "sliding_window": 2, "use_sliding_window": False}, [_ALL] * 4),
        (
            {"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 3},
            [_ALL, _ALL, _ALL, _ONE],
        ),
        (
            {"model_type": "qwen2_moe", "use_sliding_window": True, "max_window_layers": 2},
            [_ONE, _ALL, _ALL, _ALL],
        ),
        ({"model_type": "llama"}, [_ALL] * 4),
        (
            {"model_type": "qwen2", "layer_types": [_ALL, _ONE, _ONE, _ALL]},
            [_ALL, _ONE, _ONE, _ALL],
        ),
    ],
)
def test_types_of_layers_as_others_publish_them(config: dict[str, Any], types: list[str]) -> None:
    assert [*layer_types(config, 4)] == types


@pytest.mark.slow
def test_types_of_layers_are_those_of_the_package() -> None:
    transformers = pytest.importorskip("transformers", reason="there is nothing to compare with")
    for kind, said in {
        "gemma2": {},
        "gemma3_text": {"sliding_window_pattern": 4},
        "qwen2": {"use_sliding_window": True, "max_window_layers": 5},
        "qwen3": {"use_sliding_window": True, "max_window_layers": 2},
        "qwen2_moe": {"use_sliding_window": True, "max_window_layers": 4},
    }.items():
        config = transformers.AutoConfig.for_model(kind, num_hidden_layers=9, **said)
        assert [*layer_types({"model_type": kind, **said}, 9)] == config.layer_types


@pytest.mark.parametrize(
    ("rope", "told"),
    [
        ({"type": "longrope", "factor": 2.0}, "rope_type longrope isn't known; known: linear"),
        ({"rope_type": "yarn", "factor": 2.0, "mscale": 1.0}, "mscale of yarn isn't known"),
    ],
)
def test_scaling_that_is_not_known_is_no_scaling_left_out(rope: dict[str, Any], told: str) -> None:
    checkpoint = Checkpoint({"rope_scaling": rope}, Path("model.safetensors"), frozenset())
    with pytest.raises(Refusal, match=told):
        checkpoint.setting("=rope_scaling")
