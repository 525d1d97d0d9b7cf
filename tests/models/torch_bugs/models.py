"""Three kinds of models in plain PyTorch, their modules called as their authors call them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tests.models.torch_cases.case import Mapping, array, linear, norm

WORDS = ("I", "can", "go", "alone", "now")
D, HEADS, FF, LAYERS, PADDING = 8, 2, 10, 2, 2


class Attention(nn.Module):
    """Attention with every step a method, and an nn.Identity for a hook on what it makes."""

    q_rot: Any
    k_rot: Any
    scores: Any
    scaled: Any
    masked: Any
    weights: Any
    z: Any
    concat: Any

    def __init__(self, groups: int = HEADS, heads: int = HEADS, bias: bool = True) -> None:
        super().__init__()
        self.n_heads, self.groups, self.width = heads, groups, 4
        self.q_proj = nn.Linear(D, heads * self.width, bias=bias)
        self.k_proj = nn.Linear(D, groups * self.width, bias=bias)
        self.v_proj = nn.Linear(D, groups * self.width, bias=bias)
        self.o_proj = nn.Linear(heads * self.width, D, bias=bias)
        for step in ("q_rot", "k_rot", "scores", "scaled", "masked", "weights", "z", "concat"):
            setattr(self, step, nn.Identity())

    def split(self, x: Any, heads: int) -> Any:
        """[b, n, h·d] -> [b, h, n, d]"""
        return x.view(*x.shape[:2], heads, -1).transpose(1, 2)

    def turn(self, x: Any, start: int) -> Any:  # noqa: ARG002
        return x

    def remember(self, x: Any, name: str) -> Any:  # noqa: ARG002
        return x

    def repeat(self, x: Any) -> Any:
        return x.repeat_interleave(self.n_heads // self.groups, dim=1)

    def scale(self, scores: Any) -> Any:
        return scores / self.width**0.5

    def mask(self, scores: Any) -> Any:
        return scores

    def softmax(self, scores: Any) -> Any:
        return scores.softmax(-1)

    def merge(self, z: Any) -> Any:
        """[b, h, n, d] -> [b, n, h·d]"""
        return z.transpose(1, 2).reshape(z.shape[0], z.shape[2], -1)

    def forward(self, x: Any) -> Any:
        q = self.q_rot(self.turn(self.split(self.q_proj(x), self.n_heads), self.start))
        k = self.k_rot(self.turn(self.split(self.k_proj(x), self.groups), self.start))
        v = self.split(self.v_proj(x), self.groups)
        k, v = self.repeat(self.remember(k, "k")), self.repeat(self.remember(v, "v"))
        scaled = self.scaled(self.scale(self.scores(q @ k.transpose(-1, -2))))
        weights = self.weights(self.softmax(self.masked(self.mask(scaled))))
        return self.o_proj(self.concat(self.merge(self.z(weights @ v))))

    start = 0


class CausalAttention(Attention):
    def hidden(self, n: int, m: int) -> Any:
        return torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)

    def mask(self, scores: Any) -> Any:
        return scores.masked_fill(self.hidden(*scores.shape[-2:]), torch.finfo(scores.dtype).min)


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(D, FF), nn.GELU(), nn.Linear(FF, D)

    def forward(self, x: Any) -> Any:
        return self.fc2(self.act(self.fc1(x)))


class PostNorm(nn.Module):
    """A layer of BERT's."""

    def __init__(self, attention: type[Attention]) -> None:
        super().__init__()
        self.attn, self.mlp = attention(), Mlp()
        self.ln1, self.ln2 = nn.LayerNorm(D, eps=1e-12), nn.LayerNorm(D, eps=1e-12)

    def forward(self, x: Any) -> Any:
        x = self.ln1(x + self.attn(x))
        return self.ln2(x + self.mlp(x))


class PreNorm(PostNorm):
    """A layer of GPT-2's."""

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class Bert(nn.Module):
    layer: type[PostNorm] = PostNorm
    attention: type[Attention] = Attention
    offset = 0

    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(len(WORDS), D)
        self.position_embeddings = nn.Embedding(9, D)
        self.layers = nn.ModuleList(self.layer(self.attention) for _ in range(LAYERS))

    def embed(self) -> Any:
        places = torch.arange(len(WORDS))[None]
        return self.word_embeddings(places) + self.position_embeddings(places + self.offset)

    def forward(self) -> Any:
        x = self.embed()
        for layer in self.layers:
            x = layer(x)
        return x

    def scenario(self) -> Mapping:
        return {
            "sentence": " ".join(WORDS), "vocabulary": {word: k for k, word in enumerate(WORDS)},
            "embeddings": array(self.word_embeddings.weight),
            "positions": array(self.position_embeddings.weight),
            "layers": [record(layer, "post") for layer in self.layers],
        }  # fmt: skip


