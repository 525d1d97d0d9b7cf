"""Positions: added sines, rotations of queries and keys, distances that are held against keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tests.oracle import slopes
from tests.oracle.book import Book, Record
from tests.oracle.matrices import is_source, matrix
from tests.oracle.numerals import DIGITS, Number, Numbers, of_mpmath


def kinds(positions: object) -> list[object]:
    """What `positions` says as a list of records and matrices."""
    if isinstance(positions, list) and not isinstance(positions[0], list):
        return [kind for p in positions for kind in kinds(p)]
    if isinstance(positions, str):
        return [{"kind": positions}]
    if isinstance(positions, Mapping) and not is_source(positions):
        return [{"kind": "sinusoidal", **positions}]
    return [positions]


def of_kind(positions: Sequence[object], kind: str) -> Record | None:
    """The record of a kind, if the scenario has it."""
    for position in positions:
        if isinstance(position, Mapping) and position.get("kind") == kind:
            return position
    return None


def added(
    book: Book, positions: Sequence[object], shape: tuple[int, int], first: int
) -> list[Numbers]:
    """What is added to the embeddings, each [n, d_model]: sines rounded, given rows not.

    `first` is how many positions came before the first row: those of a cache.
    """
    terms: list[Numbers] = []
    for position in positions:
        name = f"P{len(terms) + 1}" if terms else "P"
        if not isinstance(position, Mapping) or is_source(position) or position["kind"] == "table":
            record: Record = (
                position
                if isinstance(position, Mapping) and "table" in position
                else {"table": position}
            )
            start = int(record.get("start", 0)) + first
            taken = [int(value) for value in record.get("ids", range(start, start + shape[0]))]
            rows = matrix(book, record["table"], (max(taken) + 1, shape[1]))
            terms.append(book.copy(name, rows[taken], [(rows, slopes.taken_rows(rows, taken))]))
        elif position["kind"] == "sinusoidal":
            start = int(position.get("start", 0)) + first
            terms.append(book.keep(name, _sinusoidal(book, position, start, shape)))
    return terms


def _sinusoidal(book: Book, record: Record, start: int, shape: tuple[int, int]) -> Numbers:
    """PE(pos, 2k) = sin(pos / base^(2k/d)), PE(pos, 2k+1) = cos(the same): Vaswani et al. 2017,
    arXiv:1706.03762, 3.5."""
    n, d_model = shape
    waves = _Waves(book, record, d_model)
    return np.array(
        [
            [waves.of(("sin", "cos")[j % 2], start + i, j // 2) for j in range(d_model)]
            for i in range(n)
        ]
    )


class _Waves:
    """Sines and cosines of pos / base^(2k/width)."""

    def __init__(self, book: Book, record: Record, width: int) -> None:
        self.decimal, self.width = book.decimal, width
        self.base = str(record.get("base", 10000))

    def of(self, function: str, position: int, pair: int) -> Number:
        import mpmath

        with mpmath.workdps(DIGITS):
            length = mpmath.mpf(self.base) ** (mpmath.mpf(2 * pair) / self.width)
            wave = {"sin": mpmath.sin, "cos": mpmath.cos}[function]
            return of_mpmath(wave(position / length), decimal=self.decimal)

    def table(self, function: str, start: int, count: int) -> Numbers:
        """A row for each of `count` positions, a column for each pair."""
        return np.array(
            [
                [self.of(function, start + i, k) for k in range(self.width // 2)]
                for i in range(count)
            ]
        )


def frequencies(book: Book, record: Record, K: Numbers) -> Numbers | None:
    """The scaled frequencies of keys, [m, d_k]; None where they aren't scaled."""
    if "scaling" not in record:
        return None
    from tests.oracle import rope_scaling

    m, d_k = K.shape
    width, start = (int(record.get(key, d)) for key, d in (("dimensions", d_k), ("start", 0)))
    return rope_scaling.frequencies(book, record, width, start + m)


