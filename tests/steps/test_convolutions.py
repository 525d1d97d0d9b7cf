"""Convolutions over frames or tokens: PyTorch's, forth and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work

FRAMES = [[1, 0.5, -1], [0, 1, 2], [2, -1, 0.5], [0.5, 0, 1], [-1, 2, 0]]
FIRST = np.linspace(-1, 1, 18).round(1).reshape(9, 2)
SECOND = np.linspace(1, -0.5, 30).round(2).reshape(10, 3)
HEARD: dict[str, Any] = {
    "frames": FRAMES,
    "convolution1": {"W": FIRST.tolist(), "b": [0.5, -0.25], "stride": 2, "activation": "gelu"},
    "convolution2": {"W": SECOND.tolist(), "kernel": 5},
    "projection": "none",
    "targets": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "backward": "true",
    "rounding": {"policy": "exact"},
}


@pytest.mark.real("torch")
def test_they_are_those_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    trace = work(load(HEARD))
    x = torch.tensor(FRAMES, dtype=torch.float64, requires_grad=True)
    W, V = (torch.tensor(array, requires_grad=True) for array in (FIRST, SECOND))
    b = torch.tensor([0.5, -0.25], dtype=torch.float64)
    conv, gelu = torch.nn.functional.conv1d, torch.nn.functional.gelu
    heard = conv(x.T[None], W.T.reshape(2, 3, 3), b, stride=2, padding=1)
    X = conv(gelu(heard), V.T.reshape(3, 2, 5), padding=2)[0].T
    scores = X @ X.T / 3**0.5
    (((scores.softmax(1) @ X) - torch.eye(3)) ** 2).mean().backward()
    for name, expected in (
        ("convolution1.convolved", heard[0].T.detach()),
        ("X", X.detach()),
        ("grad.convolution1.W", W.grad),
        ("grad.convolution2.W", V.grad),
        ("grad.frames", x.grad),
    ):
        np.testing.assert_allclose(trace[name].values, expected, atol=1e-12, err_msg=name)
    assert trace["X"].rows.names == ("t1", "t2", "t3")


def test_a_kernel_may_be_turned_by_mistake() -> None:
    from attncli.maths.operations.rearranging import Windows

    padded = np.arange(10.0).reshape(5, 2)
    made, turned = (Windows(2, 3, 2, how).arranged(padded) for how in (False, True))
    np.testing.assert_array_equal(made, [[0, 2, 4, 1, 3, 5], [4, 6, 8, 5, 7, 9]])
    np.testing.assert_array_equal(turned, [[4, 2, 0, 5, 3, 1], [8, 6, 4, 9, 7, 5]])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"convolution2": {"W": [[1]], "kernel": 4}}, "a kernel without a middle row"),
        ({"convolution2": {"stride": 2}}, "a convolution without its W"),
        ({"tokens": ["a"]}, "tokens beside frames, which go in instead"),
        ({"class_token": [1, 0, 0]}, "class_token beside frames"),
    ],
)
def test_what_does_not_go_together_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        load({**HEARD, **changes})


def test_a_stride_leaves_no_token_out() -> None:
    data = {"tokens": ["a", "b"], "embeddings": {"a": [1], "b": [2]}, "projection": "none"}
    one = {"W": [[1], [2], [4]]}
    trace = work(load({**data, "convolution1": one}))
    np.testing.assert_array_equal(trace["X"].values, [[10], [5]])
    with pytest.raises(ScenarioError, match="a stride leaves tokens out"):
        load({**data, "convolution1": {**one, "stride": 2}})
    with pytest.raises(ScenarioError, match="convolution1 goes into X, and X itself is given"):
        load({"X": [[1], [2]], "projection": "none", "convolution1": one})
