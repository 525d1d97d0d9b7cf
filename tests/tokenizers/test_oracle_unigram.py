"""The oracle's Unigram tokenizers by hand, against the `tokenizers` package, against our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from math import log, prod
from random import Random
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from tests import oracle
from tests.conftest import sampled
from tests.helpers.plain import read
from tests.oracle.lesson import LearnedPieces
from tests.oracle.text import identities, tokens, vocabulary
from tests.oracle.unigram import unigram
from tests.oracle.viterbi import best_cut, split
from tests.tokenizers.test_oracle_merges import HUGS, random_text

COURSE = f"tokenizer: {{kind: unigram, whole: false}}\n{HUGS}"
EXACT = {"policy": "exact"}
AB = "tokenizer: unigram\npieces: {a: -1, b: -2.5, ab: -2.1, ba: -3.05}\n"


def learn(text: str) -> LearnedPieces:
    known = unigram(read(text))
    assert known is not None
    assert known.learned is not None
    return known.learned


def numbers(text: str, name: str) -> list[str]:
    return [str(number) for number in oracle.work(read(text))[name].flat]


def cut(text: str, sentence: str) -> list[str]:
    return tokens({**read(text), "sentence": sentence})


def numbered(names: oracle.Arrays, kind: str) -> list[int]:
    """The numbers of the rounds or the words that are told."""
    return [
        *dict.fromkeys(
            int(name.partition("[")[2].partition("]")[0]) for name in names if kind in name
        )
    ]


def test_the_course_by_hand() -> None:
    """Chapter 6 of the Hugging Face course: its counts, its loss, what `hug` is worth."""
    first = learn(COURSE.replace("100", "15")).rounds[0]
    characters = {"b": 4, "g": 20, "h": 15, "n": 16, "p": 17, "s": 5, "u": 36}
    longer = {"ug": 20, "pu": 17, "un": 16, "hug": 15, "hu": 15, "ugs": 5, "gs": 5, "bu": 4}
    assert [*first.pieces.items()] == [*characters.items(), *longer.items()]
    assert first.cuts == (("hug",), ("p", "ug"), ("p", "un"), ("b", "un"), ("h", "ugs"))
    assert first.anew == {
        "ug": {1: ("pu", "g")},
        "un": {2: ("pu", "n"), 3: ("bu", "n")},
        "hug": {0: ("h", "ug")},
        "ugs": {4: ("hu", "gs")},
    }
    made = oracle.work({**read(COURSE.replace("100", "15")), "rounding": EXACT})
    assert made["rounds[1].total"] == 210
    best = [log(15 / 210), log(17 * 20 / 210**2), log(17 * 16 / 210**2), log(4 * 16 / 210**2)]
    best.append(log(15 * 5 / 210**2))
    loss = -(10 * best[0] + 5 * best[1] + 12 * best[2] + 4 * best[3] + 5 * best[4])
    np.testing.assert_allclose(made["rounds[1].cut_scores"][:, 0], best)
    np.testing.assert_allclose(made["rounds[1].loss"], [[loss]])
    assert round(loss, 1) == 169.8
    hug = 10 * (best[0] - log(15 * 20 / 210**2))
    np.testing.assert_allclose(made["rounds[1].growth"][:, 0], [0, 0, hug, 0], atol=1e-12)
    assert round(hug, 1) == 23.5


def test_rounds_by_hand() -> None:
    """Of the pieces that nothing misses the rarest goes, of those the last."""
    known = learn(COURSE.replace("100", "12"))
    left = [" ".join(p.pieces)[14:] for p in known.rounds]
    assert left == [
        "ug pu un hug hu ugs gs bu",
        "ug pu un hug hu ugs gs",
        "ug pu un hug hu ugs",
        "ug pu un hug hu",
        "ug pu un hug",
    ]
    assert known.rounds[-1].cuts == ()
    # hu has as many as hug, and as little is missed
    text = COURSE.replace("100", "12")
    order = "<unk> u g ug p pu n un h hug s b"
    assert " ".join(vocabulary(read(text))) == order
    assert cut(text, "hugs bug  pun") == ["hug", "s", "b", "ug", "p", "un"]
    assert {*learn(COURSE.replace("100", "8")).scores} == set("bghnpsu")


def test_what_pieces_there_are() -> None:
    def pieces(*texts: str) -> set[str]:
        settings = ", ".join(["kind: unigram", *texts])
        return {*learn(f"tokenizer: {{{settings}}}\n{HUGS}").scores} - set("bghnpsu")

    every = {"hu", "ug", "hug", "pu", "pug", "un", "pun", "bu", "bun", "gs", "ugs", "hugs"}
    assert pieces() == pieces("min_count: 1") == every
    assert pieces("whole: false") == every - {"pug", "pun", "bun", "hugs"}
    assert pieces("longest: 2") == {"hu", "ug", "pu", "un", "bu", "gs"}
    assert pieces("min_count: 6") == {"hu", "ug", "hug", "pu", "un", "pun"}
    assert pieces("special: [ug, pug, '[S]']") == every - {"ug", "pug"}
    rare = learn("tokenizer: unigram\ncorpus: aaaa\nvocabulary_size: 9\n")
    assert rare.rounds[0].pieces == {"a": 4, "aa": 3, "aaa": 2}


def test_a_share_of_the_pieces_goes() -> None:
    def sizes(share: str, size: int) -> list[int]:
        text = f"tokenizer: {{kind: unigram, share: {share}}}\n{HUGS.replace('100', str(size))}"
        return [len(p.pieces) for p in learn(text).rounds]

    assert sizes("0.1", 18) == [19, 18, 17]
    assert sizes("0.5", 9) == [19, 13, 10, 9, 8]
    assert sizes("0.25", 13) == [19, 16, 14, 13, 12]
    assert sizes("1", 8) == [19, 7]
    assert sizes("0.5", 100) == [19]


def test_a_share_is_of_decimals() -> None:
    """0.29 × 100 = 29, which floats make 28.999…"""
    word = "".join(map(chr, range(0x4E00, 0x4E00 + 101)))
    text = "tokenizer: {kind: unigram, min_count: 1, longest: 2, share: 0.29}\n"
    first, second, *_ = learn(f"{text}corpus: {word}\nvocabulary_size: 162\n").rounds
    assert (len(first.pieces), len(second.pieces)) == (201, 172)


def test_texts_are_cut_into_words() -> None:
    assert split(" a  bc\n", "none") == ["a", "bc"]
    assert split("a  b", "▁") == ["▁a", "▁", "▁b"]
    assert split(" a\tb\n", "▁") == ["▁", "▁a\tb\n"]
    assert split("", "▁") == []
    text = "tokenizer: sentencepiece\ncorpus: {a b: 2, b: 3}\nvocabulary_size: 99\n"
    assert learn(text).words == (("▁a", 2), ("▁b", 5))
    assert learn(text.replace("sentencepiece", "unigram")).words == (("a", 2), ("b", 5))
    marked = text.replace("sentencepiece", "{kind: unigram, marks: ▁}")
    assert learn(marked).rounds == learn(text).rounds
    assert cut(text, " b  a ") == ["▁b", "▁a"]
    kept = text.replace("sentencepiece", "{kind: sentencepiece, extra_spaces: kept}")
    assert cut(kept, "b  a") == ["▁b", "▁", "▁a"]


def test_viterbi_by_hand() -> None:
    made = oracle.work(read(f"{AB}sentence: aba b aba\nrounding: {{decimals: 2}}\n"))
    totals = [["-1.00"], ["-2.10", "-3.50"], ["-4.05", "-3.10"]]
    best = ["-1.00", "-2.10", "-3.10"]
    for e in (1, 2, 3):
        assert [str(x) for x in made[f"words[1].totals[{e}]"].flat] == totals[e - 1]
        assert [str(x) for x in made[f"words[1].best[{e}]"].flat] == [best[e - 1]]
    assert [str(x) for x in made["words[1].totals"].flat] == [x for texts in totals for x in texts]
    assert [str(x) for x in made["words[1].best"].flat] == best
    assert [name for name in made if "[2]." in name] == ["words[2].totals[1]", "words[2].best[1]"]
    assert cut(AB, "aba b aba") == ["ab", "a", "b", "ab", "a"]


def test_equal_cuts() -> None:
    """The longest last piece wins, even if floats make another sum larger by their noise."""
    text = "tokenizer: unigram\nrounding: {policy: exact}\npieces: "
    assert cut(f"{text}{{a: -1.5, aa: -3}}\n", "aaa") == ["a", "aa"]
    assert -0.7 - 0.1 > -0.8
    assert cut(f"{text}{{a: -0.7, b: -0.1, ab: -0.8}}\n", "ab") == ["ab"]
    assert cut(f"{text}{{a: -0.7, b: -0.1, ab: -0.80001}}\n", "ab") == ["a", "b"]
    many = cut(f"{text}{{a: -1.3333333333, aa: -2.6666666666}}\n", "a" * 31)
    assert many == ["a", *["aa"] * 15]


@pytest.mark.parametrize("seed", range(20))
def test_the_same_products_of_counts_are_equal(seed: int) -> None:
    """p(bb) p(a) = p(b) p(ba) where fractions say so, whatever their logarithms are."""
    rng = Random(seed)
    words = {"".join(rng.choices("ab", k=rng.randint(1, 5))): str(rng.randint(1, 5)) for _ in "123"}
    by_name = {"kind": "unigram", "min_count": "1"}
    data = {"tokenizer": by_name, "corpus": words, "vocabulary_size": "5", "rounding": EXACT}
    known = unigram(data)
    assert known is not None
    assert known.learned is not None
    for pruning_round in known.learned.rounds[:-1]:
        for word, found in zip(words, pruning_round.cuts, strict=True):
            assert found == by_fractions(word, pruning_round.pieces)


def by_fractions(word: str, pieces: Mapping[str, int]) -> tuple[str, ...]:
    """The likeliest cut; of equal ones that of the longest pieces from the last one on."""
    total = sum(pieces.values())
    known = [c for c in all_cuts(word) if pieces.keys() >= {*c}]
    likely = {c: prod((Fraction(pieces[p], total) for p in c), start=Fraction(1)) for c in known}
    ties = [c for c in known if likely[c] == max(likely.values())]
    return max(ties, key=lambda c: [len(piece) for piece in reversed(c)])


def all_cuts(word: str) -> Iterator[tuple[str, ...]]:
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        yield from ((word[:end], *rest) for rest in all_cuts(word[end:]))


@pytest.mark.parametrize("seed", range(20))
def test_no_cut_is_better(seed: int) -> None:
    rng = Random(seed)
    pieces = {"".join(rng.choices("abc", k=rng.randint(2, 4))) for _ in range(12)} | set("abc")
    scores = {piece: Decimal(f"-{rng.uniform(1, 9):.4f}") for piece in sorted(pieces)}
    word = "".join(rng.choices("abc", k=rng.randint(1, 9)))
    known = [c for c in all_cuts(word) if pieces.issuperset(c)]
    sums = {c: sum(scores[piece] for piece in c) for c in known}
    found = best_cut(word, scores)
    assert sums[found] == max(sums.values())
    by_name = {"tokenizer": "unigram", "pieces": scores, "rounding": EXACT}
    assert tuple(tokens({**by_name, "sentence": word})) == found
    gone = found[-1]
    if len(gone) > 1:
        most = max(total for c, total in sums.items() if gone not in c)
        assert sums[best_cut(word, scores, without=gone)] == most


def test_unknown_characters() -> None:
    text = f"{AB}sentence: abxya\nrounding: {{decimals: 1}}\n"
    # min −3.05, with 10 less −13.05; then ab, x, y, a
    assert numbers(text, "words[1].unknown") == ["-13.1"]
    assert numbers(text, "words[1].totals") == ["-1.0", "-2.1", "-3.5", "-15.2", "-28.3", "-29.3"]
    assert tokens(read(text)) == ["ab", "<unk>", "a"]
    assert cut(AB, "xya x") == ["<unk>", "a", "<unk>"]
    bytes_ = text.replace("unigram", "{kind: unigram, byte_fallback: true}")
    assert tokens(read(bytes_)) == ["ab", "<0x78>", "<0x79>", "a"]
    assert cut(bytes_, "é") == ["<0xC3>", "<0xA9>"]
    assert [*vocabulary(read(bytes_))][:3] == ["<unk>", "<0x00>", "<0x01>"]
    assert [*vocabulary(read(bytes_))][255:] == ["<0xFE>", "<0xFF>", "a", "b", "ab", "ba"]


def test_a_piece_covers_what_no_character_does() -> None:
    text = "tokenizer: unigram\npieces: {a: -1, ax: -4}\nsentence: axx\n"
    assert numbers(text, "words[1].unknown") == ["-14.000"]
    assert numbers(text, "words[1].totals[2]") == ["-4.000", "-15.000"]
    assert tokens(read(text)) == ["ax", "<unk>"]
    assert cut(text, "ax") == ["ax"]


def test_special_tokens_are_in_no_word() -> None:
    line = "tokenizer: {kind: unigram, special: [<s>, ab, x], unknown: '?'}\n"
    text = f"{line}pieces: {{a: -1, b: -1, '?': -50, ab: -0.5, '<': -2, s: -2, '>': -2}}\n"
    assert " ".join(vocabulary(read(text))) == "<s> x a b ? ab < s >"
    assert cut(text, "ab <s> x?") == ["a", "b", "<", "s", ">", "?"]
    assert numbers(f"{text}sentence: '?'\n", "words[1].unknown") == ["-60.000"]
    learned = f"{line}corpus: [ab ab, <s>b ab]\nvocabulary_size: 99\n"
    assert " ".join(vocabulary(read(learned))).startswith("? <s> ab x b a ")
    assert cut(learned, "ab b") == ["a", "b", "b"]
    # its characters have to be pieces, or the corpus could not be cut
    entry = "tokenizer: {kind: unigram, special: [a]}\ncorpus: {ab: 3}\nvocabulary_size: 9\n"
    assert learn(entry).rounds[0].pieces == {"a": 3, "b": 3, "ab": 3}
    assert " ".join(vocabulary(read(entry))) == "<unk> a b ab"
    assert cut(entry, "a ab b") == ["<unk>", "ab", "b"]


def test_all_rounds_are_worked() -> None:
    def told(size: int) -> list[int]:
        return numbered(oracle.work(read(COURSE.replace("100", str(size)))), "log_p")

    assert told(13) == [1, 2, 3, 4]
    assert told(12) == [1, 2, 3, 4, 5]
    assert told(16) == [1]
    names = [*oracle.work(read(COURSE.replace("100", "15")))]
    told_of = ["counts", "total", "log_p", "cut_scores", "loss", "growth"]
    assert names == [f"rounds[{k}].{name}" for k, n in ((1, 6), (2, 3)) for name in told_of[:n]]
    # 91/183 · 91/183 of a b is more than 1/183
    text = "tokenizer: {kind: unigram, min_count: 1}\ncorpus: {a: 90, b: 90, ab: 1}\nvocabulary_size: 3\n"
    assert learn(text).rounds[0].cuts == (("a",), ("b",), ("a", "b"))
    assert "rounds[1].growth" not in oracle.work(read(text))


def test_some_words_are_told() -> None:
    def told(words: list[str]) -> list[int]:
        sentence = " ".join([*words, words[0]])
        return numbered(oracle.work({**read(AB), "sentence": sentence}), "words")

    words = ["a" * k for k in range(1, 15)]
    assert told(words[:12]) == [*range(1, 13)]
    assert told(words) == [1, 2, 3, 14]
    long = "a" * 41
    assert told(["b", long, *words[:11]]) == [1, *range(3, 14)]
    assert told([long[1:], long, *words, long + "b"]) == [1, 3, 4, 16]
    assert cut(AB, long) == ["a"] * 41
    assert numbered(oracle.work({**read(AB), "tokens": ["ab"], "sentence": "ab"}), "words") == []


def test_rounding() -> None:
    text = f"{COURSE.replace('100', '15')}sentence: hugs\n"
    p = numbers(f"{text}rounding: {{steps: {{estimate: 4}}}}", "rounds[1].log_p")
    assert p[:2] == ["-3.9608", "-2.3514"]  # ln 4/210, ln 20/210
    line = "rounding: {decimals: 1, quantities: {log_p: 2, growth: 0, totals: 3}}"
    assert numbers(text + line, "rounds[1].log_p")[:2] == ["-3.96", "-2.35"]
    scores = numbers(text + line, "rounds[1].cut_scores")
    assert scores == ["-2.6", "-4.9", "-5.1", "-6.5", "-6.4"]
    # 5 (−4.9 + 2.51 + 2.35), 12 (−5.1 + 2.51 + 2.57) + 4 (−6.5 + 3.96 + 2.57),
    # 10 (−2.6 + 2.64 + 2.35), 5 (−6.4 + 2.64 + 3.74)
    assert numbers(text + line, "rounds[1].growth") == ["0", "0", "24", "0"]
    assert numbers(text + line, "words[1].totals[1]") == ["-2.620"]
    assert numbers(text + line, "words[1].best[1]") == ["-2.6"]


def test_what_is_rounded_decides() -> None:
    text = "tokenizer: unigram\npieces: {a: -1.4, aa: -2.9}\nsentence: aa aa\nrounding: "
    assert tokens(read(f"{text}{{policy: exact}}")) == ["a", "a"] * 2
    assert tokens(read(f"{text}{{decimals: 0}}")) == ["a", "a"] * 2  # −1 − 1.4 = −2.4, so −2
    text = text.replace("-1.4", "-1.5")
    assert tokens(read(f"{text}{{decimals: 1}}")) == ["aa", "aa"]
    assert tokens(read(f"{text}{{decimals: 0}}")) == ["aa", "aa"]
    closer = text.replace("-2.9", "-3.2")
    assert tokens(read(f"{closer}{{decimals: 1}}")) == ["a", "a"] * 2
    # −2 − 1.5 = −3.5, so −4; and aa is −3
    assert tokens(read(f"{closer}{{decimals: 0}}")) == ["aa", "aa"]
    entry = f"{closer}{{decimals: 1, quantities: {{'words[1].best[1]': 0}}}}"
    assert tokens(read(entry)) == ["aa", "aa"]
    assert numbers(entry, "words[1].totals[2]") == ["-3.2", "-3.5"]


def test_rounded_log_probabilities_decide() -> None:
    """Of 25, bb c and b bc: ln 3/25 + ln 7/25 = −2.1 − 1.3, and ln 6/25 + ln 3/25 = −1.4 − 2.1."""
    line = "{kind: unigram, min_count: 1, whole: false}"
    text = f"tokenizer: {line}\ncorpus: {{bbc: 3, cca: 2}}\nvocabulary_size: 6\nrounding: "
    assert learn(f"{text}{{decimals: 1}}").rounds[0].cuts[0] == ("bb", "c")
    for name in ("log_p", "rounds[1].log_p"):  # −2 − 1 and −1 − 2
        known = learn(f"{text}{{quantities: {{'{name}': 0}}}}")
        assert known.rounds[0].cuts[0] == ("b", "bc")
    names = f"{text}{{quantities: {{'rounds[1].log_p': 0}}}}"
    assert numbers(names, "rounds[1].log_p")[2] == "-1"
    assert numbers(names, "rounds[1].cut_scores")[0] == "-3.000"
    assert "." in numbers(names, "rounds[2].log_p")[2]


def test_given_numbers_are_used_as_written() -> None:
    text = "tokenizer: unigram\npieces: {a: -1.23456}\nsentence: aa\nrounding: {decimals: 1}\n"
    assert next(iter(oracle.work(read(text)))) == "words[1].totals[1]"
    assert numbers(text, "words[1].totals") == ["-1.2", "-2.4"]
    fine = f"{text[:-2]}, quantities: {{totals: 4}}}}\n"
    assert numbers(fine, "words[1].totals") == ["-1.2346", "-2.4346"]  # −1.2 − 1.23456


def test_an_encoder_learns_on_its_own() -> None:
    ending = "block: attention\nprojection: none\nd_model: 2\n"
    table = "embeddings: {random: uniform, seed: 1, low: 0, high: 1}\n"
    text = f"{COURSE.replace('100', '15')}sentence: pug\n{table}{ending}"
    by_name = {"decimals": "3", "quantities": {"encoder.rounds[2].log_p": "0", "loss": "1"}}
    made = oracle.work({**read(text), "encoder": read(text), "rounding": by_name})
    inner = [name.removeprefix("encoder.") for name in made if name.startswith("encoder.rounds")]
    assert inner == [name for name in made if name.startswith("rounds")]
    assert str(made["encoder.rounds[2].log_p"][0, 0]) == "-4"
    assert str(made["rounds[2].log_p"][0, 0]) == "-3.942"
    assert str(made["encoder.rounds[1].loss"][0, 0]) == str(made["rounds[1].loss"][0, 0]) == "169.8"
    # outside −2.495 − 2.332 of p, ug; inside −2 − 2, as of pu, g
    assert len(made["encoder.X"]) == len(made["X"]) == 2


def test_on_to_one_hot() -> None:
    data = read(f"{AB}sentence: aba x\nembeddings: one_hot\nprojection: none\n")
    assert identities(data) == {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "ba": 4}
    made = oracle.work({**data, "rounding": EXACT})
    np.testing.assert_array_equal(made["X"], np.eye(5)[[3, 1, 0]])


def test_either_policy_is_of_the_same_cuts() -> None:
    """A question is about the pieces that its page shows."""
    data = read(f"{COURSE.replace('100', '10')}sentence: hugs pun\nrounding: {{decimals: 0}}\n")
    made = oracle.work(data)
    cells = [(name, i, 0) for name, rows in made.items() for i in range(len(rows))]
    found = oracle.intervals(data, cells)
    for name, i, _ in cells:
        assert found[name, i, 0].carry == made[name][i, 0]
    assert found["rounds[1].log_p", 0, 0].exact == -4
    exact = {**data, "rounding": {"decimals": "0", "policy": "exact"}}
    names = oracle.work(exact)
    cells = [(name, i, 0) for name, rows in names.items() for i in range(len(rows))]
    assert {*oracle.intervals(exact, cells)} == {*cells}


def test_what_is_left_out() -> None:
    with pytest.raises(NotImplementedError):
        unigram(read(f"tokenizer: {{kind: unigram, training: expected}}\n{HUGS}"))


def given_pieces(rng: Random, letters: str) -> dict[str, str]:
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(3, 25))]
    pieces = {"".join(rng.choices(letters, k=k)) for k in sizes}
    return {piece: repr(-rng.uniform(0.5, 12)) for piece in sorted(pieces)}


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_encodes_as_the_package(seed: int, byte_fallback: bool) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    rng = Random(seed)
    letters = "abcdé😀"[: rng.randint(2, 6)]
    pieces = given_pieces(rng, letters)
    entries: dict[str, Any] = {"kind": "unigram", "byte_fallback": str(byte_fallback).lower()}
    data: dict[str, Any] = {"tokenizer": entries, "pieces": pieces, "rounding": EXACT}
    data["sentence"] = random_text(rng, f"{letters}xy")
    if seed % 3 == 0:
        entries["special"] = ["<s>"]
        pieces["<s>"] = "-17.5"
    ids = vocabulary(data)
    scored = [(token, float(pieces.get(token, "0"))) for token in ids]
    model = tokenizers.models.Unigram(scored, unk_id=0, byte_fallback=byte_fallback)
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    assert made.encode(data["sentence"]).ids == [ids[token] for token in tokens(data)]


def settings(rng: Random) -> dict[str, Any]:
    """Some of what may be said of a tokenizer; a share that floats hold well."""
    every: dict[str, list[Any]] = {
        "min_count": ["1", "2", "4"],
        "longest": ["1", "3", "6"],
        "whole": ["true", "false"],
        "share": ["0.1", "0.25", "0.5", "1"],
        "special": [["<s>"], ["</s>", "<unk>"]],
        "unknown": ["?"],
        "byte_fallback": ["true"],
    }
    data = {key: rng.choice(values) for key, values in every.items() if rng.random() < 0.35}
    return {"kind": rng.choice(["unigram", "sentencepiece"]), **data}


def rounding(rng: Random) -> dict[str, Any]:
    steps = {step: str(rng.randint(0, 5)) for step in ("estimate", "prune", "viterbi")}
    some = {step: steps[step] for step in steps if rng.random() < 0.3}
    policy = rng.choice(["carry", "carry", "exact"])
    return {"policy": policy, "decimals": str(rng.randint(1, 4)), "steps": some}


def drawn(seed: int) -> dict[str, Any]:
    """A scenario with a random corpus, or with pieces, and a sentence of its letters and some."""
    rng = Random(seed)
    letters = "abcdefgh"[: rng.randint(2, 8)]
    entries = settings(rng)
    data: dict[str, Any] = {"tokenizer": entries, "rounding": rounding(rng)}
    if seed % 5 == 0:
        data["pieces"] = given_pieces(rng, f"{letters}▁")
        if entries["kind"] == "unigram":
            entries["marks"] = "none"  # the ▁ is a letter like the others
    else:
        texts = [random_text(rng, letters) for _ in range(rng.randint(1, 3))]
        counted = {text: str(rng.randint(1, 9)) for text in texts}
        front = 3 + (256 if "byte_fallback" in entries else 0)
        data["corpus"] = rng.choice([texts, counted])
        data["vocabulary_size"] = str(front + len(letters) + 1 + rng.randint(0, 40))
    data["sentence"] = random_text(rng, letters + rng.choice(["", "xé", "😀"]))
    return data


@sampled(5, seed=range(40))
def test_the_package_works_the_same(seed: int) -> None:
    data = drawn(seed)
    trace = work(load(data))
    made = {str(q.name): q.values for q in trace.quantities.values() if not q.given}
    expected = oracle.work(data)
    assert [*made] == [*expected]
    for name, values in expected.items():
        if isinstance(values.flat[0], Decimal):
            assert made[name].tolist() == values.astype(float).tolist(), name
        else:
            np.testing.assert_allclose(made[name], values, rtol=1e-12, atol=1e-13, err_msg=name)
    assert [*trace.scenario.text.tokens] == tokens(data)
    assert trace.scenario.text.known_ids == vocabulary(data)
