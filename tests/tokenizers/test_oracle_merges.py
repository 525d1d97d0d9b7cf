"""The oracle's tokenizers by hand, against the `tokenizers` package, and on the way to attention."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.helpers.plain import read
from tests.oracle.merges import LearnedMerges, learned
from tests.oracle.stack import worked
from tests.oracle.text import columns, identities, tokens

HUGS = "corpus: {hug: 10, pug: 5, pun: 12, bun: 4, hugs: 5}\nvocabulary_size: 100\n"
SEEDS = range(50)


def learn(text: str) -> LearnedMerges:
    known = learned(read(text))
    assert known is not None
    return known


def merges(text: str) -> list[str]:
    return [" ".join(m.chosen) for m in learn(text).rounds]


def numbers(text: str, name: str) -> list[str]:
    return [str(number) for number in oracle.work(read(text))[name].flat]


def cut(text: str, sentence: str) -> list[str]:
    return tokens({**read(text), "sentence": sentence})


def told(text: str) -> list[str]:
    return [name for name in oracle.work(read(text)) if name.endswith("counts")]


def test_bpe_by_hand() -> None:
    text = f"tokenizer: bpe\n{HUGS}rounding: {{decimals: 0}}\n"
    first, second, *_ = learn(text).rounds
    pairs = {"ug": 20, "pu": 17, "un": 16, "hu": 15, "gs": 5, "bu": 4}
    assert {left + right: count for (left, right), count in first.pairs.items()} == pairs
    assert second.pairs[("h", "ug")] == 15
    assert numbers(text, "rounds[1].counts") == ["20", "17", "16", "15", "5", "4"]
    assert merges(text) == ["u g", "u n", "h ug", "p un", "p ug", "hug s", "b un"]
    vocabulary = "b g h n p s u ug un hug pun pug hugs bun"
    assert " ".join(learn(text).vocabulary) == vocabulary
    assert cut(text, "bug mug  pugs") == ["b", "ug", "m", "ug", "pug", "s"]
    assert merges(text.replace("100", "8")) == ["u g"]
    assert merges(text.replace("100", "7")) == []
    assert set(oracle.work(read(text))) == {f"rounds[{k}].counts" for k in range(1, 8)}


def test_wordpiece_by_hand() -> None:
    text = f"tokenizer: wordpiece\n{HUGS}"
    first = learn(text).rounds[0]
    assert first.chosen == ("##g", "##s")
    # 1/36 all of them: by count
    others = [("##u", "##g"), ("p", "##u"), ("##u", "##n"), ("h", "##u"), ("b", "##u")]
    assert list(first.pairs)[1:] == others
    assert list(first.symbols.items())[:3] == [("##g", 20), ("##s", 5), ("##u", 36)]
    assert numbers(text, "rounds[1].counts") == [f"{n}.000" for n in (5, 20, 17, 16, 15, 4)]
    symbols = [f"{n}.000" for n in (20, 5, 36, 17, 16, 15, 4)]
    assert numbers(text, "rounds[1].symbols") == symbols
    assert numbers(text, "rounds[1].scores") == ["0.050", *["0.028"] * 5]
    assert merges(text)[:3] == ["##g ##s", "p ##u", "h ##u"]
    vocabulary = "[UNK] b g h n p s u ##g ##n ##s ##u ##gs pu hu bu hugs hug bun pun pug"
    assert " ".join(learn(text).vocabulary) == vocabulary
    assert cut(text, "hugs bug mug pugs hub") == [
        "hugs",
        "bu",
        "##g",
        "[UNK]",
        "pug",
        "##s",
        "[UNK]",
    ]
    assert cut(text, "h" + "u" * 99)[:2] == ["hu", "##u"]
    assert cut(text, "h" + "u" * 100) == ["[UNK]"]


def test_wordpiece_by_count() -> None:
    text = f"tokenizer: {{kind: wordpiece, score: count, special: ['[CLS]', '[UNK]']}}\n{HUGS}"
    assert merges(text)[:3] == ["##u ##g", "##u ##n", "h ##ug"]
    assert list(learn(text).vocabulary)[:3] == ["[CLS]", "[UNK]", "b"]
    assert "rounds[1].scores" not in oracle.work(read(text))


def test_ends_of_words() -> None:
    """The words of Sennrich et al., 2015, algorithm 1."""
    text = (
        "tokenizer: {kind: bpe, marks: </w>, unknown: <unk>, special: [<s>]}\n"
        "corpus: [low low low low low, lower lower, newest newest newest newest newest newest,\n"
        "  widest widest widest]\nvocabulary_size: 22\n"
    )
    start = "<unk> <s> d e i l n o r s t w r</w> t</w> w</w>"
    added = "es est</w> lo ew new newest</w> low</w>"
    assert " ".join(learn(text).vocabulary) == f"{start} {added}"
    assert merges(text)[:5] == ["e s", "es t</w>", "l o", "e w", "n ew"]
    assert cut(text, "low lowest x") == ["low</w>", "lo", "w", "est</w>", "<unk>"]


def test_pieces_inside_words() -> None:
    text = f"tokenizer: {{kind: bpe, marks: '##'}}\n{HUGS}"
    assert merges(text)[:3] == ["##u ##g", "##u ##n", "h ##ug"]
    assert cut(text, "bug pugs gum") == ["b", "##ug", "pug", "##s", "g", "##u", "##m"]


def test_equal_pairs_go_by_their_symbols() -> None:
    text = "tokenizer: bpe\ncorpus: zy ba bc ay\nvocabulary_size: 99\n"
    assert merges(text) == ["a y", "b a", "b c", "z y"]
    likely = "tokenizer: wordpiece\ncorpus: {zy: 2, ba: 1, bc: 1, ay: 1}\nvocabulary_size: 99\n"
    scores = {
        "zy": Fraction(2, 6),
        "ba": Fraction(1, 2),
        "bc": Fraction(1, 2),
        "ay": Fraction(1, 3),
    }
    assert sorted(scores, key=lambda word: -scores[word]) == ["ba", "bc", "zy", "ay"]
    assert merges(likely) == ["b ##a", "b ##c", "z ##y", "a ##y"]


def test_overlaps_are_merged_from_the_left() -> None:
    text = "tokenizer: bpe\ncorpus: aaaaa\nvocabulary_size: 2\n"
    assert learn(text).rounds[0].pairs == {("a", "a"): 4}
    assert cut(text, "aaaaa aa a") == ["aa", "aa", "a", "aa", "a"]


def test_rare_pairs_are_left() -> None:
    assert merges(f"tokenizer: {{kind: bpe, min_count: 6}}\n{HUGS}") == [
        "u g",
        "u n",
        "h ug",
        "p un",
    ]
    likely = learn(f"tokenizer: {{kind: wordpiece, min_count: 5}}\n{HUGS}").rounds
    assert likely[0].chosen == ("##g", "##s")
    assert min(count for m in likely for count in m.pairs.values()) == 5


def test_all_rounds_are_worked() -> None:
    text = "tokenizer: bpe\ncorpus: abcdefghijklm\nvocabulary_size: {}\n"
    assert told(text.format(25)) == [f"rounds[{k}].counts" for k in range(1, 13)]
    long = text.replace("lm", "lmnopqrstu")
    assert told(long.format(38)) == [f"rounds[{k}].counts" for k in range(1, 18)]
    assert len(oracle.work(read(long.format(38)))["rounds[1].counts"]) == 20


def test_rounding() -> None:
    text = f"tokenizer: wordpiece\n{HUGS}rounding: "
    assert numbers(f"{text}{{steps: {{learn: 5, scores: 1}}}}", "rounds[1].scores")[1] == "0.02778"
    assert numbers(f"{text}{{quantities: {{counts: 1}}}}", "rounds[2].counts")[0] == "17.0"
    full = f"{text}{{quantities: {{'rounds[2].scores': 5}}}}"
    assert numbers(full, "rounds[2].scores")[0] == "0.02778"
    assert numbers(full, "rounds[1].scores")[1] == "0.028"
    exact = oracle.work(read(f"{text}{{policy: exact}}"))["rounds[1].scores"]
    np.testing.assert_array_equal(exact[:2], [[5 / 100], [20 / 720]])
    start = {"rounds[1].counts": [[n] for n in (10, 20, 17, 16, 15, 4)]}
    book = worked(read(f"{text}{{decimals: 3}}"), Path(), start)
    assert str(book.pages["rounds[1].scores"][0, 0]) == "0.100"


def random_text(rng: Random, letters: str) -> str:
    words = ["".join(rng.choices(letters, k=rng.randint(1, 7))) for _ in range(rng.randint(2, 14))]
    return " ".join(rng.choices(words, k=rng.randint(2, 50)))


def drawn(seed: int, **said: Any) -> tuple[dict[str, Any], str]:
    """A scenario with a random corpus, and a sentence of its letters."""
    rng = Random(seed)
    letters = "abcdefgh"[: rng.randint(2, 8)]
    texts = [random_text(rng, letters) for _ in range(rng.randint(1, 3))]
    data = {"tokenizer": said, "corpus": texts, "vocabulary_size": str(rng.randint(5, 60))}
    return data, random_text(rng, letters)


def package(model: Any) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return made


def both(data: dict[str, Any]) -> tuple[LearnedMerges, Any]:
    known = learned(data)
    assert known is not None
    return known, pytest.importorskip("tokenizers")


@pytest.mark.parametrize("seed", SEEDS)
def test_bpe_is_that_of_the_package(seed: int) -> None:
    min_count = seed % 3 + 1
    data, sentence = drawn(seed, kind="bpe", min_count=str(min_count), unknown="?")
    known, tokenizers = both(data)
    made = package(tokenizers.models.BPE(unk_token="?"))
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=int(data["vocabulary_size"]), min_frequency=min_count,
        special_tokens=["?"], show_progress=False,
    )  # fmt: skip
    made.train_from_iterator(data["corpus"], trainer)
    model = json.loads(made.to_str())["model"]
    assert [tuple(pair) for pair in model["merges"]] == [m.chosen for m in known.rounds]
    assert model["vocab"] == known.vocabulary
    assert made.encode(sentence).tokens == tokens({**data, "sentence": sentence})


@pytest.mark.parametrize("marks", ["</w>", "##"])
@pytest.mark.parametrize("seed", SEEDS)
def test_marked_bpe_encodes_as_the_package(seed: int, marks: str) -> None:
    data, sentence = drawn(seed, kind="bpe", marks=marks, unknown="?")
    known, tokenizers = both(data)
    mark = "end_of_word_suffix" if marks == "</w>" else "continuing_subword_prefix"
    pairs = [m.chosen for m in known.rounds]
    model = tokenizers.models.BPE(known.vocabulary, pairs, unk_token="?", **{mark: marks})
    assert package(model).encode(sentence).tokens == tokens({**data, "sentence": sentence})


@pytest.mark.parametrize("score", ["likelihood", "count"])
@pytest.mark.parametrize("seed", SEEDS)
def test_wordpiece_encodes_as_the_package(seed: int, score: str) -> None:
    data, sentence = drawn(seed, kind="wordpiece", score=score)
    known, tokenizers = both(data)
    model = tokenizers.models.WordPiece(known.vocabulary, unk_token="[UNK]")
    assert package(model).encode(sentence).tokens == tokens({**data, "sentence": sentence})


def test_on_to_one_hot() -> None:
    text = f"tokenizer: bpe\n{HUGS}sentence: hugs bug\nembeddings: one_hot\nprojection: none\n"
    data = read(text.replace("100", "9"))
    made = oracle.work({**data, "rounding": {"policy": "exact"}})
    ids = identities(data)
    assert tokens(data) == ["h", "ug", "s", "b", "ug"]
    assert [ids[token] for token in tokens(data)] == [2, 7, 5, 0, 7]
    np.testing.assert_array_equal(made["X"], np.eye(9)[[2, 7, 5, 0, 7]])
    e = np.exp(made["X"] @ made["X"].T / 3)
    np.testing.assert_allclose(made["output"], e / e.sum(axis=1, keepdims=True) @ made["X"])


def test_on_to_attention_and_the_next_token() -> None:
    text = (
        f"tokenizer: wordpiece\n{HUGS}sentence: hugs bug mug\nd_model: 2\n"
        "embeddings: {random: normal, seed: 3, std: 1}\nunembedding: tied\nprojection: none\n"
        "targets: [bu, '##g', '[UNK]', hug]\nrounding: {policy: exact}\n"
    )
    data = read(text)
    made = oracle.work(data)
    table = np.random.RandomState(3).normal(0, 1, (21, 2))
    np.testing.assert_array_equal(made["X"], table[[16, 15, 8, 0]])
    np.testing.assert_allclose(made["logits"], made["output"] @ table.T)
    picked = made["probabilities"][range(4), [15, 8, 0, 17]]
    np.testing.assert_allclose(made["loss"][:, 0], -np.log(picked))
    assert columns(data) == learn(text).vocabulary


def test_ids_of_the_scenario_come_first() -> None:
    given = {"h": "3", "ug": "0", "s": "1", "b": "2"}
    data = read(f"tokenizer: bpe\n{HUGS}sentence: hug\nembeddings: one_hot\n")
    assert identities({**data, "vocabulary": given}) == {"ug": 0, "s": 1, "b": 2, "h": 3}
    assert identities({**data, "embeddings": {"h": ["1"], "ug": ["2"]}}) == {"h": 0, "ug": 1}


def test_an_encoder_learns_on_its_own() -> None:
    ending = "block: attention\nprojection: none\n"
    outer = f"sentence: a b\nembeddings: {{a: [1, 0], b: [0, 1]}}\n{ending}"
    table = "d_model: 2\nembeddings: {random: uniform, seed: 1, low: 0, high: 1}\n"
    encoder = read(f"tokenizer: bpe\n{HUGS}sentence: bug\n{table}{ending}")
    made = oracle.work({**read(outer), "encoder": encoder, "rounding": {"policy": "exact"}})
    rows = np.random.RandomState(1).uniform(0, 1, (14, 2))[[0, 7]]
    np.testing.assert_array_equal(made["encoder.X"], rows)
    texts = [name for name in made if "rounds" in name]
    assert texts == [f"encoder.rounds[{k}].counts" for k in range(1, 8)]


def test_an_encoder_takes_the_learned_ids_with_the_table() -> None:
    text = f"tokenizer: bpe\n{HUGS}sentence: hug\nembeddings: one_hot\nblock: attention\nprojection: none\n"
    made = oracle.work(
        {**read(text), "encoder": {"sentence": "bun p", "block": "attention", "projection": "none"}}
    )
    np.testing.assert_array_equal(made["encoder.X"].astype(float), np.eye(14)[[13, 4]])
