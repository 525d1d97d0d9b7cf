"""What goes into the first layer: vectors of tokens or patches, and all that is done to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tests.oracle import slopes
from tests.oracle.book import Book, Record
from tests.oracle.matrices import linear, matrix
from tests.oracle.norms import normed, own_norm
from tests.oracle.numerals import Numbers
from tests.oracle.positions import added
from tests.oracle.tape import Made, WaysBack
from tests.oracle.text import embeddings, identities, tokens


class Told(NamedTuple):
    """How the order of tokens is told, and how many of them are cached before the first."""

    positions: Sequence[object]
    cached: int = 0


class _Stage(NamedTuple):
    """Something that is done to vectors, and what it makes unless that is X."""

    place: Book
    name: str
    step: str
    make: Callable[[Numbers], Made]


def embedded(book: Book, data: Record, output: Told) -> Numbers | None:
    """Rows of the table, scaled, projected, with positions and segments added, and normed."""
    if "X" in data:
        return book.copy("X", matrix(book, data["X"]), step="embed")
    if "patches" in data:
        return _with_more(book, data, output, *_patches(book, data))
    if "embeddings" not in data or not tokens(data):
        _alone(book, data, output)
        return None
    ids = identities(data)
    table = embeddings(book, data, _widths(book, data, int(data.get("d_model", 0)))[0])
    rows = [ids[token] for token in tokens(data)]
    return _with_more(book, data, output, table[rows], [(table, slopes.taken_rows(table, rows))])


def projected_out(book: Book, data: Record, x: Numbers) -> Numbers:
    """The last states, as wide as embeddings (Zhang et al. 2022, arXiv:2205.01068)."""
    place = book.at("project_out")
    return place.keep("projected", *_projected(place, data, "project_out", x), step="project_out")


def _alone(book: Book, data: Record, output: Told) -> None:
    """Positions and segments of tokens that have no embeddings."""
    if tokens(data):
        _added(book, data, output, (len(tokens(data)), int(data.get("d_model", 0))))


def _patches(book: Book, data: Record) -> Made:
    """Patches times their matrix, with a class token in front (Dosovitskiy et al. 2020,
    arXiv:2010.11929, 3.1)."""
    x = matrix(book, data["patches"])
    if "W_patch" in data:
        found = linear(book, data, ("W_patch", "b_patch"), x, int(data.get("d_model", 0)))
        more = ("positions", "segments", "embedding_norm", "project_in")
        whole = "E" if any(key in data for key in more) else "X"
        made = "patch_embeddings" if "class_token" in data else whole
        x = book.keep(made, *found, step="patch")
    if "class_token" not in data:
        return x, slopes.added(x)
    rows = [matrix(book, data["class_token"]), x]
    return np.concatenate(rows), slopes.one_above_the_other(rows)


def _with_more(book: Book, data: Record, output: Told, E: Numbers, backs: WaysBack) -> Numbers:
    """Vectors with all that goes into them; the last that is done to them makes X."""
    stages = [*_stages(book, data, output, (len(E), E.shape[1]))]
    if not stages:
        return E if book.has("X") else book.copy("X", E, backs, step="embed")
    x = E if book.has("E") else book.copy("E", E, backs)
    for stage in stages[:-1]:
        x = stage.place.keep(stage.name, *stage.make(x), step=stage.step)
    return book.keep("X", *stages[-1].make(x), step=stages[-1].step)


def _stages(book: Book, data: Record, output: Told, shape: tuple[int, int]) -> Iterator[_Stage]:
    n, (d_embed, d_model) = shape[0], _widths(book, data, shape[1])
    when = data["project_in"].get("when", "before") if "project_in" in data else ""
    place = book.at("project_in")
    project = _Stage(
        place, "projected", "project_in", lambda x: _projected(place, data, "project_in", x)
    )
    factor = _factor(book, data, d_model)
    if factor is not None:
        by = factor
        yield _Stage(book, "scaled_E", "embed", lambda x: (x * by, [(x, slopes.multiplied(by))]))
    if when == "before":
        yield project
    terms = _added(book, data, output, (n, d_model if when == "before" else d_embed))
    if terms:
        yield _Stage(
            book, "summed", "positions", lambda x: (sum(terms, x), slopes.added(x, *terms))
        )
    if "embedding_norm" in data:
        at, entries = book.at("embedding_norm"), own_norm(data, "embedding_norm")
        yield _Stage(at, "normed", "norm", lambda x: normed(at, entries, x))
    if when == "after":
        yield project


def _projected(place: Book, data: Record, key: str, x: Numbers) -> Made:
    """x W + b (Lan et al. 2019, arXiv:1909.11942, 3.1)."""
    entries = {**data[key], "weights_layout": data.get("weights_layout")}
    return linear(place, entries, ("W", "b"), x, int(data.get("d_model", 0)))


def _widths(book: Book, data: Record, width: int) -> tuple[int, int]:
    """Those of the embeddings and of the model, where one is known."""
    if "project_in" not in data:
        return width, width
    W = matrix(book, data["project_in"]["W"], (width, int(data.get("d_model", 0))))
    rows, columns = W.shape
    return (columns, rows) if data.get("weights_layout") == "linear" else (rows, columns)


def _factor(book: Book, data: Record, d_model: int) -> object:
    """What embeddings are multiplied by, √d_model or a number; None for nothing."""
    scale = data.get("embedding_scale", "none")
    if scale == "none":
        return None
    return book.root(d_model) if scale == "sqrt_d_model" else book.number(scale)


def _added(book: Book, data: Record, output: Told, shape: tuple[int, int]) -> list[Numbers]:
    """What is added to the embeddings: positions, segments (Devlin et al. 2018,
    arXiv:1810.04805)."""
    terms = added(book, output.positions, shape, output.cached)
    if "segments" in data:
        rows = [int(segment) for segment in data["segments"]]
        table = matrix(book, data["segment_embeddings"], (max(rows) + 1, shape[1]))
        terms.append(book.copy("S", table[rows], [(table, slopes.taken_rows(table, rows))]))
    return terms
