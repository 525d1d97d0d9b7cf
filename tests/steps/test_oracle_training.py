"""Training by every loss and every optimizer, of attention and of recurrent cells, beside the
oracle's, which has its own equation for each way back and each update."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from attncli import ScenarioError, load, work
from attncli.trace import Trace
from tests import oracle
from tests.conftest import THOROUGH
from tests.drawing import RandomPen, Tree, recurrent, training, transformer, written
from tests.helpers.plain import read
from tests.oracle.stack import worked
from tests.steps.test_transformers import same

SEEDS = range(800) if THOROUGH else range(19, 44)
NOISE = 1e-14
"""What the gradient of numbers near 1 is off by in floats, where it is really 0."""


def drawn(seed: int) -> Tree | None:
    """A model that is trained; None where a draw can't be worked."""
    pen = RandomPen(Random(seed))
    tree = recurrent(pen) if seed % 2 else transformer(pen)
    policy = {"policy": ("carry", "exact")[seed // 2 % 2], "decimals": 4 + seed % 5}
    try:
        return training(pen, tree) | {"rounding": policy}
    except ArithmeticError:
        return None


def both(tree: Tree) -> tuple[Trace, oracle.Arrays] | None:
    """Every number and the oracle's, which goes on with the quotients of Adam as they are here."""
    data = read("".join(f"{key}: {written(value)}\n" for key, value in tree.items()))
    try:
        trace = work(load(data))
    except ScenarioError as error:
        if "round" not in str(error):
            raise
        return None
    exact = tree["rounding"]["policy"] == "exact"
    quotients = [name for name in trace if exact and "quotient" in name.split(".")]
    start = {name: trace[name].values for name in quotients}
    expected = worked(data, Path(), start).pages
    for name in quotients:
        divided(name, trace[name].values, expected, tree["train"])
    return trace, expected


def divided(name: str, ours: Any, expected: oracle.Arrays, train: Tree) -> None:
    """m̂ / (√v̂ + ε), of adafactor g / max(√v̂, ε). A key's bias has no gradient but the noise of floats: where that is divided by
    nearly ε alone, the quotient is off by as many times as much."""
    m, v = (
        next(expected[whole] for whole in wholes if whole in expected)
        for wholes in (
            [name.replace("quotient.", f"{entry}.") for entry in entries] for entries in _DIVIDED
        )
    )
    epsilon = float(train.get("epsilon", "1e-8"))
    is_larger = train.get("optimizer") == "adafactor"
    root = np.maximum(np.sqrt(v), epsilon) if is_larger else np.sqrt(v) + epsilon
    assert (np.abs(ours - m / root) <= 1e-12 + NOISE / root).all(), name


_DIVIDED = (("m_hat", "decayed", "clipped", "grad"), ("v_hat", "v"))
"""What a quotient is made of, the latest first; RMSprop has no averages m̂ and v̂."""


def agree(trace: Trace, expected: oracle.Arrays) -> int:
    made = {name for name in trace if not trace[name].given}
    assert {name for name in expected if name not in trace or not trace[name].given} == made
    for name in made:
        same(name, trace[name].values, expected[name])
    return sum(trace[name].values.size for name in made)


def test_random_models_are_trained_alike() -> None:
    """Every name and every number, under both policies; by default of one model with each loss and
    each optimizer."""
    kinds = set[tuple[str, ...]]()
    compared = models = 0
    for seed in SEEDS:
        tree = drawn(seed)
        if tree is None:
            continue
        train = tree["train"]
        loss = train.get("loss", tree.get("loss", ""))
        own = {("loss", loss), ("optimizer", train.get("optimizer", "sgd"))}
        found = both(tree) if THOROUGH or not own <= kinds else None
        if found is not None:
            models += 1
            compared += agree(*found)
            kinds |= own
    assert compared > 500 * models
    assert {name for kind, name in kinds if kind == "loss"} == {
        "cross_entropy",
        "binary_cross_entropy",
        "mse",
    }
    assert len([kind for kind, _ in kinds if kind == "optimizer"]) == 8
