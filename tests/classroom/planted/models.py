"""Small Transformers at random: what they say, and which mistakes can be made in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.classroom.planted.sheet import Array


class Model(NamedTuple):
    """What a drawn Transformer says: its matrices by their keys, and its settings."""

    tokens: int
    given: dict[str, Array]
    heads: int = 1
    causal: bool = False
    positions: str = "none"
    cached: int = 0
    """So many earlier tokens, whose keys and values are given."""
    block: str = "none"
    """`post` or `pre` of an encoder block, or `none` of an attention alone."""

    @property
    def d_k(self) -> int:
        return int(self.given["W_Q"].shape[1]) // self.heads

    def scenario(self) -> str:
        """The model as YAML."""
        lines = [f"sentence: {' '.join('abcde'[: self.tokens])}"]
        rows = zip("abcde", self.given["embeddings"].tolist(), strict=False)
        lines.append(f"embeddings: {{{', '.join(f'{token}: {row}' for token, row in rows)}}}")
        lines += [f"{name}: {_yaml(m)}" for name, m in self.given.items() if name in _MATRICES]
        lines += [f"heads: {self.heads}", "rounding: {policy: carry, decimals: 3}"]
        lines += ["mask: causal"] if self.causal else []
        if self.cached:
            kept = ", ".join(f"{x}: {_yaml(self.given[f'cache.{x}'])}" for x in "KV")
            lines.append(f"cache: {{tokens: [{', '.join('pqr'[: self.cached])}], {kept}}}")
        lines += [f"positions: {self.positions}"] if self.positions != "none" else []
        if self.block != "none":
            lines += ["block: encoder", f"norm: {self.block}", "norms: {epsilon: 0.1}"]
            for k in (1, 2):
                gamma, beta = (self.given[f"norm{k}.{local}"] for local in ("gamma", "beta"))
                lines.append(f"norm{k}: {{gamma: {_yaml(gamma)}, beta: {_yaml(beta)}}}")
        return "\n".join(lines) + "\n"

    def mistakes(self) -> Iterator[str]:
        """Those that can be made here."""
        yield from ("W_Q_and_W_K_swapped", "divided_by_d_k")
        yield from ("added_up", "multiplied", "not_scaled", "down_the_columns", "base_2", "base_10")
        yield from ("over_all_cells", "keys_for_values", "scores_for_weights")
        yield from () if self.cached else ("queries_and_keys_swapped", "weights_by_column")
        square = self.given["W_Q"].shape[0] == self.given["W_Q"].shape[1]
        yield from (f"W_{x}_transposed" for x in "QKV" if square)
        yield from (f"b_{x}_forgotten" for x in "QKVO" if f"b_{x}" in self.given)
        if self.given["embeddings"].shape[1] != self.d_k:
            yield "divided_by_root_of_d_model"
        elif not self.cached:
            yield "inputs_for_values"
        if self.d_k == self.tokens + self.cached:
            yield "K_not_transposed"
        yield from self._of_masks()
        yield from {"sinusoidal": _SINUSOIDS, "rope": _ROPE}.get(self.positions, ())
        yield from _OF_HEADS if self.heads > 1 else ()
        if self.heads > 1 and self.positions != "rope":
            yield "heads_not_split"
        if self.given["W_Q"].shape[1] == self.given["embeddings"].shape[1]:
            yield "computed_from_Q"
        yield from self._of_products()

    def _of_masks(self) -> Iterator[str]:
        if not self.causal:
            yield "without_exponentials"
            return
        yield from ("not_masked", "zero_for_infinity", "minus_one_for_infinity")
        yield from ("sees_the_next", "masked_after_softmax")
        if self.cached:
            yield from ("other_corner", "does_not_see_itself")

    def _of_products(self) -> Iterator[str]:
        """Those behind the heads: in what puts them together, and in a block."""
        if "W_O" in self.given and len({*self.given["W_O"].shape}) == 1:
            yield "W_O_transposed"
        if self.block != "none":
            yield from (*_OF_BLOCKS, "post_norm" if self.block == "pre" else "pre_norm")
            if len({*self.given["W1"].shape}) == 1:
                yield from ("W1_transposed", "W2_transposed")


_ANGLES = ("other_base", "angle_multiplied")
_SINUSOIDS = (
    "from_one", "sine_and_cosine_swapped", "exponent_of_each_column", "left_out",
    "cosine_of_next_exponent", *_ANGLES,
)  # fmt: skip
_OF_HEADS = (
    "other_head", "columns_dealt_out", "heads_in_another_order", "heads_interleaved",
    "over_all_heads",
)  # fmt: skip
_ROPE = ("other_pairs", "turned_back", *_ANGLES)
_OF_BLOCKS = (
    "not_added", "not_normed", "other_divisor", "not_centered", "epsilon_elsewhere", "gamma_forgotten",
    "beta_forgotten", "activation_forgotten", "b1_forgotten", "b2_forgotten",
    "bias_after_activation",
)  # fmt: skip
_MATRICES = (
    *(f"W_{x}" for x in "QKVO"), *(f"b_{x}" for x in "QKVO"), "W1", "b1", "W2", "b2",
)  # fmt: skip


def _yaml(matrix: Array) -> str:
    return str(matrix.tolist())


def draw(rng: np.random.Generator) -> Model:
    """A small model at random."""
    n, positions = int(rng.integers(3, 6)), str(rng.choice(["none", "none", "sinusoidal", "rope"]))
    heads, block = int(rng.integers(1, 3)), str(rng.choice(["none", "none", "post", "pre"]))
    d = int(rng.choice([2, 4] if positions != "none" else [2, 3, 4]))
    d_k = 4 if positions == "rope" else int(rng.choice([2, 3]))
    d_k = d if rng.random() < 0.5 and heads == 1 and positions != "rope" else d_k
    given = {"embeddings": some(rng, n, d)}
    given |= {f"W_{x}": some(rng, d, heads * d_k) for x in "QKV"}
    given |= {f"b_{x}": some(rng, heads * d_k) for x in "QKV" if rng.random() < 0.3}
    if heads > 1 or block != "none":
        given["W_O"] = some(rng, heads * d_k, d)
        given |= {"b_O": some(rng, d)} if rng.random() < 0.5 else {}
    if block != "none":
        d_ff = int(rng.choice([d, d + 1]))
        given |= {"W1": some(rng, d, d_ff), "b1": some(rng, d_ff)}
        given |= {"W2": some(rng, d_ff, d), "b2": some(rng, d)}
        for k in (1, 2):
            given |= {f"norm{k}.gamma": some(rng, d), f"norm{k}.beta": some(rng, d)}
    model = Model(n, given, heads, bool(rng.random() < 0.4), positions, block=block)
    return _with_cache(rng, model) if heads == 1 and rng.random() < 0.3 else model


def _with_cache(rng: np.random.Generator, model: Model) -> Model:
    """The same after some tokens, where nothing turns their keys."""
    if model.positions != "none":
        return model
    cached = int(rng.integers(1, 3))
    given = {f"cache.{x}": some(rng, cached, model.d_k) for x in "KV"}
    return model._replace(cached=cached, given=model.given | given)


def some(rng: np.random.Generator, *shape: int) -> Array:
    """Numbers of one decimal, none of them 0 or 1."""
    numbers = rng.choice([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2], shape)
    return np.asarray(np.round(numbers * rng.choice([-1, 1, 1], shape), 1))
