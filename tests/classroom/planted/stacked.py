"""Recurrent layers whose gates' weights are stacked as PyTorch keeps them (torch.nn.LSTM, GRU), in
plain NumPy, right or with one mistake made. Vectors are columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.classroom.planted.models import some
from tests.classroom.planted.recurrent import GATES, LETTERS, sigmoid
from tests.classroom.planted.sheet import Array, Sheet

_STACKS = ("W_ih", "W_hh", "b_ih", "b_hh")


class Layers(NamedTuple):
    """What drawn layers say; `order` is a wrong one of the gates in their stacks."""

    tokens: int
    kind: str
    embeddings: Array
    layers: list[dict[str, Array]]
    order: tuple[str, ...]

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
    order = gates
    while order == gates:
        order = tuple(str(gate) for gate in rng.permutation(gates))
    return Layers(n, kind, some(rng, n, d), layers, order)


def work(model: Layers, sheet: Sheet, mistake: str = "") -> None:
    """Works the layers, one after the other, each token by token."""
    sheet.copy("X", model.embeddings)
    x = "X"
    for k, given in enumerate(model.layers, start=1):
        at = f"layers[{k}]." if len(model.layers) > 1 else ""
        _Layer(model, given, sheet, mistake, at).work(x)
        x = f"{at}states"


class _Layer(NamedTuple):
    model: Layers
    given: dict[str, Array]
    sheet: Sheet
    mistake: str
    at: str

    def work(self, x: str) -> None:
        sheet, at, gates = self.sheet, self.at, GATES[self.model.kind]
        order = self.model.order if self.mistake == "gates_in_another_order" else gates
        h = self.given["W_hh"].shape[1]
        for k, gate in enumerate(order):
            for stack, name in zip(_STACKS, ("W_{}x", "W_{}a", "b_{}x", "b_{}a"), strict=True):
                run = self.given[stack][k * h : (k + 1) * h]
                run = run if run.ndim == 2 else run[None, :]
                sheet.copy(at + name.format(LETTERS[gate]), run)
        for name in "ac" if self.model.kind == "lstm" else "a":
            sheet.copy(f"{at}{name}[0]", np.zeros((h, 1)))
        times = range(1, self.model.tokens + 1)
        for t in times:
            sheet.copy(f"{at}x[{t}]", sheet.read(x)[t - 1][:, None])
            (self.lstm if self.model.kind == "lstm" else self.gru)(t)
        states = [sheet.full[f"{at}a[{t}]"] for t in times]
        sheet.copy(f"{at}states", np.concatenate(states, axis=1).T)

    def part(self, name: str) -> Array:
        """A gate's own weights, or its bias as a column."""
        found = self.sheet.full[self.at + name]
        return found.T if name.startswith("b") else found

    def squashed(self, t: int, gate: str, z: Array) -> None:
        sheet, at = self.sheet, f"{self.at}gates[{t}]."
        sheet.write(f"{at}z_{gate}", z)
        by_tanh = gate == "candidate" or self.mistake == "tanh_for_sigmoid"
        by_tanh = by_tanh and not (gate == "candidate" and self.mistake == "sigmoid_for_tanh")
        z = sheet.read(f"{at}z_{gate}")
        sheet.write(f"{at}{gate}", np.tanh(z) if by_tanh else sigmoid(z))

    def gate(self, t: int, gate: str) -> None:
        letter, memory = LETTERS[gate], self.sheet.read(f"{self.at}a[{t - 1}]")
        z = self.part(f"W_{letter}x") @ self.sheet.read(f"{self.at}x[{t}]")
        z = z + self.part(f"b_{letter}x")
        if self.mistake != "memory_forgotten":
            z = z + self.part(f"W_{letter}a") @ memory + self.part(f"b_{letter}a")
        self.squashed(t, gate, z)

    def lstm(self, t: int) -> None:
        sheet, at = self.sheet, self.at
        for gate in GATES["lstm"]:
            self.gate(t, gate)
        new, old, candidate, out = (sheet.read(f"{at}gates[{t}].{gate}") for gate in GATES["lstm"])
        new, old = (old, new) if self.mistake == "gates_swapped" else (new, old)
        sheet.write(f"{at}c[{t}]", new * candidate + old * sheet.read(f"{at}c[{t - 1}]"))
        sheet.write(f"{at}tanh_c[{t}]", np.tanh(sheet.read(f"{at}c[{t}]")))
        sheet.write(f"{at}a[{t}]", out * sheet.read(f"{at}tanh_c[{t}]"))

    def gru(self, t: int) -> None:
        sheet, at, before = self.sheet, self.at, f"{self.at}a[{t - 1}]"
        for gate in ("reset", "update"):
            self.gate(t, gate)
        drawn = f"{at}gates[{t}].candidate_a"
        sheet.write(drawn, self.part("W_ca") @ sheet.read(before) + self.part("b_ca"))
        reset = sheet.read(f"{at}gates[{t}].reset") * sheet.read(drawn)
        sheet.write(f"{at}gates[{t}].reset_a", reset)
        z = self.part("W_cx") @ sheet.read(f"{at}x[{t}]") + self.part("b_cx")
        kept = sheet.read(f"{at}gates[{t}].reset_a")
        if self.mistake == "reset_before_product":
            kept = sheet.read(f"{at}gates[{t}].reset") * sheet.read(before)
            kept = self.part("W_ca") @ kept + self.part("b_ca")
        self.squashed(t, "candidate", z + kept)
        update = sheet.read(f"{at}gates[{t}].update")
        old = 1 - update if self.mistake == "gates_swapped" else update
        candidate = sheet.read(f"{at}gates[{t}].candidate")
        sheet.write(f"{at}a[{t}]", (1 - old) * candidate + old * sheet.read(before))
