"""Losses and the gradients that go back from them are those of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import Trace, load, work
from attncli.maths.equations.matrix import Matrix
from attncli.maths.operations.gradients import derivative
from attncli.trace import GRADIENTS
from tests import oracle
from tests.helpers import ops
from tests.steps.test_losses import EXACT, NAMES_OF_SUMS, PLANE, READ_OUTS, TWO, given_logits

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.real("torch")
functional: Any = torch.nn.functional


def leaves(trace: Trace) -> dict[str, Any]:
    return {
        str(name): torch.tensor(matrix.values, requires_grad=True)
        for name, matrix in trace.scenario.given.matrices.items()
    }


def compare(trace: Trace, loss: Any, p: dict[str, Any]) -> None:
    """The loss is PyTorch's, and so is the gradient of each given matrix, and of no other."""
    name = trace.scenario.prediction.loss.name
    assert trace[name].values[0, 0] == pytest.approx(loss.item(), abs=1e-12)
    loss.backward()
    for given, tensor in p.items():
        if given == "targets":
            assert "grad.targets" not in trace
            continue
        ours = trace[str(trace[given].name.under(GRADIENTS))].values
        np.testing.assert_allclose(ours, tensor.grad.numpy(), atol=1e-10, rtol=0, err_msg=given)


def attended(p: dict[str, Any]) -> Any:
    Q, K, V = (p["X"] @ p[f"W_{text}"] for text in "QKV")
    return (Q @ K.T / 2**0.5).softmax(1) @ V


@pytest.mark.parametrize("which", ["every", "last"])
def test_the_squared_error_of_an_attention_is_that_of_pytorch(which: str) -> None:
    targets = PLANE["targets"] if which == "every" else PLANE["targets"][-1:]
    trace = work(load({**PLANE, **EXACT, "targets": targets, "predict_from": which}))
    p = leaves(trace)
    output = attended(p)
    compare(
        trace, functional.mse_loss(output if which == "every" else output[-1:], p["targets"]), p
    )


SQUARED: dict[str, Any] = {
    "mean": functional.mse_loss,
    "mean_of_rows": lambda x, y: ((x - y) ** 2).sum(dim=1).mean(),
    "sum": lambda x, y: functional.mse_loss(x, y, reduction="sum"),
    "half_sum": lambda x, y: functional.mse_loss(x, y, reduction="sum") / 2,
}


@pytest.mark.parametrize("reduction", SQUARED)
def test_squared_errors_are_reduced_as_they_are_by_pytorch(reduction: str) -> None:
    trace = work(load({**PLANE, **EXACT, "reduction": reduction}))
    assert trace.scenario.prediction.loss.name == NAMES_OF_SUMS[reduction]
    p = leaves(trace)
    compare(trace, SQUARED[reduction](attended(p), p["targets"]), p)


def states(p: dict[str, Any], n: int = 3) -> Any:
    a, rows = torch.zeros(2, dtype=torch.float64), []
    for t in range(n):
        a = torch.tanh(p["W_ax"] @ p["embeddings"][t] + p["W_aa"] @ a)
        rows.append(a)
    return torch.stack(rows)


LOSSES: list[Any] = [
    lambda z, _: functional.cross_entropy(z, torch.tensor([1, 2, 0])),
    lambda z, _: functional.cross_entropy(z, torch.tensor([1, 2, 0]), label_smoothing=0.1),
    lambda z, _: functional.cross_entropy(
        z, torch.tensor([1, -100, 0]), label_smoothing=0.2, ignore_index=-100
    ),
    lambda z, _: functional.cross_entropy(z[-1:], torch.tensor([2])),
    functional.cross_entropy,
    lambda z, y: functional.cross_entropy(z, y, label_smoothing=0.1),
    lambda z, y: functional.mse_loss(z.softmax(1), y),
    functional.binary_cross_entropy_with_logits,
    lambda z, y: functional.mse_loss(z.sigmoid(), y),
    lambda z, y: functional.mse_loss(z[-1:], y),
]
"""What PyTorch computes of each of READ_OUTS."""