def rotated(
    book: Book, record: Record, name: str, x: Numbers, first: int, theta: Numbers | None
) -> Numbers:
    """Each pair of columns turned by its position's angle: Su et al. 2021, arXiv:2104.09864, 3.4.

    `first` is how many positions came before the first row: those of a cache. `theta` are the
    scaled frequencies, if there are some.
    """
    width = int(record.get("dimensions", x.shape[1]))
    made = _tables(book, record, width, (int(record.get("start", 0)) + first, len(x)), theta)
    keep = book.copy if "cos" in record else book.keep
    cosine, sine = (
        keep(f"{name}_{table}", array)
        for table, array in zip(("cosine", "sine"), made, strict=True)
    )
    left, right = np.arange(0, width, 2), np.arange(1, width, 2)
    if record.get("pairs", "interleaved") == "half":
        left, right = np.arange(width // 2), np.arange(width // 2, width)

    def turned(x: Numbers, sine: Numbers) -> Numbers:
        made = x.copy()
        made[:, left] = x[:, left] * cosine - x[:, right] * sine
        made[:, right] = x[:, left] * sine + x[:, right] * cosine
        return made

    # the transpose of a rotation is its inverse: by the same angle, the other way
    return book.keep(f"rotated_{name}", turned(x, sine), [(x, lambda G: turned(G, -sine))])


def _tables(
    book: Book, record: Record, width: int, rows: tuple[int, int], theta: Numbers | None
) -> tuple[Numbers, Numbers]:
    """The cosines and sines of `rows`, from the first of them so many, [rows, width/2] each."""
    if "cos" in record:
        taken, shape = slice(rows[0], sum(rows)), (sum(rows), width // 2)
        return matrix(book, record["cos"], shape)[taken], matrix(book, record["sin"], shape)[taken]
    if theta is not None:
        from tests.oracle import rope_scaling

        return rope_scaling.tables(book, record["scaling"], theta, *rows)
    waves = _Waves(book, record, width)
    return waves.table("cos", *rows), waves.table("sin", *rows)


def relative(
    book: Book, record: Record, head: tuple[int, int], shape: tuple[int, int], *, causal: bool
) -> Numbers:
    """A learned number for the bucket of each distance: Raffel et al. 2019, arXiv:1910.10683, 2.1.
    The last query stands at the last key."""
    n, m = shape
    rows = matrix(book, record["table"], (int(record.get("buckets", 32)), head[1]))
    both = record.get("bidirectional", not causal)
    both = both if isinstance(both, bool) else str(both).lower() == "true"
    most = int(record.get("max_distance", 128))
    buckets = [
        [_bucket(j - (i + m - n), len(rows), most, both=both) for j in range(m)] for i in range(n)
    ]
    book.copy("bucket", book.numbers(buckets))
    places = np.array(buckets)

    def back(G: Numbers) -> Numbers:
        column = slopes.taken_rows(rows[:, :1], places.ravel())(G.reshape(-1, 1))
        return slopes.taken_columns(rows, head[0], head[0] + 1)(column)

    return book.copy("position_bias", rows[places, head[0]], [(rows, back)])


def _bucket(ahead: int, count: int, most: int, *, both: bool) -> int:
    """Half of the buckets by distance, the others by its logarithm; those of later keys follow."""
    if not both:
        return _near(max(0, -ahead), count, most)
    return _near(abs(ahead), count // 2, most) + (count // 2 if ahead > 0 else 0)


def _near(distance: int, count: int, most: int) -> int:
    exact = count // 2
    if distance < exact:
        return distance
    share = math.log(distance / exact) / math.log(most / exact)
    return min(count - 1, exact + math.floor(share * (count - exact) + 1e-9))


def alibi(book: Book, record: Record, head: tuple[int, int], shape: tuple[int, int]) -> Numbers:
    """−slope × distance for one of so many heads, the slopes 2^(−8j/h): Press et al. 2021,
    arXiv:2108.12409, 3. The last query stands at the last key."""
    import mpmath

    n, m = shape
    if "slopes" in record:
        slope = book.number(record["slopes"][head[0]])
    else:
        with mpmath.workdps(DIGITS):
            power = mpmath.mpf(2) ** (mpmath.mpf(-8 * (head[0] + 1)) / head[1])
            slope = of_mpmath(power, decimal=book.decimal)
    distances = [[abs(i + m - n - j) for j in range(m)] for i in range(n)]
    result: Numbers = -slope * book.numbers(distances)
    return result
