"""Between which numbers results lie: what is rounded, and what is made some rows at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli.maths.equations import enclosures
from attncli.maths.equations import tree as ex
from attncli.maths.equations.enclosures import Enclosure, Roundoffs, enclosed
from attncli.maths.operations.equation import equation

FLOAT32 = Roundoffs(2.0**-24, 2.0**-24, 2.0**-126)
FLOAT64 = Roundoffs(2.0**-53, 2.0**-53)
BY_ROWS: dict[str, dict[str, Any]] = {
    "x[i, j]**3 + x[i, j]": {"x": "n m"},
    "exp(x[i, j]) / s[i]": {"x": "n m", "s": "n 1"},
    "(x[i, j] - sum(x[i, k] for k in m) / 3) * g[j]": {"x": "n m", "g": "1 m"},
    "sum(x[i, k] * W[k, j] for k in k)": {"x": "n k", "W": "k m"},
    "x[i, j] + M[i, j]": {"x": "n n", "M": "n n"},
    "x[j, i] * 2": {"x": "n m"},
}


@pytest.mark.parametrize("text", BY_ROWS)
def test_some_rows_at_a_time_give_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operation = equation(text, **BY_ROWS[text])()
    rng, sizes = np.random.default_rng(3), {"1": 1, "n": 12, "m": 5, "k": 7}
    arrays = [rng.uniform(0.5, 1, (sizes[n], sizes[m])) for n, m in operation.sides.operands]
    known = [Enclosure(array, array + 1e-3) for array in arrays]
    whole = enclosed(operation.tree, operation.sides, known, FLOAT32)
    monkeypatch.setattr(enclosures, "_PART", 45)
    for end, by_rows in zip(
        whole, enclosed(operation.tree, operation.sides, known, FLOAT32), strict=True
    ):
        np.testing.assert_allclose(by_rows, end, rtol=1e-14)


@pytest.mark.parametrize("rounded", [FLOAT32, FLOAT64])
def test_what_is_rounded_is_no_further_off_than_its_share(rounded: Roundoffs) -> None:
    values = np.array([[1.5, -1.5, 1.0, 0.0, np.inf, -np.inf]])
    low, high = rounded.by(Enclosure.of(values), rounded.each)
    assert (low[0, :3] < values[0, :3]).all()
    assert (values[0, :3] < high[0, :3]).all()
    assert (high - low)[0, :3].max() <= 8 * rounded.each
    np.testing.assert_array_equal(low[0, 3:], values[0, 3:])
    np.testing.assert_array_equal(high[0, 3:], values[0, 3:])


def test_what_is_tiny_may_be_taken_for_nothing_and_nothing_stays() -> None:
    values = np.array([[2.0**-130, 0.0]])
    low, high = FLOAT32.by(Enclosure.of(values), 0.0)
    assert low[0, 0] < 0 < high[0, 0]
    assert low[0, 1] == high[0, 1] == 0


def test_places_are_told_apart_however_coarsely_is_rounded() -> None:
    sides = equation("sum(x[i, k] * n[i] * p[k] for k in m)", x="n m", n="n 1", p="m 1")().sides
    n, p = ex.Operand(1, ("i",)), ex.Operand(2, ("k",))
    before, after = (ex.Apply("step", (ex.Sum((a, ex.Negative(b))),)) for a, b in ((n, p), (p, n)))
    alike = ex.Product(tuple(ex.Sum((ex.ONE, ex.Negative(x))) for x in (before, after)))
    diagonal = ex.Total("k", ex.Apply("where", (alike, ex.Operand(0, ("i", "k")), ex.ZERO)))
    x = np.array([[0.3, 0.7], [0.6, 0.4]])
    places = Enclosure.of(np.array([[1.0], [2.0]]))
    low, high = enclosed(diagonal, sides, [Enclosure.of(x), places, places], FLOAT32)
    assert (low < np.diag(x)[:, None]).all()
    assert (np.diag(x)[:, None] < high).all()
    assert (high - low).max() < 1e-6


def test_the_logarithm_of_what_may_be_nothing_has_no_least_value() -> None:
    logarithm = equation("ln(x[i, j])", x="n m")()
    known = [Enclosure(np.array([[-0.1, -2.0]]), np.array([[0.5, -1.0]]))]
    low, high = enclosed(logarithm.tree, logarithm.sides, known)
    assert low[0, 0] == -np.inf
    assert high[0, 0] == np.log(0.5)
    assert np.isnan([low[0, 1], high[0, 1]]).all()
