"""Attention as newer models have it, each step a method: norms of queries and keys, windows, caps,
ALiBi, T5's buckets, scaled rotation; and mixtures of experts."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from tests.models.torch_bugs.models import D, Gated, Rotary
from tests.models.torch_cases.case import Mapping, array, linear

N = 6


class Modern(Rotary):
    """Norms of queries and keys, a cap on scores, and a window."""

    cap, window = 2.0, 3
    q_normed: Any
    k_normed: Any
    capped: Any
    biased: Any

    def __init__(self) -> None:
        super().__init__()
        self.q_norm, self.k_norm = (nn.RMSNorm(self.width, eps=1e-5) for _ in range(2))
        for step in ("q_normed", "k_normed", "capped", "biased"):
            setattr(self, step, nn.Identity())

    def normed(self, x: Any, name: str) -> Any:
        return (self.q_norm if name == "q" else self.k_norm)(x)

    def turned_after(self, x: Any, name: str) -> Any:
        return self.turn(self.normed(x, name), self.start)

    def limit(self, scores: Any) -> Any:
        return self.cap * (scores / self.cap).tanh()

    def bias(self, scores: Any) -> Any:
        return scores

    def hidden(self, n: int, m: int) -> Any:
        apart = torch.arange(m) - torch.arange(n)[:, None]
        return (apart > 0) | (apart <= -self.window)

    def finish(self, scaled: Any) -> Any:
        return self.masked(self.mask(self.biased(self.bias(self.capped(self.limit(scaled))))))

    def values(self, x: Any) -> Any:
        return self.split(self.v_proj(x), self.groups)

    def forward(self, x: Any) -> Any:
        q = self.q_rot(self.turned_after(self.split(self.q_proj(x), self.n_heads), "q"))
        k = self.k_rot(self.turned_after(self.split(self.k_proj(x), self.groups), "k"))
        k, v = self.repeat(k), self.repeat(self.values(x))
        scaled = self.scaled(self.scale(self.scores(q @ k.transpose(-1, -2))))
        weights = self.weights(self.softmax(self.finish(scaled)))
        return self.o_proj(self.concat(self.merge(self.z(weights @ v))))

    def settings(self) -> Mapping:
        gammas = {"gamma_Q": array(self.q_norm.weight), "gamma_K": array(self.k_norm.weight)}
        return {
            "mask": ["causal", {"window": self.window}], "softcap": self.cap,
            "positions": {"kind": "rope", "pairs": "half"},
            "qk_norm": {"kind": "rms", "epsilon": self.q_norm.eps, **gammas},
        }  # fmt: skip


class Alone(nn.Module):
    """An attention alone, with its input."""

    attention: type[Modern] = Modern

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Parameter(torch.randn(1, N, D))
        self.attn: Any = self.attention()

    def forward(self) -> Any:
        return self.attn(self.x)

    def scenario(self) -> Mapping:
        attn = self.attn
        return {
            "X": array(self.x[0]), "heads": 4, "kv_heads": 2, "weights_layout": "linear",
            **attn.settings(), **linear(attn.q_proj, "W_Q", ""), **linear(attn.k_proj, "W_K", ""),
            **linear(attn.v_proj, "W_V", ""), **linear(attn.o_proj, "W_O", ""),
        }  # fmt: skip


class Unturned(Modern):
    """Without rotation, norms and caps; whoever inherits from it adds a bias."""

    def turned_after(self, x: Any, name: str) -> Any:  # noqa: ARG002
        return x

    def limit(self, scores: Any) -> Any:
        return scores

    def hidden(self, n: int, m: int) -> Any:
        return torch.ones(n, m, dtype=torch.bool).triu(1)


class Alibi(Unturned):
    def slopes(self) -> Any:
        return 2.0 ** (-8 * torch.arange(1, self.n_heads + 1) / self.n_heads)

    def distances(self, n: int) -> Any:
        return torch.arange(n) - torch.arange(n)[:, None]

    def bias(self, scores: Any) -> Any:
        bias = self.slopes()[:, None, None] * self.distances(scores.shape[-1])
        return scores + bias.to(scores.dtype)

    def settings(self) -> Mapping:
        return {"positions": "alibi", "mask": "causal"}


class Bucketed(Unturned):
    """T5's relative positions, of an encoder."""

    count, most, both = 8, 6, True

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(self.count, self.n_heads))

    def mask(self, scores: Any) -> Any:
        return scores

    def scale(self, scores: Any) -> Any:
        return scores

    def buckets(self, n: int) -> Any:
        apart = torch.arange(n) - torch.arange(n)[:, None]
        count = self.count // 2 if self.both else self.count
        first = (apart > 0) * count if self.both else torch.zeros_like(apart)
        size = apart.abs() if self.both else (-apart).clamp(min=0)
        exact = count // 2
        logs = torch.log(size.clamp(min=1).double() / exact) / math.log(self.most / exact)
        far = (exact + (logs * (count - exact) + 1e-12).long()).clamp(max=count - 1)
        return first + torch.where(size < exact, size, far)

    def bias(self, scores: Any) -> Any:
        return scores + self.table[self.buckets(scores.shape[-1])].permute(2, 0, 1)

    def settings(self) -> Mapping:
        relative = {"kind": "relative", "table": array(self.table), "max_distance": self.most}
        return {"positions": {**relative, "bidirectional": self.both}, "scale": "none"}


