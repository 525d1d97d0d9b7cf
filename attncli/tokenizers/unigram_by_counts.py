"""Unigram learned by counts, the way it is mostly taught, each step of which is done by hand.

A piece's probability is its share of all counts, which are those of the substring wherever it
stands; a word's is that of its best cut; the loss of a vocabulary is −Σ count · ln p(word). Each
round finds, for each piece that may go, how much the loss grows without it, and prunes the pieces
without which it grows least. Single characters stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attncli.tokenizers.pieces import CountedWord, Progress, occurrences
from attncli.tokenizers.unigram import (
    ALIKE,
    PieceTrie,
    Summing,
    Unigram,
    UnigramSettings,
    alike,
    substring_counts,
)


@dataclass(frozen=True, slots=True)
class CountedPiece:
    """A piece, its count, and ln(count / total)."""

    token: str
    count: int
    score: float


class WordCut(NamedTuple):
    """The best cut of a word, and ln p of it."""

    pieces: tuple[str, ...]
    score: float


class Removal(NamedTuple):
    """A piece that may go."""

    token: str
    words: tuple[tuple[int, WordCut], ...]
    """The words (by index) whose best cut has it, as they are cut without it."""
    increase: float
    """How much the loss grows without it."""
    pruned: bool


class CountRound(NamedTuple):
    """A round of learning by counts: the pieces, the best cut of each word, and what removing each
    piece would do, in the order of the pieces. The last round prunes nothing."""

    pieces: tuple[CountedPiece, ...]
    cuts: tuple[WordCut, ...]
    removals: tuple[Removal, ...]
    share: int = 1
    """How many pieces the round may prune."""


class CountTraining(NamedTuple):
    """A model, and the rounds in which it was learned."""

    model: Unigram
    rounds: tuple[CountRound, ...]


def train_by_counts(
    words: Sequence[CountedWord], settings: UnigramSettings, *, progress: Progress | None = None
) -> CountTraining:
    """Learns a model from counted words.

    Of pieces without which the loss grows by the same (to nine decimals), the one of the smaller
    count is pruned, then the one that comes last. Raises ValueError for a size that has no room for
    the characters, and for a share that isn't above 0 and up to 1.
    """
    counts, room = seed_counts(words, settings), settings.room
    settings.check(sum(len(token) == 1 for token in counts))
    if not 0 < settings.share <= 1:
        raise ValueError(f"the share to prune is {settings.share}; above 0, and not above 1")
    start, rounds = len(counts), list[CountRound]()
    while not rounds or any(r.pruned for r in rounds[-1].removals):
        rounds.append(_round(words, counts, settings))
        pruned = {r.token for r in rounds[-1].removals if r.pruned}
        counts = {token: count for token, count in counts.items() if token not in pruned}
        if progress is not None:
            progress(start - len(counts), max(start - room, start - len(counts)))
    model = settings.model((piece.token, piece.score) for piece in rounds[-1].pieces)
    return CountTraining(model, tuple(rounds))


def seed_counts(words: Sequence[CountedWord], settings: UnigramSettings) -> dict[str, int]:
    """Returns the pieces to start with and their counts: the characters by code point, then the
    substrings, most frequent first (of one count longer ones first, then by code point)."""
    counts, front = substring_counts(words, settings.longest), settings.front
    characters = sorted(token for token in counts if len(token) == 1)
    own = {} if settings.whole else {word.text: word.count for word in words}
    inside = (count for count in counts if counts[count] > own.get(count, 0) and count not in front)
    rest = [text for text in inside if len(text) > 1 and counts[text] >= settings.min_count]
    ranked = sorted(rest, key=lambda text: (-counts[text], -len(text), text))
    return {token: counts[token] for token in (*characters, *ranked)}


def _round(
    words: Sequence[CountedWord], counts: Mapping[str, int], settings: UnigramSettings
) -> CountRound:
    total, round_ = sum(counts.values()), settings.round_
    pieces = tuple(
        CountedPiece(token, count, round_("log_p", math.log(count / total)))
        for token, count in counts.items()
    )
    trie = PieceTrie([("", math.nan), *((piece.token, piece.score) for piece in pieces)])
    found = (_best_cut(word, trie, settings.sum_) for word in words)
    cuts = tuple(cut._replace(score=round_("cut_scores", cut.score)) for cut in found)
    much = max(0, len(counts) - settings.room)
    removals = _removals(words, trie, counts, cuts, settings) if much else []
    fewer = max(1, int(len(removals) * settings.share))
    order = sorted(
        range(len(removals)),
        key=lambda k: (removals[k].increase, counts[removals[k].token], -k),
    )
    going = {*order[: min(much, fewer)]}
    marked = (r._replace(pruned=k in going) for k, r in enumerate(removals))
    return CountRound(pieces, cuts, tuple(marked), fewer)


def _best_cut(
    word: CountedWord, trie: PieceTrie, sum_: Summing, without: str | None = None
) -> WordCut:
    cut = trie.best_cut(word.text, alike, without) or []
    pieces = tuple(word.text[node.start : node.end] for node in cut)
    return WordCut(pieces, sum_(node.score for node in cut))


def _removals(
    words: Sequence[CountedWord],
    trie: PieceTrie,
    tokens: Iterable[str],
    cuts: Sequence[WordCut],
    settings: UnigramSettings,
) -> list[Removal]:
    longer, sum_ = [token for token in tokens if len(token) > 1], settings.sum_
    removals: list[Removal] = []
    for token, held in zip(longer, occurrences(longer, (cut.pieces for cut in cuts)), strict=True):
        anew = tuple((index, _best_cut(words[index], trie, sum_, token)) for index, _ in held)
        more = sum_(words[index].count * (cuts[index].score - cut.score) for index, cut in anew)
        increase = round(settings.round_("growth", more), ALIKE)
        removals.append(Removal(token, anew, increase, pruned=False))
    return removals
