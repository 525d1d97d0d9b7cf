"""Gradients through equations of a scenario's own: by differences, and by PyTorch's autograd."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import yaml

from attncli import ScenarioError, load, work
from attncli.maths.equations.language import Target, read_equation
from attncli.maths.notation import plain, unbreakable
from attncli.trace import Trace
from attncli.trace.slopes import checked
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, false_on_pages, lessons_of, page_of
from tests.steps.written.test_inside_a_model import GATED, LINEAR, RMS, TWO_HEADS
from tests.steps.written.test_published_methods import METHODS

Tensors = Mapping[str, Any]
EXACT = {"policy": "exact"}
OUTPUTS = {
    "additive_attention": ("alpha", "c", "s"),
    "contrastive_loss": ("loss",),
    "delta_rule": ("output",),
    "graph_attention": ("H_new",),
    "hopfield_retrieval": ("xi", "E", "E_before"),
    "linear_attention": ("output", "causal_output"),
    "retention": ("output", "recurrent_output"),
    "rwkv_time_mixing": ("output", "wkv_at_once"),
    "selective_state_space": ("y",),
    "sparsemax_attention": ("weights", "output"),
}
"""What the loss is the squares of, added up."""


def squares(names: dict[str, int]) -> list[str]:
    """Equations that add up the squares of arrays with so many sides."""
    cells = {0: "{0} ** 2", 1: "sum({0}[i1] ** 2 for i1)", 2: "sum({0}[i1, i2] ** 2 for i1 for i2)"}
    lines = [f"sum_{name} = {cells[sides].format(name)}" for name, sides in names.items()]
    return [*lines, f"squares = {' + '.join(f'sum_{name}' for name in names)}"]


def made_by(data: Mapping[str, Any]) -> dict[str, int]:
    """The names of all that a scenario makes, with how many sides each has."""
    texts = (text for step in data["steps"].values() for text in step["equations"])
    targets = (read_equation(text).target for text in texts)
    return {t.name: len(t.bounds) for t in targets if isinstance(t, Target)}


def method(name: str, outputs: tuple[str, ...] = (), **more: Any) -> Trace:
    """The trace of a method with the gradients of a loss; its numbers are moved from where something
    has a kink."""
    data = yaml.safe_load(SHIPPED[name])
    data.pop("show", None)
    draw = np.random.default_rng(1)
    for key, numbers in data["given"].items():
        if not key.startswith("A[node"):  # which edges there are
            moved = np.round(np.array(numbers) + draw.normal(size=np.shape(numbers)) / 20, 4)
            data["given"][key] = moved.tolist()
    sides = {key: count for key, count in made_by(data).items() if count < 3}
    sides = {key: sides[key] for key in outputs or sides}
    data["steps"]["add_up"] = {"output": "squares", "equations": squares(sides)}
    return work(load({"rounding": {"policy": "exact"}, "backward": True, **data, **more}))


def given_gradients(trace: Trace) -> set[str]:
    """The names of what is given and has a gradient."""
    return {name for name in trace.scenario.given.matrices if f"grad.{name}" in trace}


@sampled(5, name=METHODS)
def test_gradients_are_the_slopes(name: str) -> None:
    trace = method(name)
    found = [*checked(trace)]
    assert min(c.worst.digits for c in found) >= 4
    masks = {"A"} if name == "graph_attention" else set()
    assert given_gradients(trace) == {*trace.scenario.given.matrices} - masks


@pytest.mark.parametrize(
    "value",
    [
        "max(X[i, j] for j) * max(X[k, 1] for k)",
        "min(X[i, j] ** 2 for j)",
        "prod(X[i, j] for j)",
        "X[i, 1] ** X[i, 2]",
        "2 ** X[i, 1] + X[i, 2] ** 1.5 + X[i, 1] ** -2",
        "abs(X[i, 1] - X[i, 2])",
        "sum(ln(X[i, j]) for j if X[i, j] > 1)",
        "1 / X[i, 1] if X[i, 1] > 1 else sqrt(X[i, 2])",
        "mean(X[i, j] * j for j if j <= i) + i * X[2, 1]",
        "sum(X[i, j] * X[i, k] * (j - k) ** 2 for j for k)",
        "sum(softplus(X[i, j]) + sigmoid(X[i, j]) + relu(X[i, j] - 1) + erf(X[i, j]) for j)",
        "X[i, last] * X[last, 1] + min(X[i, 1], X[i, 2], 1)",
    ],
)
def test_every_function_has_a_slope(value: str) -> None:
    equations = [f"y[i in row] = {value}", "loss = sum(y[i] * i for i)"]
    given = {"X[row, column]": [[1.2, 0.7, 2.1], [0.4, 1.6, 0.9]]}
    trace = work(load({"given": given, "equations": equations, "backward": True}))
    found = [*checked(trace)]
    assert {c.gradient for c in found} >= {"grad.X", "grad.y"}
    assert min(c.worst.digits for c in found) >= 6


@pytest.mark.parametrize("along", ["i", "j"])
def test_softmax_and_layer_norm_have_slopes(along: str) -> None:
    equations = [
        f"p[i, j] = softmax(X[i, j] for {along} if i + j > 2)",
        "q[i, j] = 2 * layer_norm(X[i, j] * p[i, j] for j, 0.1)",
        "loss = sum(q[i, j] * p[i, j] * i * j for i for j)",
    ]
    given = {"X": [[1.2, 0.7, 2.1], [0.4, 1.6, 0.9], [0.3, 0.1, -0.5]]}
    trace = work(load({"given": given, "equations": equations, "backward": True}))
    assert min(c.worst.digits for c in checked(trace)) >= 5


GIVEN = {
    "x[n]": [1.2, 0.7, 2.1],
    "z[n]": [1.5, 0, -0.4],
    "g[n]": [1, 2, 0.5],
    "X[n, m]": [[1.2, 0, 2.1], [0, 0, 1.5], [0.4, -1.6, 0.9]],
    "b": 0,
    "c": 1.5,
}
OF_LISTS: Mapping[str, tuple[Sequence[str], str]] = {
    "layer_norm": (["y[i] = layer_norm(x[i] for i, 0.1)"], "norm(x, 0.1)"),
    "affine": (["y[i] = layer_norm(x[i] for i) * g[i] + z[i]"], "norm(x, 0) * g + z"),
    "softmax": (["y[i] = softmax(x[i] * g[i] for i if i < 3)"], "masked(x * g)"),
    "rms": (
        ["y[i] = x[i] / sqrt(mean(x[j] ** 2 for j)) * g[i]"],
        "x / (x**2).mean().sqrt() * g",
    ),
    "deviation": (
        ["mu = mean(x[i] for i)", "s = sqrt(mean((x[i] - mu) ** 2 for i))", "y[i] = x[i] * s"],
        "x * x.std(correction=0)",
    ),
    "mixed": (
        [
            "a[i] = x[i] / sqrt(mean(x[j] ** 2 for j)) * g[i]",
            "p[i] = 2 * layer_norm(x[i] * a[i] for i, 0.1) + a[i] + softmax(x[i] for i)",
            "y[i] = softmax(p[i] for i) * layer_norm(p[i] for i, 1)",
        ],
        "mixed(x / (x**2).mean().sqrt() * g)",
    ),
    "beside a matrix": (
        [
            "Y[i, j] = layer_norm(x[i] for i, 0.1) * X[i, j] * softmax(g[j] for j)",
            "y[i] = sum(Y[i, j] for j)",
        ],
        "(norm(x, 0.1)[:, None] * X * g.softmax(0)).sum(1)",
    ),
    "others": (["y[i in n] = prod(z[j] for j if j != i)"], "z[[1, 2, 0]] * z[[2, 0, 1]]"),
    "product": (["y[i] = prod(X[i, j] for j) * i"], "X.prod(1) * places"),
    "products": (
        [
            "y[i in n] = prod(2 * X[i, j] for j if j < 3) + prod(X[k, j] + k for k for j if k + j > 2)"
        ],
        "(2 * X[:, :2]).prod(1) + (X + places[:, None]).flatten()[1:].prod()",
    ),
    "decay": (
        ["y[i in n] = sum(b ** (i - j) * x[j] for j if j <= i)"],
        "(b ** (places[:, None] - places).clamp(min=0)).tril() @ x",
    ),
    "powers": (
        ["y[i in n] = b ** c + b ** (i - 1) * c ** i + z[i] ** i + z[i] ** 0 * x[i]"],
        "b**c + b ** (places - 1) * c**places + z**places + x",
    ),
}
"""Equations of lists, each with the same of PyTorch."""


def of_list(name: str) -> Trace:
    """The trace of such equations, with the gradients of squares added up."""
    equations = [*OF_LISTS[name][0], "loss = sum((y[i] + i) ** 2 for i)"]
    read = " ".join(OF_LISTS[name][0])
    given = {key: of for key, of in GIVEN.items() if re.search(rf"\b{key[0]}\b", read)}
    given |= {"x[n]": GIVEN["x[n]"]}
    return work(load({"given": given, "equations": equations, "backward": True, "rounding": EXACT}))


AT_ZEROS = ("others", "product", "products", "decay", "powers")


@pytest.mark.parametrize("name", [name for name in OF_LISTS if name not in AT_ZEROS])
def test_functions_of_lists_have_slopes(name: str) -> None:
    found = [*checked(of_list(name))]
    assert "grad.x" in {c.gradient for c in found}
    assert min(c.worst.digits for c in found) >= 5


@pytest.mark.real("torch")
@pytest.mark.parametrize("name", OF_LISTS)
def test_gradients_of_lists_are_those_of_pytorch(name: str) -> None:
    import torch

    trace = of_list(name)
    p: dict[str, Any] = {
        key[0]: torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
        for key, numbers in GIVEN.items()
    }
    x, places = p["x"], torch.arange(1, 4)

    def norm(x: Any, epsilon: float) -> Any:
        return torch.nn.functional.layer_norm(x, (3,), eps=epsilon)

    def mixed(a: Any) -> Any:
        y = 2 * norm(x * a, 0.1) + a + x.softmax(0)
        return y.softmax(0) * norm(y, 1)

    def masked(x: Any) -> Any:
        return torch.where(places < 3, x, -torch.inf).softmax(0)

    own = {"norm": norm, "mixed": mixed, "masked": masked, "places": places}
    y = eval(OF_LISTS[name][1], {}, {**p, **own})
    ((y + places) ** 2).sum().backward()
    np.testing.assert_allclose(trace["y"].values.ravel(), y.detach(), rtol=1e-9)
    for key, tensor in p.items():
        if tensor.grad is not None:
            ours = trace[f"grad.{key}"].values
            theirs = tensor.grad.reshape(ours.shape)
            np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-9, err_msg=key)


def test_a_slope_of_a_product_doesnt_divide() -> None:
    """Where a factor or a base is 0, the slopes are those of the other factors and of the power."""
    assert of_list("others")["grad.z"].values.ravel() == pytest.approx([-1.12, 8.2, 4.2])
    decay = of_list("decay")
    assert decay["grad.b"].values.item() == pytest.approx(2 * (2.7 * 1.2 + 5.1 * 0.7))
    powers = of_list("powers")
    assert powers["grad.z"].values.ravel() == pytest.approx(
        [2 * (1 + 1.5 + 1.5 + 1.2), 0, 3 * 0.16 * 2 * (3 - 0.064 + 2.1)]
    )
    for trace in map(of_list, AT_ZEROS):
        assert false_on_pages(trace) == []


@pytest.mark.parametrize(
    ("equation", "says"),
    [
        ("y[i] = sqrt(z[i])", "equations[1]: grad.z: 0 to divide by"),
        ("y[i] = z[i] ** x[i] + z[i] ** 0.5", "equations[1]: grad.z: 0 to the power of −0.5"),
        ("y[i] = z[i] ** (x[i] * z[i])", "equations[1]: grad.z: ln of 0"),
    ],
)
def test_what_has_no_slope_says_where(equation: str, says: str) -> None:
    given = {"x": [2, 3], "z": [1, 0]}
    equations = [equation, "loss = sum(y[i] for i)"]
    with pytest.raises(ScenarioError, match=re.escape(says)):
        work(load({"given": given, "equations": equations, "backward": True}))


@pytest.mark.parametrize(
    ("steps", "given"),
    [
        (LINEAR, {}),
        (RMS, {"gamma": [1, 2]}),
        (
            GATED,
            {
                "W_gate": [[1, 0, 1], [0, 1, -1]],
                "W_up": [[1, 1, 0], [0, 1, 1]],
                "W_down": [[1, 0], [0, 1], [1, 1]],
            },
        ),
    ],
    ids=["linear", "rms", "gated"],
)
def test_gradients_go_back_through_own_steps_of_a_model(
    steps: dict[str, Any], given: dict[str, Any]
) -> None:
    model = {**TWO_HEADS, "targets": [[1, 2], [0, 1], [3, 1]], "loss": "mse", "steps": steps}
    model = {**model, "X": [[1.1, 0.2], [0.1, 0.9], [1.3, 0.8]], "backward": True}
    if steps is GATED:
        model = {key: value for key, value in model.items() if key not in ("W1", "W2")}
    trace = work(load({**model, **({"given": given} if given else {})}))
    assert min(c.worst.digits for c in checked(trace)) >= 5
    assert given_gradients(trace) >= {"X", "W_Q", "W_K", "W_V", *given} - {"W_Q", "W_K"}
    assert {"grad.W_Q", "grad.heads[2].V"} <= {*trace}


def test_training_makes_an_own_loss_smaller() -> None:
    trace = method("contrastive_loss", ("loss",), train={"learning_rate": "0.1", "steps": 3})
    names = ("squares", *(f"train[{k}].squares" for k in (1, 2, 3)))
    losses = [trace[name].values.item() for name in names]
    assert losses == sorted(losses, reverse=True)
    W = trace["W_i"].values - 0.1 * trace["grad.W_i"].values
    np.testing.assert_allclose(trace["update.W_i"].values, W, rtol=1e-12)


def test_training_through_an_own_step_of_a_model() -> None:
    model = {**TWO_HEADS, "targets": [[1, 2], [0, 1], [3, 1]], "loss": "mse", "steps": LINEAR}
    trace = work(load({**model, "train": {"learning_rate": "0.01", "steps": 2}}))
    losses = [trace[name].values.item() for name in ("mse", "train[1].mse", "train[2].mse")]
    assert losses == sorted(losses, reverse=True)


@sampled(3, name=["linear_attention", "graph_attention", "selective_state_space"])
def test_pages_of_gradients_print_what_is_true(name: str) -> None:
    rounding = {"policy": "carry", "decimals": 3}
    assert false_on_pages(method(name, OUTPUTS[name], rounding=rounding)) == []


def test_a_maximum_may_begin_below_everything() -> None:
    """The running maximum of an online softmax, from −∞ on, has the softmax's gradients."""
    x, v = np.array([0.0, 2, -1, 1]), np.array([1.0, 2, 3, 4])
    over = {
        "over": "t",
        "start": {"m": "-inf", "l": 0, "o": 0},
        "equations": [
            "m[t] = max(m[t - 1], x[t])",
            "l[t] = l[t - 1] * exp(m[t - 1] - m[t]) + exp(x[t] - m[t])",
            "o[t] = o[t - 1] * exp(m[t - 1] - m[t]) + exp(x[t] - m[t]) * v[t]",
        ],
    }
    steps = {"a": over, "b": {"equations": ["loss = o[last] / l[last]"]}}
    given = {"x": x.tolist(), "v": v.tolist()}
    trace = work(load({"given": given, "steps": steps, "backward": True, "rounding": EXACT}))
    weights = np.exp(x) / np.exp(x).sum()
    assert np.allclose(trace["loss"].values, weights @ v)
    assert np.allclose(trace["grad.x"].values, weights * (v - weights @ v))


