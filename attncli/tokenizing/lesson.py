"""Unigram learned in steps that can be followed by hand: the way it is mostly taught.

A piece's probability is its share of all counts, which are those of the substring wherever it
stands; a word's is that of its best cut; the loss of a vocabulary is −Σ count · ln p(word). Each
round finds, for each piece that may go, how much the loss grows without it, and prunes the pieces
without which it grows least. Single characters stay.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from attncli.records import NamedTuple
from attncli.tokenizing.corpus import CountedWord, Progress
from attncli.tokenizing.lattice import COMPARED, Lexicon, Rounded, best_cut, unrounded
from attncli.tokenizing.pieces import front_of
from attncli.tokenizing.seeds import substring_counts
from attncli.tokenizing.unigram import Unigram, check_room

_ALIKE = 9  # decimals: increases that differ by less are the same number, summed differently


class Lesson(NamedTuple):
    """What is learned: a vocabulary of `size`, special tokens and the unknown one included. It
    starts from the characters and those substrings of up to `longest` of them that the corpus has
    `min_count` times or more. Without `whole`, what is only ever a whole word is left out.

    Each round prunes the share `share` of the pieces that may go (one at least), but not below the
    size, until that is reached. `rounded` rounds `log_p`, `cut_scores` and `growth`, and is
    that of the model.
    """

    size: int
    special: tuple[str, ...] = ()
    unknown: str | None = "<unk>"
    longest: int = 16
    min_count: int = 2
    whole: bool = True
    share: Fraction = Fraction(1, 10)
    rounded: Rounded = unrounded
    byte_fallback: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """A piece, its count, and ln(count / total)."""

    token: str
    count: int
    score: float


class Cut(NamedTuple):
    """A word's best cut, and ln p of it."""

    pieces: tuple[str, ...]
    score: float


class Removal(NamedTuple):
    """A piece that may go: the words (by index) that it is in the best cut of, as they are cut
    without it, and how much the loss grows."""

    token: str
    words: tuple[tuple[int, Cut], ...]
    increase: float
    pruned: bool


class LessonRound(NamedTuple):
    """The pieces, the best cut of each word, and what removing each piece would do, in the order
    of the pieces. The last round prunes nothing."""

    pieces: tuple[Share, ...]
    cuts: tuple[Cut, ...]
    removals: tuple[Removal, ...]


class Taught(NamedTuple):
    """A model's making."""

    words: tuple[CountedWord, ...]
    model: Unigram
    rounds: tuple[LessonRound, ...]


def teach(
    words: Sequence[CountedWord], lesson: Lesson, *, progress: Progress | None = None
) -> Taught:
    """A Unigram model learned from counted words, with all that was worked out.

    Of pieces whose loss grows by the same (to nine decimals), the one of the smaller count is
    pruned, then the one that comes last. Raises ValueError for a size that has no room for the
    characters, and for a share that isn't above 0 and up to 1.
    """
    counts = seed_counts(words, lesson)
    front = front_of(lesson.special, lesson.unknown)
    room = lesson.size - len(front)
    check_room(lesson.size, len(front), sum(len(token) == 1 for token in counts))
    if not 0 < lesson.share <= 1:
        raise ValueError(f"the share to prune is {lesson.share}; above 0, and not above 1")
    start, rounds = len(counts), list[LessonRound]()
    while not rounds or any(one.pruned for one in rounds[-1].removals):
        rounds.append(_round(words, counts, lesson, len(counts) - room))
        pruned = {one.token for one in rounds[-1].removals if one.pruned}
        counts = {token: count for token, count in counts.items() if token not in pruned}
        if progress is not None:
            progress(start - len(counts), max(start - room, start - len(counts)))
    return Taught(tuple(words), _model(rounds[-1], lesson), tuple(rounds))


def seed_counts(words: Sequence[CountedWord], lesson: Lesson) -> dict[str, int]:
    """The characters by code point, then the substrings, most frequent first (of one count longer
    ones first, then by code point), with their counts."""
    counts = substring_counts(words, lesson.longest)
    characters = sorted(token for token in counts if len(token) == 1)
    own = {} if lesson.whole else {word.text: word.count for word in words}
    front = set(front_of(lesson.special, lesson.unknown))
    inside = (one for one in counts if counts[one] > own.get(one, 0) and one not in front)
    rest = [one for one in inside if len(one) > 1 and counts[one] >= lesson.min_count]
    ranked = sorted(rest, key=lambda one: (-counts[one], -len(one), one))
    return {token: counts[token] for token in (*characters, *ranked)}


def _round(
    words: Sequence[CountedWord], counts: Mapping[str, int], lesson: Lesson, much: int
) -> LessonRound:
    total = sum(counts.values())
    pieces = tuple(
        Share(token, count, lesson.rounded("log_p", math.log(count / total)))
        for token, count in counts.items()
    )
    lexicon = Lexicon([("", math.nan), *((piece.token, piece.score) for piece in pieces)])
    cuts = tuple(
        cut._replace(score=lesson.rounded("cut_scores", cut.score)) for cut in _cuts(words, lexicon)
    )
    removals = _removals(words, lexicon, counts, cuts, lesson.rounded) if much > 0 else []
    fewer = max(1, int(len(removals) * lesson.share))
    going = _least(removals, counts, min(much, fewer))
    marked = tuple(one._replace(pruned=one.token in going) for one in removals)
    return LessonRound(pieces, cuts, marked)


def _alike(name: str, number: float) -> float:
    """Sums of the same numbers in another order are the same."""
    return round(number, _ALIKE) if name == COMPARED else number


def _cuts(words: Iterable[CountedWord], lexicon: Lexicon, without: str | None = None) -> list[Cut]:
    found: list[Cut] = []
    for word in words:
        text = word.text
        nodes = lexicon.nodes(text)
        if without is not None:
            nodes = [node for node in nodes if text[node.start : node.end] != without]
        cut = best_cut(len(text), nodes, _alike) or []
        pieces = tuple(text[node.start : node.end] for node in cut)
        found.append(Cut(pieces, sum(node.score for node in cut)))
    return found


def _removals(
    words: Sequence[CountedWord],
    lexicon: Lexicon,
    tokens: Iterable[str],
    cuts: Sequence[Cut],
    rounded: Rounded,
) -> list[Removal]:
    holders: dict[str, list[int]] = defaultdict(list)
    for index, cut in enumerate(cuts):
        for token in dict.fromkeys(cut.pieces):
            holders[token].append(index)
    removals: list[Removal] = []
    for token in tokens:
        if len(token) > 1:
            anew = _cuts((words[index] for index in holders[token]), lexicon, token)
            found = tuple(zip(holders[token], anew, strict=True))
            more = sum(words[index].count * (cuts[index].score - cut.score) for index, cut in found)
            increase = round(rounded("growth", more), _ALIKE)
            removals.append(Removal(token, found, increase, pruned=False))
    return removals


def _least(removals: Sequence[Removal], counts: Mapping[str, int], much: int) -> frozenset[str]:
    order = {one.token: place for place, one in enumerate(removals)}
    ranked = sorted(removals, key=lambda one: (one.increase, counts[one.token], -order[one.token]))
    return frozenset(one.token for one in ranked[: max(0, much)])


def _model(done: LessonRound, lesson: Lesson) -> Unigram:
    front = front_of(lesson.special, lesson.unknown)
    ranked = sorted(done.pieces, key=lambda one: -one.score)
    scored = (*((token, 0.0) for token in front), *((one.token, one.score) for one in ranked))
    return Unigram(scored, lesson.unknown, front, lesson.byte_fallback, lesson.rounded)
