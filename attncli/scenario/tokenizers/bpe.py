"""Byte-pair encoding, merges made in order; and WordPiece, words cut by the longest piece first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.names import Name
from attncli.scenario.file.keys import Choice, Key
from attncli.scenario.model import Phrase, Tokenizing, phrase
from attncli.scenario.tokenizers.making import check_cost, letters_of, tokenizing
from attncli.scenario.tokenizers.settings import (
    BYTE_FALLBACK,
    CUT,
    CUT_AS_BERT,
    MARKED,
    MARKS,
    MIN_COUNT,
    OF_A_CORPUS,
    TIES,
    TokenizerKind,
    TokenizerSettings,
    VocabularyMaker,
    or_more,
)
from attncli.tokenizers.merge_training import (
    Criterion,
    MergeSettings,
    MergeTraining,
    Ties,
    learn_merges,
)
from attncli.tokenizers.merges import MergeModel, check_merges, vocabulary_of
from attncli.tokenizers.pieces import CountedWord, LongestMatch, TokenPair
from attncli.tokenizers.splitting import BYTE_ALPHABET

_ALPHABET = Key(
    "alphabet",
    Choice(("corpus", "bytes")),
    "of bpe with `Ġ`: whether it starts from the symbols of the `corpus` (the default) or "
    "from all 256 `bytes`",
    "corpus",
)
_PER_MERGED, _PER_PAIR = 4.5e-7, 3e-7
"""Seconds for a letter of a word that is merged, and for a pair that is looked at."""


def _merges_of(
    given: TokenizerSettings,
    words: tuple[CountedWord, ...],
    score: Criterion = "count",
) -> MergeTraining:
    """Learns merges by counts or by likelihood. Raises ValueError for a size that can't be met, and
    ScenarioError for what takes too long."""
    settings = MergeSettings(
        size=given.size, marks=given.marks_of_pieces, special=given.special,
        alphabet=_alphabet(given),
        score=score, decimals=_decimals(given), min_count=given.get(MIN_COUNT),
        ties=_ties(given), merges=given.most_merges,
    )  # fmt: skip
    check_cost(given, words, _seconds(words, settings))
    return learn_merges(words, settings, progress=given.progress)


def _phrases(settings: TokenizerSettings, score: Criterion = "count") -> tuple[Phrase, ...]:
    """Says in words what is learned."""
    often, most = or_more(settings.get(MIN_COUNT)), _most(settings)
    pairs = phrase("at most {most}, from pairs that occur {often}", most=most, often=often)
    return pairs, phrase(_tie_rule(settings, score))


def _most(settings: TokenizerSettings) -> Phrase:
    """Says in words how many merges are learned, and how many tokens there are, at most."""
    size, count = settings.size, settings.most_merges
    tokens = None if size is None else phrase("{tokens} tokens", tokens=str(size))
    if count is None:
        assert tokens is not None
        return tokens
    merges = phrase("one merge") if count == 1 else phrase("{merges} merges", merges=str(count))
    return merges if tokens is None else phrase("{a} and {b}", a=merges, b=tokens)


def _ties(settings: TokenizerSettings) -> Ties:
    """Returns which of equal pairs is merged. The default is what the named package does."""
    usual: Ties = "shortest" if settings.kind.name == "sentencepiece" else "ids"
    ties: Ties = settings.settings.get(TIES.name, usual)
    return ties


def _tie_rule(settings: TokenizerSettings, score: Criterion) -> str:
    ties = _ties(settings)
    if ties == "first":
        return "among equal pairs the one that is met first is merged"
    if ties == "shortest":
        return "among equal pairs the one that makes the shortest piece is merged"
    if score == "likelihood":
        return (
            "among equal pairs the one that occurs most often is merged, then the one whose parts"
            " come first in the vocabulary"
        )
    return "among equal pairs the one whose parts come first in the vocabulary is merged"


def _seconds(words: tuple[CountedWord, ...], settings: MergeSettings) -> float:
    """Estimates the seconds of learning. A word is walked again for each merge in it, of which
    there are fewer than its letters; by likelihood, and where IDs don't decide, each round goes
    through all pairs."""
    letters = letters_of(words)
    bounds = (settings.size, settings.merges, letters)
    rounds = min(bound for bound in bounds if bound is not None)
    merged = sum(len(word.text) * min(rounds, len(word.text)) for word in words)
    pairs = rounds * letters if settings.likely or settings.ties != "ids" else 0
    return merged * _PER_MERGED + pairs * _PER_PAIR


def _decimals(settings: TokenizerSettings) -> int | None:
    """Returns the decimals that scores are rounded to before they decide, or None where they aren't
    rounded."""
    return (
        settings.rounding.decimals_of("learn", Name("scores"))
        if settings.rounding.carries
        else None
    )


def _alphabet(settings: TokenizerSettings) -> tuple[str, ...]:
    return BYTE_ALPHABET if settings.get(_ALPHABET) == "bytes" else ()


def _learned(settings: TokenizerSettings, words: tuple[CountedWord, ...]) -> Tokenizing:
    learned = _merges_of(settings, words)
    model = _model(settings, learned.vocabulary, learned.merges)
    return tokenizing(settings, model)._replace(words=words, learned=learned)


def _given(settings: TokenizerSettings) -> Tokenizing | None:
    vocabulary: Mapping[str, int] = settings.values.get("vocabulary") or {}
    merges = [tuple(pair) for pair in settings.values["merges"]]
    wrongs = check_merges(merges, settings.marks_of_pieces, vocabulary or None)
    for index, what in wrongs.items():
        right = "give them in the order in which they were learned"
        settings.complain("merges", f"merge {index + 1}: {what}", right)
    if wrongs:
        return None
    pairs = tuple((left, right) for left, right in merges)
    front = (*settings.special, *_alphabet(settings))
    known = vocabulary or vocabulary_of(pairs, settings.marks_of_pieces, front)
    return tokenizing(settings, _model(settings, known, pairs))


def _model(
    settings: TokenizerSettings, vocabulary: Mapping[str, int], merges: tuple[TokenPair, ...]
) -> MergeModel:
    saved = settings.saved
    return MergeModel(
        vocabulary, merges, settings.marks_of_pieces, settings.unknown, settings.byte_fallback,
        fused=settings.kind.name == "sentencepiece" or (saved is not None and saved.fused),
        whole=saved is not None and saved.whole,
    )  # fmt: skip


_BPE = TokenizerKind(
    name="bpe",
    explained=(
        "Each word of the sentence is cut into characters, to which the merges are applied in their"
        " order"
    ),
    settings=(*OF_A_CORPUS, MARKED, CUT, TIES, _ALPHABET, BYTE_FALLBACK),
    marks=tuple(MARKS),
    remarks=(*CUT_AS_BERT, ("alphabet", "bytes", "all 256 bytes are there from the start")),
    vocabulary=VocabularyMaker("merges", _given, _learned, merges=True, phrases=_phrases),
)
_SCORE: Key[Any] = Key(
    "score",
    Choice(("likelihood", "count")),
    "of wordpiece: what pairs are chosen by, `likelihood`, count(ab) / (count(a) × "
    "count(b)) (the default), or `count`",
    "likelihood",
)


def _learned_wordpiece(settings: TokenizerSettings, words: tuple[CountedWord, ...]) -> Tokenizing:
    learned = _merges_of(settings, words, settings.get(_SCORE))
    model = LongestMatch(learned.vocabulary, settings.unknown)
    return tokenizing(settings, model)._replace(words=words, learned=learned)


_WORDPIECE = TokenizerKind(
    name="wordpiece",
    explained="Each word of the sentence is cut from the left into the longest pieces there are",
    settings=(*OF_A_CORPUS, MARKED, CUT, TIES, _SCORE),
    marks=("##",),
    unknown="[UNK]",
    remarks=(*CUT_AS_BERT, ("score", "count", "pairs are chosen by their counts")),
    vocabulary=VocabularyMaker(
        given_by="vocabulary",
        given=lambda s: tokenizing(s, LongestMatch(s.values["vocabulary"], s.unknown)),
        learned=_learned_wordpiece,
        merges=True,
        phrases=lambda s: _phrases(s, s.get(_SCORE)),
    ),
)
KINDS = {"bpe": _BPE, "wordpiece": _WORDPIECE}
