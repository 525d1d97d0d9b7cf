"""Mixtures of experts: the numbers are those of plain NumPy, and the page tells who goes where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from attncli import load, work
from attncli.formats import RenderOptions, render
from attncli.formats.bare_quantities import arrays_of
from attncli.pages.parts.selection import select
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.file.problems import ScenarioError
from tests.classroom.made import papers, request_for
from tests.helpers.pages import SHIPPED, document_of, page_of, trace_of

Array = NDArray[np.float64]
_RNG = np.random.default_rng(5)
_X, _W_R, _W_G = _RNG.normal(size=(4, 3)), _RNG.normal(size=(3, 4)), _RNG.normal(size=(3, 1))
_NETWORKS = [{"W1": _RNG.normal(size=(3, 2)), "W2": _RNG.normal(size=(2, 3))} for _ in range(5)]


def _scenario(router: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "tokens": ["a", "b", "c", "d"],
        "output": _X,
        "activation": "silu",
        "experts": _NETWORKS[:4],
        "router": {"W_R": _W_R, **router},
        "rounding": {"policy": "exact"},
        **more,
    }


def _network(x: Array, by_name: dict[str, Array]) -> Array:
    hidden = x @ by_name["W1"]
    made: Array = (hidden / (1 + np.exp(-hidden))) @ by_name["W2"]
    return made


def _expected(k: int, *, over_all: bool, renormalized: bool) -> Array:
    """Each token by itself: the way an implementation goes, through its experts alone."""
    rows = []
    for x in _X:
        logits = x @ _W_R
        best = np.argsort(-logits)[:k]
        e = np.exp(logits)
        total = e[best].sum() if renormalized or not over_all else e.sum()
        rows.append(sum(e[j] / total * _network(x, _NETWORKS[j]) for j in best))
    return np.array(rows)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_token_goes_through_its_experts(k: int) -> None:
    for data, over_all, renormalized in (
        ({}, False, False),
        ({"softmax": "all"}, True, False),
        ({"softmax": "all", "renormalize": True}, True, True),
    ):
        trace = work(load(_scenario({"top_k": k, **data})))
        expected = _expected(k, over_all=over_all, renormalized=renormalized)
        np.testing.assert_allclose(trace["mixture"].values, expected, atol=1e-12)
        assert ((trace["routing"].values != 0).sum(axis=1) == k).all()


def test_all_tokens_go_through_the_shared_expert() -> None:
    own = _expected(2, over_all=False, renormalized=False)
    shared = _network(_X, _NETWORKS[4])
    trace = work(load(_scenario({}, shared_expert=_NETWORKS[4])))
    np.testing.assert_allclose(trace["mixture"].values, own + shared, atol=1e-12)
    trace = work(load(_scenario({}, shared_expert={**_NETWORKS[4], "W_G": _W_G})))
    gated = own + shared / (1 + np.exp(-_X @ _W_G))
    np.testing.assert_allclose(trace["mixture"].values, gated, atol=1e-12)


def test_a_gate_may_go_without_an_activation() -> None:
    """The bilinear network of Shazeer 2020, arXiv:2002.05202: x W1 × x W3, and then W2."""
    by_name = {
        "W1": _RNG.normal(size=(3, 2)),
        "W3": _RNG.normal(size=(3, 2)),
        "W2": _NETWORKS[0]["W2"],
    }
    data = {"activation": "none", "gated": True, "experts": [by_name] * 4}
    trace = work(load(_scenario({}, **data)))
    expected = ((_X @ by_name["W1"]) * (_X @ by_name["W3"])) @ by_name["W2"]
    np.testing.assert_allclose(trace["mixture"].values, expected, atol=1e-12)


def test_an_exercise_has_no_table_of_an_expert_that_no_token_goes_to() -> None:
    trace = trace_of(SHIPPED["mixture_of_experts"])
    sheet = papers(trace, request_for(trace, steps=["mix"], token="cats")).sheet
    page = render(sheet, "terminal", RenderOptions(80))
    assert "experts[3].ffn" in page
    assert "experts[2].ffn" not in page


def test_the_page_tells_of_each_expert_the_tokens_that_go_there() -> None:
    router = {"W_R": [[9, 0, 0, 0], [0, 9, 0, 0], [0, 0, 0, 9]], "top_k": 1}
    x = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]
    trace = work(load(_scenario(router, output=x, rounding={"policy": "carry"})))
    page = page_of(trace, "terminal", 80, "full")
    assert "Only “a” and “c” go to this expert." in page
    assert "Only “b” and “d” go to this expert." in page
    first, second = page.split("Expert 2 · Feed-forward")
    assert "hidden[c]" in first
    assert "hidden[b]" not in first
    assert "hidden[c]" not in second
    assert "Expert 3 ·" not in page
    assert "mixture[a]" in page
    assert trace["experts[3].ffn"].values.any()  # which can be asked for all the same


def test_files_of_numbers_have_what_an_expert_makes_for_nobody() -> None:
    """As a program has it; the page is silent of it, and its numbers go on."""
    router = {"W_R": [[9, 0, 0, 0], [0, 9, 0, 0], [0, 0, 0, 9]], "top_k": 1}
    x = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]
    trace = work(load(_scenario(router, output=x)))
    assert "Expert 3" not in page_of(trace)
    for detail in ("full", "rows"):
        value = json.loads(page_of(trace, "json", detail=detail))
        made = {data["name"]: data for step in value["steps"] for data in step["quantities"]}
        shown = {**made, **{data["name"]: data for data in value["given"]}}
        for name, quantity in trace.quantities.items():
            assert np.shape(shown[name]["values"])[0] == quantity.values.shape[0], name
    page = document_of(trace, "full")
    arrays = arrays_of([page], "npz")
    for name in trace.quantities:
        np.testing.assert_array_equal(arrays[name].ravel(), trace[name].values.ravel())


@pytest.mark.parametrize("token", [None, "cats"])
def test_json_has_the_rows_that_a_program_has(token: str | None) -> None:
    """Of what an expert makes also those of tokens that don't go there."""
    trace = trace_of(SHIPPED["mixture_of_experts"])
    page = walkthrough(trace, select(trace, token=token))
    value = json.loads(render(page, "json", RenderOptions()))
    made = {data["name"]: data for step in value["steps"] for data in step["quantities"]}
    of_experts = [name for name in made if name.startswith("experts[")]
    assert "experts[1].ffn" in of_experts
    assert ("experts[2].ffn" in of_experts) == (token is None)
    for name in of_experts:
        quantity, rows = trace[name], made[name]["rows"]
        assert rows == ([*quantity.rows.names] if token is None else [token])
        whole = quantity.values[[quantity.rows.names.index(row) for row in rows]]
        np.testing.assert_array_equal(np.array(made[name]["values"]).ravel(), whole.ravel())


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"router": None}, "experts without a router"),
        ({"router": {"W_R": _W_R, "top_k": 5}}, "router.top_k: top_k is more than there are"),
        ({"router": {"W_R": _W_R, "renormalize": True}}, "adds up to 1 already"),
        ({"W1": [[1]]}, "W1: W1 beside experts"),
        ({"router": {"W_R": _W_R[:, :3]}}, "router.W_R (3 × 3)"),
        ({"experts": None}, "router without experts"),
        ({"experts": None, "router": None, "shared_expert": {}}, "shared_expert without experts"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], wrong: str) -> None:
    data = {key: value for key, value in {**_scenario({}), **change}.items() if value is not None}
    with pytest.raises(ScenarioError) as refused:
        load(data)
    assert wrong in str(refused.value)


