"""Tokenizers that are learned: examples by hand, and what holds of any text."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from attncli.tokenizers.merge_training import Criterion, MergeSettings, alphabet_of, learn_merges
from attncli.tokenizers.merges import MergeModel, check_merges, vocabulary_of
from attncli.tokenizers.pieces import (
    BYTE_TOKENS,
    Corpus,
    CountedWord,
    LongestMatch,
    Lookup,
    SubwordMarks,
    TokenPair,
    count_words,
    make_dictionary,
    numbered,
)
from attncli.tokenizers.splitting import (
    BYTE_ALPHABET,
    ByteLevel,
    Metaspace,
    PreTokenizer,
    WhiteSpace,
    WordTokenizer,
)
from attncli.tokenizers.unigram import Unigram, UnigramSettings
from attncli.tokenizers.unigram_by_counts import train_by_counts
from attncli.tokenizers.unigram_by_em import digamma, train_by_em
from tests.conftest import FEWER
from tests.helpers.pages import page_of, shipped_trace

HUGS = count_words({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, WhiteSpace().split)
ANY_TEXT = st.text(st.characters(), max_size=60)  # lone surrogates too
SMALL = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 9), max_size=8)
AFFIXES = st.sampled_from([SubwordMarks(), SubwordMarks(suffix="</w>"), SubwordMarks(prefix="##")])


def tokens(model: MergeModel | LongestMatch | Unigram, word: str) -> list[str]:
    return [piece.token for piece in model.pieces(word)]


def test_bpe_of_the_hugs() -> None:
    learned = learn_merges(HUGS, MergeSettings(merges=3))
    assert alphabet_of(HUGS, MergeSettings()) == ["b", "g", "h", "n", "p", "s", "u"]
    assert learned.merges == (("u", "g"), ("u", "n"), ("h", "ug"))
    assert [merge.count for merge in learned.rounds] == [20, 16, 15]
    snapshot = learned.rounds[0].snapshot
    assert snapshot is not None
    assert next(iter(snapshot.pairs.items())) == (("u", "g"), ((0, 1), (1, 1), (4, 1)))
    model = MergeModel(learned.vocabulary, learned.merges, unknown="<unk>")
    assert tokens(model, "bug") == ["b", "ug"]
    assert tokens(model, "mug") == ["<unk>", "ug"]
    assert [*model.trace("hugs")] == [
        (None, ("h", "u", "g", "s")),
        (("u", "g"), ("h", "ug", "s")),
        (("h", "ug"), ("hug", "s")),
    ]


def test_ties_go_to_the_smaller_ids() -> None:
    learned = learn_merges(
        (CountedWord("ba", 2), CountedWord("ab", 2), CountedWord("cb", 1)), MergeSettings(merges=1)
    )
    assert learned.rounds[0].pair == ("a", "b")
    assert learned.rounds[0].tied == (("b", "a"),)
    assert learned.rounds[0].ties == 1


def test_wordpiece_of_the_hugs() -> None:
    plan = MergeSettings(merges=2, marks=SubwordMarks("##"), score="likelihood")
    learned = learn_merges(HUGS, plan)
    assert alphabet_of(HUGS, plan) == [*"bghnpsu", "##g", "##n", "##s", "##u"]
    first, second = learned.rounds
    assert (first.pair, first.count) == (("##g", "##s"), 5)  # 5 / (20 · 5) is the largest score
    # h + ##u, p + ##u and b + ##u are all 1/36, and p + ##u occurs most
    assert (second.pair, second.count) == (("p", "##u"), 17)
    assert second.tied[:3] == (("##u", "##n"), ("h", "##u"), ("##u", "##g"))
    assert second.ties == len(second.tied) == 5


def test_the_longest_piece_first() -> None:
    model = LongestMatch(numbered(["[UNK]", "un", "##happi", "##ness", "##h", "Yass", "##ine"]))
    assert tokens(model, "unhappiness") == ["un", "##happi", "##ness"]
    assert tokens(model, "Yassine") == ["Yass", "##ine"]
    assert tokens(model, "unhappy") == ["[UNK]"]
    assert model.trace("unh") == (
        Lookup(0, 3, "unh", False),
        Lookup(0, 2, "un", True),
        Lookup(2, 3, "##h", True),
    )
    assert [lookup.found for lookup in model.trace("unx")] == [False, True, False]
    assert (
        WordTokenizer(WhiteSpace(SubwordMarks("##")), model).decode(model.pieces("Yassine"))
        == "Yassine"
    )


def test_given_merges() -> None:
    pairs = ["h a", "p p", "pp i", "ha ppi", "u n", "n e", "s s", "ne ss"]
    merges = tuple((left, right) for left, right in map(str.split, pairs))
    model = MergeModel(vocabulary_of(merges), merges)
    assert check_merges(merges) == {}
    assert tokens(model, "unhappiness") == ["un", "happi", "ness"]
    wrong = check_merges([("a", "b"), ("abc", "d"), ("a",), ("a", "b"), ("ab", "")])
    assert [*wrong] == [1, 2, 3, 4]
    assert "abc" in wrong[1]
    assert check_merges([("a</w>", "b")], SubwordMarks(suffix="</w>"))
    assert check_merges([("a", "b")], SubwordMarks("##"))


def test_unigram_by_hand() -> None:
    scored = (("<unk>", 0.0), ("h", -3.0), ("u", -2.0), ("g", -3.0), ("hu", -4.0), ("ug", -3.5))
    model = Unigram(scored, "<unk>")
    table = model.table("hug")
    assert [[e.token for e in place.candidates] for place in table] == [
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


def test_the_counts_of_the_hugs() -> None:
    trained = train_by_counts(HUGS, UnigramSettings(14, whole=False))
    first = trained.rounds[0]
    counts = {piece.token: piece.count for piece in first.pieces}
    # the counts of Hugging Face's course: 210 in all
    assert sum(counts.values()) == 210
    assert (counts["u"], counts["ug"], counts["hu"], counts["hug"]) == (36, 20, 15, 15)
    assert first.cuts[1].score == pytest.approx(math.log(5 / 210 * 17 / 210 * 210 / 5 * 20 / 210))
    expected = naive_losses(HUGS, counts)
    for removal in first.removals:
        increase = expected[removal.token] - expected[""]
        assert removal.increase == pytest.approx(increase, abs=1e-8)
    assert len(trained.model.vocabulary) == 14


@given(SMALL, st.integers(8, 12))
@settings(max_examples=8 * FEWER)
def test_counts_lose_what_costs_least(given_: dict[str, int], size: int) -> None:
    words = count_words(given_, WhiteSpace().split)
    trained = train_by_counts(words, UnigramSettings(size, share=Fraction(3, 10)))
    for count_round in trained.rounds:
        expected = naive_losses(words, {piece.token: piece.count for piece in count_round.pieces})
        for removal in count_round.removals:
            increase = expected[removal.token] - expected[""]
            assert removal.increase == pytest.approx(increase, abs=1e-8)
        gone = [removal.increase for removal in count_round.removals if removal.pruned]
        kept = [removal.increase for removal in count_round.removals if not removal.pruned]
        assert not gone or not kept or max(gone) <= min(kept) + 1e-9
    assert len(trained.model.vocabulary) <= max(
        size, 1 + len({entry for text in given_ for entry in text})
    )


def naive_best(
    words: tuple[CountedWord, ...], cut: list[list[str]], ids: dict[str, int], score: Criterion
) -> TokenPair | None:
    pairs, single = Counter[TokenPair](), Counter[str]()
    for word, symbols in zip(words, cut, strict=True):
        for pair in pairwise(symbols):
            pairs[pair] += word.count
        for symbol in symbols:
            single[symbol] += word.count

    def order(pair: TokenPair) -> tuple[Fraction, int, int, int]:
        likely = Fraction(pairs[pair], single[pair[0]] * single[pair[1]])
        by = Fraction(0) if score == "count" else -likely
        return by, -pairs[pair], ids[pair[0]], ids[pair[1]]

    return min(pairs, key=order, default=None)


def naive_merges(words: tuple[CountedWord, ...], plan: MergeSettings) -> list[TokenPair]:
    """MergeModel with all counted anew in each round."""
    marks, cut = plan.marks, [plan.marks.symbols(word.text) for word in words]
    bare = sorted({text for word in words for text in word.text})
    marked = sorted({text for word in cut for text in word}, key=lambda text: (len(text) > 1, text))
    ids, merges = numbered([*bare, *marked]), list[TokenPair]()
    while len(merges) < (plan.merges or 0) and (best := naive_best(words, cut, ids, plan.score)):
        merges.append(best)
        ids.setdefault(marks.merged(*best), len(ids))
        for symbols in cut:
            place = 0
            while place < len(symbols) - 1:
                if (symbols[place], symbols[place + 1]) == best:
                    symbols[place : place + 2] = [marks.merged(*best)]
                place += 1
    return merges


@given(SMALL, AFFIXES, st.sampled_from(["count", "likelihood"]))
@settings(max_examples=8 * FEWER)
def test_counts_kept_right_are_counts_made_anew(
    given_: dict[str, int], marks: SubwordMarks, score: Criterion
) -> None:
    words = count_words(given_, WhiteSpace().split)
    plan = MergeSettings(merges=30, marks=marks, score=score)
    learned = learn_merges(words, plan)
    assert list(learned.merges) == naive_merges(words, plan)
    for merge in learned.rounds:
        snapshot = merge.snapshot
        if snapshot is None:
            assert len(learned.rounds) > 16
            continue
        assert [*snapshot.pairs][: 1 + len(merge.tied)] == [merge.pair, *merge.tied]
        assert merge.count == sum(words[k].count * times for k, times in snapshot.pairs[merge.pair])
        for pair, where in snapshot.pairs.items():
            held = [Counter(pairwise(word))[pair] for word in snapshot.words]
            assert where == tuple((k, times) for k, times in enumerate(held) if times)


def test_few_snapshots_of_many_rounds() -> None:
    text = "the quick brown foxes jumped over lazier dogs than themselves"
    words = count_words(text, WhiteSpace().split)
    draw = random.Random(1)
    large = [CountedWord("".join(draw.choices("abcdefgh", k=50)), 1) for _ in range(1100)]
    learned = learn_merges(large, MergeSettings(merges=25))
    assert [merge.number for merge in learned.rounds if merge.snapshot] == [1, 2, 3, 25]
    last = learned.rounds[-1].snapshot
    assert last is not None
    assert next(iter(last.pairs)) == learned.rounds[-1].pair
    assert all(merge.snapshot for merge in learn_merges(words, MergeSettings(merges=1000)).rounds)


def test_progress_and_stops() -> None:
    pairs: list[tuple[int, int]] = []
    learned = learn_merges(HUGS, MergeSettings(merges=3), progress=lambda *done: pairs.append(done))
    assert pairs[-1] == (3, 3)
    assert len(learned.rounds) == 3
    assert len(learn_merges(HUGS, MergeSettings(size=9)).vocabulary) == 9
    assert [
        merge.count for merge in learn_merges(HUGS, MergeSettings(merges=99, min_count=16)).rounds
    ] == [20, 16]
    assert (
        learn_merges(HUGS, MergeSettings()).merges
        == learn_merges(HUGS, MergeSettings(merges=99)).merges
    )


def test_what_can_not_be_learned() -> None:
    with pytest.raises(ValueError, match=r"no room for the 7 .*; 7 or more"):
        learn_merges(HUGS, MergeSettings(size=6))
    with pytest.raises(ValueError, match="; 8 or more"):
        train_by_em(HUGS, UnigramSettings(7))
    with pytest.raises(ValueError, match="; 8 or more"):
        train_by_counts(HUGS, UnigramSettings(7))
    with pytest.raises(ValueError, match="a whole number of 1 or more"):
        count_words({"a": 0}, WhiteSpace().split)


def test_empty_corpora() -> None:
    nothing: list[Corpus] = ["", [], {}, "  "]
    for corpus in nothing:
        words = count_words(corpus, WhiteSpace().split)
        assert words == ()
        assert learn_merges(words, MergeSettings(merges=5)).rounds == ()
        assert learn_merges(words, MergeSettings(merges=5, score="likelihood")).vocabulary == {}
        assert train_by_em(words, UnigramSettings(5)).model.vocabulary == {"<unk>": 0}
        assert train_by_counts(words, UnigramSettings(5)).model.vocabulary == {"<unk>": 0}
        assert make_dictionary(words).kept == ()


def test_a_dictionary() -> None:
    words = count_words("a b a c a b c d", WhiteSpace().split)
    made = make_dictionary(words, size=4, special=("<pad>",), unknown="<unk>")
    assert made.model.vocabulary == {"<unk>": 0, "<pad>": 1, "a": 2, "b": 3}
    assert made.tied == (CountedWord("b", 2), CountedWord("c", 2))
    assert made.dropped == (CountedWord("c", 2), CountedWord("d", 1))
    assert made.model.pieces("d")[0].token == "<unk>"
    assert make_dictionary(words, min_count=2).dropped == (CountedWord("d", 1),)


BYTES = MergeModel(
    numbered([*BYTE_ALPHABET, "th", "the", "Ġthe"]), (("t", "h"), ("th", "e"), ("Ġ", "the"))
)
FALLBACK = MergeModel(numbered([*BYTE_TOKENS, "▁", "a", "▁a"]), (("▁", "a"),), byte_fallback=True)
PIECES = Unigram(
    (*((text, -9.0) for text in BYTE_TOKENS), ("▁a", -1.0), ("a", -2.0)), byte_fallback=True
)


@pytest.mark.parametrize(
    ("cutting", "model"),
    [
        (ByteLevel(), BYTES),
        (Metaspace(), FALLBACK),
        (Metaspace(), PIECES),
    ],
)
@given(text=ANY_TEXT)
@settings(max_examples=8 * FEWER)
def test_texts_come_back_whole(
    cutting: PreTokenizer, model: MergeModel | Unigram, text: str
) -> None:
    tokenizer = WordTokenizer(cutting, model)
    text = text.replace("▁", "_") if isinstance(cutting, Metaspace) else text
    pieces = tokenizer.encode(text)
    assert tokenizer.decode(pieces) == text
    assert all(piece.id is not None for piece in pieces if isinstance(cutting, ByteLevel))


@given(ANY_TEXT)
@settings(max_examples=8 * FEWER)
def test_any_text_is_learned_from(text: str) -> None:
    cutting = Metaspace()
    words = count_words(text.replace("▁", ""), cutting.split)
    merged = learn_merges(words, MergeSettings(merges=20))
    trained = train_by_em(words, UnigramSettings(200)).model
    for model in (MergeModel(merged.vocabulary, merged.merges), trained):
        tokenizer = WordTokenizer(cutting, model)
        pieces = tokenizer.encode(text.replace("▁", ""))
        assert tokenizer.decode(pieces) == text.replace("▁", "")
    for cut in (WhiteSpace(), ByteLevel(), Metaspace("nfkc")):
        WordTokenizer(cut, LongestMatch({"[UNK]": 0, "a": 1})).encode(text)


def test_long_words() -> None:
    word = "abc" * 10_000
    learned = learn_merges((CountedWord(word, 1),), MergeSettings(merges=5))
    assert "".join(tokens(MergeModel(learned.vocabulary, learned.merges), word)) == word
    scored = tuple((entry, -1.0) for entry in ("a", "b", "c", "abc", "abcabc"))
    assert "".join(tokens(Unigram(scored), word)) == word
    pieces = LongestMatch(numbered(["abc", "##abc"]), most_characters=10**6).pieces(word)
    assert len(pieces) == 10_000


@given(st.floats(0.01, 1e6))
def test_digamma_is_the_slope_of_the_logarithm_of_gamma(x: float) -> None:
    assert digamma(x + 1) == pytest.approx(digamma(x) + 1 / x, abs=1e-8)
    assert digamma(1.0) == pytest.approx(-0.5772156649015329, abs=1e-9)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_ways_to_cut_a_sentence_are_a_line_each_with_their_count(width: int) -> None:
    """Tokens with bars between them; many in tens, so that lines keep to the width."""
    trace = shipped_trace("tokenizers")
    page = page_of(trace, width=width)
    told = page.partition("Side by side\n")[2].partition("▸ Why?")[0]
    assert max(map(cell_len, told.splitlines())) <= width
    ways = {"whitespace": trace.scenario.text}
    ways |= {name: variant.scenario.text for name, variant in trace.variants.items()}
    assert list(ways) == ["whitespace", "word", "character", "subword"]
    joined = "".join(told.partition("whitespace  ")[2].split())
    for name, text in ways.items():
        tokens = [token.replace(" ", "␣") for token in text.tokens]
        count = f"({len(tokens)}tokens)"
        assert "|".join(tokens) + count in joined, name
    assert len(told.splitlines()) < 22  # a row a token would be 51 of them
