"""`attn diff`: dumps of plain NumPy models, right ones and ones with a bug, in each format."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from attncli.cli import app
from attncli.marking.dumps.departures import Comparison

Arrays = dict[str, NDArray[Any]]
RNG = np.random.default_rng(5)
N, D, H = 4, 6, 2
WEIGHTS: Arrays = {
    name: RNG.normal(0, 0.7, (D, D)).round(3) for name in ("W_Q", "W_K", "W_V", "W_O")
} | {"X": RNG.normal(0, 1, (N, D)).round(3)}


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def model(bug: str = "", dtype: str = "float32") -> Arrays:
    """Causal attention with two heads, as it is written with NumPy, and as hooks name its parts."""
    X, W_Q, W_K, W_V, W_O = (WEIGHTS[x].astype(dtype) for x in ("X", "W_Q", "W_K", "W_V", "W_O"))
    if bug == "W_Q_transposed":
        W_Q = W_Q.T
    q, k, v = X @ W_Q, X @ W_K, X @ W_V
    heads = [x.reshape(N, H, D // H).transpose(1, 0, 2) for x in (q, k, v)]
    scores = heads[0] @ heads[1].transpose(0, 2, 1)
    scaled = scores if bug == "not_scaled" else scores / np.sqrt(D // H).astype(dtype)
    hidden = np.triu(np.ones((N, N), dtype=bool), 1)
    masked = scaled if bug == "not_masked" else np.where(hidden, -6e4, scaled).astype(dtype)
    weights = softmax(masked, axis=-2 if bug == "down_the_columns" else -1)
    z = weights @ heads[2]
    out = z.transpose(1, 0, 2).reshape(N, D) @ W_O
    return {
        "layers.0.attn.q_proj": q[None],
        "layers.0.attn.k_proj": k[None],
        "layers.0.attn.v_proj": v[None],
        "layers.0.attn.hook_attn_scores": scores[None],
        "layers.0.attn.scaled": scaled[None],
        "layers.0.attn.masked": masked[None],
        "layers.0.attn.pattern": weights[None],
        "layers.0.attn.hook_z": z.transpose(1, 0, 2)[None],
        "layers.0.attn.o_proj": out[None],
    }


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "s.json"
    said = {name: array.tolist() for name, array in WEIGHTS.items()}
    path.write_text(json.dumps({**said, "heads": H, "mask": "causal"}), encoding="utf-8")
    return str(path)


def diff(scenario: str, dump: Path, *options: str) -> tuple[int, dict[str, Any]]:
    arguments = ["diff", scenario, str(dump), "--format", "json", *options]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (0, 1), result.output
    return result.exit_code, json.loads(result.stdout)


def save(path: Path, arrays: Arrays) -> None:
    np.savez(path, **arrays)  # type: ignore[arg-type]


def bfloat16(array: NDArray[Any]) -> NDArray[Any]:
    """The upper half of each float32, rounded."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def save_safetensors(path: Path, arrays: Arrays) -> None:
    """Bfloat16, as its authors describe the format."""
    head, data = {}, b""
    for name, array in arrays.items():
        part = bfloat16(array).tobytes()
        where = [len(data), len(data) + len(part)]
        head[name] = {"dtype": "BF16", "shape": list(array.shape), "data_offsets": where}
        data += part
    said = json.dumps(head).encode()
    path.write_bytes(len(said).to_bytes(8, "little") + said + data)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_right_model_departs_nowhere(dtype: str, scenario: str, tmp_path: Path) -> None:
    save(tmp_path / "d.npz", model(dtype=dtype))
    code, told = diff(scenario, tmp_path / "d.npz")
    assert code == 0
    assert told["first"] is None
    assert told["type"] == dtype
    assert told["counts"] == {"agrees": 14, "departs": 0, "carried forward": 0}


@pytest.mark.parametrize(
    ("bug", "quantity"),
    [
        ("W_Q_transposed", "Q"),
        ("not_scaled", "heads[1].scaled"),
        ("not_masked", "heads[1].masked"),
        ("down_the_columns", "heads[1].weights"),
    ],
)
def test_a_bug_is_named_where_it_first_shows(
    bug: str, quantity: str, scenario: str, tmp_path: Path
) -> None:
    save(tmp_path / "d.npz", model(bug))
    code, told = diff(scenario, tmp_path / "d.npz")
    assert code == 1
    first = told["first"]
    assert (first["quantity"], first["cause"]["name"]) == (quantity, bug)
    departing = [one for one in told["tensors"] if one["verdict"] == "departs"]
    assert all(one["cause"]["name"] == bug for one in departing)  # the other head
    last = told["tensors"][-1]
    assert (last["quantity"], last["verdict"]) == ("attention", "carried forward")
    assert last["follows_from"] == ["heads[1].output", "heads[2].output"]


