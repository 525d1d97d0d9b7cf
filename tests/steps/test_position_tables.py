"""Tables of positions that begin later than at their first row, alone and among others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.scenario.file.problems import ScenarioError

TABLE = [[9, 9], [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
BASE: dict[str, Any] = {
    "sentence": "a b",
    "embeddings": {"a": [1, 2], "b": [3, 4]},
    "until": "positions",
}


def _problem(scenario: dict[str, Any]) -> str:
    with pytest.raises(ScenarioError) as told:
        load(scenario)
    return str(told.value)


@pytest.mark.parametrize("start", [0, 1, 2])
@pytest.mark.parametrize("among", [False, True])
def test_rows_are_taken_from_the_start_on(start: int, among: bool) -> None:
    table = {"kind": "table", "table": TABLE, "start": start}
    trace = work(load({**BASE, "positions": ["rope", table] if among else table}))
    expected = np.array([[1, 2], [3, 4]]) + np.array(TABLE)[start : start + 2]
    np.testing.assert_allclose(trace["X"].values, expected)


def test_an_encoder_with_words_of_its_own_takes_no_table_over() -> None:
    encoder = {"sentence": "b a"}
    whole = {**BASE, "block": "decoder", "positions": {"kind": "table", "table": TABLE, "start": 1}}
    trace = work(load({**whole, "encoder": encoder}))
    np.testing.assert_allclose(trace["encoder.X"].values, [[3, 4], [1, 2]])


@pytest.mark.parametrize(
    ("positions", "said"),
    [
        ({"kind": "table"}, "positions: positions of a table, and no table"),
        ({"kind": "table", "table": TABLE, "start": 3}, "has 4 rows, and row 5 is needed"),
        ([TABLE, {"kind": "table", "table": TABLE}], "positions of the kind given twice"),
        ({"kind": "table", "tabel": TABLE}, "did you mean table?"),
        ("table", "can't stand here"),
    ],
)
def test_what_is_wrong_with_a_table(positions: object, said: str) -> None:
    assert said in _problem({**BASE, "positions": positions})


def test_a_generated_token_has_a_row_too() -> None:
    whole = {key: value for key, value in BASE.items() if key != "until"}
    more = {"unembedding": "tied", "generate": 3}
    table = {"kind": "table", "table": TABLE, "start": 1}
    text = _problem({**whole, **more, "positions": table})
    assert "positions.table has 4 rows, and 5 are needed to generate 3 tokens" in text