def test_choices_are_told_by_what_they_compare() -> None:
    equations = ["y[i in row] = max(X[i, j] for j if j < 3) * X[2, 1]", "loss = sum(y[i] for i)"]
    given = {"X[row, column]": [[1.2, 0.7, 2.1], [0.4, 1.6, 0.9]]}
    trace = work(load({"given": given, "equations": equations, "backward": True}))
    formulas = {
        str(d.name): unbreakable(plain(d.operation.formula(d.name, *d.operands)))
        for part in trace.story
        for d in part.definitions
    }
    assert formulas["grad.X.y[2]"] == (
        "grad.X.y[2][i, j] = Σ_k grad.y[k] × max_{l: l < 3}(X[k, l]) where j = 1 and i = 2, otherwise 0"
    )
    assert all("step" not in formula for formula in formulas.values())


HALVES = [
    "a[i in token, j in half] = i * theta[j]",
    "Y[i, j in half] = X[i, j] * cos(a[i, j]) - X[i, j + half] * sin(a[i, j])",
    "h[i, j] = sum(X[i, k] * W[k, j] for k)",
    "swiglu[i, j in d_ff] = h[i, j] * sigmoid(h[i, j]) * h[i, j + d_ff] + W[1, j + 1]",
    "loss = sum(swiglu[i, j] ** 2 for i for j) + sum(Y[i, k] ** 2 for i for k)",
]


