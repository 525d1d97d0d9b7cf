"""Dimensions of embeddings that have names, and the tokens of a table by ID."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attncli import load, work
from attncli.scenario.file.problems import ScenarioError
from tests.helpers.pages import SHIPPED, page_of, page_of_cells, trace_of

KING = SHIPPED["king_and_queen"]
NAMES = ("Gender", "Royalty", "Food", "Age")
BASE = {
    "tokens": ["a", "b"],
    "embeddings": {"a": [1, 2], "b": [3, 4]},
    "features": ["Size", "Colour"],
    "block": "attention",
}
IDENTITY = [[1, 0], [0, 1]]


@pytest.mark.parametrize("name", ["embeddings", "X"])
def test_columns_are_called_by_features(name: str) -> None:
    assert trace_of(KING)[name].columns.names == NAMES


def test_rows_of_the_weights_that_features_are_multiplied_by() -> None:
    assert {trace_of(KING)[name].rows.names for name in ("W_Q", "W_K", "W_V")} == {NAMES}
    assert trace_of(KING)["W_Q"].columns.names == ("1", "2")
    linear = work(load({**BASE, "weights_layout": "linear", "W_Q": IDENTITY}))
    assert linear["W_Q"].columns.names == ("Size", "Colour")
    assert linear["W_Q"].rows.names == ("1", "2")


def test_features_go_on_through_what_keeps_their_columns() -> None:
    trace = work(load({**BASE, "positions": "sinusoidal", "projection": "none"}))
    for name in ("E", "X", "Q", "V", "output"):
        assert trace[name].columns.names == ("Size", "Colour"), name
    mixed = work(load({**BASE, "W_Q": IDENTITY, "W_K": IDENTITY, "W_V": IDENTITY}))
    assert mixed["output"].columns.names == ("1", "2")


def test_only_the_first_layer_knows_them() -> None:
    layer = {"block": "attention", "W_Q": IDENTITY, "W_K": IDENTITY, "W_V": IDENTITY}
    given = {key: value for key, value in BASE.items() if key != "block"}
    trace = work(load({**given, "layers": [layer, layer]}))
    assert trace["layers[1].W_Q"].rows.names == ("Size", "Colour")
    assert trace["layers[2].W_Q"].rows.names == ("1", "2")


def test_a_cell_is_addressed_by_its_feature() -> None:
    assert "X[king, Royalty] = 0.88" in page_of_cells(trace_of(KING), ["X[king, Royalty]"])


@pytest.mark.parametrize(
    ("features", "said"),
    [
        (["Size"], "1 names for 2 columns"),
        (["Size", "Size"], "'Size' is there twice"),
        ([], "an empty list"),
    ],
)
def test_features_that_do_not_fit(features: list[str], said: str) -> None:
    with pytest.raises(ScenarioError, match="features") as told:
        load({**BASE, "features": features})
    assert said in str(told.value).replace('"', "'")


def test_random_embeddings_have_as_many_columns_as_features() -> None:
    table = {"random": "normal", "seed": 1}
    trace = work(load({**BASE, "embeddings": table, "vocabulary": {"a": 0, "b": 1}}))
    assert trace["X"].columns.names == ("Size", "Colour")
    assert trace["embeddings"].matrix.shape == (2, 2)


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex"])
def test_a_table_by_id_says_whose_row_each_is(form: str) -> None:
    page = page_of(trace_of(KING), form)
    (row,) = (line for line in page.splitlines() if "queen" in line and "0.93" in line)
    assert row.strip().lstrip("| ").startswith("311")


def test_tokens_of_a_table_in_json() -> None:
    data = json.loads(page_of(trace_of(KING), "json"))
    (table,) = (value for value in data["given"] if value["name"] == "embeddings")
    assert table["tokens"][-2:] == ["queen", "apple"]
    assert table["columns"] == list(NAMES)
    by_token = json.loads(page_of(work(load(BASE)), "json"))
    assert all("tokens" not in value for value in by_token["given"])


def test_king_looks_for_a_person() -> None:
    """Worked beside the package, in full: whom the query attends to most."""
    trace = trace_of(KING, "rounding.policy=exact")
    table, ids = trace["embeddings"].values, [0, 1, 2, 3, 4, 2, 5]
    Q, K = (table[ids] @ trace[name].values for name in ("W_Q", "W_K"))
    exp = np.exp(Q[3] @ K.T / np.sqrt(2))
    weights = exp / exp.sum()
    assert np.allclose(trace["weights"].values[3], weights)
    assert trace.scenario.text.tokens[int(weights.argmax())] == "Yassine"
