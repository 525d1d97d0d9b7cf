"""Recurrent cells in plain NumPy (Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014), right
or with one mistake made. Vectors are columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.classroom.planted.models import some
from tests.classroom.planted.sheet import Array, Sheet

GATES = {
    "lstm": ("update", "forget", "candidate", "output"),
    "gru": ("reset", "update", "candidate"),
}
LETTERS = {"update": "u", "forget": "f", "candidate": "c", "output": "o", "reset": "r"}


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


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def work(cell: Cell, sheet: Sheet, mistake: str = "") -> None:
    """Works a layer, token by token."""
    h = len(cell.given[next(name for name in cell.given if name.endswith("a"))])
    for name in ("a[0]", "c[0]") if cell.kind == "lstm" else ("a[0]",):
        sheet.copy(name, np.zeros((h, 1)))
    for t in range(1, cell.tokens + 1):
        sheet.copy(f"x[{t}]", cell.given["embeddings"][t - 1][:, None])
        {"rnn": _rnn, "lstm": _lstm, "gru": _gru}[cell.kind](cell, sheet, mistake, t)
    times = range(1, cell.tokens + 1)
    sheet.copy("states", np.concatenate([sheet.full[f"a[{t}]"] for t in times], axis=1).T)


def _rnn(cell: Cell, sheet: Sheet, mistake: str, t: int) -> None:
    given = cell.given
    W_x, W_a, b = given["W_ax"], given["W_aa"], given["b_a"][:, None]
    W_x = W_x.T if mistake == "W_ax_transposed" else W_x
    W_a = W_a.T if mistake == "W_aa_transposed" else W_a
    before = "a[0]" if mistake == "memory_not_carried" else f"a[{t - 1}]"
    sheet.product(f"ax[{t}]", W_x, sheet.read(f"x[{t}]"))
    sheet.product(f"aa[{t}]", W_a, sheet.read(before))
    bias = 0.0 if mistake == "bias_forgotten" else b
    sheet.write(f"z[{t}]", sheet.read(f"ax[{t}]") + sheet.read(f"aa[{t}]") + bias)
    z = sheet.read(f"z[{t}]")
    sheet.write(f"a[{t}]", z if mistake == "activation_forgotten" else np.tanh(z))


def _gate(cell: Cell, sheet: Sheet, mistake: str, t: int, gate: str, memory: str) -> None:
    letter = LETTERS[gate]
    W_x, W_a, b = (
        cell.given[f"{name}"] for name in (f"W_{letter}x", f"W_{letter}a", f"b_{letter}")
    )
    whole = gate != "candidate" or cell.kind == "lstm"
    z = W_x @ sheet.read(f"x[{t}]")
    if not whole and mistake == "reset_after_product":
        z = z + sheet.read(f"gates[{t}].reset") * (W_a @ sheet.read(f"a[{t - 1}]"))
    elif mistake != "memory_forgotten" or not whole:
        z = z + W_a @ sheet.read(memory)
    if mistake != "bias_forgotten" or not whole:
        z = z + b[:, None]
    sheet.write(f"gates[{t}].z_{gate}", z)
    by_tanh = (gate == "candidate") if mistake != "tanh_for_sigmoid" else True
    by_tanh = by_tanh and not (mistake == "sigmoid_for_tanh" and gate == "candidate")
    z = sheet.read(f"gates[{t}].z_{gate}")
    sheet.write(f"gates[{t}].{gate}", np.tanh(z) if by_tanh else sigmoid(z))


def _lstm(cell: Cell, sheet: Sheet, mistake: str, t: int) -> None:
    for gate in GATES["lstm"]:
        _gate(cell, sheet, mistake, t, gate, f"a[{t - 1}]")
    new, old, candidate, out = (
        sheet.read(f"gates[{t}].{gate}") for gate in ("update", "forget", "candidate", "output")
    )
    new, old = (old, new) if mistake == "gates_swapped" else (new, old)
    sheet.write(f"c[{t}]", new * candidate + old * sheet.read(f"c[{t - 1}]"))
    c = sheet.read(f"c[{t}]")
    sheet.write(f"tanh_c[{t}]", c if mistake == "tanh_forgotten" else np.tanh(c))
    sheet.write(f"a[{t}]", out * sheet.read(f"tanh_c[{t}]"))


def _gru(cell: Cell, sheet: Sheet, mistake: str, t: int) -> None:
    before = f"a[{t - 1}]"
    for gate in ("reset", "update"):
        _gate(cell, sheet, mistake, t, gate, before)
    reset = sheet.read(f"gates[{t}].reset") * sheet.read(before)
    sheet.write(f"gates[{t}].reset_a", reset)
    _gate(cell, sheet, mistake, t, "candidate", f"gates[{t}].reset_a")
    update, candidate = (sheet.read(f"gates[{t}].{gate}") for gate in ("update", "candidate"))
    new, old = (1 - update, update) if mistake == "gates_swapped" else (update, 1 - update)
    sheet.write(f"a[{t}]", new * candidate + old * sheet.read(before))
