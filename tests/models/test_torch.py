"""Random numbers in PyTorch's own modules, in the oracle and in the package: the same results."""

from __future__ import annotations

import numpy as np
import pytest

from attncli import load, work
from attncli.models.dumps.tensors import taken_apart
from attncli.scenario.file.dump_files import Tensor
from tests import oracle
from tests.conftest import sampled
from tests.models.test_torch_numbers import agree

pytest.importorskip("torch")
import torch

from tests.models.torch_cases import FAMILIES, Case

pytestmark = pytest.mark.real("torch")

SEEDS = range(25)


def case_of(family: str, seed: int) -> Case:
    return FAMILIES[family](np.random.default_rng([seed, *family.encode()]))


@sampled(7, family=FAMILIES, seed=SEEDS)
def test_the_oracle_agrees_with_torch(family: str, seed: int) -> None:
    case = case_of(family, seed)
    agree(case.expected, oracle.work(case.scenario))


@sampled(7, family=FAMILIES, seed=SEEDS)
def test_the_package_agrees_with_torch(family: str, seed: int) -> None:
    case = case_of(family, seed)
    trace = work(load(case.scenario))
    agree(case.expected, {name: trace[name].values for name in trace})


def test_gradients_are_known_by_the_names_of_parameters() -> None:
    """A dump of each parameter's `.grad`, as `named_parameters` calls them."""
    torch.manual_seed(3)
    ours = {"q_proj": "_Q", "k_proj": "_K", "v_proj": "_V", "fc1": "1", "fc2": "2"}
    sides = {"fc1": (4, 6), "fc2": (6, 4)}
    linear = {name: torch.nn.Linear(*sides.get(name, (4, 4)), dtype=torch.float64) for name in ours}
    X, targets = torch.randn(2, 3, 4, dtype=torch.float64)
    Q, K, V = (linear[name](X) for name in ("q_proj", "k_proj", "v_proj"))
    output = torch.softmax(Q @ K.T / 2, dim=-1) @ V
    loss = ((linear["fc2"](torch.relu(linear["fc1"](output))) - targets) ** 2).mean()
    loss.backward()
    source = {"X": X.numpy(), "targets": targets.numpy(), "backward": True}
    for name, layer in linear.items():
        source[f"W{ours[name]}"] = layer.weight.detach().numpy()
        source[f"b{ours[name]}"] = layer.bias.detach().numpy()
    trace = work(load({**source, "weights_layout": "linear"}, "rounding.policy=exact"))
    values = [*torch.nn.ModuleDict(linear).named_parameters()]
    grads = {f"{name}.grad": value.grad for name, value in values}
    dump = {
        name: Tensor(value.numpy(), "float64") for name, value in grads.items() if value is not None
    }
    assert len(dump) == len(values)
    found = taken_apart(dump, trace, {}, "dump.npz").tensors
    assert {theirs.called for theirs in found.values()} == {*dump}
    for name, theirs in found.items():
        assert name.startswith("grad.")
        np.testing.assert_allclose(theirs.values, trace[name].values, rtol=0, atol=1e-10)
