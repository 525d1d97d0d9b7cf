"""Recurrent cells: Elman 1990, LSTM (Hochreiter and Schmidhuber 1997), GRU (arXiv:1406.1078)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from tests.models.torch_models.linear import ACTIVATIONS, activated, given
from tests.models.torch_models.page import Page, Quantity, Tensor, Tree

_LETTERS = {
    "rnn": {"state": "a"},
    "lstm": {"update": "u", "forget": "f", "candidate": "c", "output": "o"},
    "gru": {"reset": "r", "update": "u", "candidate": "c"},
}
"""The gates as nn.LSTM and nn.GRU stack them, and their letters."""


def recurrent(page: Page, tree: Tree, x: Quantity) -> Quantity:
    """The state after each token, [n, h], or of both ways side by side, [n, 2h]."""
    if tree.get("direction") != "both":
        back = tree.get("direction") == "backward"
        return _states(page, _Cell.of(page, tree, tree), x, back=back)
    own = {way: tree if way == "forward" else tree["backward"] for way in ("forward", "backward")}
    ways = [
        _states(
            page.at(way),
            _Cell.of(_home(page, way), record, tree, page.at(way)),
            x,
            back=way == "backward",
        )
        for way, record in own.items()
    ]
    return page.make("states", lambda *x: torch.hstack(x), *ways)


def _home(page: Page, way: str) -> Page:
    """Where the matrices of a way are given."""
    return page.at("backward") if way == "backward" else page


class _Cell(NamedTuple):
    """A cell: the place of what it makes, its settings, and W_gx, W_ga, b_g… of its gates."""

    page: Page
    said: Tree
    matrices: Mapping[str, Quantity]
    starts: Mapping[str, Quantity]
    size: int

    @classmethod
    def of(cls, home: Page, own: Tree, tree: Tree, page: Page | None = None) -> _Cell:
        page = page or home
        letters = _LETTERS[tree["cell"]]
        if tree.get("weights_layout") == "torch":
            matrices = _unstacked(page, home, own, tree)
        else:
            names = [
                f"{name}" for g in letters.values() for name in (f"W_{g}x", f"W_{g}a", f"b_{g}")
            ]
            matrices = {name: home.given(own, name) for name in names if name in own}
        starts = {
            key: home.given(own, key) for key in ("initial_state", "initial_cell") if key in own
        }
        g = next(iter(letters.values()))
        return cls(page, tree, matrices, starts, matrices[f"W_{g}a"].shape[1])

    def is_torch(self) -> bool:
        return self.said.get("weights_layout") == "torch"

    def begin(self, name: str, key: str, t: int) -> Quantity:
        if key in self.starts:
            return self.page.make(f"{name}[{t}]", lambda row: row.T, self.starts[key])
        zeros = torch.zeros(self.size, 1, dtype=torch.float64)
        return self.page.make(f"{name}[{t}]", lambda: zeros)

    def plus(self, name: str, *terms: tuple[str, Quantity | None] | Quantity) -> Quantity:
        """Σ W v + b: pairs are a matrix and what it is multiplied by, or a bias and None."""
        row = self.said.get("weights_layout") == "row"
        kinds: list[str] = []
        operands: list[Quantity] = []
        for term in terms:
            if isinstance(term, Quantity):
                kinds.append("itself")
                operands.append(term)
            elif term[0] in self.matrices:
                kinds.append("bias" if term[1] is None else "product")
                operands += [q for q in (self.matrices[term[0]], term[1]) if q is not None]

        def formula(*x: Tensor) -> Tensor:
            rest, parts = iter(x), []
            for kind in kinds:
                W = next(rest)
                if kind == "product":
                    parts.append((W.T if row else W) @ next(rest))
                else:
                    parts.append(W.T if kind == "bias" else W)
            return sum(parts)

        return self.page.make(name, formula, *operands)

    def gate(self, t: int, name: str, x: Quantity, a: Quantity) -> Quantity:
        """σ(W x + W a + b), of a candidate tanh of it."""
        g = _LETTERS[self.said["cell"]][name]
        z = self.plus(f"gates[{t}].z_{name}", (f"W_{g}x", x), (f"W_{g}a", a), *_biases(g))
        return self.bent(t, name, z)

    def bent(self, t: int, name: str, z: Quantity) -> Quantity:
        return activated(
            self.page, f"gates[{t}].{name}", "tanh" if name == "candidate" else "sigmoid", z
        )


def _biases(g: str, parts: Sequence[str] = ("", "x", "a")) -> list[tuple[str, None]]:
    return [(f"b_{g}{part}", None) for part in parts]


def _unstacked(page: Page, home: Page, own: Tree, tree: Tree) -> dict[str, Quantity]:
    """The runs of W_ih, W_hh and their biases, one for each gate."""
    letters, made = _LETTERS[tree["cell"]], {}
    order = tree.get("gate_order", [*letters])
    for key, part in (("W_ih", "x"), ("W_hh", "a"), ("b_ih", "x"), ("b_hh", "a")):
        for whole in filter(None, given(home, own, key)):
            for k, gate in enumerate(order):
                name, axis = f"{key[0]}_{letters[gate]}{part}", 0 if key[0] == "W" else 1
                made[name] = page.make(
                    name, lambda x, k=k, axis=axis: x.chunk(len(order), dim=axis)[k], whole
                )
    return made


State = tuple[Quantity, Quantity | None]


def _states(page: Page, cell: _Cell, x: Quantity, *, back: bool) -> Quantity:
    """From the first token to the last, or back."""
    n = x.shape[0]
    before = n + 1 if back else 0
    lstm = cell.said["cell"] == "lstm"
    state: State = (
        cell.begin("a", "initial_state", before),
        cell.begin("c", "initial_cell", before) if lstm else None,
    )
    found: dict[int, Quantity] = {}
    for t in reversed(range(1, n + 1)) if back else range(1, n + 1):
        column = page.make(f"x[{t}]", lambda x, t=t: x[[t - 1]].T, x)
        state = _STEPS[cell.said["cell"]](cell, t, column, *state)
        found[t] = state[0]
    columns = [found[t] for t in sorted(found)]
    return page.make("states", lambda *a: torch.hstack(a).T, *columns)


def _rnn(cell: _Cell, t: int, x: Quantity, a: Quantity, _: Any) -> State:
    ax, aa = cell.plus(f"ax[{t}]", ("W_ax", x)), cell.plus(f"aa[{t}]", ("W_aa", a))
    z = cell.plus(f"z[{t}]", ax, aa, *_biases("a"))
    kind = str(cell.said.get("activation", "tanh"))
    return cell.page.make(f"a[{t}]", ACTIVATIONS[kind], z), None


def _lstm(cell: _Cell, t: int, x: Quantity, a: Quantity, c: Quantity | None) -> State:
    forget, update, candidate, output = (
        cell.gate(t, name, x, a) for name in ("forget", "update", "candidate", "output")
    )
    page = cell.page
    c = page.make(f"c[{t}]", lambda u, new, f, c: u * new + f * c, update, candidate, forget, c)
    tanh_c = activated(page, f"tanh_c[{t}]", "tanh", c)
    return page.make(f"a[{t}]", lambda o, x: o * x, output, tanh_c), c


def _gru(cell: _Cell, t: int, x: Quantity, a: Quantity, _: Any) -> State:
    page, torch_like = cell.page, cell.is_torch()
    reset, update = (cell.gate(t, name, x, a) for name in ("reset", "update"))
    if cell.said.get("reset", "after" if torch_like else "before") == "before":
        kept = page.make(f"gates[{t}].reset_a", lambda r, a: r * a, reset, a)
        new = cell.gate(t, "candidate", x, kept)
    else:
        made = cell.plus(f"gates[{t}].candidate_a", ("W_ca", a), *_biases("c", ["a"]))
        kept = page.make(f"gates[{t}].reset_a", lambda r, a: r * a, reset, made)
        terms = ("W_cx", x), kept, *_biases("c", ["", "x"])
        new = cell.bent(t, "candidate", cell.plus(f"gates[{t}].z_candidate", *terms))
    pair = (new, a)
    if cell.said.get("update", "old" if torch_like else "new") == "old":
        pair = (a, new)
    return page.make(f"a[{t}]", lambda u, x, y: u * x + (1 - u) * y, update, *pair), None


_STEPS = {"rnn": _rnn, "lstm": _lstm, "gru": _gru}


def read_out(page: Page, tree: Tree) -> tuple[Quantity, Quantity] | None:
    """y = g(W_ya a + b_y) at each time or at the last, as rows [n, k]; and what g is applied to."""
    if "W_ya" not in tree:
        return None
    states, both = page.known[f"{page.path}states"], tree.get("direction") == "both"
    n = states.shape[0]
    times = [*range(1, n + 1)]
    if tree.get("readout_from") == "last":
        times = [1 if tree.get("direction") == "backward" else n]
    logits, answers = [], []
    for t in times:
        a = page.known[f"{page.path}a[{t}]"] if not both else page.make(
            f"s[{t}]", lambda x, t=t: x[[t - 1]].T, states
        )  # fmt: skip
        z, y = _answer(page, tree, t, a)
        logits.append(z)
        answers.append(y)
    if tree.get("readout") == "none":
        rows = _rows(page, "readouts", answers)
        return rows, rows
    return _rows(page, "readouts", answers), _rows(page, "readout_logits", logits)


def _rows(page: Page, name: str, columns: Sequence[Quantity]) -> Quantity:
    return page.make(name, lambda *x: torch.hstack(x).T, *columns)


def _answer(page: Page, tree: Tree, t: int, a: Quantity) -> tuple[Quantity, Quantity]:
    W, b = given(page, tree, "W_ya", "b_y")
    row, kind = tree.get("weights_layout") == "row", tree.get("readout", "sigmoid")
    z = page.make(f"ya[{t}]", lambda W, a: (W.T if row else W) @ a, W, a)
    if b is not None:
        z = page.make(f"z_y[{t}]", lambda z, b: z + b.T, z, b)
    if kind == "none":
        return z, z
    bend = torch.sigmoid if kind == "sigmoid" else lambda z: z.softmax(dim=0)
    return z, page.make(f"y[{t}]", bend, z)
