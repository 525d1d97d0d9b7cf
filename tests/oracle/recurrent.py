"""A recurrent layer: its states there and back, what is read out of them, and how far a gradient
goes back through them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.oracle import slopes
from tests.oracle.activations import activated
from tests.oracle.book import Book, Record
from tests.oracle.cells import RecurrentCell, Weights, layout, weights
from tests.oracle.matrices import matrix
from tests.oracle.numerals import Numbers, apply, taken_at_once
from tests.oracle.softmax import taken_off
from tests.oracle.tape import Back, Made
from tests.oracle.terms import Weight, bias, columns_as_rows, itself, plus, row_as_column, times

SETTINGS = ("cell", "direction", "activation", "weights_layout", "gate_order", "reset", "update")
"""What a layer says for both of its directions, and a model for all of its layers."""

States = Mapping[int, Numbers]
"""a[t] [h, 1] by the token's position t, from 1."""


def recurrent(book: Book, record: Record, x: Numbers | None) -> Numbers | None:
    """The states of all tokens as rows, [n, h] or with both directions [n, 2h]; None where the
    scenario gives too little to get so far."""
    if x is None:
        return None
    direction = str(record.get("direction", "forward"))
    if direction == "both":
        return _both(book, record, x)
    cell = RecurrentCell(book, record, weights(book, record))
    a = _states(cell, x, back=direction == "backward")
    if a is None:
        return None
    rows = book.copy("states", *_rows(a))
    end = 1 if direction == "backward" else len(rows)
    _read_out(book, record, {t: a[t] for t in _read_at(record, len(rows), end)})
    if str(record.get("gradient")).lower() == "true" and record["cell"] == "rnn":
        _gradient(cell, a, back=direction == "backward")
    return rows


def _both(book: Book, record: Record, x: Numbers) -> Numbers | None:
    """The way there beside the way back (Schuster and Paliwal 1997)."""
    shared = {name: record[name] for name in SETTINGS if name in record}
    ways = {"forward": record, "backward": {**shared, **record.get("backward", {})}}
    found = []
    for way, own in ways.items():
        place = book.at(way)
        a = _states(RecurrentCell(place, own, weights(place, own)), x, back=way == "backward")
        found.append(None if a is None else place.copy("states", *_rows(a)))
    there, back = found
    if there is None or back is None:
        return None
    joined = np.hstack([there, back])
    rows = book.copy("states", joined, slopes.side_by_side([there, back]))
    if "W_ya" in record:
        times = _read_at(record, len(rows), len(rows))
        _read_out(book, record, {t: _column(book, f"s[{t}]", rows, t) for t in times})
    return rows


def _states(cell: RecurrentCell, x: Numbers, *, back: bool) -> States | None:
    """a[1] … a[n], worked from the first token to the last or, back, from the last to the first."""
    n = len(x)
    columns = {t: _column(cell.book, f"x[{t}]", x, t) for t in range(1, n + 1)}
    state, found = cell.begin(n + 1 if back else 0), {}
    for t in sorted(columns, reverse=back):
        state = cell.step(t, columns[t], state)
        if state.a is not None:
            found[t] = state.a
    return found if len(found) == n else None


def _column(book: Book, name: str, x: Numbers, t: int) -> Numbers:
    """The row of a time as a column."""
    return book.copy(name, x[t - 1 : t].T, row_as_column(x, t - 1))


def _rows(a: States) -> Made:
    columns = [a[t] for t in sorted(a)]
    return np.hstack(columns).T, columns_as_rows(columns)


def _read_at(record: Record, n: int, end: int) -> list[int]:
    """The times that are read out: every one, or that where the way ends."""
    return [end] if record.get("readout_from", "every") == "last" else [*range(1, n + 1)]


def _read_out(book: Book, record: Record, a: States) -> None:
    """y[t] = g(W_ya a[t] + b_y), of the states that are read out."""
    if "W_ya" not in record:
        return
    W = Weight.given(matrix(book, record["W_ya"]), turned=layout(record) == "row")
    b = Weight.given(matrix(book, record["b_y"]), turned=True) if "b_y" in record else None
    for t, state in a.items():
        product = times(W, state)
        assert product is not None
        z = book.keep(f"ya[{t}]", *product)
        if b is not None:
            sum_ = plus(itself(z), bias(b))
            assert sum_ is not None
            z = book.keep(f"z_y[{t}]", *sum_)
        _answer(book, str(record.get("readout", "sigmoid")), t, z)


def _answer(book: Book, kind: str, t: int, z: Numbers) -> None:
    """y[t] [k, 1]: the sigmoid of each number, or the softmax of them all."""
    if kind == "sigmoid":
        activated(book, f"y[{t}]", "sigmoid", z)
    if kind == "softmax":
        logits, z = z, taken_at_once(z)
        off = taken_off(book, z[:, 0], book.places_of(f"y_exp[{t}]"))
        e = book.keep(f"y_exp[{t}]", apply("exp", z - off))
        total = book.keep(f"y_sum[{t}]", e.sum(axis=0, keepdims=True))
        backs = slopes.softmax
        book.keep(f"y[{t}]", e / total, lambda p: [(logits, _down(backs(p.T)))])


def _down(back: Back) -> Back:
    """What is said of a row, of a column."""
    return lambda G: back(G.T).T


def _gradient(cell: RecurrentCell, a: States, *, back: bool) -> None:
    """(∂a_end / ∂a_before[t])ᵀ, a product of W_aaᵀ diag(g′) of each step on the way (Pascanu et
    al. 2013, arXiv:1211.5063, 2)."""
    book, product, norms = cell.book, None, {}
    for t in sorted(a, reverse=not back):
        step = _step_factor(book, cell.weights, t, _slope(cell, a[t], t))
        if product is None:
            product = book.copy(f"factor[{t}]", step)
        else:
            product = book.keep(f"factor[{t}]", step @ product)
        squares = (product * product).sum(keepdims=True)
        norms[t] = book.keep(f"factor_norm[{t}]", apply("sqrt", squares))
    book.copy("factor_norms", np.vstack([norms[t] for t in sorted(norms)]))


def _slope(cell: RecurrentCell, a: Numbers, t: int) -> Numbers:
    """g′ at a step: 1 − tanh², or of relu whether it lets its number through."""
    book = cell.book
    if cell.record.get("activation", "tanh") == "tanh":
        return book.keep(f"slope[{t}]", 1 - a * a)
    through = book.pages[f"{book.path}z[{t}]"] > book.number(0)
    return book.copy(f"slope[{t}]", book.numbers(through.astype(int)))


def _step_factor(book: Book, given: Weights, t: int, slope: Numbers) -> Numbers:
    return book.keep(f"step_factor[{t}]", given["W_aa"].values.T * slope.T)
