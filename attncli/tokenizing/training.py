"""Unigram learned as Hugging Face's `tokenizers` does it, after SentencePiece (Kudo 2018,
arXiv:1804.10959; Kudo & Richardson 2018, arXiv:1808.06226).

Many substrings to start with; expectation and maximization, twice; the pieces pruned whose loss
costs the likelihood least; and so on until the vocabulary is about as large as it should be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attncli.records import NamedTuple
from attncli.tokenizing.corpus import CountedWord, Progress
from attncli.tokenizing.lattice import Lexicon, expect
from attncli.tokenizing.pieces import front_of
from attncli.tokenizing.pruning import UNKNOWN_PIECE, Pruning, Tick, no_tick, prune
from attncli.tokenizing.seeds import branching, character_counts
from attncli.tokenizing.unigram import Scored, Unigram, check_room

_LEAST_EXPECTED = 0.5
_REQUIRED_STEP = 0.0001
_TICK = 1000
"""Words between two words on how far it is."""


class Training(NamedTuple):
    """What is learned: a vocabulary of `size`, special tokens and the unknown one included. Each
    round has `steps` of expectation and maximization and keeps the share `shrinking` of pieces."""

    size: int
    special: tuple[str, ...] = ()
    unknown: str | None = "<unk>"
    byte_fallback: bool = False
    shrinking: float = 0.75
    steps: int = 2
    longest: int = 16
    seeds: int = 1_000_000

    @property
    def target(self) -> int:
        """The size at which pruning ends; the rest goes at once."""
        return self.size * 11 // 10


class _Clock:
    """Tells how far a training is: in words looked at, of as many as it will probably be."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    @classmethod
    def of(cls, progress: Progress | None, words: int, seeds: int, training: Training) -> _Clock:
        ratio = max(1.0, seeds / max(1, training.target))
        rounds = 1 + math.ceil(math.log(ratio) / -math.log(training.shrinking))
        return cls(progress, words * rounds * (training.steps + 1))

    def tick(self) -> None:
        self._done += 1
        if self._progress is not None and self._done % _TICK == 0:
            self._progress(min(self._done, self._total), self._total)

    def end(self) -> None:
        if self._progress is not None:
            self._progress(self._total, self._total)


class EMStep(NamedTuple):
    """Expectation and maximization: how often each piece is expected, −Σ count · ln p(word) / Σ
    count by the scores before, and the pieces of 0.5 or more with their new scores."""

    expected: tuple[tuple[str, float], ...]
    objective: float
    scored: Scored


class TrainingRound(NamedTuple):
    """Steps, and the pruning after them, which the last round hasn't."""

    steps: tuple[EMStep, ...]
    pruning: Pruning | None


class Trained(NamedTuple):
    """A model's making: its seeds with their scores, its rounds, and `required` characters that had
    no score any more and got the least one, each 0.0001 more than the one before."""

    model: Unigram
    seeds: Scored
    rounds: tuple[TrainingRound, ...]
    required: tuple[str, ...]


def train(
    words: Sequence[CountedWord], training: Training, *, progress: Progress | None = None
) -> Trained:
    """A Unigram model learned from counted words.

    Where the characters leave no room for any other piece, they are all; the package then keeps
    more than `size`. Raises ValueError for a size that has no room for the characters.
    """
    characters = sorted({character for word in words for character in word.text})
    front = front_of(training.special, training.unknown)
    check_room(training.size, len(front), len(characters))
    seeds = seed_pieces(words, training)
    clock = _Clock.of(progress, len(words), len(seeds), training)
    pieces, rounds = seeds, list[TrainingRound]()
    while words and (not rounds or rounds[-1].pruning):
        before = len(pieces)
        done, pieces = _round(words, pieces, training, clock)
        rounds.append(done if not rounds else _without_cuts(done))
        if done.pruning and len(pieces) == before:
            break  # all that is left has to stay
    clock.end()
    model, required = _finish(pieces, characters, training)
    return Trained(model, seeds, tuple(rounds), required)


