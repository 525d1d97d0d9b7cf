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

from attncli import load, work
from attncli.cli import app
from attncli.models.dumps.departures import Comparison
from tests.conftest import sampled

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
    inside = "float32" if bug == "softmax_in_float32" else dtype
    weights = softmax(masked.astype(inside), axis=-2 if bug == "down_the_columns" else -1)
    weights = weights.astype(dtype)
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
    data = {name: array.tolist() for name, array in WEIGHTS.items()}
    path.write_text(json.dumps({**data, "heads": H, "mask": "causal"}), encoding="utf-8")
    return str(path)


def diff(scenario: str, dump: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """What is found, however long it is sought on a machine that has other work."""
    arguments = ["diff", scenario, str(dump), "--format", "json", "--seek", "600", *options]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (0, 1, 3), result.output
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
    code, data = diff(scenario, tmp_path / "d.npz")
    assert code == 0
    assert data["first"] is None
    assert data["type"] == dtype
    assert data["counts"] == {"agrees": 14, "departs": 0, "carried forward": 0, "can't tell": 0}


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
    code, data = diff(scenario, tmp_path / "d.npz")
    assert code == 1
    first = data["first"]
    assert (first["quantity"], first["cause"]["name"]) == (quantity, bug)
    departing = [value for value in data["tensors"] if value["verdict"] == "departs"]
    assert all(value["cause"]["name"] == bug for value in departing)  # the other head
    last = data["tensors"][-1]
    assert (last["quantity"], last["verdict"]) == ("attention", "carried forward")
    assert last["follows_from"] == ["heads[1].output", "heads[2].output"]


@pytest.mark.parametrize("seek", [(), ("--seek", "0")])
@pytest.mark.parametrize(("of", "given"), [("scaled", "scores"), ("q_proj", "k_proj")])
def test_names_decide_of_a_dump_without_what_comes_out(
    of: str, given: str, seek: tuple[str, ...], scenario: str, tmp_path: Path
) -> None:
    """Numbers of another quantity are a departure: the tensor isn't taken for that quantity."""
    made = {name.rpartition(".")[2].removeprefix("hook_attn_"): x for name, x in model().items()}
    dump = {name: made[name] for name in ("q_proj", "k_proj", "scores", "scaled")}
    save(tmp_path / "d.npz", {**dump, of: dump[given]})
    code, data = diff(scenario, tmp_path / "d.npz", *seek)
    assert code == 1
    assert data["first"]["called"] == of
    assert {t["verdict"] for t in data["tensors"] if t["called"] == of} == {"departs"}


def test_bfloat16_and_written_numbers_are_read_as_coarsely_as_they_are(
    scenario: str, tmp_path: Path
) -> None:
    save_safetensors(tmp_path / "d.safetensors", model())
    code, data = diff(scenario, tmp_path / "d.safetensors")
    assert (code, data["type"]) == (0, "bfloat16")
    written = {
        name: array.astype(float).round(4).tolist() for name, array in model("not_scaled").items()
    }
    (tmp_path / "d.json").write_text(json.dumps(written), encoding="utf-8")
    code, data = diff(scenario, tmp_path / "d.json")
    assert (code, data["first"]["cause"]["name"]) == (1, "not_scaled")
    assert data["first"]["quantity"] == "heads[1].scaled"


def test_what_is_mapped_is_what_is_said(scenario: str, tmp_path: Path) -> None:
    dump = model("not_scaled")
    names = {f"t{k}": name for k, name in enumerate(dump)}
    save(tmp_path / "d.npz", {short: dump[name] for short, name in names.items()})
    lines = "t4: heads[*].scaled\nt6: heads[*].weights\n"
    (tmp_path / "map.yaml").write_text(lines, encoding="utf-8")
    options = ("--map", str(tmp_path / "map.yaml"), "--map", "t3=heads[*].scores")
    code, data = diff(scenario, tmp_path / "d.npz", *options)
    assert (code, data["first"]["quantity"]) == (1, "heads[1].scaled")
    assert data["unknown"] == ["t0", "t1", "t2", "t5", "t7", "t8"]
    wrong = CliRunner().invoke(
        app, ["diff", scenario, str(tmp_path / "d.npz"), "--map", "t=Q", "--map", "t0=heads[9].Q"]
    )
    assert wrong.exit_code == 2
    assert [line.partition(":")[0] for line in wrong.stderr.splitlines()] == [
        "--map t=Q",
        "--map t0=heads[9].Q",
    ]


@pytest.mark.parametrize("called", ["output", ""])
def test_what_the_whole_returns_is_what_comes_out(
    called: str, scenario: str, tmp_path: Path
) -> None:
    out = model()["layers.0.attn.o_proj"]
    save(tmp_path / "d.npz", {called: out})
    code, data = diff(scenario, tmp_path / "d.npz")
    assert (code, [t["quantity"] for t in data["tensors"]]) == (0, ["attention"])
    save(tmp_path / "d.npz", {called: -out})
    assert diff(scenario, tmp_path / "d.npz")[0] == 1


def test_what_stands_side_by_side_is_mapped_by_its_parts(scenario: str, tmp_path: Path) -> None:
    right = model()
    k, v = (right[f"layers.0.attn.{name}_proj"] for name in "kv")
    save(tmp_path / "d.npz", {"mine": np.concatenate([k, v], axis=-1)})
    code, data = diff(scenario, tmp_path / "d.npz", "--map", "mine=K,V")
    assert (code, [t["quantity"] for t in data["tensors"]]) == (0, ["K", "V"])
    assert diff(scenario, tmp_path / "d.npz", "--map", "mine=V,K")[0] == 1


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
        assert "• Forgetting to scale" in result.stdout
        assert "not_scaled" not in result.stdout


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
    ("change", "cause", "says"),
    [
        (lambda x: x * 1.5, "other_factor", "Each number is 1.5 times what it should be."),
        (lambda x: x * 1.5 + 1e-3, None, "No bug that is known here gives its numbers."),
        (lambda x: x[:, ::-1], "other_places", "but the columns stand in the opposite order."),
        (lambda x: x[:, ::-1] * 1.0005, None, "No bug that is known here gives its numbers."),
        (lambda x: np.roll(x, 1, 0), "other_places", "but the rows are shifted by one, those past"),
        (
            lambda x: np.vstack([x[:1] + 1, x[:-1]]),
            "other_places",
            "The rows are shifted by one: the first are other numbers.",
        ),
        (lambda x: x[[0, 3, 1, 2]], "other_places", "but the rows stand in another order."),
    ],
)
def test_a_likeness_explains_each_number_in_words(
    change: Any, cause: str | None, says: str, scenario: str, tmp_path: Path
) -> None:
    dump = model()
    dump["layers.0.attn.v_proj"] = change(dump["layers.0.attn.v_proj"][0])
    save(tmp_path / "d.npz", dump)
    first = diff(scenario, tmp_path / "d.npz")[1]["first"]
    assert first["quantity"] == "V"
    assert (first["cause"] or {"name": None})["name"] == cause
    page = told(scenario, tmp_path / "d.npz")
    assert says in page
    assert "other_" not in page


