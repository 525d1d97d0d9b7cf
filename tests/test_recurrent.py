"""Recurrent layers of the package: against PyTorch, the oracle, and the document's figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attncli import load, oracle, work
from tests.pages import SHIPPED, page_of, trace_of
from tests.plain import read
from tests.recurrent_cases import CELLS, jacobian, network, restated, run
from tests.strategies import recurrents
from tests.test_transformers import same

EXACT = {"rounding": {"policy": "exact"}}


def close(ours: Any, values: Any) -> None:
    np.testing.assert_allclose(ours, values, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("cell", CELLS)
def test_the_states_are_those_of_torch(cell: str, seed: int) -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng([seed, *cell.encode()])
    net = network(rng, cell)
    for layout in ("torch", "linear", "row"):
        expected = run(net, either=layout == "torch")
        trace = work(load({**restated(net, layout, rng), **EXACT}))
        for name, values in expected.items():
            close(trace[name].values, values)


@pytest.mark.parametrize("layout", ["torch", "linear", "row"])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("cell", ["rnn tanh", "rnn relu"])
def test_the_gradient_factor_is_that_of_autograd(cell: str, seed: int, layout: str) -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng([seed, *cell.encode()])
    net, back = network(rng, cell), seed % 2 == 1
    net = replace(net, layers=[net.layers[0][:1]], direction="backward" if back else "forward")
    scenario = {**restated(net, layout, rng), **EXACT}
    scenario.get("layers", [scenario])[0]["gradient"] = True
    trace = work(load(scenario))
    for t in range(1, len(net.X) + 1):
        rows, before = (net.X[:t][::-1], t + 1) if back else (net.X[t - 1 :], t - 1)
        expected = jacobian(net, rows, trace[f"a[{before}]"].values)
        close(trace[f"factor[{t}]"].values, expected.T)
        close(trace["factor_norms"].values[t - 1], np.sqrt((expected**2).sum()))


@given(recurrents())
def test_random_recurrent_layers(text: str) -> None:
    expected, trace = oracle.work(read(text)), trace_of(text)
    made = {name for name in trace if not trace[name].given}
    assert set(expected) == made
    for name in made:
        same(name, trace[name].values, expected[name])


def test_the_documents_figures() -> None:
    trace = trace_of(SHIPPED["yassine_rnn"])
    shown = {
        name: [str(trace[name].matrix.number(i, 0).shown) for i in range(len(trace[name].values))]
        for name in ("ax[1]", "a[1]", "ya[1]", "z_y[1]", "y[1]")
    }
    assert shown == {
        "ax[1]": ["1.4", "3.2", "5.0"],
        "a[1]": ["0.885", "0.997", "1.000"],
        "ya[1]": ["1.1428"],
        "z_y[1]": ["1.2428"],
        "y[1]": ["0.776"],
    }
    page = page_of(trace)
    assert "ax[1][1] = 0.1 × 1 + 0.2 × 2 + 0.3 × 3 = 0.1 + 0.4 + 0.9 = 1.4" in page
    line = "0.5 × 0.885 − 0.1 × 0.997 + 0.8 × 1.000 = 0.4425 − 0.0997 + 0.8000"
    assert line in page


def test_the_gradient_vanishes_and_explodes() -> None:
    trace = trace_of(SHIPPED["yassine_rnn_sentence"])
    vanishing = trace["factor_norms"].values[:, 0]
    assert (np.diff(vanishing) > 0).all()
    assert vanishing[0] < 0.01
    exploding = trace.variants["exploding"]["factor_norms"].values[:, 0]
    assert (np.diff(exploding) < 0).all()
    assert exploding[0] > 8
