"""Questions of a step that are answered in words: which token, which pair, which mask."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array
from attncli.word import Phrase

Chosen = frozenset[int]
"""Options by their places, from 0."""


class Misreading(NamedTuple):
    """A common mistake in answering a question: what it gives where numbers lie between two
    arrays."""

    name: str
    says: str
    gives: Callable[[Array, Array], Chosen]


class WordsAsked(NamedTuple):
    """A question at a place: of which row of what it is read from, where there is one of each; how
    it is put, what may be answered, and which of that is right where the numbers that it is read
    from lie between two arrays. Of many options only some are `listed`, to choose from. Options
    that are no words are `tables`, by their labels. `misread` are common mistakes."""

    row: int | None
    says: Phrase
    options: tuple[str, ...]
    right: Callable[[Array, Array], Chosen]
    listed: tuple[int, ...] = ()
    tables: tuple[Matrix, ...] = ()
    misread: tuple[Misreading, ...] = ()

    def misread_as(self, name: str, low: Array, high: Array) -> Chosen:
        """What a common mistake gives; nothing where it can't be made."""
        gives = (one.gives for one in self.misread if one.name == name)
        return next(gives, lambda _, __: frozenset())(low, high)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the options are called in a list, nothing those that it leaves out; none where
        there can't be a list."""
        from attncli.questions import labels_of

        if self.tables:
            return self.options
        listed = self.listed or range(len(self.options))
        labels = labels_of([self.options[k] for k in listed])
        own = dict(zip(listed, labels, strict=False))
        return tuple(own.get(k, "") for k in range(len(self.options))) if labels else ()


def largest(low: Array, high: Array) -> Chosen:
    """The places of the numbers that may be the largest of some that lie between two bounds."""
    return frozenset(np.flatnonzero(high >= low.max()).tolist())


def in_no_order(count: int, numbers: Array) -> list[int]:
    """The places of some options in an order that tells nothing, another for other numbers."""
    from random import Random

    seed = " ".join(f"{number:.6g}" for number in numbers.flat)
    return Random(seed).sample(range(count), count)
