"""What stands before the first time: a number for all, numbers, or the name of an array."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli.pipeline import load, work
from attncli.pipeline.plain_data import plain_data, with_numbers
from tests.helpers.pages import false_on_pages, page_of
from tests.steps.written.test_errors import errors_of

K = np.array([[1.0, 0], [0, 1], [1, 1]])
START = np.array([[1.0, 2], [3, 4]])
EQUATIONS = [
    "z[t, i] = z[t - 1, i] + K[t, i]",
    "S[t, i, j] = 0.5 * S[t - 1, i, j] + K[t, i] * K[t, j]",
    "out[t, j] = sum(S[t, i, j] * K[t, i] for i) + z[t, j]",
]


def memory(start: Any, given: Any = (), **more: Any) -> dict[str, Any]:
    memory = {"over": "t", "start": start, "equations": EQUATIONS, **more}
    loss = {"equations": ["L = sum(out[i, j] ** 2 for i for j)"]}
    return {
        "given": {"K[token, d]": K.tolist(), **dict(given)},
        "rounding": {"policy": "exact"},
        "steps": {"memory": memory, "loss": loss},
    }


NUMBERS = memory({"S": START.tolist(), "z": [0.5, 1]})
ARRAYS = memory(
    {"S": "S_start", "z": "z_start"}, {"S_start": START.tolist(), "z_start": [0.5, 1]}.items()
)


def test_numbers_are_worked_with() -> None:
    S, z, out = START, np.array([0.5, 1]), []
    for k in K:
        z, S = z + k, 0.5 * S + np.outer(k, k)
        out.append(k @ S + z)
    trace = work(load(NUMBERS))
    np.testing.assert_allclose(trace["S[3]"].values, S, rtol=1e-12)
    np.testing.assert_allclose(trace["out"].values, out, rtol=1e-12)


def test_the_last_time_begins_with_them_where_that_is_the_first() -> None:
    back = [text.replace("t - 1", "t + 1") for text in EQUATIONS]
    data = memory({"S": START, "z": [0.5, 1]}, direction="backward", equations=back)
    trace = work(load(data))
    np.testing.assert_allclose(trace["z"].values, [[2.5, 3], [1.5, 3], [1.5, 2]], rtol=1e-12)


def test_they_are_what_an_array_of_given_would_be() -> None:
    """On the page with its gradients, and so in all that is made of it."""
    numbers, arrays = (work(load({**data, "backward": True})) for data in (NUMBERS, ARRAYS))
    assert page_of(numbers) == page_of(arrays)
    assert numbers["grad.S_start"].values.tolist() == arrays["grad.S_start"].values.tolist()
    assert false_on_pages(work(load({**NUMBERS, "rounding": {"decimals": 3}}))) == []


def test_they_are_changed_by_name_and_whole() -> None:
    assert work(load(NUMBERS, ["S_start[2, 1]=7"]))["S_start"].values.tolist() == [[1, 2], [7, 4]]
    trace = work(load(NUMBERS, ["steps.memory.start.z=[3, 4]"]))
    assert trace["z[1]"].values.tolist() == [[4, 4]]
    assert not trace.unused
    data = with_numbers(plain_data(NUMBERS), {"z_start": [[Decimal(5), Decimal(6)]]})
    assert work(load(data))["z[1]"].values.tolist() == [[6, 6]]


def test_inside_a_model_each_head_begins_with_them() -> None:
    eye = [[1, 0], [0, 1]]
    read = {
        "instead_of": "scores to weighted_sum",
        "over": "t",
        "start": {"S": [[3]]},
        "equations": [
            "S[t, i, j] = S[t - 1, i, j] + K[t, i] * V[t, j]",
            "out[t, j] = sum(S[t, i, j] * Q[t, i] for i)",
        ],
    }
    weights = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), eye)
    trace = work(load({"X": K.tolist(), "heads": 2, **weights, "steps": {"read": read}}))
    assert trace["heads[1].S[1]"].values.tolist() == [[4]]
    assert trace["heads[2].S[1]"].values.tolist() == [[3]]


def test_a_name_that_is_taken_is_left_to_its_array() -> None:
    data = memory({"z": [0.5, 1], "S": 0}, {"z_start": [8, 9]}.items())
    data["steps"]["loss"]["equations"] = ["L = z_start[2] + out[1, 1]"]
    trace = work(load(data))
    assert trace["L"].values.tolist() == [[9 + 2.5]]
    assert trace["z_start2"].values.tolist() == [[0.5, 1]]


@pytest.mark.parametrize(
    ("start", "equation", "error"),
    [
        ("S: [5]", "S[t - 1] + v[t]", "8:16: S is a number for each t, and starts as a list of 1;"
         " give it a number"),
        ("S: [5, 6, 7]", "[j] S[t - 1, j] + K[t, j]", "8:16: S is a list of 2 for each t, and starts"
         " as a list of 3; give it a list of 2, or a number for all"),
        ("S: [[5, 6]]", "[j] S[t - 1, j] + K[t, j]", "8:16: S is a list of 2 for each t, and starts"
         " as 1 × 2; give it a list of 2, or a number for all"),
        ("S: v", "[j] S[t - 1, j] + K[t, j]", "8:16: S is a list of 2 for each t, and starts as a"
         " list of 3; give it a list of 2, or a number for all"),
        ("S: [5, 6]", "[i, j] S[t - 1, i, j] + v[t]", "8:16: S is a matrix for each t, and starts as a"
         " list of 2; give it a matrix, or a number for all"),
        ("S: [[5, 6], [1]]", "[i, j] S[t - 1, i, j] + v[t]", "8:25: this row has 1 number, the rows"
         " above 2; give every row the same length"),
        ("S: [5, x]", "[j] S[t - 1, j] + K[t, j]", '8:20: the text "x" is not a number; give a'
         " number such as 0.5 or -2"),
        ("S: []", "[j] S[t - 1, j] + K[t, j]", "8:16: a list where a number, numbers or the name of"
         " an array belongs; give a number for all, or numbers such as [0, 1]"),
        ("S: {a: 1}", "[j] S[t - 1, j] + K[t, j]", "8:16: a map of keys and values where a number,"
         " numbers or the name of an array belongs; give a number for all, or numbers such as"
         " [0, 1]"),
        ("S: Z", "[j] S[t - 1, j] + K[t, j]", "8:16: nothing is called Z; known: v, K"),
        ("R: [1, 2]", "[j] K[t, j]", "8:16: nothing is called R; known: K, S, v"),
        ("S: 1", "[j] K[t, j]", "8:16: S isn't read at t - 1; leave its start out, or read S[t - 1]"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_start(start: str, equation: str, error: str, tmp_path: Path) -> None:
    """Only that is told, at its place."""
    indices, _, value = equation.partition("] ") if equation[0] == "[" else ("", "", equation)
    made = f"S[t, {indices[1:]}]" if indices else "S[t]"
    text = f"""title: T
given:
  v: [1, 2, 3]
  K: [[1, 0], [0, 1], [1, 1]]
steps:
  a:
    over: t
    start: {{{start}}}
    equations:
      - {made} = {value}
"""
    assert errors_of(text, tmp_path) == [error]


def test_numbers_of_a_file_of_steps_have_to_be_in_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "steps.yaml").write_text(
        "memory: {over: t, start: {z: [1, 2]}, equations: ['z[t, i] = z[t - 1, i] + K[t, i]']}\n"
    )
    text = "given: {K: [[1, 0]]}\nsteps: {file: steps.yaml}\n"
    (error,) = errors_of(text, tmp_path)
    right = "give them in given, and their name here"
    assert error.endswith(f"steps.yaml:1:30: numbers in a file of steps; {right}")
