"""Quantities without texts: arrays of NumPy, tensors, and JSON with values only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load
from typer.testing import CliRunner

from attncli.cli import app
from attncli.trace import Trace
from tests.helpers.pages import shipped_trace
from tests.helpers.reference_tables import COMMANDS

NAMES = ("i_love_ai", "three_tokens_two_heads", "decoder_block", "yassine_lstm", "bpe")


def attn(*typed: str, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [*typed])
    assert result.exit_code == code, result.output
    return result


def written(form: str, name: str, folder: Path) -> dict[str, Any]:
    path = folder / f"page.{form}"
    attn("run", name, "-o", str(path))
    data = path.read_bytes()
    return {**np.load(BytesIO(data))} if form == "npz" else load(data)


def check_alike(arrays: dict[str, Any], trace: Trace) -> None:
    shapes = {name: q.matrix.shape for name, q in trace.quantities.items()}
    assert arrays.keys() >= shapes.keys()
    for name, shape in shapes.items():
        values = np.asarray(trace[name].values)
        assert arrays[name].size == values.size
        assert np.array_equal(arrays[name].reshape(shape), values.reshape(shape)), name


@pytest.mark.parametrize("name", NAMES)
def test_arrays(name: str, tmp_path: Path) -> None:
    arrays, tensors = (written(form, name, tmp_path) for form in ("npz", "safetensors"))
    check_alike(arrays, shipped_trace(name))
    assert arrays.keys() == tensors.keys()
    for called, array in arrays.items():
        assert array.dtype in (np.float64, np.int64)
        assert array.dtype == tensors[called].dtype
        assert np.array_equal(array, tensors[called])


def test_a_part_of_a_page_and_a_matrix_of_a_file(tmp_path: Path) -> None:
    given = np.random.default_rng(7).normal(size=(30, 30))
    np.save(tmp_path / "X.npy", given)
    np.save(tmp_path / "I.npy", np.eye(30))
    same = "".join(f"{name}: {{file: I.npy}}\n" for name in ("W_Q", "W_K", "W_V"))
    keys = f"X: {{file: X.npy}}\n{same}scale: none\n"
    (tmp_path / "s.yaml").write_text(keys, "utf-8")
    path = tmp_path / "part.npz"
    attn(
        "run", str(tmp_path / "s.yaml"), "--step", "scores", "--rounding", "exact", "-o", str(path)
    )
    arrays = np.load(path)
    assert np.array_equal(arrays["X"], given)
    assert np.allclose(arrays["scores"], given @ given.T)
    assert "weights" not in arrays


def test_the_same_page_is_the_same_file_and_goes_to_a_pipe(tmp_path: Path) -> None:
    attn("run", "i_love_ai", "-o", str(tmp_path / "a.npz"))
    piped = attn("run", "i_love_ai", "--format", "npz", "-o", "-").stdout_bytes
    assert piped == (tmp_path / "a.npz").read_bytes()


@pytest.mark.parametrize("name", NAMES[:3])
def test_json_of_values_only(name: str) -> None:
    value = attn("run", name, "--format", "json", "--values-only").stdout
    alone, whole = json.loads(value), json.loads(attn("run", name, "--format", "json").stdout)
    assert alone["rounding"] == whole["rounding"]
    assert "text" not in value
    pairs = [(alone, whole, "given"), *((*two, "quantities") for two in zip(alone["steps"], whole["steps"], strict=True))]  # fmt: skip
    for mine, full, key in pairs:
        for data, other in zip(mine[key], full[key], strict=True):
            shape = data.pop("shape")
            assert tuple(shape) == np.shape(data["values"])
            assert other.pop("text")
            other.pop("origin", None)  # a word
            assert data == other


SAID = {"text", "says", "formula", "notes"}


def sentences_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        yield from SAID & data.keys()
        yield from (found for value in data.values() for found in sentences_in(value))
    elif isinstance(data, list):
        yield from (found for value in data for found in sentences_in(value))


ANSWERS = "form: own\nanswers: {'weights[love, AI]': 0.5}\n"


@pytest.mark.parametrize(
    ("typed", "code", "kept"),
    [
        ("run i_love_ai", 0, "steps"),
        ("explain i_love_ai --step softmax", 0, "mistakes"),
        ("why weights[love,AI] i_love_ai", 0, "from"),
        ("compare i_love_ai --set scale=none --set mask=causal", 1, "differ"),
        ("exercise i_love_ai --step softmax", 0, "low"),
        ("check alice_met_bob", 1, "accepted"),
        ("lint i_love_ai", 0, "findings"),
        ("diff i_love_ai DUMP", 1, "difference"),
        ("grade i_love_ai ANSWERS", 1, "accepted"),
    ],
)
def test_values_only_goes_with_every_json(typed: str, code: int, kept: str, tmp_path: Path) -> None:
    scores = np.asarray(shipped_trace("i_love_ai")["scores"].values)
    np.savez(tmp_path / "dump.npz", scores=scores.T)
    (tmp_path / "answers.yaml").write_text(ANSWERS, "utf-8")
    files = {"DUMP": str(tmp_path / "dump.npz"), "ANSWERS": str(tmp_path / "answers.yaml")}
    words = [files.get(word, word) for word in typed.split()]
    whole = attn(*words, "--format", "json", code=code).stdout
    alone = attn(*words, "--format", "json", "--values-only", code=code).stdout
    assert [*sentences_in(json.loads(whole))] or "compare" in typed
    assert not [*sentences_in(json.loads(alone))]
    assert f'"{kept}": ' in alone
    assert "--format json" in attn(*words, "--values-only", code=2).output


def test_every_command_with_json_has_values_only() -> None:
    names = {name: {param.name for param in command.params} for name, command in COMMANDS.items()}
    with_format = {name for name, options in names.items() if "form" in options}
    assert len(with_format) > 8
    assert with_format == {name for name, options in names.items() if "values_only" in options}


def test_what_a_cell_comes_to() -> None:
    cell = "weights[love, AI]"
    data = attn("run", "i_love_ai", "--cell", cell, "--format", "json", "--values-only").stdout
    (step,) = json.loads(data)["steps"]
    value = float(shipped_trace("i_love_ai")["weights"].values[1, 2])
    assert step["working"] == [{"cell": cell, "value": value}]


def test_what_is_refused(tmp_path: Path) -> None:
    assert "--format json" in attn("run", "i_love_ai", "--values-only", code=2).output
    for form in ("npz", "safetensors"):
        path = str(tmp_path / f"page.{form}")
        assert "-o" in attn("run", "i_love_ai", "--format", form, code=2).output
        assert "no quantities" in attn("check", "alice_met_bob", "-o", path, code=2).output
        attn("exercise", "i_love_ai", "-o", path, code=2)
    assert not [*tmp_path.iterdir()]
