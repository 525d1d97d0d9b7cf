"""Norms, encoder and decoder layers, stacks of them, and the whole nn.Transformer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from tests.models.torch_cases.attention import masks
from tests.models.torch_cases.case import (
    Case,
    Family,
    Mapping,
    array,
    case,
    coin,
    linear,
    matrix,
    multihead,
    norm,
    padding,
    positions,
    recorded,
    shake,
    size,
)  # fmt: skip

ACTIVATIONS: dict[str, Any] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "mish": functional.mish,
    "leaky_relu": functional.leaky_relu,
    "elu": functional.elu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}


def _normed(rng: np.random.Generator, module: Any, width: int) -> Case:
    """A norm after the plainest attention there is."""
    X = matrix(rng, size(rng, 1, 5), width)
    attended = functional.scaled_dot_product_attention(X[None], X[None], X[None])[0]
    scenario = {"X": array(X), "projection": "none", "final_norm": norm(module)}
    return case(scenario, output=attended, final_norm__normed=module(attended))


def layer_norm(rng: np.random.Generator) -> Case:
    """nn.LayerNorm, with and without gain and bias."""
    width, plain = size(rng, 2, 8), rng.random() < 0.2
    module = nn.LayerNorm(
        width, eps=10 ** -rng.uniform(1, 6), elementwise_affine=not plain, bias=coin(rng)
    )
    return _normed(rng, shake(rng, module), width)


def rms_norm(rng: np.random.Generator) -> Case:
    """nn.RMSNorm, with and without gain."""
    width, plain = size(rng, 1, 8), rng.random() < 0.3
    module = nn.RMSNorm(width, eps=10 ** -rng.uniform(1, 6), elementwise_affine=not plain)
    return _normed(rng, shake(rng, module), width)


def _sizes(rng: np.random.Generator) -> Mapping:
    heads = size(rng, 1, 3)
    return {
        "d_model": heads * size(rng, 2, 3),
        "nhead": heads,
        "dim_feedforward": size(rng, 1, 6),
        "dropout": 0.0,
        "layer_norm_eps": 10 ** -rng.uniform(2, 6),
        "batch_first": True,
        "norm_first": coin(rng),
        "bias": rng.random() < 0.8,
    }


def record_of(module: Any, activation: str) -> Mapping:
    """The layer record of an nn.TransformerEncoderLayer or nn.TransformerDecoderLayer."""
    decoder = isinstance(module, nn.TransformerDecoderLayer)
    record: Mapping = {
        "block": "decoder" if decoder else "encoder",
        "norm": "pre" if module.norm_first else "post",
        "activation": activation,
        **multihead(module.self_attn),
        **linear(module.linear1, "W1", "b1"),
        **linear(module.linear2, "W2", "b2"),
        "norm1": norm(module.norm1),
        "norm2": norm(module.norm2),
    }
    if decoder:
        record["cross"] = multihead(module.multihead_attn)
        record["norm3"] = norm(module.norm3)
    return record


def place(i: int, layers: int) -> str:
    """A layer's path, which a single layer goes without."""
    return f"layers[{i + 1}]." if layers > 1 else ""


def _watched(stack: Any, path: str = "") -> dict[str, Any]:
    """The modules of a stack by the names of the quantities that they give."""
    modules: dict[str, Any] = {}
    for i, layer in enumerate(stack.layers):
        for name in ("norm1", "norm2", "norm3"):
            if hasattr(layer, name):
                full = f"{path}{place(i, len(stack.layers))}{name}.normed"
                modules[full] = getattr(layer, name)
    if stack.norm is not None:
        modules[f"{path}final_norm.normed"] = stack.norm
    return modules


def _stacked(rng: np.random.Generator, layer: Any, sizes: Mapping) -> Any:
    decoder = isinstance(layer, nn.TransformerDecoderLayer)
    final = nn.LayerNorm(sizes["d_model"], eps=1e-4) if coin(rng) else None
    if decoder:
        return nn.TransformerDecoder(layer, size(rng, 1, 3), norm=final)
    return nn.TransformerEncoder(layer, size(rng, 1, 3), norm=final, enable_nested_tensor=False)


