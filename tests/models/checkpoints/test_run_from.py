"""`attn run --from FOLDER`: a saved model in the place of a scenario, of which only what is asked for
is read."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.trace.on_demand import OnDemand
from attncli.trace.quantity import Definition

LAYERS, D, FF, WORDS = 48, 2048, 8192, 64
"""Sizes of a model of 3 billion parameters."""


def _upper_half(number: float) -> bytes:
    """bfloat16"""
    return struct.pack("<f", number)[2:]


def large_model(folder: Path) -> int:
    """A Llama of zeros, in a file that takes no room; its first embeddings and norms are numbers.
    How many bytes the file has."""
    names = {"model.embed_tokens.weight": (WORDS, D), "model.norm.weight": (D,)}
    for layer in (f"model.layers.{k}" for k in range(LAYERS)):
        names |= {f"{layer}.self_attn.{x}_proj.weight": (D, D) for x in "qkvo"}
        names |= {f"{layer}.mlp.{x}_proj.weight": (FF, D) for x in ("gate", "up")}
        names[f"{layer}.mlp.down_proj.weight"] = (D, FF)
        names |= {f"{layer}.{x}_layernorm.weight": (D,) for x in ("input", "post_attention")}
    heads: dict[str, Any] = {}
    end = 0
    for name, shape in names.items():
        begin, end = end, end + 2 * math.prod(shape)
        heads[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
    head = json.dumps(heads).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        base = file.tell()
        file.truncate(base + end)
        for name in names:
            if name.endswith(("norm.weight", "embed_tokens.weight")):
                file.seek(base + heads[name]["data_offsets"][0])
                file.write(
                    b"".join(_upper_half(k % 7 - 2.5) for k in range(math.prod(names[name])))
                )
    settings = {
        "model_type": "llama", "hidden_size": D, "intermediate_size": FF, "vocab_size": WORDS,
        "num_hidden_layers": LAYERS, "num_attention_heads": 16, "tie_word_embeddings": True,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")
    return base + end


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["run", *map(str, words)])


def test_of_a_large_model_only_what_is_shown_is_worked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert large_model(tmp_path) > 4 * 2**30
    worked: list[str] = []
    work = OnDemand._work

    def noted(self: OnDemand, definition: Definition) -> Any:
        worked.append(definition.name)
        return work(self, definition)

    monkeypatch.setattr(OnDemand, "_work", noted)
    words = ("--layer", 1, "--head", 1, "--step", "scores", "--detail", "summary")
    result = run("--from", tmp_path, "--text", "5,17,2", *words)
    assert result.exit_code == 0, result.output
    assert "Layer 1 · Head 1 · Attention scores" in result.stdout
    assert "layers[1].heads[1].scores" in worked
    assert worked.count("layers[1].residual2") == worked.count("layers[2].Q") == 0


@pytest.mark.real("torch", "transformers")
def test_the_numbers_are_those_of_the_model(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(3)
    config = transformers.GPT2Config(n_embd=16, n_layer=2, n_head=4, vocab_size=30)
    model = transformers.GPT2LMHeadModel(config).eval()
    model.save_pretrained(tmp_path)
    words = ("--text", "5,17,2", "--step", "unembed", "--format", "json", "--values-only")
    data = json.loads(run("--from", tmp_path, *words).stdout)
    right = model(torch.tensor([[5, 17, 2]])).logits[0].detach().numpy()
    (ours,) = (q["values"] for q in data["steps"][0]["quantities"] if q["name"] == "logits")
    assert np.allclose(ours, right, atol=1e-4)


def test_a_scenario_or_a_model_is_named_and_not_both(tmp_path: Path) -> None:
    for words, says in (
        ((), "missing argument"),
        (("i_love_ai", "--from", tmp_path), "a scenario and a model; keep one"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert says in result.stderr
    assert "config.json" in run("--from", tmp_path).stderr
