"""Buckets of distances, as T5 has them: against its formula, and a small scenario by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attncli import load, work
from attncli.equations.matrix import Matrix
from attncli.operations.relative_positions import Buckets

TABLE = [[0.5, -1], [0.25, 0], [-0.5, 2], [-2, 1]]
PAIR: dict[str, Any] = {
    "tokens": ["a", "b", "c", "d"],
    "X": [[1, 0], [0, 1], [1, 1], [2, 1]],
    "projection": "none",
    "scale": "none",
    "rounding": {"policy": "exact"},
}


def _of_t5(ahead: NDArray[np.int_], count: int, most: int, *, both: bool) -> NDArray[np.int_]:
    """The formula of the paper's code, in floats; what is barely below a whole number is one."""
    base: NDArray[np.int_] = (ahead > 0) * (count // 2) if both else np.zeros_like(ahead)
    count = count // 2 if both else count
    distance, exact = np.abs(ahead) if both else np.maximum(-ahead, 0), count // 2
    logarithms = np.log(np.maximum(distance, 1) / exact) / np.log(most / exact)
    far = exact + np.floor(logarithms * (count - exact) + 1e-9).astype(int)
    return base + np.where(distance < exact, distance, np.minimum(far, count - 1))


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize(("count", "most"), [(32, 128), (8, 20), (4, 8), (6, 4), (320, 800)])
def test_buckets_are_those_of_t5(count: int, most: int, both: bool) -> None:
    n, m = 150, 400
    scores = Matrix.of_array(np.zeros((n, m)), 3, carry=False)
    ahead = np.arange(m) - np.arange(m - n, m)[:, np.newaxis]
    made = Buckets(count, most, both).values(scores)
    np.testing.assert_array_equal(made, _of_t5(ahead, count, most, both=both))


def test_a_head_adds_its_column_by_the_bucket() -> None:
    positions = {"kind": "relative", "table": TABLE, "max_distance": 4}
    heads = {"heads": 2, "positions": positions}
    trace = work(load({**PAIR, **heads}))
    bucket = np.array([[0, 3, 3, 3], [1, 0, 3, 3], [1, 1, 0, 3], [1, 1, 1, 0]])
    X = np.array(PAIR["X"])
    for h in range(2):
        name = f"heads[{h + 1}]"
        np.testing.assert_array_equal(trace[f"{name}.bucket"].values, bucket)
        scores = np.outer(X[:, h], X[:, h]) + np.array(TABLE)[bucket, h]
        np.testing.assert_allclose(trace[f"{name}.positioned"].values, scores)
        expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        np.testing.assert_allclose(trace[f"{name}.weights"].values, expected)


def test_a_decoder_looks_back() -> None:
    positions = {"kind": "relative", "table": [[0], [1], [2], [3]], "max_distance": 3}
    data = {**PAIR, "block": "decoder", "until": "relative", "positions": positions}
    bucket = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [2, 1, 0, 0], [3, 2, 1, 0]])
    trace = work(load(data))
    np.testing.assert_array_equal(trace["bucket"].values, bucket)
    np.testing.assert_array_equal(trace["position_bias"].values, bucket)
    both = load({**data, "positions": positions | {"bidirectional": True}})
    np.testing.assert_array_equal(work(both)["bucket"].values[0], [0, 3, 3, 3])


def test_other_buckets_take_other_numbers() -> None:
    positions = {"kind": "relative", "table": [[1], [2], [3], [4]]}
    trace = work(load({**PAIR, "positions": positions}))
    replayed = trace.replay({"bucket": np.full((4, 4), 2)})
    np.testing.assert_array_equal(replayed["position_bias"].values, np.full((4, 4), 3))
