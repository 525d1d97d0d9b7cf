"""How a text is written and cut before its words are cut into pieces: as SentencePiece does (Kudo
and Richardson 2018, arXiv:1808.06226; its rules nmt_nfkc), and as BERT does (Devlin et al. 2018,
arXiv:1810.04805; BasicTokenizer)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tests.oracle.book import Record

_CONTROL = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_SPACE = re.compile("[\t\n\f\r\u061c\u1680\u200b\u200c\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd]")
_WAVE = "～"
_CHINESE = re.compile(
    "[㐀-䶿一-鿿豈-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


def sentencepiece(text: str, record: Record) -> str:
    """A text as it is written before its spaces are marked."""
    rules = str(record.get("normalize", "nmt_nfkc"))
    if rules != "none":
        text = "".join(_rewritten(text, special=rules == "nmt_nfkc"))
    if str(record.get("extra_spaces", "removed")) == "kept":
        return text
    return " ".join(word for word in text.split(" ") if word).rstrip(" ▁")


def _rewritten(text: str, *, special: bool) -> Iterator[str]:
    """What the rules make of a text, each time of as much of its beginning as one rule takes."""
    while text:
        alike = {length: _one_character(text[:length]) for length in range(2, 5)}
        length = max((k for k, entry in alike.items() if entry and k <= len(text)), default=1)
        first, text = text[:length], text[length:]
        if length > 1:
            yield alike[length]
        elif special and (first == _WAVE or _SPACE.match(first) or _CONTROL.match(first)):
            yield first if first == _WAVE else " " * (not _CONTROL.match(first))
        else:
            yield unicodedata.normalize("NFKC", first)


def _one_character(letters: str) -> str:
    """The character that is taken apart into these letters, in their order; else nothing."""
    plain = [unicodedata.normalize("NFKC", letter) for letter in letters]
    text = unicodedata.normalize("NFC", "".join(plain))
    apart = [*unicodedata.normalize("NFKD", text)]
    return text if len(text) == 1 and apart == plain else ""


def words(text: str, cut: str) -> list[str]:
    """The words of a text, between white space or as BERT has them."""
    if cut == "whitespace":
        return text.split()
    text = "".join(" " if c in "\t\n\r" else c for c in text if c in "\t\n\r" or not _goes(c))
    if cut == "bert":
        letters = (c for c in unicodedata.normalize("NFD", text) if not _is(c, "Mn"))
        text = "".join(c.lower() for c in letters)
    apart = "".join(f" {c} " if _CHINESE.match(c) or _is_sign(c) else c for c in text)
    return apart.split()


def _goes(text: str) -> bool:
    return text == "\ufffd" or any(_is(text, kind) for kind in ("Cc", "Cf", "Co", "Cs"))


def _is_sign(text: str) -> bool:
    return _is(text, "P") or (text.isascii() and text.isprintable() and not text.isalnum())


def _is(text: str, kind: str) -> bool:
    return unicodedata.category(text).startswith(kind)