def test_half_of_the_columns_is_taken() -> None:
    """Of a rotation by halves, and of a gated unit with one matrix."""
    X = np.array([[1.0, 2, 0.5, -1], [0.3, 0.2, 1, 0.1]])
    W, theta = np.arange(16).reshape(4, 4) / 10 - 0.5, np.array([0.5, 1])
    given = {"X[token, d]": X.tolist(), "theta": theta.tolist(), "W[d, both]": W.tolist()}
    data = {"given": given, "sizes": {"half": 2, "d_ff": 2}, "equations": HALVES}
    trace = work(load({**data, "backward": True, "rounding": EXACT}))
    a, h = np.array([[1], [2]]) * theta, X @ W
    np.testing.assert_allclose(trace["Y"].values, X[:, :2] * np.cos(a) - X[:, 2:] * np.sin(a))
    gated = h[:, :2] / (1 + np.exp(-h[:, :2])) * h[:, 2:] + W[0, 1:3]
    np.testing.assert_allclose(trace["swiglu"].values, gated)
    assert given_gradients(trace) == {"X", "W", "theta"}
    assert min(c.worst.digits for c in checked(trace)) >= 6
    assert false_on_pages(trace) == []
    page = page_of(trace)
    assert "X[i, j + half] × sin" in page
    assert "count." not in page