class Scaled(Modern):
    """Rotation whose frequencies are divided by what depends on their wavelength, as Llama 3's."""

    factor, low, high, original = 8.0, 1.0, 4.0, 1000
    cap, window = 3.0, 4

    def frequencies(self, width: int) -> Any:
        return self.base ** (-torch.arange(0, width, 2).double() / width)

    def stretched(self, frequencies: Any) -> Any:
        turns = self.original * frequencies / (2 * math.pi)
        kept = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return kept * frequencies + (1 - kept) * frequencies / self.factor

    def angles(self, n: int, start: int, width: int) -> Any:
        return (torch.arange(n)[:, None] + start) * self.stretched(self.frequencies(width))

    def settings(self) -> Mapping:
        scaling = {
            "kind": "llama3", "factor": self.factor, "low_freq_factor": self.low,
            "high_freq_factor": self.high, "original_length": self.original,
        }  # fmt: skip
        positions = {"kind": "rope", "pairs": "half", "scaling": scaling}
        return {**super().settings(), "positions": positions}


class Mixture(nn.Module):
    """Experts, each token going to two of them."""

    experts, chosen = 4, 2

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Parameter(torch.randn(1, N, D))
        self.router = nn.Linear(D, self.experts, bias=False)
        self.mlps = nn.ModuleList(Gated() for _ in range(self.experts))
        self.mixture = nn.Identity()

    def weights(self, logits: Any) -> Any:
        """[n, experts], 0 for those that aren't chosen"""
        top, where = logits.softmax(-1).topk(self.chosen, dim=-1)
        return torch.zeros_like(logits).scatter(-1, where, self.shared_out(top))

    def shared_out(self, top: Any) -> Any:
        return top / top.sum(-1, keepdim=True)

    def mixed(self, weights: Any, each: Any) -> Any:
        return (weights[..., None] * each).sum(-2)

    def forward(self) -> Any:
        x = (self.x @ self.x.mT / D**0.5).softmax(-1) @ self.x
        each = torch.stack([mlp(x) for mlp in self.mlps], dim=-2)
        return self.mixture(self.mixed(self.weights(self.router(x)), each))

    def scenario(self) -> Mapping:
        experts = [
            {
                **linear(mlp.gate_proj, "W1", ""), **linear(mlp.up_proj, "W3", ""),
                **linear(mlp.down_proj, "W2", ""),
            }
            for mlp in self.mlps
        ]  # fmt: skip
        router = {
            **linear(self.router, "W_R", ""), "top_k": self.chosen, "softmax": "all",
            "renormalize": True,
        }  # fmt: skip
        return {
            "X": array(self.x[0]), "projection": "none", "activation": "swiglu",
            "weights_layout": "linear", "router": router, "experts": experts,
        }  # fmt: skip