class Gpt(Bert):
    layer = PreNorm
    attention = CausalAttention

    def __init__(self) -> None:
        super().__init__()
        self.ln_f = nn.LayerNorm(D)
        self.lm_head = nn.Linear(D, len(WORDS), bias=False)

    def final(self, x: Any) -> Any:
        return self.ln_f(x)

    def forward(self) -> Any:
        return self.lm_head(self.final(super().forward()))

    def scenario(self) -> Mapping:
        layers = [{**record(layer, "pre"), "mask": "causal"} for layer in self.layers]
        return {
            **super().scenario(), "layers": layers, "final_norm": norm(self.ln_f),
            "weights_layout": "linear", **linear(self.lm_head, "unembedding", ""),
            "predict_from": "every",
        }  # fmt: skip


class Framed(Gpt):
    """Its embeddings and its logits are scaled, and the logits have a cap, as Gemma's."""

    times, scale, cap = 3.0, 0.5, 2.0

    def __init__(self) -> None:
        super().__init__()
        self.output = nn.Identity()

    def embed(self) -> Any:
        places = torch.arange(len(WORDS))[None]
        return self.word_embeddings(places) * self.times + self.position_embeddings(places)

    def limit(self, logits: Any) -> Any:
        return self.cap * (logits / self.cap).tanh()

    def forward(self) -> Any:
        return self.output(self.limit(super().forward() * self.scale))

    def scenario(self) -> Mapping:
        said = {"embedding_scale": self.times, "logit_scale": self.scale, "logit_softcap": self.cap}
        return {**super().scenario(), **said}


def record(layer: Any, kind: str) -> Mapping:
    attn, mlp = layer.attn, layer.mlp
    return {
        "block": "encoder", "norm": kind, "heads": attn.n_heads, "activation": "gelu",
        "weights_layout": "linear", "norm1": norm(layer.ln1), "norm2": norm(layer.ln2),
        **linear(attn.q_proj, "W_Q", "b_Q"), **linear(attn.k_proj, "W_K", "b_K"),
        **linear(attn.v_proj, "W_V", "b_V"), **linear(attn.o_proj, "W_O", "b_O"),
        **linear(mlp.fc1, "W1", "b1"), **linear(mlp.fc2, "W2", "b2"),
    }  # fmt: skip


