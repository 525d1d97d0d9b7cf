"""Settings of tokenizers by which they do as people know them, against what those people published."""

from __future__ import annotations

import io
import random
import unicodedata
from collections import Counter, defaultdict
from typing import Any

import pytest

from attncli import ScenarioError
from attncli.tokenizers.merge_training import MergeSettings, MergeTraining, learn_merges
from attncli.tokenizers.pieces import CountedWord, SubwordMarks
from attncli.tokenizers.splitting import Metaspace, Normalization
from tests import oracle
from tests.conftest import THOROUGH, sampled
from tests.helpers.pages import page_of, trace_of
from tests.helpers.plain import read

Splits = dict[str, list[str]]


def drawn_words(seed: int) -> dict[str, int]:
    """Few letters and small counts, so that many pairs are equal."""
    draw = random.Random(seed)
    words = ("".join(draw.choices("abcd", k=draw.randint(1, 7))) for _ in range(12))
    return {word: draw.randint(1, 3) for word in words}


def met_first(numbers: dict[Any, Any]) -> Any:
    """`max` takes the first of equal ones; a dictionary has its keys in the order they came."""
    return max(numbers, key=numbers.__getitem__)


def sennrich(words: dict[str, int], rounds: int, end: str = "</w>") -> list[tuple[str, str]]:
    """The script in Sennrich et al. 2016 (arXiv:1508.07909, algorithm 1), but for its regular
    expression, and D2L's (15.6.2)."""
    vocabulary = {(*word[:-1], word[-1] + end): count for word, count in words.items()}
    merges = []
    for _ in range(rounds):
        pairs: dict[tuple[str, str], int] = defaultdict(int)
        for symbols, count in vocabulary.items():
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += count
        if not pairs:
            break
        merges.append(met_first(pairs))
        vocabulary = {tuple(merged(symbols, *merges[-1])): n for symbols, n in vocabulary.items()}
    return merges


def merged(symbols: Any, left: str, right: str) -> list[str]:
    found, i = [], 0
    while i < len(symbols):
        here = tuple(symbols[i : i + 2]) == (left, right)
        found.append(left + right.removeprefix("##") if here else symbols[i])
        i += 2 if here else 1
    return found


def course_wordpiece(words: dict[str, int], rounds: int) -> list[tuple[str, str]]:
    """Hugging Face's course, chapter 6, "WordPiece tokenization"."""
    splits = {word: [word[0], *(f"##{c}" for c in word[1:])] for word in words}
    merges = []
    for _ in range(rounds):
        letters, pairs = Counter[str](), Counter[tuple[str, str]]()
        for word, count in words.items():
            for symbol in splits[word]:
                letters[symbol] += count
            for pair in zip(splits[word], splits[word][1:], strict=False):
                pairs[pair] += count
        scores = {(a, b): n / (letters[a] * letters[b]) for (a, b), n in pairs.items()}
        if not scores:
            break
        merges.append(met_first(scores))
        splits = {word: merged(cut, *merges[-1]) for word, cut in splits.items()}
    return merges


def learned(words: dict[str, int], **settings: Any) -> MergeTraining:
    counted = [CountedWord(word, count) for word, count in words.items()]
    return learn_merges(counted, MergeSettings(ties="first", **settings))


@sampled(20, seed=range(200))
def test_the_pair_met_first_as_in_sennrichs_script(seed: int) -> None:
    words = drawn_words(seed)
    ours = learned(words, merges=30, marks=SubwordMarks(suffix="</w>"))
    assert list(ours.merges) == sennrich(words, 30)
    ours = learned(words, merges=5)
    assert list(ours.merges) == sennrich(words, 5, end="")


@sampled(20, seed=range(200))
def test_the_pair_met_first_as_in_the_course(seed: int) -> None:
    words = drawn_words(seed)
    ours = learned(words, merges=30, marks=SubwordMarks("##"), score="likelihood")
    assert list(ours.merges) == course_wordpiece(words, 30)


