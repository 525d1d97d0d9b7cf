"""Tokenizers learned and used as Hugging Face's `tokenizers` does, where that is installed."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.tokenizing import cutting, learning, training
from attncli.tokenizing.corpus import Word, count_words
from attncli.tokenizing.longest import LongestMatch
from attncli.tokenizing.merging import Merges
from attncli.tokenizing.pieces import Affixes, numbered
from attncli.tokenizing.unigram import Unigram

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import models, pre_tokenizers, trainers  # noqa: E402

SYLLABLES = ["hug", "pun", "b", "s", "ta", "ti", "lo", "aa", "é", "ß", "国", "xy", "ana", "n"]


def corpus(seed: int, words: int = 40) -> str:
    """Words of few syllables, so that much is frequent, much is tied, and letters repeat."""
    draw = random.Random(seed)
    some = draw.sample(SYLLABLES, draw.randint(2, len(SYLLABLES)))
    made = ["".join(draw.choices(some, k=draw.randint(1, 5))) for _ in range(words)]
    return " ".join(draw.choices(made, k=5 * words))


def package(model: Any, split: Any = None) -> Any:
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = split or pre_tokenizers.WhitespaceSplit()
    return tokenizer


def merges_of(tokenizer: Any) -> list[tuple[str, str]]:
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(one.split(" ") if isinstance(one, str) else one) for one in merges]


def alphabet_of(tokenizer: Any, text: str, affixes: Affixes) -> tuple[str, ...]:
    """The package's symbols in its order, which for those with marks is a random one."""
    words = count_words(text, cutting.WhiteSpace().cut)
    known = learning.alphabet_of(words, learning.Settings(affixes=affixes))
    ids = tokenizer.get_vocab()
    return tuple(sorted(known, key=ids.__getitem__))


def marks(affixes: Affixes) -> dict[str, str]:
    names = {"continuing_subword_prefix": affixes.prefix, "end_of_word_suffix": affixes.suffix}
    return {name: mark for name, mark in names.items() if mark}


def in_order(ids: dict[str, int]) -> list[str]:
    return sorted(ids, key=ids.__getitem__)


def last_of_each(merges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """The package keeps one rank a pair, the last."""
    return [*dict.fromkeys(reversed(merges))][::-1]


@pytest.mark.parametrize("affixes", [Affixes(), Affixes(suffix="</w>"), Affixes(prefix="##")])
@pytest.mark.parametrize("seed", range(40))
def test_bpe_learns_the_same_merges(seed: int, affixes: Affixes) -> None:
    text, least = corpus(seed), seed % 3
    trainer = trainers.BpeTrainer(
        vocab_size=60 + seed,
        min_frequency=least,
        show_progress=False,
        special_tokens=["<unk>"],
        **marks(affixes),
    )
    theirs = package(models.BPE(unk_token="<unk>"))
    theirs.train_from_iterator([text], trainer)
    words = count_words(text, cutting.WhiteSpace().cut)
    ours = learning.learn(
        words,
        learning.Settings(
            size=60 + seed,
            min_count=max(1, least),
            affixes=affixes,
            special=("<unk>",),
            alphabet=alphabet_of(theirs, text, affixes),
        ),
    )
    assert last_of_each(ours.merges) == merges_of(theirs)
    assert list(ours.vocabulary) == in_order(theirs.get_vocab())
    model = Merges(ours.vocabulary, ours.merges, affixes, "<unk>")
    for word in [*(word.text for word in words), "hugs?", "?", "aaaaaaa", "xyz"]:
        assert [piece.token for piece in model.pieces(word)] == theirs.encode(word).tokens
