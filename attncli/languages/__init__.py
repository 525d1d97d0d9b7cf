"""The words around an exercise in each language: a table a language, all with the same keys.

What steps say on sheets is in `sentences.txt`: a paragraph for each title or sentence, in English
and then in the other languages. `{}` stands for a number; what is set in goes on with its line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from attncli.choices import Language
from attncli.languages.words import FrameWords


@cache
def words_of(language: Language) -> FrameWords:
    """The words of a language."""
    words: FrameWords = import_module(f"attncli.languages.{language}").WORDS
    return words


@cache
def sentences_in(language: Language) -> Mapping[str, str]:
    """What titles and sentences of steps are in a language other than English."""
    from importlib.resources import files  # which takes its time, and English does without

    text = (files("attncli.languages") / "sentences.txt").read_text(encoding="utf-8")
    paragraphs = text.replace("\n    ", " ").rstrip().split("\n\n")
    told = (paragraph.split("\n") for paragraph in paragraphs)
    return {english: dict(one.split(": ", 1) for one in own)[language] for english, *own in told}
