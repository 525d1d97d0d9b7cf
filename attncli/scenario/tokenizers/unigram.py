"""Unigram: words are cut into the pieces that are most probable together."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.decimals import round_to
from attncli.maths.numbers.rounding import Rounding
from attncli.names import Name, below
from attncli.scenario.file.keys import Choice, Flag, Key, NumberKind, WholeNumber
from attncli.scenario.file.problems import too_much
from attncli.scenario.model import Phrase, Tokenizing, phrase
from attncli.scenario.tokenizers.making import check_cost, letters_of, tokenizing
from attncli.scenario.tokenizers.settings import (
    BYTE_FALLBACK,
    MARKED,
    OF_A_CORPUS,
    TokenizerKind,
    TokenizerSettings,
    VocabularyMaker,
    or_more,
)
from attncli.tokenizers.pieces import CountedWord
from attncli.tokenizers.unigram import ALIKE, Rounder, Summing, Unigram, UnigramSettings
from attncli.tokenizers.unigram_by_counts import seed_counts, train_by_counts
from attncli.tokenizers.unigram_by_em import SHRINKING, rounds_of_pruning, train_by_em

_MOST_SEEDS = 5000
"""The most substrings that are tried one by one."""
_MOST_EFFORT = 4_000_000
"""The most effort of cutting a sentence, which a page shows in tables."""
_PER_NODE, _PER_LETTER = 8e-7, 1.3e-5
"""Seconds for a node of a lattice, and for a letter."""
_STEP_OF = {
    "log_p": "estimate",
    **dict.fromkeys(("cut_scores", "growth"), "prune"),
    **dict.fromkeys(("totals", "best"), "viterbi"),
}
"""The step of each number that decides something."""
_CONTROL = ("<s>", "</s>", "<pad>")
"""SentencePiece's control symbols: they have IDs, and stand for no text."""
_NOISE = 12
"""The decimals beyond which sums of rounded numbers hold noise."""
_TRAINING = Key(
    "training",
    Choice(("counts", "expected")),
    "of unigram: `counts` (the default) or `expected`, see below",
    "counts",
)
_SHARE = Key(
    "share",
    NumberKind(positive=True, most=1),
    "of unigram: the share of the pieces that a round prunes, 0.1 by default",
)
_LONGEST = Key(
    "longest",
    WholeNumber(1, 100),
    "of unigram: the characters that a piece may have, 16 by default",
)
_WHOLE = Key(
    "whole",
    Flag(),
    "of unigram: whether what is only ever a whole word may be a piece, `true` by default",
)
_COUNTS_ONLY = ("share", "whole", "min_count")


def _settings(settings: TokenizerSettings, sum_: Summing = math.fsum) -> UnigramSettings:
    some = settings.some(("longest", *_COUNTS_ONLY))
    if "share" in some:
        some["share"] = Fraction(some["share"])
    return UnigramSettings(
        size=settings.size or 0, special=settings.special, unknown=settings.unknown,
        byte_fallback=settings.byte_fallback, round_=_rounder(settings), sum_=sum_, **some,
    )  # fmt: skip


def _rounder(settings: TokenizerSettings) -> Rounder:
    """Returns the function that rounds the numbers which decide what is learned and how words are
    cut. They are rounded as on the page, so that the page never shows another choice than its
    numbers do."""
    rounding = settings.rounding
    return partial(_carried, _decimals_of_each(rounding)) if rounding.carries else _exact


def _decimals_of_each(rounding: Rounding) -> dict[str, int]:
    return {name: rounding.decimals_of(step, Name(name)) for name, step in _STEP_OF.items()}


def _carried(decimals: Mapping[str, int], name: str, number: float) -> float:
    if name not in decimals:
        return number
    return float(_without_noise(number, decimals[name]))


def _without_noise(number: float, decimals: int) -> Decimal:
    return round_to(Decimal(repr(round(number, _NOISE))), decimals)


def _exact(name: str, number: float) -> float:
    return number if name in _STEP_OF else round(number, ALIKE)


def _is_by_counts(settings: TokenizerSettings) -> bool:
    return settings.get(_TRAINING) == "counts"


def _phrases(given: TokenizerSettings) -> tuple[Phrase, ...]:
    settings, size = _settings(given), str(given.size)
    longest = phrase("at most {longest} characters", longest=str(settings.longest))
    if not _is_by_counts(given):
        pieces = "at most {size} tokens, of {longest}, trained by how often pieces are expected"
        return (phrase(pieces, size=size, longest=longest),)
    seeds = "at most {size} tokens, from all characters and the substrings of {longest} that occur"
    seeds += " {often}"
    pruned = "each round prunes up to {share} of the pieces of two or more characters"
    often = or_more(settings.min_count)
    return (
        phrase(seeds, size=size, longest=longest, often=often),
        phrase(pruned, share=f"{100 * float(settings.share):g} %"),
    )


def _by_counts(
    given: TokenizerSettings, words: tuple[CountedWord, ...], sum_: Summing = math.fsum
) -> Tokenizing | None:
    settings = _settings(given, sum_)
    seeds = seed_counts(words, settings)
    if len(seeds) > _MOST_SEEDS:
        wrong = f"it has {len(seeds)} substrings to start with, too many to try each of them"
        right = "say training: expected, a smaller `longest`, or a larger `min_count`"
        given.complain("corpus", wrong, right)
        return None
    check_cost(given, words, _seconds_of_trials(words, seeds, settings))
    learned = train_by_counts(words, settings, progress=given.progress)
    pieces = tuple(piece.token for piece in learned.rounds[-1].pieces)
    return _tokenizing(given, learned.model)._replace(
        words=words,
        learned=learned,
        pieces=pieces,
        anew=partial(_by_counts, given._replace(progress=None), words),
    )


