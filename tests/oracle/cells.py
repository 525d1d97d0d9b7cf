"""One step of a recurrent layer in time: the cells RNN, GRU and LSTM, and their matrices.

RNN: Elman 1990, "Finding structure in time"; LSTM: Hochreiter and Schmidhuber 1997, with the forget
gate of Gers et al. 2000; GRU: Cho et al. 2014, arXiv:1406.1078.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tests.oracle import slopes
from tests.oracle.activations import activated
from tests.oracle.book import Book, Record
from tests.oracle.matrices import matrix
from tests.oracle.numerals import Numbers
from tests.oracle.tape import Made
from tests.oracle.terms import Term, Weight, bias, blended, gated, itself, plus, times

LETTERS = {
    "rnn": {"state": "a"},
    "lstm": {"forget": "f", "update": "u", "candidate": "c", "output": "o"},
    "gru": {"reset": "r", "update": "u", "candidate": "c"},
}
"""The gates of a cell, in the order that they are worked, and what matrices call them."""
_TORCH_ORDER = {
    "rnn": ("state",),
    "lstm": ("update", "forget", "candidate", "output"),
    "gru": ("reset", "update", "candidate"),
}
_STACKED = {"W_ih": "x", "W_hh": "a", "b_ih": "x", "b_hh": "a"}

Weights = Mapping[str, Weight]
"""`W_ux` [h, d], `W_ua` [h, h] and so on, used as W v, and biases `b_ux`, `b_ua` [h, 1] of either
part. What isn't given isn't there; a bias that is given for both parts is that of x."""


@dataclass(frozen=True)
class State:
    """What a step leaves to the next, [h, 1]; None where the scenario doesn't get so far."""

    a: Numbers | None
    c: Numbers | None = None


def layout(record: Record) -> str:
    """How the layer's matrices are held: linear, row or torch."""
    return str(record.get("weights_layout", "linear"))


def weights(book: Book, record: Record) -> Weights:
    """What is given of a layer's matrices for one direction."""
    if layout(record) == "torch":
        return _unstacked(book, record)
    found = {}
    for letter in LETTERS[record["cell"]].values():
        for name in (f"W_{letter}x", f"W_{letter}a"):
            if name in record:
                turned = layout(record) == "row"
                found[name] = Weight.given(matrix(book, record[name]), turned=turned)
        if f"b_{letter}" in record:
            found[f"b_{letter}x"] = Weight.given(matrix(book, record[f"b_{letter}"]), turned=True)
    return found


def _unstacked(book: Book, record: Record) -> Weights:
    """The runs of rows that PyTorch's matrices and biases hold one below the other."""
    found = {}
    letters = LETTERS[record["cell"]]
    order = record.get("gate_order", _TORCH_ORDER[record["cell"]])
    for stored, part in _STACKED.items():
        if stored not in record:
            continue
        kind, whole = stored[0], matrix(book, record[stored])
        for gate, (run, backs) in zip(order, _runs(whole, len(letters), kind), strict=True):
            name = f"{kind}_{letters[gate]}{part}"
            found[name] = Weight.given(book.copy(name, run, backs), turned=kind == "b")
    return found


def _runs(whole: Numbers, count: int, kind: str) -> Iterator[Made]:
    """The runs of rows of a matrix, or of columns of a bias."""
    h = whole.shape[0 if kind == "W" else 1] // count
    for k in range(count):
        run = slice(k * h, (k + 1) * h)
        if kind == "W":
            yield whole[run], [(whole, slopes.taken_rows(whole, range(run.start, run.stop)))]
        else:
            yield whole[:, run], [(whole, slopes.taken_columns(whole, run.start, run.stop))]


