"""Tokenizers whose pieces a scenario gives: merges, a vocabulary, or log-probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.name import Name
from attncli.scenario.model import Tokenizing
from attncli.scenario.tokenizer_settings import TokenizerSettings

if TYPE_CHECKING:  # what cuts into pieces is imported by scenarios that do
    from attncli.tokenizing.pieces import Model
    from attncli.tokenizing.unigram import Unigram

_NEEDED = {"wordpiece": "the vocabulary", "bpe": "merges", "unigram": "pieces"}


def tokenizing_of(said: TokenizerSettings) -> Tokenizing | None:
    """The tokenizer of given pieces; None having said what is missing or wrong."""
    vocabulary: Mapping[str, int] = said.values.get("vocabulary") or {}
    if said.algorithm == "wordpiece" and vocabulary:
        from attncli.tokenizing.longest import LongestMatch

        return _made(said, LongestMatch(vocabulary, said.unknown))
    if said.algorithm == "bpe" and "merges" in said.values:
        return _of_merges(said, vocabulary)
    if said.algorithm == "unigram" and "pieces" in said.values:
        return _of_pieces(said)
    written = any(map(said.is_written, ("corpus", "merges", "pieces")))
    if written or said.is_misplaced:  # it has a complaint of its own
        return None
    said.complain(
        "tokenizer", f"nothing tells what pieces {said.kind} has",
        f"give a corpus with a vocabulary_size, or {_NEEDED[said.algorithm]}",
    )  # fmt: skip
    return None


def _made(said: TokenizerSettings, model: Model) -> Tokenizing:
    from attncli.tokenizing.tokenizer import WordTokenizer

    return Tokenizing(WordTokenizer(said.cutting, model))


def _of_merges(said: TokenizerSettings, vocabulary: Mapping[str, int]) -> Tokenizing | None:
    from attncli.tokenizing.cutting import BYTE_ALPHABET
    from attncli.tokenizing.merging import Merges, check_merges, vocabulary_of

    merges = [tuple(pair) for pair in said.values["merges"]]
    wrongs = check_merges(merges, said.affixes, vocabulary or None)
    for problem in wrongs:
        wrong = f"merge {problem.index + 1}: {problem.what}"
        said.complain("merges", wrong, "give them in the order in which they were learned")
    if wrongs:
        return None
    pairs = tuple((pair[0], pair[1]) for pair in merges)
    alphabet = BYTE_ALPHABET if said.setting("alphabet", "corpus") == "bytes" else ()
    known = vocabulary or vocabulary_of(pairs, said.affixes, (*said.special, *alphabet))
    return _made(said, Merges(known, pairs, said.affixes, said.unknown, said.byte_fallback))


def _of_pieces(said: TokenizerSettings) -> Tokenizing:
    pieces: Mapping[str, Decimal] = said.values["pieces"]
    front = {token: Decimal(0) for token in said.special if token not in pieces}
    return of_scores(said, {**front, **pieces}, tuple(pieces))


def rounded_scores(said: TokenizerSettings, model: Unigram) -> dict[str, Decimal | float]:
    """The log-probabilities that a model was trained to have, as they are gone on with."""
    return {token: said.rounded("log_p", score) for token, score in model.scored}


def of_scores(
    said: TokenizerSettings, scores: Mapping[str, Decimal | float], pieces: tuple[str, ...] = ()
) -> Tokenizing:
    """The tokenizer of pieces with log-probabilities: written ones, or such as were trained. Those
    of some `pieces` are told, or of all that can be found in a word."""
    from attncli.tokenizing.unigram import Unigram

    scored = tuple((token, float(score)) for token, score in scores.items())
    model = Unigram(scored, said.unknown, said.special, said.byte_fallback, said.rounded)
    pieces = pieces or model.lexicon.tokens
    told = [scores[token] for token in pieces]
    written = [[score] for score in told if isinstance(score, Decimal)]
    if len(written) == len(told):
        log_p = Matrix.of_written(written)
    else:
        decimals = said.rounding.decimals_of("estimate", Name("log_p"))
        column = np.array(told, dtype=np.float64)[:, np.newaxis]
        log_p = Matrix.of_array(column, decimals, carry=said.rounding.carries)
    return _made(said, model)._replace(pieces=pieces, log_p=log_p)
