"""The hooks that the reference prints, run on modules of PyTorch and of transformers, and what
`attn diff` says of what they saw."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from tests.conftest import sampled

torch: Any = pytest.importorskip("torch")

pytestmark = pytest.mark.real("torch")

ROOT = Path(__file__).parents[3]
REFERENCE = (ROOT / "scenarios" / "README.md").read_text("utf-8")
IDS = [[5, 17, 2, 29, 8]]
(RECIPE,) = re.findall(r"```python\n(def keep\(name\):\n.*?)```", REFERENCE, re.DOTALL)


def hooked(model: Any, *inputs: Any, **more: Any) -> dict[str, Any]:
    """What the recipe keeps while a model runs."""
    names: dict[str, Any] = {"model": model}
    exec(compile(RECIPE, "scenarios/README.md", "exec"), names)
    with torch.no_grad():
        model(*inputs, **more)
    dump: dict[str, Any] = names["dump"]
    return dump


def diff(folder: Path, data: dict[str, Any], dump: dict[str, Any], *options: str) -> dict[str, Any]:
    """What `attn diff` says of a dump, with its exit status."""
    scenario = {**data, "rounding": {"policy": "exact"}}
    (folder / "s.json").write_text(json.dumps(scenario, default=np.ndarray.tolist), "utf-8")
    return judged(folder, folder / "s.json", dump, *options)


def judged(folder: Path, scenario: Path, dump: dict[str, Any], *options: str) -> dict[str, Any]:
    np.savez(folder / "dump.npz", **dump)
    typed = ["diff", str(scenario), str(folder / "dump.npz"), "--format", "json", *options]
    result = CliRunner().invoke(app, typed, catch_exceptions=False)
    return {**json.loads(result.stdout), "status": result.exit_code}


class Alone(torch.nn.Module):  # type: ignore[misc]
    """A module as a part of another one, which hooks call by its name."""

    def __init__(self, name: str, module: Any) -> None:
        super().__init__()
        self.name = name
        setattr(self, name, module)

    def forward(self, *inputs: Any, **more: Any) -> Any:
        return getattr(self, self.name)(*inputs, **more)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_the_attention_of_pytorch(dtype: str, tmp_path: Path) -> None:
    torch.manual_seed(2)
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=getattr(torch, dtype)).eval()
    x = torch.randn(1, 5, 8, dtype=getattr(torch, dtype))
    dump = hooked(Alone("self_attn", module), x, x, x, need_weights=False)
    assert dump["self_attn"].shape == (1, 5, 8)
    W_Q, W_K, W_V = (value.double().numpy() for value in module.in_proj_weight.detach().chunk(3))
    W_O = module.out_proj.weight.detach().double().numpy()
    data = {"X": x[0].double().numpy(), "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O, "heads": 2}
    entries = diff(tmp_path, {**data, "weights_layout": "linear"}, dump)
    assert entries["status"] == 0
    assert [value["quantity"] for value in entries["tensors"]] == ["attention"]
    scaled = {"self_attn": dump["self_attn"] * 3}
    entries = diff(tmp_path, {**data, "weights_layout": "linear"}, scaled, "--precision", dtype)
    assert entries["status"] == 1


@pytest.mark.parametrize("options", [(), ("--map", "lstm=a[*]")])
def test_an_lstm(options: tuple[str, ...], tmp_path: Path) -> None:
    torch.manual_seed(2)
    module = torch.nn.LSTM(3, 4, batch_first=True)
    x = torch.randn(1, 5, 3)
    dump = hooked(Alone("lstm", module), x)
    weights = {
        f"{name[0].replace('w', 'W')}_{name.split('_')[1]}": value.detach().double().numpy()
        for name, value in module.named_parameters()
    }
    data = {"X": x[0].double().numpy(), "cell": "lstm", "weights_layout": "torch", **weights}
    entries = diff(tmp_path, data, dump, *options)
    assert entries["status"] == 0
    names = [value["quantity"] for value in entries["tensors"]]
    assert names == [*([f"a[{t}]" for t in range(1, 6)] if options else []), "states"]
    dump["lstm"][0, 2, 1] += 0.01
    entries = diff(tmp_path, data, dump, *options)
    assert entries["status"] == 1
    assert entries["first"]["quantity"] == ("a[3]" if options else "states")


SIZES = {
    "hidden_size": 16, "intermediate_size": 24, "vocab_size": 30, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0,
}  # fmt: skip
"""Those of a tiny model, as most families call them."""


def saved(folder: Path, family: str, **more: int) -> Any:
    """How a random model of a family is loaded, of which `attn new` makes a scenario."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(4)
    config = transformers.AutoConfig.for_model(family, **SIZES, **more)
    kind = transformers.AutoModelForMaskedLM if family == "bert" else None
    kind = kind or transformers.AutoModelForCausalLM
    model = kind.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(5)
    model.save_pretrained(folder)
    tokens = ",".join(map(str, IDS[0]))
    new = ["new", str(folder / "m.yaml"), "--from", str(folder), "--tokens", tokens]
    assert CliRunner().invoke(app, new).exit_code == 0
    return kind.from_pretrained


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A tiny Llama, and the scenario that `attn new` makes of it."""
    folder = tmp_path_factory.mktemp("llama")
    return saved(folder, "llama"), folder


@pytest.mark.parametrize(
    ("family", "more", "called"),
    [
        ("bert", {}, {"layer.0.attention": "layers[1].norm1.normed", "layer.1.output": "layers[2].norm2.normed"}),
        ("bloom", {"n_layer": 2}, {"h.0.self_attention": "layers[1].residual1", "h.1.mlp": "layers[2].residual2"}),
        ("olmo2", {}, {"layers.0.post_attention_layernorm": "layers[1].norm1.normed"}),
        ("gemma", {"head_dim": 4}, {"embed_tokens": "X", "layers.0.post_attention_layernorm": "layers[1].norm2.normed"}),
        ("gemma2", {"head_dim": 4}, {"layers.0.post_attention_layernorm": "layers[1].norm1_after.normed"}),
    ],
)  # fmt: skip
def test_what_is_called_alike_in_families_is_told_by_its_numbers(
    family: str, more: dict[str, int], called: dict[str, str], tmp_path: Path
) -> None:
    model = saved(tmp_path, family, **more)(tmp_path, attn_implementation="eager").eval()
    dump = hooked(model, torch.tensor(IDS))
    data = judged(tmp_path, tmp_path / "m.yaml", dump)
    assert data["first"] is None
    assert data["misshapen"] == []
    found = {value["quantity"]: value["called"] for value in data["tensors"]}
    for name, quantity in called.items():
        assert quantity in found
        full = next(x for x in dump if x.endswith(name))
        assert np.array_equal(dump[full], dump[found[quantity]])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_a_right_llama_of_transformers_follows(
    dtype: str, llama: tuple[Any, Path], tmp_path: Path
) -> None:
    """Its attention returns a tuple; its norms work in float32 whatever its own floats are."""
    loaded, folder = llama
    model = loaded(folder, dtype=getattr(torch, dtype), attn_implementation="eager").eval()
    dump = hooked(model, torch.tensor(IDS))
    assert {value.dtype.itemsize for value in dump.values()} <= {4, {"float64": 8}.get(dtype, 4)}
    data = judged(tmp_path, folder / "m.yaml", dump)
    assert data["type"] == dtype
    assert data["first"] is None
    assert data["counts"]["agrees"] >= 0.75 * len(data["tensors"])
    computed = {value["quantity"]: value["computed_in"] for value in data["tensors"]}
    assert computed["layers[1].norm1.normed"] == ("float32" if dtype == "float64" else None)
    assert computed["layers[1].Q"] is None


@sampled(3, dtype=["float64", "float32", "float16", "bfloat16"])
def test_a_broken_llama_of_transformers_does_not(
    dtype: str, llama: tuple[Any, Path], tmp_path: Path
) -> None:
    loaded, folder = llama
    model = loaded(folder, dtype=getattr(torch, dtype), attn_implementation="eager").eval()
    torch.manual_seed(5)
    with torch.no_grad():
        weight = model.model.layers[1].mlp.up_proj.weight
        weight.copy_(torch.randn_like(weight) * 0.1)
    dump = hooked(model, torch.tensor(IDS))
    data = judged(tmp_path, folder / "m.yaml", dump)
    assert data["status"] == 1
    assert data["first"]["quantity"] == "layers[2].up"
    only = {name: dump[name] for name in dump if name == "lm_head"}
    assert judged(tmp_path, folder / "m.yaml", only)["status"] in (1, 3)


def test_the_page_says_in_which_floats_a_tensor_was_computed(
    llama: tuple[Any, Path], tmp_path: Path
) -> None:
    loaded, folder = llama
    model = loaded(folder, dtype=torch.float64, attn_implementation="eager").eval()
    np.savez(tmp_path / "dump.npz", **hooked(model, torch.tensor(IDS)))
    typed = ["diff", str(folder / "m.yaml"), str(tmp_path / "dump.npz")]
    result = CliRunner().invoke(app, typed)
    assert result.exit_code == 0
    assert "as computed in float32." in " ".join(result.stdout.split())
