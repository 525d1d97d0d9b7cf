"""Scenarios as plain data, and with other numbers in the place of their own."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from decimal import Decimal
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli import ScenarioError, load
from attncli.names import Name
from attncli.pipeline.plain_data import plain_data, with_numbers
from attncli.scenario.file import shipped
from tests.conftest import FEWER, sampled
from tests.helpers.pages import LARGE, SHIPPED, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import recurrents, scenarios, transformers
from tests.steps.test_oracle_corners import CORNERS

Rows = list[list[Decimal]]
WIDE = "i_can_go_alone"  # a million numbers
TABLES = ("allowed", "blocked", "dropout.mask")


def given_in(source: str | Mapping[str, object]) -> dict[str, Rows]:
    return {
        name: [
            [matrix.number(i, j).full for j in range(matrix.shape[1])]
            for i in range(matrix.shape[0])
        ]
        for name, matrix in load(source).given.matrices.items()
    }


def others(rows: Mapping[str, Rows]) -> dict[str, Rows]:
    """Numbers that are all different; true and false, and what is hidden, stay."""
    counted = count(1)
    return {
        name: [
            [
                x if name.endswith(TABLES) or x.is_infinite() else next(counted) / Decimal(100)
                for x in row
            ]
            for row in rows[name]
        ]
        for name in rows
    }


def goes_round(data: dict[str, object]) -> None:
    before = deepcopy(data)
    new = others(given_in(data))
    changed = with_numbers(data, new)
    assert given_in(changed) == new
    assert data == before
    for name, rows in new.items():  # one at a time, the others stay
        alone = with_numbers(data, {name: rows})
        assert given_in(alone) == {**given_in(data), name: rows}


LEARNED = {name for name in SHIPPED if "\ncorpus:" in SHIPPED[name]}
"""The counts of a corpus are no numbers of the file, and stay as they are."""


@sampled(11, name=sorted(set(SHIPPED) - LEARNED - LARGE))
def test_shipped_scenarios(name: str) -> None:
    assert plain_data(name) == read(SHIPPED[name])
    goes_round(plain_data(name))


@sampled(3, name=CORNERS)
def test_corners(name: str) -> None:
    goes_round(read(CORNERS[name]))


@settings(max_examples=FEWER)
@given(scenarios())
def test_random_scenarios(text: str) -> None:
    goes_round(read(text))


@settings(max_examples=FEWER)
@given(st.one_of(transformers(), recurrents()))
def test_random_transformers(text: str) -> None:
    data = read(text)
    assert given_in(with_numbers(data, others(given_in(data)))) == others(given_in(data))


def test_random_numbers_are_written_out() -> None:
    drawn = {"random": "normal", "seed": "3", "std": "0.04"}
    data = {"X": [["1"] * 48], **dict.fromkeys(("W_Q", "W_K", "W_V"), drawn)}
    W = load(data).given.matrices[Name("W_V")]
    rows = [[W.number(i, j).full for j in range(48)] for i in range(48)]
    changed = with_numbers(data, {"W_V": rows})
    assert changed["W_K"] == drawn
    assert len(changed["W_V"]) == 48
    assert changed["W_V"][7][5] == str(rows[7][5])
    np.testing.assert_array_equal(load(changed).given.matrices[Name("W_V")].values, W.values)


def test_numbers_are_written_as_they_are() -> None:
    numbers = [[Decimal("1.50"), Decimal("-0.0000005")], [Decimal("2e3"), Decimal(0)]]
    changed = with_numbers(plain_data("i_love_ai"), {"W_Q": numbers})
    assert load(changed).given.matrices[Name("W_Q")].written == tuple(map(tuple, numbers))


def test_repeated_values_are_independent() -> None:
    data = plain_data("alice_met_bob")
    assert data["K"] == data["Q"]
    data["Q"]["met"][0] = "7"
    assert data["K"]["met"][0] == "0.1"
    numbers = given_in("alice_met_bob")["Q"]
    changed = with_numbers(data, {"K": numbers})
    assert list(changed["K"]) == ["Alice", "met", "Bob", "at", "the", "cafe"]
    assert changed["Q"]["met"][0] == "7"


def test_changes_are_made_first() -> None:
    data = plain_data(
        "i_love_ai", ["W_K[1,2]=-0.5", "embeddings[love, 1]=3", "rounding.decimals=2"]
    )
    assert data["W_K"][0] == ["1", "-0.5"]
    assert data["embeddings"]["love"] == ["3", "1"]
    assert data["rounding"]["decimals"] == "2"
    with pytest.raises(ScenarioError, match="W_X"):
        plain_data("i_love_ai", ["W_X[1,2]=1"])
    with pytest.raises(ScenarioError, match="no such file"):
        plain_data("no_such_scenario")


def test_mappings_and_paths() -> None:
    X = np.array([[1.5, 2]])
    data = plain_data({"X": X, "heads": 2, "residuals": True, "b_Q": [0.1]}, ["scale=none"])
    assert {key: value for key, value in data.items() if key != "X"} == {
        "heads": "2",
        "residuals": "true",
        "b_Q": ["0.1"],
        "scale": "none",
    }
    assert data["X"] is not X
    assert plain_data(shipped.path_of("i_love_ai")) == plain_data("i_love_ai")


def test_names_that_are_not_there() -> None:
    entries = [[Decimal(1)]]
    with pytest.raises(KeyError, match="W_K, b_9"):
        with_numbers({"W_Q": [["1"]]}, {"W_K": entries, "W_Q": entries, "b_9": entries})
    with pytest.raises(KeyError, match="unembedding"):
        with_numbers({"unembedding": "tied"}, {"unembedding": entries})
    with pytest.raises(ValueError, match="shorter"):
        with_numbers({"X": {"a": ["1"], "b": ["2"]}}, {"X": entries})


def test_the_trace_has_the_new_numbers() -> None:
    rows = [[Decimal(2), Decimal(0)], [Decimal(0), Decimal(2)]]
    changed = with_numbers(plain_data("i_love_ai"), {"W_Q": rows})
    assert trace_of(SHIPPED["i_love_ai"])["W_Q"].values.tolist() == [[1, 0], [0, 1]]
    assert load(changed).given.matrices[Name("W_Q")].values.tolist() == [[2, 0], [0, 2]]
