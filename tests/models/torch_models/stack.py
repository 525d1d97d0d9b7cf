"""A whole scenario: embeddings, positions, layers, an encoder before them and a loss after them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from tests.models.torch_models import positions
from tests.models.torch_models.attention import Around
from tests.models.torch_models.layer import Memory, Place, layer
from tests.models.torch_models.linear import given, linear
from tests.models.torch_models.norms import norm
from tests.models.torch_models.page import Page, Quantity, Tensor, Tree, numbers, there
from tests.models.torch_models.prediction import loss_of, lost, of_probabilities, predicted
from tests.models.torch_models.recurrent import read_out, recurrent

_ATTENTION = ("W_Q", "Q", "scores", "scaled", "weights", "output", "projection")
_HELD = (
    "weights_layout", "heads", "kv_heads", "scale", "softcap", "softcap_order", "temperature",
    "softmax", "mask", "mask_value", "qk_norm", "rope", "projection", "average_heads", "block", "norm",
    "norms", "residuals", "residual_scale", "parallel", "activation", "gated", "clamp",
    "up_plus_one", "router",
    "cell", "direction", "gate_order", "reset", "update",
)  # fmt: skip
"""What the top says for all layers."""
_NOT_OF_AN_ENCODER = ("block", "mask", "cell", "direction")


class End(NamedTuple):
    """What a model comes to: rows of numbers, the logits that they are made of, the names of their
    columns."""

    page: Page
    rows: Quantity
    logits: Quantity
    classes: Sequence[str]


def work(data: Tree) -> tuple[Page, Quantity]:
    """All that a scenario with targets makes, and its loss."""
    end = end_of(data)
    if "probabilities" in data:
        return end.page, of_probabilities(end.page, data, end.rows, end.classes)
    x = end.rows if loss_of(data) == "mse" else end.logits
    return end.page, lost(end.page, data, x, end.classes)


def end_of(data: Tree) -> End:
    """What a scenario makes before there is a loss."""
    page = Page()
    given = next((key for key in ("logits", "probabilities") if key in data), None)
    if given:
        rows = logits = page.given(data, given)
    else:
        x, last, tree = _stack(page, data)
        found = None if "unembedding" in data or "cell" not in tree else read_out(last, tree)
        rows, logits = found or [predicted(page, data, x)] * 2
    return End(page, rows, logits, _classes(data, rows.shape[1]))


def _classes(data: Tree, width: int) -> Sequence[str]:
    """The names of the logits."""
    if "labels" in data:
        return [str(value) for value in data["labels"]]
    tied, ids = data.get("unembedding") == "tied", data.get("vocabulary", {})
    table = data.get("embeddings")
    names = (
        [*table] if isinstance(table, Mapping) else sorted(ids, key=lambda value: int(ids[value]))
    )
    if ids and not tied:
        names = sorted(ids, key=lambda value: int(ids[value]))
    unnamed = data.get("predict_from") == "first" and not tied
    if len(names) == width and not unnamed:
        return names
    first = 1 if "W_ya" in _layers(data)[-1] and "unembedding" not in data else 0
    return [str(j + first) for j in range(width)]


def _stack(page: Page, data: Tree) -> tuple[Quantity, Page, Tree]:
    """What a stack puts out, and the place and the record of its last layer."""
    memory = _memory(page, data)
    pairs = positions.listed(data.get("positions", "none"))
    x = _embedded(page, data, pairs)
    inputs = {
        name: page.given(data, key)
        for name, key in (("Q", "queries"), ("K", "keys"), ("V", "values"))
        if key in data
    }
    layers = _layers(data)
    for i, entries in enumerate(layers):
        at = page.at(f"layers[{i + 1}]") if len(layers) > 1 else page
        if "cell" in entries:
            x = recurrent(at, entries, there(x))
        else:
            own = inputs if i == 0 else {}
            x = layer(at, entries, x, _place(data, entries, _Found(page, pairs, memory, own)))
    if data.get("final_norm", "none") != "none":
        own = {**data.get("norms", {}), **(data["final_norm"] or {})}
        x = norm(page.at("final_norm"), own, there(x))
    if "project_out" in data:
        x = _projected(page, data, "project_out", there(x))
    return there(x), at, entries


class _Found(NamedTuple):
    """What the layers of a stack find: its place, positions, memory, and inputs of the first."""

    page: Page
    positions: Sequence[tuple[str, Tree]]
    memory: Memory | None
    inputs: Mapping[str, Quantity]


def _place(data: Tree, tree: Tree, found: _Found) -> Place:
    """What a layer finds; one that looks at the memory alone has no positions."""
    page, pairs, memory, inputs = found
    decoder = tree.get("block") == "decoder"
    bare = memory is not None and tree.get("block", "attention") == "attention"
    names = memory.names if bare and memory else _tokens(data)
    around = Around(names, () if bare else pairs, page, causal=decoder)
    attends = isinstance(tree.get("heads"), list) or any(key in tree for key in _ATTENTION)
    return Place(around, inputs, memory if bare or decoder else None, attends)


def _layers(data: Tree) -> list[Tree]:
    if "layers" not in data:
        return [data]
    held = {key: data[key] for key in _HELD if key in data and not _is_list_of_maps(data[key])}
    bare = {key: value for key, value in held.items() if key != "cell"}
    return [
        {"block": "encoder", **(bare if "block" in entry else held), **entry}
        for entry in data["layers"]
    ]


def _is_list_of_maps(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], Mapping)
        and "mask" not in value
    )


def _tokens(data: Tree) -> list[str]:
    if "tokens" in data:
        return [str(token) for token in data["tokens"]]
    if "sentence" in data:
        return str(data["sentence"]).split()
    return [*data["X"]] if isinstance(data.get("X"), Mapping) else []


def _memory(page: Page, data: Tree) -> Memory | None:
    if "memory" in data:
        value = data["memory"]
        return Memory(page.given(data, "memory"), [*value] if isinstance(value, Mapping) else [])
    if "encoder" not in data:
        return None
    own = data["encoder"]
    value = {**_inherited(data, own), **own}
    return Memory(_stack(page.at("encoder"), value)[0], _tokens(value))


def _inherited(data: Tree, own: Tree) -> dict[str, Any]:
    """What an encoder takes over from the stack that reads it."""
    taken = {
        key: data[key]
        for key in _HELD
        if key in data and key not in _NOT_OF_AN_ENCODER and not _has_numbers(data[key])
    }
    if "heads" in own:
        taken.pop("kv_heads", None)
    if "X" in own:
        return taken
    taken |= {key: data[key] for key in ("embedding_scale",) if key in data}
    if "positions" in data and not _has_rows(data["positions"]):
        taken["positions"] = data["positions"]
    return taken


def _has_numbers(value: Any) -> bool:
    """Whether matrices or rows of numbers are among what is said."""
    if isinstance(value, Mapping):
        return any(map(_has_numbers, value.values()))
    return isinstance(value, list)


def _has_rows(value: Any) -> bool:
    return any(tree["kind"] == "rows" or "table" in tree for _, tree in positions.listed(value))


def _embedded(page: Page, data: Tree, pairs: Sequence[tuple[str, Tree]]) -> Quantity | None:
    """Rows of the table, or patches of a picture; scaled, with positions and segments added."""
    if "X" in data:
        return page.given(data, "X")
    if "patches" not in data and "embeddings" not in data:
        return None
    n, d = _shape(data)
    when = data["project_in"].get("when", "before") if "project_in" in data else ""
    wide = _width(data, "project_in") if when else d
    cached = len(_layers(data)[0].get("cache", {}).get("tokens", ()))
    terms = positions.added(page, pairs, (n, wide if when == "before" else d), cached)
    if "segments" in data:
        rows = [int(segment) for segment in data["segments"]]
        terms.append(page.make("S", lambda x: x[rows], page.given(data, "segment_embeddings")))
    normed = "embedding_norm" in data
    left = [when == "before", bool(terms), normed, when == "after"]
    scale = data.get("embedding_scale", "none")
    x = _rows(page, data, "E" if any(left) or scale != "none" else "X")
    if scale != "none":
        by = math.sqrt(wide) if scale == "sqrt_d_model" else float(scale)
        x = page.make("scaled_E" if any(left) else "X", lambda x: by * x, x)
    if when == "before":
        x = _projected(page, data, "project_in", x, is_x=not any(left[1:]))
    if terms:
        x = page.make("summed" if any(left[2:]) else "X", lambda *x: sum(x), x, *terms)
    if normed:
        entries = {**data.get("norms", {}), **(data["embedding_norm"] or {})}
        at = page.at("embedding_norm")
        x = norm(at, entries, x, (at, "normed") if when == "after" else (page, "X"))
    return _projected(page, data, "project_in", x, is_x=True) if when == "after" else x


def _projected(page: Page, data: Tree, key: str, x: Quantity, *, is_x: bool = False) -> Quantity:
    """x W + b, of another width (arXiv:1909.11942, arXiv:2205.01068)."""
    at, entries = page.at(key), {**data[key], "weights_layout": data.get("weights_layout")}
    matrices = given(at, entries, "W", "b")
    return linear(page, "X" if is_x else f"{key}.projected", x, matrices, entries)


def _width(data: Tree, key: str) -> int:
    """That of what a projection makes."""
    return int(numbers(data[key]["W"]).shape[data.get("weights_layout") != "linear"])


def _shape(data: Tree) -> tuple[int, int]:
    if "patches" in data:
        n = len(data["patches"]) + ("class_token" in data)
        return n, numbers(data.get("W_patch", data["patches"])).shape[1]
    n = len(_tokens(data))
    if data["embeddings"] == "one_hot":
        return n, _one_hot(data).shape[1]
    return n, numbers(data["embeddings"]).shape[1]


def _one_hot(data: Tree) -> Tensor:
    """A 1 in the place of the token among the IDs, or among the tokens as they first appear."""
    ids = data.get("vocabulary", {})
    order = sorted(ids, key=ids.__getitem__) or [*dict.fromkeys(_tokens(data))]
    return torch.eye(len(order), dtype=torch.float64)[[order.index(t) for t in _tokens(data)]]


def _rows(page: Page, data: Tree, name: str) -> Quantity:
    """Those of tokens (or a 1 in the place of each), or what patches are multiplied to, with a
    class token in front (arXiv:2010.11929, 3.1)."""
    if "patches" in data:
        return _patches(page, data, name)
    table = data["embeddings"]
    if table == "one_hot":
        return page.make(name, lambda: _one_hot(data))
    places = [*table] if isinstance(table, Mapping) else None
    ids = [places.index(t) if places else int(data["vocabulary"][t]) for t in _tokens(data)]
    return page.make(name, lambda x: x[ids], page.given(data, "embeddings"))


def _patches(page: Page, data: Tree, name: str) -> Quantity:
    x = page.given(data, "patches")
    if "W_patch" in data:
        made = "patch_embeddings" if "class_token" in data else name
        x = linear(page, made, x, given(page, data, "W_patch", "b_patch"), data)
    if "class_token" in data:
        return page.make(name, lambda *x: torch.vstack(x), page.given(data, "class_token"), x)
    return x
