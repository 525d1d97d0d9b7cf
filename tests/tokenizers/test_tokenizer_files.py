"""A corpus in a file, and a tokenizer.json as Hugging Face's `tokenizers` saves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from attncli import ScenarioError, load, work
from attncli.scenario.tokenizers import hugging_face
from attncli.scenario.tokenizers.settings import SAVED
from attncli.tokenizers import saved_steps
from attncli.trace import Trace
from tests import oracle
from tests.helpers.pages import page_of
from tests.helpers.plain import read

TEXTS = ["hug the pug, a hug and 中文 Café", "pugs hug huggers – naïve bugs", "it's the bug's café"]
SENTENCES = [
    "a Hug, the Café bugs hugging 文",
    "it's  the naïve bug's pugs",
    "xyz hugs – ¿huh? ",
    "the 🐶",
]


def traced(folder: Path, text: str) -> Trace:
    path = folder / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    return work(load(path))


def saved(folder: Path, tokenizer: Any) -> None:
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")


def built(model: str, cut: str, special: list[str], normalizer: str = "", **settings: Any) -> Any:
    """A tokenizer of the package, learned from the texts."""
    tokenizers = pytest.importorskip("tokenizers", reason="there is nothing to compare with")
    pieces = {
        "size": 70,
        "WordLevel": "WordLevel",
        "BPE": "Bpe",
        "WordPiece": "WordPiece",
        "Unigram": "Unigram",
    }
    tokenizer = tokenizers.Tokenizer(getattr(tokenizers.models, model)(**settings))
    name, _, argument = cut.partition("=")
    arguments = {"add_prefix_space": False} if name == "ByteLevel" else {}
    tokenizer.pre_tokenizer = getattr(tokenizers.pre_tokenizers, name)(**arguments)
    if normalizer:
        lower = {"lowercase": argument != "cased"} if normalizer == "BertNormalizer" else {}
        tokenizer.normalizer = getattr(tokenizers.normalizers, normalizer)(**lower)
    trainer = getattr(tokenizers.trainers, f"{pieces[model]}Trainer")
    unknown = {"unk_token": special[0]} if model == "Unigram" else {}
    ends = (
        {"end_of_word_suffix": settings["end_of_word_suffix"]}
        if "end_of_word_suffix" in settings
        else {}
    )
    size = 300 if name == "ByteLevel" else 70
    if name == "ByteLevel":
        ends["initial_alphabet"] = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    data = {
        "vocab_size": size,
        "special_tokens": special,
        "show_progress": False,
        **unknown,
        **ends,
    }
    tokenizer.train_from_iterator(TEXTS, trainer(**data))
    return tokenizer


UNK, BERT = ["<unk>"], ["[UNK]", "[CLS]", "[SEP]"]
BUILT: dict[str, dict[str, Any]] = {
    "bert": {"model": "WordPiece", "cut": "BertPreTokenizer", "special": BERT, "normalizer": "BertNormalizer", "unk_token": "[UNK]"},
    "bert cased": {"model": "WordPiece", "cut": "BertPreTokenizer=cased", "special": BERT, "normalizer": "BertNormalizer", "unk_token": "[UNK]"},
    "wordpiece": {"model": "WordPiece", "cut": "WhitespaceSplit", "special": BERT, "unk_token": "[UNK]"},
    "bpe": {"model": "BPE", "cut": "WhitespaceSplit", "special": UNK, "unk_token": "<unk>"},
    "sennrich": {"model": "BPE", "cut": "WhitespaceSplit", "special": UNK, "unk_token": "<unk>", "end_of_word_suffix": "</w>"},
    "bert bpe": {"model": "BPE", "cut": "BertPreTokenizer", "special": UNK, "normalizer": "BertNormalizer", "unk_token": "<unk>"},
    "byte-level": {"model": "BPE", "cut": "ByteLevel", "special": []},
    "sentencepiece bpe": {"model": "BPE", "cut": "Metaspace", "special": UNK, "normalizer": "NFKC", "unk_token": "<unk>", "fuse_unk": True},
    "metaspace bpe": {"model": "BPE", "cut": "Metaspace", "special": UNK, "unk_token": "<unk>"},
    "unigram": {"model": "Unigram", "cut": "WhitespaceSplit", "special": UNK},
    "sentencepiece": {"model": "Unigram", "cut": "Metaspace", "special": UNK, "normalizer": "NFKC"},
    "words": {"model": "WordLevel", "cut": "WhitespaceSplit", "special": BERT, "unk_token": "[UNK]"},
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT)
def test_a_tokenizer_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    theirs = built(**BUILT[name])
    saved(tmp_path, theirs)
    for sentence in SENTENCES:
        text = f"tokenizer: {{file: tokenizer.json}}\nsentence: {json.dumps(sentence, ensure_ascii=False)}\n"
        ours = traced(tmp_path, text).scenario.text
        expected = theirs.encode(sentence, add_special_tokens=False)
        assert list(ours.ids) == expected.ids, sentence


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another cut": ({"pre_tokenizer": {"type": "Whitespaces"}}, "its pre_tokenizer is refused by the package tokenizers (data did not match"),
    "a sequence": ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Upper"}]}}, "its normalizer is refused by the package tokenizers (data did not match"),
    "an expression": ({"normalizer": {"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""}}, "its normalizer is refused by the package tokenizers (Oniguruma error: end pattern with unmatched"),
    "a panic": ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}}, "its normalizer is refused by the package tokenizers (Precompiled: Error"),
    "no model": ({"model": {}}, "this is no tokenizer.json"),
    "another model": ({"model": {"type": "Neural"}}, 'the model "Neural" of a tokenizer.json is not known here; known: BPE'),
    "dropout": ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.5}}, "dropout: 0.5"),
    "broken": ({"model": {"type": "BPE", "vocab": {"a": 0}}}, "this tokenizer.json is broken"),
    "score": ({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", float("nan")]]}}, "this tokenizer.json is broken"),
    "added wrong": ({"added_tokens": [3]}, "this tokenizer.json is broken"),
    "vocabulary": ({"model": {"type": "BPE", "vocab": {"a": "x"}, "merges": []}}, "this tokenizer.json is broken"),
}  # fmt: skip
GOOD = {
    "normalizer": None,
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "model": {
        "type": "BPE",
        "vocab": {"a": 0, "b": 1, "ab": 2, "[": 3, "X": 4, "]": 5},
        "merges": ["a b"],
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_there_are_no_words_for_is_named(name: str, tmp_path: Path) -> None:
    change, text = REFUSED[name]
    (tmp_path / "t.json").write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(ScenarioError) as error:
        traced(tmp_path, "title: x\ntokenizer: {file: t.json}\nsentence: ab [X]\n")
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"pre_tokenizer": {"type": "UnicodeScripts"}}, ["ab ", "[", "X", "]"]),
        ({"pre_tokenizer": {"type": "FixedLength", "length": 4}}, ["ab [", "X]"]),
        ({"normalizer": {"type": "Replace", "pattern": {"Regex": "[\\w&&[^X]]"}, "content": "\u6587"}}, ["\u6587\u6587", "[X]"]),
        ({"normalizer": {"type": "Replace", "pattern": {"Regex": "\\p{Latin}"}, "content": ""}}, ["[]"]),
    ],
)  # fmt: skip
def test_what_the_package_knows_is_known(part: dict[str, Any], words: list[str]) -> None:
    """Also what `re` has no words for."""
    assert hugging_face.read(json.dumps({**GOOD, **part}))[SAVED].pipeline.split("ab [X]") == words


def test_broken_json_is_told_by_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"model":\n  {"type" "BPE"}}')
    with pytest.raises(ScenarioError, match=r"tokenizer\.json: line 2, column 11 is no JSON"):
        traced(tmp_path, "title: x\ntokenizer: {file: t.json}\nsentence: ab [X]\n")


def test_a_missing_package_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_steps, "find_spec", lambda _: None)
    (tmp_path / "t.json").write_text(json.dumps(GOOD))
    with pytest.raises(ScenarioError) as error:
        traced(tmp_path, "title: x\ntokenizer: {file: t.json}\nsentence: ab [X]\n")
    told = "isn't installed; install it with: pip install 'attncli[tokenizers]'"
    assert told in str(error.value)


def test_added_tokens_on_the_page(tmp_path: Path) -> None:
    added = [{"content": "[X]", "id": 7}, {"content": "b", "id": 1, "single_word": True}]
    (tmp_path / "t.json").write_text(json.dumps({**GOOD, "added_tokens": added}))
    trace = traced(tmp_path, "tokenizer: {file: t.json}\nsentence: ab[X]b ab\n")
    assert trace.scenario.text.tokens == ("ab", "[X]", "b", "ab")
    assert trace.scenario.text.ids == (2, 7, 1, 2)
    page = " ".join(page_of(trace).split())
    assert "as its file says, a text is cut into words by WhitespaceSplit" in page
    assert "“[X]” and “b”: added to the vocabulary as whole tokens" in page


def test_a_tokenizer_alone(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(GOOD))
    assert traced(tmp_path, "tokenizer: {file: t.json}\nsentence: ab\n").scenario.text.ids == (2,)
    wrong = {
        "vocabulary: {a: 1}": "vocabulary beside a tokenizer that is in a file",
        "merges: 3": "merges beside a tokenizer",
    }
    for more, text in wrong.items():
        with pytest.raises(ScenarioError, match=text):
            traced(tmp_path, f"tokenizer: {{file: t.json}}\nsentence: ab\n{more}\n")
    for line, text in {
        "{file: ../t.json}": "leads out of",
        "{file: u.json}": "there is no file",
        "{file: t.txt}": "known: .json",
        "{file: t.json, kind: bpe}": "give {file: …} alone",
    }.items():
        with pytest.raises(ScenarioError) as error:
            traced(tmp_path, f"tokenizer: {line}\nsentence: ab\n")
        assert text in str(error.value)


def test_a_corpus_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("hug pug\n\nhug hugs\r\n", encoding="utf-8")
    text = "tokenizer: {kind: bpe, unknown: '?'}\ncorpus: CORPUS\nmerges: 2\nsentence: hugs\n"
    trace = traced(tmp_path, text.replace("CORPUS", "{file: corpus.txt}"))
    assert (
        trace.scenario.text
        == traced(tmp_path, text.replace("CORPUS", "[hug pug, hug hugs]")).scenario.text
    )
    expected = oracle.work(read(text.replace("CORPUS", "{file: corpus.txt}")), tmp_path)
    assert all((trace[name].values == expected[name].astype(float)).all() for name in expected)
    counted = traced(tmp_path, text.replace("CORPUS", "{file: 3, hugs: 1}"))
    assert "f" in counted.scenario.text.known_ids
    (tmp_path / "corpus.txt").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ScenarioError, match="is not text in UTF-8"):
        traced(tmp_path, text.replace("CORPUS", "{file: corpus.txt}"))
