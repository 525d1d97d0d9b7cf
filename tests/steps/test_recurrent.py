"""Recurrent layers of the package: against PyTorch, the oracle, and the document's numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from attncli import ScenarioError, load, work
from attncli.formats import RenderOptions, render
from attncli.pages.explain import find_cells
from attncli.pages.parts.selection import SelectionError, select
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.model import LETTERS
from tests import oracle
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, page_of, shipped_trace, trace_of
from tests.helpers.plain import read
from tests.helpers.recurrent_cases import CELLS, jacobian, network, restated, run
from tests.helpers.strategies import recurrents
from tests.steps.test_transformers import same

EXACT = {"rounding": {"policy": "exact"}}


def close(ours: Any, values: Any) -> None:
    np.testing.assert_allclose(ours, values, rtol=1e-10, atol=1e-10)


@pytest.mark.real("torch")
@sampled(7, cell=CELLS, seed=range(40))
def test_the_states_are_those_of_torch(cell: str, seed: int) -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng([seed, *cell.encode()])
    net = network(rng, cell)
    for layout in ("torch", "linear", "row"):
        expected = run(net, either=layout == "torch")
        trace = work(load({**restated(net, layout, rng), **EXACT}))
        for name, values in expected.items():
            close(trace[name].values, values)


@pytest.mark.real("torch")
@sampled(7, cell=["rnn tanh", "rnn relu"], seed=range(10), layout=["torch", "linear", "row"])
def test_the_gradient_factor_is_that_of_autograd(cell: str, seed: int, layout: str) -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng([seed, *cell.encode()])
    net, back = network(rng, cell), seed % 2 == 1
    net = replace(net, layers=[net.layers[0][:1]], direction="backward" if back else "forward")
    scenario = {**restated(net, layout, rng), **EXACT}
    scenario.get("layers", [scenario])[0]["gradient"] = True
    trace = work(load(scenario))
    for t in range(1, len(net.X) + 1):
        rows, before = (net.X[:t][::-1], t + 1) if back else (net.X[t - 1 :], t - 1)
        expected = jacobian(net, rows, trace[f"a[{before}]"].values)
        close(trace[f"factor[{t}]"].values, expected.T)
        close(trace["factor_norms"].values[t - 1], np.sqrt((expected**2).sum()))


def test_a_random_input_tells_how_often_a_cell_is_taken_and_how_large_it_is() -> None:
    drawn = {"random": "normal", "seed": 1, "std": 1}
    X = {**drawn, "shape": [3, 2]}
    trace = work(load({"X": X, "cell": "rnn", "W_ax": drawn, "W_aa": np.eye(4)}))
    assert trace["W_ax"].values.shape == (4, 2)
    assert trace["states"].values.shape == (3, 4)
    assert " · h 4 · " in page_of(trace)


@given(recurrents())
def test_random_recurrent_layers(text: str) -> None:
    expected, trace = oracle.work(read(text)), trace_of(text)
    made = {name for name in trace if not trace[name].given}
    assert set(expected) == made
    for name in made:
        same(name, trace[name].values, expected[name])


def test_the_documents_numbers() -> None:
    trace = trace_of(SHIPPED["yassine_rnn"])
    shown = {
        name: [str(trace[name].matrix.number(i, 0).shown) for i in range(len(trace[name].values))]
        for name in ("ax[1]", "a[1]", "ya[1]", "z_y[1]", "y[1]")
    }
    assert shown == {
        "ax[1]": ["1.4", "3.2", "5.0"],
        "a[1]": ["0.885", "0.997", "1.000"],
        "ya[1]": ["1.1428"],
        "z_y[1]": ["1.2428"],
        "y[1]": ["0.776"],
    }
    page = " ".join(page_of(trace).split())
    assert "ax[1][1] = 0.1 × 1 + 0.2 × 2 + 0.3 × 3 = 0.1 + 0.4 + 0.9 = 1.4" in page
    line = "0.5 × 0.885 − 0.1 × 0.997 + 0.8 × 1.000 = 0.4425 − 0.0997 + 0.8000"
    assert line in page


def test_the_gradient_vanishes_and_explodes() -> None:
    trace = trace_of(SHIPPED["yassine_rnn_sentence"])
    vanishing = trace["factor_norms"].values[:, 0]
    assert (np.diff(vanishing) > 0).all()
    assert vanishing[0] < 0.01
    exploding = trace.variants["exploding"]["factor_norms"].values[:, 0]
    assert (np.diff(exploding) < 0).all()
    assert exploding[0] > 8


def test_what_a_gradient_comes_to_is_said() -> None:
    page = page_of(trace_of(SHIPPED["yassine_rnn_sentence"]))
    assert (
        "goes 0.359 → 0.151 → 0.057 → 0.004: it shrinks at every step, so the gradient vanishes."
        in " ".join(page.split())
    )


def test_one_hot_vectors() -> None:
    text = (
        "sentence: I am what I am\nembeddings: one_hot\ncell: rnn\nW_ax: [[1, 2, 3]]\nW_aa: [[0]]\n"
    )
    trace = trace_of(text)
    assert trace["X"].values.tolist() == np.eye(3)[[0, 1, 2, 0, 1]].tolist()
    with_ids = (
        text.replace("[[1, 2, 3]]", "[[1, 2, 3, 4]]")
        + "vocabulary: {what: 7, am: 9, you: 12, I: 40}\n"
    )
    expected = oracle.work(read(with_ids))
    assert trace_of(with_ids)["X"].values.tolist() == np.eye(4)[[3, 1, 0, 3, 1]].tolist()
    assert expected["X"].astype(int).tolist() == np.eye(4, dtype=int)[[3, 1, 0, 3, 1]].tolist()


def test_quantities_are_addressed_by_time() -> None:
    trace = trace_of(SHIPPED["yassine_lstm"])
    for text, names in {
        "a[2]": ["a[2][1]", "a[2][2]"],
        "a[2][1]": ["a[2][1]"],
        "gates[2].forget": ["gates[2].forget[1]", "gates[2].forget[2]"],
        "gates[3].z_output[2]": ["gates[3].z_output[2]"],
    }.items():
        cells = find_cells(trace, [text], [])
        texts = [trace[name].address(*trace[name].find(address)) for name, address in cells]
        assert texts == names
    selection = select(trace, ["state"], "the")
    page = render(walkthrough(trace, selection), "terminal", RenderOptions(80))
    assert "a[3][1] = " in page
    assert "a[2][1] = " not in page


BASE = "sentence: a b\nembeddings: {a: [1, 0], b: [0, 1]}\ncell: rnn\n"
WRONG = {
    "W_ax: [[1, 2]]\nW_aa: [[1, 2]]": "5:7: W_aa is 1 × 2, and the memory of this cell has 1 number; give it 1 × 1",
    "W_fx: [[1, 2]]": "4:7: W_fx is none of the matrices of this cell",
    "W_ax: [[1, 2]]\nW_Q: [[1]]": "5:6: W_Q is not for a recurrent layer",
    "reset: after": "4:8: reset is for cell: gru",
    "activation: gelu": "4:13: a recurrent cell with gelu",
    "activation: none": "4:13: a recurrent cell with none",
    "backward: {W_ax: [[1, 2]]}": "4:11: matrices of the way back, and one way only",
    "direction: both\ngradient: true": "5:11: the factor is that of an rnn that goes one way",
    "gate_order: [forget]": "4:13: gate_order is for matrices that are stacked; leave it out",
    "W_ax: [[1, 2]]\nW_aa: [[1]]\ninitial_state: [1, 2]": "6:16: initial_state has 2 numbers, and the memory of this cell has 1 number; give it 1",
    "weights_layout: torch\nW_ih: [[1, 2, 3]]": "5:7: W_ih (1 × 3) and embeddings (2 × 2) don't fit",
}


@pytest.mark.parametrize("more", WRONG)
def test_what_is_wrong(more: str) -> None:
    with pytest.raises(ScenarioError) as error:
        trace_of(f"{BASE}{more}\n")
    assert WRONG[more] in str(error.value)


def test_a_cell_belongs_to_matrices_of_cells() -> None:
    with pytest.raises(ScenarioError, match="W_ax is of a recurrent cell, and this layer has none"):
        trace_of("X: [[1, 0]]\nW_ax: [[1, 2]]\n")


def test_what_is_missing_is_said() -> None:
    assert "The next step, state, needs W_aa." in page_of(trace_of(f"{BASE}W_ax: [[1, 2]]\n"))


def test_the_way_back_is_told_as_such() -> None:
    text = "sentence: a b\nembeddings: {a: [1], b: [2]}\ncell: rnn\ndirection: backward\nW_ax: [[1]]\nW_aa: [[1]]\ngradient: true\n"
    page = " ".join(page_of(trace_of(text)).split())
    assert "Initial state, after the last token" in page
    assert "The memory of the tokens after is multiplied" in page
    assert "back from the first token, a gradient" in page
    assert "before the first token" not in page


def test_what_a_gate_does_is_told_as_it_is() -> None:
    gates = "".join(f"W_{letter}x: [[1]]\nW_{letter}a: [[1]]\n" for letter in "ruc")
    text = f"X: [[1]]\ncell: gru\n{gates}update: "
    old, new = (" ".join(page_of(trace_of(text + entry)).split()) for entry in ("old", "new"))
    assert "the update gate how much of the memory is kept" in old
    assert "an update gate near 1 takes the old state, one near 0" in old
    assert "the update gate how much of the memory is replaced" in new
    assert "an update gate near 1 takes the candidate, one near 0" in new


def test_verdicts_on_gradients_go_by_their_numbers() -> None:
    text = "sentence: a b c\nembeddings: {a: [1], b: [1], c: [1]}\ncell: rnn\nactivation: relu\nW_ax: [[1]]\ngradient: true\nW_aa: "
    for weight, line in (
        ("[[0.5]]", "0.500 → 0.250 → 0.125: it shrinks at every step, so the gradient vanishes."),
        ("[[2]]", "2.000 → 4.000 → 8.000: it grows at every step, so the gradient explodes."),
        ("[[1]]", "1.000 → 1.000 → 1.000: it stays the same at every step."),
        ("[[0.9]]", "0.900 → 0.810 → 0.729: it shrinks at every step."),
        ("[[1.1]]", "1.100 → 1.210 → 1.331: it grows at every step."),
        ("[[0]]", "0.000 → 0.000 → 0.000: nothing is left of it, so the gradient vanishes."),
    ):
        assert line in " ".join(page_of(trace_of(text + weight)).split())


def test_a_time_is_no_index() -> None:
    trace = trace_of(SHIPPED["yassine_lstm"])
    with pytest.raises(SelectionError, match=r"did you mean a\[2\]\[1\]\?"):
        find_cells(trace, ["a[2, 1]"], [])
    assert find_cells(trace_of(SHIPPED["yassine_rnn_sentence"]), ["factor_norms[3]"], [])


FAULTS = {
    "yassine_rnn": {
        "W_aa=[[1,0],[0,1],[0,0]]": "W_aa is 3 × 2, and the memory of this cell has 3 numbers; give it 3 × 3",
        "W_ya=[[1,2]]": "W_ya is 1 × 2, and the memory of this cell has 3 numbers; give it 1 × 3",
        "b_y=[1,2]": "b_y has 2 numbers, and the read-out has 1 number; give it 1 number",
        "direction=both": "both directions, and no matrices of the way back",
        "positions=rope": "rope is for attention, and no layer attends; leave it out",
    },
    "yassine_lstm": {
        "initial_state=[1]": "initial_state has 1 number, and the memory of this cell has 2",
        "b_f=[1,1,1]": "b_f has 3 numbers, and the memory of this cell has 2 numbers",
    },
    "yassine_gru": {
        "W_rx=[[1,2],[3,4]]": "W_rx is 2 × 2, and the weights of the input for the other gates are for 3",
    },
}


@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name, said in FAULTS.items() for change in said]
)
def test_one_fault_has_one_message(name: str, change: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        load(name, [change])
    (problem,) = raised.value.problems
    assert FAULTS[name][change] in str(problem)


def test_a_random_start_is_as_long_as_the_memory() -> None:
    text = "X: [[1]]\ncell: rnn\nW_ax: [[1], [1]]\nW_aa: [[1, 0], [0, 1]]\n"
    trace = trace_of(f"{text}initial_state: {{random: normal, seed: 3}}\n")
    assert trace["initial_state"].values.shape == (1, 2)


def test_gates_are_told_one_after_the_other_and_then_put_together() -> None:
    """Each with its matrices and its working below its name, in both cells and details."""
    for scenario, names in (
        (
            "yassine_lstm",
            {"Input gate (update)": "u", "Forget gate": "f", "Candidate": "c", "Output gate": "o"},
        ),
        ("yassine_gru", {"Reset gate": "r", "Update gate": "u", "Candidate": "c"}),
    ):
        for detail in ("full", "rows"):
            page = page_of(shipped_trace(scenario), width=100, detail=detail)
            section = page.partition("5 · Gates at step 1\n")[2].partition("6 · State")[0]
            starts = [section.index(f"\n{name}\n") for name in names]
            assert starts == sorted(starts)
            told = [section[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
            for text, letter in zip(told, names.values(), strict=True):
                tables = set(re.findall(r"(?<!\S)[Wb]_\w+(?= │)", text))
                assert tables == {f"W_{letter}x", f"W_{letter}a", f"b_{letter}"}
                gate = next(gate for gate, own in LETTERS.items() if own == letter)
                assert re.search(rf"^  z_{gate}\[1\] += ", text, re.MULTILINE)
                assert re.search(rf"^  {gate}\[1\] += ", text, re.MULTILINE)
            assert "in a row of their own" not in section


@pytest.mark.parametrize("time", [1, 2])
def test_what_an_lstm_puts_together_stands_in_a_table(time: int) -> None:
    trace = shipped_trace("yassine_lstm")
    page = page_of(trace, width=100).partition(f"State at step {time}\n")[2]
    lines = page.partition("Put together\n\n")[2].splitlines()
    columns = ("forget", "c before", "update", "candidate", "c", "output", "tanh(c)", "a")
    assert re.split(r"\s{2,}", lines[0].strip(" │")) == [*columns]
    gates = f"gates[{time}]."
    names = (
        f"{gates}forget", f"c[{time - 1}]", f"{gates}update", f"{gates}candidate", f"c[{time}]",
        f"{gates}output", f"tanh_c[{time}]", f"a[{time}]",
    )  # fmt: skip
    for k, line in enumerate(lines[2:4]):
        numbers = [float(text.replace("−", "-")) for text in line.partition("│")[2].split()]
        assert numbers == [pytest.approx(trace[name].values[k, 0]) for name in names]
        f, before, u, candidate, c, o, tanh_c, a = numbers
        assert c == pytest.approx(f * before + u * candidate, abs=6e-4)
        assert a == pytest.approx(o * tanh_c, abs=6e-4)
