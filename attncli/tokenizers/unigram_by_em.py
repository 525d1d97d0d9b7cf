"""Unigram learned by expectation and maximization, as Hugging Face's `tokenizers` does it.

After SentencePiece (Kudo 2018, arXiv:1804.10959; Kudo & Richardson 2018, arXiv:1808.06226). Many
substrings to start with; expectation and maximization, twice; the pieces pruned whose loss costs
the likelihood least; and so on until the vocabulary is about as large as it should be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from attncli.tokenizers.pieces import CountedWord, Progress
from attncli.tokenizers.unigram import (
    PieceTrie,
    Scored,
    Summing,
    Unigram,
    UnigramSettings,
    branching,
    expected_nodes,
    substring_counts,
)

_UNKNOWN_PIECE = ("<UNK>", math.nan)

Tick = Callable[[], None]
"""A function that is called for each word that is looked at."""


def _no_tick() -> None:
    """Does nothing, where nobody asks how far the training is."""


class PieceLoss(NamedTuple):
    """The cost of removing a piece, if the best of its other cuts took its place."""

    token: str
    frequency: float
    instead: tuple[str, ...]
    loss: float


class Pruning(NamedTuple):
    """A record of what was pruned after a round."""

    unused: tuple[str, ...]
    """The pieces that were in no best cut."""
    losses: tuple[PieceLoss, ...]
    """The losses of pieces that have another cut, from the largest on."""
    kept: int
    """How many of these stayed."""
    size: int
    """How many pieces there were before."""
    cuts: tuple[tuple[str, ...], ...]
    """The best cuts of the words before, in the first round only."""


def _prune(
    words: Sequence[CountedWord], pieces: Scored, size: int, sum_: Summing, tick: Tick
) -> tuple[Pruning, Scored]:
    """Prunes pieces down to `size`, the unknown token included, and returns the record and the
    pieces that are left. A piece without another cut stays."""
    trie = PieceTrie([_UNKNOWN_PIECE, *pieces])
    names = [_UNKNOWN_PIECE[0], *(token for token, _ in pieces)]
    cuts = _best_cuts(words, trie, tick)
    frequency = [0.0] * len(names)
    for word, cut in zip(words, cuts, strict=True):
        for piece in cut:
            frequency[piece] += word.count
    total, every = sum_(frequency), sum(word.count for word in words)
    kept: list[int] = []
    unused: list[str] = []
    losses: list[tuple[int, PieceLoss]] = []
    for number, token in enumerate(names[1:], 1):
        keep, instead = _other_cut(token, trie)
        if not frequency[number] and (instead or not keep):
            unused.append(token)
        elif not instead:
            kept.append(number)
        else:
            own, others = frequency[number], [frequency[index] for index in instead]
            loss = own / every * _gain(own, others, total, len(pieces), sum_)
            losses.append((number, PieceLoss(token, own, tuple(names[k] for k in instead), loss)))
    ranked = sorted(losses, key=lambda pairs: -pairs[1].loss)
    room = max(0, size - 1 - len(kept))
    kept += [number for number, _ in ranked[:room]]
    record = Pruning(
        tuple(unused),
        tuple(loss for _, loss in ranked),
        min(room, len(ranked)),
        len(pieces),
        tuple(tuple(names[piece] for piece in cut) for cut in cuts),
    )
    return record, tuple(pieces[number - 1] for number in kept)


def _best_cuts(words: Sequence[CountedWord], trie: PieceTrie, tick: Tick) -> list[tuple[int, ...]]:
    """Returns the best cut of each word, as the numbers of its pieces."""
    cuts: list[tuple[int, ...]] = []
    for word in words:
        tick()
        cuts.append(tuple(node.piece for node in trie.best_cut(word.text) or []))
    return cuts


def _other_cut(token: str, trie: PieceTrie) -> tuple[bool, tuple[int, ...]]:
    """Tells whether a piece stays where it isn't used, and returns its best cut into other pieces,
    if the piece itself is the best of its cuts."""
    rest = trie.best_cut(token, without=token)
    if rest is None:
        return True, ()
    alone = len(trie.best_cut(token) or []) <= 1
    return (True, tuple(node.piece for node in rest)) if alone else (False, ())


def _gain(own: float, others: Sequence[float], total: float, size: int, sum_: Summing) -> float:
    """Estimates ln p(piece) − Σ ln p(another one in its place), where these are as frequent as they
    are and the piece together. The words aren't cut anew.

    The new sum of all frequencies should be total + own · (pieces instead − 1), as SentencePiece
    has it. Hugging Face's `tokenizers` takes the number of all pieces there, and so does this.
    """
    after = math.log(total + own * size)
    other = sum_(math.log(n + own) - after for n in others)
    return math.log(own) - math.log(total) - other


# the numbers of SentencePiece's trainer
SHRINKING = 0.75
"""The share of the pieces that a round keeps."""
_MOST_SEEDS = 1_000_000
_LEAST_EXPECTED = 0.5
_REQUIRED_STEP = 0.0001
_WORDS_OF_A_TICK = 1000
"""The words between two reports of progress."""


class EMStep(NamedTuple):
    """A step of expectation and maximization."""

    before: int
    """How many pieces went in."""
    scored: Scored
    """The pieces that are expected 0.5 times or more, with their new log-probabilities."""


class EMRound(NamedTuple):
    """Steps, and the pruning after them, which the last round doesn't have."""

    steps: tuple[EMStep, ...]
    pruning: Pruning | None


class EMTraining(NamedTuple):
    """A model, and the rounds in which it was learned."""

    model: Unigram
    rounds: tuple[EMRound, ...]
    required: tuple[str, ...]
    """Characters that had no score any more and got the least one, each 0.0001 more than the one
    before."""