def test_a_list_has_one_index_and_one_shape() -> None:
    """Whether it is given or made, lies or stands."""
    trace = of_list("mixed")
    formulas = [
        unbreakable(plain(d.operation.formula(d.name, *d.operands)))
        for part in trace.story
        for d in part.definitions
    ]
    softmax = "grad.x.p_softmax[j] = p_softmax[j] × (grad.p_softmax[j] − Σ_k grad.p_softmax[k] × p_softmax[k])"
    assert softmax in formulas
    assert not [formula for formula in formulas if "[i, " in formula]
    pages = (page_of(trace), lessons_of(trace))
    assert not [page for page in pages if "[1, 3]" in page]
    assert "x [3], g [3] → a [3], p_layer_norm_in [3], p_layer_norm_mean [1]" in re.sub(
        r"\s+", " ", pages[1]
    )


@pytest.mark.parametrize(
    ("equations", "says"),
    [
        (["y[i] = X[i, 1]"], "gradients are those of one number, and y is several"),
        (["y = sum(X[i, 1] for i)", "z[i] = X[i, 1] * y"], "and z is several"),
    ],
)
def test_loss_is_one_number(equations: list[str], says: str) -> None:
    with pytest.raises(ScenarioError, match=says):
        load({"given": {"X": [[1, 2], [3, 4]]}, "equations": equations, "backward": True})


