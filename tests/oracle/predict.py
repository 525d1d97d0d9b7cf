"""From the last layer to logits, the next token and the loss."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from tests.oracle import losses, slopes
from tests.oracle.activations import activated
from tests.oracle.book import Book, Record
from tests.oracle.matrices import linear, matrix
from tests.oracle.norms import norm
from tests.oracle.numerals import Number, Numbers, apply, where
from tests.oracle.softmax import softmax
from tests.oracle.tape import Backs, Made
from tests.oracle.text import columns, embeddings


def predict(book: Book, data: Record, x: Numbers) -> None:
    """Logits of the last row or of every one, probabilities, losses."""
    if "unembedding" not in data and "head" not in data:
        if losses.loss_name(data) == "mse" and "targets" in data:
            losses.mse(book, data, _chosen(book, data, x))
        return
    x = _chosen(book, data, x)
    if "head" in data:
        x = _headed(book.at("head"), data, x)
    if "unembedding" not in data:
        return
    logits = _changed(book, data, book.keep("logits", *_logits(book, data, x)))
    _next_and_loss(book, data, logits)


def _chosen(book: Book, data: Record, x: Numbers) -> Numbers:
    """The row of one token, or all of them."""
    which = data.get("predict_from", "every" if "targets" in data else "last")
    if which == "every":
        return x
    step = "head" if "head" in data else "unembed" if "unembedding" in data else "mse"
    row = 0 if which == "first" else len(x) - 1
    backs = [(x, slopes.taken_rows(x, [row]))]
    return book.copy(which, x[row : row + 1], backs, step=step)


def predict_read_out(book: Book, place: Book, data: Record, *, backward: bool) -> bool:
    """The loss of what a recurrent cell reads out, if it does."""
    found = losses.read_out(book, place, backward=backward)
    if found is None:
        return False
    readouts, logits = found
    loss = losses.loss_name(data)
    if loss == "mse":
        losses.mse(book, data, readouts)
    elif loss == "binary_cross_entropy":
        losses.binary(book, data, readouts, logits)
    else:
        _loss(book, data, readouts, logits)
    return True


def _next_and_loss(book: Book, data: Record, logits: Numbers) -> None:
    sampling = data.get("next") or {}
    if data.get("predict_from") == "first" or "head" in data or "labels" in data:
        probabilities = _classes(book, logits)
    else:
        probabilities = _next(book, data, logits)
    if "targets" in data and losses.loss_name(data) == "mse":
        losses.mse(book, data, logits)
    elif "targets" in data:
        if {"repetition_penalty", "temperature", "top_k"} & {*sampling}:
            # the loss is of what the model says, not of how it is sampled
            probabilities = softmax(book, logits, "plain.", "plain.probabilities")
        _loss(book, data, probabilities, logits)


def _headed(book: Book, data: Record, x: Numbers) -> Numbers:
    """norm(activation(x W + b)) (Devlin et al. 2018, arXiv:1810.04805)."""
    head, d = data["head"], x.shape[1]
    own = {**head, "weights_layout": data.get("weights_layout")}
    x = book.keep("hidden", *linear(book, own, ("W", "b"), x, d), step="head")
    kind = head.get("activation", "none")
    if kind != "none":
        x = activated(book, "activated", kind, x, step="head")
    return norm(book.at("norm"), head["norm"] or {}, x) if "norm" in head else x


def _classes(book: Book, logits: Numbers) -> Numbers:
    """The softmax of each row of logits."""
    return softmax(book, logits, "classes.", "probabilities")


def _logits(book: Book, data: Record, x: Numbers) -> Made:
    """x W_U + b_U, where W_U may be the table of embeddings (Press and Wolf 2016,
    arXiv:1608.05859)."""
    d_model, v = x.shape[1], _width(data)
    if not isinstance(data["unembedding"], str):
        return linear(book, data, ("unembedding", "b_U"), x, v)
    table = embeddings(book, data, d_model)
    backs: Backs = [(x, lambda G: G @ table), (table, lambda G: G.T @ x)]
    if "b_U" not in data:
        return x @ table.T, backs
    b_U = matrix(book, data["b_U"], (1, v))
    return x @ table.T + b_U, [*backs, (b_U, slopes.over_tokens)]


def _changed(book: Book, data: Record, x: Numbers) -> Numbers:
    """The logits multiplied (Granite, Cohere) and capped (Gemma 2, arXiv:2408.00118, 2)."""
    if "logit_scale" in data:
        by = book.number(data["logit_scale"])
        x = book.keep("scaled_logits", x * by, [(x, slopes.multiplied(by))], step="unembed")
    if "logit_softcap" in data:
        cap = book.number(data["logit_softcap"])
        bent, backs = cap * apply("tanh", x / cap), [(x, slopes.capped(x, cap))]
        x = book.keep("capped_logits", bent, backs, step="unembed")
    return x


def _width(data: Record) -> int:
    """Columns of a random matrix: enough for every ID, or one a token where IDs have gaps."""
    ids = columns(data)
    most = 1 + max(ids.values(), default=0)
    return most if most <= 2 * len(ids) else len(ids)


def _next(book: Book, data: Record, x: Numbers) -> Numbers:
    """The penalty for repetition (Keskar et al. 2019, arXiv:1909.05858), temperature, the k largest
    logits, softmax, the nucleus (Holtzman et al. 2019, arXiv:1904.09751), those that have a share
    of the largest probability (Nguyen et al. 2024, arXiv:2407.01082), and a draw."""
    record = data.get("next") or {}
    if "repetition_penalty" in record:
        x = _penalized(book, data, book.number(record["repetition_penalty"]), x)
    if "temperature" in record:
        x = book.keep("next.tempered", x / book.number(record["temperature"]))
    if "top_k" in record:
        kept = np.array([_first(row, int(record["top_k"])) for row in x])
        book.copy("next.kept", book.numbers(kept.astype(int)))
        x = book.copy("next.filtered", where(kept, x, book.number("-inf")))
    probabilities = softmax(book, x, "next.", "probabilities")
    shares = _shares(book, record, probabilities)
    if "draw" in record:
        _draw(book, record, shares)
    return probabilities


def _penalized(book: Book, data: Record, penalty: Number, x: Numbers) -> Numbers:
    places = _places(data, x.shape[1])
    tokens = [str(token) for token in data.get("tokens", str(data.get("sentence", "")).split())]
    new = np.ones(x.shape, dtype=int)
    for i in range(len(x)):
        for token in tokens[: len(tokens) - len(x) + i + 1]:
            new[i, places[token]] = 0
    book.copy("next.new", book.numbers(new))
    changed = [[a if k else a / penalty if a > 0 else a * penalty for a, k in zip(*pair, strict=True)]
               for pair in zip(x, new, strict=True)]  # fmt: skip
    return book.keep("next.penalized", np.array(changed, dtype=x.dtype))


def _shares(book: Book, record: Record, probabilities: Numbers) -> Numbers:
    """What top-p and min-p leave of the probabilities, divided by their sum."""
    name = ""
    table = np.ones(probabilities.shape, dtype=int)
    if "top_p" in record:
        p = book.number(record["top_p"])
        sizes = (_size(row, p, rounds=book.rounds) for row in probabilities)
        table = np.array([_first(*pair) for pair in zip(probabilities, sizes, strict=True)])
        name = "nucleus"
        book.copy("next.nucleus", book.numbers(table.astype(int)))
    if "min_p" in record:
        top = book.keep("next.largest", probabilities.max(axis=1, keepdims=True))
        least = book.keep("next.threshold", top * book.number(record["min_p"]))
        table, name = (probabilities >= least) & (table == 1), "likely"
        book.copy("next.likely", book.numbers(table.astype(int)))
    if not name:
        return probabilities
    kept = probabilities * book.numbers(table.astype(int))
    total = book.keep(f"next.{name}_sum", kept.sum(axis=1, keepdims=True))
    return book.keep("next.renormalized", kept / total)


def _draw(book: Book, record: Record, shares: Numbers) -> None:
    """The first token whose sum with all before it exceeds a number between 0 and 1."""
    said = record["draw"]
    u = book.number(said[0] if isinstance(said, list) else said)
    sums, drawn = shares * 0, np.zeros(shares.shape, dtype=int)
    for i, row in enumerate(shares):
        order = _order(row) if record.get("draw_order") == "probability" else range(len(row))
        total = row[0] * 0
        for j in order:
            total += row[j]
            sums[i, j] = total
    sums = book.keep("next.cumulative", sums)
    for i, row in enumerate(shares):
        order = _order(row) if record.get("draw_order") == "probability" else range(len(row))
        drawn[i, next(j for j in order if sums[i, j] > u)] = 1
    book.copy("next.drawn", book.numbers(drawn))


def _order(row: Numbers) -> list[int]:
    """Positions from the largest number down; among equals the first comes first."""
    return sorted(range(len(row)), key=lambda j: -row[j])


def _first(row: Numbers, k: int) -> list[bool]:
    best = set(_order(row)[:k])
    return [j in best for j in range(len(row))]


def _size(row: Numbers, p: Number, *, rounds: bool) -> int:
    """How many of the largest it takes to reach p: rounded ones by their sum; endless ones by what
    they leave of 1, noise left aside, since a sum of floats would not feel the smallest."""
    order, total = _order(row), row[0] * 0
    for count, j in enumerate(order, 1):
        total += row[j]
        left = sum((row[k] for k in reversed(order[count:])), start=row[0] * 0)
        if total >= p if rounds else left <= _with_noise(1 - p):
            return count
    return len(row)


def _with_noise(left: Number) -> Number:
    """What may be left, the noise of endless numbers left aside."""
    if isinstance(left, Decimal):
        return left * (1 + Decimal("1e-40"))
    return left * (1 + 1e-14)


def predict_given(book: Book, data: Record) -> None:
    """What goes on from logits or probabilities that are given."""
    if "logits" in data:
        _next_and_loss(book, data, book.copy("logits", matrix(book, data["logits"])))
    elif "targets" in data:
        given = book.copy("probabilities", matrix(book, data["probabilities"]))
        _loss(book, data, given)


def _loss(book: Book, data: Record, probabilities: Numbers, logits: Numbers | None = None) -> None:
    """−ln p of each row's target, their mean, and e to it; rows whose target is ignored are left
    out, as by `ignore_index` of PyTorch's cross-entropy. On the way back, p − y for the logits
    that the probabilities are of."""
    whole, kept, found = probabilities, [*range(len(probabilities))], list[int]()
    if not losses.are_numbers(data):
        kept, found = _targets(data, probabilities.shape[1])
    if len(kept) < len(whole):
        backs = [(whole, slopes.taken_rows(whole, kept))]
        probabilities = book.copy("with_target", probabilities[kept], backs)
    hot = (found, whole.shape[1]) if found else None
    y = losses.distribution(book, data, hot)
    if y is not None:
        array = losses.against(probabilities, y)
        ways: Backs = [] if logits is None else [(logits, losses.less_targets(whole, y, kept))]
    else:
        array = -apply(
            "log", np.array([[row[j]] for row, j in zip(probabilities, found, strict=True)])
        )
        ways = _of_targets(whole, probabilities, logits, [*zip(kept, found, strict=True)])
    loss = book.keep("loss", array, ways)
    count = len(loss)
    mean = loss.sum(axis=0, keepdims=True) / count
    shared = (loss, lambda G: G.repeat(count, axis=0) / count)
    entropy = book.keep("cross_entropy", mean, [shared])
    if y is None:
        book.keep("perplexity", apply("exp", entropy))


def _of_targets(
    whole: Numbers,
    probabilities: Numbers,
    logits: Numbers | None,
    targets: list[tuple[int, int]],
) -> Backs:
    if logits is not None:
        return [(logits, slopes.surprise_of_logits(whole, targets))]
    return [(probabilities, slopes.surprise(probabilities, [j for _, j in targets]))]


def _targets(data: Record, width: int) -> tuple[list[int], list[int]]:
    """The rows whose targets count, and the columns of these."""
    places = _places(data, width)
    targets = [str(target) for target in data["targets"]]
    ignored = str(data["ignored_target"]) if "ignored_target" in data else None
    kept = [i for i, target in enumerate(targets) if target != ignored]
    return kept, [places[targets[i]] for i in kept]


def _places(data: Record, width: int) -> dict[str, int]:
    """The columns of tokens or of labels; of classes that have no names by their numbers, which are
    counted from 1 where they are read out."""
    if "labels" in data:
        return {str(label): k for k, label in enumerate(data["labels"])}
    if data.get("predict_from") == "first" and not isinstance(data.get("unembedding"), str):
        return {str(j): j for j in range(width)}
    known = columns(data, width)
    if "unembedding" in data or "logits" in data or "probabilities" in data or len(known) == width:
        return known or {str(j): j for j in range(width)}
    return {str(j + 1): j for j in range(width)}