def test_a_template_names_the_matrices_of_all_experts(tmp_path: Path) -> None:
    layers: dict[str, Any] = {
        f"l.{i}.e.{e}.{name}": _NETWORKS[2 * i + e][name]
        for i in (0, 1) for e in (0, 1) for name in ("W1", "W2")
    }  # fmt: skip
    np.savez(tmp_path / "w.npz", R0=_W_R[:, :2], R1=_W_R[:, 2:], **layers)
    keys = {"experts.W1": "l.{i}.e.{e}.W1", "experts.W2": "l.{i}.e.{e}.W2", "router.W_R": "R{i}"}
    data = {
        "X": _X.tolist(), "layers": 2, "experts": 2, "projection": "none", "activation": "silu",
        "router": {"top_k": 1}, "rounding": {"policy": "exact"},
        "weights": {"file": "w.npz", "keys": keys},
    }  # fmt: skip
    place = tmp_path / "s.yaml"
    place.write_text(yaml.safe_dump(data))
    trace = work(load(place))
    for i, e in ((0, 0), (0, 1), (1, 0), (1, 1)):
        given = trace[f"layers[{i + 1}].experts[{e + 1}].W1"].values
        np.testing.assert_array_equal(given, _NETWORKS[2 * i + e]["W1"])
    for change, wrong in (
        ({"experts": None}, "{e} is the number of an expert, and nothing says how many there are"),
        ({"weights": {"file": "w.npz", "keys": {"W1": "{e}"}}}, "and W1 belongs to none"),
    ):
        entries = {key: value for key, value in {**data, **change}.items() if value is not None}
        place.write_text(yaml.safe_dump(entries))
        with pytest.raises(ScenarioError) as refused:
            load(place)
        assert wrong in str(refused.value)


