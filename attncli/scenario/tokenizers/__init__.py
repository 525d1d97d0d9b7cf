"""The kinds of tokenizers that a scenario may name: one file a kind, with all that is its own.

    kind         what a kind of tokenizer declares, and the settings that several have
    keys         what a scenario may say of its tokenizer: each setting is in the file of a kind
    whole_words  whitespace, word, character; with a corpus a dictionary
    bpe (wordpiece too), unigram, sentencepiece
    hugging_face  a tokenizer.json in these words
    settings     what a scenario says of its tokenizer, checked
    making       the tokenizer that comes of it, what learning it costs, and how it is told

A new kind is a file here, or in a file of its like, and its name in TOKENIZERS.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncli.scenario.tokenizers.kind import TokenizerKind

TOKENIZERS = {
    "whitespace": "whole_words",
    "word": "whole_words",
    "character": "whole_words",
    "bpe": "bpe",
    "wordpiece": "bpe",
    "unigram": "unigram",
    "sentencepiece": "sentencepiece",
}
"""All kinds by name, and the module of each, which is imported by scenarios that name it."""


def tokenizer_kind(name: str) -> TokenizerKind:
    """The kind of a name in TOKENIZERS."""
    module = import_module(f"attncli.scenario.tokenizers.{TOKENIZERS[name]}")
    kind: TokenizerKind = module.KINDS[name]
    return kind
