"""Unigram learned in steps that can be followed by hand: the way it is mostly taught.

A piece's probability is its share of all counts; a word's is that of its best cut; the loss of a
vocabulary is −Σ count · ln p(word). Each round finds, for each piece that may go, the loss without
it, and prunes the pieces without which it grows least. Single characters stay.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from attncli.tokenizing.corpus import Progress, Word
from attncli.tokenizing.lattice import Lexicon, best_cut, expect
from attncli.tokenizing.seeds import substring_counts
from attncli.tokenizing.unigram import Unigram

_ALIKE = 9  # decimals: increases that differ by less are the same figure, summed differently


class Lesson(NamedTuple):
    """What is learned: a vocabulary of `size`, special tokens and the unknown one included. It
    starts from the characters and those substrings of up to `longest` of them that the corpus has
    `min_count` times or more, of which `seeds` at most, the most frequent. Without `whole`, what is
    only ever a whole word is left out.

    Each round prunes the share `share` of the pieces that may go (one at least), but not below the
    size, until that is reached or `rounds` are over. After it pieces are counted anew: as
    `substrings`, wherever they stand in the corpus, which changes nothing; as the `best` cuts have
    them, by the scores before; or as they are `expected` in all cuts. Of what isn't counted then,
    characters have the count 1, and other pieces go too.
    """

    size: int
    special: tuple[str, ...] = ()
    unknown: str | None = "<unk>"
    longest: int = 16
    min_count: int = 2
    seeds: int | None = None
    whole: bool = True
    share: float = 0.1
    rounds: int | None = None
    counting: Literal["substrings", "best", "expected"] = "substrings"


@dataclass(frozen=True, slots=True)
class Share:
    """A piece, its count, and ln(count / total)."""

    token: str
    count: float
    score: float


class Cut(NamedTuple):
    """A word's best cut, and ln p of it."""

    pieces: tuple[str, ...]
    score: float


class Removal(NamedTuple):
    """A piece that may go: the words (by index) that it is in the best cut of, as they are cut
    without it, the loss without it, and how much that is more."""

    token: str
    words: tuple[tuple[int, Cut], ...]
    loss: float
    increase: float
    pruned: bool


class LessonRound(NamedTuple):
    """The pieces (`total` is the sum of their counts), the best cut of each word, the loss, and
    what removing each piece would do, in the order of the pieces. The last round prunes nothing."""

    pieces: tuple[Share, ...]
    total: float
    cuts: tuple[Cut, ...]
    loss: float
    removals: tuple[Removal, ...]


class Taught(NamedTuple):
    """A model's making."""

    words: tuple[Word, ...]
    model: Unigram
    rounds: tuple[LessonRound, ...]


def teach(words: Sequence[Word], lesson: Lesson, *, progress: Progress | None = None) -> Taught:
    """A Unigram model learned from counted words, with all that was worked out.

    Of pieces whose loss grows by the same (to nine decimals), the one of the smaller count is
    pruned, then the one that comes last. Raises ValueError for a size that has no room for the
    characters, and for a share that isn't above 0 and up to 1.
    """
    counts = seed_counts(words, lesson)
    room = lesson.size - len(_front(lesson))
    _check(lesson, room, sum(len(token) == 1 for token in counts))
    start, rounds = len(counts), list[LessonRound]()
    while not rounds or any(one.pruned for one in rounds[-1].removals):
        ended = lesson.rounds is not None and len(rounds) >= lesson.rounds
        much = 0 if ended else len(counts) - room
        rounds.append(_round(words, counts, lesson, much))
        pruned = {one.token for one in rounds[-1].removals if one.pruned}
        counts = _recount(words, rounds[-1], pruned, lesson)
        if progress is not None:
            progress(start - len(counts), max(start - room, start - len(counts)))
    return Taught(tuple(words), _model(rounds[-1], lesson), tuple(rounds))


def seed_counts(words: Sequence[Word], lesson: Lesson) -> dict[str, float]:
    """The characters by code point, then the substrings, most frequent first (of one count longer
    ones first, then by code point), with their counts."""
    counts = substring_counts(words, lesson.longest)
    characters = sorted(token for token in counts if len(token) == 1)
    own = {} if lesson.whole else {word.text: word.count for word in words}
    inside = (one for one in counts if counts[one] > own.get(one, 0))
    rest = [one for one in inside if len(one) > 1 and counts[one] >= lesson.min_count]
    ranked = sorted(rest, key=lambda one: (-counts[one], -len(one), one))
    return {token: float(counts[token]) for token in (*characters, *ranked[: lesson.seeds])}


