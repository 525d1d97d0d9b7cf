"""Layers: sublayers with norms and residuals, feed-forward networks, mixtures of experts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch

from tests.models.torch_models.attention import Around, attention
from tests.models.torch_models.linear import activated, given, linear, softmax
from tests.models.torch_models.norms import norm
from tests.models.torch_models.page import Page, Quantity, Tensor, Tree, is_true, there

_GATES = {"swiglu": "silu", "geglu": "gelu"}
_CROSS = (
    "heads", "kv_heads", "scale", "softcap", "softcap_order", "temperature", "softmax",
    "mask_value", "weights_layout", "projection",
)  # fmt: skip


class Memory(NamedTuple):
    """What cross-attention looks at, and the names of its rows."""

    rows: Quantity
    names: Sequence[str]


class Place(NamedTuple):
    """What a layer finds besides what flows in; `inputs` are rows of the first one's Q, K and V."""

    around: Around
    inputs: Mapping[str, Quantity]
    memory: Memory | None
    attends: bool


Sublayer = Callable[[Quantity | None], Quantity]


def layer(page: Page, tree: Tree, x: Quantity | None, place: Place) -> Quantity:
    """[n, d_model] -> [n, d_model]"""
    sublayers: list[Sublayer] = []
    if place.attends:
        sublayers.append(lambda x: _self_attention(page, tree, x, place))
    if tree.get("block") == "decoder" and (memory := place.memory) is not None:
        sublayers.append(lambda x: _cross(page, tree, x, memory))
    if "W1" in tree or "experts" in tree or (not place.attends and "activation" in tree):
        sublayers.append(lambda x: _feed_forward(page, tree, there(x)))
    if tree.get("parallel", "none") != "none":
        return _side_by_side(page, tree, sublayers, x)
    if not sublayers:
        return _norm(page, tree, "norm1", x) if "norm1" in tree else there(x)
    for number, sublayer in enumerate(sublayers, 1):
        x = _with_norms(page, tree, number, sublayer, x)
    return there(x)


def _self_attention(page: Page, tree: Tree, x: Quantity | None, place: Place) -> Quantity:
    rows = {name: place.inputs.get(name, x) for name in "QKV"}
    if place.memory is not None and tree.get("block") != "decoder":
        rows |= {"K": place.memory.rows, "V": place.memory.rows}
    return attention(page, tree, rows, place.around)


def _cross(page: Page, tree: Tree, x: Quantity | None, memory: Memory) -> Quantity:
    shared = {key: tree[key] for key in _CROSS if key in tree and not isinstance(tree[key], list)}
    rows = {"Q": x, "K": memory.rows, "V": memory.rows}
    own = {**shared, **tree.get("cross", {})}
    return attention(page.at("cross"), own, rows, Around(memory.names))


def _norm(page: Page, tree: Tree, name: str, x: Quantity | None) -> Quantity:
    return norm(page.at(name), {**tree.get("norms", {}), **(tree.get(name) or {})}, there(x))


def _with_norms(
    page: Page, tree: Tree, number: int, sublayer: Sublayer, x: Quantity | None
) -> Quantity:
    """norm(x + f(x)), or x + f(norm(x)) (arXiv:2002.04745), x + norm(f(x)), x + norm(f(norm(x)))."""
    whole = tree.get("block", "attention") != "attention"
    where, name = tree.get("norm", "post" if whole else "none"), f"norm{number}"
    y = sublayer(_norm(page, tree, name, x) if where in ("pre", "both") and x else x)
    if where in ("after", "both"):
        y = _norm(page, tree, name if where == "after" else f"{name}_after", y)
    if is_true(tree.get("residuals", whole)):
        y = _multiplied(page, tree, number, y)
        y = page.make(f"residual{number}", lambda *x: sum(x), there(x), y)
    return _norm(page, tree, name, y) if where == "post" else y


def _side_by_side(
    page: Page, tree: Tree, sublayers: Sequence[Sublayer], x: Quantity | None
) -> Quantity:
    """x + attention(norm(x)) + network(norm(x)), with one norm or two."""
    made, went_in = [], x
    for number, sublayer in enumerate(sublayers, 1):
        if tree.get("norm") == "pre" and (number == 1 or tree["parallel"] == "own_norms"):
            went_in = _norm(page, tree, f"norm{number}", x)
        made.append(sublayer(went_in))
    scaled = [_multiplied(page, tree, k, q) for k, q in enumerate(made, 1)]
    return page.make("residual1", lambda *x: sum(x), there(x), *scaled)