def _round(
    words: Sequence[CountedWord], pieces: Scored, training: Training, clock: _Clock
) -> tuple[TrainingRound, Scored]:
    target = training.target
    steps = _steps(words, pieces, training.steps, clock)
    pieces = steps[-1].scored if steps else pieces
    size = len(pieces) + 1  # with the unknown token
    if size <= target:
        return TrainingRound(steps, None), pieces
    fewer = max(target, int(size * training.shrinking))
    pruning, pieces = prune(words, pieces, fewer, clock.tick)
    return TrainingRound(steps, pruning), pieces


def _without_cuts(done: TrainingRound) -> TrainingRound:
    return done._replace(pruning=done.pruning and done.pruning._replace(cuts=()))


def seed_pieces(words: Sequence[CountedWord], training: Training) -> Scored:
    """The pieces to start with: all characters by their counts; then substrings by times · length,
    each word looked at once. ln of their shares of all that."""
    characters = ((count, one) for one, count in character_counts(words).items())
    substrings = ((times * len(text), text) for text, times in branching(words, training.longest))
    front = sorted(characters, reverse=True)
    room = max(1, training.seeds - len(front))
    weighted = [*front, *sorted(substrings, reverse=True)[:room]]
    total = math.log(sum(weight for weight, _ in weighted)) if weighted else 0.0
    return tuple((text, math.log(weight) - total) for weight, text in weighted)


def _steps(
    words: Sequence[CountedWord], pieces: Scored, times: int, clock: _Clock
) -> tuple[EMStep, ...]:
    steps: list[EMStep] = []
    for _ in range(times):
        steps.append(step(words, pieces, clock.tick))
        pieces = steps[-1].scored
    return tuple(steps)


def step(words: Sequence[CountedWord], pieces: Scored, tick: Tick = no_tick) -> EMStep:
    """One expectation and maximization. The new score is ψ(expected) − ψ(Σ expected), ψ being the
    digamma function: of a variational Bayes, which makes rare pieces rarer."""
    lexicon = Lexicon([UNKNOWN_PIECE, *pieces])
    counts = [0.0] * (len(pieces) + 1)
    objective = 0.0
    everything = sum(word.count for word in words)
    for word in words:
        tick()
        expected = expect(word.text, lexicon)
        for node, chance in expected.nodes:
            counts[node.piece] += word.count * chance
        objective -= word.count * expected.total / everything
    found = tuple((token, count) for (token, _), count in zip(pieces, counts[1:], strict=True))
    kept = [(token, count) for token, count in found if count >= _LEAST_EXPECTED]
    total = digamma(sum(count for _, count in kept)) if kept else 0.0
    scored = tuple((token, digamma(count) - total) for token, count in kept)
    return EMStep(found, objective, scored)


def digamma(x: float) -> float:
    """ψ(x), the derivative of ln Γ(x), for x > 0: ψ(x) = ψ(x + 1) − 1/x up to 7, then the
    asymptotic series in 1/(x − ½)² (as SentencePiece has it; some 1e-11 off at worst)."""
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
    pieces: Scored, characters: Sequence[str], training: Training
) -> tuple[Unigram, tuple[str, ...]]:
    scores = dict(pieces)
    least = min(scores.values(), default=0.0)
    missing = tuple(one for one in characters if one not in scores)
    found = {one: scores[one] for one in characters if one in scores}
    found |= {one: least + place * _REQUIRED_STEP for place, one in enumerate(missing)}
    front = front_of(training.special, training.unknown)
    room = training.size - len(front)
    for token, score in pieces:
        if len(found) == room:
            break
        found.setdefault(token, score)
    ranked = sorted(found.items(), key=lambda one: -one[1])
    scored = (*((token, 0.0) for token in front), *ranked)
    return Unigram(scored, training.unknown, front, training.byte_fallback), missing
