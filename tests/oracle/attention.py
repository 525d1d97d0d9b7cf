"""Attention: projections, heads, masks, softmax (Vaswani et al., Attention Is All You Need, 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.oracle.figures import Book
from tests.oracle.matrices import Record, linear, matrix
from tests.oracle.positions import alibi, rotated


@dataclass(frozen=True)
class Inputs:
    """What attention works on: rows [n, d], [m, d'], the keys' names, the positions' kinds."""

    queries: Any
    keys: Any
    values: Any
    key_names: list[str]
    rope: Record | None = None
    alibi: Record | None = None
    causal: bool = False


def attention(book: Book, record: Record, inputs: Inputs) -> Any | None:
    """[n, d_model], or None where the scenario gives too little to get so far."""
    if "cache" in record:
        cached = list(record["cache"].get("tokens", []))
        inputs = replace(inputs, key_names=cached + inputs.key_names)
    own = record.get("heads", 1)
    outputs = _own(book, record, own, inputs) if isinstance(own, list) else None
    if outputs is None:
        outputs = _split(book, record, int(own), inputs)
    if outputs[0] is None:
        return None
    merged = outputs[0] if len(outputs) == 1 else book.copy("concat", np.hstack(outputs))
    if "W_O" not in record:
        return merged
    d_model = inputs.queries.shape[1]
    return book.keep("attention", linear(book, record, ("W_O", "b_O"), merged, d_model))


def _own(book: Book, record: Record, heads: list[Any], inputs: Inputs) -> list[Any]:
    """Heads with matrices of their own."""
    outputs = []
    for j, head in enumerate(heads):
        place = book.at(f"heads[{j + 1}]") if len(heads) > 1 else book
        merged = {**record, **head}
        Q, K, V = _project(place, merged, inputs, (len(heads), len(heads)))
        outputs.append(_head(place, merged, (Q, K, V), inputs, (j, len(heads))))
    return outputs


def _split(book: Book, record: Record, heads: int, inputs: Inputs) -> list[Any]:
    """Heads that are runs of the columns of Q, K and V, a run of K and V for each group."""
    groups = int(record.get("kv_heads", heads))
    Q, K, V = _project(book, record, inputs, (heads, groups))
    if heads == 1:
        return [_head(book, record, (Q, K, V), inputs, (0, 1))]
    outputs = []
    for j in range(heads):
        place, g = book.at(f"heads[{j + 1}]"), j * groups // heads
        runs = (
            place.copy("Q", np.split(Q, heads, axis=1)[j]),
            place.copy("K", np.split(K, groups, axis=1)[g]),
            place.copy("V", np.split(V, groups, axis=1)[g]),
        )
        outputs.append(_head(place, record, runs, inputs, (j, heads)))
    return outputs


def _project(book: Book, record: Record, inputs: Inputs, counts: tuple[int, int]) -> list[Any]:
    """Q, K and V, those of the cache above the new ones."""
    heads, groups = counts
    own = isinstance(record.get("heads"), list)
    d_model = 0 if inputs.queries is None else inputs.queries.shape[1]
    d_k = int(record.get("d_k", d_model // heads))
    widths = {"Q": d_k * heads, "K": d_k * groups, "V": int(record.get("d_v", d_k)) * groups}
    rows = {"Q": inputs.queries, "K": inputs.keys, "V": inputs.values}
    return [
        _projected(book, record, name, rows[name], widths[name] // (heads if own else 1))
        for name in "QKV"
    ]


def _projected(book: Book, record: Record, name: str, x: Any, width: int) -> Any | None:
    if name in record:
        return book.copy(name, matrix(book, record[name]))
    if record.get("projection") == "none":
        return book.copy(name, x)
    if f"W_{name}" not in record:
        return None
    new = linear(book, record, (f"W_{name}", f"b_{name}"), x, width)
    if "cache" not in record or name == "Q":
        return book.keep(name, new)
    old = matrix(book, record["cache"][name])
    return book.copy(name, np.vstack([old, book.keep(f"{name}_new", new)]))


def _head(
    book: Book, record: Record, projected: tuple[Any, Any, Any], inputs: Inputs,
    place: tuple[int, int],
) -> Any | None:  # fmt: skip
    """One head's output: softmax(Q Kᵀ / √d_k + …) V."""
    Q, K, V = projected
    if "output" in record:
        return book.copy("output", matrix(book, record["output"]))
    if "weights" in record:
        weights = book.copy("weights", matrix(book, record["weights"]))
    else:
        weights = softmax(book, _masked(book, record, (Q, K), inputs, place))
    if "dropout" in record:
        dropout = record["dropout"]
        kept = matrix(book, dropout["mask"])
        weights = book.keep("dropped", weights * kept / (1 - book.number(dropout["p"])))
    return None if V is None else book.keep("output", weights @ V)


def _masked(
    book: Book, record: Record, projected: tuple[Any, Any], inputs: Inputs, place: tuple[int, int]
) -> Any:
    """The scores as the softmax gets them: scaled, capped, biased, tempered, masked."""
    x = _scaled(book, record, projected, inputs)
    if "softcap" in record:
        cap = book.number(record["softcap"])
        x = book.keep("capped", cap * book.apply("tanh", x / cap))
    x = _biased(book, record, inputs, place, x)
    if "temperature" in record:
        x = book.keep("tempered", x / book.number(record["temperature"]))
    if not _masks(record, inputs):
        return x
    seen = mask(book, record, inputs, x.shape)
    book.copy("mask", book.numbers(seen.astype(int)))
    instead = book.number(record.get("mask_value", "-inf"))
    return book.copy("masked", np.where(seen, x, instead))


def _scaled(book: Book, record: Record, projected: tuple[Any, Any], inputs: Inputs) -> Any:
    Q, K = projected
    if "scaled" in record:
        return book.copy("scaled", matrix(book, record["scaled"]))
    if "scores" in record:
        scores = book.copy("scores", matrix(book, record["scores"]))
    else:
        if inputs.rope is not None:
            Q = rotated(book, inputs.rope, "Q", Q, len(K) - len(Q))
            K = rotated(book, inputs.rope, "K", K, 0)
        scores = book.keep("scores", Q @ K.T)
    scale = record.get("scale", "sqrt_d_k")
    if scale == "none":
        return scores
    divisor = book.root(K.shape[1]) if scale == "sqrt_d_k" else book.number(scale)
    return book.keep("scaled", scores / divisor)


def softmax(book: Book, x: Any, prefix: str = "", name: str = "weights") -> Any:
    """e^x over the sum of its row."""
    e = book.keep(f"{prefix}exp", book.apply("exp", x))
    total = book.keep(f"{prefix}exp_sum", e.sum(axis=1, keepdims=True))
    return book.keep(name, e / total)


def _masks(record: Record, inputs: Inputs) -> list[Any]:
    said = record.get("mask", "causal" if inputs.causal else [])
    return [one for one in (said if isinstance(said, list) else [said]) if one != "none"]


def _biased(book: Book, record: Record, inputs: Inputs, place: tuple[int, int], x: Any) -> Any:
    """The scores with biases and distances added, then each mask of numbers; −inf hides later."""
    terms = []
    if inputs.alibi is not None:
        terms.append(book.keep("alibi", alibi(book, inputs.alibi, *place, x.shape)))
    if "bias" in record:
        terms.append(matrix(book, record["bias"]))
    if terms:
        x = book.keep("biased", sum(terms, x))
    masks = (one for one in _masks(record, inputs) if isinstance(one, Mapping) and "add" in one)
    for count, one in enumerate(masks, 1):
        figures = matrix(book, one["add"])
        figures[figures == book.number("-inf")] = book.number(0)
        x = book.keep("added" if count == 1 else f"added{count}", x + figures)
    return x


def mask(book: Book, record: Record, inputs: Inputs, shape: tuple[int, int]) -> Any:
    """Which keys each query sees, [n, m]."""
    n, m = shape
    i, j = np.arange(n)[:, None] + (m - n), np.arange(m)[None, :]
    seen = np.ones(shape, dtype=bool)
    for one in _masks(record, inputs):
        if one == "causal":
            seen &= j <= i
        elif "padding" in one:
            seen &= ~_is_padding(one["padding"], inputs.key_names, m)
        elif "window" in one:
            seen &= abs(i - j) < int(one["window"])
        elif "add" in one:
            seen &= matrix(book, one["add"]) != book.number("-inf")
        else:
            kind = "allowed" if "allowed" in one else "blocked"
            seen &= _truths(one[kind]) == (kind == "allowed")
    return seen


def _truths(rows: Any) -> Any:
    return np.vectorize(lambda x: str(x).lower() in {"true", "1", "1.0"}, otypes=[bool])(
        np.array(rows, dtype=object)
    )


def _is_padding(named: list[Any], key_names: list[str], m: int) -> Any:
    """[1, m]: keys that are named by their token, or by a position counted from 1."""
    names = {str(x) for x in named}
    tokens = key_names or [""] * m
    return np.array([[str(j + 1) in names or tokens[j] in names for j in range(m)]])
