"""A model of `transformers`, saved, becomes a scenario in one command, and says the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.building.checkpoints import families
from attncli.cli import app

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
    "phi3": {**_SIZES, "num_key_value_heads": 2, "partial_rotary_factor": 0.5},
    "phi": {**_SIZES, "num_key_value_heads": 2},
    "olmo2": {**_SIZES, "num_key_value_heads": 2},
}

_SIDE_BY_SIDE = ("gptj", "gpt_neox", "phi")


def saved(kind: str, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    """A model of a family with weights drawn at random, which is saved in a folder."""
    torch = pytest.importorskip("torch", reason="there is no model to compare with")
    transformers = pytest.importorskip("transformers", reason="there is no model to compare with")
    for name in ("float32", "float"):  # which models fall back to on the way
        patch.setattr(torch, name, torch.float64)
    patch.setattr(torch.Tensor, "float", torch.Tensor.double)
    torch.manual_seed(1)
    no_end = {"pad_token_id": None, "bos_token_id": 0, "eos_token_id": 0}
    config = transformers.AutoConfig.for_model(kind, **CONFIGS[kind], **no_end)
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config).double().eval()
    for weight in model.parameters():
        weight.data += 0.3 * torch.randn_like(weight)
    model.save_pretrained(folder)
    return model


@pytest.mark.slow
@pytest.mark.parametrize("kind", CONFIGS)
def test_a_checkpoint_is_what_its_model_is(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(kind, tmp_path, monkeypatch)
    import torch

    with torch.no_grad():
        told = model(torch.tensor([IDS]), output_hidden_states=True, output_attentions=True)
    place = tmp_path / "model.yaml"
    words = ["new", str(place), "--from", str(tmp_path), "--tokens", ",".join(map(str, IDS))]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.stderr
    trace = work(load(place))
    assert not trace.unfinished
    for k, weights in enumerate(told.attentions, start=1):
        for h, expected in enumerate(weights[0], start=1):
            name = f"layers[{k}].heads[{h}].weights"
            np.testing.assert_allclose(trace[name].values, expected, atol=1e-9, err_msg=name)
    for k, states in enumerate(told.hidden_states[1:-1], start=1):
        last = "residual1" if kind in _SIDE_BY_SIDE else "residual2"
        values = trace[f"layers[{k}].{last}"].values
        np.testing.assert_allclose(values, states[0], atol=1e-9, err_msg=f"layer {k}")
    np.testing.assert_allclose(trace["logits"].values, told.logits[0], atol=1e-9)


def test_every_family_is_tried() -> None:
    assert {*families()} == {*CONFIGS}


def test_what_has_no_place_is_said(tmp_path: Path) -> None:
    save_file = pytest.importorskip("safetensors.numpy").save_file
    config = tmp_path / "config.json"
    arrays = {"wte.weight": np.ones((3, 2)), "h.0.strange": np.ones(2)}
    save_file(arrays, tmp_path / "model.safetensors")
    new = ["new", str(tmp_path / "m.yaml"), "--from", str(tmp_path)]
    for said, told in (
        ({"model_type": "gpt2", "n_layer": 1}, "h.0.strange: these tensors have no place"),
        ({"model_type": "unheard_of"}, "models of the type unheard_of aren't known; known: bloom"),
        ({"model_type": "llama"}, "no tensor is called embed_tokens.weight"),
    ):
        config.write_text(json.dumps(said))
        result = CliRunner().invoke(app, new)
        assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
    config.unlink()
    assert "config.json: No such file" in CliRunner().invoke(app, new).stderr
    assert not (tmp_path / "m.yaml").exists()