def test_the_rule_is_on_the_page() -> None:
    text = "tokenizer: {kind: bpe, ties: RULE}\ncorpus: {za: 2, ab: 2}\nmerges: 1\nsentence: za\n"
    first, ids = (page_of(trace_of(text.replace("RULE", rule))) for rule in ("first", "ids"))
    first, ids = " ".join(first.split()), " ".join(ids.split())
    assert "at most one merge, from pairs" in first
    assert "among equal pairs the one that is met first is merged" in first
    assert (
        "“z a” occurs most often (2): it becomes the piece “za”, and the vocabulary grows from 3 to 4 tokens. “a b” has the same count."
        in first
    )
    assert "Among such pairs the one that is met first, from the first word on, is merged." in first
    assert "among equal pairs the one whose parts come first in the vocabulary is merged" in ids
    assert (
        "“a b” occurs most often (2): it becomes the piece “ab”, and the vocabulary grows from 3 to 4 tokens. “z a” has the same count."
        in ids
    )


def test_a_number_of_merges() -> None:
    text = "tokenizer: bpe\ncorpus: {hug: 3, pug: 2, bun: 1}\nMORE\nsentence: hug\n"
    vocabularies = {
        more: list(trace_of(text.replace("MORE", more)).scenario.text.known_ids)[6:]
        for more in ("merges: 2", "merges: 2\nvocabulary_size: 7", "merges: 1\nvocabulary_size: 8")
    }
    assert list(vocabularies.values()) == [["ug", "hug"], ["ug"], ["ug"]]


@pytest.mark.parametrize("count", ["0", "-1", "1.5"])
def test_a_number_of_merges_that_is_none(count: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        trace_of(f"tokenizer: bpe\ncorpus: hug pug\nmerges: {count}\nsentence: hug\n")
    (wrong,) = caught.value.problems
    assert f'"{count}" is not a whole number from 1' in str(wrong)
    assert wrong.where.line == 3


def test_merges_as_in_a_file() -> None:
    trace, other = (
        trace_of(f"tokenizer: bpe\nmerges: {said}\nsentence: hug\n")
        for said in ("[[u, g], [h, ug]]", "[u g, [h, ug]]")
    )
    assert trace.scenario.text == other.scenario.text
    with pytest.raises(ScenarioError, match="merge 1: a merge has two parts"):
        trace_of("tokenizer: bpe\nmerges: [u g h]\nsentence: hug\n")


def test_the_unknown_token_of_a_given_vocabulary() -> None:
    text = "tokenizer: {kind: word, unknown: <unk>}\nvocabulary: {yassin: 104, <unk>: 7, '!': 9}\nsentence: hello yassin!\nembeddings: one_hot\n"
    trace = trace_of(text)
    assert trace.scenario.text.tokens == ("<unk>", "yassin", "!")
    assert trace.scenario.text.ids == (7, 104, 9)
    assert "Not in the vocabulary: “hello”. It becomes “<unk>”." in page_of(trace)
    expected = oracle.work(read(text))
    for name in expected:
        assert trace[name].values.tolist() == expected[name].astype(float).tolist()


NORMAL = {
    "  a \t b\n\nc ": ("a b c", "a \t b\n\nc"),
    "ﬁne ＡＢＣ～～½": ("fine ABC～～1⁄2", "fine ABC~~1⁄2"),
    "a\u200bb\u200dc\xadx\ufeff": ("a b\u200dc\xadx", "a\u200bb\u200dc\xadx\ufeff"),
    "\x07x\x1f▁y▁ ": ("x y", "\x07x\x1f▁y"),
    "a▁": ("a", "a"),
    "▁a ▁ b": ("a b", "▁a ▁ b"),
    "a\u0301\u0323 q\u0301\u0323": ("á\u0323 q\u0301\u0323", "á\u0323 q\u0301\u0323"),
    "a\u0323\u0302": ("\u1ead", "\u1ead"),
    "a\u0302\u0323": ("â\u0323", "â\u0323"),
    "e\x01\u0301": ("e\u0301", "e\x01\u0301"),
    "\u1100\u1161\u11a8": ("각", "각"),
    "e\u0301 ㎏\u3000㌔": ("é kg キロ", "é kg キロ"),
    "\u2028 \xa0": ("", "\u2028"),
    "ｶﾞ ﾊﾟ": ("ガ パ", "ガ パ"),
}
"""What SentencePiece 0.2.3 makes of texts by its rules nmt_nfkc and nfkc."""


@pytest.mark.parametrize("text", NORMAL)
def test_texts_are_written_as_sentencepiece_does(text: str) -> None:
    assert (
        Metaspace("nmt_nfkc", True).normal(text),
        Metaspace("nfkc", True).normal(text),
    ) == NORMAL[text]
    ours = ({"normalize": rules} for rules in ("nmt_nfkc", "nfkc"))
    assert tuple(oracle.normal.sentencepiece(text, our) for our in ours) == NORMAL[text]


def test_every_character_as_the_package_writes_it() -> None:
    normalizers = pytest.importorskip("tokenizers", reason="nothing to compare with").normalizers
    theirs = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    newer = {*"\u061c\u200d～"}  # the package follows an older version there
    two_marks = {"\u0344"}  # of which Unicode's NFKC composes the first with the letter before
    for text in {chr(code) for code in range(1, 0x3100)} - newer - two_marks:
        if unicodedata.category(text) not in ("Cn", "Cs"):
            assert Metaspace("nmt_nfkc").normal(f"a{text}b") == theirs.normalize_str(f"a{text}b"), (
                hex(ord(text))
            )


def test_neighbouring_unknowns_are_one_in_sentencepiece() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="nothing to compare with")
    text = "tokenizer: {kind: sentencepiece, model: bpe}\nmerges: [[▁, a]]\nvocabulary: {<unk>: 0, ▁: 1, a: 2, ▁a: 3}\nsentence: axyza xx ya\n"
    ours = trace_of(text).scenario.text.tokens
    vocabulary = {"<unk>": 0, "▁": 1, "a": 2, "▁a": 3}
    model = tokenizers.models.BPE(vocabulary, [("▁", "a")], unk_token="<unk>", fuse_unk=True)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    assert list(ours) == theirs.encode("axyza xx ya").tokens
    assert ours == ("▁a", "<unk>", "a", "▁", "<unk>", "▁", "<unk>", "a")
    apart = text.replace(
        "{kind: sentencepiece, model: bpe}", "{kind: bpe, marks: ▁, unknown: <unk>}"
    )
    assert trace_of(apart).scenario.text.tokens[:4] == ("▁a", "<unk>", "<unk>", "<unk>")


