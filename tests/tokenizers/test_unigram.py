"""Unigram and SentencePiece in scenarios: rounds of pruning, the best cuts, bytes, what is wrong."""

from __future__ import annotations

import json
import math
import re
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import ScenarioError, load
from attncli.pipeline import work
from attncli.scenario.model import Tokenizing
from attncli.tokenizers.unigram_by_counts import CountTraining
from attncli.tokenizers.unigram_by_em import EMTraining
from attncli.trace import Trace
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, page_of, tables_of, trace_of

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
PIECES = {"h": -3, "u": -2, "g": -3, "hu": -4, "ug": -3.5, "s": -2.5}


def traced(**data: Any) -> Trace:
    return work(load(data))


def tokenizing_of(trace: Trace) -> Tokenizing:
    found = trace.scenario.text.tokenizing
    assert found is not None
    return found


def test_the_documents_examples() -> None:
    tokens = trace_of(SHIPPED["unigram"]).scenario.text.tokens
    assert tokens == ("un", "happi", "ness", "Yass", "ine")
    trace = trace_of(SHIPPED["sentencepiece"])
    assert trace.scenario.text.tokens == ("▁un", "happi", "ne", "ss", "▁", "<unk>", "▁Yass", "ine")
    fallen = trace.variants["byte fall-back"].scenario.text
    assert fallen.tokens == (
        *("▁un", "happi", "ne", "ss", "▁", "<0xC3>", "<0xA0>", "▁Yass", "ine"),
    )
    assert tokenizing_of(trace.variants["byte fall-back"]).tokenizer.decode(
        tokenizing_of(trace.variants["byte fall-back"]).tokenizer.encode(str(fallen.sentence))
    ) == str(fallen.sentence)


def test_the_course_example() -> None:
    """The counts of Hugging Face's course, chapter 6: 210 in all; and the cut of pug."""
    trace = traced(
        tokenizer={"kind": "unigram", "whole": "false", "min_count": "2"},
        corpus=HUGS,
        vocabulary_size="15",
        sentence="pug",
    )
    counts = trace["rounds[1].counts"]
    found = dict(zip(counts.rows.names, counts.values[:, 0], strict=True))
    assert (found["u"], found["ug"], found["hu"], found["p"]) == (36, 20, 15, 17)
    assert trace["rounds[1].total"].values[0, 0] == 210
    scores = trace["rounds[1].cut_scores"]
    assert scores.values[1, 0] == pytest.approx(math.log(5 / 210 * 17 / 210 * 210 / 5 * 20 / 210), abs=2e-3)  # fmt: skip
    page = page_of(trace)
    assert "counts[ug]  = 10 + 5 + 5          = 20" in page
    assert "log_p[u]   = ln(36 / 210) = −1.764" in page
    assert trace.scenario.text.tokens == ("p", "ug")


def test_viterbi_by_hand() -> None:
    trace = traced(tokenizer="unigram", pieces=PIECES, sentence="hugs")
    totals = {end: trace[f"words[1].totals[{end}]"] for end in (1, 2, 3, 4)}
    assert totals[2].rows.names == ("hu", "u")
    assert totals[2].values[:, 0].tolist() == [-4, -5]
    assert totals[3].values[:, 0].tolist() == [-6.5, -7]
    assert trace["words[1].best[4]"].values[0, 0] == -9
    assert trace["words[1].totals"].rows.names == ("h", "hu", "h|u", "h|ug", "hu|g", "hug|s")
    assert trace["words[1].best"].values[:, 0].tolist() == [-3, -4, -6.5, -9]
    page = page_of(trace)
    assert "totals[3][ug] = −3.0 − 3.5      = −6.5" in page
    assert "best[3]       = max(−6.5, −7.0) = −6.5" in page
    assert "“ug” ← “h”" in " ".join(page.split())
    assert trace.scenario.text.tokens == ("h", "ug", "s")