@dataclass(frozen=True)
class RecurrentCell:
    """A cell with its matrices, and the book that its quantities are written in."""

    book: Book
    record: Record
    weights: Weights

    @property
    def size(self) -> int | None:
        """How many numbers a state has; None where no matrix tells it."""
        sizes = (W.values.shape[0] for name, W in self.weights.items() if name.startswith("W_"))
        return next(sizes, None)

    def begin(self, t: int) -> State:
        """a[t] and an LSTM's c[t] before the first step: given, or zeros."""
        a = self._start("a", t, "initial_state")
        return State(a, self._start("c", t, "initial_cell") if self._is("lstm") else None)

    def step(self, t: int, x: Numbers, before: State) -> State:
        """The state at time t, of x [d, 1] and the state that came before."""
        if self._is("rnn"):
            return self._rnn(t, x, before)
        return self._lstm(t, x, before) if self._is("lstm") else self._gru(t, x, before)

    def _is(self, cell: str) -> bool:
        return str(self.record["cell"]) == cell

    def _start(self, name: str, t: int, key: str) -> Numbers | None:
        if key in self.record:
            given = matrix(self.book, self.record[key])
            backs = [(given, lambda G: G.T)]
            return self.book.copy(f"{name}[{t}]", given.T, backs, step="start")
        if self.size is None:
            return None
        zeros = self.book.numbers(np.zeros((self.size, 1), dtype=int))
        return self.book.copy(f"{name}[{t}]", zeros, step="start")

    def _rnn(self, t: int, x: Numbers, before: State) -> State:
        """a = g(W_ax x + W_aa a_prev + b_a)."""
        ax = self._keep(f"ax[{t}]", self._times("W_ax", x))
        aa = self._keep(f"aa[{t}]", self._times("W_aa", before.a))
        terms = (itself(ax), itself(aa), *self._biases("b_ax", "b_aa"))
        z = self._keep(f"z[{t}]", plus(*terms))
        return State(self._applied(f"a[{t}]", str(self.record.get("activation", "tanh")), z))

    def _lstm(self, t: int, x: Numbers, before: State) -> State:
        """c = update ⊙ candidate + forget ⊙ c_prev; a = output ⊙ tanh(c)."""
        gates = {gate: self._gate(t, gate, x, before.a) for gate in LETTERS["lstm"]}
        new = gated(gates["update"], gates["candidate"])
        c = self._keep(f"c[{t}]", plus(new, gated(gates["forget"], before.c)))
        tanh_c = self._applied(f"tanh_c[{t}]", "tanh", c)
        return State(self._keep(f"a[{t}]", gated(gates["output"], tanh_c)), c)

    def _gru(self, t: int, x: Numbers, before: State) -> State:
        """The candidate and the state as it was, in shares: `update` is that of the candidate
        (new: Chung et al. 2014, arXiv:1412.3555), or of the old state (Cho et al. 2014)."""
        reset, update = (self._gate(t, gate, x, before.a) for gate in ("reset", "update"))
        candidate = self._candidate(t, x, before.a, reset)
        pair = (candidate, before.a)
        new, old = pair if self._convention("update", "new", "old") else pair[::-1]
        return State(self._keep(f"a[{t}]", blended(update, new, old)))

    def _candidate(
        self, t: int, x: Numbers, a: Numbers | None, reset: Numbers | None
    ) -> Numbers | None:
        """tanh(W_cx x + W_ca (reset ⊙ a_prev) + b), or with the reset after the matrix tanh(W_cx x
        + b + reset ⊙ (W_ca a_prev + b))."""
        if self._convention("reset", "before", "after"):
            reset_a = self._keep(f"gates[{t}].reset_a", gated(reset, a))
            return self._gate(t, "candidate", x, reset_a)
        product = plus(self._times("W_ca", a), *self._biases("b_ca"))
        remembered = self._keep(f"gates[{t}].candidate_a", product)
        reset_a = self._keep(f"gates[{t}].reset_a", gated(reset, remembered))
        z = plus(self._times("W_cx", x), itself(reset_a), *self._biases("b_cx"))
        return self._applied(
            f"gates[{t}].candidate", "tanh", self._keep(f"gates[{t}].z_candidate", z)
        )

    def _convention(self, key: str, usual: str, torch: str) -> bool:
        """Whether the scenario goes by what is usual in papers, rather than in PyTorch."""
        return (
            str(self.record.get(key, torch if layout(self.record) == "torch" else usual)) == usual
        )

    def _gate(self, t: int, gate: str, x: Numbers, a: Numbers | None) -> Numbers | None:
        """sigmoid(W_gx x + W_ga a + b), of the candidate tanh(…)."""
        letter = LETTERS[self.record["cell"]][gate]
        parts = self._times(f"W_{letter}x", x), self._times(f"W_{letter}a", a)
        term = plus(*parts, *self._biases(f"b_{letter}x", f"b_{letter}a"))
        z = self._keep(f"gates[{t}].z_{gate}", term)
        return self._applied(f"gates[{t}].{gate}", "tanh" if gate == "candidate" else "sigmoid", z)

    def _keep(self, name: str, term: Term | None) -> Numbers | None:
        return None if term is None else self.book.keep(name, *term)

    def _applied(self, name: str, kind: str, z: Numbers | None) -> Numbers | None:
        return None if z is None else activated(self.book, name, kind, z)

    def _times(self, name: str, v: Numbers | None) -> Term | None:
        """W v."""
        return times(self.weights.get(name), v)

    def _biases(self, *names: str) -> list[Term]:
        return [bias(self.weights[name]) for name in names if name in self.weights]
