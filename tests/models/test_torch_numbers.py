"""PyTorch's results as they were stored, in the oracle and in the package: no PyTorch needed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.models.torch_numbers import FOLDER, STORED, written

FILES = sorted(FOLDER.glob("*.json"))


def agree(expected: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Each of the expected arrays; the mean of the weights is over the heads."""
    for name, values in expected.items():
        if name == "mean of weights":
            names = (array for array in arrays if array.rpartition(".")[2] == "weights")
            ours = np.mean([arrays[entry] for entry in names], axis=0)
        else:
            ours = arrays[name]
        np.testing.assert_allclose(ours, values, rtol=1e-10, atol=1e-10, err_msg=name)


def text_of(scenario: Mapping[str, Any]) -> str:
    """JSON that is YAML as well."""
    return written(scenario).replace("-Infinity", "-.inf")


def test_every_case_is_stored() -> None:
    assert {path.stem for path in FILES} == set(STORED)
    assert all(path.stat().st_size < 60_000 for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_oracle_agrees(path: Path) -> None:
    stored = json.loads(path.read_text("utf-8"))
    agree(stored["expected"], oracle.work(stored["scenario"]))
    agree(stored["expected"], oracle.work(read(text_of(stored["scenario"]))))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_package_agrees(path: Path) -> None:
    stored = json.loads(path.read_text("utf-8"))
    trace = trace_of(text_of(stored["scenario"]))
    agree(stored["expected"], {name: trace[name].values for name in trace})