@pytest.mark.parametrize("seed", range(40))
def test_the_best_of_all_cuts(seed: int) -> None:
    """Every way to cut a word, tried; under `carry` by the sums of what is written."""
    rng = Random(seed)
    letters = "ab"
    known = ["".join(texts) for n in (1, 2, 3) for texts in product(letters, repeat=n)]
    pieces = {
        piece: f"-{rng.randint(10, 99) / 10}"
        for piece in known
        if len(piece) == 1 or rng.random() < 0.6
    }
    word = "".join(rng.choices(letters, k=rng.randint(2, 8)))
    trace = traced(tokenizer="unigram", pieces=pieces, sentence=word)
    scores = []
    for breaks in product((False, True), repeat=len(word) - 1):
        cut = word[0] + "".join(" " * cut + c for cut, c in zip(breaks, word[1:], strict=True))
        if all(piece in pieces for piece in cut.split()):
            scores.append(sum(float(pieces[piece]) for piece in cut.split()))
    best = trace[f"words[1].best[{len(word)}]"].values[0, 0]
    assert best == pytest.approx(max(scores))
    own = sum(float(pieces[token]) for token in trace.scenario.text.tokens)
    assert own == pytest.approx(best)
    assert "".join(trace.scenario.text.tokens) == word


@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=3))
def test_pages_of_words_of_any_length_are_true(words: list[str]) -> None:
    """Totals of a word's only place are a table of their own, those of several are in a list."""
    pieces = {"a": -1.98, "b": -1.54, "ab": -2.5, "aa": -3.1}
    trace = traced(tokenizer="unigram", pieces=pieces, sentence=" ".join(words))
    report = audit(page_of(trace), "terminal", tables_of(trace))
    assert report.false == []
    assert report.results


def test_what_the_page_shows_decides() -> None:
    """−1.4 − 1.4 is less than −2.6, but rounded place by place it is −2, and more than −3."""
    pieces = {"a": "-1.4", "b": "-1.4", "ab": "-2.6"}
    for decimals, tokens in ((0, ("a", "b")), (1, ("ab",))):
        trace = traced(
            tokenizer="unigram", pieces=pieces, sentence="ab", rounding={"decimals": decimals}
        )
        assert trace.scenario.text.tokens == tokens, trace["words[1].totals"].values


def test_unknown_characters() -> None:
    trace = traced(tokenizer="unigram", pieces=PIECES, sentence="xhyz")
    assert trace["words[1].unknown"].values[0, 0] == -14
    assert trace.scenario.text.tokens == ("<unk>", "h", "<unk>")
    assert "unknown = −4 − 10 = −14" in " ".join(page_of(trace).split())
    settings = {"kind": "unigram", "byte_fallback": "true"}
    trace = traced(tokenizer=settings, pieces=PIECES, sentence="éh")
    assert trace.scenario.text.tokens == ("<0xC3>", "<0xA9>", "h")


def test_a_special_token_is_no_piece() -> None:
    pieces = {"<s>": -0.5, "<": -3, "s": -1, ">": -2, "<unk>": -20}
    trace = traced(
        tokenizer={"kind": "unigram", "special": ["<s>"]}, pieces=pieces, sentence="<s>x"
    )
    assert trace.scenario.text.tokens == ("<", "s", ">", "<unk>")
    assert trace["words[1].unknown"].values[0, 0] == -30  # of all, as in the package


def test_many_words_are_elided() -> None:
    words = [f"{a}{b}" for a in "hug" for b in "shug"] + ["gugs"]
    trace = traced(tokenizer="unigram", pieces=PIECES, sentence=" ".join(words))
    texts = {name.partition(".")[0] for name in trace if name.startswith("words")}
    assert texts == {"words[1]", "words[2]", "words[3]", "words[13]"}
    long = traced(tokenizer="unigram", pieces=PIECES, sentence="hugs " + "h" * 41)
    assert {name.partition(".")[0] for name in long if name.startswith("words")} == {"words[1]"}
    assert long.scenario.text.tokens[3:] == ("h",) * 41


def test_many_rounds_are_elided() -> None:
    words = {f"{a}{b}{c}{d}": "2" for a in "ab" for b in "cd" for c in "ef" for d in "gh"}
    trace = traced(tokenizer="unigram", corpus=words, vocabulary_size="16", sentence="aceg")
    learned = trace.scenario.text.learned_as(CountTraining)
    assert learned is not None
    count = len(learned.rounds)
    assert count > 4
    rounds = {name.partition(".")[0] for name in trace if name.startswith("rounds")}
    assert rounds == {f"rounds[{k}]" for k in range(1, count + 1)}
    page = page_of(trace)
    assert f"Rounds 3 to {count - 1} go the same way." in page
    values = re.findall(r"How probable pieces are, round (\d+)", page)
    assert values == ["1", "2", str(count)]
    data = json.loads(page_of(trace, "json"))
    lists = {value["name"]: value for step in data["steps"] for value in step["quantities"]}
    gone = [" ".join(r.token for r in each.removals if r.pruned) for each in learned.rounds]
    assert lists["pruned"]["values"] == gone[:-1]


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
AS_WRITTEN = {"normalize": "none", "extra_spaces": "kept"}
WHOLE = [
    {"tokenizer": {"kind": "bpe", "marks": "Ġ", "alphabet": "bytes"}, "vocabulary_size": "260"},
    {"tokenizer": {"kind": "bpe", "marks": "▁", "byte_fallback": "true"}, "vocabulary_size": "270"},
    {"tokenizer": {"kind": "sentencepiece", **AS_WRITTEN, "byte_fallback": "true"}, "vocabulary_size": "280"},
    {
        "tokenizer": {"kind": "sentencepiece", "model": "bpe", **AS_WRITTEN, "byte_fallback": "true"},
        "vocabulary_size": "280",
    },
    {
        "tokenizer": {"kind": "unigram", "marks": "▁", "byte_fallback": "true", "training": "expected"},
        "vocabulary_size": "280",
    },
]  # fmt: skip


