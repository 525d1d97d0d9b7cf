"""Arrays of other packages, wherever NumPy's are taken, and what is said of wrong ones."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work

WEIGHTS: dict[str, Any] = {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V")}
X = [[1.0, 0.5], [0.25, -1.0]]


class OnlyArray:
    """What older packages have."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype)


class OnlyDLPack:
    """What JAX and others share with each other."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values)

    def __dlpack__(self, **how: Any) -> Any:
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[Any, int]:
        return self.values.__dlpack_device__()


KINDS = (np.array, OnlyArray, OnlyDLPack)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_are_taken_by_their_protocols(kind: Any) -> None:
    plain = work(
        {**WEIGHTS, "X": X, "ids": [0, 1], "b_Q": [0.5, 0], "rounding": {"policy": "exact"}}
    )
    given = {**WEIGHTS, "X": kind(X), "ids": kind([0, 1]), "b_Q": kind([0.5, 0.0])}
    trace = work({**given, "W_Q": kind(np.eye(2)), "rounding": {"policy": "exact"}})
    assert np.array_equal(trace["output"], plain["output"])
    assert [*trace["ids"]] == [0, 1]
    new = [[2.0, 1.0], [0.0, 1.0]]
    again = trace.replay({"scores": kind(new)})
    assert np.array_equal(again["output"], plain.replay({"scores": new})["output"])
    assert again.replay({"exp_sum": kind([1.0, 2.0])})["exp_sum"].values.tolist() == [[1], [2]]


@pytest.mark.real("torch")
def test_tensors_are_taken() -> None:
    torch = pytest.importorskip("torch", reason="no PyTorch here")
    x = torch.tensor(X, requires_grad=True)
    plain = work({**WEIGHTS, "X": X})
    for tensor in (x, x.to(torch.bfloat16), x.double(), x * 1):
        assert np.array_equal(work({**WEIGHTS, "X": tensor})["output"], plain["output"])
        assert plain.replay({"X": tensor}).page(detail="rows")
    ids = {"ids": torch.tensor([1, 0]), "embeddings": torch.tensor(X)}
    assert work({**WEIGHTS, **ids})["X"].values.tolist() == X[::-1]
    weights = plain["weights"]
    for read in (torch.as_tensor, torch.from_dlpack, torch.tensor):
        assert torch.equal(read(weights), torch.from_numpy(np.array(weights)))


def test_tokens_rows_and_numbers_may_be_arrays() -> None:
    tokens, rows = np.array(["a", "b"]), {name: np.array([k, 1.0]) for k, name in enumerate("ab")}
    trace = work({**WEIGHTS, "tokens": tokens, "embeddings": rows, "scale": np.float64(0.5)})
    assert [*trace["tokens"]] == ["a", "b"]
    assert len(trace["tokens"]) == 2
    assert np.asarray(trace["tokens"]).tolist() == ["a", "b"]
    assert trace["X"].values.tolist() == [[0, 1], [1, 1]]
    flat, row = (work({**WEIGHTS, "X": X, "b_Q": np.array(b)}) for b in ([0.5, 1], [[0.5, 1]]))
    assert np.array_equal(flat["output"], row["output"])
    of_rows = work({**WEIGHTS, "X": [np.array(row) for row in X], "title": None})
    assert of_rows["X"].values.tolist() == X
    decimals = np.array([[Decimal("1.50"), 0], [0, 1]], dtype=object)
    assert "1.50" in str(work({**WEIGHTS, "X": decimals})["X"])
    published = {"output": np.array(of_rows["output"])}
    assert load({**WEIGHTS, "X": X, "published": published}).source.published["output"].shape == (
        2,
        2,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"X": np.array([[1, np.nan]])}, r"^X: an array of 1 × 2, whose number \[1, 2\] is nan; "),
        ({"W_V": np.eye(3)}, r"^W_V: W_V \(3 × 3\) and X \(2 × 2\) don't fit together"),
        ({"X": {1, 2}}, r"^X: what is in a set has no order"),
        ({"X": (row for row in X)}, r"^X: what is in a generator has no order"),
        ({"X": np.ones((1, 2, 2))}, "^X: an array of 1 × 2 × 2; give an array of rows and columns"),
        ({"X": np.array([[1j]])}, "^X: an array of complex128; give one of numbers, or of texts"),
        ({"X": [np.array([1.0]), np.ones(2)]}, r"^X\[2\]: this row has 2 numbers"),
        (
            {"embeddings": {"a": np.array([np.inf])}},
            "^embeddings.a: an array of 1, whose number .1. is inf",
        ),
        ({"tokens": np.array(["a", ""])}, r"^tokens\[2\]: "),
        ({"ids": np.array([0.5])}, r"^ids: the text \"0.5\" is not a whole number"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        load({**WEIGHTS, "X": X, **wrong})


def test_replaced_numbers_are_refused_by_their_cells() -> None:
    trace = work({**WEIGHTS, "X": X})
    wrong: list[tuple[Any, str]] = [
        ([[1, 2]], r"^scores has the shape \(2, 2\), not \(1, 2\)$"),
        (np.array([[1, 2], [np.nan, 1]]), r"^scores\[2, 1\] is nan, where a number belongs$"),
        ([[1, 2], [1, float("inf")]], r"^scores\[2, 2\] is inf, where a number belongs$"),
        ([[1, 2], [1, "x"]], r"^scores\[2, 2\] is x, where a number belongs$"),
        ([[1, 2], [1]], "^scores has the shape"),
    ]
    for numbers, message in wrong:
        with pytest.raises(ValueError, match=message):
            trace.replay({"scores": numbers})
    masked = trace.replay({"scaled": np.array([[1, -np.inf], [1, 1]])})
    assert masked["weights"][0].tolist() == [1, 0]


def test_changes_may_be_one_text() -> None:
    for changes in ("scale=sqrt_d_k", ["scale=sqrt_d_k"], {"scale": "sqrt_d_k"}):
        assert "scaled" in work(load("i_love_ai", changes))
    assert repr(load("i_love_ai")) == "<Scenario 'I love AI': 3 tokens, 1 layer, 8 given>"
    with pytest.raises(ScenarioError, match="not KEY=VALUE"):
        load("i_love_ai", "scale")
    with pytest.raises(TypeError, match="changes are like 'scale=none', not int"):
        load("i_love_ai", 3)  # type: ignore[arg-type]
    assert work("i_love_ai")["weights"]["love", "AI"] == 0.576
