"""What a scenario may say of how its text is cut."""

from __future__ import annotations

from typing import Any

from attncli.file.keys import Key, OwnedKeys, Record
from attncli.file.kinds import (
    Choice,
    Either,
    Kind,
    ListOf,
    MapOf,
    NumberKind,
    TextKind,
    WholeNumber,
    looks_like_number,
)
from attncli.file.nodes import Items, Map, Node, Scalar
from attncli.file.problems import Problems
from attncli.file.text_files import TextFileKind, names_file
from attncli.scenario.tokenizers import TOKENIZERS, tokenizer_kind
from attncli.scenario.tokenizers.kind import TOKEN

_COUNT = WholeNumber(1, 10**9)
_WORD = Choice(tuple(TOKENIZERS))
_KIND = Key("kind", _WORD, "which it is")
_OWNERS = {
    "kind": "word",
    "marks": "bpe",
    "min_count": "word",
    **dict.fromkeys(("cut", "ties"), "bpe"),
    "score": "wordpiece",
    "model": "sentencepiece",
    **dict.fromkeys(("training", "share", "longest", "whole"), "unigram"),
    **dict.fromkeys(("alphabet", "byte_fallback"), "bpe"),
    **dict.fromkeys(("normalize", "extra_spaces"), "sentencepiece"),
    **dict.fromkeys(("unknown", "special"), "word"),
}
"""A kind of tokenizer that has a setting."""
_SETTINGS = Record(
    OwnedKeys(lambda: _OWNERS, lambda kind: (_KIND, *tokenizer_kind(kind).settings)),
    beside=("corpus", "vocabulary_size", "merges", "pieces", "vocabulary", "sentence"),
)
_TEXT = TextKind("a text")
_TEXTS = ListOf(TextKind("a text", blank=True))
_COUNTS = MapOf(_COUNT, "word")


class _Spaced(TextKind):
    """`u g`: parts with a space between, as files of merges have them."""

    def read(self, node: Node, problems: Problems) -> Any:  # noqa: ANN401
        text = super().read(node, problems)
        return None if text is None else tuple(text.split(" "))


_PARTS = ListOf(TOKEN)
_MERGE = Either(lambda node: _Spaced() if isinstance(node, Scalar) else _PARTS, (_PARTS, _Spaced()))
_MERGES = ListOf(_MERGE)


def _merges(node: Node) -> Kind[object]:
    return _COUNT if isinstance(node, Scalar) and looks_like_number(node) else _MERGES


def _tokenizer(node: Node) -> Kind[object]:
    if names_file(node):
        return TextFileKind()
    return _WORD if isinstance(node, Scalar) else _SETTINGS


def _corpus(node: Node) -> Kind[object]:
    if names_file(node):
        return TextFileKind()
    if isinstance(node, Map):
        return _COUNTS
    return _TEXTS if isinstance(node, Items) else _TEXT


TOKENIZING = (
    Key(
        "tokenizer",
        Either(_tokenizer, (_WORD, _SETTINGS, TextFileKind())),
        "how the sentence is cut into tokens, `whitespace` by default; `bpe`, `wordpiece`, "
        "`unigram` and `sentencepiece` cut words into pieces; with settings, below, it is "
        "`{kind: bpe, …}`; `{file: tokenizer.json}` is one that Hugging Face's `tokenizers` saved",
    ),
    Key(
        "corpus",
        Either(_corpus, (_TEXT, _TEXTS, _COUNTS, TextFileKind())),
        "what a tokenizer is learned from: a text, a list of texts, or text → count; or the lines "
        "of a file of text, `{file: corpus.txt}`; texts are cut at white space, with `▁` and `Ġ` "
        "before each space",
    ),
    Key(
        "vocabulary_size",
        _COUNT,
        "how many tokens there are to be: special tokens, single symbols and pieces",
    ),
    Key(
        "merges",
        Either(_merges, (_COUNT, _MERGES)),
        "of bpe: the merges `[[u, g], [h, ug]]`, or `[u g, h ug]`, in their order, instead of "
        "learning them; or how many bpe and wordpiece are to learn, beside a vocabulary_size or "
        "instead of it",
    ),
    Key(
        "pieces",
        MapOf(NumberKind(most=0), "piece"),
        "of unigram and sentencepiece: piece → log-probability, in the order of their IDs, "
        "instead of learning them",
    ),
)