@pytest.mark.parametrize("said", WHOLE)
@given(sentence=ANY_TEXT.filter(lambda text: text.strip() and "▁" not in text))
def test_any_text_comes_back_whole(said: dict[str, Any], sentence: str) -> None:
    trace = traced(**said, corpus=["hug the pug", "a hug"], sentence=sentence)
    tokenizer = tokenizing_of(trace).tokenizer
    pieces = tokenizer.encode(sentence)
    assert tokenizer.decode(pieces) == sentence
    assert tuple(piece.token for piece in pieces) == trace.scenario.text.tokens


def test_what_comes_back_is_told() -> None:
    bpe = {"kind": "bpe", "marks": "Ġ", "alphabet": "bytes"}
    page = page_of(traced(tokenizer=bpe, corpus="hug", vocabulary_size="258", sentence="hug é"))
    assert "Put together again, the tokens read “hug é”. This is the original sentence." in page
    page = page_of(traced(tokenizer="unigram", pieces=PIECES, sentence="hugs x"))
    assert "read “hugs<unk>”. That is not quite the sentence: what is" in " ".join(page.split())


def test_byte_level_pieces() -> None:
    trace = traced(
        tokenizer={"kind": "bpe", "marks": "Ġ"}, corpus="hug hug hug", vocabulary_size="6",
        sentence="hug hug",
    )  # fmt: skip
    assert trace.scenario.text.tokens == ("hug", "Ġ", "hug")


def test_normal_forms() -> None:
    by_name = {"corpus": "ﬁne", "vocabulary_size": "6", "sentence": "ﬁne"}
    plain = traced(tokenizer={"kind": "sentencepiece", "normalize": "none"}, **by_name)
    assert "ﬁ" in tokenizing_of(plain).tokenizer.vocabulary
    normal = traced(tokenizer={"kind": "sentencepiece", "normalize": "nfkc"}, **by_name)
    assert "ﬁ" not in tokenizing_of(normal).tokenizer.vocabulary
    assert "f" in tokenizing_of(normal).tokenizer.vocabulary
    both = traced(tokenizer="sentencepiece", **by_name)
    assert tokenizing_of(both).tokenizer.vocabulary == tokenizing_of(normal).tokenizer.vocabulary


def drawn(seed: int) -> tuple[list[str], str]:
    rng = Random(seed)
    letters = "abcdefgh"[: rng.randint(3, 8)]

    def text() -> str:
        words = ["".join(rng.choices(letters, k=rng.randint(1, 7))) for _ in range(20)]
        return " ".join(rng.choices(words, k=rng.randint(20, 60)))

    return [text() for _ in range(3)], text()