def train_by_em(
    words: Sequence[CountedWord], settings: UnigramSettings, *, progress: Progress | None = None
) -> EMTraining:
    """Learns a Unigram model from counted words by expectation and maximization.

    Where the characters leave no room for any other piece, they are all; Hugging Face's
    `tokenizers` then keeps more than `size`. Raises ValueError for a size that has no room for the
    characters.
    """
    characters = sorted({character for word in words for character in word.text})
    settings.check(len(characters))
    pieces, rounds = _seed_pieces(words, settings.longest), list[EMRound]()
    target = settings.size * 11 // 10  # where pruning ends; the rest goes at once
    likely = math.ceil(rounds_of_pruning(len(pieces), target, SHRINKING))
    total = len(words) * (settings.steps + 1) * likely
    tick = _ticker(progress, total)
    while words and (not rounds or rounds[-1].pruning):
        before = len(pieces)
        done, pieces = _pruned(words, pieces, settings, target, tick)
        if rounds and done.pruning:  # the cuts of the first round are enough
            done = done._replace(pruning=done.pruning._replace(cuts=()))
        rounds.append(done)
        if done.pruning and len(pieces) == before:
            break  # all that is left has to stay
    if progress is not None:
        progress(total, total)
    model, required = _finish(pieces, characters, settings)
    return EMTraining(model, tuple(rounds), required)


def rounds_of_pruning(start: int, room: int, kept: float) -> float:
    """Estimates the rounds in which pieces are pruned from `start` to `room`, where a share of them
    is kept each time."""
    if kept <= 0:
        return 1.0
    return 1 + math.log(max(1.0, start / max(1, room))) / -math.log(kept)


def _ticker(progress: Progress | None, total: int) -> Tick:
    """Returns the function that reports how far a training is: in words looked at, of as many as it
    will probably be."""
    if progress is None:
        return _no_tick
    numbers = count(1)

    def tick() -> None:
        done = next(numbers)
        if done % _WORDS_OF_A_TICK == 0:
            progress(min(done, total), total)

    return tick


def _seed_pieces(words: Sequence[CountedWord], longest: int) -> Scored:
    """Returns the pieces to start with: all characters by their counts, then substrings by times ·
    length, each word counted once. The scores are ln of their shares of all that."""
    characters = ((times, entry) for entry, times in substring_counts(words, 1).items())
    substrings = ((times * len(text), text) for text, times in branching(words, longest))
    front = sorted(characters, reverse=True)
    room = max(1, _MOST_SEEDS - len(front))
    weighted = [*front, *sorted(substrings, reverse=True)[:room]]
    total = math.log(sum(weight for weight, _ in weighted)) if weighted else 0.0
    return tuple((text, math.log(weight) - total) for weight, text in weighted)


def _pruned(
    words: Sequence[CountedWord],
    pieces: Scored,
    settings: UnigramSettings,
    target: int,
    tick: Tick,
) -> tuple[EMRound, Scored]:
    steps: list[EMStep] = []
    for _ in range(settings.steps):
        steps.append(_step(words, pieces, settings.sum_, tick))
        pieces = steps[-1].scored
    size = len(pieces) + 1  # with the unknown token
    if size <= target:
        return EMRound(tuple(steps), None), pieces
    fewer = max(target, int(size * SHRINKING))
    pruning, pieces = _prune(words, pieces, fewer, settings.sum_, tick)
    return EMRound(tuple(steps), pruning), pieces


def _step(words: Sequence[CountedWord], pieces: Scored, sum_: Summing, tick: Tick) -> EMStep:
    """Does one step. E-step: how often each piece is expected in all cuts. M-step: its new score is
    ψ(expected) − ψ(Σ expected), ψ being the digamma function: a variational Bayes with a Dirichlet
    prior, which makes rare pieces rarer, as in SentencePiece's `RunMStep`."""
    trie = PieceTrie([_UNKNOWN_PIECE, *pieces])
    expected = [0.0] * (len(pieces) + 1)
    for word in words:
        tick()
        for node, probability in expected_nodes(word.text, trie):
            expected[node.piece] += word.count * probability
    found = zip(pieces, expected[1:], strict=True)
    kept = [(token, times) for (token, _), times in found if times >= _LEAST_EXPECTED]
    total = digamma(sum_(times for _, times in kept)) if kept else 0.0
    return EMStep(len(pieces), tuple((token, digamma(times) - total) for token, times in kept))


def digamma(x: float) -> float:
    """Returns ψ(x), the derivative of ln Γ(x), for x > 0: ψ(x) = ψ(x + 1) − 1/x up to 7, then the
    asymptotic series in 1/(x − ½)² (as SentencePiece has it; off by about 1e-11 at worst)."""
    result = 0.0
    while x < 7.0:  # noqa: PLR2004
        result -= 1.0 / x
        x += 1.0
    x -= 0.5
    square = 1.0 / x / x
    fourth = square * square
    series = square / 24.0 - 7.0 / 960.0 * fourth + 31.0 / 8064.0 * fourth * square
    return result + math.log(x) + series - 127.0 / 30720.0 * fourth * fourth


def _finish(
    pieces: Scored, characters: Sequence[str], settings: UnigramSettings
) -> tuple[Unigram, tuple[str, ...]]:
    scores = dict(pieces)
    least = min(scores.values(), default=0.0)
    missing = tuple(c for c in characters if c not in scores)
    found = {c: scores[c] for c in characters if c in scores}
    found |= {text: least + place * _REQUIRED_STEP for place, text in enumerate(missing)}
    for token, score in pieces:
        if len(found) == settings.room:
            break
        found.setdefault(token, score)
    return settings.model(found.items()), missing
