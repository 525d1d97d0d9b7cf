"""Tokenizers that are learned: examples by hand, and what holds of any text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.tokenizing.corpus import Corpus, CountedWord, count_words
from attncli.tokenizing.cutting import (
    BYTE_ALPHABET,
    Bytes,
    Cutting,
    Metaspace,
    PunctuationCutting,
    WhiteSpace,
)
from attncli.tokenizing.dictionary import make_dictionary
from attncli.tokenizing.learning import Settings, learn
from attncli.tokenizing.lesson import Lesson, teach
from attncli.tokenizing.longest import LongestMatch, Tried
from attncli.tokenizing.merging import Merges, check_merges, vocabulary_of
from attncli.tokenizing.pieces import BYTE_TOKENS, Affixes, numbered
from attncli.tokenizing.rounds import Names, Score
from attncli.tokenizing.tokenizer import WordTokenizer
from attncli.tokenizing.training import Training, digamma, train
from attncli.tokenizing.unigram import Unigram

HUGS = count_words({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, WhiteSpace().cut)
ANY_TEXT = st.text(st.characters(), max_size=60)  # lone surrogates too
SMALL = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 9), max_size=8)
AFFIXES = st.sampled_from([Affixes(), Affixes(suffix="</w>"), Affixes(prefix="##")])


def tokens(model: Merges | LongestMatch | Unigram, word: str) -> list[str]:
    return [piece.token for piece in model.pieces(word)]


def test_bpe_of_the_hugs() -> None:
    learned = learn(HUGS, Settings(merges=3))
    assert learned.alphabet == ("b", "g", "h", "n", "p", "s", "u")
    assert learned.merges == (("u", "g"), ("u", "n"), ("h", "ug"))
    assert [one.count for one in learned.rounds] == [20, 16, 15]
    assert learned.final == (("hug",), ("p", "ug"), ("p", "un"), ("b", "un"), ("hug", "s"))
    snapshot = learned.rounds[0].snapshot
    assert snapshot is not None
    first = snapshot.pairs[0]
    assert first.words == ((0, 1), (1, 1), (4, 1))
    assert sum(times * HUGS[index].count for index, times in first.words) == first.count == 20
    model = Merges(learned.vocabulary, learned.merges, unknown="<unk>")
    assert tokens(model, "bug") == ["b", "ug"]
    assert tokens(model, "mug") == ["<unk>", "ug"]
    trace = model.trace("hugs")
    assert trace.start == ("h", "u", "g", "s")
    assert [(one.rank, one.place, one.symbols) for one in trace.steps] == [
        (0, 1, ("h", "ug", "s")),
        (2, 0, ("hug", "s")),
    ]


def test_ties_go_to_the_smaller_ids() -> None:
    learned = learn(
        (CountedWord("ba", 2), CountedWord("ab", 2), CountedWord("cb", 1)), Settings(merges=1)
    )
    assert learned.rounds[0].pair == ("a", "b")
    assert learned.rounds[0].tied == (("b", "a"),)
    assert learned.rounds[0].ties == 1


def test_wordpiece_of_the_hugs() -> None:
    plan = Settings(merges=2, affixes=Affixes("##"), score="likelihood")
    learned = learn(HUGS, plan)
    assert learned.alphabet == (*"bghnpsu", "##g", "##n", "##s", "##u")
    first, second = learned.rounds
    assert (first.pair, first.count, first.left, first.right) == (("##g", "##s"), 5, 20, 5)
    assert first.score == Fraction(1, 20)
    # h + ##u, p + ##u and b + ##u are all 1/36, and p + ##u occurs most
    assert (second.pair, second.score) == (("p", "##u"), Fraction(17, 17 * 36))
    assert second.tied[:3] == (("##u", "##n"), ("h", "##u"), ("##u", "##g"))
    assert second.ties == len(second.tied) == 5


def test_the_longest_piece_first() -> None:
    model = LongestMatch(numbered(["[UNK]", "un", "##happi", "##ness", "##h", "Yass", "##ine"]))
    assert tokens(model, "unhappiness") == ["un", "##happi", "##ness"]
    assert tokens(model, "Yassine") == ["Yass", "##ine"]
    assert tokens(model, "unhappy") == ["[UNK]"]
    assert model.trace("unh") == (
        Tried(0, "unh", False),
        Tried(0, "un", True),
        Tried(2, "##h", True),
    )
    assert [one.found for one in model.trace("unx")] == [False, True, False]
    assert (
        WordTokenizer(PunctuationCutting(Affixes("##")), model).decode(model.pieces("Yassine"))
        == "Yassine"
    )


def test_given_merges() -> None:
    pairs = ["h a", "p p", "pp i", "ha ppi", "u n", "n e", "s s", "ne ss"]
    merges = tuple((left, right) for left, right in map(str.split, pairs))
    model = Merges(vocabulary_of(merges), merges)
    assert check_merges(merges) == []
    assert tokens(model, "unhappiness") == ["un", "happi", "ness"]
    wrong = check_merges([("a", "b"), ("abc", "d"), ("a",), ("a", "b"), ("ab", "")])
    assert [problem.index for problem in wrong] == [1, 2, 3, 4]
    assert "abc" in wrong[0].what
    assert check_merges([("a</w>", "b")], Affixes(suffix="</w>"))
    assert check_merges([("a", "b")], Affixes("##"))


def test_unigram_by_hand() -> None:
    scored = (("<unk>", 0.0), ("h", -3.0), ("u", -2.0), ("g", -3.0), ("hu", -4.0), ("ug", -3.5))
    model = Unigram(scored, "<unk>")
    table = model.table("hug")
    assert [[one.token for one in place.candidates] for place in table] == [
        ["h"],
        ["hu", "u"],
        ["ug", "g"],
    ]
    assert table[2].best.start == 1
    assert table[2].best.total == -6.5
    pieces = model.pieces("hugxx")
    assert [(piece.token, piece.surface) for piece in pieces] == [
        ("h", "h"),
        ("ug", "ug"),
        ("<unk>", "xx"),
    ]


def naive_losses(words: tuple[CountedWord, ...], counts: Mapping[str, float]) -> dict[str, float]:
    """The loss of a vocabulary with the scores of `counts`, and without each longer piece."""
    total = sum(counts.values())

    def loss(known: set[str]) -> float:
        whole = 0.0
        for word in words:
            best = [0.0]
            for end in range(1, len(word.text) + 1):
                starts = [i for i in range(end) if word.text[i:end] in known]
                best.append(
                    max(best[i] + math.log(counts[word.text[i:end]] / total) for i in starts)
                )
            whole -= word.count * best[-1]
        return whole

    known = set(counts)
    without = {token: loss(known - {token}) for token in known if len(token) > 1}
    return {"": loss(known), **without}


def test_the_lesson_of_the_hugs() -> None:
    taught = teach(HUGS, Lesson(14, whole=False))
    first = taught.rounds[0]
    counts = {piece.token: piece.count for piece in first.pieces}
    # the counts of Hugging Face's course: 210 in all
    assert sum(counts.values()) == 210
    assert (counts["u"], counts["ug"], counts["hu"], counts["hug"]) == (36, 20, 15, 15)
    assert first.cuts[1].score == pytest.approx(math.log(5 / 210 * 17 / 210 * 210 / 5 * 20 / 210))
    expected = naive_losses(HUGS, counts)
    for removal in first.removals:
        increase = expected[removal.token] - expected[""]
        assert removal.increase == pytest.approx(increase, abs=1e-8)
    assert len(taught.model.vocabulary) == 14


@pytest.mark.slow
@given(SMALL, st.integers(8, 12))
@settings(max_examples=60, deadline=None)
def test_lessons_lose_what_costs_least(given_: dict[str, int], size: int) -> None:
    words = count_words(given_, WhiteSpace().cut)
    taught = teach(words, Lesson(size, share=Fraction(3, 10)))
    for one in taught.rounds:
        expected = naive_losses(words, {piece.token: piece.count for piece in one.pieces})
        for removal in one.removals:
            increase = expected[removal.token] - expected[""]
            assert removal.increase == pytest.approx(increase, abs=1e-8)
        gone = [removal.increase for removal in one.removals if removal.pruned]
        kept = [removal.increase for removal in one.removals if not removal.pruned]
        assert not gone or not kept or max(gone) <= min(kept) + 1e-9
    assert len(taught.model.vocabulary) <= max(
        size, 1 + len({one for text in given_ for one in text})
    )


def naive_best(
    words: tuple[CountedWord, ...], cut: list[list[str]], ids: dict[str, int], score: Score
) -> Names | None:
    pairs, single = Counter[Names](), Counter[str]()
    for word, symbols in zip(words, cut, strict=True):
        for pair in pairwise(symbols):
            pairs[pair] += word.count
        for symbol in symbols:
            single[symbol] += word.count

    def order(pair: Names) -> tuple[Fraction, int, int, int]:
        likely = Fraction(pairs[pair], single[pair[0]] * single[pair[1]])
        by = Fraction(0) if score == "count" else -likely
        return by, -pairs[pair], ids[pair[0]], ids[pair[1]]

    return min(pairs, key=order, default=None)


def naive_merges(words: tuple[CountedWord, ...], plan: Settings) -> list[Names]:
    """Merges with all counted anew in each round."""
    affixes, cut = plan.affixes, [plan.affixes.symbols(word.text) for word in words]
    bare = sorted({one for word in words for one in word.text})
    marked = sorted({one for word in cut for one in word}, key=lambda one: (len(one) > 1, one))
    ids, merges = numbered([*bare, *marked]), list[Names]()
    while len(merges) < (plan.merges or 0) and (best := naive_best(words, cut, ids, plan.score)):
        merges.append(best)
        ids.setdefault(affixes.merged(*best), len(ids))
        for symbols in cut:
            place = 0
            while place < len(symbols) - 1:
                if (symbols[place], symbols[place + 1]) == best:
                    symbols[place : place + 2] = [affixes.merged(*best)]
                place += 1
    return merges


@given(SMALL, AFFIXES, st.sampled_from(["count", "likelihood"]))
@settings(max_examples=150, deadline=None)
def test_counts_kept_right_are_counts_made_anew(
    given_: dict[str, int], affixes: Affixes, score: Score
) -> None:
    words = count_words(given_, WhiteSpace().cut)
    plan = Settings(merges=30, affixes=affixes, score=score)
    learned = learn(words, plan, keep=lambda _: True)
    assert list(learned.merges) == naive_merges(words, plan)
    for one in learned.rounds:
        snapshot = one.snapshot
        assert snapshot is not None
        first = snapshot.pairs[0]
        assert (first.pair, first.count, first.left, first.right) == (
            one.pair,
            one.count,
            one.left,
            one.right,
        )
        for pair in snapshot.pairs:
            assert pair.count == sum(words[index].count * times for index, times in pair.words)
            for index, times in pair.words:
                assert times == Counter(pairwise(snapshot.words[index]))[pair.pair]


def test_few_snapshots_of_many_rounds() -> None:
    words = count_words(
        "the quick brown foxes jumped over lazier dogs than themselves", WhiteSpace().cut
    )
    for many in (Settings(merges=25), Settings(merges=1000)):
        learned = learn(words, many)
        kept = [one.number for one in learned.rounds if one.snapshot]
        assert kept == [1, 2, 3, len(learned.rounds)]
        last = learned.rounds[-1].snapshot
        assert last is not None
        assert last.pairs[0].pair == learned.rounds[-1].pair
    assert learned.stopped == "pairs"
    assert all(one.snapshot for one in learn(words, Settings(merges=12)).rounds)


def test_progress_and_stops() -> None:
    told: list[tuple[int, int]] = []
    learned = learn(HUGS, Settings(merges=3), progress=lambda *done: told.append(done))
    assert told[-1] == (3, 3)
    assert learned.stopped == "merges"
    assert learn(HUGS, Settings(size=9)).stopped == "size"
    assert learn(HUGS, Settings(merges=99, min_count=16)).stopped == "min_count"


def test_what_can_not_be_learned() -> None:
    with pytest.raises(ValueError, match=r"no room for the 7 .*; 7 or more"):
        learn(HUGS, Settings(size=6))
    with pytest.raises(ValueError, match="one of them"):
        learn(HUGS, Settings())
    with pytest.raises(ValueError, match="; 8 or more"):
        train(HUGS, Training(7))
    with pytest.raises(ValueError, match="; 8 or more"):
        teach(HUGS, Lesson(7))
    with pytest.raises(ValueError, match="a whole number of 1 or more"):
        count_words({"a": 0}, WhiteSpace().cut)


def test_empty_corpora() -> None:
    nothing: list[Corpus] = ["", [], {}, "  "]
    for corpus in nothing:
        words = count_words(corpus, WhiteSpace().cut)
        assert words == ()
        assert learn(words, Settings(merges=5)).rounds == ()
        assert learn(words, Settings(merges=5, score="likelihood")).vocabulary == {}
        assert train(words, Training(5)).model.vocabulary == {"<unk>": 0}
        assert teach(words, Lesson(5)).model.vocabulary == {"<unk>": 0}
        assert make_dictionary(words).kept == ()


def test_a_dictionary() -> None:
    words = count_words("a b a c a b c d", WhiteSpace().cut)
    made = make_dictionary(words, most=2, special=("<pad>",), unknown="<unk>")
    assert made.model.vocabulary == {"<unk>": 0, "<pad>": 1, "a": 2, "b": 3}
    assert made.tied == (CountedWord("b", 2), CountedWord("c", 2))
    assert made.dropped == (CountedWord("c", 2), CountedWord("d", 1))
    assert made.model.pieces("d")[0].token == "<unk>"
    assert make_dictionary(words, min_count=2).dropped == (CountedWord("d", 1),)


BYTES = Merges(
    numbered([*BYTE_ALPHABET, "th", "the", "Ġthe"]), (("t", "h"), ("th", "e"), ("Ġ", "the"))
)
FALLBACK = Merges(numbered([*BYTE_TOKENS, "▁", "a", "▁a"]), (("▁", "a"),), byte_fallback=True)
PIECES = Unigram(
    (*((one, -9.0) for one in BYTE_TOKENS), ("▁a", -1.0), ("a", -2.0)), byte_fallback=True
)


@pytest.mark.parametrize(
    ("cutting", "model"),
    [
        (Bytes(), BYTES),
        (Bytes(prefix=True), BYTES),
        (Metaspace(), FALLBACK),
        (Metaspace(), PIECES),
        (Metaspace("never", whole=True), PIECES),
    ],
)
@given(text=ANY_TEXT)
@settings(max_examples=100, deadline=None)
def test_texts_come_back_whole(cutting: Cutting, model: Merges | Unigram, text: str) -> None:
    tokenizer = WordTokenizer(cutting, model)
    text = text.replace("▁", "_") if isinstance(cutting, Metaspace) else text
    pieces = tokenizer.encode(text)
    assert tokenizer.decode(pieces) == text
    assert all(piece.id is not None for piece in pieces if isinstance(cutting, Bytes))


@given(ANY_TEXT)
@settings(max_examples=60, deadline=None)
def test_any_text_is_learned_from(text: str) -> None:
    cutting = Metaspace()
    words = count_words(text.replace("▁", ""), cutting.cut)
    merged = learn(words, Settings(merges=20))
    taught = train(words, Training(200)).model
    for model in (Merges(merged.vocabulary, merged.merges), taught):
        tokenizer = WordTokenizer(cutting, model)
        pieces = tokenizer.encode(text.replace("▁", ""))
        assert tokenizer.decode(pieces) == text.replace("▁", "")
    for cut in (WhiteSpace(), PunctuationCutting(), Bytes(), Metaspace(nfkc=True)):
        WordTokenizer(cut, LongestMatch({"[UNK]": 0, "a": 1})).encode(text)


@pytest.mark.slow
def test_long_words() -> None:
    word = "abc" * 40_000
    learned = learn((CountedWord(word, 1),), Settings(merges=5))
    assert "".join(tokens(Merges(learned.vocabulary, learned.merges), word)) == word
    scored = tuple((one, -1.0) for one in ("a", "b", "c", "abc", "abcabc"))
    assert "".join(tokens(Unigram(scored), word)) == word
    pieces = LongestMatch(numbered(["abc", "##abc"]), most_characters=10**6).pieces(word)
    assert len(pieces) == 40_000


@given(st.floats(0.01, 1e6))
def test_digamma_is_the_slope_of_the_logarithm_of_gamma(x: float) -> None:
    assert digamma(x + 1) == pytest.approx(digamma(x) + 1 / x, abs=1e-8)
    assert digamma(1.0) == pytest.approx(-0.5772156649015329, abs=1e-9)
