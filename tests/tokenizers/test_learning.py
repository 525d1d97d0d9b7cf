"""Tokenizers in scenarios: learned round by round, told, and handed on to the rest of the model."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncli import ScenarioError, load
from attncli.tokenizers.merge_training import MergeTraining
from attncli.tokenizers.merges import MergeModel
from tests import oracle
from tests.conftest import CHARACTERS
from tests.helpers.pages import SHIPPED, page_of, page_of_cells, trace_of
from tests.helpers.plain import read
from tests.steps.test_transformers import same

HUGS = "corpus: {hug: 10, pug: 5, pun: 12, bun: 4, hugs: 5}\n"
MODEL = "embeddings: {random: normal, seed: 3, std: 1, shape: [16, 2]}\nW_Q: [[1, 0], [0, 1]]\nW_K: [[1, 0], [0, 1]]\nW_V: [[1, 0], [0, 1]]\n"


@st.composite
def learnings(draw: st.DrawFn) -> str:
    """The YAML text of a tokenizer that is learned from a few words, and cuts others."""
    words = st.text("abcé", min_size=1, max_size=5)
    corpus = draw(st.dictionaries(words, st.integers(1, 9), min_size=1, max_size=6))
    kind = draw(st.sampled_from(["bpe", "wordpiece", "unigram", "sentencepiece"]))
    settings = [f"kind: {kind}"]
    if kind in ("unigram", "sentencepiece"):
        settings.append(f"share: {draw(st.sampled_from(['0.1', '0.5', '1']))}")
        settings.append(f"longest: {draw(st.integers(1, 5))}")
        settings.append(f"whole: {draw(st.sampled_from(['true', 'false']))}")
    elif kind == "bpe":
        settings.append(
            f"marks: {draw(st.sampled_from(['none', '</w>', '##']))}".replace("##", "'##'")
        )
        settings += ["unknown: <unk>"] if draw(st.booleans()) else []
    else:
        settings.append(f"score: {draw(st.sampled_from(['likelihood', 'count']))}")
    settings.append(f"min_count: {draw(st.integers(1, 3))}")
    stops = [f"vocabulary_size: {draw(st.integers(12, 20))}"]
    if kind in ("bpe", "wordpiece"):
        settings.append(f"ties: {draw(st.sampled_from(['ids', 'first']))}")
        merges = [f"merges: {draw(st.integers(1, 6))}"]
        stops = draw(st.sampled_from([stops, merges, stops + merges]))
    sentence = " ".join(draw(st.lists(words, min_size=1, max_size=3)))
    counts = ", ".join(f"{word}: {count}" for word, count in corpus.items())
    places = draw(st.integers(1, 4))
    rounding = f"{{policy: {draw(st.sampled_from(['carry', 'exact']))}, decimals: {places}}}"
    return (
        f"tokenizer: {{{', '.join(settings)}}}\ncorpus: {{{counts}}}\n{chr(10).join(stops)}\n"
        f"sentence: {sentence}\nembeddings: one_hot\nrounding: {rounding}\n"
    )


@given(learnings())
def test_random_learning(text: str) -> None:
    try:
        trace = trace_of(text)
    except ScenarioError as error:
        assume("there is no unknown token" not in str(error))
        raise
    expected = oracle.work(read(text))
    made = {name for name in trace if not trace[name].given}
    assert set(expected) == made
    for name in made:
        same(name, trace[name].values, expected[name])


def test_the_course_example() -> None:
    """The first rounds of the corpus with which BPE is mostly taught: ug, un, hug."""
    trace = trace_of(f"tokenizer: bpe\n{HUGS}vocabulary_size: 10\nsentence: hugs bug pugs\n")
    counts = trace["rounds[1].counts"]
    found = dict(zip(counts.rows.names, counts.values[:, 0], strict=True))
    assert found == {"u g": 20, "p u": 17, "u n": 16, "h u": 15, "g s": 5, "b u": 4}
    learned = trace.scenario.text.learned_as(MergeTraining)
    assert learned is not None
    assert learned.merges == (("u", "g"), ("u", "n"), ("h", "ug"))
    assert trace.scenario.text.tokens == ("hug", "s", "b", "ug", "p", "ug", "s")
    page = " ".join(page_of(trace).split())
    assert "counts[u g] = 10 + 5 + 5 = 20" in page
    chosen = "▸ “u g” occurs most often (20): it becomes the piece “ug”"
    assert f"{chosen}, and the vocabulary grows from 7 to 8 tokens." in page


def test_the_documents_examples() -> None:
    assert trace_of(SHIPPED["bpe"]).scenario.text.tokens == ("un", "happi", "ness", "Yass", "ine")
    tokens = trace_of(SHIPPED["wordpiece"]).scenario.text.tokens
    assert tokens[-4:] == ("Yass", "##ine", "l", "##ine")


def test_ties_are_told() -> None:
    trace = trace_of("tokenizer: bpe\ncorpus: ab cd\nvocabulary_size: 5\nsentence: ab\n")
    page = " ".join(page_of(trace).split())
    assert "“a b” occurs most often (1): it becomes the piece “ab”, " in page
    assert "grows from 4 to 5 tokens. “c d” has the same count. Among such pairs" in page


def test_tokens_go_on_to_attention() -> None:
    text = f"tokenizer: bpe\n{HUGS}vocabulary_size: 12\nsentence: hugs bug\n{MODEL}"
    trace = trace_of(text)
    assert trace["weights"].rows.names == ("hug", "s", "b", "ug")
    given = trace["embeddings"].values
    np.testing.assert_array_equal(trace["X"].values, given[list(trace.scenario.text.ids)])
    expected = oracle.work(read(text))
    np.testing.assert_allclose(trace["weights"].values, expected["weights"].astype(float))


def test_given_merges_and_vocabularies() -> None:
    text = "tokenizer: bpe\nmerges: [[u, g], [h, ug], [hug, s]]\nsentence: hugs ugs\n"
    assert trace_of(text).scenario.text.tokens == ("hugs", "ug", "s")
    text = "tokenizer: wordpiece\nvocabulary: {hu: 0, '##gs': 1, '[UNK]': 2}\nsentence: hugs huh\n"
    assert trace_of(text).scenario.text.tokens == ("hu", "##gs", "[UNK]")
    assert trace_of(text).scenario.text.ids == (0, 1, 2)


def test_many_rounds_are_elided() -> None:
    words = " ".join(f"{a}{b}{c}" for a in "abcde" for b in "fghij" for c in "klmno")
    trace = trace_of(f"tokenizer: bpe\ncorpus: {words}\nvocabulary_size: 60\nsentence: afk\n")
    rounds = [name for name in trace if name.endswith(".counts") and name.startswith("rounds")]
    assert len(rounds) == 45
    page = page_of(trace)
    assert "Rounds 4 to 44 go the same way." in page
    assert re.findall(r"Learning pieces, round (\d+)", page) == ["1", "2", "3", "45"]
    data = json.loads(page_of(trace, "json"))
    lists = {
        value["name"]: value["values"] for step in data["steps"] for value in step["quantities"]
    }
    learned = trace.scenario.text.learned_as(MergeTraining)
    assert learned is not None
    assert lists["merges"] == [" ".join(merge.pair) for merge in learned.rounds]
    assert lists["merge_counts"] == [str(merge.count) for merge in learned.rounds]
    assert lists["merge_pieces"] == [merge.piece for merge in learned.rounds]
    shown = page_of_cells(trace, ["rounds[20].counts[1]"])
    assert "Learning pieces, round 20" in shown
    assert "rounds[20].counts" in shown


@given(st.text(CHARACTERS, max_size=20))
def test_any_sentence_is_cut(sentence: str) -> None:
    merges = (("a", "b"), ("ab", "c"))
    model = MergeModel({token: k for k, token in enumerate("abc")} | {"ab": 3, "abc": 4}, merges)
    for word in sentence.split():
        assert "".join(piece.surface for piece in model.pieces(word)) == word


WRONG = {
    "tokenizer: bpe": "1:12: nothing tells what pieces bpe has; give a corpus with a vocabulary_size, or merges",
    "tokenizer: wordpiece": "1:12: nothing tells what pieces wordpiece has",
    "tokenizer: bpe\ncorpus: ''\nvocabulary_size: 5": "2:9: a text is wanted here",
    "tokenizer: bpe\ncorpus: cd\nvocabulary_size: 5": '4:11: "a" is outside the vocabulary, and there is no unknown token',
    "tokenizer: bpe\ncorpus: a b": "2:9: a corpus to learn from, and no vocabulary_size; say how many",
    "tokenizer: bpe\ncorpus: abc\nvocabulary_size: 2": "3:18: ",
    "tokenizer: bpe\nmerges: [[a, b], [abc, d]]": "2:9: merge 2: abc is neither a symbol to start with",
    "tokenizer: bpe\nmerges: [[a]]": "2:9: merge 1: a merge has two parts",
    "vocabulary_size: 5": "1:18: vocabulary_size is not for the tokenizer whitespace",
    "corpus: a b": '2:11: "ab" is outside the vocabulary, and there is no unknown token',
    "tokenizer: {kind: word, marks: '##'}": "1:32: marks is not for the tokenizer word",
    "tokenizer: {kind: bpe, score: count}\ncorpus: ab\nvocabulary_size: 3": "1:31: score is not for",
    "tokenizer: {kind: wordpiece, marks: none}\ncorpus: ab\nvocabulary_size: 9": "1:37: wordpiece marks its",
    "tokenizer: bp": '1:12: the text "bp" is not a choice here; did you mean bpe?',
}


@pytest.mark.parametrize("more", WRONG)
def test_what_is_wrong(more: str) -> None:
    with pytest.raises(ScenarioError) as error:
        trace_of(f"{more}\nsentence: ab\n")
    assert WRONG[more] in str(error.value)
    assert len({problem.where for problem in error.value.problems}) == 1


def test_a_dictionary() -> None:
    trace = trace_of(SHIPPED["dictionary"])
    assert trace["totals"].values[:, 0].tolist() == [15, 19]
    assert trace["coverage"].values.tolist() == [[0.789]]
    text = trace.scenario.text
    assert text.tokens == ("[UNK]", "is", "the", "king", "[UNK]", "the", "world", ".")
    assert text.ids == (0, 4, 2, 3, 0, 2, 6, 5)
    page = " ".join(page_of(trace).split())
    assert "Not in the dictionary: “Yassine” and “of”. Each becomes “[UNK]”." in page
    assert "world │ 2 6" in page
    assert "Old │ 1 below the cut" in page


@given(st.integers(1, 3), st.integers(1, 8), st.lists(st.sampled_from("abcdef"), min_size=1))
def test_random_dictionaries(least: int, size: int, words: list[str]) -> None:
    text = (
        f"tokenizer: {{kind: word, min_count: {least}, unknown: <unk>}}\nvocabulary_size: {size}\n"
        f"corpus: {' '.join(words)}\nsentence: a b c\nembeddings: one_hot\n"
    )
    trace, expected = trace_of(text), oracle.work(read(text))
    assert set(expected) == {name for name in trace if not trace[name].given}
    for name, values in expected.items():
        same(name, trace[name].values, values)
    tokens = trace.scenario.text.tokenizing
    assert tokens is not None
    assert len(tokens.tokenizer.vocabulary) <= size


def test_one_sentence_in_four_ways() -> None:
    trace = trace_of(SHIPPED["tokenizers"])
    found = {name: other.scenario.text.tokens for name, other in trace.variants.items()}
    assert trace.scenario.text.tokens[:4] == ("This", "is", "a", "sentence.")
    assert found["word"][5:9] == ("I", "love", "pizza", "!")
    assert "".join(found["character"]) == "This is a sentence. I love pizza! Hello unhappiness"
    assert found["subword"][-4:] == ("Hello", "un", "happi", "ness")
    page = page_of(trace)
    assert "whitespace  This|is|a|sentence.|I|love|pizza!|Hello|unhappiness (9 tokens)" in page
    assert re.search(r"\nsubword +This\|is\|.*\|Hello\|un\|happi\|ness \(13 tokens\)\n", page)
    assert re.findall(r"\((\d+) tokens\)", page) == ["9", "11", "51", "13"]


def test_progress_is_told() -> None:
    pairs: list[tuple[int, int]] = []
    settings = {"tokenizer": "bpe", "corpus": "abc abd", "vocabulary_size": 6, "sentence": "abc"}
    load(settings, progress=lambda done, count: pairs.append((done, count)))
    assert pairs[-1] == (2, 2)
    assert [done for done, _ in pairs] == sorted(done for done, _ in pairs)


def test_one_hot_needs_tokens() -> None:
    with pytest.raises(ScenarioError, match="1:13: one_hot, and no tokens to tell apart"):
        trace_of("embeddings: one_hot\n")


def test_an_encoder_with_a_cell_beside_a_dictionary() -> None:
    """The counts of a corpus belong to the main stack, whatever layers the encoder has."""
    cell = "{sentence: x, embeddings: one_hot, cell: rnn, W_ax: [[1]], W_aa: [[1]]}"
    trace = trace_of(
        f"corpus: a b a\nsentence: a\nembeddings: one_hot\nencoder: {cell}\nblock: decoder\n"
    )
    assert trace["word_counts"].rows.names == ("a", "b")
    assert trace["encoder.states"].rows.names == ("x",)