# -- by PyTorch ------------------------------------------------------------------------------------


def additive(p: Tensors, torch: Any) -> dict[str, Any]:
    Uh, s, found = p["h"] @ p["U_a"].T, p["s_0"], []
    for y in p["y_before"]:
        alpha = (torch.tanh(s @ p["W_a"].T + Uh) @ p["v_a"]).softmax(0)
        c = alpha @ p["h"]
        s = torch.tanh(p["W_s"] @ s + p["W_y"] @ y + p["W_c"] @ c)
        found.append((alpha, c, s))
    return dict(zip(("alpha", "c", "s"), map(torch.stack, zip(*found, strict=True)), strict=True))


def contrastive(p: Tensors, torch: Any) -> dict[str, Any]:
    normal, right = torch.nn.functional.normalize, torch.arange(3)
    logits = normal(p["I_f"] @ p["W_i"]) @ normal(p["T_f"] @ p["W_t"]).T * p["t"].exp()
    losses = (torch.nn.functional.cross_entropy(x, right) for x in (logits, logits.T))
    return {"loss": sum(losses) / 2}


def delta(p: Tensors, torch: Any) -> dict[str, Any]:
    X, found = p["X"], []
    k = torch.nn.functional.normalize(X @ p["W_k"])
    beta, S = torch.sigmoid(X @ p["w_beta"] + p["b_beta"]), torch.zeros(2, 2).double()
    for t in range(3):
        v = X[t] @ p["W_v"]
        S = S + beta[t] * torch.outer(v - S @ k[t], k[t])
        found.append(S @ (X[t] @ p["W_q"]))
    return {"output": torch.stack(found)}


