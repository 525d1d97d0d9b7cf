"""Small recurrent layers at random, whose gates' weights are stacked as PyTorch keeps them
(torch.nn.LSTM, GRU)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.classroom.planted.mistakes import GATES
from tests.classroom.planted.models import some
from tests.classroom.planted.sheet import Array


class Layers(NamedTuple):
    """What drawn layers say."""

    tokens: int
    kind: str
    embeddings: Array
    layers: list[dict[str, Array]]

    def scenario(self) -> str:
        """The layers as YAML."""
        rows = zip("abcde", self.embeddings.tolist(), strict=False)
        lines = [f"sentence: {' '.join('abcde'[: self.tokens])}", f"cell: {self.kind}"]
        lines.append(f"embeddings: {{{', '.join(f'{token}: {row}' for token, row in rows)}}}")
        lines.append("weights_layout: torch")
        each = [[f"{k}: {m.tolist()}" for k, m in layer.items()] for layer in self.layers]
        if len(each) == 1:
            lines += each[0]
        else:
            lines += ["layers:", *(f"  - {{{', '.join(layer)}}}" for layer in each)]
        return "\n".join([*lines, "rounding: {policy: carry, decimals: 3}"]) + "\n"

    def mistakes(self) -> Iterator[str]:
        """Those that can be made here."""
        yield from ("gates_in_another_order", "tanh_for_sigmoid", "sigmoid_for_tanh")
        yield from ("memory_forgotten", "gates_swapped")
        if self.kind == "gru":
            yield "reset_before_product"


def draw(rng: np.random.Generator) -> Layers:
    """Small layers at random."""
    n, d, h = (int(rng.integers(low, 4)) for low in (2, 2, 2))
    kind = str(rng.choice(["lstm", "gru"]))
    gates = GATES[kind]
    layers = []
    for k in range(int(rng.integers(1, 3))):
        shapes = {"W_ih": (d if k == 0 else h,), "W_hh": (h,), "b_ih": (), "b_hh": ()}
        layers.append({text: some(rng, len(gates) * h, *more) for text, more in shapes.items()})
    return Layers(n, kind, some(rng, n, d), layers)
