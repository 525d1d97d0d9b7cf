"""A stack: embedded tokens, layers, the final norm; the encoder before it, the prediction after."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import localcontext
from pathlib import Path
from random import Random

import numpy as np

from attncli.oracle import slopes
from attncli.oracle.attention import Inputs
from attncli.oracle.book import Book, Record
from attncli.oracle.dictionary import tell as tell_dictionary
from attncli.oracle.layer import Memory, Surroundings, layer, settings
from attncli.oracle.losses import loss_name
from attncli.oracle.matrices import is_source, linear, matrix
from attncli.oracle.merges import learned, tell
from attncli.oracle.norms import norm, normed
from attncli.oracle.numerals import Numbers
from attncli.oracle.positions import added, kinds, of_kind
from attncli.oracle.predict import predict, predict_given, predict_read_out
from attncli.oracle.tape import Made, WaysBack, named_parts
from attncli.oracle.text import (
    dictionary_of,
    embeddings,
    identities,
    names_of,
    tokens,
    vocabulary,
    with_lines,
)
from attncli.oracle.training import train, trained
from attncli.oracle.unigram import is_unigram
from attncli.oracle.unigram import tell as tell_unigram
from attncli.oracle.written import inherited, written_out

Arrays = dict[str, Numbers]

_SEPARATE = {"Q": "queries", "K": "keys", "V": "values"}


def work(data: Record, folder: Path | None = None, *, decimal: bool = False) -> Arrays:
    """Every quantity of a scenario by its full name, [n, m]: decimals under `carry`, else floats.

    `folder` is where its files are. `decimal` asks for decimals of sixty digits under `exact`,
    too. Raises ArithmeticError (of which decimal.DecimalException is one) where numbers can't be
    worked, such as a softmax whose exponentials all round to 0.
    """
    return worked(data, folder or Path(), decimal=decimal).pages


def worked(
    data: Record,
    folder: Path,
    start: Record | None = None,
    *,
    decimal: bool = False,
    rng: Random | None = None,
    roots: Collection[int] = (),
) -> Book:
    """The book of a scenario, with every quantity in it; `start` has numbers that stand in the
    place of what would be worked, by full names. With an `rng`, numbers are rounded, or not, as
    it happens, and so are `roots`."""
    data = written_out(with_lines(data, folder))
    book = Book.of(data, folder, start or {}, decimal=decimal, rng=rng, roots=roots)
    backward, training = str(data.get("backward")).lower() == "true", data.get("train")
    if training and str(training.get("steps")) == "0":  # which comes to the gradients alone
        backward, training = True, None
    if backward or training:
        data = named_parts(data, book.tape)
    with localcontext() as context:
        context.prec = book.precision
        _work(book, data)
        if training and not backward:
            book.tape.given.intersection_update(trained(training, book.tape.given))
        if backward or training:
            book.tape.go_back(loss_name(data), book.numbers([[1]]), book.gradient)
        if training:
            book.tape.given.intersection_update(trained(training, book.tape.given))
            train(book, training, loss_name(data), lambda own: _work(own, data))
    return book


def _work(book: Book, data: Record) -> None:
    """The way forth."""
    given = "logits" in data or "probabilities" in data
    if given:
        predict_given(book, data)
    x = None if given else _stack(book, data)
    if x is not None and not _reads_out(book, data):
        predict(book, data, x)


def _reads_out(book: Book, data: Record) -> bool:
    """Whether targets are of what the last layer's cell reads out, whose loss is worked then."""
    layers = _layers(data)
    own = "W_ya" in layers[-1] and "cell" in layers[-1]
    if not own or "targets" not in data or "unembedding" in data:
        return False
    place = book.at(f"layers[{len(layers)}]") if len(layers) > 1 else book
    backward = str(data.get("backward")).lower() == "true" or "train" in data
    return predict_read_out(book, place, data, backward=backward)


def _stack(book: Book, data: Record) -> Numbers | None:
    """A stack's output, [n, d_model]."""
    memory = _memory(book, data)
    whole = dictionary_of(data)
    if whole is not None:
        tell_dictionary(book, whole)
    tell(book, data)
    tell_unigram(book, data)
    positions = kinds(data["positions"]) if "positions" in data else []
    x = _embedded(book, data, positions)
    own = {name: matrix(book, data[key]) for name, key in _SEPARATE.items() if key in data}
    layers = _layers(data)
    names = names_of(data.get("queries")) or tokens(data)
    for i, record in enumerate(layers):
        place = book.at(f"layers[{i + 1}]") if len(layers) > 1 else book
        bare = memory is not None and record.get("block", "attention") == "attention"
        seen = memory if bare else None
        keys = (names_of(data.get("keys")) or tokens(data)) if i == 0 else names
        names = names_of(record.get("Q")) or names
        inputs = Inputs(
            rows={},
            key_names=keys if seen is None else seen.names,
            rope=None if bare else of_kind(positions, "rope"),
            alibi=None if bare else of_kind(positions, "alibi"),
            relative=None if bare else of_kind(positions, "relative"),
            causal=record.get("block") == "decoder",
        )
        fixed = {**({} if seen is None else seen.fixed), **({} if i else own)}
        x = layer(place, record, x, Surroundings(inputs, fixed, memory))
    if "final_norm" in data and x is not None:
        x = norm(book.at("final_norm"), _own_norm(data, "final_norm"), x)
    return x


