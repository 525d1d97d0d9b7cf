"""What the speed is measured against works the same numbers, by NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from tests.benchmarks import backward, checkpoint

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
    made = {name: q for name, q in work(load(source)).quantities.items() if not q.given}
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
    source = ends(rng) | {"layers": [{**layer, **settings} for layer in layers]}
    check(backward.stack(source, activation), source)


_LIKE = ("X", "scores", "weights", "output", "attention", "normed", "ffn", "residual2", "logits")


def test_checkpoint(tmp_path: Path) -> None:
    """What every step makes is among the results of the bare sums."""
    small = {"n_layer": 2, "n_head": 2, "n_embd": 8, "n_positions": 9, "vocab_size": 30}
    checkpoint.save(tmp_path, **small)
    ids = [3, 0, 29, 3]
    file = tmp_path / "m.yaml"
    words = ["new", str(file), "--from", str(tmp_path), "--tokens", ",".join(map(str, ids))]
    assert CliRunner().invoke(app, words).exit_code == 0
    trace, bare = work(load(file)), checkpoint.work(tmp_path, ids)
    assert _near(bare[-1], trace["probabilities"].values)
    made = [q for q in trace.quantities.values() if q.local in _LIKE]
    assert len(made) == 1 + 2 * (3 * 2 + 5) + 1 + 1
    missing = [q.name for q in made if not any(_near(q.values, other) for other in bare)]
    assert not missing


def _near(array: backward.Array, other: backward.Array) -> bool:
    return array.shape == other.shape and np.allclose(array, other, rtol=1e-9, atol=1e-12)
