"""Gradients of the loss: beside PyTorch's autograd, central differences, and sums done by hand."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.maths.equations import deciding
from attncli.maths.equations.matrix import Matrix
from attncli.maths.operations.losses import LossOfLogits
from attncli.scenario.file.problems import ScenarioError
from attncli.trace import GRADIENTS, Trace
from tests.conftest import sampled
from tests.drawing import RandomPen, transformer
from tests.helpers.marking_cases import run

SALT = """\
title: Learning to attend
sentence: salt and pepper
vocabulary: {salt: 0, and: 1, pepper: 2}
embeddings: {salt: [1, 0], and: [0, 1], pepper: [1, 1]}
W_Q: [[1, 0], [0, 1]]
W_K: [[0, 1], [1, 0]]
W_V: [[1, 0], [-1, 1]]
scale: none
unembedding: [[1, 0, -1], [0, 1, 1]]
targets: [salt]
predict_from: last
backward: true
"""
MODEL = ("backward=true", "targets=[can, go, alone]", "predict_from=every", "generate=1")


def salt(folder: Path) -> Path:
    path = folder / "salt.yaml"
    path.write_text(SALT, "utf-8")
    return path


@pytest.mark.real("torch")
def test_a_model_has_the_gradients_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    trace = work(load("next_token", [*MODEL, "rounding.policy=exact"]))
    p = {
        str(name): torch.tensor(trace[name].values, requires_grad=True)
        for name in trace.scenario.given.matrices
    }

    def norm(x: Any, gamma: Any = None, beta: Any = None) -> Any:
        return functional.layer_norm(x, x.shape[1:], gamma, beta, eps)

    eps, ids = 1e-5, [0, 1, 2]
    x = p["embeddings"][ids] + p["positions"][:3]
    hidden = torch.ones(3, 3, dtype=torch.bool).triu(1)
    for k in (1, 2):
        W = {
            name: p[f"layers[{k}].{name}"]
            for name in ["W_Q", "W_K", "W_V", "W_O", "W1", "b1", "W2", "b2"]
        }
        normed = norm(x)
        heads = []
        for columns in (slice(0, 2), slice(2, 4)):
            Q, K, V = ((normed @ W[f"W_{text}"])[:, columns] for text in "QKV")
            scores = (Q @ K.T / 2**0.5).masked_fill(hidden, -torch.inf)
            heads.append(scores.softmax(1) @ V)
        x = x + torch.cat(heads, 1) @ W["W_O"]
        x = x + functional.gelu(norm(x) @ W["W1"] + W["b1"]) @ W["W2"] + W["b2"]
    logits = norm(x, p["final_norm.gamma"][0], p["final_norm.beta"][0]) @ p["unembedding"]
    loss = functional.cross_entropy(logits, torch.tensor([1, 2, 3]))
    loss.backward()
    assert trace["cross_entropy"].values[0, 0] == pytest.approx(loss.item(), abs=1e-12)
    for name in trace.scenario.given.matrices:
        ours, theirs = trace[name.under(GRADIENTS)].values, p[name].grad.numpy()
        np.testing.assert_allclose(ours, theirs, atol=1e-10, rtol=0, err_msg=name)


def loss_with(trace: Trace, name: str, moved: np.ndarray[Any, Any]) -> float:
    return float(trace.replay({name: moved})["cross_entropy"].values[0, 0])


def drawn_with_a_loss(seed: int) -> Trace:
    """The first random Transformer from a seed on that has targets."""
    for k in range(100):
        tree = transformer(RandomPen(Random(seed + k)))
        if "targets" in tree:
            tree |= {"rounding": {"policy": "exact", "decimals": "4"}, "backward": True}
            return work(load(tree))
    raise AssertionError("no scenario had targets")


@sampled(2, seed=[1, 14, 51, 61])
def test_gradients_are_the_slopes_of_the_loss(seed: int) -> None:
    trace, rng, h = drawn_with_a_loss(seed), np.random.default_rng(seed), 1e-5
    known = [
        name for name in trace.scenario.given.matrices if name.under(GRADIENTS) in trace.quantities
    ]
    assert known
    for k in rng.permutation(len(known))[:5]:
        name = known[k]
        values = trace[name].values
        i, j = (int(rng.integers(side)) for side in values.shape)
        step = np.zeros(values.shape)
        step[i, j] = h
        slope = loss_with(trace, name, values + step) - loss_with(trace, name, values - step)
        ours = trace[name.under(GRADIENTS)].values[i, j]
        assert ours == pytest.approx(slope / (2 * h), rel=1e-5, abs=1e-6), name


def rounded(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.001"), ROUND_HALF_UP)


def test_under_carry_the_way_back_goes_on_with_the_printed_digits(tmp_path: Path) -> None:
    trace = work(load(salt(tmp_path)))

    def row(name: str, i: int) -> list[Decimal]:
        return [rounded(Decimal(str(number))) for number in trace[name].values[i]]

    probabilities, weights, V = row("probabilities", 0), row("weights", 2), trace["V"].values
    logits = [p - index for p, index in zip(probabilities, (1, 0, 0), strict=True)]
    assert row("grad.logits", 0) == logits
    output = [rounded(logits[0] - logits[2]), rounded(logits[1] + logits[2])]
    assert row("grad.output", 2) == output
    of_weights = [
        rounded(sum((o * Decimal(str(v)) for o, v in zip(output, value, strict=True)), Decimal(0)))
        for value in V
    ]
    assert row("grad.weights", 2) == of_weights
    mean = sum((g * w for g, w in zip(of_weights, weights, strict=True)), Decimal(0))
    scores = [rounded(w * (g - mean)) for g, w in zip(of_weights, weights, strict=True)]
    assert row("grad.scores", 2) == scores
    assert row("grad.Q", 2) == [scores[1] + scores[2], scores[0] + scores[2]]


def test_what_is_used_several_times_gets_the_sum_of_its_parts(tmp_path: Path) -> None:
    trace = work(load(salt(tmp_path)))
    parts = [trace[f"grad.X.{name}"].values for name in "QKV"]
    np.testing.assert_allclose(trace["grad.X"].values, sum(parts), atol=1e-12)
    page = run("run", salt(tmp_path), "--step", "backward_project").stdout
    assert "grad.X = grad.X.V + grad.X.K + grad.X.Q" in page


def test_a_lesson_has_the_formula_and_a_mistake_with_its_number(tmp_path: Path) -> None:
    page = run("explain", salt(tmp_path), "--step", "backward_softmax").stdout
    text = " ".join(page.split())
    assert "weights[i, j] × (grad.weights[i, j] − Σ_k grad.weights[i, k] × weights[i, k])" in text
    assert "Passing the gradient on unchanged" in text
    assert "The mistake gives" in text


def test_the_loss_of_logits_is_that_of_their_softmax() -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(3, 4)) * [[1], [300], [1]]
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    x, p = (
        Matrix.of_array(entry, 3, carry=False) for entry in (logits, e / e.sum(axis=1)[:, None])
    )
    loss = LossOfLogits((1, None, 2))
    expected = [[-np.log(p.values[0, 1])], [-np.log(p.values[2, 2])]]
    np.testing.assert_allclose(loss.values(x, p), expected, rtol=1e-14)
    for i in range(2):
        assert float(deciding.full(loss.cell(i, 0, x, p)[0])) == pytest.approx(expected[i][0])


def test_gradients_need_a_loss() -> None:
    with pytest.raises(ScenarioError, match="gradients are those of a loss; give targets"):
        load("i_love_ai", ["backward=true"])
    assert "backward" not in run("run", "i_love_ai").stdout


@pytest.mark.wing("classroom")
def test_a_step_back_is_asked_and_marked(tmp_path: Path) -> None:
    path, folder = salt(tmp_path), tmp_path / "made"
    asked = ("--step", "backward_scores", "--format", "yaml", "-o", f"{folder}/")
    assert run("exercise", path, *asked).exit_code == 0
    (key,) = folder.glob("*_key.yaml")
    report = run("grade", path, key)
    assert report.exit_code == 0, report.output
    assert "12 of 12" in report.stdout


def gradients_of(**data: Any) -> set[str]:
    """What has a gradient in a head of two tokens."""
    tree: dict[str, Any] = {"sentence": "a b", "embeddings": {"a": [1, 0], "b": [0, 1]}}
    tree |= {"backward": "true"}
    tree |= {f"W_{name}": [[1, 0], [0, 1]] for name in "QKV"} | {"targets": [[1, 0], [0, 1]]}
    trace = work(load({**tree, **data}))
    return {str(name) for name in trace.quantities if name.startswith("grad.")}


def test_what_only_tells_a_size_gets_no_gradient() -> None:
    found = gradients_of(sinks=[1])
    assert "grad.scaled" in found
    assert not [name for name in found if name.startswith("grad.scaled.")]


@pytest.mark.parametrize("kind", ["linear", "llama3", "yarn"])
def test_gradients_go_back_through_scaled_rotations(kind: str) -> None:
    scaling = {"kind": kind, "factor": 2} | ({} if kind == "linear" else {"original_length": 8})
    found = gradients_of(positions={"kind": "rope", "scaling": scaling})
    assert {"grad.rotated_Q", "grad.rotated_K", "grad.W_Q", "grad.W_K"} <= found
    assert not [name for name in found if "frequencies" in name]


def test_vectors_that_only_tell_tokens_apart_are_not_learned() -> None:
    found = gradients_of(embeddings="one_hot")
    assert "grad.W_Q" in found
    assert not {"grad.embeddings", "grad.X"} & found
    trained = work(load({"tokens": ["a", "b"], "embeddings": "one_hot", "W1": [[1], [2]], "W2": [[1]],
                         "targets": [[1], [0]], "train": {"learning_rate": "0.1"}}))  # fmt: skip
    updated = {str(name) for name in trained.quantities if name.startswith("update.")}
    assert updated == {"update.W1", "update.W2"}
