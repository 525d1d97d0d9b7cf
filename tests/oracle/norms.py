"""Norms of rows: layer norm (Ba et al. 2016, arXiv:1607.06450), RMS norm (Zhang and Sennrich 2019,
arXiv:1910.07467), and batch norm with what others found in training (Ioffe and Szegedy 2015,
arXiv:1502.03167)."""

from __future__ import annotations

from typing import NamedTuple

from tests.oracle import slopes
from tests.oracle.book import Book, Record
from tests.oracle.matrices import matrix
from tests.oracle.numerals import Numbers, apply
from tests.oracle.tape import Back, Backs, Made


class Named(NamedTuple):
    """What the quantities of a norm are called, and its γ and β."""

    before: str = ""
    after: str = ""

    def made(self, local: str) -> str:
        return f"{self.before}{local}"

    def learned(self, local: str) -> str:
        return f"{local}{self.after}"


def own_norm(data: Record, key: str) -> Record:
    """What is said of a norm of a stack, by itself and for all norms."""
    return {**data.get("norms", {}), **(data[key] or {})}


def norm(book: Book, record: Record, x: Numbers) -> Numbers:
    """The norm of each row, written down as `normed`."""
    return book.keep("normed", *normed(book, record, x))


def normed(book: Book, record: Record, x: Numbers, named: Named | None = None) -> Made:
    """The norm of each row. [n, d] -> [n, d]"""
    n, named = x.shape[1], named or Named()
    if record.get("kind") == "batch":
        # these are found in training, not learned: they have no gradient
        mean, variance = (matrix(book, record[name], (1, n)).copy() for name in _FOUND)
        centered = book.keep("centered", x - mean, slopes.added(x))
        deviation = _root(book, record, "deviation", variance)
    elif record.get("kind", "layer") == "rms":
        centered, deviation = x, _deviation(book, record, x, named, ("mean_square", "rms"))
    else:
        mean = x.sum(axis=1, keepdims=True) / n
        mean = book.keep(named.made("mean"), mean, [(x, lambda G: _each_of(G, n) / n)])
        backs: Backs = [(x, slopes.same), (mean, lambda G: -slopes.over_columns(G))]
        centered = book.keep(named.made("centered"), x - mean, backs)
        deviation = _deviation(book, record, centered, named, ("variance", "deviation"))
    return _stretched(book, record, centered, deviation, named)


_FOUND = ("mean", "variance")


def _each_of(G: Numbers, n: int) -> Numbers:
    """A column's gradient for each of n numbers of its row. [n, 1] -> [n, n]"""
    return G.repeat(n, axis=1)


def _stretched(book: Book, record: Record, c: Numbers, s: Numbers, named: Named) -> Made:
    """c / s × γ + β: ∂c = G γ / s, ∂s = −Σ_j G γ c / s², ∂γ = Σ_i G c / s, ∂β = Σ_i G. Without
    β, γ c / s is what was made."""
    n, result, factor, shifted = c.shape[1], c / s, None, named.learned("beta") in record
    backs: list[tuple[Numbers, Back]] = []
    if named.learned("gamma") in record:
        gamma = matrix(book, record[named.learned("gamma")], (1, n))
        factor = int(str(record.get("gamma_plus_one")).lower() == "true") + gamma
        result = result * factor
        backs.append((gamma, lambda G: slopes.over_tokens(G * c / s)))
    if shifted:
        beta = matrix(book, record[named.learned("beta")], (1, n))
        result = result + beta
        backs.append((beta, slopes.over_tokens))

    def ways(made: Numbers) -> Backs:
        stretch: Back = slopes.same if factor is None else slopes.multiplied(factor)

        def spread(G: Numbers) -> Numbers:
            return -slopes.over_columns(stretch(G) * c / s if shifted else G * made) / s

        return [(c, lambda G: stretch(G) / s), (s, spread), *backs]

    return result, ways


def _deviation(
    book: Book, record: Record, c: Numbers, named: Named, names: tuple[str, str]
) -> Numbers:
    """√(mean of squares + ε), or √(mean of squares) + ε; `names` are those of the two. Of the
    mean of squares ∂c = 2 G c / n."""
    n = c.shape[1]
    over = n - 1 if record.get("over", "n") == "n-1" else n
    squares = (c * c).sum(axis=1, keepdims=True) / over
    squares = book.keep(named.made(names[0]), squares, [(c, lambda G: 2 * G * c / over)])
    return _root(book, record, named.made(names[1]), squares)


def _root(book: Book, record: Record, name: str, squares: Numbers) -> Numbers:
    """√(q + ε), of which ∂q = G / (2 √(q + ε)); or √q + ε, of which ∂q = G / (2 √q)."""
    epsilon = book.number(record.get("epsilon", "0.00001"))
    if record.get("epsilon_in", "root") == "root":
        made = apply("sqrt", squares + epsilon)
        return book.keep(name, made, lambda root: [(squares, lambda G: G / (2 * root))])
    back: Back = lambda G: G / (2 * apply("sqrt", squares))  # noqa: E731
    return book.keep(name, apply("sqrt", squares) + epsilon, [(squares, back)])