def graph(p: Tensors, torch: Any) -> dict[str, Any]:
    Wh = p["H"] @ p["W"]
    e = torch.nn.functional.leaky_relu((Wh @ p["a_self"])[:, None] + Wh @ p["a_other"], 0.2)
    alpha = e.masked_fill(p["A"] != 1, -torch.inf).softmax(1)
    return {"H_new": torch.nn.functional.elu(alpha @ Wh)}


def hopfield(p: Tensors, torch: Any) -> dict[str, Any]:
    X, beta, xi, states = p["X"], p["beta"], p["query"], []
    for _ in range(2):
        xi = (beta * X @ xi).softmax(0) @ X
        states.append(xi)
    rest = np.log(3) / beta + X.norm(dim=1).max() ** 2 / 2

    def energy(x: Any) -> Any:
        return -torch.logsumexp(beta * X @ x, 0) / beta + x @ x / 2 + rest

    E = torch.stack([energy(x) for x in states])
    return {"xi": torch.stack(states), "E": E, "E_before": energy(p["query"])}


def linear(p: Tensors, torch: Any) -> dict[str, Any]:
    Q, K = (torch.nn.functional.elu(p["X"] @ p[W]) + 1 for W in ("W_Q", "W_K"))
    V, similar = p["X"] @ p["W_V"], Q @ K.T
    outputs = (x @ V / x.sum(1, keepdim=True) for x in (similar, similar.tril()))
    return dict(zip(("output", "causal_output"), outputs, strict=True))


