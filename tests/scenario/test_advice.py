"""Messages that name what caused many: a layout, a file, a name that is like another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.scenario.file.problems import nearest
from tests.scenario.test_messages import check_error

RANDOM = np.random.default_rng(5)
ROWS: dict[str, Any] = {
    "X": RANDOM.integers(-3, 4, (3, 4)),
    **{f"W_{name}": RANDOM.integers(-3, 4, (4, 6)) for name in "QKV"},
    "W_O": RANDOM.integers(-3, 4, (6, 4)), "W1": RANDOM.integers(-3, 4, (4, 16)),
    "W2": RANDOM.integers(-3, 4, (16, 4)), "b1": [1.0] * 16, "heads": 2, "block": "encoder",
}  # fmt: skip
TURNED = {name: value.T if name.startswith("W") else value for name, value in ROWS.items()
          if name != "heads"} | {"heads": 2}  # fmt: skip
QKV = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 0], [0, 1]]}


def said(given: Any, *changes: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        work(load(given, changes))
    check_error(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "wrong", "right"),
    [
        (TURNED, "fit only as out × in, as PyTorch keeps them", "add weights_layout: linear"),
        (
            {**ROWS, "weights_layout": "linear"},
            "fit only as in × out, and are taken as out × in", "leave weights_layout out",
        ),
    ],
)  # fmt: skip
def test_weights_that_are_all_turned_are_one_thing(given: Any, wrong: str, right: str) -> None:
    message = said(given)
    assert message.count("\n") == 0
    assert wrong in message
    assert message.endswith(right)
    assert "W1" in said({**given, "W1": [[1]]})  # where that isn't all that is wrong


def test_a_part_that_does_not_fit_is_told_with_its_size() -> None:
    rows = [[1, 0, 0, 1]] * 3
    message = said({"Q": rows, "K": rows, "V": rows, "heads": 2, "kv_heads": 1})
    assert "Q (3 × 4, here 2 columns) and K (3 × 4) don't fit together (1 head)" in message


def test_the_same_in_many_places_is_said_once() -> None:
    names = ("X", "W_Q", "W_K", "W_V", "W_O", "W1")
    message = said({name: {"file": "no.npz", "key": "a"} for name in names})
    assert message.startswith("W1: ")
    assert "(and the same in W_K, W_O, W_Q, W_V, X)" in message


@pytest.mark.parametrize("count", [3, 6])
def test_lines_of_what_is_said_once(count: int, tmp_path: Any) -> None:
    names = ("X", "W_Q", "W_K", "W_V", "W_O", "W1")[:count]
    path = tmp_path / "s.yaml"
    path.write_text("".join(f"{name}: {{file: no.npz, key: a}}\n" for name in names), "utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert len(caught.value.problems) == count
    lines = str(caught.value).split("\n")
    assert len(lines) == (count if count == 3 else 1)
    assert ("(and the same in lines 2, 3, 4, 5, 6)" in lines[0]) == (count == 6)


def test_single_numbers() -> None:
    assert work(load({**QKV, "dropout": {"p": 0.5, "mask": [["1.0", "0."]]}}))["dropped"].values[
        0
    ].tolist()[1] == 0  # fmt: skip
    message = said({**QKV, "dropout": {"mask": [["2", 0]]}})
    assert "neither true nor false" in message
    assert "without mask" not in message
    assert "like mask: [[1, 0]]" in said({**QKV, "bias": [[0, "-inf"]]})
    assert "without mask" in said({**QKV, "dropout": {"p": 0.5}})


def test_a_size_that_is_said_is_why_columns_do_not_fit() -> None:
    row = [[1, 2, 3, 4]]
    message = said({"Q": row, "K": row, "V": row, "d_k": 2})
    assert "d_k = 2 and Q (1 × 4) don't fit together (d_k says how many columns)" in message


@pytest.mark.parametrize("source", [{"random": "normal"}, {"file": "w.npy"}])
def test_a_number_of_a_matrix_that_nobody_wrote(source: dict[str, str]) -> None:
    message = said({"X": [[1, 2]], "layers": [{"W_Q": source}]}, "layers[1].W_Q[1,2]=0")
    assert "none of them can be set" in message
    assert "give the whole matrix" in message


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("attn_softcap", "the nearest that is known: softcap"),
        ("gru", "did you mean yassine_gru?"),
        ("softcpa", "did you mean softcap?"),
    ],
)
def test_another_quantity_is_not_meant(name: str, told: str) -> None:
    assert nearest(name, ["softcap", "yassine_gru", "W_Q"]) == told
