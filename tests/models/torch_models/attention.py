"""Attention: softmax(Q Kᵀ / √d_k) V in heads (arXiv:1706.03762, 3.2), and what models put in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from tests.models.torch_models import masks, positions
from tests.models.torch_models.linear import given, linear, softmax
from tests.models.torch_models.norms import normed
from tests.models.torch_models.page import Page, Quantity, Tree, there, truths


class Around(NamedTuple):
    """What an attention finds: the names of its keys, the positions, and whether it is a decoder's."""

    keys: Sequence[str]
    positions: Sequence[tuple[str, Tree]] = ()
    top: Page | None = None
    causal: bool = False


class Head(NamedTuple):
    """One of so many heads: its place, what it says itself, and what all say, in their place."""

    page: Page
    own: Tree
    layer: Page
    shared: Tree
    number: int
    of: int

    @property
    def said(self) -> Tree:
        return {**self.shared, **self.own}

    def given(self, key: str) -> Quantity | None:
        if key in self.own:
            return self.page.given(self.own, key)
        return self.layer.given(self.shared, key) if key in self.shared else None


Rows = Mapping[str, Quantity | None]
"""What Q, K and V are made of, by their names; or these themselves."""


def attention(page: Page, tree: Tree, x: Rows, around: Around) -> Quantity:
    """[n, d_model] -> [n, d_model], or without W_O what the heads put out, side by side."""
    records = _heads(tree)
    count = len(records)
    pages = [page.at(f"heads[{j + 1}]") if count > 1 else page for j in range(count)]
    heads = [Head(pages[j], records[j], page, tree, j, count) for j in range(count)]
    if "cache" in tree:
        around = around._replace(keys=[*map(str, tree["cache"]["tokens"]), *around.keys])
    if count > 1 and not any(set(record) - {"bias"} for record in records):
        outputs = _split(page, tree, x, heads, around)
    else:
        outputs = [_head(head, _projected(head, x), around) for head in heads]
    merged = outputs[0]
    if count > 1:
        merged = page.make("concat", lambda *x: torch.hstack(x), *outputs)
    if "W_O" in tree:
        merged = linear(page, "attention", merged, given(page, tree, "W_O", "b_O"), tree)
    return merged


def _heads(tree: Tree) -> list[Tree]:
    value = tree.get("heads", 1)
    return value if isinstance(value, list) else [{}] * int(value)


def _split(
    page: Page, tree: Tree, x: Rows, heads: Sequence[Head], around: Around
) -> list[Quantity]:
    """Heads that have a run of the columns of Q, K and V; a group of heads has the same of K and V
    (arXiv:2305.13245)."""
    whole = _projected(Head(page, {}, page, tree, 0, 1), x)
    if tree.get("qk_norm", {}).get("heads") == "together":
        whole = _qk_normed(Head(page, {}, page, tree, 0, 1), whole)
    groups = int(tree.get("kv_heads", len(heads)))
    outputs = []
    for head in heads:
        runs = {
            name: _run(head, name, q, len(heads) if name == "Q" else groups)
            for name, q in whole.items()
        }
        outputs.append(_head(head, runs, around))
    return outputs


def _run(head: Head, name: str, whole: Quantity | None, count: int) -> Quantity | None:
    if whole is None:
        return None
    k = head.number * count // head.of
    return head.page.make(name, lambda x: x.chunk(count, dim=1)[k], whole)


def _projected(head: Head, x: Rows) -> Rows:
    """Q, K and V; the rows of a cache above those of the new keys and values."""
    made = {}
    for name in "QKV":
        new = f"{name}_new" if "cache" in head.said and name != "Q" else name
        row = x[name]
        if name in head.said:
            made[name] = head.given(name)
            continue
        if row is None or ("weights" in head.said and name != "V"):
            made[name] = None
            continue
        if head.said.get("projection") == "none":
            made[name] = head.page.make(new, lambda x: x, row)
        elif f"W_{name}" in head.said:
            matrices = head.given(f"W_{name}"), head.given(f"b_{name}")
            made[name] = linear(head.page, new, row, matrices, head.said)
        else:
            made[name] = None
        if new != name:
            old = head.layer.at("cache").given(head.said["cache"], name)
            made[name] = head.page.make(name, lambda *x: torch.vstack(x), old, made[name])
    return made


def _head(head: Head, x: Rows, around: Around) -> Quantity:
    """softmax(scores) V."""
    page, tree = head.page, head.said
    if "output" in tree:
        return there(head.given("output"))
    weights = head.given("weights") or _weights(head, _scores(head, x, around), around)
    if "dropout" in tree:
        kept = truths(tree["dropout"]["mask"]).double() / (1 - float(tree["dropout"].get("p", 0)))
        weights = page.make("dropped", lambda a: a * kept, weights)
    return page.make("output", lambda a, V: a @ V, weights, there(x["V"]))


