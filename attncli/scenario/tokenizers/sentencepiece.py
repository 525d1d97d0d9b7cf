"""SentencePiece: spaces are characters, and pieces those of another kind of tokenizer."""

from __future__ import annotations

from attncli.scenario.tokenizers.kind import OF_A_CORPUS, TokenizerKind

_SENTENCEPIECE = TokenizerKind(
    name="sentencepiece",
    explained="Spaces are written ▁, each word of the sentence is cut into pieces",
    settings=(*OF_A_CORPUS, "marks", "model", "normalize"),
    marks=("▁",),
    unknown="<unk>",
    remarks=(("normalize", "nfkc", "the text is written in its normal form NFKC first"),),
    model="unigram",
)
KINDS = {"sentencepiece": _SENTENCEPIECE}
