"""The words around an exercise: a file of plain data a language, all with the same keys and gaps.

`{name}` is a gap that something is set into. A noun that is counted has `one` and `many`, and
numbers `singular_below` are singular, too. What `steps` say on sheets is by the English title or
sentence, which a language other than English translates; `{}` stands for a number, `{gap}` for
names of quantities, and what is set in goes on with its line. A new language is a new file.
"""

import json  # no lazy annotations here: a named tuple would compile them when it is imported
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Words:
    """The texts of one subject, each an attribute by its key. `texts` is all that the file says."""

    def __init__(self, texts: Mapping[str, Any]) -> None:
        self.texts = texts

    def __getattr__(self, key: str) -> str:
        if key == "texts" or key not in self.texts:  # as before it is there, when it is copied
            raise AttributeError(key)
        return str(self.texts[key])

    def counted(self, key: str, count: Decimal | int, text: str = "") -> str:
        """Writes a number with its noun: `1 point`, `2 points`. `text` is the number in a form of
        its own."""
        noun: Mapping[str, Any] = self.texts[key]
        alone = count == 1 or count < noun.get("singular_below", 0)
        form: str = noun["one" if alone else "many"]
        return form.format(number=text or count)


class FrameWords(NamedTuple):
    """The words of one language that frame an exercise and are no mathematics."""

    paper: Words
    """Words that papers say of themselves."""
    facts: Words
    """Names of what the questions depend on, which a colon may follow."""
    tasks: Words
    """What is to be done."""
    keys: Words
    """What is right."""
    scheme: Words
    """What that earns."""
    files: Words
    """Words of files to be filled in."""
    check: Words
    """Words of sheets that check themselves."""
    entry: Words
    """Words of the page into which papers are typed."""


@cache
def words_of(language: str) -> FrameWords:
    data = _data(language)
    return FrameWords(*(Words(data[part]) for part in FrameWords._fields))


def sentences_in(language: str) -> Mapping[str, str]:
    """Returns the titles and sentences of steps in a language, by the English ones."""
    sentences: Mapping[str, str] = _data(language).get("steps", {})
    return sentences


_GAP = re.compile(r"\\{(\w+)\\}")
_NAMES = r"(?P<\1>\\S+?(?:(?:,| and) \\S+?)*)"
"""A gap of an escaped sentence, and names that are listed there."""


@cache
def named_sentences_in(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Returns the sentences with gaps for names: the pattern that finds each, and its
    translation."""
    table = sentences_in(language).items()
    found = ((_GAP.sub(_NAMES, re.escape(text)), text, own) for text, own in table)
    return tuple((re.compile(line), own) for line, text, own in found if line != re.escape(text))


@cache
def _data(language: str) -> Mapping[str, Any]:
    text = Path(__file__).with_name(f"{language}.json").read_text(encoding="utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return data
