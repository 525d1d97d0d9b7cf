"""Tokenizers learned and used as Hugging Face's `tokenizers` does, where that is installed."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.tokenizers import merge_training
from attncli.tokenizers import splitting as cutting
from attncli.tokenizers.merge_training import MergeSettings, learn_merges
from attncli.tokenizers.merges import MergeModel
from attncli.tokenizers.pieces import CountedWord, LongestMatch, SubwordMarks, count_words, numbered
from attncli.tokenizers.splitting import WordTokenizer
from attncli.tokenizers.unigram import Unigram, UnigramSettings
from attncli.tokenizers.unigram_by_em import train_by_em
from tests.conftest import FEWER, sampled

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import models, pre_tokenizers, trainers  # noqa: E402

AFFIXES = [SubwordMarks(), SubwordMarks(suffix="</w>"), SubwordMarks(prefix="##")]
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
    return [tuple(merge.split(" ") if isinstance(merge, str) else merge) for merge in merges]


def alphabet_of(tokenizer: Any, text: str, affixes: SubwordMarks) -> tuple[str, ...]:
    """The package's symbols in its order, which for those with marks is a random one."""
    words = count_words(text, cutting.WhiteSpace().split)
    known = merge_training.alphabet_of(words, MergeSettings(marks=affixes))
    ids = tokenizer.get_vocab()
    return tuple(sorted(known, key=ids.__getitem__))


def marks(affixes: SubwordMarks) -> dict[str, Any]:
    names = {"continuing_subword_prefix": affixes.prefix, "end_of_word_suffix": affixes.suffix}
    return {name: mark for name, mark in names.items() if mark}


def in_order(ids: dict[str, int]) -> list[str]:
    return sorted(ids, key=ids.__getitem__)