@sampled(3, seed=range(30), marks=["none", "▁"])
def test_expected_pieces_are_those_of_the_package(seed: int, marks: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    corpus, sentence = drawn(seed)
    size = 30 + seed % 40
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    if marks == "▁":
        theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=size, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    theirs.train_from_iterator(corpus, trainer)
    trace = traced(
        tokenizer={"kind": "unigram", "marks": marks, "training": "expected"}, corpus=corpus,
        vocabulary_size=str(size), sentence=sentence, rounding={"policy": "exact"},
    )  # fmt: skip
    scored = dict(json.loads(theirs.to_str())["model"]["vocab"])
    tokenizing = tokenizing_of(trace)
    assert set(tokenizing.tokenizer.vocabulary) == set(scored)
    learned = trace.scenario.text.learned_as(EMTraining)
    assert learned is not None
    own = dict(zip(tokenizing.pieces, trace["log_p"].values[:, 0], strict=True))
    known = {token: own[token] for token in own if token not in learned.required}
    assert known == pytest.approx({token: scored[token] for token in known}, abs=1e-9)
    cut = theirs.encode(sentence).tokens  # of equal cuts it takes the one that float noise favours
    if not learned.required:
        ours = [scored[token] for token in trace.scenario.text.tokens]
        assert sum(ours) == pytest.approx(sum(scored[token] for token in cut), abs=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_given_pieces_are_cut_as_the_package_does(seed: int) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    rng = Random(seed)
    letters = "abcé"
    known = {"".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in range(12)}
    pieces = {piece: f"-{rng.randint(100, 999) / 100}" for piece in sorted(known)}
    scored = [("<unk>", 0.0), *((piece, float(score)) for piece, score in pieces.items())]
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(scored, 0))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    sentence = " ".join("".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(6))
    trace = traced(tokenizer="unigram", pieces=pieces, sentence=sentence)
    assert theirs.encode(sentence).ids == list(trace.scenario.text.ids)


def test_the_losses_of_the_package() -> None:
    """What a first pruning is told of agrees with what was pruned."""
    corpus, sentence = drawn(4)
    trace = traced(
        tokenizer={"kind": "unigram", "training": "expected"}, corpus=corpus, vocabulary_size="20",
        sentence=sentence, rounding={"policy": "exact"},
    )  # fmt: skip
    trained = trace.scenario.text.learned_as(EMTraining)
    assert trained is not None
    pruning = trained.rounds[0].pruning
    assert pruning is not None
    losses = trace["rounds[1].losses"]
    data = dict(zip(losses.rows.names, losses.values[:, 0], strict=True))
    expected = {loss.token: loss.loss for loss in pruning.losses if loss.token in data}
    assert data == pytest.approx(expected)
    assert min(data.values()) == pytest.approx(min(loss.loss for loss in pruning.losses))
    frequencies = trace["rounds[1].frequencies"]
    counts = dict(zip(frequencies.rows.names, frequencies.values[:, 0], strict=True))
    assert all(
        counts[loss.token] == loss.frequency for loss in pruning.losses if loss.token in data
    )
    assert f"Of {pruning.size} pieces, {len(pruning.unused)} are in no best cut" in page_of(trace)


WRONG = {
    "tokenizer: unigram": "1:12: nothing tells what pieces unigram has; give a corpus with a vocabulary_size, or pieces",
    "tokenizer: sentencepiece": "1:12: nothing tells what pieces sentencepiece has",
    "tokenizer: unigram\ncorpus: abc\nvocabulary_size: 3": "3:18: a vocabulary of 3 has no room for the special tokens and the 3 characters; 4 or more",
    "tokenizer: unigram\ncorpus: ''\nvocabulary_size: 5": "2:9: a text is wanted here",
    "tokenizer: unigram\ncorpus: abc": "2:9: a corpus to learn from, and no vocabulary_size",
    "tokenizer: {kind: unigram, training: expected, special: [a]}\ncorpus: a\nvocabulary_size: 5": "2:9: all its characters are special tokens; write some others",
    "tokenizer: unigram\npieces: {a: 0.5}": "2:13: 0.5 is not 0 or less",
    "tokenizer: unigram\npieces: {}": "2:9: an empty map where a map belongs",
    "tokenizer: unigram\nvocabulary: {a: 1}\npieces: {a: -1}": "2:13: the pieces of unigram have their IDs in their own order",
    "tokenizer: unigram\nmerges: [[a, b]]\ncorpus: ab\nvocabulary_size: 9": "2:9: merges is not for the tokenizer unigram",
    "tokenizer: bpe\npieces: {a: -1}\nmerges: [[a, b]]": "2:9: pieces is not for the tokenizer bpe; leave",
    "tokenizer: {kind: unigram, marks: </w>}\npieces: {a: -1}": "1:35: unigram doesn't mark its pieces with </w>; known: none, ▁, Ġ",
    "tokenizer: {kind: sentencepiece, marks: none}\npieces: {a: -1}": "1:41: sentencepiece marks its pieces with ▁; say ▁",
    "tokenizer: {kind: bpe, share: 0.5}\nmerges: [[a, b]]": "1:31: share is not for the tokenizer bpe; leave it out, or say unigram",
    "tokenizer: {kind: unigram, share: 1.5}\npieces: {a: -1}": "1:35: 1.5 is not 1 or less",
    "tokenizer: {kind: unigram, model: bpe}\npieces: {a: -1}": "1:35: model is not for the tokenizer unigram",
    "tokenizer: {kind: bpe, alphabet: bytes}\nmerges: [[a, b]]": "1:34: bytes, and words aren't cut into any; marks: Ġ",
    "tokenizer: {kind: bpe, marks: Ġ, byte_fallback: true}\nmerges: [[a, b]]": "1:49: with the marks Ġ all characters are bytes already",
    "tokenizer: {kind: wordpiece, byte_fallback: true}\nvocabulary: {a: 1, '[UNK]': 0}": "1:45: byte_fallback is not for the tokenizer wordpiece",
    "tokenizer: {kind: unigram, training: expected, share: 0.2}\ncorpus: ab\nvocabulary_size: 9": "1:55: share is for the training by counts",
    "tokenizer: {kind: unigram, byte_fallback: true}\ncorpus: ab\nvocabulary_size: 9": "3:18: a vocabulary of 9 has no room for the special tokens and the 2 characters; 259 or more",
    "tokenizer: {kind: bpe, marks: Ġ, alphabet: bytes}\ncorpus: ab\nvocabulary_size: 9": "3:18: ",
    "tokenizer: bpe\ncorpus: ab\nvocabulary_size: 9\nvocabulary: {a: 0, b: 1}": "4:13: a vocabulary, and a corpus that one is learned from; keep one",
    "tokenizer: {kind: bpe, corpus: ab}\nmerges: [[a, b]]": '1:24: the key "corpus" doesn\'t belong in here; write it one level up',
    "tokenizer: bpe\ncorpus: ab\nvocabulary_size: 0": "3:18: ",
    "tokenizer: bpe\nmerges: [[a, b]]\ncorpus: ab": "3:9: merges are given, so that corpus does nothing; keep one",
    "tokenizer: unigram\npieces: {a: -1, b: -2}\nvocabulary_size: 9": "3:18: pieces are given, so that vocabulary_size does",
    "tokenizer: {kind: bpe, corpus: ab}": '1:24: the key "corpus" doesn\'t belong in here',
    "tokenizer: {kind: sentencepiece, model: bpe, share: 0.5}\ncorpus: ab\nvocabulary_size: 9": "1:53: share is not for the tokenizer sentencepiece with the model bpe",
    "tokenizer: bpe\ncorpus: cd\nvocabulary_size: 5\nembeddings: {c: [1], d: [2]}": '5:11: "a" is outside the vocabulary',
}


@pytest.mark.parametrize("more", WRONG)
def test_what_is_wrong(more: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        trace_of(f"{more}\nsentence: ab\n")
    first, *others = raised.value.problems
    assert WRONG[more] in str(first)
    assert [problem for problem in others if "outside the vocabulary" not in str(problem)] == []


def test_a_corpus_too_large_for_the_lesson() -> None:
    rng = Random(1)
    words = " ".join("".join(rng.choices("abcdefghijklmnop", k=12)) for _ in range(400))
    text = f"tokenizer: {{kind: unigram, min_count: 1}}\ncorpus: {words}\nvocabulary_size: 50\nsentence: ab\n"
    with pytest.raises(ScenarioError, match=r"2:9: it has .* too many to try each of them; say training: expected"):  # fmt: skip
        trace_of(text)


def test_what_decides_is_on_the_page() -> None:
    trace = traced(
        tokenizer={"kind": "bpe", "marks": "▁", "byte_fallback": "true", "special": ["<s>"]},
        corpus="ab ab", vocabulary_size="300", sentence="ab",
    )  # fmt: skip
    page = " ".join(page_of(trace, width=200).split())
    assert (
        "bpe: at most 300 tokens, from pairs that occur once or more; among equal pairs the one"
        " whose parts come first in the vocabulary is merged; pieces are marked ▁;"
        " special tokens: <s>; a character that no piece has becomes its bytes"
    ) in page
    none = traced(
        tokenizer={"kind": "bpe", "min_count": "3"},
        corpus="ab ab",
        vocabulary_size="6",
        sentence="ab",
    )
    assert "What has been learned" in page_of(none)
    assert "from pairs that occur 3 times or more" in page_of(none)


def test_a_training_without_pruning_is_told() -> None:
    trace = traced(
        tokenizer={"kind": "unigram", "training": "expected"}, corpus=HUGS, vocabulary_size="30",
        sentence="hugs",
    )  # fmt: skip
    page = page_of(trace)
    assert "log_p (learned)" in page
    assert "What has been learned" in page
    assert "word_counts" not in page
