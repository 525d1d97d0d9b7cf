"""What a scenario may say of how its text is cut."""

from __future__ import annotations

from attncli.file.keys import Key, Record
from attncli.file.kinds import (
    Choice,
    Either,
    Flag,
    Kind,
    ListOf,
    MapOf,
    NumberKind,
    TextKind,
    WholeNumber,
)
from attncli.file.nodes import Items, Map, Node, Scalar
from attncli.scenario.tokenizers import TOKENIZERS

MARKS = {"none": ("", ""), "</w>": ("", "</w>"), "##": ("##", ""), "▁": ("", ""), "Ġ": ("", "")}
"""How the place of a piece in its word is marked: what stands before a piece that continues one,
and what after the last; ▁ and Ġ mark the space before a word, which is a character then."""

TOKEN = TextKind("a token")
_COUNT = WholeNumber(1, 10**9)
_WORD = Choice(tuple(TOKENIZERS))
_SETTINGS = Record.of(
    Key("kind", _WORD, "which it is"),
    Key("marks", Choice(tuple(MARKS)), "how pieces are marked: none, </w>, ##, ▁ or Ġ"),
    Key("min_count", _COUNT, "how often a pair, a piece or a word must occur"),
    Key("score", Choice(("likelihood", "count")), "wordpiece: what pairs are chosen by"),
    Key("model", Choice(("unigram", "bpe")), "sentencepiece: what its pieces are learned by"),
    Key("training", Choice(("counts", "expected")), "unigram: how pieces are counted"),
    Key("share", NumberKind(positive=True, most=1), "unigram: how many pieces a round prunes"),
    Key("longest", WholeNumber(1, 100), "unigram: the characters of the longest piece"),
    Key("whole", Flag(), "unigram: whether what is only ever a whole word may be a piece"),
    Key("alphabet", Choice(("corpus", "bytes")), "bpe by bytes: the symbols to start with"),
    Key("byte_fallback", Flag(), "whether unknown characters become their bytes"),
    Key("normalize", Choice(("none", "nfkc")), "sentencepiece: how a text is written first"),
    Key("unknown", TOKEN, "the token of what the vocabulary doesn't have"),
    Key("special", ListOf(TOKEN), "tokens that come first in the vocabulary"),
    beside=("corpus", "vocabulary_size", "merges", "pieces", "vocabulary", "sentence"),
)
SETTINGS = tuple(key.name for key in _SETTINGS.keys)
"""The keys inside `tokenizer: {…}`."""
_TEXT = TextKind("a text")
_TEXTS = ListOf(_TEXT)
_COUNTS = MapOf(_COUNT, "word")


def _corpus(node: Node) -> Kind[object]:
    if isinstance(node, Map):
        return _COUNTS
    return _TEXTS if isinstance(node, Items) else _TEXT


TOKENIZING = (
    Key(
        "tokenizer",
        Either(lambda node: _WORD if isinstance(node, Scalar) else _SETTINGS, (_WORD, _SETTINGS)),
        "how the sentence is cut into tokens: a word, or {kind: …} with settings",
    ),
    Key(
        "corpus",
        Either(_corpus, (_TEXT, _TEXTS, _COUNTS)),
        "what a tokenizer is learned from: a text, several, or word → count",
    ),
    Key("vocabulary_size", _COUNT, "how many tokens a tokenizer is to learn"),
    Key("merges", ListOf(ListOf(TOKEN)), "the merges of a tokenizer, instead of learning them"),
    Key(
        "pieces",
        MapOf(NumberKind(most=0), "piece"),
        "piece → log-probability, instead of learning them",
    ),
)
