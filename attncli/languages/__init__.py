"""The words around an exercise in each language: a table a language, all with the same keys."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from attncli.choices import Language
from attncli.languages.words import FrameWords


@cache
def words_of(language: Language) -> FrameWords:
    """The words of a language."""
    words: FrameWords = import_module(f"attncli.languages.{language}").WORDS
    return words
