"""SentencePiece: spaces are characters, and pieces those of another kind of tokenizer."""

from __future__ import annotations

from attncli.file.keys import Key
from attncli.file.kinds import Choice
from attncli.scenario.tokenizers.kind import MARKED, OF_A_CORPUS, TokenizerKind

_MODEL = Key(
    "model",
    Choice(("unigram", "bpe")),
    "of sentencepiece: what its pieces are learned by, `unigram` (the default) or `bpe`, "
    "whose settings it takes",
)
_NORMALIZE = Key(
    "normalize",
    Choice(("none", "nfkc")),
    "of sentencepiece: `none` (the default), or `nfkc`, Unicode's normal form in which a "
    "text is written first",
)

_SENTENCEPIECE = TokenizerKind(
    name="sentencepiece",
    explained="Spaces are written ▁, each word of the sentence is cut into pieces",
    settings=(*OF_A_CORPUS, MARKED, _MODEL, _NORMALIZE),
    marks=("▁",),
    unknown="<unk>",
    remarks=(("normalize", "nfkc", "the text is written in its normal form NFKC first"),),
    model="unigram",
)
KINDS = {"sentencepiece": _SENTENCEPIECE}
