"""Attention and blocks in plain NumPy (Vaswani et al. 2017), right or with one mistake made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.classroom.planted.models import Model, draw
from tests.classroom.planted.sheet import Array, Sheet

__all__ = ["Model", "draw", "work"]


def work(model: Model, sheet: Sheet, mistake: str = "") -> None:
    """Works a model, from the input to its output."""
    _Work(model, sheet, mistake).work()


class _Work:
    def __init__(self, model: Model, sheet: Sheet, mistake: str) -> None:
        self.model, self.sheet, self.mistake = model, sheet, mistake

    def has(self, name: str) -> bool:
        return self.mistake == name

    def work(self) -> None:
        model, x = self.model, self.input()
        if model.block == "none":
            self.attention(x)
            return
        other = {"pre_norm": "pre", "post_norm": "post"}
        is_post = other.get(self.mistake, model.block) == "post"
        read = x if is_post else self.norm(1, x)
        x = self.residual(1, x, self.attention(read))
        x = self.norm(1, x) if is_post else x
        read = x if is_post else self.norm(2, x)
        x = self.residual(2, x, self.ffn(read))
        if is_post:
            self.norm(2, x)

    def input(self) -> str:
        sheet, E = self.sheet, self.model.given["embeddings"]
        if self.model.positions != "sinusoidal":
            sheet.copy("X", E)
            return "X"
        n, d = E.shape
        j = np.arange(d)
        exponents = 2 * (j if self.has("exponent_of_each_column") else j // 2) / d
        exponents = j / d if self.has("cosine_of_next_exponent") else exponents
        angles = self.angles(np.arange(n)[:, None] + self.has("from_one"), exponents)
        even = (j % 2 == 0) != self.has("sine_and_cosine_swapped")
        sheet.write("P", np.where(even, np.sin(angles), np.cos(angles)))
        sheet.write("X", E if self.has("left_out") else E + sheet.read("P"))
        return "X"

    def angles(self, positions: NDArray[Any], exponents: Array) -> Array:
        base = 1000.0 if self.has("other_base") else 10000.0
        power = base**exponents
        return positions * power if self.has("angle_multiplied") else positions / power

    def attention(self, x: str) -> str:
        model, sheet, given = self.model, self.sheet, self.model.given
        for name in "QKV":
            other = {"Q": "K", "K": "Q"}.get(name, name)
            W = given[f"W_{other if self.has('W_Q_and_W_K_swapped') else name}"]
            bias = given.get(f"b_{other if self.has('W_Q_and_W_K_swapped') else name}", 0.0)
            W = W.T if self.has(f"W_{name}_transposed") else W
            new = f"{name}_new" if model.cached and name != "Q" else name
            read = "Q" if self.has("computed_from_Q") and name != "Q" else x
            sheet.product(new, sheet.read(read), W, 0 if self.has(f"b_{name}_forgotten") else bias)
            if new != name:
                sheet.copy(name, np.concatenate([given[f"cache.{name}"], sheet.full[new]]))
        paths = [f"heads[{k + 1}]." if model.heads > 1 else "" for k in range(model.heads)]
        for k, at in enumerate(paths):
            self.scores(k, at)
        for at in paths:
            self.powers(at)
        outputs = [self.output(at, x, paths) for at in paths]
        out = outputs[0]
        if model.heads > 1:
            outputs = outputs[::-1] if self.has("heads_in_another_order") else outputs
            joined = np.concatenate([sheet.full[o] for o in outputs], axis=1)
            if self.has("heads_interleaved"):
                joined = joined.reshape(model.tokens, model.heads, -1).swapaxes(1, 2)
            sheet.copy("concat", joined.reshape(model.tokens, -1))
            out = "concat"
        if "W_O" not in given:
            return out
        bias = 0.0 if self.has("b_O_forgotten") else given.get("b_O", 0.0)
        W = given["W_O"].T if self.has("W_O_transposed") else given["W_O"]
        sheet.product("attention", sheet.read(out), W, bias)
        return "attention"

    def scores(self, head: int, at: str) -> None:
        model, sheet = self.model, self.sheet
        if model.heads > 1:
            for name in "QKV":
                part = 1 if self.has("other_head") and name == "Q" and head == 0 else head
                run = slice(part * model.d_k, (part + 1) * model.d_k)
                run = slice(head, None, model.heads) if self.has("columns_dealt_out") else run
                sheet.copy(f"{at}{name}", sheet.full[name][:, run])
        q, k = (self.turned(at, name) for name in "QK")
        if self.has("heads_not_split"):
            q, k = "Q", "K"
        Q, K = sheet.read(q), sheet.read(k)
        if self.has("K_not_transposed"):
            sheet.product(f"{at}scores", Q, K)
        elif self.has("queries_and_keys_swapped"):
            sheet.product(f"{at}scores", K, Q.T)
        else:
            sheet.product(f"{at}scores", Q, K.T)

    def output(self, at: str, x: str, paths: Sequence[str]) -> str:
        sheet, weights = self.sheet, self.weights(at, paths)
        k = f"{at}rotated_K" if self.model.positions == "rope" else f"{at}K"
        values = sheet.read({"keys_for_values": k}.get(self.mistake, f"{at}V"))
        values = sheet.read(x) if self.has("inputs_for_values") else values
        A = sheet.read(f"{at}scores" if self.has("scores_for_weights") else weights)
        sheet.product(f"{at}output", A.T if self.has("weights_by_column") else A, values)
        return f"{at}output"

    def turned(self, at: str, name: str) -> str:
        """Queries or keys, rotated where they are."""
        sheet, d_k = self.sheet, self.model.d_k
        if self.model.positions != "rope":
            return f"{at}{name}"
        angles = self.angles(np.arange(self.model.tokens)[:, None], np.arange(0, d_k, 2) / d_k)
        sheet.write(f"{at}{name}_cosine", np.cos(angles))
        sheet.write(f"{at}{name}_sine", np.sin(angles))
        x, c, s = (sheet.read(f"{at}{text}") for text in (name, f"{name}_cosine", f"{name}_sine"))
        s = -s if self.has("turned_back") else s
        half = self.has("other_pairs")
        first = slice(0, d_k // 2) if half else slice(0, None, 2)
        second = slice(d_k // 2, None) if half else slice(1, None, 2)
        made = np.empty_like(x)
        made[:, first] = x[:, first] * c - x[:, second] * s
        made[:, second] = x[:, first] * s + x[:, second] * c
        sheet.write(f"{at}rotated_{name}", made)
        return f"{at}rotated_{name}"

    def powers(self, at: str) -> None:
        model, sheet = self.model, self.sheet
        root = math.sqrt(model.d_k)
        divisors = {"divided_by_d_k": float(model.d_k), "multiplied": 1 / root, "not_scaled": 1.0}
        divisors["divided_by_root_of_d_model"] = math.sqrt(model.given["embeddings"].shape[1])
        sheet.write(f"{at}scaled", sheet.read(f"{at}scores") / divisors.get(self.mistake, root))
        x = f"{at}scaled"
        n, m = sheet.full[x].shape
        before = 0 if self.has("other_corner") else m - n
        off = self.has("sees_the_next") - self.has("does_not_see_itself")
        if model.causal:
            seen = np.tri(n, m, k=before + off)
            seen = np.ones_like(seen) if self.has("not_masked") else seen
            hidden = {"zero_for_infinity": 0.0, "minus_one_for_infinity": -1.0}
            kept = seen.astype(bool) | self.has("masked_after_softmax")
            sheet.copy(f"{at}mask", seen)
            masked = np.where(kept, sheet.full[x], hidden.get(self.mistake, -np.inf))
            x = f"{at}masked"
            sheet.copy(x, masked)
        base = {"base_2": 2.0, "base_10": 10.0}.get(self.mistake, math.e)
        sheet.write(f"{at}exp", base ** sheet.read(x))

    def weights(self, at: str, paths: Sequence[str]) -> str:
        sheet, x = self.sheet, f"{at}masked" if self.model.causal else f"{at}scaled"
        total = sheet.read(f"{at}exp").sum(axis=1, keepdims=True)
        if self.has("over_all_heads"):
            every = [sheet.read(f"{path}exp").sum(axis=1, keepdims=True) for path in paths]
            total = np.sum(every, axis=0)
        total = np.full_like(total, total.sum()) if self.has("over_all_cells") else total
        sheet.write(f"{at}exp_sum", total)
        exp, total = sheet.read(f"{at}exp"), sheet.read(f"{at}exp_sum")
        if self.has("down_the_columns"):
            total = sheet.read(f"{at}exp").sum(axis=0, keepdims=True)
        made = exp / total
        if self.has("without_exponentials"):
            made = sheet.read(x) / sheet.read(x).sum(axis=1, keepdims=True)
        if self.has("masked_after_softmax"):
            made = made * sheet.full[f"{at}mask"]
        sheet.write(f"{at}weights", made)
        return f"{at}weights"

    def residual(self, k: int, x: str, found: str) -> str:
        sheet = self.sheet
        before: Any = 0.0 if self.has("not_added") else sheet.read(x)
        sheet.write(f"residual{k}", sheet.read(found) + before)
        return f"residual{k}"

    def norm(self, k: int, x: str) -> str:
        sheet, at, given = self.sheet, f"norm{k}.", self.model.given
        d = sheet.full[x].shape[1]
        sheet.write(f"{at}mean", sheet.read(x).mean(axis=1, keepdims=True))
        sheet.write(f"{at}centered", sheet.read(x) - sheet.read(f"{at}mean"))
        squares = (sheet.read(f"{at}centered") ** 2).sum(axis=1, keepdims=True)
        sheet.write(f"{at}variance", squares / (d - self.has("other_divisor")))
        variance = sheet.read(f"{at}variance")
        outside = self.has("epsilon_elsewhere")
        sheet.write(
            f"{at}deviation",
            np.sqrt(np.maximum(variance, 0)) + 0.1 if outside else np.sqrt(variance + 0.1),
        )
        above = sheet.read(x if self.has("not_centered") else f"{at}centered")
        if self.has("not_normed"):
            sheet.copy(f"{at}normed", sheet.full[x])
            return f"{at}normed"
        made = above / sheet.read(f"{at}deviation")
        made = made if self.has("gamma_forgotten") else made * given[f"{at}gamma"]
        sheet.write(
            f"{at}normed", made if self.has("beta_forgotten") else made + given[f"{at}beta"]
        )
        return f"{at}normed"

    def ffn(self, x: str) -> str:
        sheet, given = self.sheet, self.model.given
        W1, W2 = (
            given[f"W{k}"].T if self.has(f"W{k}_transposed") else given[f"W{k}"] for k in (1, 2)
        )
        late = self.has("bias_after_activation")
        bias = 0.0 if late or self.has("b1_forgotten") else given["b1"]
        sheet.product("hidden", sheet.read(x), W1, bias)
        hidden = sheet.read("hidden")
        activated = hidden if self.has("activation_forgotten") else np.maximum(hidden, 0)
        sheet.write("activated", activated + given["b1"] if late else activated)
        bias = 0.0 if self.has("b2_forgotten") else given["b2"]
        sheet.product("ffn", sheet.read("activated"), W2, bias)
        return "ffn"