def test_bfloat16_and_written_numbers_are_read_as_coarsely_as_they_are(
    scenario: str, tmp_path: Path
) -> None:
    save_safetensors(tmp_path / "d.safetensors", model())
    code, told = diff(scenario, tmp_path / "d.safetensors")
    assert (code, told["type"]) == (0, "bfloat16")
    written = {
        name: array.astype(float).round(4).tolist() for name, array in model("not_scaled").items()
    }
    (tmp_path / "d.json").write_text(json.dumps(written), encoding="utf-8")
    code, told = diff(scenario, tmp_path / "d.json")
    assert (code, told["first"]["cause"]["name"]) == (1, "not_scaled")
    assert told["first"]["quantity"] == "heads[1].scaled"


def test_what_is_mapped_is_what_is_said(scenario: str, tmp_path: Path) -> None:
    dump = model("not_scaled")
    names = {f"t{k}": name for k, name in enumerate(dump)}
    save(tmp_path / "d.npz", {short: dump[name] for short, name in names.items()})
    lines = "t4: heads[*].scaled\nt6: heads[*].weights\n"
    (tmp_path / "map.yaml").write_text(lines, encoding="utf-8")
    options = ("--map", str(tmp_path / "map.yaml"), "--map", "t3=heads[*].scores")
    code, told = diff(scenario, tmp_path / "d.npz", *options)
    assert (code, told["first"]["quantity"]) == (1, "heads[1].scaled")
    assert told["unknown"] == ["t0", "t1", "t2", "t5", "t7", "t8"]
    wrong = CliRunner().invoke(
        app, ["diff", scenario, str(tmp_path / "d.npz"), "--map", "t=Q", "--map", "t0=heads[9].Q"]
    )
    assert wrong.exit_code == 2
    assert [line.partition(":")[0] for line in wrong.stderr.splitlines()] == [
        "--map t=Q",
        "--map t0=heads[9].Q",
    ]


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex"])
def test_the_report_is_a_page(
    form: str, scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "d.npz", model("not_scaled"))
    arguments = ["diff", scenario, "d.npz", "--format", form]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"})
    assert result.exit_code == 1
    assert "departs first" in " ".join(result.stdout.split())
    if form == "terminal":
        assert max(map(len, result.stdout.splitlines())) <= 80
        assert "✗" in result.stdout
        assert "not_scaled: Forgetting to scale" in result.stdout


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("d.npz", b"PK\x03\x04broken", "not a whole .npz file"),
        ("d.safetensors", b"\xff" * 40, "not a whole .safetensors file"),
        ("d.json", b"[1, 2]", "holds no names"),
        ("d.json", b'{"a": [[1], [2, 3]]}', "no tensor of numbers"),
        ("d.json", b'{"a": [[1, 2]]}', "no tensor has a name that is known"),
        ("d.txt", b"", "not of a kind of file"),
    ],
)
def test_what_is_no_dump_is_refused_in_a_line(
    name: str, content: bytes, said: str, scenario: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    result = CliRunner().invoke(app, ["diff", scenario, str(tmp_path / name)])
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda x: x * 1.5, "other_factor"),
        (lambda x: x * 1.5 + 1e-3, None),
        (lambda x: x[:, ::-1], "other_places"),
        (lambda x: x[:, ::-1] * 1.0005, None),
    ],
)
def test_a_likeness_explains_each_number(
    change: Any, cause: str | None, scenario: str, tmp_path: Path
) -> None:
    dump = model()
    dump["layers.0.attn.v_proj"] = change(dump["layers.0.attn.v_proj"][0])
    save(tmp_path / "d.npz", dump)
    first = diff(scenario, tmp_path / "d.npz")[1]["first"]
    assert first["quantity"] == "V"
    assert (first["cause"] or {"name": None})["name"] == cause


def test_whole_numbers_that_agree_are_off_by_nothing(tmp_path: Path) -> None:
    given = {"Q": [[1, 2]], "K": [[1, 2], [3, 4]], "scale": "none"}
    (tmp_path / "s.json").write_text(json.dumps(given), encoding="utf-8")
    dump = {**given, "scores": [[5, 11]], "exp": [[148.4132, 59874.1417]]}
    del dump["scale"]
    (tmp_path / "d.json").write_text(json.dumps(dump), encoding="utf-8")
    told = diff(str(tmp_path / "s.json"), tmp_path / "d.json")[1]["tensors"]
    assert [one["largest"]["difference"] for one in told[:3]] == [0, 0, 0]


class _Residuals(dict[str, Any]):
    """Definitions that were read too often end the test instead of the day."""

    reads = 0

    def __getitem__(self, name: str) -> Any:
        self.reads += 1
        assert self.reads < 1000
        operands = super().get(name)
        return SimpleNamespace(definition=operands and SimpleNamespace(operands=operands))


def test_what_a_tensor_is_worked_from_is_gone_back_to_once_though_its_ways_double() -> None:
    trace = _Residuals({f"x{i}": (f"x{i - 1}", f"f{i}") for i in range(1, 41)})
    trace.update({f"f{i}": (f"x{i - 1}",) for i in range(1, 41)})
    comparison: Any = SimpleNamespace(trace=trace, theirs={"x0": 0, "f40": 0, "x40": 0})
    assert Comparison.sources(comparison, "x40") == ["x0", "f40"]