def _multiplied(page: Page, tree: Tree, number: int, y: Quantity) -> Quantity:
    if "residual_scale" not in tree:
        return y
    value = tree["residual_scale"]
    by = float(value[number - 1] if isinstance(value, list) else value)
    return page.make(f"multiplied{number}", lambda y: by * y, y)


def _feed_forward(page: Page, tree: Tree, x: Quantity) -> Quantity:
    return _mixture(page, tree, x) if "experts" in tree else _network(page, tree, tree, x)


def _network(page: Page, own: Tree, tree: Tree, x: Quantity) -> Quantity:
    """g(x W1 + b1) W2 + b2, or with a gate (g(x W1 + b1) ⊙ (x W3 + b3)) W2 + b2
    (arXiv:2002.05202). `own` has its matrices."""
    kind = str(tree.get("activation", "relu"))
    if "W1" not in own:
        return activated(page, "activated", kind, x)
    a = linear(page, "hidden", x, given(page, own, "W1", "b1"), tree)
    gated = kind in _GATES or is_true(tree.get("gated"))
    most = float(tree["clamp"]) if gated and "clamp" in tree else None
    if most is not None:
        a = page.make("clamped", lambda a: a.clamp(max=most), a)
    if kind != "none":
        a = activated(page, "activated", _GATES.get(kind, kind), a)
    if gated:
        up = linear(page, "up", x, given(page, own, "W3", "b3"), tree)
        if most is not None:
            up = page.make("clamped_up", lambda up: up.clamp(-most, most), up)
        more = is_true(tree.get("up_plus_one"))
        a = page.make("gated", lambda a, up: a * (up + 1 if more else up), a, up)
    return linear(page, "ffn", a, given(page, own, "W2", "b2"), tree) if "W2" in own else a


def _mixture(page: Page, tree: Tree, x: Quantity) -> Quantity:
    """Σ_e share_e expert_e(x) (arXiv:1701.06538), and an expert that every row goes to."""
    routing = _routing(page, tree, x)
    terms: list[Quantity | None] = []
    for e, expert in enumerate(tree["experts"]):
        at = page.at(f"experts[{e + 1}]")
        share = at.make("share", lambda p, e=e: p[:, [e]], routing)
        terms += [share, _network(at, expert, tree, x)]
    if "shared_expert" in tree:
        terms += _shared(page.at("shared_expert"), tree["shared_expert"], tree, x)

    def formula(*terms: Tensor | None) -> Tensor:
        pairs = zip(terms[::2], terms[1::2], strict=True)
        return sum(y if share is None else share * y for share, y in pairs)

    return page.make("mixture", formula, *terms)


def _shared(page: Page, own: Tree, tree: Tree, x: Quantity) -> list[Quantity | None]:
    """The gate σ(x W_G), if it has one, and E(x)."""
    y = _network(page, own, tree, x)
    if "W_G" not in own:
        return [None, y]
    logit = linear(page, "gate_logit", x, given(page, own, "W_G", "b_G"), tree)
    gate = activated(page, "gate", "sigmoid", logit)
    return [gate, y]


def _routing(page: Page, tree: Tree, x: Quantity) -> Quantity:
    """How much of each row goes to each expert, 0 for those that aren't among its k best."""
    router, record = page.at("router"), tree["router"]
    k = min(int(record.get("top_k", 2)), len(tree["experts"]))
    logits = linear(router, "affinity", x, given(router, record, "W_R", "b_R"), {**tree, **record})
    if record.get("softmax", "chosen") == "chosen":
        hidden = ~_largest(logits, k)
        kept = router.make("chosen_affinity", lambda x: x.masked_fill(hidden, -torch.inf), logits)
        return softmax(page, "routing", kept)
    p = softmax(router, "probabilities", logits)
    chosen = _largest(p, k)
    if not is_true(record.get("renormalize")):
        return page.make("routing", lambda p: p * chosen, p)
    total = router.make("chosen_sum", lambda p: (p * chosen).sum(dim=1, keepdim=True), p)
    return page.make("routing", lambda p, total: p * chosen / total, p, total)


def _largest(x: Quantity, k: int) -> Tensor:
    """The first of equal ones goes first."""
    order = (-x.tensor.detach()).argsort(dim=1, stable=True)[:, :k]
    return torch.zeros(x.shape, dtype=torch.bool).scatter(1, order, value=True)
