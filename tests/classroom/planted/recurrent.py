"""Small recurrent layers at random: what they say, and which mistakes can be made in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.classroom.planted.mistakes import GATES, LETTERS
from tests.classroom.planted.models import some
from tests.classroom.planted.sheet import Array


class Cell(NamedTuple):
    """What a drawn recurrent layer says."""

    tokens: int
    kind: str
    given: dict[str, Array]

    def scenario(self) -> str:
        """The layer as YAML."""
        rows = zip("abcde", self.given["embeddings"].tolist(), strict=False)
        lines = [f"sentence: {' '.join('abcde'[: self.tokens])}", f"cell: {self.kind}"]
        lines.append(f"embeddings: {{{', '.join(f'{token}: {row}' for token, row in rows)}}}")
        lines += [f"{k}: {m.tolist()}" for k, m in self.given.items() if k != "embeddings"]
        return "\n".join([*lines, "rounding: {policy: carry, decimals: 3}"]) + "\n"

    def mistakes(self) -> Iterator[str]:
        """Those that can be made here."""
        yield "bias_forgotten"
        if self.kind == "rnn":
            yield from ("W_aa_transposed", "memory_not_carried", "activation_forgotten")
            if len({*self.given["W_ax"].shape}) == 1:
                yield "W_ax_transposed"
            return
        yield from ("tanh_for_sigmoid", "sigmoid_for_tanh", "memory_forgotten", "gates_swapped")
        yield "tanh_forgotten" if self.kind == "lstm" else "reset_after_product"


def draw(rng: np.random.Generator) -> Cell:
    """A small layer at random."""
    n, d, h = (int(rng.integers(low, 4)) for low in (3, 2, 2))
    kind = str(rng.choice(["rnn", "lstm", "gru"]))
    given = {"embeddings": some(rng, n, d)}
    for letter in ["a"] if kind == "rnn" else [LETTERS[gate] for gate in GATES[kind]]:
        given |= {f"W_{letter}x": some(rng, h, d), f"W_{letter}a": some(rng, h, h)}
        given[f"b_{letter}"] = some(rng, h)
    return Cell(n, kind, given)