class Rotary(CausalAttention):
    """Grouped heads, and positions that turn halves."""

    base = 10000.0

    def __init__(self) -> None:
        super().__init__(groups=2, heads=4, bias=False)

    def angles(self, n: int, start: int, width: int) -> Any:
        powers = self.base ** (-torch.arange(0, width, 2) / width)
        return (torch.arange(n)[:, None] + start) * powers

    def turn(self, x: Any, start: int) -> Any:
        angles = self.angles(x.shape[2], start, x.shape[3])
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        return self.turned(x, cos, sin)

    def turned(self, x: Any, cos: Any, sin: Any) -> Any:
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(D, FF, bias=False)
        self.up_proj = nn.Linear(D, FF, bias=False)
        self.down_proj = nn.Linear(FF, D, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x: Any) -> Any:
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class LlamaLayer(nn.Module):
    def __init__(self, attention: type[Attention]) -> None:
        super().__init__()
        self.self_attn, self.mlp = attention(), Gated()
        self.input_layernorm = nn.RMSNorm(D, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(D, eps=1e-5)

    def forward(self, x: Any) -> Any:
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    attention: type[Attention] = Rotary

    def __init__(self) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(len(WORDS), D)
        self.layers = nn.ModuleList([LlamaLayer(self.attention)])
        self.norm = nn.RMSNorm(D, eps=1e-5)

    def forward(self) -> Any:
        return self.norm(self.layers[0](self.embed_tokens(torch.arange(len(WORDS))[None])))

    def scenario(self) -> Mapping:
        layer: Any = self.layers[0]
        attn, mlp = layer.self_attn, layer.mlp
        return {
            "sentence": " ".join(WORDS), "vocabulary": {word: k for k, word in enumerate(WORDS)},
            "embeddings": array(self.embed_tokens.weight),
            "block": "encoder", "norm": "pre", "mask": "causal", "activation": "swiglu",
            "heads": 4, "kv_heads": 2, "weights_layout": "linear",
            "positions": {"kind": "rope", "pairs": "half"},
            "norm1": norm(layer.input_layernorm), "norm2": norm(layer.post_attention_layernorm),
            "final_norm": norm(self.norm),
            **linear(attn.q_proj, "W_Q", ""), **linear(attn.k_proj, "W_K", ""),
            **linear(attn.v_proj, "W_V", ""), **linear(attn.o_proj, "W_O", ""),
            **linear(mlp.gate_proj, "W1", ""), **linear(mlp.up_proj, "W3", ""),
            **linear(mlp.down_proj, "W2", ""),
        }  # fmt: skip


class Cached(Rotary):
    """The last two tokens, the keys and values of the three before remembered."""

    start = 3
    cached_k: Any
    cached_v: Any

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cached_k", torch.randn(1, 2, 3, self.width))
        self.register_buffer("cached_v", torch.randn(1, 2, 3, self.width))

    def remember(self, x: Any, name: str) -> Any:
        cached = self.turn(self.cached_k, 0) if name == "k" else self.cached_v
        return torch.cat([cached, x], dim=2)


class Decoding(nn.Module):
    """A step of decoding: attention alone."""

    attention: type[Attention] = Cached

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Parameter(torch.randn(1, 2, D))
        self.attn = self.attention()

    def forward(self) -> Any:
        return self.attn(self.x)

    def scenario(self) -> Mapping:
        attn: Any = self.attn
        cached = {
            name: array(x[0].transpose(0, 1).reshape(3, -1))
            for name, x in (("K", attn.cached_k), ("V", attn.cached_v))
        }
        return {
            "X": array(self.x[0]), "cache": {"tokens": ["a", "b", "c"], **cached},
            "mask": "causal", "heads": 4, "kv_heads": 2, "weights_layout": "linear",
            "positions": {"kind": "rope", "pairs": "half"},
            **linear(attn.q_proj, "W_Q", ""), **linear(attn.k_proj, "W_K", ""),
            **linear(attn.v_proj, "W_V", ""), **linear(attn.o_proj, "W_O", ""),
        }  # fmt: skip


class Tied(Gpt):
    """Its head is its table of embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.lm_head.weight = self.word_embeddings.weight

    def scenario(self) -> Mapping:
        return {**super().scenario(), "unembedding": "tied"}


class PaddedAttention(CausalAttention):
    """The first two tokens are padding, which nobody else sees."""

    def hidden(self, n: int, m: int) -> Any:
        padding = (torch.arange(m) < PADDING)[None] & ~torch.eye(n, m, dtype=torch.bool)
        return super().hidden(n, m) | padding


class Padded(Gpt):
    """A text that begins with padding, whose positions aren't counted."""

    attention = PaddedAttention

    def places(self) -> Any:
        return (torch.arange(len(WORDS)) - PADDING).clamp(min=0)[None]

    def embed(self) -> Any:
        words = self.word_embeddings(torch.arange(len(WORDS))[None])
        return words + self.position_embeddings(self.places())

    def scenario(self) -> Mapping:
        data = super().scenario()
        places = {"kind": "table", "table": data["positions"], "ids": [0, 0, 0, 1, 2]}
        hidden = PaddedAttention().hidden(len(WORDS), len(WORDS))
        masked = [{**layer, "mask": {"blocked": hidden.int().numpy()}} for layer in data["layers"]]
        return {**data, "positions": places, "layers": masked}


class Large(Bert):
    """Its scores are beyond what float16 has."""

    def __init__(self) -> None:
        super().__init__()
        named = dict(self.named_parameters())
        for name in (name for name in named if name.endswith(("q_proj.weight", "k_proj.weight"))):
            named[name].data.mul_(1000)


class Lstm(nn.Module):
    """An LSTM, its parameters as PyTorch has them."""

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Parameter(torch.randn(4, D))
        shapes = {"W_ih": (4 * FF, D), "W_hh": (4 * FF, FF), "b_ih": (4 * FF,), "b_hh": (4 * FF,)}
        for name, shape in shapes.items():
            setattr(self, name, nn.Parameter(torch.randn(shape) * 0.3))
        self.lstm = nn.Identity()

    def gates(self, x: Any, a: Any) -> tuple[Any, ...]:
        stacked = self.W_ih @ x + self.b_ih + self.W_hh @ a + self.b_hh
        i, f, g, o = stacked.chunk(4)
        return i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()

    def state(self, o: Any, c: Any) -> Any:
        return o * c.tanh()

    def memory(self, gates: tuple[Any, ...], c: Any) -> Any:
        i, f, g, _ = gates
        return f * c + i * g

    def forward(self) -> Any:
        a, c = self.x.new_zeros(FF), self.x.new_zeros(FF)
        states = []
        for x in self.x:
            gates = self.gates(x, a)
            c = self.memory(gates, c)
            a = self.state(gates[3], c)
            states.append(a)
        return self.lstm(torch.stack(states)[None])

    def scenario(self) -> Mapping:
        weights = {name: array(getattr(self, name)) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
        return {"X": array(self.x), "cell": "lstm", "weights_layout": "torch", **weights}
