"""Every gradient against the oracle's, which has an equation of its own for each way back."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.trace import GRADIENTS, Trace
from tests import oracle
from tests.conftest import THOROUGH
from tests.drawing import RandomPen, Tree, transformer, written
from tests.helpers.plain import read
from tests.steps.test_backward import SALT
from tests.steps.test_transformers import same

SEEDS = range(400 if THOROUGH else 16)
GIVEN = {
    "logits": "logits: [[1.2, 0.3, -0.5], [0, 1, 2]]\ntargets: ['0', '2']\n",
    "ignored": "logits: [[1.2, 0.3], [0, 1], [1, 0.5]]\ntargets: ['0', _, '1']\nignored_target: _\n",
    "probabilities": "probabilities: [[0.2, 0.8], [0.5, 0.5]]\ntargets: ['0', '1']\n",
    "some of these": "probabilities: [[0.2, 0.8], [0.5, 0.5]]\ntargets: ['0', _]\nignored_target: _\n",
    "a sampled one": "logits: [[1.2, 0.3, -0.5]]\ntargets: ['0']\nnext: {temperature: 2, top_k: 2}\n",
}


def document(tree: Tree) -> str:
    return "".join(f"{key}: {written(value)}\n" for key, value in tree.items())


def drawn() -> Iterator[tuple[int, str]]:
    """Random Transformers that have a loss."""
    for seed in SEEDS:
        tree = transformer(RandomPen(Random(seed)))
        if "targets" in tree:
            yield seed, document({**tree, "backward": "true"})


def worked(data: Any) -> tuple[Trace, oracle.Arrays] | None:
    """Both, of a scenario that can be worked."""
    try:
        return work(load(data)), oracle.work(data)
    except (ScenarioError, ArithmeticError):
        return None


def agree(trace: Trace, expected: oracle.Arrays, of: object) -> int:
    """The same gradients by name, and the same numbers; how many there are."""
    ours = {q.name for q in trace.quantities.values() if q.name.inside(GRADIENTS)}
    theirs = {name: values for name, values in expected.items() if name.startswith("grad.")}
    assert ours == theirs.keys(), of
    for name, values in theirs.items():
        same(f"{of}: {name}", trace[name].values, values)
    return len(ours)


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_random_transformers(policy: str) -> None:
    compared = 0
    for seed, text in drawn():
        decimals = 3 + seed % 4
        data = read(f"{text}rounding: {{policy: {policy}, decimals: {decimals}}}\n")
        both = worked(data)
        compared += 0 if both is None else agree(*both, seed)
    assert compared > 10 * len(SEEDS)


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("name", GIVEN)
def test_a_loss_of_what_is_given(name: str, policy: str) -> None:
    data = read(f"{GIVEN[name]}backward: true\nrounding: {{policy: {policy}}}\n")
    both = worked(data)
    assert both is not None
    assert agree(*both, name) >= 3


def test_three_scores_by_hand() -> None:
    made = oracle.work(read("logits: [[1, 2, 3]]\ntargets: ['2']\nbackward: true\n"))
    assert made["probabilities"].tolist() == [[*map(oracle_number, ("0.090", "0.245", "0.665"))]]
    assert made["grad.logits"].tolist() == [[*map(oracle_number, ("0.090", "0.245", "-0.335"))]]


SINKS = "sinks: [0.5]\n"
ONE_HOT = "tokens: [a, b]\nembeddings: one_hot\nW1: [[1], [2]]\nW2: [[1]]\ntargets: [[1], [0]]\n"


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("text", [SALT + SINKS, ONE_HOT])
def test_training_of_no_steps_has_the_gradients_alone(text: str, policy: str) -> None:
    line = "train: {optimizer: adam, steps: 0}\n"
    text = text.replace("backward: true\n", "")
    data = read(f"{text}{line}rounding: {{policy: {policy}}}\n")
    assert agree(work(load(data)), oracle.work(data), text) > 5


def oracle_number(text: str) -> object:
    (number,) = oracle.work(read(f"logits: [[{text}]]\n"))["logits"].flat
    return number


def test_one_head_by_hand() -> None:
    """The equations of each step as a book has them, in NumPy, with all their digits."""
    made = oracle.work(read(f"{SALT}rounding: {{policy: exact}}\n"))
    X, V = np.array([[1, 0], [0, 1], [1, 1.0]]), np.array([[1, 0], [-1, 1], [0, 1.0]])
    Q, K, U = X, X[:, ::-1], np.array([[1, 0, -1], [0, 1, 1.0]])
    A = np.exp(Q @ K.T)
    A /= A.sum(axis=1, keepdims=True)
    p = np.exp((A @ V)[2:] @ U)
    p /= p.sum()
    d_output = np.zeros((3, 2))
    d_output[2] = (p - [1, 0, 0]) @ U.T
    d_A = d_output @ V.T
    d_scores = np.array([(np.diag(a) - np.outer(a, a)) @ d for a, d in zip(A, d_A, strict=True)])
    expected = {
        "grad.weights": d_A,
        "grad.scores": d_scores,
        "grad.W_Q": X.T @ (d_scores @ K),
        "grad.W_K": X.T @ (d_scores.T @ Q),
        "grad.W_V": X.T @ (A.T @ d_output),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(made[name], values, atol=1e-14, err_msg=name)


def test_half_of_a_difference_is_rounded_away_from_zero() -> None:
    """(0.995785 − 1) × 0.5 = −0.0021075 is a half, which is small beside the error of floats."""
    text = "logits: [[5.4649, 0], [5.4649, 0]]\ntargets: ['0', '0']\nbackward: true\n"
    trace = work(load(read(f"{text}rounding: {{decimals: 6}}\n")))
    assert trace["probabilities"].values.tolist() == [[0.995785, 0.004215]] * 2
    assert trace["grad.logits"].values.tolist() == [[-0.002108, 0.002108]] * 2


def test_half_of_a_difference_from_shares_is_rounded_away_from_zero() -> None:
    """(p − 0.7) × 0.5, where p is near 0.7 and its last digit odd."""
    halves = 0
    for thousandths in range(830, 860):
        row = f"[0.{thousandths}, 0]"
        data = f"logits: [{row}, {row}]\ntargets: [[0.7, 0.3], [0.7, 0.3]]\nloss: cross_entropy\n"
        trace = work(load(read(f"{data}backward: true\nrounding: {{decimals: 6}}\n")))
        p, slope = (
            Decimal(str(trace[entry].values[0, 0])) for entry in ("probabilities", "grad.logits")
        )
        true = (p - Decimal("0.7")) * Decimal("0.5")
        assert slope == true.quantize(Decimal("0.000001"), ROUND_HALF_UP)
        halves += true != slope
    assert halves > 10
