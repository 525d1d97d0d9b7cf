"""Modules as nanoGPT and Dive into Deep Learning have them, by the names of their parts."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn


class NanoAttention(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.c_attn, self.c_proj, self.n_head = nn.Linear(d, 3 * d), nn.Linear(d, d), heads

    def scores(self, q: Any, k: Any) -> Any:
        return (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))

    def forward(self, x: Any) -> Any:
        b, t, d = x.size()
        q, k, v = (
            y.view(b, t, self.n_head, -1).transpose(1, 2) for y in self.c_attn(x).split(d, dim=2)
        )
        hidden = torch.ones(t, t).triu(1).bool()
        weights = self.scores(q, k).masked_fill(hidden, float("-inf")).softmax(-1)
        return self.c_proj((weights @ v).transpose(1, 2).reshape(b, t, d))


class NanoMlp(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.c_fc, self.gelu, self.c_proj = nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d)

    def forward(self, x: Any) -> Any:
        return self.c_proj(self.gelu(self.c_fc(x)))


class NanoBlock(nn.Module):
    attention: type[Any] = NanoAttention

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(d), self.attention(d, heads)
        self.ln_2, self.mlp = nn.LayerNorm(d), NanoMlp(d)

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class NanoGpt(nn.Module):
    block: type[Any] = NanoBlock

    def __init__(self, d: int = 8, heads: int = 2, layers: int = 2, words: int = 30) -> None:
        super().__init__()
        self.config = SimpleNamespace(n_head=heads, n_layer=layers, n_embd=d)
        blocks = nn.ModuleList([self.block(d, heads) for _ in range(layers)])
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(words, d),
                "wpe": nn.Embedding(16, d),
                "h": blocks,
                "ln_f": nn.LayerNorm(d),
            }
        )
        self.lm_head = nn.Linear(d, words, bias=False)
        self.transformer["wte"].weight = self.lm_head.weight

    def forward(self, idx: Any, targets: Any = None) -> Any:  # noqa: ARG002
        parts: Any = self.transformer
        x = parts["wte"](idx) + parts["wpe"](torch.arange(idx.shape[1]))
        for block in parts["h"]:
            x = block(x)
        return self.lm_head(parts["ln_f"](x)), None


class D2lAttention(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.num_heads = heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d, d, bias=False) for _ in range(4))

    def split(self, x: Any) -> Any:
        return x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, queries: Any, keys: Any, values: Any, valid_lens: Any = None) -> Any:  # noqa: ARG002
        q, k, v = (
            self.split(self.W_q(queries)),
            self.split(self.W_k(keys)),
            self.split(self.W_v(values)),
        )
        weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.W_o((weights @ v).permute(0, 2, 1, 3).flatten(2))


class D2lAddNorm(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.ln = nn.LayerNorm(d)

    def forward(self, x: Any, y: Any) -> Any:
        return self.ln(y + x)


class D2lFfn(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.dense1, self.relu, self.dense2 = nn.Linear(d, 12), nn.ReLU(), nn.Linear(12, d)

    def forward(self, x: Any) -> Any:
        return self.dense2(self.relu(self.dense1(x)))


class D2lBlock(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.attention, self.addnorm1 = D2lAttention(d, heads), D2lAddNorm(d)
        self.ffn, self.addnorm2 = D2lFfn(d), D2lAddNorm(d)

    def forward(self, x: Any, valid_lens: Any) -> Any:
        y = self.addnorm1(x, self.attention(x, x, x, valid_lens))
        return self.addnorm2(y, self.ffn(y))


class D2lEncoder(nn.Module):
    def __init__(self, d: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.num_hiddens, self.embedding = d, nn.Embedding(30, d)
        self.blks = nn.Sequential()
        for k in range(2):
            self.blks.add_module(f"block{k}", D2lBlock(d, heads))

    def forward(self, X: Any, valid_lens: Any) -> Any:
        n, d = X.shape[1], self.num_hiddens
        angles = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        x = self.embedding(X) * math.sqrt(d) + waves
        for block in self.blks:
            x = block(x, valid_lens)
        return x


class Cs336Norm(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.eps, self.weight = 1e-5, nn.Parameter(torch.rand(d) + 0.5)

    def forward(self, x: Any) -> Any:
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


class Cs336Attention(nn.Module):
    pairs = "interleaved"

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.num_heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.output_proj = (
            nn.Linear(d, d, bias=False) for _ in range(4)
        )

    def turned(self, x: Any) -> Any:
        n, d = x.shape[-2:]
        angles = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
        cos, sin = angles.cos(), angles.sin()
        half = self.pairs == "half"
        a, b = x.chunk(2, -1) if half else (x[..., 0::2], x[..., 1::2])
        turned = (a * cos - b * sin, a * sin + b * cos)
        return torch.cat(turned, -1) if half else torch.stack(turned, -1).flatten(-2)

    def forward(self, x: Any) -> Any:
        n = x.shape[1]
        q, k, v = (
            part(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in (self.q_proj, self.k_proj, self.v_proj)
        )
        scores = self.turned(q) @ self.turned(k).transpose(-1, -2) / math.sqrt(q.shape[-1])
        hidden = torch.ones(n, n).triu(1).bool()
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return self.output_proj((weights @ v).transpose(1, 2).flatten(2))


class Cs336Ffn(nn.Module):
    def __init__(self, d: int, ff: int) -> None:
        super().__init__()
        self.w1, self.w3 = nn.Linear(d, ff, bias=False), nn.Linear(d, ff, bias=False)
        self.w2 = nn.Linear(ff, d, bias=False)

    def forward(self, x: Any) -> Any:
        return self.w2(nn.functional.silu(self.w1(x)) * self.w3(x))


class Cs336Block(nn.Module):
    attention: type[Any] = Cs336Attention

    def __init__(self, d: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.ln1, self.attn = Cs336Norm(d), self.attention(d, heads)
        self.ln2, self.ffn = Cs336Norm(d), Cs336Ffn(d, 12)

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class Cs336Model(nn.Module):
    def __init__(self, d: int = 8) -> None:
        super().__init__()
        self.token_embeddings = nn.Embedding(30, d)
        self.layers = nn.ModuleList([Cs336Block(d) for _ in range(2)])
        self.ln_final, self.lm_head = Cs336Norm(d), nn.Linear(d, 30, bias=False)

    def forward(self, ids: Any) -> Any:
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))