def _some_dense(folder: Path, **layers: object) -> Path:
    """Three layers, each with a feed-forward network of its own in a file; `layers` is which of them
    has its matrices from there."""
    arrays = {f"l.{i}.{name}": _NETWORKS[i][name] for i in range(3) for name in ("W1", "W2")}
    np.savez(folder / "w.npz", allow_pickle=False, **arrays)
    data = {
        "X": _X.tolist(), "layers": 3, "projection": "none", "rounding": {"policy": "exact"},
        "weights": {
            "file": "w.npz",
            "keys": {name: {"key": f"l.{{i}}.{name}", **layers} for name in ("W1", "W2")},
        },
    }  # fmt: skip
    place = folder / "s.yaml"
    place.write_text(yaml.safe_dump(data))
    return place


@pytest.mark.parametrize(
    ("layers", "numbers"), [("odd", [1, 3]), ("even", [2]), ([3, 1], [1, 3]), ([2], [2])]
)
def test_a_template_names_the_matrices_of_some_layers(
    tmp_path: Path, layers: object, numbers: list[int]
) -> None:
    by_name = load(_some_dense(tmp_path, layers=layers)).given.matrices
    given = {str(name): matrix.values for name, matrix in by_name.items()}
    assert {*given} == {"X", *(f"layers[{k}].{name}" for k in numbers for name in ("W1", "W2"))}
    for k in numbers:
        np.testing.assert_array_equal(given[f"layers[{k}].W1"], _NETWORKS[k - 1]["W1"])


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"layers": [1, 4]}, "there is no layer 4; count from 1 to 3"),
        ({"layers": "some"}, '"some", where layers belong; say odd, even, or their numbers'),
        ({"layers": []}, "where layers belong"),
        ({"layers": [0]}, "is not a whole number from 1"),
        ({"layers": "odd", "key": "l.0.W1"}, "layers, and no {i}, which would be the number"),
    ],
)
def test_layers_that_are_not_there_have_no_tensor(
    tmp_path: Path, said: dict[str, object], wrong: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        load(_some_dense(tmp_path, **said))
    assert wrong in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [("{e}", ""), ("x", "'{e}' for an expert's")],
)
def test_a_tensor_has_the_matrices_of_all_experts(
    entry: object, wrong: str, tmp_path: Path
) -> None:
    whole = {f"l.{i}": np.array([net["W1"].T for net in _NETWORKS[2 * i :][:2]]) for i in (0, 1)}
    others = {f"l.{i}.{e}.W2": _NETWORKS[2 * i + e]["W2"] for i in (0, 1) for e in (0, 1)}
    arrays: dict[str, Any] = {**whole, **others, "R0": _W_R[:, :2], "R1": _W_R[:, 2:]}
    np.savez(tmp_path / "w.npz", **arrays)
    keys: dict[str, Any] = {
        "experts.W1": {"key": "l.{i}", "entry": entry, "transposed": "true"},
        "experts.W2": "l.{i}.{e}.W2",
        "router.W_R": "R{i}",
    }
    data = {
        "X": _X.tolist(), "layers": 2, "experts": 2, "projection": "none",
        "weights": {"file": "w.npz", "keys": keys}, "rounding": {"policy": "exact"},
    }  # fmt: skip
    place = tmp_path / "s.yaml"
    place.write_text(yaml.safe_dump(data))
    if wrong:
        with pytest.raises(ScenarioError) as refused:
            load(place)
        assert wrong in str(refused.value)
        return
    trace = work(load(place))
    for i, e in ((0, 0), (0, 1), (1, 0), (1, 1)):
        given = trace[f"layers[{i + 1}].experts[{e + 1}].W1"].values
        np.testing.assert_array_equal(given, _NETWORKS[2 * i + e]["W1"])
