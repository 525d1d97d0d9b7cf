"""Rotary positions whose cosines and sines are given: against those that are worked out, and against
plain NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli import Trace, load, work
from attncli.scenario.file.problems import ScenarioError
from tests import oracle
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of
from tests.helpers.plain import read
from tests.pages.test_audit import check
from tests.steps.test_transformers import agree

DRAWN = np.random.default_rng(5)
X = DRAWN.normal(size=(3, 4)).round(2).tolist()
W = {name: DRAWN.normal(size=(4, 4)).round(2).tolist() for name in ("W_Q", "W_K", "W_V")}
ODD: dict[str, list[list[float]]] = {
    "cos": [[0.5, 0.25], [-0.2, 0.75], [0.25, 0]],
    "sin": [[0.25, 0], [0.5, -0.5], [1, 0.25]],
}
"""Numbers that no angle has, so that nobody can have worked them out."""
WHOLE: dict[str, Any] = {"X": X, **W, "rounding": {"policy": "exact"}}


def turns(base: float, pairs: int, rows: int = 9) -> dict[str, Any]:
    angles = np.arange(rows)[:, None] / base ** (np.arange(pairs) / pairs)
    return {"cos": np.cos(angles).tolist(), "sin": np.sin(angles).tolist()}


def worked(**data: object) -> Trace:
    return work(load({**WHOLE, **data}))


@pytest.mark.parametrize("more", [{}, {"pairs": "half"}, {"start": 5}, {"dimensions": 2}])
@pytest.mark.parametrize("base", [10000, 7])
def test_tables_turn_as_the_angles_do_that_they_are_of(more: dict[str, Any], base: int) -> None:
    made = worked(positions={"kind": "rope", "base": base, **more})
    tables = turns(base, more.get("dimensions", 4) // 2)
    given = worked(positions={"kind": "rope", **tables, **more})
    for name in ("Q_cosine", "K_sine", "rotated_Q", "rotated_K", "scores", "output"):
        np.testing.assert_allclose(given[name].values, made[name].values, atol=1e-12)


@pytest.mark.parametrize("half", [False, True])
def test_any_numbers_are_taken_as_they_are(half: bool) -> None:
    trace = worked(positions={"kind": "rope", **ODD, "pairs": "half" if half else "interleaved"})
    cos, sin = np.array(ODD["cos"]), np.array(ODD["sin"])
    left, right = ([0, 1], [2, 3]) if half else ([0, 2], [1, 3])
    for name in "QK":
        x = np.array(X) @ np.array(W[f"W_{name}"])
        expected = x.copy()
        expected[:, left] = x[:, left] * cos - x[:, right] * sin
        expected[:, right] = x[:, left] * sin + x[:, right] * cos
        np.testing.assert_allclose(trace[f"rotated_{name}"].values, expected, atol=1e-12)


def test_a_layer_has_tables_of_its_own_or_angles() -> None:
    made = {**W, "block": "attention"}
    data = {"positions": {"kind": "rope", **ODD}}
    layers = [made, {**made, "rope": {"base": 7}}, {**made, "rope": turns(7, 2)}]
    trace = work(load({"X": X, "rounding": {"policy": "exact"}, **data, "layers": layers}))
    assert trace["layers[1].K_cosine"].values.tolist() == ODD["cos"]
    made_so, given = (trace[f"layers[{k}].K_cosine"].values for k in (2, 3))
    np.testing.assert_allclose(given, made_so, atol=1e-12)
    assert not trace.unused


def test_cached_keys_have_the_first_rows() -> None:
    cache = {"tokens": ["x"], "K": [[1, 2, 3, 4]], "V": [[0, 0, 0, 0]]}
    data: dict[str, Any] = {"tokens": ["a", "b"], "X": X[:2]}
    trace = worked(**data, cache=cache, positions={"kind": "rope", **ODD})
    assert trace["K_cosine"].values.tolist() == ODD["cos"]
    assert trace["Q_cosine"].values.tolist() == ODD["cos"][1:]
    assert [*trace["Q_cosine"].to_dict()] == ["a", "b"]


def test_tables_of_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "turns.npz", cos=np.array(ODD["cos"]), sin=np.array(ODD["sin"]))
    sources = {name: {"file": "turns.npz", "key": name} for name in ODD}
    path = tmp_path / "s.yaml"
    path.write_text(json.dumps({**WHOLE, "positions": {"kind": "rope", **sources}}))
    given = worked(positions={"kind": "rope", **ODD})
    np.testing.assert_allclose(work(load(path))["scores"].values, given["scores"].values)


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize("heads", [1, 2])
def test_the_page_and_the_oracle(policy: str, heads: int) -> None:
    tables = {name: [row[: 2 // heads] for row in rows] for name, rows in ODD.items()}
    data = {} if heads == 1 else {"tokens": ["a", "b", "c"], "heads": 2, "mask": "causal"}
    whole = {**WHOLE, **data, "positions": {"kind": "rope", **tables}}
    text = json.dumps({**whole, "rounding": {"policy": policy}})
    trace = work(load(json.loads(text)))
    agree(oracle.work(read(text)), trace)
    for form in ("terminal", "markdown", "latex"):
        check(audit(page_of(trace, form, 80, "full"), form, tables_of(trace)), trace, "full")


def test_tables_are_not_learned() -> None:
    more = {"tokens": ["a", "b", "c"], "embeddings": dict(zip("abc", X, strict=True))}
    made = {key: value for key, value in WHOLE.items() if key != "X"}
    data = {**made, **more, "unembedding": "tied", "targets": ["b", "c", "a"], "backward": True}
    trace = work(load({**data, "positions": {"kind": "rope", **ODD}}))
    assert "grad.W_Q" in trace
    assert not [name for name in trace if "grad" in name and "positions" in name]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"cos": ODD["cos"]}, "cos and no sin; give both, like sin: [[1]]"),
        ({"sin": ODD["sin"]}, "sin and no cos; give both, like cos: [[1]]"),
        ({**ODD, "base": 7}, "cos and sin, and the base that they would be made by"),
        (
            {**ODD, "scaling": {"kind": "linear", "factor": 2}},
            "cos and sin, and the scaling that they would be made by",
        ),
        ({**ODD, "start": 1}, "positions.cos has 3 rows, and that of position 3 is needed"),
        (turns(7, 4), "4 columns of cosines and sines, and 4 of Q turn in pairs; give 2 columns"),
        ({**turns(7, 2), "dimensions": 2}, "2 columns of cosines and sines, and 2 of Q turn"),
        ({"cos": ODD["cos"], "sin": turns(7, 1)["sin"]}, "don't fit together"),
        ({"cos": "none", "sin": ODD["sin"]}, 'the text "none", where a matrix belongs'),
    ],
)
def test_what_is_wrong_with_tables(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        worked(positions={"kind": "rope", **said})
    assert told in str(wrong.value)
