"""Buckets of distances, as T5 and DeBERTa have them: against their formulas, and small scenarios by
hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attncli import ScenarioError, load, work
from attncli.maths.equations.matrix import Matrix
from attncli.maths.operations.relative_positions import Buckets, SignedBuckets

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


def _of_deberta(places: NDArray[np.int_], span: int, most: int) -> NDArray[np.int_]:
    """The formula of DeBERTa's code, in floats, and the rows of its table; what is barely above a
    whole number is one."""
    far, half = np.abs(places), span // 2
    if most:
        logarithms = np.log(np.maximum(far, half) / half) / np.log((most - 1) / half)
        shared = np.ceil(logarithms * (half - 1) - 1e-9).astype(int) + half
        far = np.where(far <= half, far, shared)
    return np.asarray(np.clip(np.sign(places) * far + span, 0, 2 * span - 1))


@pytest.mark.parametrize(
    ("span", "most"), [(3, 0), (8, 0), (256, 512), (4, 32), (9, 20), (7, 5), (16, 65)]
)
def test_rows_are_those_of_deberta(span: int, most: int) -> None:
    n, m = 150, 700
    scores = Matrix.of_array(np.zeros((n, m)), 3, carry=False)
    places = np.arange(m - n, m)[:, np.newaxis] - np.arange(m)
    made = SignedBuckets(2 * span, most).values(scores)
    np.testing.assert_array_equal(made, _of_deberta(places, span, most))
    turned = SignedBuckets(2 * span, most, turned=True).values(scores)
    np.testing.assert_array_equal(turned, _of_deberta(-places, span, most))


ROWS = [[0.5, 1], [-1, 0], [0.25, 2], [1, -1]]
W_KR, B_KR = [[1, 0.5], [-1, 2]], [0.25, -0.5]
DISENTANGLED: dict[str, Any] = {
    "tokens": ["a", "b", "c", "d"],
    "X": [[1, 0], [0, 1], [1, 1], [2, 1]],
    "W_Q": [[1, 0.5], [0, 1]],
    "W_K": [[0.5, 1], [-1, 0]],
    "W_V": [[1, 0], [0, 1]],
    "rounding": {"policy": "exact"},
    "targets": [[1, 0], [0, 1], [1, 1], [0, 0]],
    "backward": "true",
}


@pytest.mark.real("torch")
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("terms", [("c2p", "p2c"), ("p2c",)])
def test_products_with_relative_positions_are_those_of_the_paper(
    heads: int, terms: tuple[str, ...]
) -> None:
    torch = pytest.importorskip("torch")
    positions = {"kind": "disentangled", "table": ROWS, "terms": terms, "norm": {"kind": "rms"}}
    own = {"W_Kr": W_KR, "b_Kr": B_KR} if "c2p" in terms else {}
    trace = work(load({**DISENTANGLED, **own, "heads": heads, "positions": positions}))

    def tensor(value: Any) -> Any:
        return torch.tensor(value, dtype=torch.float64, requires_grad=True)

    names = ("X", "W_Q", "W_K", "W_V")
    X, W_Q, W_K, W_V = leaves = [tensor(DISENTANGLED[name]) for name in names]
    table, W_Kr = tensor(ROWS), tensor(W_KR)
    R = table / (table.square().mean(1, keepdim=True) + 0.00001).sqrt()
    outputs: list[Any] = []
    d_k = 2 // heads
    for run in torch.arange(2).split(d_k):
        Q, K, Q_r = ((x @ W)[:, run] for x, W in ((X, W_Q), (X, W_K), (R, W_Q)))
        K_r = (R @ W_Kr + torch.tensor(B_KR))[:, run]
        scores = Q @ K.T
        for i in range(4):
            for j in range(4):
                place = min(max(i - j + 2, 0), 3)
                more = [Q[i] @ K_r[place]] if "c2p" in terms else []
                more += [K[j] @ Q_r[place]]
                scores = scores.index_put((torch.tensor(i), torch.tensor(j)), sum(more), True)
        weights = (scores / ((1 + len(terms)) * d_k) ** 0.5).softmax(1)
        name = f"heads[{len(outputs) + 1}].weights" if heads > 1 else "weights"
        np.testing.assert_allclose(trace[name].values, weights.detach(), atol=1e-12)
        outputs.append(weights @ (X @ W_V)[:, run])
    targets = torch.tensor(DISENTANGLED["targets"])
    (torch.cat(outputs, 1) - targets).square().mean().backward()
    of_positions = {"positions.table": table, **({"W_Kr": W_Kr} if own else {})}
    for name, leaf in (*zip(names, leaves, strict=True), *of_positions.items()):
        found = trace[f"grad.{name}"].values
        np.testing.assert_allclose(found, leaf.grad, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("positions", "told"),
    [
        ({"table": ROWS[:3]}, "3 rows of relative positions"),
        ({"table": ROWS, "max_distance": 9}, "1 distances have a row each"),
        ({"table": ROWS * 2, "max_distance": 3}, "give 8 rows or more, and a larger distance"),
        ({"table": ROWS, "terms": ["c2p", "c2p"]}, "no terms, or one twice"),
        ({}, "disentangled positions, and no table"),
    ],
)
def test_what_no_score_can_be_made_of_is_told(positions: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        load({**DISENTANGLED, "positions": {"kind": "disentangled", **positions}})
