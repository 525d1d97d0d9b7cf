"""Questions of a step that are answered in words: which token, which pair, which mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array
from attncli.records import NamedTuple
from attncli.trace import Trace
from attncli.trace.place import P
from attncli.word import Phrase

Chosen = frozenset[int]
"""Options by their places, from 0."""


class WordsAsked(NamedTuple):
    """A question at a place: of which row of what it is read from, where there is one of each; how
    it is put, what may be answered, and which of that is right where the numbers that it is read
    from lie between two arrays. Options that are no words are `tables`."""

    row: int | None
    says: Phrase
    options: tuple[str, ...]
    right: Callable[[Array, Array], Chosen]
    tables: tuple[Matrix, ...] = ()


class Inquiry(NamedTuple, Generic[P]):
    """A question of a step that is answered in words. `reads` is the last name of the quantity
    whose numbers tell the answer; `does` says in a few words what is asked, and `rule` what
    settles it where several could be right."""

    name: str
    does: str
    reads: str
    asks: Callable[[P, Trace], tuple[WordsAsked, ...]]
    rule: Callable[[P], str] = lambda _: ""


def largest(low: Array, high: Array) -> Chosen:
    """The places of the numbers that may be the largest of some that lie between two bounds."""
    return frozenset(np.flatnonzero(high >= low.max()).tolist())
