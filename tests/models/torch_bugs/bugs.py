"""The bugs: each a change of a right model, where it shows first in a dump, and what it is called.

`looks` says which modules the hooks are on: `all`, or only those that models have anyway (`real`:
projections, norms, activations, embeddings).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from tests.models.torch_bugs import models
from tests.models.torch_bugs.models import (
    Attention,
    Bert,
    Decoding,
    Framed,
    Gated,
    Gpt,
    Large,
    Llama,
    LlamaLayer,
    Lstm,
    Padded,
    PostNorm,
    PreNorm,
    Rotary,
    Tied,
)
from tests.models.torch_bugs.modern import (
    Alibi,
    Alone,
    Bucketed,
    Mixture,
    Modern,
    Scaled,
)

UNNAMED = "nothing"
"""What a bug is called that is known where it shows, and by no name."""


class Bug(NamedTuple):
    """A right kind of model and the wrong one, or what is done to it before it runs."""

    right: type[Any]
    wrong: type[Any]
    shows: str
    called: str
    looks: str = "all"
    dtype: torch.dtype = torch.float32
    done: Callable[[Any], None] = lambda _: None


def with_attention(kind: type[Any], right: type[Any], **methods: Any) -> type[Any]:
    """A model whose attention has some other methods."""
    own = right.attention
    return type(kind.__name__, (right,), {"attention": type("Wrong", (own,), methods)})


def attending(right: type[Any], shows: str, called: str, *more: Any, **methods: Any) -> Bug:
    return Bug(right, with_attention(right, right, **methods), shows, called, *more)


def layered(right: type[Any], layer: type[Any], shows: str, called: str, *more: Any) -> Bug:
    return Bug(right, type("Wrong", (right,), {"layer": layer}), shows, called, *more)


def changed(right: type[Any], shows: str, called: str, done: Any, *more: Any) -> Bug:
    return Bug(right, right, shows, called, *more)._replace(done=done)


def view_heads(_: Any, x: Any, heads: int) -> Any:
    return x.view(x.shape[0], heads, x.shape[1], -1)


def center_norms(model: Any) -> None:
    """Norms as LayerNorm has them where RMS norms belong."""
    for part in model.modules():
        if isinstance(part, nn.RMSNorm):
            part.register_forward_pre_hook(lambda _, x: (x[0] - x[0].mean(-1, keepdim=True),))


def see_no_later(_: Any, scores: Any) -> Any:
    return scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)


def exchanged(self: Any, x: Any) -> Any:
    """What attention gives whose keys are its values."""
    q = self.split(self.q_proj(x), self.n_heads)
    v, k = (self.split(made(x), self.groups) for made in (self.k_proj, self.v_proj))
    scaled = self.scaled(self.scale(self.scores(q @ k.transpose(-1, -2))))
    weights = self.weights(self.softmax(self.masked(self.mask(scaled))))
    return self.o_proj(self.concat(self.merge(self.z(weights @ v))))


def mask_after(self: Any, scores: Any) -> Any:
    weights = scores.softmax(-1)
    return weights.masked_fill(self.hidden(*scores.shape[-2:]), 0.0)


def drop(_: Any, scores: Any) -> Any:
    torch.manual_seed(3)
    return functional.dropout(scores.softmax(-1), 0.3, training=True)


def interleaved(_: Any, x: Any, cos: Any, sin: Any) -> Any:
    first, second = x[..., 0::2], x[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)


def turned_back(self: Any, x: Any, cos: Any, sin: Any) -> Any:
    return Rotary.turned(self, x, cos, -sin)


class UnbiasedNorm(nn.LayerNorm):
    def forward(self, x: Any) -> Any:
        centered = x - x.mean(-1, keepdim=True)
        return centered / (x.var(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias


class NoResidual(PostNorm):
    def forward(self, x: Any) -> Any:
        x = self.ln1(self.attn(x))
        return self.ln2(x + self.mlp(x))


class ResidualOfNormed(PreNorm):
    def forward(self, x: Any) -> Any:
        y = self.ln1(x)
        x = y + self.attn(y)
        return x + self.mlp(self.ln2(x))


class Parallel(PreNorm):
    def forward(self, x: Any) -> Any:
        return x + self.attn(self.ln1(x)) + self.mlp(self.ln2(x))


class ScaledEmbeddings(Gpt):
    def embed(self) -> Any:
        places = torch.arange(len(models.WORDS))[None]
        scaled = self.word_embeddings(places) * models.D**0.5
        return scaled + self.position_embeddings(places)


class UpForGate(Gated):
    def forward(self, x: Any) -> Any:
        return self.down_proj(self.gate_proj(x) * self.act_fn(self.up_proj(x)))


class UpForGateLayer(LlamaLayer):
    def __init__(self, attention: type[Attention]) -> None:
        super().__init__(attention)
        self.mlp = UpForGate()


def turn_values(self: Any, x: Any, name: str) -> Any:
    return self.turn(x, 0) if name == "v" else x


def tie_head(model: Any) -> None:
    model.lm_head.weight = model.word_embeddings.weight


def tie_norms(model: Any) -> None:
    for layer in model.layers:
        layer.ln2.load_state_dict(layer.ln1.state_dict())


def set_eps(model: Any) -> None:
    for layer in model.layers:
        layer.ln1.eps = layer.ln2.eps = 1e-5


def unbiased(model: Any) -> None:
    for layer in model.layers:
        layer.ln1.__class__ = layer.ln2.__class__ = UnbiasedNorm


def tanh_gelu(model: Any) -> None:
    for layer in model.layers:
        layer.mlp.act = nn.GELU(approximate="tanh")


def swap_k_v(model: Any) -> None:
    for layer in model.layers:
        layer.attn.k_proj, layer.attn.v_proj = layer.attn.v_proj, layer.attn.k_proj


def transpose_q(model: Any) -> None:
    for layer in model.layers:
        layer.attn.q_proj.weight = nn.Parameter(layer.attn.q_proj.weight.T.contiguous())


def tie_layers(model: Any) -> None:
    model.layers[1].mlp.fc1.load_state_dict(model.layers[0].mlp.fc1.state_dict())


def no_bias(model: Any) -> None:
    for layer in model.layers:
        layer.mlp.fc1.bias = None


def use_up_for_gate(model: Any) -> None:
    model.layers[0].mlp.__class__ = UpForGate


class EpsOutside(nn.LayerNorm):
    def forward(self, x: Any) -> Any:
        centered = x - x.mean(-1, keepdim=True)
        deviation = centered.square().mean(-1, keepdim=True).sqrt() + self.eps
        return centered / deviation * self.weight + self.bias


class NotCentred(nn.LayerNorm):
    def forward(self, x: Any) -> Any:
        scaled = x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return scaled * self.weight + self.bias


class OverTokens(nn.LayerNorm):
    def forward(self, x: Any) -> Any:
        centered = x - x.mean(-2, keepdim=True)
        deviation = (centered.square().mean(-2, keepdim=True) + self.eps).sqrt()
        return centered / deviation * self.weight + self.bias


class PlusOne(nn.RMSNorm):
    def forward(self, x: Any) -> Any:
        return super().forward(x) / self.weight * (1 + self.weight)


class FromTheInput(PreNorm):
    def forward(self, x: Any) -> Any:
        y = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(y))


class NextWords(Gpt):
    def embed(self) -> Any:
        places = torch.arange(len(models.WORDS))[None]
        words = self.word_embeddings((places + 1) % len(models.WORDS))
        return words + self.position_embeddings(places)


def keys_for_values(self: Any, x: Any, name: str) -> Any:
    if name == "k":
        self.kept = x
    return self.kept


def other_heads(self: Any, x: Any, name: str) -> Any:
    cached = self.turn(self.cached_k, 0) if name == "k" else self.cached_v
    return torch.cat([cached.flip(1), x], dim=2)


def queries_alone(self: Any, x: Any, start: int) -> Any:
    return Rotary.turn(self, x, start) if x.shape[1] == self.n_heads else x


def swap_q_k(model: Any) -> None:
    for layer in model.layers:
        layer.attn.q_proj, layer.attn.k_proj = layer.attn.k_proj, layer.attn.q_proj


def relu(model: Any) -> None:
    for layer in model.layers:
        layer.mlp.act = nn.ReLU()


def no_activation(model: Any) -> None:
    for layer in model.layers:
        layer.mlp.act = nn.Identity()


def swap_layers(model: Any) -> None:
    model.layers = nn.ModuleList(reversed(model.layers))


def norms(kind: type[Any]) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        for part in model.modules():
            if isinstance(part, nn.LayerNorm | nn.RMSNorm):
                part.__class__ = kind

    return change


def untie(model: Any) -> None:
    weight = model.lm_head.weight
    model.lm_head.weight = nn.Parameter(weight.detach().roll(3) * 0.7 + 0.1)


def forgetful(_: Any, gates: tuple[Any, ...], c: Any) -> Any:  # noqa: ARG001
    return gates[0] * gates[2]


def cell(shows: str, called: str, **methods: Any) -> Bug:
    return Bug(Lstm, type("Wrong", (Lstm,), methods), shows, called)


def alone(kind: type[Any], shows: str, called: str, **methods: Any) -> Bug:
    """A kind of attention alone, and one with some other methods or settings."""
    right, wrong = (
        type(kind.__name__, (Alone,), {"attention": attention})
        for attention in (kind, type("Wrong", (kind,), methods))
    )
    return Bug(right, wrong, shows, called)


def mixed(shows: str, called: str, **methods: Any) -> Bug:
    return Bug(Mixture, type("Wrong", (Mixture,), methods), shows, called)


def gated(shows: str, called: str, forward: Callable[[Any, Any], Any]) -> Bug:
    kind = type("Wrong", (Gated,), {"forward": forward})

    def change(model: Any) -> None:
        model.layers[0].mlp.__class__ = kind

    return changed(Llama, shows, called, change, "real")


def framed(shows: str, called: str, **methods: Any) -> Bug:
    return Bug(Framed, type("Wrong", (Framed,), methods), shows, called, "all")


def rotate_letters(model: Any) -> None:
    """The parts of a fused projection, taken in the order k, v, q."""
    for layer in model.layers:
        attn = layer.attn
        attn.q_proj, attn.k_proj, attn.v_proj = attn.k_proj, attn.v_proj, attn.q_proj


def as_it_is(_: Any, x: Any, __: Any) -> Any:
    return x


def norm_together(self: Any, x: Any, name: str) -> Any:
    """[b, h, n, d], all heads of a token by one mean square"""
    size = (x.square().mean((1, 3), keepdim=True) + 1e-5).sqrt()
    return x / size * (self.q_norm if name == "q" else self.k_norm).weight


def norm_of_one(of: str) -> Callable[..., Any]:
    return lambda self, x, name: Modern.normed(self, x, name) if name == of else x


def turn_first(self: Any, x: Any, name: str) -> Any:
    return self.normed(self.turn(x, self.start), name)


def turn_along_heads(self: Any, x: Any, start: int) -> Any:
    """x is [b, h, n, d], and is turned by h"""
    return Modern.turn(self, x.transpose(1, 2), start).transpose(1, 2)


def turn_before_split(self: Any, x: Any, start: int) -> Any:
    whole = x.transpose(1, 2).flatten(2)
    return self.split(Rotary.turn(self, whole[:, None], start)[:, 0], x.shape[1])


def tie_qk_norms(model: Any) -> None:
    model.attn.k_norm.load_state_dict(model.attn.q_norm.state_dict())


def cap_after_mask(self: Any, scaled: Any) -> Any:
    return self.masked(self.limit(self.mask(scaled)))


def no_window(_: Any, n: int, m: int) -> Any:
    return torch.ones(n, m, dtype=torch.bool).triu(1)


def transposed_mask(_: Any, n: int, m: int) -> Any:
    return torch.ones(n, m, dtype=torch.bool).tril(-1)


def turned_cache(start: int) -> Callable[..., Any]:
    """Keys, but not queries, as if the cache were so long."""

    def turn(self: Any, x: Any, own: int) -> Any:
        new_keys = own and x.shape[1] == self.groups
        return Rotary.turn(self, x, start if new_keys else own)

    return turn


def bias_without_sign(self: Any, scores: Any) -> Any:
    return Alibi.bias(self, scores) - 2 * (Alibi.bias(self, scores) - scores)


def drop_scores(self: Any, scores: Any) -> Any:
    torch.manual_seed(3)
    return functional.dropout(Modern.scale(self, scores), 0.3, training=True)


def drop_merged(_: Any, z: Any) -> Any:
    torch.manual_seed(3)
    merged = z.transpose(1, 2).reshape(z.shape[0], z.shape[2], -1)
    return functional.dropout(merged, 0.3, training=True)


def softmax_again(_: Any, scores: Any) -> Any:
    return scores.softmax(-1).softmax(-1)


BUGS: dict[str, Bug] = {
    "q_weight_transposed": changed(Bert, "layers[1].Q", "W_Q_transposed", transpose_q),
    "heads_by_view": attending(Bert, "layers[1].heads[1].scores", "split_without_transpose", split=view_heads),
    "heads_by_view_real": attending(Bert, "layers[1].attention", "split_without_transpose", "real", split=view_heads),
    "softmax_over_queries": attending(Bert, "layers[1].heads[1].weights", "down_the_columns", softmax=lambda _, s: s.softmax(-2)),
    "softmax_over_queries_real": attending(Gpt, "layers[1].attention", "down_the_columns", "real", softmax=lambda _, s: s.softmax(-2)),
    "scaled_by_d_model": attending(Bert, "layers[1].heads[1].scaled", "divided_by_root_of_d_model", scale=lambda _, s: s / models.D**0.5),
    "not_scaled": attending(Gpt, "layers[1].attention", "not_scaled", "real", scale=lambda _, s: s),
    "tanh_gelu": changed(Bert, "layers[1].activated", "other_activation", tanh_gelu),
    "layer_norm_eps": changed(Bert, "layers[1].norm1.normed", "other_epsilon", set_eps, "all", torch.float64),
    "unbiased_variance": changed(Bert, "layers[1].norm1.normed", "other_divisor", unbiased, "real"),
    "no_residual": layered(Bert, NoResidual, "layers[1].norm1.normed", "not_added", "real"),
    "no_bias": changed(Gpt, "layers[1].hidden", "b1_forgotten", no_bias, "real", torch.float64),
    "positions_from_two": Bug(Bert, type("Wrong", (Bert,), {"offset": 2}), "P", "position_offset"),
    "k_and_v_swapped": changed(Bert, "layers[1].K", "K_and_V_swapped", swap_k_v),
    "merged_by_reshape": attending(Bert, "layers[1].concat", "merged_without_transpose", merge=lambda _, z: z.reshape(1, z.shape[2], -1)),
    "merged_by_reshape_real": attending(Gpt, "layers[1].attention", "merged_without_transpose", "real", merge=lambda _, z: z.reshape(1, z.shape[2], -1)),
    "pre_norm": layered(Bert, PreNorm, "layers[1].Q", "norm_elsewhere", "real"),
    "dropout_left_on": attending(Bert, "layers[1].heads[1].weights", "dropout_on", softmax=drop),
    "no_mask": attending(Gpt, "layers[1].attention", "not_masked", "real", mask=lambda _, s: s),
    "mask_inverted": attending(Gpt, "layers[1].heads[1].masked", "mask_inverted", mask=lambda self, s: s.masked_fill(~self.hidden(*s.shape[-2:]), -1e9)),
    "mask_after_softmax": attending(Gpt, "layers[1].attention", "masked_after_softmax", "real", mask=lambda _, s: s, softmax=mask_after),
    "sees_the_next": attending(Gpt, "layers[1].attention", "sees_the_next", "real", hidden=lambda _, n, m: torch.ones(n, m, dtype=torch.bool).triu(m - n + 2)),
    "no_final_norm": Bug(Gpt, type("Wrong", (Gpt,), {"final": lambda _, x: x}), "logits", "not_normed", "real"),
    "layers_tied": changed(Gpt, "layers[2].hidden", "weights_of_another_layer", tie_layers, "real"),
    "residual_of_normed": layered(Gpt, ResidualOfNormed, "layers[1].norm2.normed", "residual_of_the_normed", "real"),
    "rope_pairs": attending(Llama, "heads[1].rotated_Q", "other_pairs", turned=interleaved),
    "rope_sign": attending(Llama, "attention", "turned_back", "real", turned=turned_back),
    "rope_base": attending(Llama, "heads[1].rotated_Q", "other_base", base=500000.0),
    "groups_repeated": attending(Llama, "heads[2].scores", "other_kv_head", repeat=lambda _, x: x.repeat(1, 2, 1, 1)),
    "mean_taken_away": changed(Llama, "norm1.normed", "other_norm1_kind", center_norms, "real"),
    "groups_repeated_after_norms": alone(Modern, "heads[2].scores", "other_kv_head", repeat=lambda _, x: x.repeat(1, 2, 1, 1)),
    "causal_where_all_is_seen": attending(Bert, "layers[1].heads[1].weights", "other_mask", mask=see_no_later),
    "keys_and_values_exchanged": attending(Bert, "layers[1].heads[1].scores", "K_and_V_exchanged", forward=exchanged),
    "groups_repeated_real": attending(Llama, "attention", "other_kv_head", "real", repeat=lambda _, x: x.repeat(1, 2, 1, 1)),
    "up_for_gate": changed(Llama, "activated", "hidden_and_up_exchanged", use_up_for_gate, "real"),
    "cache_offset": attending(Decoding, "heads[1].rotated_Q", "position_offset", start=0),
    "cache_offset_real": attending(Decoding, "attention", "position_offset", "real", start=0),
    "mask_at_the_top_left": attending(Decoding, "heads[1].masked", "other_corner", hidden=lambda _, n, m: torch.ones(n, m, dtype=torch.bool).triu(1)),
    "embeddings_scaled": Bug(Gpt, ScaledEmbeddings, "layers[1].norm1.normed", "embeddings_scaled", "real"),
    "parallel_sublayers": layered(Gpt, Parallel, "layers[1].norm2.normed", "in_parallel", "real"),
    "scaled_twice": attending(Gpt, "layers[1].attention", "divided_by_d_k", "real", scale=lambda self, s: s / self.width),
    "head_tied": changed(Gpt, "logits", "embeddings_for_unembedding", tie_head, "real"),
    "norms_tied": changed(Gpt, "layers[1].norm2.normed", "weights_of_another_norm", tie_norms, "real"),
    "eps_outside_root": changed(Gpt, "layers[1].norm1.normed", "epsilon_elsewhere", norms(EpsOutside), "all", torch.float64),
    "mean_not_subtracted": changed(Gpt, "layers[1].norm1.normed", "other_norm1_kind", norms(NotCentred), "real"),
    "norm_over_tokens": changed(Bert, "layers[1].norm1.normed", "norm_down_the_columns", norms(OverTokens), "real"),
    "gamma_plus_one": changed(Llama, "norm1.normed", "gamma_plus_one", norms(PlusOne), "real"),
    "head_not_tied": changed(Tied, "logits", UNNAMED, untie, "real"),
    "float16_overflows": attending(Large, "layers[1].heads[1].scaled", "overflow", scale=lambda _, s: (s / 2).half().to(s.dtype)),
    "cache_of_another_head": attending(Decoding, "heads[1].scores", "other_kv_head", remember=other_heads),
    "padding_counted": Bug(Padded, type("Wrong", (Padded,), {"places": lambda _: torch.arange(len(models.WORDS))[None]}), "P", "position_offset", "real"),
    "keys_for_values": attending(Gpt, "layers[1].attention", "keys_for_values", "real", remember=keys_for_values),
    "q_and_k_swapped": changed(Gpt, "layers[1].Q", "W_Q_and_W_K_swapped", swap_q_k, "real"),
    "relu_for_gelu": changed(Gpt, "layers[1].ffn", "relu_for_another", relu, "real"),
    "no_activation": changed(Gpt, "layers[1].ffn", "activation_forgotten", no_activation, "real"),
    "keys_not_turned": attending(Llama, "attention", "rotate_left_out", "real", turn=queries_alone),
    "hides_itself": attending(Gpt, "layers[1].heads[1].masked", "does_not_see_itself", hidden=lambda _, n, m: torch.ones(n, m, dtype=torch.bool).triu(m - n)),
    "residual_from_the_input": layered(Gpt, FromTheInput, "layers[2].norm1.normed", "added_to_X", "real"),
    "layers_in_the_other_order": changed(Bert, "layers[1].Q", "weights_of_another_layer", swap_layers, "real"),
    "next_words": Bug(Gpt, NextWords, "E", "off_by_one", "real"),
    "heads_in_the_other_order": attending(Gpt, "layers[1].attention", "heads_in_another_order", "real", merge=lambda _, z: z.flip(1).transpose(1, 2).flatten(2)),
    "gates_exchanged": cell("states", "gates_swapped", memory=lambda _, gates, c: gates[0] * c + gates[1] * gates[2]),
    "memory_not_squashed": cell("states", "tanh_forgotten", state=lambda _, o, c: o * c),
    "memory_not_carried": cell("states", "term_left_out", memory=forgetful),
    "values_turned": attending(Llama, "attention", "values_rotated", "real", remember=turn_values),
    "window_too_wide": alone(Modern, "heads[1].masked", "other_mask_window", window=4),
    "window_too_narrow": alone(Modern, "heads[1].masked", "other_mask_window", window=2),
    "window_twice": alone(Modern, "heads[1].masked", "mask_window_left_out", window=6),
    "window_left_out": alone(Modern, "heads[1].masked", "mask_window_left_out", hidden=no_window),
    "mask_transposed": attending(Gpt, "layers[1].heads[1].masked", "mask_transposed", hidden=transposed_mask),
    "window_both_ways": alone(Modern, "heads[1].masked", "mask_causal_left_out", hidden=lambda self, n, m: (torch.arange(m) - torch.arange(n)[:, None]).abs() >= self.window),
    "cap_left_out": alone(Modern, "heads[1].masked", "softcap_left_out", limit=lambda _, s: s),
    "cap_twice_as_high": alone(Modern, "heads[1].masked", "other_softcap", cap=4.0),
    "cap_one_more": alone(Modern, "heads[1].masked", "other_softcap", cap=3.0),
    "cap_after_mask": alone(Modern, "heads[1].masked", "masked_before_capped", finish=cap_after_mask),
    "cap_not_multiplied": alone(Modern, "heads[1].masked", "capped_not_multiplied", limit=lambda self, s: (s / self.cap).tanh()),
    "norms_across_heads": alone(Modern, "heads[1].rotated_Q", "Q_mean_square_of_all_heads", normed=norm_together),
    "norms_left_out": alone(Modern, "heads[1].rotated_Q", "Q_not_normed", normed=as_it_is),
    "norm_of_queries_alone": alone(Modern, "heads[1].rotated_K", "K_not_normed", normed=norm_of_one("q")),
    "norm_of_keys_alone": alone(Modern, "heads[1].rotated_Q", "Q_not_normed", normed=norm_of_one("k")),
    "norms_after_rotation": alone(Modern, "heads[1].normed_Q", "other_qk_norm_when", turned_after=turn_first),
    "norm_of_queries_for_keys": alone(Modern, "heads[1].normed_K", "gamma_Q_for_gamma_K")._replace(done=tie_qk_norms),
    "turned_along_heads": alone(Modern, "heads[1].rotated_Q", "rotated_along_heads", turn=turn_along_heads),
    "turned_before_split": attending(Llama, "heads[1].rotated_Q", "rotated_before_split", turn=turn_before_split),
    "values_turned_too": alone(Modern, "heads[1].output", "values_rotated", values=lambda self, x: self.turn(Modern.values(self, x), 0)),
    "positions_left_out": alone(Modern, "heads[1].rotated_Q", "rotate_left_out", turn=as_it_is),
    "positions_from_one": alone(Modern, "heads[1].rotated_Q", "position_offset", start=1),
    "scaled_by_tokens": alone(Modern, "heads[1].scaled", "other_dimension", scale=lambda _, s: s / s.shape[-1] ** 0.5),
    "scaled_by_groups": alone(Modern, "heads[1].scaled", "divided_by_root_of_d_model", scale=lambda self, s: s / (self.width * self.groups) ** 0.5),
    "scaled_by_all_heads": alone(Modern, "heads[1].scaled", "divided_by_d_k", scale=lambda self, s: s / (self.width * self.n_heads) ** 0.5),
    "softmax_twice": alone(Modern, "heads[1].weights", "softmax_twice", softmax=softmax_again),
    "scaled_again": alone(Modern, "heads[1].scaled", "divided_by_d_k", scale=lambda self, s: s / self.width),
    "slopes_negative": alone(Alibi, "heads[1].masked", "other_slopes", bias=bias_without_sign),
    "slopes_in_other_order": alone(Alibi, "heads[1].masked", "other_slopes", slopes=lambda self: Alibi.slopes(self).flip(0)),
    "slopes_one_too_early": alone(Alibi, "heads[1].masked", "other_slopes", slopes=lambda self: Alibi.slopes(self) * 4),
    "slopes_one_too_late": alone(Alibi, "heads[1].masked", "other_slopes", slopes=lambda self: Alibi.slopes(self) / 4),
    "alibi_left_out": alone(Alibi, "heads[1].masked", "left_out", bias=lambda _, s: s),
    "buckets_one_sided": alone(Bucketed, "heads[1].weights", "other_positions_bidirectional", both=False),
    "buckets_farther": alone(Bucketed, "heads[1].weights", "other_positions_max_distance", most=12),
    "buckets_nearer": alone(Bucketed, "heads[1].weights", "other_positions_max_distance", most=3),
    "buckets_turned": alone(Bucketed, "heads[1].weights", "turned", buckets=lambda self, n: Bucketed.buckets(self, n).T),
    "bucket_bias_left_out": alone(Bucketed, "heads[1].weights", "left_out", bias=lambda _, s: s),
    "bucket_scores_scaled": alone(Bucketed, "heads[1].weights", "scale_left_out", scale=lambda self, s: s / self.width**0.5),
    "frequencies_multiplied": alone(Scaled, "heads[1].rotated_Q", "other_positions_scaling_factor", factor=1 / 8),
    "scaling_left_out": alone(Scaled, "heads[1].rotated_Q", "positions_scaling_left_out", stretched=lambda _, f: f),
    "scaling_of_another_factor": alone(Scaled, "heads[1].rotated_Q", "other_positions_scaling_factor", factor=4.0),
    "scaling_of_another_length": alone(Scaled, "heads[1].rotated_Q", "other_positions_scaling_original_length", original=2000),
    "scaled_linearly": alone(Scaled, "heads[1].rotated_Q", "other_positions_scaling_kind", stretched=lambda self, f: f / self.factor),
    "ramp_of_another_end": alone(Scaled, "heads[1].rotated_Q", "other_positions_scaling_high_freq_factor", high=8.0),
    "experts_not_renormalized": mixed("mixture", "not_renormalized", shared_out=lambda _, top: top),
    "experts_unweighted": mixed("mixture", "routing_left_out", shared_out=lambda _, top: torch.ones_like(top)),
    "experts_by_softmax_twice": mixed("mixture", UNNAMED, shared_out=lambda _, top: top.softmax(-1)),
    "one_expert_only": mixed("mixture", "other_router_top_k", chosen=1),
    "three_experts": mixed("mixture", "one_expert_more", chosen=3),
    "activation_on_product": gated("ffn", "gated_before_activated", lambda self, x: self.down_proj(functional.silu(self.gate_proj(x) * self.up_proj(x)))),
    "gate_and_up_exchanged": gated("ffn", "hidden_and_up_exchanged", lambda self, x: self.down_proj(self.gate_proj(x) * functional.silu(self.up_proj(x)))),
    "gate_added": gated("ffn", "gated_added", lambda self, x: self.down_proj(functional.silu(self.gate_proj(x)) + self.up_proj(x))),
    "gate_by_gelu": gated("ffn", "other_activation", lambda self, x: self.down_proj(functional.gelu(self.gate_proj(x)) * self.up_proj(x))),
    "up_left_out": gated("ffn", "other_activation", lambda self, x: self.down_proj(functional.silu(self.gate_proj(x)))),
    "keys_one_too_far": attending(Decoding, "heads[1].scores", "position_offset", turn=turned_cache(4)),
    "cache_counted_twice": attending(Decoding, "heads[1].rotated_Q", "position_offset", start=6),
    "parts_in_another_order": changed(Gpt, "layers[1].Q", "K_and_Q_swapped", rotate_letters, "real"),
    "embeddings_scale_left_out": framed("layers[1].norm1.normed", "embedding_scale_left_out", times=1.0),
    "embeddings_scale_twice": framed("layers[1].norm1.normed", "other_embedding_scale", times=6.0),
    "logits_scale_left_out": framed("capped_logits", "logit_scale_left_out", scale=1.0),
    "logits_scale_divided": framed("capped_logits", "other_logit_scale", scale=2.0),
    "logits_cap_left_out": framed("capped_logits", "capped_logits_left_out", limit=lambda _, x: x),
    "logits_cap_twice": framed("capped_logits", "other_logit_softcap", cap=4.0),
    "last_norm_not_centred": changed(Gpt, "final_norm.normed", "other_final_norm_kind", lambda m: setattr(m.ln_f, "__class__", NotCentred), "real"),
    "last_norm_of_another_epsilon": changed(Gpt, "final_norm.normed", "other_epsilon", lambda m: setattr(m.ln_f, "eps", 0.01), "real"),
    "dropout_on_scores": alone(Modern, "heads[1].scaled", "dropout_on", scale=drop_scores),
    "dropout_on_heads": alone(Modern, "concat", "dropout_on", merge=drop_merged),
}  # fmt: skip