def _scenario(stack: Any, activation: str, **each: Any) -> Mapping:
    """The scenario of a stack; what `each` says stands in every layer."""
    layers = [record_of(layer, activation) | each for layer in stack.layers]
    return {"layers": layers, **({"final_norm": norm(stack.norm)} if stack.norm else {})}


def _last(stack: Any, output: Any) -> Mapping:
    """The stack's output by its name: of its last norm, or its last residual."""
    if stack.norm is not None:
        return {"final_norm.normed": output}
    layer, number = stack.layers[-1], 3 if hasattr(stack.layers[-1], "norm3") else 2
    path = place(len(stack.layers) - 1, len(stack.layers))
    last = f"residual{number}" if layer.norm_first else f"norm{number}.normed"
    return {f"{path}{last}": output}


def encoder(rng: np.random.Generator) -> Case:
    """nn.TransformerEncoder of one to three layers."""
    sizes, n = _sizes(rng), size(rng, 1, 5)
    name = str(rng.choice(list(ACTIVATIONS)))
    layer = nn.TransformerEncoderLayer(**sizes, activation=ACTIVATIONS[name])
    stack = shake(rng, _stacked(rng, layer, sizes))
    X = matrix(rng, n, sizes["d_model"])
    entries, given = masks(rng, n, n)
    names = {"attn_mask": "mask", "key_padding_mask": "src_key_padding_mask"}
    with recorded(_watched(stack)) as made:
        output = stack(X[None], **{names[key]: mask for key, mask in given.items()})
    scenario = _scenario(stack, name, **({"mask": entries} if entries else {}))
    return case({"X": array(X), **scenario}, **(made | _last(stack, output[0])))


def decoder(rng: np.random.Generator) -> Case:
    """nn.TransformerDecoder of one to three layers over a memory."""
    sizes, n, m = _sizes(rng), size(rng, 1, 5), size(rng, 1, 5)
    name = str(rng.choice(list(ACTIVATIONS)))
    layer = nn.TransformerDecoderLayer(**sizes, activation=ACTIVATIONS[name])
    stack = shake(rng, _stacked(rng, layer, sizes))
    X, memory = matrix(rng, n, sizes["d_model"]), matrix(rng, m, sizes["d_model"])
    padded = padding(rng, m)
    scenario = _scenario(stack, name)
    for record in scenario["layers"]:
        if padded.any():
            record["cross"]["mask"] = [{"padding": positions(padded)}]
    with recorded(_watched(stack)) as made:
        output = stack(
            X[None], memory[None], tgt_mask=causal(n),
            memory_key_padding_mask=torch.from_numpy(padded)[None],
        )  # fmt: skip
    inputs = {"X": array(X), "memory": array(memory)}
    return case(inputs | scenario, **(made | _last(stack, output[0])))


def encoder_decoder(rng: np.random.Generator) -> Case:
    """The whole nn.Transformer."""
    sizes, n, m = _sizes(rng), size(rng, 1, 4), size(rng, 1, 4)
    counts: Mapping = {"num_encoder_layers": size(rng, 1, 2), "num_decoder_layers": size(rng, 1, 2)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of nested tensors, which we have none of
        model = shake(rng, nn.Transformer(**sizes, **counts, activation="gelu"))
    source, target = matrix(rng, m, sizes["d_model"]), matrix(rng, n, sizes["d_model"])
    watched = _watched(model.encoder, "encoder.") | _watched(model.decoder)
    with recorded(watched) as made:
        output = model(source[None], target[None], tgt_mask=causal(n))
    scenario = {
        "encoder": {"X": array(source), **_scenario(model.encoder, "gelu")},
        "X": array(target),
        **_scenario(model.decoder, "gelu"),
    }
    return case(scenario, **(made | _last(model.decoder, output[0])))


def causal(n: int) -> torch.Tensor:
    """The bool mask under which no query sees a later key."""
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)


LAYERS: tuple[Family, ...] = (layer_norm, rms_norm, encoder, decoder, encoder_decoder)
