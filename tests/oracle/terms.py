"""What sums of products are made of, each with its way back: W v, a gate times a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.oracle import slopes
from tests.oracle.numerals import Numbers
from tests.oracle.tape import Back, Backs


class Weight(NamedTuple):
    """A matrix as it is used, W v, or a bias as a column; `of` is the one that was given or made,
    which may be `turned` over for that."""

    values: Numbers
    of: Numbers
    turned: bool = False

    @classmethod
    def given(cls, of: Numbers, *, turned: bool = False) -> Weight:
        return cls(of.T if turned else of, of, turned)


class Term(NamedTuple):
    """Numbers, and the ways back to what they are made of."""

    values: Numbers
    backs: Backs


def times(weight: Weight | None, v: Numbers | None) -> Term | None:
    """W v: ∂W = G vᵀ, ∂v = Wᵀ G. [h, d], [d, 1] -> [h, 1]"""
    if weight is None or v is None:
        return None
    W, of, turned = weight
    return Term(W @ v, [(of, lambda G: v @ G.T if turned else G @ v.T), (v, lambda G: W.T @ G)])


def bias(weight: Weight) -> Term:
    """b, a row that is given, as a column: ∂b = Gᵀ."""
    return Term(weight.values, [(weight.of, lambda G: G.T)])


def gated(gate: Numbers | None, x: Numbers | None) -> Term | None:
    """g ⊙ x: ∂g = G ⊙ x, ∂x = G ⊙ g."""
    if gate is None or x is None:
        return None
    return Term(gate * x, [(gate, slopes.multiplied(x)), (x, slopes.multiplied(gate))])


def blended(u: Numbers | None, new: Numbers | None, old: Numbers | None) -> Term | None:
    """u ⊙ new + (1 − u) ⊙ old: ∂u = G ⊙ (new − old)."""
    if u is None or new is None or old is None:
        return None
    rest = 1 - u
    backs = [
        (u, slopes.multiplied(new - old)),
        (new, slopes.multiplied(u)),
        (old, slopes.multiplied(rest)),
    ]
    return Term(u * new + rest * old, backs)


def itself(x: Numbers | None) -> Term | None:
    """x, in a sum: ∂x = G."""
    return None if x is None else Term(x, [(x, slopes.same)])


def plus(*terms: Term | None) -> Term | None:
    """The sum of terms that are all there."""
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return None
    values = sum((term.values for term in known[1:]), known[0].values)
    return Term(values, [back for term in known for back in term.backs])


def columns_as_rows(columns: Sequence[Numbers]) -> Backs:
    """[h, 1], [h, 1], … as the rows of [n, h]: each gets its row of G, as a column."""
    return [(column, _row_of(k)) for k, column in enumerate(columns)]


def _row_of(k: int) -> Back:
    return lambda G: G[k : k + 1].T


def row_as_column(x: Numbers, k: int) -> Backs:
    """Row k of [n, d] as [d, 1]."""
    back = slopes.taken_rows(x, [k])
    return [(x, lambda G: back(G.T))]
