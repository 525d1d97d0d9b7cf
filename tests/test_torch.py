"""Random numbers in PyTorch's own modules, in the oracle and in the package: the same results."""

from __future__ import annotations

import numpy as np
import pytest

from attncli import load, oracle, work
from tests.conftest import sampled
from tests.test_torch_numbers import agree

pytest.importorskip("torch")
from tests.torch_cases import FAMILIES, Case

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
