"""What the speed of the way back is measured against works the same numbers, by NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from tests.benchmarks import backward

WIDTH = 6
SIDES = {
    **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (WIDTH, WIDTH)),
    "W1": (WIDTH, 2 * WIDTH),
    "W2": (2 * WIDTH, WIDTH),
}


def drawn(rng: np.random.Generator, *names: str) -> dict[str, Any]:
    return {name: rng.normal(size=SIDES[name]) / 2 for name in names}


def ends(rng: np.random.Generator) -> dict[str, Any]:
    """What goes in, what should come out, and that the way back is asked for."""
    X, targets = rng.normal(size=(2, 5, WIDTH))
    return {"X": X, "targets": targets, "backward": True, "rounding": {"policy": "exact"}}


def check(bare: Mapping[str, backward.Array], source: Mapping[str, Any]) -> None:
    """Each quantity that is made, and each gradient."""
    made = {name: one for name, one in work(load(source)).quantities.items() if not one.given}
    assert {*made} == {*bare} - {"X"}
    for name, quantity in made.items():
        np.testing.assert_allclose(quantity.values, bare[name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_one_block() -> None:
    rng = np.random.default_rng(1)
    source = ends(rng) | drawn(rng, "W_Q", "W_K", "W_V", "W1", "W2")
    check(backward.one_block(source), source)


@pytest.mark.parametrize("activation", backward.ACTIVATED)
def test_layers(activation: str) -> None:
    rng = np.random.default_rng(2)
    settings = {"norm": "pre", "residuals": True, "activation": activation}
    layers = [drawn(rng, *SIDES) for _ in range(3)]
    source = ends(rng) | {"layers": [{**one, **settings} for one in layers]}
    check(backward.stack(source, activation), source)
