"""A stack: embedded tokens, layers, the final norm; the encoder before it, the prediction after."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import localcontext
from pathlib import Path

from tests.oracle.attention import Inputs
from tests.oracle.book import BY_THE_BOOK, Book, Hand, Record
from tests.oracle.dictionary import tell as tell_dictionary
from tests.oracle.embedded import Told, embedded, projected_out
from tests.oracle.layer import Memory, Surroundings, layer, settings
from tests.oracle.losses import measured
from tests.oracle.matrices import is_source, matrix
from tests.oracle.merges import learned, tell
from tests.oracle.norms import norm, own_norm
from tests.oracle.numerals import Numbers
from tests.oracle.positions import kinds, of_kind
from tests.oracle.predict import predict, predict_given, predict_read_out
from tests.oracle.quantized import with_restored
from tests.oracle.tape import named_parts
from tests.oracle.text import dictionary_of, names_of, tokens, vocabulary, with_lines
from tests.oracle.training import train, trained
from tests.oracle.unigram import is_unigram
from tests.oracle.unigram import tell as tell_unigram
from tests.oracle.written import inherited, written_out

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
    hand: Hand = BY_THE_BOOK,
) -> Book:
    """The book of a scenario, with every quantity in it; `start` has numbers that stand in the
    place of what would be worked, by full names. A `hand` may work otherwise than the literature."""
    data = written_out(with_lines(data, folder))
    book = Book.of(data, folder, start or {}, decimal=decimal, hand=hand)
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
            book.tape.go_back(measured(data), book.numbers([[1]]), book.gradient)
        if training:
            book.tape.given.intersection_update(trained(training, book.tape.given))
            train(book, training, measured(data), lambda own: _work(own, data))
    return book


def _work(book: Book, data: Record) -> None:
    """The way forth."""
    data = with_restored(book, data)
    given = "logits" in data or "probabilities" in data
    if given:
        predict_given(book, data)
    x = None if given else _stack(book, data)
    if x is not None and not _reads_out(book, data):
        predict(book, data, x)
    _cache_sizes(book, data)


def _cache_sizes(book: Book, data: Record) -> None:
    """The bytes of a layer's keys and values, times the layers: of the new tokens, and of all."""
    layers = _layers(data)
    for k, said in enumerate(layers, start=1):
        each = (said.get("cache") or {}).get("bytes")
        place = book.at(f"layers[{k}]") if len(layers) > 1 else book
        for made, names in (("new_bytes", ("K_new", "V_new")), ("cache_bytes", ("K", "V"))):
            if each is not None:
                stored = sum(place.pages[f"{place.path}{name}"].size for name in names)
                place.copy(made, book.numbers([[each]]) * len(layers) * stored, step="project")


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
    layers = _layers(data)
    cached = layers[0].get("cache", {}).get("tokens", ())
    x = embedded(book, data, Told(positions, len(cached)))
    own = {name: matrix(book, data[key]) for name, key in _SEPARATE.items() if key in data}
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
    if data.get("final_norm", "none") != "none" and x is not None:
        x = norm(book.at("final_norm"), own_norm(data, "final_norm"), x)
    return projected_out(book, data, x) if "project_out" in data and x is not None else x


def _layers(data: Record) -> list[Record]:
    """The layers with what holds for all of them; without any the top itself is one, with all
    that it says."""
    outer = settings(data)
    bare = {key: value for key, value in outer.items() if key != "cell"}
    layers = data.get("layers", ())
    return [
        {"block": "encoder", **(bare if "block" in layer else outer), **layer} for layer in layers
    ] or [data]


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
