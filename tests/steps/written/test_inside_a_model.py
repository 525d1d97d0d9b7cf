"""Steps that a scenario writes itself for its model: linear attention, masks, norms, gated units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.maths.numbers.rounding import Array
from attncli.trace import Trace
from tests.helpers.pages import false_on_pages

X = np.array([[1.0, 0], [0, 1], [1, 1]])
W_Q, W_K, W_V = np.array([[[1.0, 0], [0, 1]], [[1, 1], [0, 1]], [[1, 2], [2, 1]]])
W_O = np.array([[1.0, 0], [1, 1]])
W1, W2 = np.array([[[1.0, -1], [1, 1]], [[1, 0], [0, 1]]])
MODEL: dict[str, Any] = {
    "sentence": "I love AI",
    "X": X.tolist(),
    "W_Q": W_Q.tolist(),
    "W_K": W_K.tolist(),
    "W_V": W_V.tolist(),
    "scale": "none",
    "W1": W1.tolist(),
    "W2": W2.tolist(),
    "rounding": {"policy": "exact"},
}
TWO_HEADS = {**MODEL, "heads": 2, "W_O": W_O.tolist()}
LINEAR = {
    "features": {
        "instead_of": "scores to weighted_sum",
        "equations": [
            "phi(x) = x + 1 if x > 0 else exp(x)",
            "phi_Q[i, j] = phi(Q[i, j])",
            "phi_K[i, j] = phi(K[i, j])",
        ],
    },
    "read": {
        "output": "mixed",
        "equations": [
            "S[k, j] = sum(phi_K[i, k] * V[i, j] for i)",
            "z[k] = sum(phi_K[i, k] for i)",
            "mixed[i, j] = sum(phi_Q[i, k] * S[k, j] for k) / sum(phi_Q[i, k] * z[k] for k)",
        ],
    },
}
WINDOW = {
    "window": {
        "before": "softmax",
        "output": "seen",
        "equations": ["seen[i, j] = x[i, j] if j <= i and i - j < 2 else -1000"],
    }
}
RMS = {
    "rms": {
        "after": "merge",
        "output": "normed",
        "equations": [
            "rms[i] = sqrt(sum(x[i, k] ** 2 for k) / d_model)",
            "normed[i, j] = x[i, j] / rms[i] * gamma[j]",
        ],
    }
}
GATED = {
    "gated": {
        "instead_of": "ffn",
        "equations": [
            "gate[i, j] = sum(x[i, k] * W_gate[k, j] for k)",
            "up[i, j] = sum(x[i, k] * W_up[k, j] for k)",
            "product[i, j] = gate[i, j] * sigmoid(gate[i, j]) * up[i, j]",
            "down[i, j] = sum(product[i, k] * W_down[k, j] for k)",
        ],
    }
}


def worked(steps: dict[str, Any], model: dict[str, Any] = MODEL, **more: Any) -> Trace:
    return work(load({**model, "steps": steps, **more}))


def softmax(x: Array) -> Array:
    e = np.exp(x)
    shares: Array = e / e.sum(axis=1, keepdims=True)
    return shares


def attention(head: int) -> Array:
    """Returns the output of a head of two."""
    Q, K, V = (X @ W[:, [head]] for W in (W_Q, W_K, W_V))
    output: Array = softmax(Q @ K.T) @ V
    return output


def ffn(x: Array) -> Array:
    out: Array = np.maximum(x @ W1, 0) @ W2
    return out


def test_linear_attention_in_two_heads() -> None:
    trace = worked(LINEAR, TWO_HEADS)
    outputs = []
    for head in (0, 1):
        Q, K, V = (X @ W[:, [head]] for W in (W_Q, W_K, W_V))
        Q, K = (np.where(x > 0, x + 1, np.exp(x)) for x in (Q, K))
        outputs.append(Q @ (K.T @ V) / (Q @ K.sum(axis=0)[:, None]))
        own = trace[f"heads[{head + 1}].mixed"]
        np.testing.assert_allclose(own.values, outputs[-1], rtol=1e-12)
        assert own.rows.names == ("I", "love", "AI")
    mixed = np.hstack(outputs) @ W_O
    np.testing.assert_allclose(trace["attention"].values, mixed, rtol=1e-12)
    np.testing.assert_allclose(trace["ffn"].values, ffn(mixed), rtol=1e-12)
    assert not any(name in trace for name in ("heads[1].scores", "heads[1].weights"))


def test_mask_before_the_softmax() -> None:
    trace = worked(WINDOW)
    Q, K, V = (X @ W for W in (W_Q, W_K, W_V))
    i, j = np.indices((3, 3))
    weights = softmax(np.where((j <= i) & (i - j < 2), Q @ K.T, -1000))
    np.testing.assert_allclose(trace["weights"].values, weights, atol=1e-12)
    np.testing.assert_allclose(trace["ffn"].values, ffn(weights @ V), rtol=1e-12)
    assert trace["seen"].rows.role == "Q"
    assert trace["seen"].columns.role == "K"


def test_norm_behind_the_heads() -> None:
    gamma = np.array([1.0, 2])
    trace = worked(RMS, TWO_HEADS, given={"gamma[d_model]": gamma.tolist()})
    x = np.hstack([attention(0), attention(1)]) @ W_O
    normed = x / np.sqrt((x**2).mean(axis=1, keepdims=True)) * gamma
    np.testing.assert_allclose(trace["normed"].values, normed, rtol=1e-12)
    np.testing.assert_allclose(trace["ffn"].values, ffn(normed), rtol=1e-12)


@pytest.mark.parametrize("block", ["attention", "encoder"])
def test_gated_unit_in_the_place_of_the_network(block: str) -> None:
    gate, up = np.array([[[1.0, 0, 1], [0, 1, -1]], [[1, 1, 0], [0, 1, 1]]])
    down = np.array([[1.0, 0], [0, 1], [1, 1]])
    matrices = (("W_gate", gate), ("W_up", up), ("W_down", down))
    model = {key: value for key, value in MODEL.items() if key not in ("W1", "W2")}
    given = {name: matrix.tolist() for name, matrix in matrices}
    trace = worked(GATED, {**model, "block": block, "norm": "none"}, given=given)
    Q, K, V = (X @ W for W in (W_Q, W_K, W_V))
    x = softmax(Q @ K.T) @ V + (X if block == "encoder" else 0)
    inner = x @ gate
    out = inner / (1 + np.exp(-inner)) * (x @ up) @ down
    np.testing.assert_allclose(trace["down"].values, out, rtol=1e-12)
    if block == "encoder":
        np.testing.assert_allclose(trace["residual2"].values, x + out, rtol=1e-12)


def test_each_layer_and_each_residual_connection() -> None:
    halved = {
        "halve": {"before": "residual", "output": "h", "equations": ["h[i, j] = x[i, j] / 2"]}
    }
    layer = {key: MODEL[key] for key in ("W_Q", "W_K", "W_V", "W1", "W2", "scale")}
    top = {key: MODEL[key] for key in ("sentence", "X", "rounding")}
    trace = worked(halved, {**top, "layers": [{**layer, "norm": "none"}] * 2})
    x = X
    for k in (1, 2):
        Q, K, V = (x @ W for W in (W_Q, W_K, W_V))
        x = x + softmax(Q @ K.T) @ V / 2
        np.testing.assert_allclose(trace[f"layers[{k}].residual1"].values, x, rtol=1e-12)
        x = x + ffn(x) / 2
        np.testing.assert_allclose(trace[f"layers[{k}].residual2"].values, x, rtol=1e-12)
    assert "layers[2].residual1.h" in trace


def test_before_the_layers_and_behind_them() -> None:
    steps = {
        "doubled": {
            "after": "embed",
            "output": "X2",
            "equations": ["X2[i, j] = 2 * x[i, j]"],
        },
        "capped": {
            "after": "unembed",
            "output": "cap",
            "equations": ["cap[i, j] = tanh(x[i, j])"],
        },
    }
    unembedding = [[1, 0, 1], [0, 1, 1]]
    trace = worked(steps, labels=["a", "b", "c"], unembedding=unembedding)
    Q, K, V = (2 * X @ W for W in (W_Q, W_K, W_V))
    logits = ffn(softmax(Q @ K.T) @ V)[-1:] @ np.array(unembedding)
    probabilities = softmax(np.tanh(logits))
    np.testing.assert_allclose(trace["probabilities"].values, probabilities, rtol=1e-12)


def test_encoder_decoder_and_cross_attention() -> None:
    layer = {key: MODEL[key] for key in ("W_Q", "W_K", "W_V", "W1", "W2")}
    cross = {key: MODEL[key] for key in ("W_Q", "W_K", "W_V")}
    encoder = {"sentence": "ich mag KI", "X": [[1, 0], [1, 1], [0, 1]], "layers": [layer]}
    decoder = {"block": "decoder", **layer, "cross": cross}
    data = {"encoder": encoder, "sentence": "I love AI", "X": MODEL["X"], "layers": [decoder]}
    trace = work(load({**data, "steps": WINDOW}))
    places = {part.path for part in trace.story if part.place.called == "window"}
    assert places == {"encoder", "", "cross"}
    assert trace["cross.seen"].columns.names == ("ich", "mag", "KI")
    assert trace["cross.seen"].rows.names == ("I", "love", "AI")


def test_random_weights_are_as_large_as_without_own_steps() -> None:
    drawn = {"random": "normal", "seed": 3}
    names = ("W_Q", "W_K", "W_V", "W_O")
    data = {"X": np.eye(4).tolist(), "heads": 2, **dict.fromkeys(names, drawn)}
    trace = work(load({**data, "steps": LINEAR}))
    assert trace["heads[2].mixed"].shape == (4, 2)
    assert trace["attention"].shape == (4, 4)


def test_state_over_time_in_each_head() -> None:
    recurrent = {
        "retention": {
            "instead_of": "scores to weighted_sum",
            "over": "t",
            "start": {"S": 0},
            "equations": [
                "S[t, k, j] = S[t - 1, k, j] / 2 + K[t, k] * V[t, j]",
                "read[t, j] = sum(Q[t, k] * S[t, k, j] for k)",
            ],
        }
    }
    trace = worked(recurrent, TWO_HEADS)
    for head in (0, 1):
        Q, K, V = (X @ W[:, [head]] for W in (W_Q, W_K, W_V))
        i, j = np.indices((3, 3))
        decay = np.where(j <= i, 0.5 ** np.maximum(i - j, 0), 0)
        read = trace[f"heads[{head + 1}].read"]
        np.testing.assert_allclose(read.values, (Q @ K.T * decay) @ V, rtol=1e-12)
        assert f"heads[{head + 1}].S[3]" in trace


def test_nothing_flows_on_from_a_step_that_says_no_output() -> None:
    entropy = {
        "entropy": {
            "after": "softmax",
            "equations": ["entropy[i] = -sum(weights[i, j] * ln(weights[i, j]) for j)"],
        }
    }
    trace, without = worked(entropy), work(load(MODEL))
    p = without["weights"].values
    entropies = -(p * np.log(p)).sum(axis=1)
    np.testing.assert_allclose(trace["entropy"].values[:, 0], entropies, rtol=1e-12)
    np.testing.assert_array_equal(trace["ffn"].values, without["ffn"].values)


@pytest.mark.parametrize(
    ("steps", "model"), [(LINEAR, TWO_HEADS), (WINDOW, MODEL)], ids=["linear", "window"]
)
def test_pages_print_what_is_true(steps: dict[str, Any], model: dict[str, Any]) -> None:
    trace = worked(steps, model, rounding={"policy": "carry", "decimals": 3})
    assert not trace.unused
    assert false_on_pages(trace) == []


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"before": "sofmax"}, "no step of a model is called"),
        ({"instead_of": "softmax to scores"}, "scores doesn't come after softmax"),
        ({"before": "scores to softmax"}, "before several steps"),
        ({"before": "softmax", "after": "scores"}, "after, and before"),
        ({"before": "residual"}, "residual isn't taken here"),
        ({}, "nothing says where own stands"),
        ({"before": "softmax", "output": "p"}, "no equation makes p"),
        (
            {"before": "softmax", "equations": ["weights[i, j] = scores[i, j]"]},
            "softmax makes weights",
        ),
        ({"before": "softmax", "equations": ["Q[i, j] = K[i, j]"]}, "Q is there above already"),
        ({"before": "softmax", "equations": ["W_Q[i, j] = K[i, j]"]}, "W_Q is there above already"),
        (
            {"before": "softmax", "equations": ["q[i, j] = weights[i, j]"]},
            "nothing is called weights",
        ),
    ],
)
def test_what_is_wrong_is_said(step: dict[str, Any], says: str) -> None:
    own = {"equations": ["q[i, j] = Q[i, j]"], **step}
    with pytest.raises(ScenarioError) as error:
        load({**MODEL, "steps": {"own": own}})
    assert says in str(error.value)
    assert len(error.value.problems) == 1


ENCODER = {**MODEL, "block": "encoder", "norm": "none"}
SQUARE = ["z[i, j] = sum(x[i, k] * x[j, k] for k)"]


@pytest.mark.parametrize(
    ("step", "model", "says"),
    [
        ({"before": "project"}, MODEL, "z is 3 × 3, where 3 × 2 flows on; make it 3 × 2, as X is"),
        ({"before": "ffn"}, MODEL, "z is 3 × 3, where 3 × 2 flows on; make it 3 × 2, as output is"),
        ({"before": "residual"}, ENCODER, "z is 3 × 3, where 3 × 2 flows on"),
        (
            {"instead_of": "scores to weighted_sum", "equations": ["z[i] = Q[i, 1]"]},
            ENCODER,
            "z is a list of 3, where 3 × 2 flows on; make it 3 × 2, as output is",
        ),
        (
            {"instead_of": "scores to weighted_sum", "equations": ["z = Q[1, 1]"]},
            MODEL,
            "z is a number, where 3 × 2 flows on",
        ),
        (
            {"instead_of": "scores to weighted_sum"},
            {**TWO_HEADS},
            "z is 3 × 3, where 3 × 1 flows on; make it 3 × 1, as heads[1].output is",
        ),
        (
            {"before": "softmax", "equations": ["z[i, j] = sum(x[i, k] * K[k, j] for k)"]},
            MODEL,
            "z is 3 × 2, where 3 × 3 flows on; make it 3 × 3, as scores is",
        ),
    ],
)
def test_output_of_another_shape_is_at_fault(
    step: dict[str, Any], model: dict[str, Any], says: str
) -> None:
    own = {"equations": SQUARE, "output": "z", **step}
    with pytest.raises(ScenarioError) as error:
        load({**model, "steps": {"own": own}})
    (problem,) = error.value.problems
    assert says in f"{problem.wrong}; {problem.right}"
    assert problem.where.source == "steps.own.output"


def test_what_doesnt_fit_without_own_steps_is_at_fault() -> None:
    own = {"equations": SQUARE, "before": "ffn", "output": "z"}
    with pytest.raises(ScenarioError) as error:
        load({**ENCODER, "W_Q": [[1, 0]], "steps": {"own": own}})
    (problem,) = error.value.problems
    assert problem.wrong.startswith("W_Q (1 × 2) and X (3 × 2) don't fit together")


WITHOUT_FFN = {key: value for key, value in MODEL.items() if key not in ("W1", "W2")}
PLACES = "embed, project, scores, softmax, weighted_sum"


@pytest.mark.parametrize(
    ("step", "model", "says"),
    [
        (
            {"before": "ffn"},
            WITHOUT_FFN,
            f"ffn isn't taken here without W1; give W1, or name one of {PLACES}",
        ),
        ({"after": "ffn"}, WITHOUT_FFN, "ffn isn't taken here without W1"),
        (
            {"before": "ffn"},
            {**WITHOUT_FFN, "block": "attention"},
            f"ffn isn't taken here; name one of {PLACES}",
        ),
        ({"after": "merge"}, MODEL, f"merge isn't taken here; name one of {PLACES}, ffn"),
        ({"before": "mask"}, MODEL, "mask isn't taken here"),
        ({"instead_of": "mask"}, MODEL, "mask isn't taken here"),
        ({"instead_of": "qk_norm to rotate"}, MODEL, "nothing from qk_norm to rotate is taken"),
        ({"after": "scale"}, MODEL, "scale isn't taken here"),
        (
            {"before": "scores", "output": "z"},
            MODEL,
            "nothing that follows works on z; leave output out",
        ),
        ({"instead_of": "softmax", "equations": ["f(a) = a"]}, MODEL, "own makes nothing"),
    ],
)
def test_a_place_that_the_model_hasnt_is_refused(
    step: dict[str, Any], model: dict[str, Any], says: str
) -> None:
    own = {"equations": ["z[i, j] = 2 * Q[i, j]"], **step}
    with pytest.raises(ScenarioError) as error:
        load({**model, "steps": {"own": own}})
    (problem,) = error.value.problems
    assert says in f"{problem.wrong}; {problem.right}"


@pytest.mark.parametrize("how", ["before", "after", "instead_of"])
def test_a_place_inside_of_what_others_stand_in_the_place_of_is_refused(how: str) -> None:
    linear = {"instead_of": "scores to weighted_sum", "equations": ["z[i, j] = Q[i, j]"]}
    own = {how: "softmax", "output": "w", "equations": ["w[i, j] = 2 * x[i, j]"]}
    with pytest.raises(ScenarioError) as error:
        load({**MODEL, "steps": {"linear": linear, "own": own}})
    (problem,) = error.value.problems
    assert problem.wrong == "softmax isn't taken here, where linear stands instead"
    assert problem.right == "say before scores, or after weighted_sum"


def test_places_beside_own_steps() -> None:
    """A step may stand before and behind others of one's own; of several, the last makes what flows
    on, be its last equation a function."""
    steps = {
        "halved": {"before": "ffn", "output": "h", "equations": ["h[i, j] = x[i, j] / 2"]},
        "net": {"instead_of": "ffn", "equations": ["n[i, j] = x[i, j] + 1", "f(a) = a"]},
        "tenfold": {"after": "ffn", "output": "t", "equations": ["t[i, j] = 10 * x[i, j]"]},
    }
    trace = worked(steps, WITHOUT_FFN)
    expected = 10 * (trace["output"].values / 2 + 1)
    np.testing.assert_allclose(trace["t"].values, expected, rtol=1e-12)


def test_range_that_leaves_the_heads_is_refused() -> None:
    own = {"instead_of": "scores to merge", "equations": ["q[i, j] = Q[i, j]"]}
    with pytest.raises(ScenarioError, match="one is in each head"):
        load({**TWO_HEADS, "steps": {"own": own}})


def test_what_flows_on_is_the_next_steps_x() -> None:
    """Of steps that follow each other at one place, whether the second says its place or not."""
    tenfold = {"after": "weighted_sum", "equations": ["y[i, j] = 10 * x[i, j]"], "output": "y"}
    for standing in ({}, {"after": "weighted_sum"}):
        one = {**standing, "equations": ["z[i, j] = x[i, j] + 1"], "output": "z"}
        trace = work(load({**MODEL, "steps": {"tenfold": tenfold, "plus_one": one}}))
        assert np.allclose(trace["z"].values, 10 * trace["output"].values + 1)
