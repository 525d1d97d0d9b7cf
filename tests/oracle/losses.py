"""Losses of numbers and of read-outs: mean squared errors, cross-entropies of shares.

As PyTorch's MSELoss, BCELoss and CrossEntropyLoss with probabilities or smoothed labels for targets
have them (Szegedy et al. 2016, arXiv:1512.00567, 7).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.oracle.book import Book, Record
from tests.oracle.matrices import matrix
from tests.oracle.numerals import Numbers, apply
from tests.oracle.tape import Back
from tests.oracle.terms import columns_as_rows


def are_numbers(data: Record) -> bool:
    """Whether the targets are rows of numbers rather than tokens."""
    targets = data.get("targets")
    return targets is not None and np.ndim(targets[0]) > 0


def loss_name(data: Record) -> str:
    """The loss that is worked of the targets."""
    said = {**data, **(data.get("train") or {})}.get("loss")
    return str(said or ("mse" if are_numbers(data) else "cross_entropy"))


def reduction(data: Record) -> str:
    """What becomes of squared errors."""
    return str({**data, **(data.get("train") or {})}.get("reduction", "mean"))


def measured(data: Record) -> str:
    """The name of the number that the loss is."""
    name = loss_name(data)
    sums = {"sum": "sse", "half_sum": "half_sse"}
    return sums.get(reduction(data), name) if name == "mse" else name


def smoothing(data: Record) -> object:
    """ε of smoothed labels, None where they aren't."""
    return {**data, **(data.get("train") or {})}.get("label_smoothing")


def mse(book: Book, data: Record, x: Numbers) -> None:
    """(x − y)² and its mean over all numbers, or what else it is reduced to; on the way back
    straight to x, 2 (x − y) / nm, or what else the sum is divided by."""
    targets = _fixed(book, data)
    error = x - targets
    squares = book.keep("squared_error", error * error, step="mse")
    count = {"mean": x.size, "mean_of_rows": len(x), "sum": 1, "half_sum": 2}[reduction(data)]
    backs = [(x, lambda G: 2 * G[0, 0] * error / count)]
    total = squares.sum(keepdims=True).reshape(1, 1)
    book.keep(measured(data), total / count, backs, step="mse")


def binary(book: Book, data: Record, p: Numbers, logits: Numbers) -> None:
    """−y ln p − (1 − y) ln(1 − p) and its mean; on the way back p − y."""
    y = _fixed(book, data)
    losses = np.array(
        [[_binary(*pair) for pair in zip(*rows, strict=True)] for rows in zip(p, y, strict=True)]
    )
    count = p.size
    backs = [(logits, lambda G: G * (p - y))]
    loss = book.keep("binary_loss", losses, backs, step="binary_loss")
    mean = loss.sum(keepdims=True).reshape(1, 1) / count
    spread = [(loss, lambda G: (loss * 0 + 1) * G[0, 0] / count)]
    book.keep("binary_cross_entropy", mean, spread, step="binary_loss")


def _binary(p: object, y: object) -> object:
    def of(share: object, q: object) -> object:
        return 0 if share == 0 else -share * apply("log", np.array([[q]]))[0, 0]  # type: ignore[operator]

    return of(y, p) + of(1 - y, 1 - p)  # type: ignore[operator]


def distribution(book: Book, data: Record, hot: tuple[Sequence[int], int] | None) -> Numbers | None:
    """The targets as shares of all classes: given, or of smoothed labels; None where −ln of one
    probability is all that the loss is."""
    epsilon = smoothing(data)
    if hot is not None:
        if epsilon is None:
            return None
        columns, width = hot
        table = book.numbers([[int(j == column) for j in range(width)] for column in columns])
        y = book.copy("one_hot", table, step="loss")
    else:
        y = _fixed(book, data)
    if epsilon is None:
        return y
    part = book.number(epsilon)
    return book.keep("smoothed", (1 - part) * y + part / y.shape[1], step="loss")


def against(p: Numbers, y: Numbers) -> Numbers:
    """−Σ_j y ln p of each row, in which 0 ln 0 is 0."""
    numbers: Numbers = -(y * apply("log", np.where(y == 0, y + 1, p))).sum(axis=1, keepdims=True)
    return numbers


def less_targets(p: Numbers, y: Numbers, kept: Sequence[int]) -> Back:
    """Of the logits of rows that count: G (p − y); 0 in the others."""

    def back(G: Numbers) -> Numbers:
        made = p * 0
        for k, i in enumerate(kept):
            made[i] = G[k] * (p[i] - y[k])
        return made

    return back


def _fixed(book: Book, data: Record) -> Numbers:
    """The targets in numbers, which are given and not learned."""
    return matrix(book, data["targets"]).copy()


def read_out(book: Book, place: Book, *, backward: bool) -> tuple[Numbers, Numbers] | None:
    """What was read out at all times, one row each, and what that was made of; None where nothing
    was. [n, k], [n, k]"""
    made = dict(book.tape.names.values())
    times = {
        local: [
            made[name.removeprefix(book.tape.under)]
            for name in book.pages
            if name.startswith(f"{place.path}{local}[")
        ]
        for local in ("ya", "z_y", "y")
    }
    z = times["z_y"] or times["ya"]
    y = times["y"] or z
    if not y:
        return None
    before = _rows(place, "readout_logits", z) if times["y"] and backward else y[0]
    return _rows(place, "readouts", y), before


def _rows(place: Book, name: str, columns: Sequence[Numbers]) -> Numbers:
    rows = np.hstack(columns).T
    return place.copy(name, rows, columns_as_rows(columns), step="readouts")
