"""Chooses which given matrices of a scenario may have other numbers, and which numbers.

Integers stay integers and one decimal stays one decimal; numbers with more decimals become one
decimal. Zeros aren't drawn, so that nothing gets trivial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.classroom.forms.candidate_quantity import is_share
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.names import Name
from attncli.scenario.scenario import Scenario
from attncli.steps.schema import CELL, WAY

if TYPE_CHECKING:
    from numpy.random import RandomState

_INPUTS = ("embeddings", "X", "queries", "keys", "values", "memory")
_QKV, _W_QKV = ("Q", "K", "V"), ("W_Q", "W_K", "W_V")
_OF_CELLS = frozenset((*CELL, *WAY))
_DRAWN = frozenset(
    {
        *_INPUTS,
        *_QKV,
        *_W_QKV,
        *("b_Q", "b_K", "b_V", "W_O", "b_O", "unembedding", "b_U"),
        *("W1", "W2", "W3", "b1", "b2", "b3"),
        *("scores", "scaled", "weights", "output", "logits"),
        *(name for name in _OF_CELLS if name.startswith(("W_", "b_"))),
    }
)
"""The last names of matrices that get other numbers. Masks, norms and tables of positions or of
segments are part of what the exercise is about, and stay."""

_KIN = {name: family[0] for family in (_INPUTS, _QKV, _W_QKV) for name in family}
"""What may have the same numbers on purpose; that W_Q and W2 have them is a coincidence."""

_BEFORE_SOFTMAX = ("W_Q", "W_K")
"""The last names of weights before a softmax: with integers in them, scores would lie too far
apart."""
_NARROWED = ("W_Q", "W_K", "W_V", "W_O", "unembedding", "W1", "W2", "W3")
"""What is drawn small besides, where numbers like the original's make all powers of e large: those
of 0 and 1 are fewer than those drawn for them, which multiplies up before a softmax."""
_BEFORE_SQUASHING = frozenset(name for name in _OF_CELLS if name.startswith("W_"))
"""With large numbers in these, every sigmoid and tanh would be at its end."""
_SMALL = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)
"""Small numbers in tenths, for weights whose products end up in exponents."""
_LARGEST = 9
_TENTHS = 10
_MOST_TENTHS = 10**5 - 1
"""9999.9: what is larger isn't nice to work with, whatever the original's range is."""
_STEPS = 8
_FEW_SHARES = 4
"""How many different tenths can add up to 1: 0.1, 0.2, 0.3 and 0.4."""


class Drawn(NamedTuple):
    """Matrices [n, m] with the same numbers in the scenario, which get the same new ones."""

    names: tuple[Name, ...]
    shape: tuple[int, int]
    places: int
    """The decimals of their numbers."""
    pool: tuple[int, ...] = ()
    """The numbers to draw from, in units of the last of `places`; one that is there more than once
    is likelier. Shares of 1 have none."""
    whole: int = 0
    """Of shares of 1: how many units each row adds up to."""
    held: tuple[tuple[bool, ...], ...] = ()
    """Of shares of 1: which cells aren't 0."""

    def draw(self, random: RandomState, count: int) -> Array:
        """Draws new numbers for so many candidates. -> [n, m, count]"""
        if self.whole:
            return _shares(self, random, count) / 10.0**self.places
        size = (*self.shape, count)
        kind = np.min_scalar_type(len(self.pool) - 1).type
        chosen = random.randint(len(self.pool), size=size, dtype=kind)
        return np.asarray((np.array(self.pool) / 10.0**self.places)[chosen])

    def matrix(self, numbers: Array) -> Matrix:
        """Returns the numbers of one candidate, as an author would write them. [n, m]"""
        counts = np.rint(numbers * 10.0**self.places).astype(np.int64).tolist()
        return Matrix.of_written([[_number(count, self.places) for count in row] for row in counts])


@lru_cache(maxsize=1024)
def _number(count: int, places: int) -> Decimal:
    return decimals.counted(count, places)


Pools = Mapping[tuple[Name, ...], tuple[int, tuple[int, ...]]]
"""The pools of matrices by their full names, of those together that have the same numbers: their
decimals, and numbers in units of the last."""


def own_pools(scenario: Scenario, drawn: Sequence[Drawn]) -> Pools:
    """Returns for each matrix its own numbers and the next larger one, in units of their last
    decimal."""
    found: dict[tuple[Name, ...], tuple[int, tuple[int, ...]]] = {}
    for entry in drawn:
        matrix = scenario.given.matrices[entry.names[0]]
        if not entry.whole and matrix.written is not None:
            places = matrix.places or 0
            own = [int(number.scaleb(places)) for row in matrix.written for number in row]
            found[entry.names] = places, (*own, max(own) + 1)
    return found