def _scores(head: Head, x: Rows, around: Around) -> Quantity:
    """Q Kᵀ, scaled; of queries and keys that were normed and turned, in the order that is said."""
    page, tree = head.page, head.said
    if "scaled" in tree:
        return there(head.given("scaled"))
    by = tree.get("scale", "sqrt_d_k")
    if "scores" in tree:
        scores = there(head.given("scores"))
    else:
        x = _normed_and_turned(head, x, around)
        scores = page.make("scores", lambda Q, K: Q @ K.T, x["Q"], x["K"])
    if by == "none":
        return scores
    known = x["Q"] or x["K"]
    if by == "sqrt_d_k" and known is None:
        return scores
    divisor = math.sqrt(known.shape[1]) if by == "sqrt_d_k" and known else float(by)
    return page.make("scaled", lambda x: x / divisor, scores)


def _normed_and_turned(head: Head, x: Rows, around: Around) -> Rows:
    norm = head.said.get("qk_norm")
    own = norm is not None and (head.of == 1 or norm.get("heads") != "together")
    after = own and norm is not None and norm.get("when") == "after"
    if own and not after:
        x = _qk_normed(head, x)
    x = _rotated(head, x, around)
    return _qk_normed(head, x) if after else x


def _qk_normed(head: Head, x: Rows) -> Rows:
    """Norms of queries and keys (arXiv:2010.04245), RMS norms by default."""
    data = {"kind": "rms", **head.said["qk_norm"]}
    at = (head.page if "qk_norm" in head.own else head.layer).at("qk_norm")
    made = dict(x)
    for name in "QK":
        gains = {
            gain: at.given(data, f"{gain}_{name}")
            for gain in ("gamma", "beta")
            if f"{gain}_{name}" in data
        }
        made[name] = normed(
            head.page, data, there(x[name]), gains, f"{name}_", (head.page, f"normed_{name}")
        )
    return made


def _rotated(head: Head, x: Rows, around: Around) -> Rows:
    own = head.said.get("rope", {})
    pairs = positions.of_kind(around.positions, "rope")
    if own == "none" or (pairs is None and not own):
        return x
    left = dict(pairs[1]) if pairs else {}
    for key in ("base", "scaling", "cos", "sin") if {"cos", "base", "scaling"} & own.keys() else ():
        left.pop(key, None)
    Q, K = there(x["Q"]), there(x["K"])
    data, m = {**left, **own}, K.shape[0]
    cached = len(head.said.get("cache", {}).get("tokens", ()))  # queries come after these
    turned = {
        "Q": positions.rotated(head.page, data, "Q", Q, cached, m),
        "K": positions.rotated(head.page, data, "K", K, 0, m),
    }
    return {**x, **turned}


def _weights(head: Head, x: Quantity, around: Around) -> Quantity:
    """The softmax of scores that were capped, biased, tempered and masked, or these as they are."""
    page, tree = head.page, head.said
    values = masks.rules(tree, causal=around.causal)
    x = _biased(head, _capped(head, "before_bias", x), around, values)
    x = _capped(head, "after_bias", x)
    if "temperature" in tree:
        t = float(tree["temperature"])
        x = page.make("tempered", lambda x: x / t, x)
    hidden = ~masks.seen(values, around.keys, *x.shape)
    if values:
        value = float(tree.get("mask_value", "-inf"))
        x = page.make("masked", lambda x: x.masked_fill(hidden, value), x)
    x = _capped(head, "after_mask", x)
    if tree.get("softmax") == "none":  # what is hidden is 0 (arXiv:2102.11174)
        return page.make("weights", lambda x: x.masked_fill(hidden, 0), x)
    if "sinks" not in tree:
        return softmax(page, "weights", x)
    sink = page.make(
        "sink", lambda s: s[:, [head.number]].expand(x.shape[0], 1), there(head.given("sinks"))
    )
    both = page.make("with_sink", lambda *x: torch.hstack(x), x, sink)
    return page.make("key_weights", lambda a: a[:, :-1], softmax(page, "weights", both))


def _capped(head: Head, now: str, x: Quantity) -> Quantity:
    """c tanh(x / c) (arXiv:2408.00118, 2), at its moment."""
    if "softcap" not in head.said or head.said.get("softcap_order", "before_bias") != now:
        return x
    c = float(head.said["softcap"])
    return head.page.make("capped", lambda x: c * torch.tanh(x / c), x)


def _biased(head: Head, x: Quantity, around: Around, anies: Sequence[Any]) -> Quantity:
    page = head.page
    relative = positions.of_kind(around.positions, "relative")
    if relative is not None and around.top is not None:
        name, record = relative
        table = around.top.at(name).given(record, "table")
        rows = positions.buckets(record, table.shape[0], x.shape, causal=around.causal)
        learned = page.make("position_bias", lambda table: table[rows, head.number], table)
        x = page.make("positioned", lambda *x: sum(x), x, learned)
    slopes = positions.of_kind(around.positions, "alibi")
    terms = [] if slopes is None else [
        page.make("alibi", lambda: positions.alibi(slopes[1], head.number, head.of, x.shape))
    ]  # fmt: skip
    terms += [bias] if (bias := head.given("bias")) else []
    if terms:
        x = page.make("biased", lambda *x: sum(x), x, *terms)
    for k, table in enumerate(masks.tables(anies), 1):
        x = page.make("added" if k == 1 else f"added{k}", lambda x, table=table: x + table, x)
    return x
