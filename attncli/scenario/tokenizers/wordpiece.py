"""WordPiece: pieces learned by merges, and words cut by the longest piece first."""

from __future__ import annotations

from typing import Any

from attncli.file.keys import Key
from attncli.file.kinds import Choice
from attncli.scenario.model import Tokenizing
from attncli.scenario.tokenizers.bpe import merges_of, told
from attncli.scenario.tokenizers.kind import (
    CUT,
    CUT_AS_BERT,
    MARKED,
    OF_A_CORPUS,
    TIES,
    TokenizerKind,
)
from attncli.scenario.tokenizers.making import tokenizing
from attncli.scenario.tokenizers.settings import TokenizerSettings
from attncli.tokenizing.corpus import CountedWord
from attncli.tokenizing.longest_match import LongestMatch

_SCORE: Key[Any] = Key(
    "score",
    Choice(("likelihood", "count")),
    "of wordpiece: what pairs are chosen by, `likelihood`, count(ab) / (count(a) × "
    "count(b)) (the default), or `count`",
    "likelihood",
)


def _learned(said: TokenizerSettings, words: tuple[CountedWord, ...]) -> Tokenizing:
    learned = merges_of(said, words, said.get(_SCORE))
    model = LongestMatch(learned.vocabulary, said.unknown)
    return tokenizing(said, model)._replace(words=words, learned=learned)


def _given(said: TokenizerSettings) -> Tokenizing:
    return tokenizing(said, LongestMatch(said.values["vocabulary"], said.unknown))


_WORDPIECE = TokenizerKind(
    name="wordpiece",
    explained="Each word of the sentence is cut from the left into the longest pieces there are",
    settings=(*OF_A_CORPUS, MARKED, CUT, TIES, _SCORE),
    marks=("##",),
    unknown="[UNK]",
    remarks=(*CUT_AS_BERT, ("score", "count", "pairs are chosen by their counts")),
    given_by="vocabulary",
    merges=True,
    given=_given,
    learned=_learned,
    told=lambda said: told(said, said.get(_SCORE)),
)
KINDS = {"wordpiece": _WORDPIECE}