def _layers(data: Record) -> list[Record]:
    """The layers with what holds for all of them; without any the top itself is one, with all
    that it says."""
    outer = settings(data)
    bare = {key: value for key, value in outer.items() if key != "cell"}
    layers = data.get("layers", ())
    return [
        {"block": "encoder", **(bare if "block" in one else outer), **one} for one in layers
    ] or [data]


def _own_norm(data: Record, key: str) -> Record:
    return {**data.get("norms", {}), **(data[key] or {})}


def _memory(book: Book, data: Record) -> Memory | None:
    if "encoder" in data:
        rounding = _inside("encoder", data.get("rounding") or {})
        encoder = data["encoder"]
        taken = inherited(settings(data), data, encoder)
        inner = {**taken, **_shared(data, encoder), **encoder, "rounding": rounding}
        rows = _stack(book.at("encoder"), inner)
        return None if rows is None else Memory(rows, tokens(inner))
    if "memory" not in data:
        return None
    return Memory(matrix(book, data["memory"]), names_of(data["memory"]))


def _inside(path: str, rounding: Record) -> Record:
    """What is said of rounding by the names that quantities have below a path."""
    prefix, names = f"{path}.", rounding.get("quantities") or {}
    below = [name for name in names if "." not in name or name.startswith(prefix)]
    return {**rounding, "quantities": {name.removeprefix(prefix): names[name] for name in below}}


def _shared(data: Record, inner: Record) -> Record:
    """What an encoder takes over: the table of embeddings if it has none, and the vocabulary that
    goes with IDs."""
    table = inner.get("embeddings")
    by_token = isinstance(table, Mapping) and not is_source(table)
    if "X" in inner or by_token:
        return {}
    if table is not None and (is_unigram(inner) or learned(inner) is not None):
        return {}
    keys = () if table is not None or "embeddings" not in data else ("embeddings",)
    known = vocabulary(data)
    return {key: data[key] for key in keys} | ({"vocabulary": known} if known else {})


def _embedded(book: Book, data: Record, positions: Sequence[object]) -> Numbers | None:
    """Rows of the table, scaled, with positions and segments added, and normed."""
    if "X" in data:
        return book.copy("X", matrix(book, data["X"]), step="embed")
    if "patches" in data:
        return _with_more(book, data, positions, *_patches(book, data))
    if "embeddings" not in data or not tokens(data):
        _alone(book, data, positions)
        return None
    ids = identities(data)
    table = embeddings(book, data, int(data.get("d_model", 0)))
    rows = [ids[token] for token in tokens(data)]
    return _with_more(book, data, positions, table[rows], [(table, slopes.taken_rows(table, rows))])


def _alone(book: Book, data: Record, positions: Sequence[object]) -> None:
    """Positions and segments of tokens that have no embeddings."""
    if tokens(data):
        _added(book, data, positions, (len(tokens(data)), int(data.get("d_model", 0))))


def _patches(book: Book, data: Record) -> Made:
    """Patches times their matrix, with a class token in front (Dosovitskiy et al. 2020,
    arXiv:2010.11929, 3.1)."""
    x = matrix(book, data["patches"])
    if "W_patch" in data:
        found = linear(book, data, ("W_patch", "b_patch"), x, int(data.get("d_model", 0)))
        goes_on = any(key in data for key in ("positions", "segments", "embedding_norm"))
        whole = "E" if goes_on else "X"
        made = "patch_embeddings" if "class_token" in data else whole
        x = book.keep(made, *found, step="patch")
    if "class_token" not in data:
        return x, slopes.added(x)
    rows = [matrix(book, data["class_token"]), x]
    return np.concatenate(rows), slopes.one_above_the_other(rows)


def _with_more(
    book: Book,
    data: Record,
    positions: Sequence[object],
    E: Numbers,
    backs: WaysBack,
) -> Numbers:
    """Vectors with all that goes into them."""
    terms = _added(book, data, positions, E.shape)
    factor = _factor(book, data, E.shape[1])
    if not terms and factor is None and "embedding_norm" not in data:
        return E if book.has("X") else book.copy("X", E, backs, step="embed")
    x = E if book.has("E") else book.copy("E", E, backs)
    more = bool(terms) or "embedding_norm" in data
    if factor is not None:
        ways = [(x, slopes.multiplied(factor))]
        x = book.keep("scaled_E" if more else "X", x * factor, ways, step="embed")
    if terms:
        name = "summed" if "embedding_norm" in data else "X"
        x = book.keep(name, sum(terms, x), slopes.added(x, *terms))
    if "embedding_norm" not in data:
        return x
    record = _own_norm(data, "embedding_norm")
    return book.keep("X", *normed(book.at("embedding_norm"), record, x), step="norm")


def _factor(book: Book, data: Record, d_model: int) -> object:
    """What embeddings are multiplied by, √d_model or a number; None for nothing."""
    scale = data.get("embedding_scale", "none")
    if scale == "none":
        return None
    return book.root(d_model) if scale == "sqrt_d_model" else book.number(scale)


def _added(
    book: Book, data: Record, positions: Sequence[object], shape: tuple[int, int]
) -> list[Numbers]:
    """What is added to the embeddings: positions, segments (Devlin et al. 2018,
    arXiv:1810.04805)."""
    cache = _layers(data)[0].get("cache", {})
    terms = added(book, positions, shape, len(cache.get("tokens", ())))
    if "segments" in data:
        rows = [int(segment) for segment in data["segments"]]
        table = matrix(book, data["segment_embeddings"], (max(rows) + 1, shape[1]))
        terms.append(book.copy("S", table[rows], [(table, slopes.taken_rows(table, rows))]))
    return terms
