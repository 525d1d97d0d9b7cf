"""From tokens to losses, and what newer models do, in PyTorch's tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from tests.models.torch_cases.case import (
    Case,
    Family,
    Mapping,
    array,
    case,
    coin,
    linear,
    matrix,
    norm,
    shake,
    size,
)  # fmt: skip
from tests.models.torch_cases.layers import causal, place, record_of


def _vocabulary(rng: np.random.Generator) -> tuple[list[str], list[int]]:
    words = [f"w{i}" for i in range(size(rng, 3, 8))]
    return words, [size(rng, 0, len(words) - 1) for _ in range(size(rng, 1, 5))]


def _tokens(words: list[str], ids: list[int]) -> Mapping:
    return {
        "tokens": [words[i] for i in ids],
        "vocabulary": {word: i for i, word in enumerate(words)},
    }


def language_model(rng: np.random.Generator) -> Case:
    """Embedding, learned positions, causal layers, tied logits, cross-entropy."""
    words, ids = _vocabulary(rng)
    heads = size(rng, 1, 2)
    d_model, n = 2 * heads, len(ids)
    table = shake(rng, nn.Embedding(len(words), d_model))
    wpe = shake(rng, nn.Embedding(6, d_model))
    made = (
        nn.TransformerEncoderLayer(
            d_model, heads, 3, 0.0, "gelu", batch_first=True, norm_first=True
        )
        for _ in range(size(rng, 1, 2))
    )
    layers = [shake(rng, layer) for layer in made]
    final = shake(rng, nn.LayerNorm(d_model))
    X = x = table(torch.tensor(ids)) * d_model**0.5 + wpe(torch.arange(n))
    for value in layers:
        x = value(x[None], src_mask=causal(n))[0]
    logits = final(x) @ table.weight.T
    targets = [size(rng, 0, len(words) - 1) for _ in ids]
    losses = functional.cross_entropy(logits, torch.tensor(targets), reduction="none")
    mean = functional.cross_entropy(logits, torch.tensor(targets))
    scenario = {
        **_tokens(words, ids),
        "embeddings": array(table.weight),
        "embedding_scale": "sqrt_d_model",
        "positions": array(wpe.weight),
        "layers": [{**record_of(value, "gelu"), "mask": "causal"} for value in layers],
        "final_norm": norm(final),
        "unembedding": "tied",
        "targets": [words[i] for i in targets],
    }
    return case(
        scenario, X=X, logits=logits, probabilities=logits.log_softmax(-1).exp(),
        loss=losses[:, None], cross_entropy=mean[None], perplexity=mean.exp()[None],
    )  # fmt: skip


def sampling(rng: np.random.Generator) -> Case:
    """Logits of the last token; temperature, top-k, top-p."""
    words, ids = _vocabulary(rng)
    d_model = size(rng, 1, 4)
    table = matrix(rng, len(words), d_model)
    head = shake(rng, nn.Linear(d_model, len(words), bias=coin(rng)))
    X = table[ids]
    attended = functional.scaled_dot_product_attention(X[None], X[None], X[None])[0]
    logits = head(attended[-1])
    T, k, p = rng.uniform(0.3, 3), size(rng, 1, len(words)), rng.uniform(0.1, 0.99)
    kept = logits / T >= torch.topk(logits / T, k).values[-1]
    probabilities = torch.where(kept, logits / T, -torch.inf).softmax(-1)
    order = probabilities.argsort(descending=True)
    before = probabilities[order].cumsum(0) - probabilities[order]
    nucleus = torch.zeros(len(words), dtype=torch.float64)
    nucleus[order[before < p]] = 1
    chosen = probabilities * nucleus
    scenario = {
        **_tokens(words, ids),
        "embeddings": array(table),
        "projection": "none",
        "weights_layout": "linear",
        **linear(head, "unembedding", "b_U"),
        "next": {"temperature": T, "top_k": k, "top_p": p},
    }
    expected = {"next.kept": kept.double(), "next.nucleus": nucleus}
    expected["next.renormalized"] = chosen / chosen.sum()
    return case(scenario, logits=logits, probabilities=probabilities, **expected)


def _turned(x: torch.Tensor, base: float, *, half: bool) -> torch.Tensor:
    """Rotary positions as multiplication by complex numbers: [h, n, d]."""
    _, n, width = x.shape
    powers = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(n, dtype=torch.float64)[:, None] * powers
    turns = torch.polar(torch.ones_like(angles), angles)
    if half:
        turned = torch.complex(x[..., : width // 2], x[..., width // 2 :]) * turns
        return torch.cat([turned.real, turned.imag], dim=-1)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], width // 2, 2).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2)


def _split(x: torch.Tensor, heads: int) -> torch.Tensor:
    """[n, h·d] -> [h, n, d]"""
    return x.reshape(len(x), heads, -1).transpose(0, 1)


def _llama_layer(rng: np.random.Generator, d_model: int) -> tuple[Any, Mapping]:
    """Random matrices [out, in] of a layer with grouped heads and a gated network."""
    groups = size(rng, 1, 2)
    heads, d_k, d_ff = groups * size(rng, 1, 2), 2 * size(rng, 1, 2), size(rng, 1, 5)
    shapes = {
        "W_Q": (heads * d_k, d_model), "W_K": (groups * d_k, d_model),
        "W_V": (groups * d_k, d_model), "W_O": (d_model, heads * d_k),
        "W1": (d_ff, d_model), "W3": (d_ff, d_model), "W2": (d_model, d_ff),
    }  # fmt: skip
    W = {name: matrix(rng, *shape) for name, shape in shapes.items()}
    norms = [shake(rng, nn.RMSNorm(d_model, eps=1e-5)) for _ in range(2)]
    gate = "swiglu" if coin(rng) else "geglu"
    record: Mapping = {
        "block": "encoder", "norm": "pre", "mask": "causal", "activation": gate,
        "heads": heads, "kv_heads": groups, "weights_layout": "linear",
        "norm1": norm(norms[0]), "norm2": norm(norms[1]),
        **{name: array(weight) for name, weight in W.items()},
    }  # fmt: skip
    return (W, norms, heads, groups, gate), record


def rotary(rng: np.random.Generator) -> Case:
    """The layers of Llama: RMS norms, rotary positions, grouped heads, gated networks."""
    d_model, n, base = size(rng, 2, 5), size(rng, 1, 5), float(rng.choice([10000, 100, 500000]))
    half = coin(rng)
    X = x = matrix(rng, n, d_model)
    records, expected, layers = [], {}, size(rng, 1, 2)
    for i in range(layers):
        (W, norms, heads, groups, gate), record = _llama_layer(rng, d_model)
        records.append(record)
        y = norms[0](x)
        Q, K = (
            _turned(_split(y @ W[name].T, count), base, half=half)
            for name, count in (("W_Q", heads), ("W_K", groups))
        )
        outputs = functional.scaled_dot_product_attention(
            Q[None], K[None], _split(y @ W["W_V"].T, groups)[None], is_causal=True, enable_gqa=True
        )[0]
        x = x + outputs.transpose(0, 1).reshape(n, -1) @ W["W_O"].T
        y = norms[1](x)
        act = functional.silu if gate == "swiglu" else functional.gelu
        x = x + (act(y @ W["W1"].T) * (y @ W["W3"].T)) @ W["W2"].T
        path = place(i, layers)
        expected[f"{path}residual2"] = x
        text = f"{path}heads[1]." if heads > 1 else path
        expected[f"{text}rotated_Q"] = Q[0]
        expected[f"{text}rotated_K"] = K[0]
    rope: Mapping = {"kind": "rope", "pairs": "half" if half else "interleaved", "base": base}
    return case({"X": array(X), "positions": rope, "layers": records}, **expected)


def biased_scores(rng: np.random.Generator) -> Case:
    """Soft caps, ALiBi's distances, temperature and a sliding window."""
    n, heads, d = size(rng, 1, 6), int(rng.choice([1, 2, 4])), size(rng, 1, 3)
    Q, K, V = (matrix(rng, heads, n, d) for _ in range(3))
    cap, T, w = rng.uniform(1, 5), rng.uniform(0.5, 2), size(rng, 1, 4)
    distance = (torch.arange(n)[:, None] - torch.arange(n)).abs()
    hidden = causal(n) | (distance >= w)
    slopes = [2 ** (-8 * (j + 1) / heads) for j in range(heads)]
    scores = Q @ K.transpose(1, 2) / d**0.5
    biased = cap * torch.tanh(scores / cap) - torch.tensor(slopes)[:, None, None] * distance
    weights = (biased / T).masked_fill(hidden, -torch.inf).softmax(-1)
    sides = {
        name: np.hstack([array(value) for value in x])
        for name, x in zip("QKV", (Q, K, V), strict=True)
    }
    scenario = {
        **sides, "heads": heads, "positions": "alibi", "softcap": cap,
        "temperature": T, "mask": ["causal", {"window": w}],
    }  # fmt: skip
    expected: Mapping = {}
    for j in range(heads):
        path = f"heads[{j + 1}]." if heads > 1 else ""
        expected |= {f"{path}weights": weights[j], f"{path}output": (weights @ V)[j]}
    return case(scenario, **expected)


def dropped_weights(rng: np.random.Generator) -> Case:
    """Dropout with a mask that is known."""
    n, d = size(rng, 1, 5), size(rng, 1, 3)
    Q, K, V = (matrix(rng, n, d) for _ in range(3))
    p = rng.uniform(0.1, 0.6)
    torch.manual_seed(size(rng, 0, 10**6))
    weights = (Q @ K.T / d**0.5).softmax(-1)
    dropped = functional.dropout(weights, p)
    scenario: dict[str, Any] = {
        **{name: array(x) for name, x in zip("QKV", (Q, K, V), strict=True)},
        "dropout": {"p": p, "mask": array((dropped != 0).int())},
    }
    return case(scenario, dropped=dropped, output=dropped @ V)


MODELS: tuple[Family, ...] = (
    language_model, sampling, rotary, biased_scores, dropped_weights,
)  # fmt: skip