def _check(lesson: Lesson, room: int, characters: int) -> None:
    if room < characters:
        raise ValueError(
            f"a vocabulary of {lesson.size} has no room for the special tokens and the "
            f"{characters} characters; {lesson.size - room + characters} or more"
        )
    if not 0 < lesson.share <= 1:
        raise ValueError(f"the share to prune is {lesson.share}; above 0, and not above 1")


def _front(lesson: Lesson) -> tuple[str, ...]:
    if lesson.unknown is None or lesson.unknown in lesson.special:
        return lesson.special
    return (lesson.unknown, *lesson.special)


def _round(
    words: Sequence[Word], counts: Mapping[str, float], lesson: Lesson, much: int
) -> LessonRound:
    total = sum(counts.values())
    pieces = tuple(Share(token, count, math.log(count / total)) for token, count in counts.items())
    lexicon = _lexicon(pieces)
    cuts = tuple(_cuts(words, lexicon))
    loss = sum((-word.count * cut.score for word, cut in zip(words, cuts, strict=True)), 0.0)
    removals = _removals(words, lexicon, counts, _Cuts(cuts, loss)) if much > 0 else []
    fewer = max(1, int(len(removals) * lesson.share))
    going = _least(removals, counts, min(much, fewer))
    marked = tuple(one._replace(pruned=one.token in going) for one in removals)
    return LessonRound(pieces, total, cuts, loss, marked)


class _Cuts(NamedTuple):
    cuts: tuple[Cut, ...]
    loss: float


def _lexicon(pieces: Iterable[Share]) -> Lexicon:
    return Lexicon([("", math.nan), *((piece.token, piece.score) for piece in pieces)])


def _cuts(words: Iterable[Word], lexicon: Lexicon, without: str | None = None) -> list[Cut]:
    found: list[Cut] = []
    for word in words:
        text = word.text
        nodes = lexicon.nodes(text)
        if without is not None:
            nodes = [node for node in nodes if text[node.start : node.end] != without]
        cut = best_cut(len(text), nodes) or []
        pieces = tuple(text[node.start : node.end] for node in cut)
        found.append(Cut(pieces, sum(node.score for node in cut)))
    return found


def _removals(
    words: Sequence[Word], lexicon: Lexicon, tokens: Iterable[str], done: _Cuts
) -> list[Removal]:
    holders: dict[str, list[int]] = defaultdict(list)
    for index, cut in enumerate(done.cuts):
        for token in dict.fromkeys(cut.pieces):
            holders[token].append(index)
    removals: list[Removal] = []
    for token in tokens:
        if len(token) > 1:
            anew = _cuts((words[index] for index in holders[token]), lexicon, token)
            found = tuple(zip(holders[token], anew, strict=True))
            more = sum(
                words[index].count * (done.cuts[index].score - cut.score) for index, cut in found
            )
            removals.append(Removal(token, found, done.loss + more, more, pruned=False))
    return removals


def _least(removals: Sequence[Removal], counts: Mapping[str, float], much: int) -> frozenset[str]:
    order = {one.token: place for place, one in enumerate(removals)}
    ranked = sorted(
        removals,
        key=lambda one: (round(one.increase, _ALIKE), counts[one.token], -order[one.token]),
    )
    return frozenset(one.token for one in ranked[: max(0, much)])


def _recount(
    words: Sequence[Word], done: LessonRound, pruned: set[str], lesson: Lesson
) -> dict[str, float]:
    left = {one.token: one.count for one in done.pieces if one.token not in pruned}
    if lesson.counting == "substrings" or not pruned:
        return left
    lexicon = _lexicon(one for one in done.pieces if one.token in left)
    counts = dict.fromkeys(left, 0.0)
    for token, count in _occurrences(words, lexicon, lesson.counting):
        counts[token] += count
    return {token: count or 1.0 for token, count in counts.items() if count or len(token) == 1}


def _occurrences(
    words: Sequence[Word], lexicon: Lexicon, counting: str
) -> Iterable[tuple[str, float]]:
    if counting == "best":
        for word, cut in zip(words, _cuts(words, lexicon), strict=True):
            yield from ((token, float(word.count)) for token in cut.pieces)
        return
    for word in words:
        for node, chance in expect(word.text, lexicon).nodes:
            yield word.text[node.start : node.end], word.count * chance


def _model(done: LessonRound, lesson: Lesson) -> Unigram:
    front = _front(lesson)
    ranked = sorted(done.pieces, key=lambda one: -one.score)
    scored = (*((token, 0.0) for token in front), *((one.token, one.score) for one in ranked))
    return Unigram(scored, lesson.unknown, front)