def test_control_symbols_stand_for_no_text() -> None:
    text = "tokenizer: unigram\npieces: {<unk>: 0, <s>: 0, </s>: 0, <: -2, s: -2, '>': -2, /: -3}\nsentence: <s>/s></s>\n"
    trace = trace_of(text)
    assert trace.scenario.text.tokens == tuple("<s>/s></s>")
    assert trace.scenario.text.known_ids["</s>"] == 2
    assert oracle.text.tokens(read(text)) == list("<s>/s></s>")
    for name, numbers in oracle.work(read(text)).items():
        assert (trace[name].values == numbers.astype(float)).all()


def test_tokens_and_ids_of_a_trace() -> None:
    trace = trace_of("tokenizer: {kind: bpe, unknown: x}\nmerges: [u g]\nsentence: hug u\n")
    assert trace["tokens"].values.tolist() == ["x", "ug", "u"]
    assert trace["ids"].values.tolist() == list(trace.scenario.text.ids)
    assert trace["ids"].values.dtype.kind == "i"
    with pytest.raises(KeyError):
        trace["encoder.tokens"]
    with pytest.raises(KeyError):
        trace_of("tokens: [a]\nX: [[1]]\n")["ids"]


MENDED = {
    "tokenizer: {kind: bpe, special: []}\ncorpus: {ab: 1}\nvocabulary_size: 3": ("ab",),
    "tokenizer: {kind: unigram, special: []}\ncorpus: {ab: 3}\nvocabulary_size: 9": ("ab",),
    "tokenizer: bpe\ncorpus:\n- ab\n-\n- ''\n- ab\nvocabulary_size: 3": ("ab",),
}


@pytest.mark.parametrize("text", MENDED)
def test_nothing_is_as_good_as_empty(text: str) -> None:
    assert trace_of(f"{text}\nsentence: ab\n").scenario.text.tokens == MENDED[text]


