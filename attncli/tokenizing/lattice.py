"""All ways to cut a word into pieces with scores, as a lattice: the best of them, and how often
each piece is expected in a cut.

Kudo 2018 (arXiv:1804.10959): a cut's probability is the product of its pieces' probabilities, so
that its score is the sum of their log-probabilities.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attncli.records import NamedTuple

UNKNOWN = 0
"""The number of what stands for a character that no piece of one character covers."""

UNKNOWN_PENALTY = 10
_NEGLIGIBLE = 50.0  # e⁻⁵⁰ is nothing beside 1, to a float


class Node(NamedTuple):
    """A piece in its place in a word: from the character `start` to before `end`."""

    start: int
    end: int
    piece: int
    score: float


Trie = dict[str, Any]
"""By a first character the pieces that begin so, by their rest; by _FOUND the number and the score
of the piece that ends here. Looking up all pieces at a place costs no more than the longest."""
_FOUND = ""
_CHARACTERS_OF_A_NODE = 12


class Lexicon:
    """Pieces with their scores, found by the text that they cover. A piece's number is its place
    among the tokens, the first of which is the unknown token and covers nothing by itself."""

    def __init__(self, scored: Sequence[tuple[str, float]], hidden: Iterable[str] = ()) -> None:
        hide = {*hidden, *(token for token, _ in scored[:1])}
        found = {
            token: (number, score)
            for number, (token, score) in enumerate(scored)
            if token not in hide
        }
        self.tokens = tuple(found)
        self._trie: Trie = {}
        for token, numbered in found.items():
            branch = self._trie
            for character in token:
                branch = branch.setdefault(character, {})
            branch[_FOUND] = numbered
        # the scores of special tokens count here too, where they have any
        least = min((score for _, score in scored if not math.isnan(score)), default=0.0)
        self.unknown_score = least - UNKNOWN_PENALTY

    def nodes(self, word: str) -> list[Node]:
        """The nodes of a word's lattice by their starts, shorter ones first. Where no piece of one
        character stands, the unknown token does, with the least score of all less 10."""
        nodes: list[Node] = []
        for start, first in enumerate(word):
            if _FOUND not in self._trie.get(first, ()):
                nodes.append(Node(start, start + 1, UNKNOWN, self.unknown_score))
            for end, branch in self._along(word, start):
                if _FOUND in branch:
                    nodes.append(Node(start, end, *branch[_FOUND]))
        return nodes

    def _along(self, word: str, start: int) -> Iterator[tuple[int, Trie]]:
        """The ends of what pieces begin with from a place of a word on, and what is known there."""
        branch = self._trie
        for end in range(start, len(word)):
            if word[end] not in branch:
                return
            branch = branch[word[end]]
            yield end + 1, branch

    def effort(self, word: str, most: int) -> int:
        """What it takes to find the nodes of a word and the best of them: the characters looked at,
        and as many more for each node as take so long. No more than `most` is counted in full."""
        count = 0
        for start in range(len(word)):
            for _, branch in self._along(word, start):
                count += _CHARACTERS_OF_A_NODE if _FOUND in branch else 1
            if count > most:
                break
        return count


Rounded = Callable[[str, float], float]
"""Rounds a number of a name, so that a cut is chosen by the numbers that are told of it."""


COMPARED = "compared"
"""The name of a total where it is set against another one."""


def unrounded(_: str, number: float) -> float:
    """The number as it is."""
    return number


class Ways(NamedTuple):
    """The total of the best way to the end of each node, that ends with it (nan for one that isn't
    reached); and for each place of a word the node of the largest total there, of equal ones the
    first, if there is any."""

    totals: list[float]
    best: list[Node | None]


def ways(length: int, nodes: Iterable[Node], rounded: Rounded = unrounded) -> Ways:
    """The best ways to the places of a word of `length` characters (Viterbi 1967). Nodes are in the
    order of their starts. `totals` and the `best` of them can be rounded, or only compared so."""
    carried = [0.0, *[math.nan] * length]
    compared = [math.nan] * (length + 1)
    found = Ways([], [None] * (length + 1))
    for node in nodes:
        if node.start and found.best[node.start] is None:
            found.totals.append(math.nan)
            continue
        total = rounded("totals", carried[node.start] + node.score)
        found.totals.append(total)
        size, end = rounded(COMPARED, total), node.end
        if found.best[end] is None or size > compared[end]:
            carried[end], compared[end] = rounded("best", total), size
            found.best[end] = node
    return found


def best_cut(length: int, nodes: Iterable[Node], rounded: Rounded = unrounded) -> list[Node] | None:
    """The nodes of the largest total score, of equal ones those whose last piece starts first;
    None if nothing reaches the end of a word. The rest is as in `ways`."""
    last = ways(length, nodes, rounded).best
    cut: list[Node] = []
    while length:
        node_before = last[length]
        if node_before is None:
            return None
        cut.append(node_before)
        length = node_before.start
    return cut[::-1]


def forward(length: int, nodes: Iterable[Node]) -> list[float]:
    """For each place in a word the logarithm of Σ p over all ways to cut what is before it."""
    sums: list[float | None] = [0.0, *[None] * length]
    for node in nodes:
        before = sums[node.start]
        if before is not None:
            sums[node.end] = log_of_sum(sums[node.end], before + node.score)
    return [-math.inf if one is None else one for one in sums]


def backward(length: int, nodes: Sequence[Node]) -> list[float]:
    """For each place in a word the logarithm of Σ p over all ways to cut what is after it."""
    sums: list[float | None] = [*[None] * length, 0.0]
    starting: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        starting[node.start].append(node)
    for start in range(length - 1, -1, -1):
        for node in starting[start]:
            after = sums[node.end]
            if after is not None:
                sums[start] = log_of_sum(sums[start], node.score + after)
    return [-math.inf if one is None else one for one in sums]


def log_of_sum(x: float | None, y: float) -> float:
    """ln(eˣ + eʸ), or y where there is no x yet."""
    if x is None:
        return y
    small, large = (y, x) if x > y else (x, y)
    if large > small + _NEGLIGIBLE:
        return large
    return large + math.log(math.exp(small - large) + 1.0)


class Expected(NamedTuple):
    """How often each piece is expected in a cut of a word, if cuts are as probable as their scores
    say: for each node its probability, p(what is before) · p(piece) · p(what is after) / p(word).
    `total` is ln p(word), over all its cuts."""

    nodes: tuple[tuple[Node, float], ...]
    total: float


def expect(word: str, lexicon: Lexicon) -> Expected:
    """The probability of each node of a word's lattice (forward–backward)."""
    nodes = lexicon.nodes(word)
    before, after = forward(len(word), nodes), backward(len(word), nodes)
    total = before[-1]
    chances = (
        (node, math.exp(before[node.start] + node.score + after[node.end] - total))
        for node in nodes
    )
    return Expected(tuple(chances), total)
