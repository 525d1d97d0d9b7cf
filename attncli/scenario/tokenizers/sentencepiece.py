"""SentencePiece: spaces are characters, and pieces those of another kind of tokenizer."""

from __future__ import annotations

from typing import Any

from attncli.scenario.file.keys import Choice, Key
from attncli.scenario.tokenizers.settings import MARKED, OF_A_CORPUS, TokenizerKind

_MODEL = Key(
    "model",
    Choice(("unigram", "bpe")),
    "of sentencepiece: what its pieces are learned by, `unigram` (the default) or `bpe`, "
    "whose settings it takes",
)
NORMALIZE: Key[Any] = Key(
    "normalize",
    Choice(("nmt_nfkc", "nfkc", "none")),
    "of sentencepiece: how a text is written first: `nmt_nfkc` (the default), without control "
    "characters, all white space as spaces, and in Unicode's normal form NFKC, but with marks in "
    "the order in which they stand; `nfkc`, just in that form; or `none`",
    "nmt_nfkc",
)
EXTRA_SPACES = Key(
    "extra_spaces",
    Choice(("removed", "kept")),
    "of sentencepiece: what becomes of spaces at both ends and of all but one between words, "
    "`removed` (the default; at the end a `▁` too) or `kept`",
    "removed",
)

_SENTENCEPIECE = TokenizerKind(
    name="sentencepiece",
    explained="With its spaces written ▁, each word of the sentence is cut into pieces",
    settings=(*OF_A_CORPUS, MARKED, _MODEL, NORMALIZE, EXTRA_SPACES),
    marks=("▁",),
    unknown="<unk>",
    remarks=(
        ("normalize", "nfkc", "the text is written in its normal form NFKC first"),
        ("normalize", "none", "the text is taken as it is written"),
        ("extra_spaces", "kept", "all spaces are kept"),
    ),
    model="unigram",
)
KINDS = {"sentencepiece": _SENTENCEPIECE}
