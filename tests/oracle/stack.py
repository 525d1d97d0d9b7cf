"""A stack: embedded tokens, layers, the final norm; the encoder before it, the prediction after."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import localcontext
from pathlib import Path
from typing import Any

import yaml

from tests.oracle.attention import Inputs
from tests.oracle.figures import Arrays, Book
from tests.oracle.layer import SETTINGS, Memory, layer, norm, normed, settings
from tests.oracle.matrices import Record, is_source, matrix
from tests.oracle.positions import added, kinds, of_kind
from tests.oracle.predict import identities, predict


def read(text: str) -> dict[str, Any]:
    """A scenario's text as PyYAML reads it, every scalar a string."""
    data = yaml.load(text, Loader=yaml.BaseLoader)
    assert isinstance(data, dict)
    return data


def work(data: Mapping[str, Any], folder: Path = Path()) -> Arrays:
    """Every quantity of a scenario by its full name; `folder` is where its files are."""
    rounding = data.get("rounding", {})
    book = Book(
        carry=rounding.get("policy", "carry") == "carry",
        decimals=int(rounding.get("decimals", 3)),
        steps=rounding.get("steps", {}),
        quantities=rounding.get("quantities", {}),
        folder=folder,
    )
    with localcontext() as context:
        context.prec = 300
        x = stack(book, data)
        if x is not None:
            predict(book, data, x)
    return book.pages


def stack(book: Book, data: Record) -> Any | None:
    """A stack's output, [n, d_model]."""
    memory = _memory(book, data)
    positions = kinds(data["positions"]) if "positions" in data else []
    x = _embedded(book, data, positions)
    outer = settings(data, SETTINGS)
    layers = [{"block": "encoder", **outer, **one} for one in data.get("layers", ())]
    # without `layers` the top itself is one layer, with all that it says
    for i, record in enumerate(layers or [dict(data)], 1):
        place = book.at(f"layers[{i}]") if len(layers) > 1 else book
        bare = record.get("block", "attention") == "attention"
        seen = memory.rows if memory is not None and bare else x
        inputs = Inputs(
            queries=_own(book, data, "queries", x),
            keys=_own(book, data, "keys", seen),
            values=_own(book, data, "values", seen),
            key_names=memory.names if memory is not None and bare else _tokens(data),
            rope=of_kind(positions, "rope"),
            alibi=of_kind(positions, "alibi"),
        )
        x = layer(place, record, inputs, memory)
        if x is None:
            return None
    if "final_norm" in data:
        record = {**data.get("norms", {}), **(data["final_norm"] or {})}
        x = norm(book.at("final_norm"), record, x)
    return x


def _own(book: Book, data: Record, name: str, otherwise: Any) -> Any:
    return matrix(book, data[name]) if name in data else otherwise


def _memory(book: Book, data: Record) -> Memory | None:
    if "encoder" in data:
        rows = stack(book.at("encoder"), data["encoder"])
        return Memory(rows, _tokens(data["encoder"]))
    if "memory" not in data:
        return None
    named = isinstance(data["memory"], Mapping) and not is_source(data["memory"])
    names = [str(name) for name in data["memory"]] if named else []
    return Memory(matrix(book, data["memory"]), names)


def _tokens(data: Record) -> list[str]:
    if "tokens" in data:
        return [str(token) for token in data["tokens"]]
    if "sentence" in data:
        return str(data["sentence"]).split()
    rows = data.get("X", ())
    return [str(name) for name in rows] if isinstance(rows, Mapping) else []


def _embedded(book: Book, data: Record, positions: list[Any]) -> Any | None:
    """Rows of the table, scaled, with positions and segments added, and normed."""
    if "X" in data:
        return book.copy("X", matrix(book, data["X"]))
    if "embeddings" not in data:
        return None
    ids, tokens = identities(data), _tokens(data)
    size = 1 + max(ids.values()), int(data.get("d_model", 0))
    x = E = matrix(book, data["embeddings"], size)[[ids[token] for token in tokens]]
    scale, record = data.get("embedding_scale", "none"), data.get("embedding_norm")
    if scale != "none":
        factor = book.root(E.shape[1]) if scale == "sqrt_d_model" else book.number(scale)
    terms = _added(book, data, positions, E.shape)
    if scale != "none":
        last = not terms and record is None
        x = book.keep("X" if last else "scaled_E", E * factor, step="embed")
    if terms:
        x = book.keep("X" if record is None else "summed", sum(terms, x))
    if record is not None or terms or scale != "none":
        book.copy("E", E)
    if record is not None:
        record = {**data.get("norms", {}), **record}
        return book.keep("X", normed(book.at("embedding_norm"), record, x), step="norm")
    return book.copy("X", x)


def _added(book: Book, data: Record, positions: list[Any], shape: tuple[int, int]) -> list[Any]:
    """What is added to the embeddings: positions and segments."""
    P = added(book, positions, *shape)
    terms = [] if P is None else [P]
    if "segments" in data:
        rows = [int(segment) for segment in data["segments"]]
        S = matrix(book, data["segment_embeddings"], (max(rows) + 1, shape[1]))[rows]
        terms.append(book.copy("S", S))
    return terms