def retention(p: Tensors, torch: Any) -> dict[str, Any]:
    Q, K, V = (p["X"] @ p[W] for W in ("W_Q", "W_K", "W_V"))
    far = torch.arange(3)[:, None] - torch.arange(3)
    output = (Q @ K.T * (p["gamma"] ** far.clamp(min=0)).tril()) @ V
    return {"output": output, "recurrent_output": output}


def rwkv(p: Tensors, torch: Any) -> dict[str, Any]:
    X = p["X"]
    before = torch.cat([torch.zeros(1, 2).double(), X[:-1]])
    x = {n: p[f"mu_{n}"] * X + (1 - p[f"mu_{n}"]) * before for n in "rkv"}
    r, key, value = (x[n] @ p[f"W_{n}"].T for n in "rkv")
    rows = []
    for t in range(3):
        far = torch.arange(t - 1, -1, -1)[:, None]
        share = torch.cat([(key[:t] - far * p["w"]).exp(), (p["u"] + key[t]).exp()[None]])
        rows.append((share * value[: t + 1]).sum(0) / share.sum(0))
    wkv = torch.stack(rows)
    return {"output": (torch.sigmoid(r) * wkv) @ p["W_o"].T, "wkv_at_once": wkv}


def selective(p: Tensors, torch: Any) -> dict[str, Any]:
    X, A = p["X"], p["A"]
    Delta = torch.nn.functional.softplus((X @ p["w_Delta"])[:, None] + p["b_Delta"])
    B, C, h, rows = X @ p["W_B"], X @ p["W_C"], torch.zeros(2, 2).double(), []
    for t in range(3):
        A_bar = (Delta[t][:, None] * A).exp()
        h = A_bar * h + (A_bar - 1) / A * B[t] * X[t][:, None]
        rows.append(h @ C[t])
    return {"y": torch.stack(rows)}


def sparsemax(p: Tensors, torch: Any) -> dict[str, Any]:
    z = p["Q"] @ p["K"].T / np.sqrt(2)
    ordered = z.sort(dim=1, descending=True).values
    ranks = torch.arange(1, 4)
    size = (1 + ranks * ordered > ordered.cumsum(1)).sum(1, keepdim=True)
    tau = (ordered.cumsum(1).gather(1, size - 1) - 1) / size
    weights = (z - tau).clamp(min=0)
    return {"weights": weights, "output": weights @ p["V"]}


IN_TORCH: Mapping[str, Callable[[Tensors, Any], dict[str, Any]]] = {
    "additive_attention": additive,
    "contrastive_loss": contrastive,
    "delta_rule": delta,
    "graph_attention": graph,
    "hopfield_retrieval": hopfield,
    "linear_attention": linear,
    "retention": retention,
    "rwkv_time_mixing": rwkv,
    "selective_state_space": selective,
    "sparsemax_attention": sparsemax,
}


@pytest.mark.real("torch")
@pytest.mark.parametrize("name", METHODS)
def test_gradients_are_those_of_pytorch(name: str) -> None:
    import torch

    trace = method(name, OUTPUTS[name])
    sides = trace.scenario.plan.written.sides
    p: dict[str, Any] = {
        key: torch.tensor(
            matrix.values.reshape(matrix.shape[2 - len(sides[key]) :]), requires_grad=True
        )
        for key, matrix in trace.scenario.given.matrices.items()
    }
    made = IN_TORCH[name](p, torch)
    assert made.keys() == {*OUTPUTS[name]}
    for key, tensor in made.items():
        ours = trace[key].values
        np.testing.assert_allclose(ours, tensor.detach().reshape(ours.shape), rtol=1e-9)
    sum((x**2).sum() for x in made.values()).backward()
    for key, tensor in p.items():
        if tensor.grad is not None:
            ours = trace[f"grad.{key}"].values
            theirs = tensor.grad.reshape(ours.shape)
            np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10, err_msg=key)
    assert given_gradients(trace) == {key for key, tensor in p.items() if tensor.grad is not None}
