"""Which quantity a part of a module makes, where its name alone doesn't say that."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
import torch

from attncli.dumps.suspects import Suspects
from attncli.errors import UserError
from attncli.library.live import compare
from tests.helpers import other_modules

IDS = torch.tensor([[5, 17, 2, 29, 8]])


def shared_layers() -> Any:
    """A model whose second layer is the first one."""
    torch.manual_seed(2)
    model: Any = other_modules.Cs336Model()
    model.layers[1] = model.layers[0]
    return model


def test_of_a_part_that_runs_twice_each_run_is_judged() -> None:
    found = compare(shared_layers(), IDS)
    assert found.follows, str(found)
    assert found.names["layers.0 (run 1)"] == "layers[1].residual2"
    for run in (1, 2):
        for part, ours in (("ffn.w1", "hidden"), ("ln2", "norm2.normed"), ("attn.q_proj", "Q")):
            assert found.names[f"layers.0.{part} (run {run})"] == f"layers[{run}].{ours}"


@pytest.mark.parametrize("wrong", [1, 2])
def test_a_run_departs_where_it_stands(wrong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suspects, "causes", lambda *_: ())  # only the place is looked at
    model, runs = shared_layers(), iter((1, 2))

    def changed(_module: Any, _inputs: Any, made: Any) -> Any:
        return made * 1.5 if next(runs) == wrong else made

    model.layers[0].ffn.w1.register_forward_hook(changed)
    assert compare(model, IDS).first == f"layers[{wrong}].hidden"


@pytest.mark.parametrize(
    ("kind", "quantity"), [("bert", "X"), ("electra", "embedding_norm.normed")]
)
def test_a_module_called_embeddings_is_not_the_table(kind: str, quantity: str) -> None:
    transformers = pytest.importorskip("transformers")
    sizes = {
        "hidden_size": 16, "intermediate_size": 24, "vocab_size": 30, "num_hidden_layers": 1,
        "num_attention_heads": 4, "embedding_size": 8, "max_position_embeddings": 20,
    }  # fmt: skip
    config = transformers.AutoConfig.for_model(kind, **sizes)
    model = transformers.AutoModel.from_config(config, attn_implementation="eager").eval()
    found = compare(model, IDS)
    assert found.follows, str(found)
    assert found.names.get("embeddings", found.names["embeddings.LayerNorm"]) == quantity


def test_a_layer_of_a_model_alone_is_refused_with_what_to_do() -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=8, intermediate_size=8, vocab_size=9, num_hidden_layers=1, num_attention_heads=2
    )
    model = transformers.LlamaForCausalLM(config).eval()
    x = torch.randn(1, 3, 8)
    turned = model.model.rotary_emb(x, torch.arange(3)[None])
    with pytest.raises(UserError, match="LlamaDecoderLayer: this is a part of a model"):
        compare(model.model.layers[0], x, like=config, position_embeddings=turned)


def test_a_part_after_a_bug_is_what_follows_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """T5's scaled logits are told by what stands before them, however wrong that is; and the block
    of a single layer by what it ends with, not by what comes after it."""
    transformers = pytest.importorskip("transformers")
    monkeypatch.setattr(Suspects, "causes", lambda *_: ())
    config = transformers.T5Config(
        vocab_size=32, d_model=16, d_kv=4, d_ff=24, num_layers=1, num_heads=4
    )
    torch.manual_seed(1)
    model = transformers.T5ForConditionalGeneration(config).eval()
    model.decoder.final_layer_norm.register_forward_hook(lambda _m, _i, out: out.flip(-1) * 3)
    found = compare(model, input_ids=IDS, decoder_input_ids=IDS[:, :3])
    departing = [c.name for c in found.comparison.compared if c.standing == "departs"]
    assert departing == ["final_norm.normed"]
    assert found.names["lm_head"] == "scaled_logits"
