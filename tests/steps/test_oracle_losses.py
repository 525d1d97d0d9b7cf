"""Losses, and the way back from them through recurrent cells, beside the oracle's."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from attncli import load, work
from tests import oracle
from tests.conftest import sampled
from tests.drawing import RandomPen, recurrent
from tests.steps.test_gradient_check import GRU
from tests.steps.test_losses import PLANE, READ_OUTS, WORDS, YES_NO
from tests.steps.test_transformers import same

SHARES = {
    **WORDS,
    "loss": "cross_entropy",
    "targets": [["0.2", "0.3", "0.5"], [1, 0, 0], [0, 0, 1]],
}
CASES: list[dict[str, Any]] = [
    PLANE,
    *({**PLANE, "reduction": name} for name in ("mean_of_rows", "sum", "half_sum")),
    {**PLANE, "backward": False, "train": {"learning_rate": "0.1", "steps": 2, "reduction": "sum"}},
    {**PLANE, "predict_from": "last", "targets": [[1, "0.5"]]},
    *READ_OUTS,
    {**WORDS, "labels": ["x", "y", "z"], "targets": ["z", "x", "y"]},
    SHARES,
    YES_NO,
    GRU,
]


@sampled(3, case=range(len(CASES)), policy=["carry", "exact"])
def test_losses_are_those_of_the_oracle(case: int, policy: str) -> None:
    compare({**CASES[case], "rounding": {"policy": policy, "decimals": 4}})


def compare(scenario: dict[str, Any]) -> None:
    trace, expected = work(load(scenario)), oracle.work(scenario)
    made = {name for name in trace if not trace[name].given}
    assert {name for name in expected if name not in trace or not trace[name].given} == made
    for name in made:
        same(name, trace[name].values, expected[name])


@sampled(7, seed=range(40))
def test_recurrent_layers_go_back_as_those_of_the_oracle(seed: int) -> None:
    random = Random(seed)
    tree = recurrent(RandomPen(random))
    shape = targets_of(tree)
    if shape is None:
        return
    targets = [[random.choice(["0", "1", "0.5"]) for _ in range(shape[1])] for _ in range(shape[0])]
    policy = {"policy": random.choice(["carry", "exact"]), "decimals": 5}
    compare({**tree, "targets": targets, "backward": True, "rounding": policy})


def targets_of(tree: dict[str, Any]) -> tuple[int, int] | None:
    """The rows and columns of what the last layer comes to."""
    trace = work(load(tree))
    made = [name for name in trace if name.rpartition(".")[2].startswith("y[")]
    zs = [name for name in trace if name.rpartition(".")[2].startswith(("z_y[", "ya["))]
    if not made and zs:
        biased = [name for name in zs if "z_y[" in name]
        made = biased or zs
    if made:
        return len(made), len(trace[made[0]].values)
    rows: np.ndarray[Any, Any] = trace[
        [name for name in trace if name.endswith("states")][-1]
    ].values
    return rows.shape[0], rows.shape[1]