def drawn_of(
    scenario: Scenario,
    used: AbstractSet[str],
    pools: Pools = MappingProxyType({}),
    *,
    narrow: bool = False,
) -> tuple[Drawn, ...]:
    """Returns what may have other numbers, of the given matrices of these full names.

    `pools` says for some what they are drawn from. If they are to be `narrow`, all weights are
    small.
    """
    given = scenario.given.matrices
    alike: dict[tuple[object, ...], list[Name]] = {}
    pooled = {name for names in pools for name in names}
    for name, matrix in given.items():
        if name in used and name not in pooled and _may_vary(scenario, name, matrix):
            kin = (
                _KIN.get(name.local, name.local) if not _is_own(scenario, name) else name,
                matrix.shape,
                matrix.written,
            )
            alike.setdefault(kin, []).append(name)
    drawns = (
        Drawn(names, given[names[0]].shape, *pool)
        for names, pool in pools.items()
        if not used.isdisjoint(names)
    )
    return *drawns, *(
        _drawn_of_own(names, given[names[0]], narrow)
        if _is_own(scenario, names[0])
        else _drawn(names, given[names[0]], narrow)
        for names in alike.values()
    )


def _may_vary(scenario: Scenario, name: Name, matrix: Matrix) -> bool:
    written = matrix.written is not None and name not in scenario.given.sources
    if not written or not np.isfinite(matrix.values).all():
        return False
    if _is_own(scenario, name):
        vary = scenario.plan.written.vary
        is_mask = bool(np.isin(matrix.values, (0, 1)).all())
        return not is_mask if vary is None else name.local in vary
    if name.local not in _DRAWN or not matrix.values.any():
        return False
    return not is_share(name) or _adds_up(matrix)


def _is_own(scenario: Scenario, name: Name) -> bool:
    """Tells whether a matrix is given to equations of the scenario's own."""
    return name in scenario.plan.written.sides


def _adds_up(matrix: Matrix) -> bool:
    """Tells whether each row of given weights adds up to 1, and none is negative."""
    totals = [decimals.total(row) == 1 for row in matrix.written or ()]
    return all(totals) and bool((matrix.values >= 0).all())


def _drawn(names: list[Name], matrix: Matrix, narrow: bool) -> Drawn:
    shape, places = matrix.shape, min(matrix.places or 0, 1)
    if is_share(names[0]):
        held = tuple(tuple(map(bool, row)) for row in matrix.values)
        many = max(map(sum, held)) > _FEW_SHARES
        whole = 100 if many or (matrix.places or 0) > 1 else 10
        return Drawn(tuple(names), shape, 2 if whole > _TENTHS else 1, whole=whole, held=held)
    local = {name.local for name in names}
    softmax = not places and not local.isdisjoint(_BEFORE_SOFTMAX)
    softmax |= narrow and not local.isdisjoint(_NARROWED)
    if softmax or not local.isdisjoint(_BEFORE_SQUASHING):
        return Drawn(tuple(names), shape, 1, _SMALL)
    pool = _tenths(matrix) if places else _whole(matrix)
    if places and not local.isdisjoint(_INPUTS):
        pool = _mostly_small(pool)
    return Drawn(tuple(names), shape, places, pool)


def _drawn_of_own(names: list[Name], matrix: Matrix, narrow: bool) -> Drawn:
    """Returns what an array of equations of a scenario's own is drawn from."""
    if narrow:
        return Drawn(tuple(names), matrix.shape, 1, _SMALL)
    places = min(matrix.places or 0, 1)
    return Drawn(tuple(names), matrix.shape, places, (_tenths if places else _whole)(matrix))


def _whole(matrix: Matrix) -> tuple[int, ...]:
    """Returns integers of the original's range: 1 … 3 at least, or −2 … 3 where it has both
    signs."""
    low, high = int(matrix.values.min()), int(matrix.values.max())
    least = max(min(low, -2), -_LARGEST) if low < 0 else 1
    most = min(max(high, 3), _LARGEST) if high > 0 or low >= 0 else -1
    return _without_zero(least, most)


def _tenths(matrix: Matrix) -> tuple[int, ...]:
    """Returns tenths of the original's range, five of a sign at least."""
    ends = np.array([matrix.values.min(), matrix.values.max()])
    low, high = np.clip(np.rint(_TENTHS * ends), -_MOST_TENTHS, _MOST_TENTHS).astype(int).tolist()
    least = min(low, -5) if low < 0 else min(max(low, 1), max(high - 4, 1))
    most = max(high, least + 4, 5) if high > 0 or low >= 0 else -1
    return _without_zero(least, most)


def _mostly_small(pool: tuple[int, ...]) -> tuple[int, ...]:
    """Returns a pool with the smaller numbers more often, as products of products end up in
    exponents."""
    largest = max(map(abs, pool))
    steps = max(largest // _STEPS, 1)
    return tuple(count for count in pool for _ in range((largest - abs(count)) // steps + 1))


def _without_zero(least: int, most: int) -> tuple[int, ...]:
    return tuple(count for count in range(least, most + 1) if count)


def _shares(drawn: Drawn, random: RandomState, count: int) -> Array:
    """Draws rows of positive whole numbers that add up to the whole: the gaps between random
    cuts."""
    numbers = np.zeros((*drawn.shape, count))
    for i, row in enumerate(drawn.held):
        places = np.flatnonzero(row)
        cuts = 1 + random.randint(drawn.whole - 1, size=(len(places) - 1, count))
        ends = np.full((1, count), drawn.whole)
        numbers[i, places] = np.diff(
            np.sort(np.concatenate([0 * ends, cuts, ends]), axis=0), axis=0
        )
    return numbers
