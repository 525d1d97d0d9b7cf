"""All ways to cut a word into pieces with scores, as a lattice: the best of them, and how often
each piece is expected in a cut.

Kudo 2018 (arXiv:1804.10959): a cut's probability is the product of its pieces' probabilities, so
that its score is the sum of their log-probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

UNKNOWN = 0
"""The number of what stands for a character that no piece of one character covers."""

UNKNOWN_PENALTY = 10
_NEGLIGIBLE = 50.0  # e⁻⁵⁰ is nothing beside 1, to a float


class LatticeNode(NamedTuple):
    """A piece in its place in a word: from the character `start` to before `end`."""

    start: int
    end: int
    piece: int
    score: float


Rounder = Callable[[str, float], float]
"""Rounds a number of a name, so that a cut is chosen by the numbers that are told of it."""

COMPARED = "compared"
"""The name of a total where it is set against another one."""


ALIKE = 9
"""Decimals to which numbers are compared that nobody rounds: such that differ by less are the same
number, summed in another order."""


def alike(name: str, number: float) -> float:
    """The number as it is, but where it is compared."""
    return round(number, ALIKE) if name == COMPARED else number


def unrounded(_: str, number: float) -> float:
    """The number as it is."""
    return number


Trie = dict[str, Any]
"""By a first character the pieces that begin so, by their rest; by _FOUND the number and the score
of the piece that ends here. Looking up all pieces at a place costs no more than the longest."""
_FOUND = ""
_CHARACTERS_OF_A_NODE = 12


class PieceTrie:
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

    def nodes(self, word: str) -> list[LatticeNode]:
        """The nodes of a word's lattice by their starts, shorter ones first. Where no piece of one
        character stands, the unknown token does, with the least score of all less 10."""
        nodes: list[LatticeNode] = []
        for start, first in enumerate(word):
            if _FOUND not in self._trie.get(first, ()):
                nodes.append(LatticeNode(start, start + 1, UNKNOWN, self.unknown_score))
            for end, branch in self._along(word, start):
                if _FOUND in branch:
                    nodes.append(LatticeNode(start, end, *branch[_FOUND]))
        return nodes

    def _along(self, word: str, start: int) -> Iterator[tuple[int, Trie]]:
        """The ends of what pieces begin with from a place of a word on, and what is known there."""
        branch = self._trie
        for end in range(start, len(word)):
            if word[end] not in branch:
                return
            branch = branch[word[end]]
            yield end + 1, branch

    def best_cut(
        self, word: str, round_: Rounder = unrounded, without: str | None = None
    ) -> list[LatticeNode] | None:
        """The nodes of the largest total score, of equal ones those whose last piece starts first;
        None if nothing reaches the end of a word, as may be `without` a piece. The rest is as in
        `viterbi`."""
        nodes, end = self.nodes(word), len(word)
        if without is not None:
            nodes = [node for node in nodes if word[node.start : node.end] != without]
        last = viterbi(end, nodes, round_).best
        cut: list[LatticeNode] = []
        while end:
            node_before = last[end]
            if node_before is None:
                return None
            cut.append(node_before)
            end = node_before.start
        return cut[::-1]

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


class BestPaths(NamedTuple):
    """The total of the best way to the end of each node, that ends with it (nan for one that isn't
    reached); and for each place of a word the node of the largest total there, of equal ones the
    first, if there is any."""

    totals: list[float]
    best: list[LatticeNode | None]


def viterbi(length: int, nodes: Iterable[LatticeNode], round_: Rounder = unrounded) -> BestPaths:
    """The best ways to the places of a word of `length` characters (Viterbi 1967). Nodes are in the
    order of their starts. `totals` and the `best` of them can be rounded, or only compared so."""
    carried = [0.0, *[math.nan] * length]
    compared = [math.nan] * (length + 1)
    found = BestPaths([], [None] * (length + 1))
    for node in nodes:
        if node.start and found.best[node.start] is None:
            found.totals.append(math.nan)
            continue
        total = round_("totals", carried[node.start] + node.score)
        found.totals.append(total)
        size, end = round_(COMPARED, total), node.end
        if found.best[end] is None or size > compared[end]:
            carried[end], compared[end] = round_("best", total), size
            found.best[end] = node
    return found


def expected_nodes(word: str, trie: PieceTrie) -> Iterator[tuple[LatticeNode, float]]:
    """The probability of each node of a word's lattice, if cuts are as probable as their scores
    say (forward-backward): p(what is before) · p(piece) · p(what is after) / p(word)."""
    nodes, end = trie.nodes(word), len(word)
    before = _log_sums(end, nodes)
    after = _log_sums(end, sorted(nodes, key=lambda node: -node.start), backwards=True)
    for node in nodes:
        yield node, math.exp(before[node.start] + node.score + after[node.end] - before[end])


def _log_sums(length: int, nodes: Iterable[LatticeNode], *, backwards: bool = False) -> list[float]:
    """For each place in a word ln Σ p over all ways there from the start, or `backwards` from the
    end."""
    sums: list[float | None] = [None] * (length + 1)
    sums[length if backwards else 0] = 0.0
    for start, end, _, score in nodes:
        here, there = (end, start) if backwards else (start, end)
        so_far = sums[here]
        if so_far is not None:
            sums[there] = log_of_sum(sums[there], so_far + score)
    return [-math.inf if one is None else one for one in sums]


def log_of_sum(x: float | None, y: float) -> float:
    """ln(eˣ + eʸ), or y where there is no x yet."""
    if x is None:
        return y
    small, large = (y, x) if x > y else (x, y)
    if large > small + _NEGLIGIBLE:
        return large
    return large + math.log(math.exp(small - large) + 1.0)