def told(scenario: str, dump: Path, *options: str) -> str:
    """The page, on one line."""
    result = CliRunner().invoke(app, ["diff", scenario, str(dump), "--seek", "600", *options])
    assert result.exit_code in (0, 1, 3), result.output
    return " ".join(result.stdout.split())


def normed(x: Any) -> Any:
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + x.dtype.type(1e-5))


def stacked(folder: Path, dtype: str, *, right: bool, layers: int = 4) -> tuple[str, Path]:
    """A scenario of some layers, and a dump of what the last one makes, and of nothing else; a
    wrong model takes W_Q the other way round."""
    own = {name: WEIGHTS[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    own |= {"W1": WEIGHTS["W_K"], "W2": WEIGHTS["W_V"]}
    data = {name: array.tolist() for name, array in own.items()}
    top = {"X": WEIGHTS["X"].tolist(), "block": "encoder", "norm": "pre", "heads": H}
    top |= {"norms": {"kind": "rms", "epsilon": 1e-5}, "activation": "relu"}
    scenario = folder / "stacked.json"
    scenario.write_text(json.dumps({**top, "layers": [data] * layers}), encoding="utf-8")
    x, W = WEIGHTS["X"].astype(dtype), {name: entry.astype(dtype) for name, entry in own.items()}
    W_Q = W["W_Q"] if right else W["W_Q"].T
    for _ in range(layers):
        q, k, v = (
            (normed(x) @ entry).reshape(N, H, D // H).transpose(1, 0, 2)
            for entry in (W_Q, W["W_K"], W["W_V"])
        )
        z = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(D // H).astype(dtype)) @ v
        x = x + z.transpose(1, 0, 2).reshape(N, D) @ W["W_O"]
        x = x + np.maximum(normed(x) @ W["W1"], 0) @ W["W2"]
    save(folder / "d.npz", {f"layers.{layers - 1}": x})
    return str(scenario), folder / "d.npz"


def blurred(dump: Path, share: float) -> None:
    """Moves each number at random by a share of it at most."""
    ((name, x),) = np.load(dump).items()
    moved = x * (1 + share * np.random.default_rng(1).uniform(-1, 1, x.shape))
    save(dump, {name: moved.astype(x.dtype)})


def test_what_rounding_may_hide_is_a_third_outcome(tmp_path: Path) -> None:
    """Twice as far off as rounding at random is, which bounds of four layers don't tell."""
    scenario, dump = stacked(tmp_path, "float32", right=True, layers=4)
    blurred(dump, 1.3e-6)
    code, data = diff(scenario, dump)
    assert code == 3
    assert data["first"] is None
    assert data["counts"] == {"agrees": 0, "departs": 0, "carried forward": 0, "can't tell": 1}
    assert data["lost"] == data["tensors"][0]["quantity"]
    page = told(scenario, dump)
    assert f"Nothing can be said of {data['lost']}" in page
    assert "follows." not in page.rpartition("▸")[2]
    assert "in float64, as model.double()" in page
    assert "more hooks" in page


@sampled(4, right=[True, False], of=[("float16", 4), ("float32", 4), ("float32", 6)])
def test_where_bounds_say_nothing_it_is_told_by_what_rounding_does(
    right: bool, of: tuple[str, int], tmp_path: Path
) -> None:
    dtype, layers = of
    code, data = diff(*stacked(tmp_path, dtype, right=right, layers=layers))
    assert code == (0 if right else 1)
    assert (data["tensors"][0]["distance"] < 1) == right
    cause = data["first"] and data["first"]["cause"]["name"]
    assert cause == (None if right else "W_Q_transposed")


@sampled(2, right=[False, True])
def test_finer_floats_tell_what_rounding_hid(right: bool, tmp_path: Path) -> None:
    code, data = diff(*stacked(tmp_path, "float64", right=right, layers=2))
    assert code == (0 if right else 1)
    cause = data["first"] and data["first"]["cause"]["name"]
    assert cause == (None if right else "W_Q_transposed")


def test_bounds_begin_anew_at_each_tensor_that_is_there(scenario: str, tmp_path: Path) -> None:
    """A wrong tensor in the middle leaves the bounds on what is worked from it as narrow."""
    dump = model(dtype="float16")
    dump["layers.0.attn.pattern"] = dump["layers.0.attn.pattern"][:, ::-1].copy()
    save(tmp_path / "d.npz", dump)
    _, data = diff(scenario, tmp_path / "d.npz")
    verdicts = {value["quantity"]: (value["verdict"], value["open"]) for value in data["tensors"]}
    assert verdicts["heads[1].weights"] == ("departs", 0)
    assert verdicts["heads[1].output"] == ("departs", 0)  # worked from the weights as they were
    assert verdicts["attention"] == ("agrees", 0)


def test_a_tensor_of_a_wrong_shape_is_told_with_both_shapes(scenario: str, tmp_path: Path) -> None:
    dump = model()
    dump["layers.0.attn.k_proj"] = dump["layers.0.attn.k_proj"][..., :3]
    dump["layers.0.attn.pattern"] = dump["layers.0.attn.pattern"][0, :, 1:]
    save(tmp_path / "d.npz", dump)
    code, data = diff(scenario, tmp_path / "d.npz")
    assert code == 1
    assert data["misshapen"] == [
        {"quantity": "K", "called": "layers.0.attn.k_proj", "shape": [1, 4, 3], "expected": [4, 6]},
        {
            "quantity": "heads[1].weights",
            "called": "layers.0.attn.pattern",
            "shape": [2, 3, 4],
            "expected": [2, 4, 4],
        },
    ]
    assert data["unknown"] == []
    assert "K has the shape [1, 4, 3] instead of [4, 6]." in told(scenario, tmp_path / "d.npz")
    left_out = [x for name in ("k_proj", "pattern") for x in ("--map", f"layers.0.attn.{name}=")]
    assert diff(scenario, tmp_path / "d.npz", *left_out)[0] == 0


def test_a_tensor_twice_with_other_numbers_is_told(scenario: str, tmp_path: Path) -> None:
    dump = model()
    dump |= {"attn.wq": dump["layers.0.attn.q_proj"] + 1, "attn.wk": dump["layers.0.attn.k_proj"]}
    save(tmp_path / "d.npz", dump)
    assert diff(scenario, tmp_path / "d.npz")[1]["repeated"] == {"attn.wq": "layers.0.attn.q_proj"}
    assert "attn.wq: layers.0.attn.q_proj is the same quantity" in told(
        scenario, tmp_path / "d.npz"
    )


def test_what_agrees_to_coarser_floats_is_no_departure(scenario: str, tmp_path: Path) -> None:
    save(tmp_path / "d.npz", model("softmax_in_float32", "float64"))
    code, data = diff(scenario, tmp_path / "d.npz")
    assert (code, data["type"]) == (0, "float64")
    computed = {value["quantity"]: value["computed_in"] for value in data["tensors"]}
    assert {name for name, kind in computed.items() if kind == "float32"} == {
        "heads[1].weights",
        "heads[2].weights",
    }
    assert "2 of them as computed in float32." in told(scenario, tmp_path / "d.npz")
    assert diff(scenario, tmp_path / "d.npz", "--precision", "float64")[0] == 1


@pytest.mark.parametrize(("share", "layers", "code"), [(1e-6, 1, 0), (2e-6, 3, 3), (1e-2, 1, 1)])
def test_what_coarser_floats_may_explain_is_told_by_what_they_do(
    share: float, layers: int, code: int, tmp_path: Path
) -> None:
    """Only bounds of some layers leave a gap between what they explain and what departs."""
    scenario, dump = stacked(tmp_path, "float64", right=True, layers=layers)
    blurred(dump, share)
    page = CliRunner().invoke(app, ["diff", scenario, str(dump), "--seek", "600"])
    assert page.exit_code == code
    assert ("Computed in" in page.stdout) == (code != 1)
    assert diff(scenario, dump, "--precision", "float64", "--seek", "0")[0] == 1
    says = "--precision float64, if nothing was computed in float32: then it departs."
    assert (says in " ".join(page.stdout.split())) == (code == 3)


def test_a_small_departure_is_no_coarser_type_of_floats(scenario: str, tmp_path: Path) -> None:
    """What float16 may hide, though the numbers need more digits than that has."""
    dump = model()
    dump["layers.0.attn.v_proj"] *= np.float32(1.0001)
    save(tmp_path / "d.npz", dump)
    code, data = diff(scenario, tmp_path / "d.npz")
    assert (code, data["first"]["quantity"]) == (1, "V")
    rounded = model()
    rounded["layers.0.attn.pattern"] = rounded["layers.0.attn.pattern"].astype("f2").astype("f4")
    save(tmp_path / "d.npz", {**rounded, **attended(rounded)})
    code, data = diff(scenario, tmp_path / "d.npz")
    assert (code, data["type"]) == (0, "float32")
    computed = {value["computed_in"] for value in data["tensors"] if "weights" in value["quantity"]}
    assert computed == {"float16"}


def attended(dump: Arrays) -> Arrays:
    """What is worked from the weights of a dump."""
    v = dump["layers.0.attn.v_proj"][0].reshape(N, H, D // H).transpose(1, 0, 2)
    z = dump["layers.0.attn.pattern"][0] @ v
    out = z.transpose(1, 0, 2).reshape(N, D) @ WEIGHTS["W_O"].astype("float32")
    return {"layers.0.attn.hook_z": z.transpose(1, 0, 2)[None], "layers.0.attn.o_proj": out[None]}


def test_the_floats_that_the_numbers_show_are_told_and_can_be_said(
    scenario: str, tmp_path: Path
) -> None:
    dump = {name: array.astype("float32") for name, array in model(dtype="float16").items()}
    save(tmp_path / "d.npz", dump)
    code, data = diff(scenario, tmp_path / "d.npz")
    assert (code, data["type"], data["kept_as"]) == (0, "float16", ["float32"])
    page = told(scenario, tmp_path / "d.npz")
    assert "float16, 11 bits, by the digits that they have, though kept as float32" in page
    code, data = diff(scenario, tmp_path / "d.npz", "--precision", "float32")
    assert (code, data["type"], data["type_is_said"]) == (1, "float32", True)
    assert "as --precision says" in told(scenario, tmp_path / "d.npz", "--precision", "float32")


def test_few_digits_alone_are_no_coarse_floats(tmp_path: Path) -> None:
    given = {"Q": [[1, 2]], "K": [[1, 2], [3, 4]], "scale": "none"}
    (tmp_path / "s.json").write_text(json.dumps(given), encoding="utf-8")
    (tmp_path / "d.json").write_text('{"scores": [[5, 11]]}', encoding="utf-8")
    assert diff(str(tmp_path / "s.json"), tmp_path / "d.json")[1]["type"] == "float64"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--rtol", "1e-2"), 0),
        (("--rtol", "1e-4"), 1),
        (("--atol", "0.1", "--rtol", "0"), 0),
        (("--atol", "1e-6"), 1),
    ],
)
def test_plain_tolerances_ask_for_no_more(
    options: tuple[str, ...], code: int, scenario: str, tmp_path: Path
) -> None:
    dump = {name: array * np.float32(1.001) for name, array in model().items()}
    save(tmp_path / "d.npz", dump)
    status, data = diff(scenario, tmp_path / "d.npz", *options)
    assert status == code
    right = {value["quantity"]: value for value in diff(scenario, tmp_path / "d.npz")[1]["tensors"]}
    if options:
        assert data["close"] is not None
        assert {value["verdict"] for value in data["tensors"]} == {"departs" if code else "agrees"}
        assert data["tensors"][-1]["cause"] is None
        assert right.keys() == {value["quantity"] for value in data["tensors"]}
        page = told(scenario, tmp_path / "d.npz", *options)
        assert ("isn't close enough." if code else "tensors are close enough.") in page


def test_no_tolerance_is_refused(scenario: str, tmp_path: Path) -> None:
    save(tmp_path / "d.npz", model())
    for said in ("-1", "nan", "little"):
        wrong = CliRunner().invoke(app, ["diff", scenario, str(tmp_path / "d.npz"), "--atol", said])
        assert (wrong.exit_code, f"--atol {said}: no tolerance" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("hidden", [-np.inf, -1e9])
def test_a_mask_as_it_is_added_is_one_of_ones_and_zeros(
    hidden: float, scenario: str, tmp_path: Path
) -> None:
    mask = np.triu(np.full((N, N), hidden), 1)
    dump = {**model(), "heads[1].mask": mask}
    dump["layers.0.attn.masked"] = np.where(mask < 0, mask, dump["layers.0.attn.masked"])
    save(tmp_path / "d.npz", dump)
    code, data = diff(scenario, tmp_path / "d.npz")
    assert code == 0
    assert "heads[1].mask" in {value["quantity"] for value in data["tensors"]}
    trace = work(load(scenario))
    again = trace.replay({"heads[1].mask": mask})
    assert np.array_equal(again["heads[1].weights"].values, trace["heads[1].weights"].values)


def test_the_working_behind_a_mask_is_told(scenario: str, tmp_path: Path) -> None:
    dump = model()
    dump["layers.0.attn.masked"] = dump["layers.0.attn.masked"].copy()
    dump["layers.0.attn.masked"][dump["layers.0.attn.masked"] < -1e3] = -np.inf
    weights = dump["layers.0.attn.pattern"] = dump["layers.0.attn.pattern"].copy()
    weights[..., 1, 0] += 0.25
    save(tmp_path / "d.npz", dump)
    page = told(scenario, tmp_path / "d.npz")
    assert "heads[1].weights (layers.0.attn.pattern in the dump) is the first" in page
    assert "The right working of the first of these, from the tensors before:" in page


def test_whole_numbers_that_agree_are_off_by_nothing(tmp_path: Path) -> None:
    given = {"Q": [[1, 2]], "K": [[1, 2], [3, 4]], "scale": "none"}
    (tmp_path / "s.json").write_text(json.dumps(given), encoding="utf-8")
    dump = {**given, "scores": [[5, 11]], "exp": [[148.4132, 59874.1417]]}
    del dump["scale"]
    (tmp_path / "d.json").write_text(json.dumps(dump), encoding="utf-8")
    value = diff(str(tmp_path / "s.json"), tmp_path / "d.json")[1]["tensors"]
    assert [data["largest"]["difference"] for data in value[:3]] == [0, 0, 0]


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
