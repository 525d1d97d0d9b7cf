"""Shipped scenarios worked by hand in plain NumPy, from first to last, right or with one mistake: each
number is rounded, half away from zero, and gone on with as it is rounded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.classroom.planted.sheet import Array, rounded
from tests.helpers.plain import read

SCENARIOS = Path(__file__).parents[3] / "scenarios"


def paper(scenario: str, mistake: str = "", **changes: str) -> Mapping[str, Array]:
    """All that somebody writes down, by the names of the quantities; with changes as of `--set`."""
    data = read((SCENARIOS / f"{scenario}.yaml").read_text("utf-8"))
    made = _Paper(data | changes, mistake)
    made.work()
    return made.written


def numbers(value: Any) -> Array:
    return np.atleast_2d(np.array(value, dtype=np.float64))


def gelu(x: Array) -> Array:
    return np.asarray(x * np.vectorize(lambda value: (1 + math.erf(value / math.sqrt(2))) / 2)(x))


def significant(x: Array, digits: int) -> Array:
    """Numbers to so many significant digits, as a table has them."""
    return np.asarray(np.vectorize(lambda value: float(f"{value:.{digits - 1}e}"))(x))


class _Paper:
    def __init__(self, data: dict[str, Any], mistake: str) -> None:
        self.data, self.mistake = data, mistake
        self.places = int(data.get("rounding", {}).get("decimals", 3))
        self.written: dict[str, Array] = {}

    def has(self, mistake: str) -> bool:
        return self.mistake == mistake

    def write(self, name: str, values: Array) -> Array:
        self.written[name] = rounded(np.asarray(values, dtype=float), self.places)
        return self.written[name]

    def product(self, a: Array, b: Array) -> Array:
        if not self.has("products_rounded"):
            return np.asarray(a @ b)
        return np.asarray(rounded(a[:, :, None] * b[None], self.places).sum(axis=1))

    def work(self) -> None:
        if "cell" in self.data:
            self.gru()
        elif "logits" in self.data:
            self.predict(numbers(self.data["logits"]))
        else:
            self.transformer()

    # -- from tokens to logits -----------------------------------------------------------------

    def transformer(self) -> None:
        data, x = self.data, self.input()
        if "embedding_norm" in data:
            x = self.norm("embedding_norm.", x, {}, out="X")
        layers = data.get("layers", [data])
        for k, layer in enumerate(layers, 1):
            x = self.layer(f"layers[{k}]." if "layers" in data else "", x, data | layer)
        if "final_norm" in data:
            x = self.norm("final_norm.", x, data["final_norm"])
        if "head" in data:
            own = data["head"]
            x = self.write("head.hidden", self.product(x, numbers(own["W"])) + numbers(own["b"]))
            x = self.write("head.activated", self.activated(x, own["activation"]))
            x = self.norm("head.norm.", x, {})
        if "unembedding" in data:
            self.unembed(x)

    def input(self) -> Array:
        data = self.data
        rows: Any = data.get("embeddings", data.get("X"))
        if not isinstance(rows, list):
            rows = [rows[token] for token in data.get("sentence", "").split() or rows]
        elif "sentence" in data:
            rows = [rows[int(data["vocabulary"][token])] for token in data["sentence"].split()]
        x, positions = numbers(rows), data.get("positions")
        if positions is None:
            return self.write("X", x)
        n, d = self.write("E", x).shape
        j = np.arange(d)
        angles = np.arange(n)[:, None] / 10000.0 ** (2 * (j // 2) / d)
        table = np.where(j % 2 == 0, np.sin(angles), np.cos(angles))
        p = table if positions == "sinusoidal" else numbers(positions)[:n]
        p = self.write("P", p)
        return self.write("summed" if "embedding_norm" in data else "X", x + p)

    def layer(self, at: str, x: Array, data: dict[str, Any]) -> Array:
        if data.get("block", "attention") == "attention":
            x = self.attention(at, x, x, data) if "W_Q" in data else x
            return self.ffn(at, x, data) if "W1" in data else x
        pre, first, k = data.get("norm") == "pre", x, 1
        sublayers = ["attention", *["cross"] * ("cross" in data), "ffn"]
        for k, sublayer in enumerate(sublayers, 1):
            before = self.norm(f"{at}norm{k}.", x, data.get(f"norm{k}", {})) if pre else x
            if sublayer == "ffn":
                made = self.ffn(at, before, data)
            elif sublayer == "cross":
                memory = numbers([*data["memory"].values()])
                made = self.attention(f"{at}cross.", before, memory, data["cross"])
            else:
                made = self.attention(at, before, before, data)
            added = first if self.has("added_to_X") and k == len(sublayers) else x
            x = self.write(f"{at}residual{k}", made + added)
            x = x if pre else self.norm(f"{at}norm{k}.", x, data.get(f"norm{k}", {}))
        return x

    def attention(self, at: str, x: Array, source: Array, data: dict[str, Any]) -> Array:
        heads = int(data.get("heads", 1))
        W = {name: numbers(data[f"W_{name}"]) for name in "QKV"}
        if data.get("weights_layout") == "linear":
            W = {name: array.T for name, array in W.items()}
        if self.has("V_by_W_K"):
            W["V"] = W["K"]
        made = {
            name: self.write(at + name, self.product(x if name == "Q" else source, W[name]))
            for name in "QKV"
        }
        outputs = []
        for k in range(heads):
            inner, run = at, slice(None)
            if heads > 1:
                inner, width = f"{at}heads[{k + 1}].", made["Q"].shape[1] // heads
                run = slice(k * width, (k + 1) * width)
                for name in "QKV":
                    self.write(inner + name, made[name][:, run])
            Q, K, V = (made[name][:, run] for name in "QKV")
            outputs.append(self.head(inner, Q, K, V, data))
        out = outputs[0] if heads == 1 else self.write(f"{at}concat", np.hstack(outputs))
        if "W_O" not in data:
            return out
        made_of = out if self.has("W_O_left_out") else self.product(out, numbers(data["W_O"]))
        return self.write(f"{at}attention", made_of)

    def head(self, at: str, Q: Array, K: Array, V: Array, data: dict[str, Any]) -> Array:
        x = self.write(f"{at}scores", self.product(Q, K.T))
        if data.get("scale") != "none":
            root = math.sqrt(Q.shape[1])
            root = float(f"{root:.2f}") if self.has("root_rounded") else root
            x = self.write(f"{at}scaled", x / root)
        elif self.has("scaled"):
            x = x / math.sqrt(Q.shape[1])
        elif self.has("scaled_and_rounded"):
            x = rounded(x / rounded(np.sqrt(Q.shape[1]), 3), 3)
        masked = data.get("mask") == "causal" or (data.get("block") == "decoder")
        if masked:
            off = self.has("sees_the_next") - self.has("does_not_see_itself")
            seen = np.tri(len(x), x.shape[1], k=off)
            seen = np.ones(x.shape) if self.has("not_masked") else seen
            self.written[f"{at}mask"] = seen
            seen = np.ones(x.shape) if self.has("mask_not_applied") else seen
            masked = self.written[f"{at}masked"] = np.where(seen, x, -math.inf)
            x = x if self.has("masked_scores_not_used") else masked
        weights = self.softmax(at, x, f"{at}weights")
        return self.write(f"{at}output", self.product(weights, V))

    def softmax(self, at: str, x: Array, name: str) -> Array:
        x = np.where(np.isinf(x), x, -x) if self.has("exponent_negated") else x
        x = x - x.max(axis=1, keepdims=True) if self.has("maximum_subtracted") else x
        exp = np.exp(x)
        exp = significant(exp, 3) if self.has("three_digits") else exp
        exp = self.write(f"{at}exp", exp)
        if self.has("column_sums") and len(exp) == exp.shape[1]:
            total = self.write(f"{at}exp_sum", exp.sum(axis=0)[:, None])
        elif self.has("column_sums_by_column") and len(exp) == exp.shape[1]:
            total = self.write(f"{at}exp_sum", exp.sum(axis=0)[:, None]).T
        else:
            total = self.write(f"{at}exp_sum", exp.sum(axis=1, keepdims=True))
        with np.errstate(invalid="ignore"):  # of a row that sees nothing
            return self.write(name, exp / total)

    def ffn(self, at: str, x: Array, data: dict[str, Any]) -> Array:
        W, b = ({k: numbers(data.get(f"{text}{k}", 0.0)) for k in "12"} for text in "Wb")
        x = self.write(f"{at}hidden", self.product(x, W["1"]) + b["1"])
        x = self.write(f"{at}activated", self.activated(x, data.get("activation", "relu")))
        return self.write(f"{at}ffn", self.product(x, W["2"]) + b["2"])

    def activated(self, x: Array, kind: str) -> Array:
        if kind == "gelu" and not self.has("relu_for_gelu"):
            return gelu(x)
        return np.maximum(x, 0)

    def norm(self, at: str, x: Array, data: dict[str, Any], out: str = "") -> Array:
        mean = x.sum(axis=1) if self.has("not_divided") else x.mean(axis=1)
        mean = self.write(f"{at}mean", mean[:, None])
        centered = self.write(f"{at}centered", x - mean)
        squares = (centered**2).sum(axis=1, keepdims=True)
        squares = squares if self.has("squares_not_divided") else squares / x.shape[1]
        variance = self.write(f"{at}variance", squares)
        root = variance if self.has("root_forgotten") else np.sqrt(variance + 1e-5)
        root = variance + 1e-5 if self.has("root_forgotten_epsilon") else root
        deviation = self.write(f"{at}deviation", root)
        gamma, beta = numbers(data.get("gamma", 1.0)), numbers(data.get("beta", 0.0))
        return self.write(out or f"{at}normed", centered / deviation * gamma + beta)

    # -- from logits to the loss, and back -----------------------------------------------------

    def unembed(self, x: Array) -> None:
        data, value = self.data, self.data["unembedding"]
        index = {"last": -1, "first": 0}.get(
            data.get("predict_from", "last" if "next" in data else "")
        )
        if index is not None:
            x = self.write("last" if index else "first", x[[index]])
        W = numbers(data["embeddings"]).T if value == "tied" else numbers(value)
        logits = self.product(x, W) + numbers(data.get("b_U", 0.0))
        self.write("logits", logits)
        d_logits = self.predict(self.written["logits"])
        if d_logits is None or "train" not in data:
            return
        if "W_Q" in data:
            self.back(d_logits, W)
        else:
            d_x = self.write("grad.X", d_logits @ W.T)
            table = np.zeros((len(data["embeddings"]), x.shape[1]))
            table[: len(d_x)] = d_x
            self.write("grad.embeddings", table)

    def predict(self, logits: Array) -> Array | None:
        data, at = self.data, "classes."
        if "vocabulary" in data and data.get("predict_from") != "every":
            at = "next."
        if "temperature" in data.get("next", {}):
            logits = self.write("next.tempered", logits / float(data["next"]["temperature"]))
        p = self.softmax(at, logits, "probabilities")
        if "targets" not in data:
            return None
        labels = [*data.get("labels", data.get("vocabulary", []))]
        targets = [labels.index(token) for token in data["targets"]]
        loss = self.write("loss", -np.log(p[np.arange(len(p)), targets])[:, None])
        mean = loss.sum() if self.has("loss_not_divided") else loss.mean()
        mean = self.write("cross_entropy", np.array([[mean]]))
        self.write("perplexity", np.exp(mean))
        self.write("grad.cross_entropy", np.ones((1, 1)))
        y = np.eye(len(labels))[targets]
        d_loss = self.write("grad.loss", np.full((len(p), 1), 1 / len(p)))
        return self.write("grad.logits", d_loss * (y - p if self.has("exchanged") else p - y))

    def back(self, d_logits: Array, W: Array) -> None:
        """Through the attention of the last token."""
        w, data = self.written, self.data
        d_last = self.write("grad.last", d_logits @ W.T)
        d_out = self.write("grad.output", np.vstack([np.zeros((len(w["X"]) - 1, 2)), d_last]))
        A, V = w["weights"], w["V"]
        d_A = self.write("grad.weights", d_out @ V.T)
        d_V = self.write("grad.V", (A if self.has("transpose_forgotten") else A.T) @ d_out)
        d_S = self.write("grad.scores", A * (d_A - (A * d_A).sum(axis=1, keepdims=True)))
        d_Q, d_K = self.write("grad.Q", d_S @ w["K"]), self.write("grad.K", d_S.T @ w["Q"])
        for name, d in (("V", d_V), ("K", d_K), ("Q", d_Q)):
            g = self.write(f"grad.W_{name}", w["X"].T @ d)
            self.write(f"update.W_{name}", numbers(data[f"W_{name}"]) - g)

    # -- a GRU -----------------------------------------------------------------------------------

    def gru(self) -> None:
        data = self.data
        W = {name: numbers(data[name]) for name in data if name.startswith(("W_", "b_"))}
        tokens = data["sentence"].split()
        X = self.write("X", numbers([data["embeddings"][token] for token in tokens]))
        a, states = np.zeros((len(W["W_ra"]), 1)), []
        self.write("a[0]", a)
        for t, row in enumerate(X, 1):
            x, at = self.write(f"x[{t}]", row[:, None]), f"gates[{t}]."

            def z(k: str, gate: str, memory: Array, x: Array = x, at: str = at) -> Array:
                total = self.product(W[f"W_{k}x"], x) + self.product(W[f"W_{k}a"], memory)
                return self.write(f"{at}z_{gate}", total + W[f"b_{k}"].T)

            reset = self.write(f"{at}reset", 1 / (1 + np.exp(-z("r", "reset", a))))
            update = self.write(f"{at}update", 1 / (1 + np.exp(-z("u", "update", a))))
            after = data.get("reset") == "after"
            old = self.write(f"{at}candidate_a", self.product(W["W_ca"], a)) if after else a
            kept = self.write(f"{at}reset_a", old if self.has("reset_ignored") else reset * old)
            kept = old if self.has("reset_ignored_later") else kept
            if after:
                total = self.product(W["W_cx"], x) + kept + W["b_c"].T
                drawn = self.write(f"{at}z_candidate", total)
            else:
                drawn = z("c", "candidate", kept)
            new = self.write(f"{at}candidate", np.tanh(drawn))
            a = self.write(f"a[{t}]", update * new + (1 - update) * a)
            states.append(a.T)
        self.write("states", np.vstack(states))
        last = self.write(f"ya[{t}]", self.product(W["W_ya"], a))
        last = self.write(f"z_y[{t}]", last + W["b_y"])
        self.write(f"y[{t}]", 1 / (1 + np.exp(-last)))
