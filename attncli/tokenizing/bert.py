"""BERT's way from a text to words (Devlin et al. 2019, arXiv:1810.04805; `BasicTokenizer`), as
Hugging Face's `tokenizers` has it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from attncli.records import NamedTuple
from attncli.tokenizing.pieces import UNMARKED, SubwordMarks
from attncli.tokenizing.pre_tokenizers import WhiteSpace

_CHINESE = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f])"
)
"""The blocks that BERT's code names; that from U+2B820 on begins with a slip there, at U+2B920."""
_KEPT = "\t\n\r"
_NO_CHARACTER = "\ufffd"
_CONTROL = {"Cc", "Cf", "Co", "Cs"}
"""What isn't assigned (Cn) stays, as there: what that is depends on the version of Unicode."""
_MOST_ASCII = "\x7f"


class Bert(NamedTuple):
    """Control characters are left out, Chinese characters and punctuation marks are words of their
    own, and what is `lower` is without capitals and accents (not so in models called cased)."""

    lower: bool = True
    marks: SubwordMarks = UNMARKED

    def split(self, text: str) -> list[str]:
        clean = "".join(character for character in text if not _is_control(character))
        apart = _CHINESE.sub(r" \1 ", clean)
        words = (_uncased(apart) if self.lower else apart).split()
        return [part for word in words for part in _between_marks(word)]

    def join(self, tokens: Sequence[str]) -> str:
        return WhiteSpace(self.marks).join(tokens)


def _is_control(character: str) -> bool:
    if character in _KEPT:
        return False
    return character == _NO_CHARACTER or unicodedata.category(character) in _CONTROL


def _uncased(text: str) -> str:
    """Without accents, which are characters of their own in the normal form NFD, and capitals.

    Each character is lower-cased by itself: a Σ that ends a word is σ, and not ς."""
    decomposed = unicodedata.normalize("NFD", text)
    base = (one for one in decomposed if unicodedata.category(one) != "Mn")
    return "".join(map(str.lower, base))


def _between_marks(word: str) -> Iterator[str]:
    """The parts of a word before, between and after its punctuation marks, and these."""
    part = ""
    for character in word:
        if _is_mark(character):
            yield from (part, character) if part else (character,)
            part = ""
        else:
            part += character
    if part:
        yield part


def _is_mark(character: str) -> bool:
    """Punctuation; and of ASCII all that is neither a letter nor a digit, such as $ and +."""
    if character <= _MOST_ASCII:
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")
