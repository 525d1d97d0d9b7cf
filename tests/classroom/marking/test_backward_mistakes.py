"""Mistakes of the way back, made on purpose in plain NumPy: marking names each of them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import numpy as np
import pytest

from attncli import load, work
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Given
from attncli.maths.equations.tree import Location
from tests.classroom.planted.sheet import Array, rounded
from tests.helpers.plain import read

TEXT = """\
tokens: [a, b, c]
vocabulary: {a: 0, b: 1, c: 2}
X: [[1, 0.5, -1], [0.3, -0.7, 0.8], [-0.4, 1, 0.6]]
block: attention
W_Q: [[1, 0.4, -0.2], [-0.3, 0.8, 0.5], [0.6, -1, 0.9]]
W_K: [[0.2, -0.9, 0.7], [1, 0.5, 0.1], [-0.4, 0.3, 1]]
W_V: [[0.8, -0.5, 0.3], [0.6, 1, -0.7], [0.2, 0.4, -1]]
W1: [[1, -0.6, 0.9], [0.4, 0.7, -1], [-0.8, 0.5, 0.3]]
b1: [0.1, -0.2, 0.3]
W2: [[0.9, 0.2, -0.5], [-0.7, 1, 0.4], [0.3, -0.8, 0.6]]
b2: [0.2, 0.1, -0.1]
activation: relu
unembedding: [[1, -0.4, 0.7], [-0.5, 0.9, 0.2], [0.3, 0.6, -1]]
b_U: [0.1, 0, -0.2]
targets: [b, c, a]
backward: true
"""
MATRICES = {"X", "W_Q", "W_K", "W_V", "W1", "b1", "W2", "b2", "unembedding", "b_U"}
MISTAKES = {
    "not_averaged": "grad.loss",
    "without_target": "grad.logits",
    "transpose_forgotten": "grad.W2",
    "bias_not_summed": "grad.b2",
    "averaged_over_tokens": "grad.W1",
    "mask_of_the_gradient": "grad.hidden",
    "diagonal_only": "grad.scaled",
    "scale_left_out": "grad.scores",
    "one_use_only": "grad.X",
}
"""Where each is made."""


class Paper:
    """What somebody writes down who makes a mistake, in three decimals, as it is carried on."""

    def __init__(self, mistake: str) -> None:
        self.mistake = mistake
        self.written: dict[str, Array] = {}

    def write(self, name: str, values: Array, **wrong: Array) -> Array:
        """The right numbers, or those of the mistake."""
        array = wrong.get(self.mistake, values)
        self.written[f"grad.{name}"] = rounded(np.asarray(array, dtype=float))
        return self.written[f"grad.{name}"]


def softmax(z: Array) -> Array:
    e = rounded(np.exp(z))
    return rounded(e / rounded(e.sum(axis=1, keepdims=True)))


def paper_with(mistake: str) -> Mapping[str, Array]:
    """The way there and back of the head, its network and its loss."""
    data = read(TEXT)
    W = {name: np.array(data[name], dtype=float) for name in data if name in MATRICES}
    X = W["X"]
    Q, K, V = (rounded(X @ W[f"W_{text}"]) for text in "QKV")
    A = softmax(rounded(rounded(Q @ K.T) / np.sqrt(3)))
    O = rounded(A @ V)  # noqa: E741
    z = rounded(O @ W["W1"] + W["b1"])
    a = np.maximum(z, 0)
    f = rounded(a @ W["W2"] + W["b2"])
    p = softmax(rounded(f @ W["unembedding"] + W["b_U"]))
    y = np.eye(3)[[1, 2, 0]]
    made = Paper(mistake)
    d_loss = made.write("loss", np.full((3, 1), 1 / 3), not_averaged=np.ones((3, 1)))
    d_logits = made.write("logits", d_loss * (p - y), without_target=d_loss * p)
    d_f = made.write("ffn", d_logits @ W["unembedding"].T)
    made.write("W2", a.T @ d_f, transpose_forgotten=a @ d_f)
    made.write("b2", d_f.sum(axis=0, keepdims=True), bias_not_summed=d_f[:1])
    d_a = made.write("activated", d_f @ W["W2"].T)
    d_z = made.write("hidden", d_a * (z > 0), mask_of_the_gradient=d_a * (d_a > 0))
    made.write("W1", O.T @ d_z, averaged_over_tokens=O.T @ d_z / 3)
    d_O = made.write("output", d_z @ W["W1"].T)
    d_A = made.write("weights", d_O @ V.T)
    d_V = made.write("V", A.T @ d_O)
    right = A * (d_A - (d_A * A).sum(axis=1, keepdims=True))
    d_scaled = made.write("scaled", right, diagonal_only=A * (1 - A) * d_A)
    d_scores = made.write("scores", d_scaled / np.sqrt(3), scale_left_out=d_scaled)
    d_Q, d_K = made.write("Q", d_scores @ K), made.write("K", d_scores.T @ Q)
    parts = [rounded(d @ W[f"W_{text}"].T) for d, text in ((d_V, "V"), (d_K, "K"), (d_Q, "Q"))]
    made.write("X", np.sum(parts, axis=0), one_use_only=parts[0])
    return made.written


def judged(written: Mapping[str, Array]) -> list[tuple[str, str]]:
    """The quantities that are found wrong, each with what it is called."""
    numbers = {
        Location(name, i, j): Given(f"{value:.3f}", Decimal(f"{value:.3f}"), 3)
        for name, table in written.items()
        for (i, j), value in np.ndenumerate(table)
    }
    verdicts = Judge(work(load(read(TEXT)))).verdicts(numbers)
    wrong = (v for v in verdicts if v.judgement not in ("correct", "carried forward"))
    return [(str(v.cell.quantity), v.judgement if v.cause is None else v.cause.name) for v in wrong]


def test_a_right_paper_is_right() -> None:
    assert judged(paper_with("")) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake: str) -> None:
    found = judged(paper_with(mistake))
    assert found, "nothing was found"
    assert {*found} == {(MISTAKES[mistake], mistake)}