@pytest.mark.parametrize("case", range(len(READ_OUTS)))
def test_losses_of_read_outs_are_those_of_pytorch(case: int) -> None:
    trace = work(load({**READ_OUTS[case], **EXACT}))
    p = leaves(trace)
    compare(trace, LOSSES[case](states(p) @ p["W_ya"].T, p.get("targets")), p)


def test_labels_of_a_model_are_smoothed_as_pytorch_does() -> None:
    texts = ["targets=[can, go, alone]", "predict_from=every", "generate=1", "label_smoothing=0.1"]
    trace = work(load("next_token", [*texts, "backward=true", "rounding.policy=exact"]))
    logits = torch.tensor(trace["logits"].values, requires_grad=True)
    loss = functional.cross_entropy(logits, torch.tensor([1, 2, 3]), label_smoothing=0.1)
    loss.backward()
    assert trace["cross_entropy"].values[0, 0] == pytest.approx(loss.item(), abs=1e-12)
    np.testing.assert_allclose(trace["grad.logits"].values, logits.grad.numpy(), atol=1e-12)


def test_the_loss_of_logits_and_its_slopes() -> None:
    """The whole equations, from logits, are those of which the story has the parts."""
    random = np.random.default_rng(1)
    z, y = random.normal(size=(3, 4)), random.dirichlet(np.ones(4), size=2)
    soft, counts = torch.tensor(z).softmax(1).numpy(), (True, False, True)
    operands = [Matrix.of_array(x, 3, carry=False) for x in (z, soft, y)]
    whole = ops.DistributionLoss(counts)
    logits = torch.tensor(z, requires_grad=True)
    expected = functional.cross_entropy(logits[[0, 2]], torch.tensor(y), reduction="none")
    np.testing.assert_allclose(whole.values(*operands)[:, 0], expected.detach(), atol=1e-13)
    expected.sum().backward()
    ones = Matrix.of_array(np.ones((2, 1)), 3, carry=False)
    slopes = derivative(whole, 0).values(*operands, ones, ones)
    np.testing.assert_allclose(slopes, logits.grad.numpy(), atol=1e-13)
    yes = Matrix.of_array(random.random((3, 4)), 3, carry=False)
    p = Matrix.of_array(1 / (1 + np.exp(-z)), 3, carry=False)
    binary = ops.BinaryLossOfLogits().values(operands[0], p, yes)
    value = functional.binary_cross_entropy_with_logits(
        torch.tensor(z), torch.tensor(yes.values), reduction="none"
    )
    np.testing.assert_allclose(binary, value, atol=1e-13)
    np.testing.assert_allclose(ops.BinaryCrossEntropies().values(p, yes), value, atol=1e-13)


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("logits", ["[[800, 0]]", "[[20, 0]]", "[[2, 0]]"])
def test_what_is_multiplied_by_0_has_no_part_in_a_cross_entropy(logits: str, policy: str) -> None:
    """However small its probability is, as in PyTorch's loss of logits."""
    trace = given_logits(logits, "[[1, 0]]", f"rounding.policy={policy}", "backward=true")
    z = torch.tensor(trace["logits"].values, requires_grad=True)
    loss = functional.cross_entropy(z, torch.tensor([[1.0, 0.0]], dtype=torch.float64))
    loss.backward()
    assert trace["cross_entropy"].values[0, 0] == pytest.approx(loss.item(), abs=6e-4)
    record = {**TWO, "logits": [[*map(str, z.tolist()[0])]], "targets": [["1", "0"]]}
    numbers = oracle.work({**record, "rounding": {"policy": policy}})["cross_entropy"]
    np.testing.assert_allclose(trace["cross_entropy"].values, numbers.astype(float), atol=1e-12)
    np.testing.assert_allclose(trace["grad.logits"].values, z.grad.numpy(), atol=6e-4)
