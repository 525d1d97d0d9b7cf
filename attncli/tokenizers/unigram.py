"""Unigram: words cut into the most probable pieces; all cuts as a lattice; expected counts.

Kudo 2018 (arXiv:1804.10959): a cut's probability is the product of its pieces' probabilities, so
that its score is the sum of their log-probabilities.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from attncli.tokenizers.pieces import (
    BYTE_TOKENS,
    CountedWord,
    Piece,
    front_of,
    numbered,
    unknown_pieces,
)

_BOUNDARY = ""


def substrings(text: str, longest: int) -> Iterator[str]:
    """Yields all substrings of up to `longest` characters, shorter ones first at each place."""
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + longest) + 1):
            yield text[start:end]


def substring_counts(words: Sequence[CountedWord], longest: int) -> dict[str, int]:
    """Counts how often the corpus has each substring of up to `longest` characters, in the order of
    first appearance."""
    counts: dict[str, int] = {}
    for word in words:
        for substring in substrings(word.text, longest):
            counts[substring] = counts.get(substring, 0) + word.count
    return counts


def branching(words: Sequence[CountedWord], longest: int) -> Iterator[tuple[str, int]]:
    """Yields substrings of 2 to `longest` characters that occur with different characters (or the
    end of the word) after them, and how often they occur, each word counted once.

    These are the inner nodes of a suffix tree, from which SentencePiece takes its seeds: what is
    always followed by the same character is as frequent as the longer substring, and left out.
    """
    start = ((index, place) for index, word in enumerate(words) for place in range(len(word.text)))
    left = [("", list(start))]
    while left:
        prefix, places = left.pop()
        following = _following(words, places, len(prefix))
        if len(prefix) > 1 and len(following) > 1:
            yield prefix, len(places)
        if len(prefix) < longest:
            left += [
                (prefix + character, found)
                for character, found in following.items()
                if character != _BOUNDARY and len(found) > 1
            ]


def _following(
    words: Sequence[CountedWord], places: list[tuple[int, int]], length: int
) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, place in places:
        found[words[index].text[place + length : place + length + 1]].append((index, place))
    return found


_UNKNOWN = 0
"""The number of the piece that stands for a character which no piece of one character covers."""

UNKNOWN_PENALTY = 10
_NEGLIGIBLE = 50.0  # e⁻⁵⁰ is nothing beside 1, to a float


class LatticeNode(NamedTuple):
    """A piece at its place in a word: from the character `start` to before `end`."""

    start: int
    end: int
    piece: int
    score: float


Summing = Callable[[Iterable[float]], float]
"""Adds numbers up. `sum` isn't one: Python 3.12 and later carry along what is lost in between, and
Python 3.11 doesn't."""

Rounder = Callable[[str, float], float]
"""Rounds the number of a name, so that a cut is chosen by the numbers that the page shows of it."""

_COMPARED = "compared"
"""The name of a total where it is compared with another one."""


ALIKE = 9
"""The decimals to which numbers that nobody rounds are compared. Such that agree are the same
number, summed in another order."""


def alike(name: str, number: float) -> float:
    """Rounds a number where it is compared with another, and returns it as it is elsewhere."""
    return round(number, ALIKE) if name == _COMPARED else number


def _unrounded(_: str, number: float) -> float:
    """Returns the number as it is."""
    return number


Trie = dict[str, Any]
"""A tree of characters: each branch leads by a next character to a longer text. _FOUND holds the
number and the score of the piece that ends there. Looking up all pieces at a place costs no more
than the longest."""
_FOUND = ""
_CHARACTERS_OF_A_NODE = 12


