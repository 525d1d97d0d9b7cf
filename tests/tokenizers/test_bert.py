"""Sentences are cut as BERT does it, against Hugging Face's `tokenizers`, where that is installed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import ScenarioError, load, work
from attncli.tokenizers.pieces import LongestMatch, SubwordMarks, numbered
from attncli.tokenizers.splitting import Bert, WordTokenizer
from tests import oracle
from tests.conftest import CHARACTERS, sampled
from tests.helpers.pages import page_of, trace_of
from tests.helpers.plain import read

HARD = [
    "Hello, World!", "I can't; won't, shouldn't've.", "It’s “quoted” – and —dashed…", "l'été où ça coûte 12,50 €",
    "ÀÉÎÕÜ àéîõü Ññ Çç", "e\u0301te\u0301 a\u0308o\u0308u\u0308", "Ǆ ǅ ǆ Ĳ ĳ", "ﬁnancial oﬀice ﬂow", "straße STRASSE ẞ",
    "İstanbul ıssız Iğdır", "ΣΊΣΥΦΟΣ Σίσυφος ὈΔΥΣΣΕΎΣ", "Приве́т, Ёлка и Йод", "中文字符和English混排", "日本語のカタカナとひらがな。", "한국어 텍스트 각",
    "국", "שָׁלוֹם עֲלֵיכֶם", "السَّلَامُ عَلَيْكُمْ، كيف؟", "हिन्दी में नमस्ते।", "ภาษาไทยไม่เว้นวรรค", "Tiếng Việt: phở bò", "😀😃 a😀b", "👩‍👩‍👧‍👦 family",
    "👍🏽 thumbs", "🇫🇷🇩🇪 flags", "1️⃣ 2️⃣ keycaps", "tab\tnew\nline\r\nend", "no\u00a0break\u2003em\u3000wide", "zero\u200bwidth\u200djoin\u2060er",
    "soft\u00adhyphen", "\ufeffBOM", "nul\x00char\x01\x07\x1b[0m", "\x7fdel\x80\x9f", "bad\ufffdchar", "private\ue000use", "\u2028lines\u2029 apart", "\x0bvertical\x0cform",
    "$5+$6=$11 <a href='x'>", "a^b~c`d|e", "C++ C# .NET", "f(x)=x²+½", "10⁻³ ㎏ ℃ №5", "①②③ Ⅳ ⅷ", "user@example.com", "https://a.b/c?d=e&f=#g",
    "#hash_tag @name", "snake_case camelCase", "1,234,567.89", "2026-11-22T13:45", "v1.2.3-rc.4", "‘single’ ‚low‘ «guillemets» ‹x›", "¿Qué? ¡No!", "「引用」『二重』、。", "a·b‧c•d",
    "‐ ‑ ‒ – — ― − ⁓", "§ ¶ † ‡ ※", "© ® ™ ℠", "× ÷ ± ≠ ≤ ∞ ∑", "← ↑ → ↓ ⇔", "a" * 120, "x" * 100 + " " + "y" * 101, "...", "!?!?", "", " ", "  two  spaces  ",
    "㐀㐁 𠀀𠀁 豈更", "\U0002b820\U0002b920 \U0002f800", "〇〡〢", "ㄅㄆㄇ", "ｆｕｌｌ　ｗｉｄｔｈ！", "ᚠᚢᚦ 𐌰𐌱", "𝒜𝓑𝔠 𝟘𝟙", "Ωμέγα Å K", "naïve café résumé", "jalapeño piñata", "Zürich Ångström Łódź Đà",
    "o\u0302\u0301 a\u0328\u0301", "\u0301leading mark", "a\u20dd circled", "ก็ กำ", "ம் பொ", "ཀྲ བོད", "ქართული ᲥᲐᲠᲗᲣᲚᲘ", "Ꭰꭰ", "ßſ", "ŉ ǰ ΐ", "don`t do´t", "`code` **bold**", "\\n \\t \\", "a/b\\c", "(((x)))",
]  # fmt: skip
PARTS = [
    "É\u0301",
    "文",
    "ﬁ",
    "’s",
    "\u200d",
    "Σ",
    "$",
    "İ",
    "…",
    "😀",
    "\x07",
    "a\u00a0b",
    "각",
    "-9",
]
MIXED = ["".join(pair) + " " + pair[0] + "Z" for pair in itertools.permutations(PARTS, 2)]
SENTENCES = HARD + MIXED


def vocabulary(cased: bool) -> dict[str, int]:
    """Most characters as they come out, some only inside words, and some longer pieces."""
    tokens = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "hello",
        "##llo",
        "caf",
        "##fe",
        "is",
        "##tan",
    ]
    found = "".join(word for sentence in SENTENCES for word in Bert(not cased).split(sentence))
    for place, character in enumerate(dict.fromkeys(found)):
        tokens += [[character, f"##{character}"], [character], [f"##{character}"]][place % 7 % 3]
    return numbered(tokens)


@pytest.mark.parametrize("cased", [False, True])
def test_hard_sentences_as_the_package(cased: bool) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="there is nothing to compare with")
    ids = vocabulary(cased)
    theirs = tokenizers.BertWordPieceTokenizer(ids, lowercase=not cased)
    ours = WordTokenizer(Bert(not cased, SubwordMarks("##")), LongestMatch(ids))
    assert len(SENTENCES) >= 202
    for sentence in SENTENCES:
        expected = theirs.encode(sentence, add_special_tokens=False).tokens
        assert [piece.token for piece in ours.encode(sentence)] == expected, ascii(sentence)


@pytest.mark.real("transformers")
@pytest.mark.parametrize("cut", ["bert", "bert_cased"])
def test_scenarios_as_transformers_and_the_oracle(cut: str) -> None:
    transformers = pytest.importorskip("transformers", reason="there is nothing to compare with")
    ids = vocabulary(cut == "bert_cased")
    theirs = transformers.BertTokenizer(vocab=ids, do_lower_case=cut == "bert")
    data: dict[str, Any] = {"kind": "wordpiece", "cut": cut}
    for sentence in [text for text in HARD if text.strip()][::5]:
        trace = work(load({"tokenizer": data, "vocabulary": ids, "sentence": sentence}))
        assert list(trace.scenario.text.tokens) == theirs.tokenize(sentence)
        assert oracle.normal.words(sentence, cut) == Bert(cut == "bert").split(sentence)


@given(st.text(CHARACTERS, max_size=12))
def test_any_text_as_the_package(text: str) -> None:
    package = pytest.importorskip("tokenizers", reason="there is nothing to compare with")
    for lower in (True, False):
        normal = package.normalizers.BertNormalizer(lowercase=lower).normalize_str(text)
        expected = [
            word for word, _ in package.pre_tokenizers.BertPreTokenizer().pre_tokenize_str(normal)
        ]
        if not any(
            ord(entry) > 0x2000 for entry in text
        ):  # whose classes newer versions of Unicode have
            assert Bert(lower).split(text) == expected


@sampled(8, kind=["bpe", "wordpiece"], cut=["bert", "bert_cased"], seed=range(6))
def test_learned_of_such_words(kind: str, cut: str, seed: int) -> None:
    texts = [
        repr(entry) for entry in ("Café, café!", "the CAFÉ-bar", "中文 the bar", "It's (the) Bar.")
    ]
    corpus = "[" + ", ".join(texts[seed % 4 :] + texts[: seed % 3]) + "]"
    text = f"tokenizer: {{kind: {kind}, cut: {cut}, unknown: '?'}}\ncorpus: {corpus.replace(chr(39) + 's', 's')}\nmerges: 6\nsentence: The bar's café.\n"
    trace, expected = trace_of(text), oracle.work(read(text))
    assert trace.scenario.text.tokens == tuple(oracle.text.tokens(read(text)))
    for name in expected:
        assert (trace[name].values == expected[name].astype(float)).all()


def test_the_page() -> None:
    text = "tokenizer: {kind: wordpiece, cut: bert}\nvocabulary: {'[UNK]': 0, hi: 1, '!': 2}\nsentence: Hí!\n"
    page = " ".join(page_of(trace_of(text)).split())
    assert "the text is cut, and written without capitals and accents, as BERT does" in page
    assert "written as the tokenizer writes a text first" in page
    with pytest.raises(ScenarioError, match="with the marks Ġ words begin with their spaces"):
        trace_of("tokenizer: {kind: bpe, marks: Ġ, cut: bert}\nmerges: [a b]\nsentence: ab\n")
