"""A GPT-2 with random weights as its checkpoint, and what NumPy alone takes to read and compute it:
`python tests/benchmarks/checkpoint.py FOLDER 5 17 2`.

As an engineer would write it: the tensors by safetensors' own reader, as float64, since that is what
is computed in; every layer, and every result kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

Array = NDArray[np.float64]

IDS = (5, 17, 2, 50000, 318, 11, 257, 1, 40256, 99, 1000, 20000, 7, 3, 42, 12345)
EPSILON = 1e-5
CONFIG: Mapping[str, Any] = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "n_layer": 12,
    "n_head": 12,
    "n_embd": 768,
    "n_positions": 1024,
    "vocab_size": 50257,
    "layer_norm_epsilon": EPSILON,
}
"""That of 124 million parameters (https://huggingface.co/openai-community/gpt2)."""


def save(folder: Path, **changed: int) -> None:
    """Writes the checkpoint: `model.safetensors`, float32, and `config.json`."""
    config = {**CONFIG, **changed}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    rng = np.random.default_rng(11)
    tensors = {}
    for name, shape in _shapes(**config).items():
        drawn = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.02)
        is_gamma = "ln_" in name and name.endswith("weight")
        tensors[f"transformer.{name}"] = drawn + 1 if is_gamma else drawn
    save_file(tensors, folder / "model.safetensors")


def _shapes(
    n_layer: int, n_embd: int, n_positions: int, vocab_size: int, **_: object
) -> dict[str, tuple[int, ...]]:
    d = n_embd
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (vocab_size, d)}
    shapes["wpe.weight"] = (n_positions, d)
    sides = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d)}
    sides |= {"mlp.c_fc": (d, 4 * d), "mlp.c_proj": (4 * d, d)}
    for i in range(n_layer):
        for name, (rows, columns) in sides.items():
            shapes[f"h.{i}.{name}.weight"] = (rows, columns)
            shapes[f"h.{i}.{name}.bias"] = (columns,)
        for norm in ("ln_1", "ln_2"):
            shapes |= {f"h.{i}.{norm}.{part}": (d,) for part in ("weight", "bias")}
    return shapes | {f"ln_f.{part}": (d,) for part in ("weight", "bias")}


def work(folder: Path, ids: Sequence[int]) -> list[Array]:
    """Every result that there is on the way to the probabilities, which are the last."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    read = load_file(folder / "model.safetensors")
    w = {k.removeprefix("transformer."): tensor.astype(np.float64) for k, tensor in read.items()}
    kept: list[Array] = []
    x = _kept(kept, w["wte.weight"][list(ids)])
    x = _kept(kept, x + w["wpe.weight"][: len(ids)])
    for i in range(config["n_layer"]):
        own = {
            k.removeprefix(f"h.{i}."): value for k, value in w.items() if k.startswith(f"h.{i}.")
        }
        x = _layer(kept, x, own, config["n_head"])
    logits = _kept(kept, _norm(kept, x, w, "ln_f") @ w["wte.weight"].T)
    _softmax(kept, logits)
    return kept


def _kept(kept: list[Array], made: Array) -> Array:
    kept.append(made)
    return made


def _layer(kept: list[Array], x: Array, w: Mapping[str, Array], heads: int) -> Array:
    joined = _linear(kept, _norm(kept, x, w, "ln_1"), w, "attn.c_attn")
    Q, K, V = (np.split(array, heads, axis=1) for array in np.split(joined, 3, axis=1))
    outputs = [_head(kept, q, k, v) for q, k, v in zip(Q, K, V, strict=True)]
    concat = _kept(kept, np.concatenate(outputs, axis=1))
    x = _kept(kept, x + _linear(kept, concat, w, "attn.c_proj"))
    hidden = _linear(kept, _norm(kept, x, w, "ln_2"), w, "mlp.c_fc")
    inside = sqrt(2 / pi) * (hidden + 0.044715 * hidden**3)
    activated = _kept(kept, 0.5 * hidden * (1 + np.tanh(inside)))
    return _kept(kept, x + _linear(kept, activated, w, "mlp.c_proj"))


def _head(kept: list[Array], q: Array, k: Array, v: Array) -> Array:
    scaled = _kept(kept, _kept(kept, q @ k.T) / sqrt(q.shape[1]))
    masked = _kept(kept, scaled + np.triu(np.full(scaled.shape, -np.inf), 1))
    return _kept(kept, _softmax(kept, masked) @ v)


def _linear(kept: list[Array], x: Array, w: Mapping[str, Array], name: str) -> Array:
    return _kept(kept, x @ w[f"{name}.weight"] + w[f"{name}.bias"])


def _norm(kept: list[Array], x: Array, w: Mapping[str, Array], name: str) -> Array:
    centered = _kept(kept, x - _kept(kept, x.mean(axis=1, keepdims=True)))
    variance = _kept(kept, (centered**2).mean(axis=1, keepdims=True))
    normed = _kept(kept, centered / np.sqrt(variance + EPSILON))
    return _kept(kept, normed * w[f"{name}.weight"] + w[f"{name}.bias"])


def _softmax(kept: list[Array], x: Array) -> Array:
    exp = _kept(kept, np.exp(_kept(kept, x - x.max(axis=1, keepdims=True))))
    return _kept(kept, exp / _kept(kept, exp.sum(axis=1, keepdims=True)))


if __name__ == "__main__":
    work(Path(sys.argv[1]), [*map(int, sys.argv[2:])])