class PieceTrie:
    """Pieces with their scores, found by the text that they cover. The number of a piece is its
    place among the tokens, the first of which is the unknown token and covers nothing by itself."""

    def __init__(self, scored: Sequence[tuple[str, float]], hidden: Iterable[str] = ()) -> None:
        hide = {*hidden, *(token for token, _ in scored[:1])}
        found = {
            token: (number, score)
            for number, (token, score) in enumerate(scored)
            if token not in hide
        }
        self.tokens = tuple(found)
        self._trie: Trie = {}
        for token, entry in found.items():
            branch = self._trie
            for character in token:
                branch = branch.setdefault(character, {})
            branch[_FOUND] = entry
        # the scores of special tokens count here too, where they have any
        least = min((score for _, score in scored if not math.isnan(score)), default=0.0)
        self.unknown_score = least - UNKNOWN_PENALTY

    def nodes(self, word: str) -> list[LatticeNode]:
        """Lists the nodes of a word's lattice by their starts, shorter ones first. Where no piece
        of one character stands the unknown token does, with the least score of all minus 10."""
        nodes: list[LatticeNode] = []
        for start, first in enumerate(word):
            if _FOUND not in self._trie.get(first, ()):
                nodes.append(LatticeNode(start, start + 1, _UNKNOWN, self.unknown_score))
            for end, branch in self._along(word, start):
                if _FOUND in branch:
                    nodes.append(LatticeNode(start, end, *branch[_FOUND]))
        return nodes

    def _along(self, word: str, start: int) -> Iterator[tuple[int, Trie]]:
        """Yields each place up to which some piece agrees with the word from `start` on, and the
        branch of the trie there."""
        branch = self._trie
        for end in range(start, len(word)):
            if word[end] not in branch:
                return
            branch = branch[word[end]]
            yield end + 1, branch

    def best_cut(
        self, word: str, round_: Rounder = _unrounded, without: str | None = None
    ) -> list[LatticeNode] | None:
        """Returns the nodes of the cut with the largest total score; of equal ones the cut whose
        last piece starts first. None where nothing reaches the end of the word, as may be `without`
        a piece. Scores are rounded as in `_viterbi`."""
        nodes, end = self.nodes(word), len(word)
        if without is not None:
            nodes = [node for node in nodes if word[node.start : node.end] != without]
        last = _viterbi(end, nodes, round_).best
        cut: list[LatticeNode] = []
        while end:
            node_before = last[end]
            if node_before is None:
                return None
            cut.append(node_before)
            end = node_before.start
        return cut[::-1]

    def effort(self, word: str, most: int) -> int:
        """Estimates the work of finding the nodes of a word and the best of them, in characters
        looked at. A node counts as twelve characters. Counting stops beyond `most`."""
        count = 0
        for start in range(len(word)):
            for _, branch in self._along(word, start):
                count += _CHARACTERS_OF_A_NODE if _FOUND in branch else 1
            if count > most:
                break
        return count


class BestPaths(NamedTuple):
    """The best ways through a word's lattice."""

    totals: list[float]
    """For each node the total of the best way that ends with it; nan where it isn't reached."""
    best: list[LatticeNode | None]
    """For each place of the word the node with the largest total that ends there, of equal ones the
    first, or None."""


def _viterbi(length: int, nodes: Iterable[LatticeNode], round_: Rounder = _unrounded) -> BestPaths:
    """Finds the best ways to the places of a word of `length` characters (Viterbi 1967). Nodes are
    in the order of their starts. `round_` may round the `totals` and the `best` of them, or only
    compare them rounded."""
    carried = [0.0, *[math.nan] * length]
    compared = [math.nan] * (length + 1)
    found = BestPaths([], [None] * (length + 1))
    for node in nodes:
        if node.start and found.best[node.start] is None:
            found.totals.append(math.nan)
            continue
        total = round_("totals", carried[node.start] + node.score)
        found.totals.append(total)
        size, end = round_(_COMPARED, total), node.end
        if found.best[end] is None or size > compared[end]:
            carried[end], compared[end] = round_("best", total), size
            found.best[end] = node
    return found


def expected_nodes(word: str, trie: PieceTrie) -> Iterator[tuple[LatticeNode, float]]:
    """Yields each node of a word's lattice with its probability, if cuts are as probable as their
    scores say (forward-backward): p(what is before) · p(piece) · p(what is after) / p(word)."""
    nodes, end = trie.nodes(word), len(word)
    before = _log_sums(end, nodes)
    after = _log_sums(end, sorted(nodes, key=lambda node: -node.start), backwards=True)
    for node in nodes:
        yield node, math.exp(before[node.start] + node.score + after[node.end] - before[end])


def _log_sums(length: int, nodes: Iterable[LatticeNode], *, backwards: bool = False) -> list[float]:
    """Returns for each place in a word ln Σ p over all ways there from the start, or `backwards`
    from the end."""
    sums: list[float | None] = [None] * (length + 1)
    sums[length if backwards else 0] = 0.0
    for start, end, _, score in nodes:
        here, there = (end, start) if backwards else (start, end)
        so_far = sums[here]
        if so_far is not None:
            sums[there] = _log_of_sum(sums[there], so_far + score)
    return [-math.inf if n is None else n for n in sums]


def _log_of_sum(x: float | None, y: float) -> float:
    """Returns ln(eˣ + eʸ), or y where there is no x yet."""
    if x is None:
        return y
    small, large = (y, x) if x > y else (x, y)
    if large > small + _NEGLIGIBLE:
        return large
    return large + math.log(math.exp(small - large) + 1.0)


Scored = tuple[tuple[str, float], ...]
"""Tokens with their log-probabilities."""


class PieceEnding(NamedTuple):
    """A piece that ends at a place in a word."""

    token: str
    start: int
    total: float
    """The total of the best way that ends with it: the best total at its start plus its own
    score."""
    known: bool = True
    """Whether it is a piece, and not a character that no piece covers."""


