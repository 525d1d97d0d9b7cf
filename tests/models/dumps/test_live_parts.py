"""Which quantity a part of a module makes, where its name alone doesn't say that."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

pytest.importorskip("torch")
import torch

from attncli.models.dumps.suspects import Suspects
from attncli.models.live.comparing import compare
from tests.helpers import other_modules

pytestmark = pytest.mark.real("torch")

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
    model, runs = shared_layers(), cycle((1, 2))

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


class EndsWithOutput(torch.nn.Module):
    """A Linear called `output`, which is the unembedding, or a network's last one."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor
        self.output = torch.nn.Linear(4, 6, bias=False)

    def forward(self, rows: Any) -> Any:
        return self.output(rows * self.factor)


class NetworkWithOutput(torch.nn.Module):
    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor
        self.first, self.output = torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)

    def forward(self, rows: Any) -> Any:
        return rows + self.output(self.first(rows).relu() * self.factor)


@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_a_part_called_output_is_what_its_weight_makes(factor: float) -> None:
    torch.manual_seed(4)
    rows = torch.randn(1, 5, 4)
    ends = EndsWithOutput(factor)
    like = {"X": rows[0], "unembedding": ends.output.weight.T, "predict_from": "every"}
    found = compare(ends, rows, like=like)
    assert found.first == (None if factor == 1 else "logits")
    assert found.names == {"module.output": "logits", "output": "logits"}
    network = NetworkWithOutput(factor)
    p = dict(network.named_parameters())
    like = {
        "X": rows[0], "block": "encoder", "norm": "none", "until": "ffn",
        "W_Q": torch.zeros(4, 4), "W_K": torch.zeros(4, 4), "W_V": torch.zeros(4, 4),
        "activation": "relu", "W1": p["first.weight"].T, "b1": p["first.bias"],
        "W2": p["output.weight"].T, "b2": p["output.bias"],
    }  # fmt: skip
    found = compare(network, rows, like=like, names={"output": ""})
    assert found.names["module.output"] == "ffn"
    assert found.first == (None if factor == 1 else "ffn")
