"""BERT's way from a text to words (Devlin et al. 2019, arXiv:1810.04805; `BasicTokenizer`), as
Hugging Face's `tokenizers` has it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from attncli.tokenizing.pieces import UNMARKED, SubwordMarks
from attncli.tokenizing.pre_tokenizers import WhiteSpace
from attncli.tokenizing.splitting import Part, bert, is_space

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


class Bert(NamedTuple):
    """Control characters are left out, Chinese characters and punctuation marks are words of their
    own, and what is `lower` is without capitals and accents (not so in models called cased)."""

    lower: bool = True
    marks: SubwordMarks = UNMARKED

    def split(self, text: str) -> list[str]:
        apart = set_apart(clean(text))
        normal = lowered(without_accents(apart)) if self.lower else apart
        return [part.text for part in bert(Part(normal))]

    def join(self, tokens: Sequence[str]) -> str:
        return WhiteSpace(self.marks).join(tokens)


def clean(text: str) -> str:
    """A text without control characters, all its white space as spaces."""
    kept = (character for character in text if not _is_control(character))
    return "".join(" " if is_space(character) else character for character in kept)


def _is_control(character: str) -> bool:
    if character in _KEPT:
        return False
    return character == _NO_CHARACTER or unicodedata.category(character) in _CONTROL


def set_apart(text: str) -> str:
    """A text with spaces around each Chinese character."""
    return _CHINESE.sub(r" \1 ", text)


def without_accents(text: str) -> str:
    """A text without accents, which are characters of their own in the normal form NFD."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(one for one in decomposed if unicodedata.category(one) != "Mn")


def lowered(text: str) -> str:
    """A text without capitals, each character by itself: a Σ that ends a word is σ, and not ς."""
    return "".join(map(str.lower, text))