class WordPlace(NamedTuple):
    """A place in a word, after `end` characters."""

    end: int
    candidates: tuple[PieceEnding, ...]
    """All pieces that end there."""
    best: PieceEnding
    """The best of them, of equal ones the first, from which the cut is traced back."""


@dataclass(frozen=True)
class Unigram:
    """A model of pieces with log-probabilities. `special` tokens, the unknown one and those of
    bytes are never found in a word.

    A character that no piece covers has the least score of all pieces less 10, as in Hugging
    Face's `tokenizers`; neighbours of that sort are one unknown token together, or the tokens of
    their bytes with `byte_fallback`, where the vocabulary has them. Without an unknown token they
    stay as they are, with no ID. `round_` rounds the `totals` and the `best` of them.
    """

    scored: Scored
    unknown: str | None = None
    special: tuple[str, ...] = ()
    byte_fallback: bool = False
    round_: Rounder = _unrounded

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """Returns the tokens with their IDs."""
        return numbered(token for token, _ in self.scored)

    @cached_property
    def trie(self) -> PieceTrie:
        """Returns the pieces by the text that they cover. Their numbers are their IDs plus 1."""
        hidden = {*self.special, *BYTE_TOKENS, self.unknown or ""}
        return PieceTrie([("", math.nan), *self.scored], hidden)

    def pieces(self, word: str) -> tuple[Piece, ...]:
        return tuple(self._pieces(word, self.trie.best_cut(word, self.round_) or []))

    def _pieces(self, word: str, cut: list[LatticeNode]) -> Iterator[Piece]:
        for unknown, run in groupby(cut, key=lambda node: node.piece == _UNKNOWN):
            nodes = list(run)
            text = word[nodes[0].start : nodes[-1].end]
            if unknown:
                yield from unknown_pieces(text, self.vocabulary, self.unknown, self.byte_fallback)
                continue
            for node in nodes:
                token = word[node.start : node.end]
                yield Piece(token, self.vocabulary[token], token)

    def table(self, word: str) -> tuple[WordPlace, ...]:
        """Returns the places of a word, from after its first character to its end, without those
        that no piece reaches."""
        nodes = self.trie.nodes(word)
        found = _viterbi(len(word), nodes, self.round_)
        ending: dict[int, list[PieceEnding]] = {}
        best: dict[int, PieceEnding] = {}
        for node, total in zip(nodes, found.totals, strict=True):
            text = word[node.start : node.end]
            entry = PieceEnding(text, node.start, total, node.piece != _UNKNOWN)
            ending.setdefault(node.end, []).append(entry)
            if node == found.best[node.end]:
                best[node.end] = entry
        return tuple(WordPlace(end, tuple(ending[end]), best[end]) for end in sorted(ending))


class UnigramSettings(NamedTuple):
    """The settings by which a Unigram model is learned, by counts or by expected counts
    (`unigram_by_counts.train_by_counts`, `unigram_by_em.train_by_em`)."""

    size: int
    """The size of the vocabulary, special tokens and the unknown one included."""
    special: tuple[str, ...] = ()
    unknown: str | None = "<unk>"
    byte_fallback: bool = False
    longest: int = 16
    """The most characters that a piece may have."""
    min_count: int = 2
    """By counts: how often the corpus must have a substring to start with."""
    whole: bool = True
    """By counts: whether a substring that is only ever a whole word may be a piece."""
    share: Fraction = Fraction(1, 10)
    """By counts: the share of the pieces that may go which a round prunes, one at least."""
    steps: int = 2
    """By expected counts: how many steps of expectation and maximization a round has."""
    round_: Rounder = _unrounded
    """Rounds `log_p`, `cut_scores` and `growth`, and the numbers of the model."""
    sum_: Summing = math.fsum
    """Adds up log-probabilities and expected counts."""

    @property
    def front(self) -> tuple[str, ...]:
        """Returns the tokens that come first."""
        return front_of(self.special, self.unknown)

    @property
    def room(self) -> int:
        """Returns how many pieces there can be."""
        return self.size - len(self.front)

    def check(self, characters: int) -> None:
        """Raises ValueError for a size that has no room for so many characters."""
        least = len(self.front) + characters
        if self.size < least:
            raise ValueError(
                f"a vocabulary of {self.size} has no room for the special tokens and the"
                f" {characters} characters; {least} or more"
            )

    def model(self, pieces: Iterable[tuple[str, float]]) -> Unigram:
        """Makes the model of pieces with their log-probabilities, the most probable ones first."""
        ranked = sorted(pieces, key=lambda pairs: -pairs[1])
        rounded = ((token, self.round_("log_p", score)) for token, score in ranked)
        scored = (*((token, 0.0) for token in self.front), *rounded)
        return Unigram(scored, self.unknown, self.front, self.byte_fallback, self.round_)
