"""Gradients through recurrent cells, beside PyTorch's autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, Trace, load, work
from attncli.trace import GRADIENTS
from tests.conftest import sampled
from tests.helpers.pages import page_of, shipped_trace
from tests.helpers.recurrent_cases import CELLS, ORDERS, Network, module_of, network, restated

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.real("torch")
functional: Any = torch.nn.functional
EXACT = {"rounding": {"policy": "exact"}, "backward": True}
NOTHING = np.zeros((1, 1))


def close(ours: Any, theirs: Any, name: str) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10, err_msg=name)


def gradients(net: Network, targets: Any) -> tuple[float, dict[str, Any]]:
    """The mean squared error of the states, and its gradients by the names of layers, ways and
    PyTorch's matrices; that of X, too."""
    module, back = module_of(net, either=True), net.direction == "backward"
    flat = [way for layer in net.layers for way in layer]
    keys = [key for key in ("initial_state", "initial_cell") if key in flat[0]]
    starts = [
        torch.tensor(np.array([way[key] for way in flat]), requires_grad=True) for key in keys
    ]
    X = torch.tensor(net.X, requires_grad=True)
    states, _ = module(X.flip(0) if back else X, tuple(starts) if starts[1:] else starts[0])
    loss = functional.mse_loss(states.flip(0) if back else states, torch.tensor(targets))
    loss.backward()
    found = {"X": X.grad.numpy()}
    ways = 2 if net.direction == "both" else 1
    for key, start in zip(keys, starts, strict=True):
        for k, row in enumerate(start.grad.numpy()):
            found[place(net, k // ways, k % ways) + key] = row[None]
    for name, parameter in module.named_parameters():
        kind, part, level, *reverse = name.split("_")
        stored = f"{kind[0].replace('w', 'W')}_{part}"
        found[place(net, int(level[1:]), len(reverse)) + stored] = np.atleast_2d(
            parameter.grad.numpy()
        )
    return loss.item(), found


def place(net: Network, layer: int, way: int) -> str:
    several = f"layers[{layer + 1}]." if len(net.layers) > 1 else ""
    return several + ("backward." if way else "")


def asked(data: dict[str, Any], targets: Any) -> Trace:
    """The scenario with its way back; `backward` at the top would be the cell's other way."""
    if "backward" in data:
        data = {"X": data.pop("X"), "layers": [data]}
    return work(load({**data, "targets": targets, **EXACT}))


BOTH_WAYS: dict[str, Any] = {
    "sentence": "a b", "embeddings": {"a": [1, 0], "b": [0, 1]}, "cell": "rnn", "direction": "both",
    "W_ax": [[1, 0]], "W_aa": [[2]], "backward": {"W_ax": [[0, 1]], "W_aa": [[1]]},
    "targets": [[1, 0], [0, 1]],
}  # fmt: skip


def test_a_cell_that_goes_both_ways_has_gradients_without_layers_around_it() -> None:
    """`backward` has its matrices then; a training of no steps stops at the gradients."""
    alone = {name: BOTH_WAYS[name] for name in ("sentence", "embeddings", "targets")}
    cell = {name: value for name, value in BOTH_WAYS.items() if name not in alone}
    inside = work(load({**alone, "layers": [cell], "backward": True}))
    trace = work(load({**BOTH_WAYS, "train": {"steps": 0}}))
    assert {*map(str, ours(trace))} == {
        "embeddings",
        "W_ax",
        "W_aa",
        "backward.W_ax",
        "backward.W_aa",
    }
    assert {name: trace[name].values.tolist() for name in trace} == {
        name: inside[name].values.tolist() for name in inside
    }
    assert not [name for name in trace if name.startswith(("update", "train"))]
    assert "not used" not in page_of(trace)


def test_what_backward_can_not_say_beside_a_cell_that_goes_both_ways_is_told() -> None:
    with pytest.raises(
        ScenarioError, match=r"backward: no matrices of the way .* train: {steps: 0}"
    ):
        load({**BOTH_WAYS, "backward": True})


def test_no_steps_of_a_training_are_its_gradients() -> None:
    text = "train={optimizer: adam, learning_rate: 0.1, of: [W_Q], steps: 0}"
    trace = work(load("learning_to_attend", [text]))
    plain = work(load("learning_to_attend", ["train.steps=1"]))
    gradients = {name for name in plain if name.startswith("grad.")}
    assert gradients <= {name for name in trace if name.startswith("grad.")}
    assert not [name for name in trace if name.startswith(("update", "train"))]


def ours(trace: Trace) -> dict[str, Any]:
    names = [
        name for name in trace.scenario.given.matrices if name.under(GRADIENTS) in trace.quantities
    ]
    return {str(name): trace[str(name.under(GRADIENTS))].values for name in names}


def targets_of(net: Network, rng: np.random.Generator) -> Any:
    return rng.normal(size=(len(net.X), net.size * len(net.layers[0])))


@sampled(12, cell=CELLS, seed=range(60))
def test_stacked_matrices_have_the_gradients_of_torch(cell: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *cell.encode()])
    net = network(rng, cell)
    targets = targets_of(net, rng)
    loss, expected = gradients(net, targets)
    data = restated(net, "torch", rng)
    order = data.get("gate_order") or data.get("layers", [data])[0].get("gate_order")
    trace = asked(data, targets)
    assert trace["mse"].values[0, 0] == pytest.approx(loss, abs=1e-12)
    found = ours(trace)
    assert set(found) <= set(expected)
    assert {"X"} < set(found)
    for name, values in found.items():
        close(values, reordered(net, name, expected[name], order), name)


def reordered(net: Network, name: str, values: Any, order: list[str] | None) -> Any:
    """The runs of a stacked matrix in the order that the scenario says."""
    local = name.rpartition(".")[2]
    if order is None or local not in ("W_ih", "W_hh", "b_ih", "b_hh"):
        return values
    axis = 0 if local[0] == "W" else 1
    usual = list(ORDERS[net.cell].values())
    runs = dict(zip(usual, np.split(values, len(usual), axis=axis), strict=True))
    return np.concatenate([runs[gate] for gate in order], axis=axis)


@sampled(37, cell=CELLS, seed=range(60), layout=["linear", "row"])
def test_single_matrices_have_the_gradients_of_torch(cell: str, seed: int, layout: str) -> None:
    rng = np.random.default_rng([seed, 1, *cell.encode()])
    net = network(rng, cell)
    if cell == "gru":
        for way in (way for layer in net.layers for way in layer):
            way["b_hh"][2 * net.size :] = 0  # what these layouts can't say
    targets = targets_of(net, rng)
    _, expected = gradients(net, targets)
    trace = asked(restated(net, layout, rng), targets)
    found = ours(trace)
    assert {"X"} < set(found)
    for name, values in found.items():
        close(values, single(net, name, expected, layout), name)


def single(net: Network, name: str, expected: dict[str, Any], layout: str) -> Any:
    """PyTorch's gradient of one gate's matrix or bias."""
    path, _, local = name.rpartition(".")
    prefix = f"{path}." if path else ""
    if local == "X" or local.startswith("initial"):
        return expected[prefix + local]
    letter, letters = local[2], list(ORDERS[net.cell])
    stored = "b_ih" if local[0] == "b" else "W_ih" if local.endswith("x") else "W_hh"
    axis = 1 if local[0] == "b" else 0
    run = np.split(expected[prefix + stored], len(letters), axis=axis)[letters.index(letter)]
    return run.T if layout == "row" and local[0] == "W" else run


def test_every_state_has_the_gradient_of_torch() -> None:
    """Of a plain cell, a gated one with a cell state, and one that blends; by hand in PyTorch."""
    rng = np.random.default_rng(4)
    X, targets = rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
    for kind, letters in (("rnn", "a"), ("lstm", "ufco"), ("gru", "ruc")):
        W = {f"W_{g}x": rng.normal(size=(3, 2)) for g in letters}
        W |= {f"W_{g}a": rng.normal(size=(3, 3)) for g in letters}
        W |= {"initial_state": rng.normal(size=3)}
        trace = work(load({"X": X, "cell": kind, **W, "targets": targets, **EXACT}))
        p = {name: torch.tensor(values) for name, values in W.items()}
        for name, state in by_hand(kind, torch.tensor(X), p, torch.tensor(targets)).items():
            close(trace[f"grad.{name}"].values[:, 0], state.grad.numpy(), name)


def by_hand(kind: str, X: Any, p: dict[str, Any], targets: Any) -> dict[str, Any]:
    a, c, found = p["initial_state"], torch.zeros(3, dtype=torch.float64), {}
    rows = []

    def gate(letter: str, x: Any, a: Any) -> Any:
        return p[f"W_{letter}x"] @ x + p[f"W_{letter}a"] @ a

    for t, x in enumerate(X, 1):
        if kind == "rnn":
            a = gate("a", x, a).tanh()
        elif kind == "lstm":
            u, f, o = (gate(letter, x, a).sigmoid() for letter in "ufo")
            c = u * gate("c", x, a).tanh() + f * c
            c = kept(c)
            found[f"c[{t}]"] = c
            a = o * c.tanh()
        else:
            r, u = (gate(letter, x, a).sigmoid() for letter in "ru")
            a = u * (p["W_cx"] @ x + p["W_ca"] @ (r * a)).tanh() + (1 - u) * a
        a = kept(a)
        found[f"a[{t}]"] = a
        rows.append(a)
    functional.mse_loss(torch.stack(rows), targets).backward()
    return found


def kept(x: Any) -> Any:
    x = x if x.requires_grad else x.clone().requires_grad_()
    x.retain_grad()
    return x


def test_through_time_what_is_used_several_times_is_added_on_the_page() -> None:
    trace = work(load("yassine_rnn_sentence", ["targets=[[1], [0], [0], [1]]", "backward=true"]))
    parts = [trace[f"grad.W_aa.aa[{t}]"].values for t in range(1, 5)]
    np.testing.assert_allclose(trace["grad.W_aa"].values, sum(parts), atol=1e-12)


@pytest.mark.parametrize(("variant", "clip"), [(None, None), (None, 1), ("exploding", 1)])
def test_the_way_back_of_the_shipped_cell(variant: str | None, clip: int | None) -> None:
    """Its gradients, how they vanish or explode, and an update, beside PyTorch's; that of the
    variant is clipped by what the scenario says."""
    learning = f"train={{learning_rate: 0.1{f', clip: {clip}' if clip else ''}}}"
    trace = work(load("rnn_backward_through_time", [learning, "rounding.policy=exact"]))
    trace = trace.variants[variant] if variant else trace
    names = ("embeddings", "W_ax", "W_aa", "W_ya", "b_y")
    given = {name: torch.tensor(trace[name].values, requires_grad=True) for name in names}
    state, states = torch.zeros(3, 1), []
    for x in given["embeddings"]:  # each token stands once, in the order of the table
        state = kept(torch.tanh(given["W_ax"] @ x[:, None] + given["W_aa"] @ state.double()))
        states.append(state)
    logit = (given["W_ya"] @ state + given["b_y"]).squeeze()
    functional.binary_cross_entropy_with_logits(logit, torch.zeros(()).double()).backward()
    for name, value in given.items():
        close(trace[f"grad.{name}"].values, value.grad.numpy(), name)
    for t, value in enumerate(states, 1):
        close(trace[f"grad.a[{t}]"].values, value.grad.numpy(), f"a[{t}]")
    sizes = [value.grad.norm().item() for value in states]
    assert sorted(sizes, reverse=bool(variant)) == sizes
    if clip:
        torch.nn.utils.clip_grad_norm_(list(given.values()), clip)
    torch.optim.SGD(list(given.values()), lr=0.1).step()
    for name, value in given.items():
        close(trace[f"update.{name}"].values, value.detach().numpy(), name)


def test_a_page_back_through_time_tells_each_number_once() -> None:
    page = page_of(shipped_trace("rnn_backward_through_time"), detail="rows")
    assert "  grad.z[4]    = [0.3110, −0.0209, 0.1069]\n\n" in page  # and not again as ax and aa
    assert "0.1069 × [0.0287, 0.4220, 0.4752]" in page
    assert "  grad.b_y      = [0.7145]\n" in page
    assert "grad.X.x[4] │" not in page  # one row, and zeros
    whole = page_of(shipped_trace("rnn_backward_through_time"), detail="full")
    assert "grad.aa[4][3] =  0.1069" in whole
    assert "grad.X.x[4] │" in whole