WRONG = {
    "tokenizer: bpe\ncorpus: ['', ' ']\nvocabulary_size: 9": "the corpus has no words",
    "tokenizer: bpe\nmerges: 3": "a number of merges to learn, and no corpus to learn them from",
    "tokenizer: unigram\ncorpus: ab\nmerges: 3": "merges is not for the tokenizer unigram",
    "tokenizer: {kind: unigram, ties: first}\ncorpus: ab\nvocabulary_size: 9": "ties is not for",
    "tokenizer: {kind: bpe, unknown: x}\nmerges: [a b]\nvocabulary: {a: 1, b: 2, x: 0}": "the vocabulary has no \"ab\", which is what the merges make; add it",
    "tokenizer: {kind: bpe, unknown: x}\nmerges: [a b]\nvocabulary: {a: 1, ab: 2}": "b is neither a symbol",
    "tokenizer: {kind: word, unknown: x}\nvocabulary: {a: 1, b: 2}": "the vocabulary has no \"x\", the token of all that it doesn't have",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong(text: str) -> None:
    with pytest.raises(ScenarioError) as error:
        trace_of(f"{text}\nsentence: ab\n")
    assert WRONG[text] in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_marks_and_spaces_as_the_package_itself_writes_them() -> None:
    """Random texts of marks, letters that are taken apart, and spaces, by SentencePiece itself."""
    spm = pytest.importorskip("sentencepiece", reason="nothing to compare with")
    rng = random.Random(5)
    letters = [chr(code) for code in (*range(0xC0, 0x250), *range(0x1E00, 0x2000))]
    apart = [unicodedata.normalize(form, letter) for letter in letters for form in ("NFC", "NFKD")]
    marks = [chr(code) for code in (*range(0x300, 0x370), 0x3099, 0x309A, 0xFF9E)]
    others = [*"aeq カｶ각\u1100\u1161\u11a8 \t▁～\x01\u200b  "]
    texts = ["".join(rng.choice(rng.choice((apart, marks, others))) for _ in "12345")
             for _ in range(2000 if THOROUGH else 300)]  # fmt: skip
    rules: dict[str, Normalization] = {"identity": "none", "nfkc": "nfkc", "nmt_nfkc": "nmt_nfkc"}
    for rule, ours in rules.items():
        for removed in (False, True):
            made = io.BytesIO()
            spm.SentencePieceTrainer.train(
                sentence_iterator=iter(["a b"] * 9), model_writer=made, vocab_size=6,
                normalization_rule_name=rule, remove_extra_whitespaces=removed,
                hard_vocab_limit=False, minloglevel=2,
            )  # fmt: skip
            theirs = spm.SentencePieceProcessor(model_proto=made.getvalue())
            record = {"normalize": ours, "extra_spaces": "removed" if removed else "kept"}
            for text in texts:
                own = Metaspace(ours, removed)
                assert "".join(own.split(text)) == theirs.normalize(text), ascii(text)
                assert oracle.normal.sentencepiece(text, record) == own.normal(text), ascii(text)


@pytest.mark.parametrize(
    ("text", "key", "mark"),
    [
        ("tokenizer: bpe\nmerges: [[Ġ, t], [h, e], [Ġt, he]]\nsentence: the the\n", "merges", "Ġ"),
        ("tokenizer: bpe\nmerges: [▁ t]\nsentence: the the\n", "merges", "▁"),
        (
            "tokenizer: bpe\nmerges: [[l, o</w>]]\nvocabulary: {l: 0, o: 1, o</w>: 2, lo</w>: 3}\n"
            "sentence: lo\n",
            "merges",
            "</w>",
        ),
        ("tokenizer: unigram\npieces: {a: -1, ▁a: -2}\nsentence: a a\n", "pieces", "▁"),
    ],
)
def test_given_pieces_with_marks_that_nobody_says_are_refused(
    text: str, key: str, mark: str
) -> None:
    """They would never be met, as words have no such marks then."""
    with pytest.raises(ScenarioError, match=f"2:.*{key} with the mark {mark}.*marks: {mark}"):
        trace_of(text)


def test_a_mark_may_be_a_letter() -> None:
    text = "tokenizer: TOKENIZER\nmerges: [[Ġ, a]]\nsentence: SENTENCE\n"
    ours = text.replace("TOKENIZER", "bpe").replace("SENTENCE", "Ġa")
    assert trace_of(ours).scenario.text.tokens == ("Ġa",)
    line = text.replace("TOKENIZER", "{kind: bpe, marks: none}").replace("SENTENCE", "a")
    assert trace_of(line).scenario.text.tokens == ("a",)
    spaces = text.replace("TOKENIZER", "{kind: bpe, marks: Ġ}").replace("SENTENCE", "a a")
    assert trace_of(spaces).scenario.text.tokens == ("a", "Ġa")