def last_of_each(merges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """The package keeps one rank a pair, the last."""
    return [*dict.fromkeys(reversed(merges))][::-1]


@sampled(4, seed=range(40), affixes=AFFIXES)
def test_bpe_learns_the_same_merges(seed: int, affixes: SubwordMarks) -> None:
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
    words = count_words(text, cutting.WhiteSpace().split)
    ours = learn_merges(
        words,
        MergeSettings(
            size=60 + seed,
            min_count=max(1, least),
            marks=affixes,
            special=("<unk>",),
            alphabet=alphabet_of(theirs, text, affixes),
        ),
    )
    assert last_of_each(ours.merges) == merges_of(theirs)
    assert list(ours.vocabulary) == in_order(theirs.get_vocab())
    model = MergeModel(ours.vocabulary, ours.merges, affixes, "<unk>")
    for word in [*(word.text for word in words), "hugs?", "?", "aaaaaaa", "xyz"]:
        assert [piece.token for piece in model.pieces(word)] == theirs.encode(word).tokens


@pytest.mark.parametrize("seed", range(20))
def test_bpe_of_bytes(seed: int) -> None:
    text = corpus(seed).replace("s", " ", 3).replace("b", "'s ", 2)
    trainer = trainers.BpeTrainer(
        vocab_size=300 + seed,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    theirs = package(models.BPE(), pre_tokenizers.ByteLevel(add_prefix_space=False))
    theirs.train_from_iterator([text], trainer)
    words = count_words(text, cutting.ByteLevel().split)
    plan = MergeSettings(size=300 + seed, alphabet=cutting.BYTE_ALPHABET)
    ours = learn_merges(words, plan)
    assert list(ours.vocabulary) == in_order(theirs.get_vocab())
    assert last_of_each(ours.merges) == merges_of(theirs)
    tokenizer = WordTokenizer(cutting.ByteLevel(), MergeModel(ours.vocabulary, ours.merges))
    for sentence in [text, "It's  a naïve\n\ttest, 12½ £", "hug🙂pun\u200d"]:
        assert [piece.id for piece in tokenizer.encode(sentence)] == theirs.encode(sentence).ids


@pytest.mark.parametrize("seed", range(20))
def test_wordpiece_by_counts(seed: int) -> None:
    text = corpus(seed)
    trainer = trainers.WordPieceTrainer(
        vocab_size=60 + seed, show_progress=False, special_tokens=["[UNK]"]
    )
    theirs = package(models.WordPiece(unk_token="[UNK]"))
    theirs.train_from_iterator([text], trainer)
    affixes = SubwordMarks(prefix="##")
    plan = MergeSettings(
        size=60 + seed,
        marks=affixes,
        special=("[UNK]",),
        alphabet=alphabet_of(theirs, text, affixes),
    )
    words = count_words(text, cutting.WhiteSpace().split)
    ours = learn_merges(words, plan)
    assert list(ours.vocabulary) == in_order(theirs.get_vocab())
    model = LongestMatch(ours.vocabulary)
    for word in [*(word.text for word in words), "hugs?", "?", "a" * 100, "a" * 101, "xyz"]:
        assert [piece.token for piece in model.pieces(word)] == theirs.encode(word).tokens


def trained(words: tuple[CountedWord, ...], size: int, **options: Any) -> tuple[Any, list[Any]]:
    theirs = package(models.Unigram())
    trainer = trainers.UnigramTrainer(
        vocab_size=size, show_progress=False, unk_token="<unk>", **options
    )
    theirs.train_from_iterator([" ".join([word.text] * word.count) for word in words], trainer)
    return theirs, json.loads(theirs.to_str())["model"]["vocab"]


@sampled(3, seed=range(100))
def test_unigram_learns_the_same_pieces(seed: int) -> None:
    words = count_words(corpus(seed), cutting.WhiteSpace().split)
    size = 20 + seed % 40
    theirs, scored = trained(words, size)
    ours = train_by_em(words, UnigramSettings(size))
    model = ours.model
    assert {token for token, _ in model.scored} == {token for token, _ in scored}
    # the package gives characters that have no score any more theirs in no fixed order
    known = {token: score for token, score in scored if token not in ours.required}
    assert known == pytest.approx({value: dict(model.scored)[value] for value in known}, abs=1e-9)
    least = sorted(score for token, score in scored if token in ours.required)
    assert least == pytest.approx(sorted(dict(model.scored)[text] for text in ours.required))
    same = Unigram(tuple((token, score) for token, score in scored), "<unk>")
    for word in [*(word.text for word in words), "hugs?", "??", "z"]:
        assert [piece.id for piece in same.pieces(word)] == theirs.encode(word).ids


@pytest.mark.parametrize("seed", range(20))
def test_unigram_scores_the_same_where_nothing_is_pruned(seed: int) -> None:
    words = count_words(corpus(seed, 12), cutting.WhiteSpace().split)
    for steps in (1, 2, 3):
        _, scored = trained(words, 300, n_sub_iterations=steps)
        ours = train_by_em(words, UnigramSettings(300, steps=steps))
        known = {token: score for token, score in scored if token not in ours.required}
        assert known == pytest.approx({value: dict(ours.model.scored)[value] for value in known})


# characters that Python's Unicode doesn't know yet may be letters to the package's
@given(st.text(st.characters(exclude_categories=["Cs", "Cn"])))
@settings(max_examples=10 * FEWER)
def test_texts_are_split_the_same(text: str) -> None:
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert cutting.ByteLevel().split(text) == [word for word, _ in theirs.pre_tokenize_str(text)]
    space = pre_tokenizers.WhitespaceSplit()
    assert cutting.WhiteSpace().split(text) == [word for word, _ in space.pre_tokenize_str(text)]


@given(st.text(" ▁abñ国\n"))
@settings(max_examples=10 * FEWER)
def test_metaspace_is_the_same(text: str) -> None:
    # the package puts no ▁ before a text that begins with one, or with a space
    theirs = pre_tokenizers.Metaspace(prepend_scheme="never")
    marked = f" {text}" if text else text
    assert cutting.Metaspace().split(text) == [w for w, _ in theirs.pre_tokenize_str(marked)]


@given(st.text("abcdé国🙂", max_size=12), st.booleans())
@settings(max_examples=10 * FEWER)
def test_bytes_stand_in_for_characters(text: str, unknown: bool) -> None:
    token = "<unk>" if unknown else None
    merges = (("a", "b"), ("ab", "c"), ("b", "c"), ("<0xC3>", "<0xA9>"))
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    ids = numbered(["<unk>", *bytes_, "a", "b", "c", "ab", "abc", "bc", "<0xC3><0xA9>"])
    options: dict[str, Any] = {"unk_token": token} if unknown else {}
    theirs = tokenizers.Tokenizer(
        models.BPE(vocab=ids, merges=[*merges], byte_fallback=True, **options)
    )
    ours = MergeModel(ids, merges, unknown=token, byte_fallback=True)
    assert [piece.id for piece in ours.pieces(text)] == theirs.encode(text).ids
    scored = (
        ("<unk>", 0.0),
        *((entry, -9.0) for entry in bytes_),
        ("a", -1.0),
        ("ab", -1.5),
        ("b", -2.0),
    )
    lattice = tokenizers.Tokenizer(models.Unigram([*scored], 0, byte_fallback=True))
    model = Unigram(scored, "<unk>", byte_fallback=True)
    assert [piece.id for piece in model.pieces(text)] == lattice.encode(text).ids
