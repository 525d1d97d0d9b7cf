"""What isn't in the language is told with what one writes in its stead, and that works."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from attncli.maths.equations.elsewhere import FUNCTIONS
from attncli.pipeline import load, work
from tests.steps.written.test_errors import GIVEN, errors_of

PRODUCT = "write the product with its indices: sum(X[i, k] * W[k, j] for k)"
TURNED = "write the indices the other way round: X[j, i]"
BY_VALUE = "add up what is there: sum(X[r, j] for r if r == k[i])"


@pytest.mark.parametrize(
    ("equation", "error"),
    [
        ("y[i, j] = V @ X", f"9:17: @ has no meaning; {PRODUCT}"),
        ("y[i, j] = matmul(V, X)", f"9:15: no function is called matmul; {PRODUCT}"),
        ("y[i, j] = X.T[i, j]", f"9:16: . has no meaning; {TURNED}"),
        ("y[i, j] = X'[i, j]", f"9:16: ' has no meaning; {TURNED}"),
        ("y[i, j] = transpose(X)", f"9:15: no function is called transpose; {TURNED}"),
        ("y = np.exp(c)", "9:11: . has no meaning; write exp alone, without what is before it"),
        ("y[i] = V[v[i], 1]", f"9:14: a place is an index, perhaps with a number added; {BY_VALUE}"),
        ("y[i] = v[f(i)]", f"9:14: a place is an index, perhaps with a number added; {BY_VALUE}"),
        (
            "y[i] = V[c, i]",
            "9:14: c is a number, and no index; add up what is there: sum(X[r, j] for r if r == c)",
        ),
        ("y = random()", f"9:9: random of nothing; {FUNCTIONS['random']}"),
        ("y[i] = sort(v[i] for i)", f"9:12: no function is called sort; {FUNCTIONS['sort']}"),
        ("y = argmax(v)", f"9:9: no function is called argmax; {FUNCTIONS['argmax']}"),
        ("y = any(v[i] > 1 for i)", f"9:9: no function is called any; {FUNCTIONS['any']}"),
        ("y = sum(v)", "9:9: sum of v, over no index; say over what: sum(v[k] for k)"),
        ("y = mean(X)", "9:9: mean of X, over no index; say over what: mean(X[k, l] for k for l)"),
        (
            "y[i, j] = softmax(X)",
            "9:15: softmax of X, over no index; say over what: softmax(X[i, j] for j)",
        ),
        (
            "y[i, j] = softmax(X[i, j], dim=1)",
            "9:35: dim can't be named; say over what: softmax(… for j)",
        ),
        ("y[i] = X[i][1]", "9:16: [ can't stand behind ]; write all places in one: X[i, j]"),
        ("y = [1, 2]", "9:9: a list can't stand here; give it beside given, and its name here"),
        ("y = v[i] for i", "9:14: for can't stand here; say what is made: sum(… for k)"),
        ("y = c // 2", "9:12: // has no meaning; no number is made a whole one; give what is needed in"
         " given"),
        ("y[i] = if v[i] > 1 then 1 else 0", "9:12: if can't stand here; write a choice as 1 if x < 2"
         " else 0"),
        ("y = ∑ v[i]", "9:9: ∑ has no meaning; write sum(… for k)"),
        ("y = c²", "9:9: nothing is called c²; write c ** 2"),
        ("y = i", "9:9: nothing is called i; known: X, V, v, c, pi; an index stands on the left, or"
         " behind for"),
    ],
)  # fmt: skip
def test_what_isnt_there(equation: str, error: str, tmp_path: Path) -> None:
    assert errors_of(f"{GIVEN}equations:\n  - {equation}\n", tmp_path) == [error]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("log2", math.log2(0.3)),
        ("pow", 0.3**2),
        ("exp2", 2**0.3),
        ("rsqrt", 0.3**-0.5),
        ("gelu", 0.3 * (1 + math.erf(0.3 / math.sqrt(2))) / 2),
        ("silu", 0.3 / (1 + math.exp(-0.3))),
        ("leaky_relu", 0.3),
        ("elu", 0.3),
        ("sign", 1),
        ("tan", math.tan(0.3)),
        ("clip", 0.3),
        ("norm", 3),
        ("logsumexp", math.log(math.e + 2 * math.e**2)),
        ("count", 0),
    ],
)
def test_what_is_written_instead_works(name: str, right: float) -> None:
    value = FUNCTIONS[name].removeprefix("write ").rpartition(": ")[2]
    data = {"given": {"x": 0.3, "v": [1, 2, 2]}, "rounding": {"policy": "exact"}}
    trace = work(load({**data, "equations": [f"y = {value}"]}))
    np.testing.assert_allclose(trace["y"].values, right, rtol=1e-12)


def test_what_is_written_for_several_arrays_works() -> None:
    noise = "{" + FUNCTIONS["random"].partition("{")[2]
    given = f"{{A: [[1, 2]], B: [[3, 4]], v: [1, 3, 2], noise: {noise}}}"
    joined, larger = (FUNCTIONS[name].rpartition(": ")[2] for name in ("concat", "sort"))
    equations = [
        f"y[i, j in n] = {joined}",
        f"w[i in m] = {larger}",
        "q[i, j] = noise[i, j]",
    ]
    trace = work(load({"sizes": {"n": 4, "m": 3}, "equations": equations}, [f"given={given}"]))
    assert trace["y"].values.tolist() == [[1, 2, 3, 4]]
    assert trace["w"].values.ravel().tolist() == [2, 0, 1]
    assert trace["q"].shape == (2, 3)
    by_value = BY_VALUE.rpartition(": ")[2]
    arrays = {"k": [2, 1], "X": [[1, 2], [3, 4]]}
    chosen = work(load({"given": arrays, "equations": [f"z[i, j] = {by_value}"]}))
    assert chosen["z"].values.tolist() == [[3, 4], [1, 2]]