def _seconds_of_trials(
    words: tuple[CountedWord, ...], seeds: Collection[str], settings: UnigramSettings
) -> float:
    """Estimates the seconds of learning: in each round a word is cut anew without each of the
    pieces of its best cut."""
    longest = max(map(len, seeds), default=1)
    nodes = sum(len(word.text) ** 2 for word in words) * longest / 2
    rounds = rounds_of_pruning(len(seeds), settings.size, 1 - float(settings.share))
    return nodes * rounds * _PER_NODE


def _by_em(
    given: TokenizerSettings, words: tuple[CountedWord, ...], sum_: Summing = math.fsum
) -> Tokenizing | None:
    for key in given.some(_COUNTS_ONLY):
        right = "leave it out, or say training: counts"
        given.complain(f"tokenizer.{key}", f"{key} is for the training by counts", right)
    settings, letters = _settings(given, sum_), letters_of(words)
    # in each round all ways to cut each word are gone through; there are fewer seeds than letters
    seconds = letters * rounds_of_pruning(letters, settings.size, SHRINKING) * _PER_LETTER
    check_cost(given, words, seconds)
    learned = train_by_em(words, settings, progress=given.progress)
    scores, pieces = dict(learned.model.scored), learned.model.trie.tokens
    if not pieces:
        given.complain("corpus", "all its characters are special tokens", "write some others")
        return None
    column = np.array([scores[token] for token in pieces], dtype=np.float64)[:, np.newaxis]
    decimals = given.rounding.decimals_of("estimate", Name("log_p"))
    log_p = Matrix.of_array(column, decimals, carry=given.rounding.carries)
    counted = words if learned.rounds[0].pruning else ()  # of whose counts something is worked
    return _tokenizing(given, learned.model)._replace(
        words=counted,
        learned=learned,
        pieces=pieces,
        log_p=log_p,
        anew=partial(_by_em, given._replace(progress=None), words),
    )


def _given(settings: TokenizerSettings) -> Tokenizing:
    pieces: Mapping[str, Decimal] = settings.values["pieces"]
    front = ((token, 0.0) for token in settings.special if token not in pieces)
    scored = (*front, *((token, float(score)) for token, score in pieces.items()))
    hidden = (*settings.special, *(token for token in _CONTROL if token in pieces))
    model = Unigram(scored, settings.unknown, hidden, settings.byte_fallback, _rounder(settings))
    log_p = Matrix.of_written([[score] for score in pieces.values()])
    return _tokenizing(settings, model)._replace(pieces=tuple(pieces), log_p=log_p)


def _tokenizing(settings: TokenizerSettings, model: Unigram) -> Tokenizing:
    """Makes the tokenizer of a model. Raises ScenarioError for words of the sentence that can be
    cut in more ways than are gone through without being asked for."""
    made = tokenizing(settings, model)
    left = _MOST_EFFORT
    for word in () if settings.large else made.tokenizer.words(settings.values.get("sentence")):
        left -= model.trie.effort(word, left)
        if left < 0:
            what = f"all ways to cut a word of {len(word):,} letters"
            where = settings.complaints.where(below(settings.path, "sentence"))
            raise too_much(where, what, "give shorter words or fewer pieces")
    return made


def as_printed(tokenizing: Tokenizing, rounding: Rounding) -> Tokenizing:
    """Returns the tokenizer with its log-probabilities as a page has them: written ones as they are
    written, learned ones rounded to the finest decimals of its steps."""
    if tokenizing.log_p is not None:
        written: Any = tokenizing.log_p.written
        tokenizing = tokenizing._replace(log_p=written)
    is_learned = tokenizing.anew is not None
    decimals = max(_decimals_of_each(rounding).values()) if is_learned else None
    printed: Tokenizing = _printed(tokenizing._replace(anew=None), decimals)
    return printed


def _printed(value: object, decimals: int | None) -> Any:  # noqa: ANN401
    """Returns a record with each float in it rounded to so many decimals, if any."""
    if isinstance(value, float) and decimals is not None:
        return _without_noise(value, decimals)
    if isinstance(value, tuple):
        each = [_printed(entry, decimals) for entry in value]
        return type(value)(*each) if hasattr(value, "_fields") else tuple(each)
    if isinstance(value, Unigram):
        nothing: Any = None
        value = replace(value, round_=nothing)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    own = {entry.name: _printed(getattr(value, entry.name), decimals) for entry in fields(value)}
    return replace(value, **own)


_UNIGRAM = TokenizerKind(
    name="unigram",
    explained="Each word of the sentence is cut into the pieces most probable together",
    settings=(
        *(*OF_A_CORPUS, MARKED, _TRAINING, _SHARE, _LONGEST, _WHOLE),
        BYTE_FALLBACK,
    ),
    marks=("none", "▁", "Ġ"),
    unknown="<unk>",
    remarks=(("whole", False, "no piece is only ever a whole word"),),
    vocabulary=VocabularyMaker(
        given_by="pieces",
        given=_given,
        learned=lambda s, words: (_by_counts if _is_by_counts(s) else _by_em)(s, words),
        phrases=_phrases,
    ),
)
KINDS = {"unigram": _UNIGRAM}
