"""What a tokenizer.json may be made of, part by part and whole, against Hugging Face's `tokenizers`,
where that is installed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from attncli.scenario.file.named_files import RefusedFileError
from attncli.scenario.tokenizers.hugging_face import read
from attncli.scenario.tokenizers.settings import SAVED
from attncli.tokenizers.merges import MergeModel
from attncli.tokenizers.pieces import SubwordMarks
from attncli.tokenizers.splitting import WordTokenizer, _occurring
from attncli.tokenizers.unigram import Unigram
from tests.conftest import sampled
from tests.tokenizers.test_bert import HARD

tokenizers = pytest.importorskip("tokenizers", reason="there is nothing to compare with")
from tokenizers import AddedToken, Regex, models, trainers  # noqa: E402
from tokenizers import normalizers as norm  # noqa: E402
from tokenizers import pre_tokenizers as cuts  # noqa: E402

GPT4 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
# newer than Python's tables or older, or by other rules on either side
UNSURE = {"\U0001f3fb", "ß"}
TEXTS = [text for text in HARD if not UNSURE & set(text)] + [
    "  x▁▁y  z ",
    "▁a",
    "don't  ``go'' 12345",
]
STEPS: Mapping[str, tuple[Any, Any]] = {
    "nothing": (None, None),
    "whitespace": (None, cuts.Whitespace()),
    "llama": (norm.Sequence([norm.Prepend("▁"), norm.Replace(" ", "▁")]), None),
    "lower": (norm.Sequence([norm.NFD(), norm.Lowercase(), norm.StripAccents()]), cuts.WhitespaceSplit()),
    "t5": (norm.Nmt(), cuts.Sequence([cuts.WhitespaceSplit(), cuts.Metaspace()])),
    "albert": (norm.Sequence([norm.Replace("``", '"'), norm.NFKD(), norm.StripAccents(), norm.Lowercase()]), cuts.Metaspace()),
    "xlm": (norm.Sequence([norm.Strip(left=False), norm.Replace(Regex(" {2,}"), " ")]), cuts.Metaspace(prepend_scheme="first")),
    "mistral": (None, cuts.Metaspace(prepend_scheme="first", split=False)),
    "never": (norm.NFC(), cuts.Metaspace(prepend_scheme="never")),
    "roberta": (norm.NFKC(), cuts.ByteLevel(add_prefix_space=True)),
    "gpt4": (norm.NFC(), cuts.Sequence([cuts.Split(Regex(GPT4), "isolated"), cuts.ByteLevel(add_prefix_space=False, use_regex=False)])),
    "falcon": (None, cuts.Sequence([cuts.Punctuation("contiguous"), cuts.ByteLevel(add_prefix_space=False), cuts.Digits(), cuts.Split(Regex("[0-9][0-9][0-9]"), "isolated")])),
    "clip": (norm.Sequence([norm.NFC(), norm.Replace(Regex(r"\s+"), " "), norm.Lowercase()]), cuts.Split(Regex(CLIP), "removed", invert=True)),
    "bert": (norm.BertNormalizer(clean_text=False, strip_accents=False), cuts.BertPreTokenizer()),
    "chinese": (norm.BertNormalizer(handle_chinese_chars=False, lowercase=False, strip_accents=True), cuts.Digits(individual_digits=True)),
    "bytes": (norm.ByteLevel(), cuts.CharDelimiterSplit("e")),
    **{f"split {how}": (norm.Strip(), cuts.Split("e", how)) for how in ("merged_with_previous", "merged_with_next")},
    **{f"marks {how}": (None, cuts.Punctuation(how)) for how in ("removed", "isolated", "merged_with_previous", "merged_with_next")},
    "expression": (None, cuts.Split(Regex(r"\P{L}\d*|[\p{Lu}-]\D?|\w\W|[\S\d]"), "contiguous")),
}  # fmt: skip


def package(model: Any, name: str) -> Any:
    tokenizer = tokenizers.Tokenizer(model)
    normalizer, cut = STEPS[name]
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if cut is not None:
        tokenizer.pre_tokenizer = cut
    return tokenizer


@pytest.mark.parametrize("name", STEPS)
def test_texts_are_cut_as_there(name: str) -> None:
    ours = read(package(models.BPE(), name).to_str())[SAVED].pipeline
    normalizer, cut = STEPS[name]
    for text in TEXTS:
        normal = text if normalizer is None else normalizer.normalize_str(text)
        whole = [(normal, ())] if normal else []
        words = whole if cut is None else cut.pre_tokenize_str(normal)
        assert ours.split(text) == [word for word, _ in words if word], ascii(text)


ADDED = [
    AddedToken("<s>", normalized=False, special=True),
    AddedToken("<s>s", normalized=False, special=True),
    AddedToken("<mask>", lstrip=True, normalized=False, special=True),
    AddedToken("[R]", rstrip=True, normalized=False),
    AddedToken("HUG", normalized=True),
    AddedToken("pu", single_word=True, normalized=False),
]  # fmt: skip
PARTS = [
    "<s>",
    "<mask>",
    "[R]",
    "HUG",
    "hug",
    "pu",
    "g",
    " ",
    "  ",
    "é",
    "ﬁ",
    "s",
    "pug",
    "\n",
    "12",
    "!",
    "文",
    "<",
]


def trained(kind: str, name: str) -> Any:
    corpus = [
        "hug the pug, a hug and 中文 Café",
        "pugs hug 123 huggers – naïve bugs",
        "it's the bug's café",
    ]
    if kind == "unigram":
        tokenizer = package(models.Unigram(), name)
        trainer: Any = trainers.UnigramTrainer(
            vocab_size=70, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"]
        )
    else:
        data: dict[str, Any] = {"fuse_unk": kind == "fused", "ignore_merges": kind == "whole"}
        tokenizer = package(models.BPE(unk_token="<unk>", **data), name)
        trainer = trainers.BpeTrainer(vocab_size=90, show_progress=False, special_tokens=["<unk>"])
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.add_tokens(ADDED)
    return tokenizer


@sampled(10, kind=["bpe", "fused", "whole", "unigram"], name=STEPS)
def test_added_tokens_are_taken_out_first(kind: str, name: str) -> None:
    theirs = trained(kind, name)
    values = read(theirs.to_str())
    saved, value = values[SAVED], values["tokenizer"]
    model: Any = MergeModel(
        values.get("vocabulary", {}), values.get("merges", ()), SubwordMarks(), value["unknown"],
        fused=saved.fused, whole=saved.whole,
    )  # fmt: skip
    if kind == "unigram":
        model = Unigram(
            tuple((data, float(score)) for data, score in values["pieces"].items()), "<unk>"
        )
    ours = WordTokenizer(saved.pipeline, model, saved.added)
    draw = random.Random(f"{kind} {name}")
    for _ in range(60):
        text = "".join(draw.choices(PARTS, k=draw.randint(1, 9)))
        expected = theirs.encode(text, add_special_tokens=False)
        assert [piece.id for piece in ours.encode(text)] == expected.ids, text
        assert [ours.vocabulary[piece.token] for piece in ours.encode(text)] == expected.ids


@pytest.mark.parametrize("cut", [cuts.Metaspace(prepend_scheme="first"), cuts.Sequence([cuts.Punctuation(), cuts.Metaspace(prepend_scheme="first")])])  # fmt: skip
def test_a_mark_is_put_before_the_first_part_only(cut: Any) -> None:
    """Which the text after an added token isn't."""
    theirs = tokenizers.Tokenizer(models.BPE())
    theirs.pre_tokenizer = cut
    theirs.add_tokens(ADDED[:1])
    parts = read(theirs.to_str())[SAVED].added.parts
    assert [getattr(part, "token", part) for part in parts("a b<s>c d")] == [
        "▁a", "▁b", "<s>", "c", "▁d",
    ]  # fmt: skip
    assert parts("<s>c")[1:] == ["c"]


def test_a_broken_map() -> None:
    for charsmap in ("", "AAAA", "!"):
        text = {
            "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap},
            "model": {"type": "BPE", "vocab": {}, "merges": []},
        }
        with pytest.raises(RefusedFileError, match="its normalizer is refused by the package"):
            read(json.dumps(text))


def test_tokens_are_found_among_many_in_linear_time() -> None:
    """Ten thousand long ones that begin alike take no longer than one: looked for by expressions,
    these were minutes."""
    many = ["a" * 900 + str(k) for k in range(10_000)]
    found = [*_occurring("a" * 5000 + many[17] + "b" + many[3], dict.fromkeys(many))]
    assert found == [(5000, 5902), (5903, 6804)]
    assert [*_occurring("xabcab", {"ab": 1, "abc": 2, "": 3})] == [(1, 4), (4, 6)]
