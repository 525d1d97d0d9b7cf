"""The oracle's recurrent layers against PyTorch, plain lines of NumPy, and numbers worked by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.conftest import sampled
from tests.helpers.plain import read
from tests.helpers.recurrent_cases import CELLS, Network, gated, jacobian, network, restated, run
from tests.oracle.book import Book

SEEDS = range(70)
EXACT = {"rounding": {"policy": "exact"}}


def close(ours: Any, values: Any) -> None:
    np.testing.assert_allclose(ours, values, rtol=1e-10, atol=1e-10)


def drawn(cell: str, seed: int) -> tuple[np.random.Generator, Network]:
    pytest.importorskip("torch")
    rng = np.random.default_rng([seed, *cell.encode()])
    return rng, network(rng, cell)


@pytest.mark.real("torch")
@sampled(3, cell=CELLS, seed=SEEDS)
def test_the_states_are_those_of_torch(cell: str, seed: int) -> None:
    rng, net = drawn(cell, seed)
    for layout in ("torch", "linear", "row"):
        expected = run(net, either=layout == "torch")
        made = oracle.work({**restated(net, layout, rng), **EXACT})
        for name, values in expected.items():
            close(made[name], values)


@pytest.mark.real("torch")
@sampled(7, cell=["rnn tanh", "rnn relu"], seed=range(20), layout=["torch", "linear", "row"])
def test_the_gradient_factor_is_that_of_autograd(cell: str, seed: int, layout: str) -> None:
    rng, net = drawn(cell, seed)
    back = seed % 2 == 1
    net = replace(net, layers=[net.layers[0][:1]], direction="backward" if back else "forward")
    scenario = {**restated(net, layout, rng), **EXACT}
    scenario.get("layers", [scenario])[0]["gradient"] = "true"
    made = oracle.work(scenario)
    for t in range(1, len(net.X) + 1):
        rows, before = (net.X[:t][::-1], t + 1) if back else (net.X[t - 1 :], t - 1)
        expected = jacobian(net, rows, made[f"a[{before}]"])
        close(made[f"factor[{t}]"], expected.T)
        close(made[f"factor_norm[{t}]"], [[np.sqrt((expected**2).sum())]])


DOCUMENT = (
    "X: [[1, 2, 3]]\ncell: rnn\nW_ax: [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]\n"
    "W_aa: [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]\nW_ya: [[0.5, -0.1, 0.8]]\nb_y: [0.1]\n"
    "rounding: {decimals: 3, quantities: {ya: 4, z_y: 4}}\n"
)


def test_the_documents_numbers() -> None:
    made = oracle.work(read(DOCUMENT))
    numbers = {name: [str(number) for number in values.flat] for name, values in made.items()}
    assert numbers["a[0]"] == ["0.000", "0.000", "0.000"]
    assert numbers["x[1]"] == ["1.000", "2.000", "3.000"]
    assert numbers["aa[1]"] == ["0.000", "0.000", "0.000"]
    assert numbers["ax[1]"] == numbers["z[1]"] == ["1.400", "3.200", "5.000"]
    assert numbers["a[1]"] == ["0.885", "0.997", "1.000"]
    assert [numbers[name] for name in ("ya[1]", "z_y[1]")] == [["1.1428"], ["1.2428"]]
    assert numbers["y[1]"] == ["0.776"]
    assert " ".join(made) == "X x[1] a[0] ax[1] aa[1] z[1] a[1] states ya[1] z_y[1] y[1]"


def sigmoid(z: Any) -> Any:
    return 1 / (1 + np.exp(-z))


@pytest.mark.parametrize("reset", [None, "before", "after"])
@pytest.mark.parametrize("update", [None, "new", "old"])
def test_a_gru_in_plain_numpy(reset: str | None, update: str | None) -> None:
    X, W = gated(1, "urc")
    by_name = {key: value for key, value in (("reset", reset), ("update", update)) if value}
    made = oracle.work({"X": X, "cell": "gru", **W, **by_name, **EXACT})
    a = W["initial_state"]
    for t, x in enumerate(X, 1):
        u = sigmoid(W["W_ux"] @ x + W["W_ua"] @ a + W["b_u"])
        r = sigmoid(W["W_rx"] @ x + W["W_ra"] @ a + W["b_r"])
        remembered = r * (W["W_ca"] @ a) if reset == "after" else W["W_ca"] @ (r * a)
        c = np.tanh(W["W_cx"] @ x + remembered + W["b_c"])
        a = (1 - u) * c + u * a if update == "old" else u * c + (1 - u) * a
        for name, values in (("update", u), ("reset", r), ("candidate", c)):
            close(made[f"gates[{t}].{name}"][:, 0], values)
        close(made[f"a[{t}]"][:, 0], a)
        close(made["states"][t - 1], a)
        assert (f"gates[{t}].candidate_a" in made) == (reset == "after")


def test_torch_matrices_with_the_conventions_of_papers() -> None:
    X, W = gated(2, "urc")
    zeros = np.zeros(9)
    stacked = {"W_ih": "x", "W_hh": "a"}
    by_name = {
        name: np.vstack([W[f"W_{g}{part}"] for g in "urc"]) for name, part in stacked.items()
    } | {"b_hh": np.hstack([W[f"b_{g}"] for g in "urc"]), "b_ih": zeros}
    entries = {"reset": "before", "update": "new", "gate_order": ["update", "reset", "candidate"]}
    start = {"X": X, "cell": "gru", "initial_state": W["initial_state"], **EXACT}
    made = oracle.work({**start, **by_name, **entries, "weights_layout": "torch"})
    plain = oracle.work({**start, **W})
    close(made["states"], plain["states"])
    close(made["b_ra"], W["b_r"][None])
    assert set(made) - set(plain) == {f"{k}_{g}{p}" for k in "Wb" for g in "urc" for p in "xa"}


def test_an_lstm_in_plain_numpy() -> None:
    X, W = gated(3, "fuoc")
    W["initial_cell"] = np.array([1.0, -0.5, 0.25])
    made = oracle.work({"X": X, "cell": "lstm", "direction": "backward", **W, **EXACT})
    a, c = W["initial_state"], W["initial_cell"]
    for t in (4, 3, 2, 1):
        z = {g: W[f"W_{g}x"] @ X[t - 1] + W[f"W_{g}a"] @ a + W[f"b_{g}"] for g in "fuoc"}
        c = sigmoid(z["u"]) * np.tanh(z["c"]) + sigmoid(z["f"]) * c
        a = sigmoid(z["o"]) * np.tanh(c)
        for name, values in (("z_forget", z["f"]), ("output", sigmoid(z["o"]))):
            close(made[f"gates[{t}].{name}"][:, 0], values)
        for name, values in (("c", c), ("tanh_c", np.tanh(c)), ("a", a)):
            close(made[f"{name}[{t}]"][:, 0], values)
    assert "a[5]" in made
    assert "a[0]" not in made


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_each_quantity_is_rounded_once_before_it_is_used(cell: str) -> None:
    X, W = gated(4, "fuoc" if cell == "lstm" else "urc")
    W = {name: numbers.round(2) for name, numbers in W.items()}
    rounding = {
        "decimals": "2",
        "steps": {"gates": "3"},
        "quantities": {"a[2]": "1", "z_update": 4},
    }
    data = {"X": X, "cell": cell, **W, "rounding": rounding}
    made = oracle.work(data)
    W_ux, W_ua, b = (
        np.vectorize(lambda x: Decimal(str(x)))(W[key]) for key in ("W_ux", "W_ua", "b_u")
    )
    for t in (1, 2, 3, 4):
        gate = {name.rpartition(".")[2]: made[name] for name in made if f"gates[{t}]." in name}
        before = made[f"a[{t - 1}]"]
        rounded(gate["z_update"], W_ux @ made[f"x[{t}]"] + W_ua @ before + b[:, None], 4)
        u, candidate = gate["update"], gate["candidate"]
        if cell == "lstm":
            rounded(made[f"c[{t}]"], u * candidate + gate["forget"] * made[f"c[{t - 1}]"], 2)
            rounded(made[f"a[{t}]"], gate["output"] * made[f"tanh_c[{t}]"], 1 if t == 2 else 2)
        else:
            rounded(gate["reset_a"], gate["reset"] * before, 3)
            rounded(made[f"a[{t}]"], u * candidate + (1 - u) * before, 1 if t == 2 else 2)


def rounded(numbers: Any, values: Any, places: int) -> None:
    expected = [oracle.round_half_away(value, places) for value in values.flat]
    assert numbers.flatten().tolist() == expected
    assert {-number.as_tuple().exponent for number in numbers.flat} == {places}


def test_steps_and_names_with_a_time() -> None:
    steps = "input memory state gates states readout gradient unstack start embed weighted_sum"
    data = {
        "rounding": {
            "steps": {step: str(places) for places, step in enumerate(steps.split(), 10)},
            "quantities": {"a[2]": 0, "backward.a[2]": 1, "gates[2].forget": 2, "factor": 3},
        }
    }
    book = Book.of(data, folder=None, start={}, decimal=False)  # type: ignore[arg-type]
    names = "x[2] ax[2] aa[1] z[1] a[1] c[12] gates[2].z_forget gates[2].output output gates[3].forget states"
    expected = [10, 10, 11, 12, 12, 12, 13, 13, 20, 13, 14]
    assert [book.places_of(name) for name in names.split()] == expected
    names = "a[2] backward.a[2] forward.a[2] gates[2].forget factor[2] slope[1] s[1] y[2] W_ux b_ca"
    expected = [0, 1, 12, 2, 3, 16, 15, 15, 17, 17]
    assert [book.places_of(name) for name in names.split()] == expected
    assert book.at("backward").places_of("a[2]") == 1
    assert book.at("layers[2]").places_of("a[2]") == 12
    with pytest.raises(KeyError, match="nothing"):
        book.places_of("nothing[2]")


RNN = "cell: rnn\nX: [[1, 0.5], [0.25, -1], [2, 0.125]]\nW_ax: [[1, 0.5], [0.2, 1]]\nW_aa: [[0.3, 1], [1, -0.4]]\n"
BACK = "backward: {W_ax: [[0.3, 0.1], [0.2, 0.7]], W_aa: [[0.1, 1], [0, 1]], b_a: [0.5, -1]}\n"


READY = {f"{way}.{name}" for way in ("forward", "backward") for name in ("W_ax", "W_aa", "b_aa")}


@pytest.mark.parametrize("kind", [None, "sigmoid", "softmax", "none"])
@pytest.mark.parametrize("layout", ["linear", "row", "torch"])
def test_what_is_read_out(layout: str, kind: str | None) -> None:
    data = {**read(RNN), **read(BACK), "direction": "both", **EXACT}
    plain = oracle.work(data)
    if layout == "torch":
        for record in (data, data["backward"]):
            record["W_ih"], record["W_hh"] = record.pop("W_ax"), record.pop("W_aa")
        data["backward"]["b_hh"] = data["backward"].pop("b_a")
    elif layout == "row":
        for record in (data, data["backward"]):
            record |= {name: [*zip(*record[name], strict=True)] for name in ("W_ax", "W_aa")}
    W_ya, b_y = np.array([[1, 0.5, -1, 2], [0.5, 0, 1, 1]]), np.array([0.1, -0.2])
    entries = {"W_ya": W_ya.T if layout == "row" else W_ya, "b_y": b_y, "weights_layout": layout}
    made = oracle.work({**data, **entries, **({"readout": kind} if kind else {})})
    close(made["states"], plain["states"])
    for t in (1, 2, 3):
        s = np.vstack([made[f"forward.a[{t}]"], made[f"backward.a[{t}]"]])
        close(made[f"s[{t}]"], s)
        z = W_ya @ s + b_y[:, None]
        close(made[f"z_y[{t}]"], z)
        if kind == "none":
            assert f"y[{t}]" not in made
        else:
            y = np.exp(z) / np.exp(z).sum() if kind == "softmax" else sigmoid(z)
            close(made[f"y[{t}]"], y)
    last = oracle.work({**data, **entries, "readout_from": "last"})
    assert set(last) - set(plain) - READY == {"s[3]", "ya[3]", "z_y[3]", "y[3]"}


def test_what_a_missing_matrix_ends() -> None:
    def names(text: str) -> set[str]:
        return set(oracle.work(read(text)))

    W_aa = RNN.index("W_aa")
    begun = {"X", "a[0]", *(f"{name}[{t}]" for name in ("x", "ax") for t in (1, 2, 3))}
    assert names(RNN[:W_aa]) == begun
    assert names("cell: rnn\n" + RNN[W_aa:]) == set()
    whole = names(RNN)
    assert names(RNN + "gradient: true\n") - whole == {
        f"{name}[{t}]"
        for name in ("slope", "step_factor", "factor", "factor_norm")
        for t in (1, 2, 3)
    } | {"factor_norms"}
    there = {f"forward.{name}" for name in whole - {"X", "states"}}
    assert names(RNN + "direction: both\nW_ya: [[1, 1, 1, 1]]\n") - there == {"X", "forward.states", *(f"backward.x[{t}]" for t in (1, 2, 3))}  # fmt: skip
    lstm = RNN.replace("rnn", "lstm").replace("W_a", "W_f")
    gates = {"gates[1].z_forget", "gates[1].forget"}
    assert names(lstm) == {"X", "a[0]", "c[0]", "x[1]", "x[2]", "x[3]", *gates}


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_layers_of_both_kinds(policy: str) -> None:
    attention = "{block: attention, projection: none}"
    gru = ", ".join(f"W_{g}x: [[1, 0.5]], W_{g}a: [[0.7]]" for g in "urc")
    rnn = "{" + ", ".join(line for line in RNN.splitlines() if line[0] != "X") + "}"
    X = next(line for line in RNN.splitlines() if line[0] == "X")
    text = f"{X}\nrounding: {{policy: {policy}}}\n"
    ending = "final_norm: {}\nunembedding: [[0.3, 1, -0.2]]\n"
    layers = f"layers:\n- {rnn}\n- {attention}\n- {{cell: gru, {gru}}}\n"
    made = oracle.work(read(text + layers + ending))
    first = oracle.work(read(f"{text}layers: [{rnn}]\n"))
    second = oracle.work({**read(text), **read(attention), "X": first["states"].astype(str)})
    third = oracle.work(
        {**read(text), **read(f"{{cell: gru, {gru}}}"), "X": second["output"].astype(str)}
    )
    for i, alone in enumerate((first, second, third), 1):
        for name in set(alone) - {"X"}:
            assert made[f"layers[{i}].{name}"].tolist() == alone[name].tolist()
    assert made["logits"].shape == (1, 3)
    assert made["final_norm.normed"].tolist() == [[0]] * 3


@pytest.mark.parametrize("extra", ["", BACK + "direction: both\n", "gradient: true\n", "activation: relu\ngradient: true\n"])  # fmt: skip
def test_decimals_are_floats_in_full(extra: str) -> None:
    data = {**read(RNN + extra), **EXACT}
    floats, decimals = oracle.work(data), oracle.work(data, decimal=True)
    assert set(floats) == set(decimals)
    for name, values in floats.items():
        close(decimals[name].astype(float), values)


def test_intervals_that_start_from_other_numbers() -> None:
    """a[2] = [0.5, 0] is carried on: aa[3] = 0.3 × 0.5 and 1 × 0.5."""
    start = {"a[2]": [["0.5"], ["0"]]}
    data, cells = read(RNN + "rounding: {steps: {start: 5}}\n"), [("aa[3]", i, 0) for i in (0, 1)]
    found = [*oracle.intervals(data, [*cells, ("a[0]", 0, 0)], start=start).values()]
    assert [str(interval.carry) for interval in found] == ["0.150", "0.500", "0.000"]
    assert [interval.exact for interval in found] == [Decimal("0.15"), Decimal("0.5"), 0]
    assert [interval.decimals for interval in found] == [3, 3, 3]


def test_one_hot_tokens() -> None:
    text = (
        "sentence: I am what I am\nembeddings: one_hot\ncell: rnn\nW_ax: [[1, 2, 3]]\nW_aa: [[0]]\n"
    )
    made = oracle.work(read(text))
    assert made["X"].tolist() == np.eye(3)[[0, 1, 2, 0, 1]].tolist()
    assert [made[f"ax[{t}]"].tolist() for t in (1, 2, 3, 4)] == [[[1]], [[2]], [[3]], [[1]]]
    made = oracle.work(
        read(text + "vocabulary: {what: 0, am: 1, you: 2, I: 3}\nW_ax: [[1, 2, 3, 4]]\n")
    )
    assert made["X"].astype(int).tolist() == np.eye(4, dtype=int)[[3, 1, 0, 3, 1]].tolist()
