"""Questions that learners have, each answered with the numbers of a shipped scenario.

They stand in `questions.yaml`: what is asked, the words by which it is found, a scenario, and the
settings that are compared. A sentence holds its numbers in braces, which are worked when it is
shown: `{weights[love, AI]}` of the first setting, `{without: weights[love, AI]}` of another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import NamedTuple

from attncli.scenario.file import reading
from attncli.scenario.file.keys import (
    Choice,
    Either,
    Key,
    KeyValues,
    ListOf,
    MapOf,
    Needs,
    Record,
    TextKind,
)
from attncli.scenario.file.nodes import Scalar
from attncli.scenario.file.problems import Diagnostics
from attncli.steps.order import STORY
from attncli.steps.schema import STEP_NAMES

_TEXT = TextKind()
_TEXTS = ListOf(_TEXT)
_NO_CHANGE = Choice(("none",))
_CHANGES = Either(
    lambda node: _NO_CHANGE if isinstance(node, Scalar) else _TEXTS, (_NO_CHANGE, _TEXTS)
)
_QUESTION = Record.of(
    Key("title", _TEXT, "what is asked"),
    Key("words", _TEXTS, "words by which it is found, besides those of its title", ()),
    Key("scenario", _TEXT, "the shipped scenario whose numbers answer it", ""),
    Key("settings", MapOf(_CHANGES, "setting"), "name → changes, or none", {"as it is": "none"}),
    Key("says", _TEXT, "the answer in short"),
    Key("compare", _TEXTS, "rows and cells that are set side by side in all settings", ()),
    Key("stages", MapOf(_TEXTS, "stage"), "name → the same numbers at several stages", {}),
    Key("lines", _TEXTS, "cells whose working is shown", ()),
    Key("more", _TEXTS, "what follows the numbers, a paragraph each", ()),
    Key("lesson", _TEXT, "a lesson of `topics` whose numbers follow", ""),
    Key("try", MapOf(_TEXT, "question"), "question → the command that answers it", {}),
    needs=Needs("a question", ("title", "says", "try"), "{title: …, says: …, try: …}"),
)
_FILE = MapOf(_QUESTION, "question")


class Question(NamedTuple):
    """A question and how it is answered."""

    key: str
    """What is typed for it: `why_sqrt_d_k`."""
    title: str
    words: Sequence[str]
    """Words by which it is found, besides those of its title."""
    scenario: str
    """The shipped scenario whose numbers answer it; none where a lesson does."""
    settings: Mapping[str, Sequence[str]]
    """What is compared: changes to the scenario by what they are called."""
    says: str
    """The answer in short, with its numbers in braces."""
    compare: Sequence[str]
    """Rows and cells that are set side by side in all settings."""
    stages: Mapping[str, Sequence[str]]
    """Numbers of the first setting at several stages, by what these are called."""
    lines: Sequence[str]
    """Cells whose working is shown, each perhaps behind its setting."""
    more: Sequence[str]
    """What follows the numbers."""
    lesson: str
    """A lesson of `topics` whose numbers follow."""
    tries: Mapping[str, str]
    """What one may try next: commands by their questions."""

    @property
    def found_by(self) -> frozenset[str]:
        """Returns the stems of the words by which it is found."""
        return frozenset(stems((self.title, *self.words, self.key.replace("_", " "))))


@cache
def questions() -> Mapping[str, Question]:
    """Reads all questions by their keys. Raises ScenarioError for a file that is wrong."""
    path, problems = Path(__file__).parent / "questions.yaml", Diagnostics()
    tree = reading.tree_of_bytes(path.read_bytes(), path.name, problems)
    said = _FILE.read(tree, problems) or {}
    problems.stop_if_any()
    return {key: _question(key, values) for key, values in said.items()}


def _question(key: str, said: KeyValues) -> Question:
    values = {part.name: said.get(part.name, part.default) for part in _QUESTION.keys}
    tries, settings = values.pop("try"), values.pop("settings")
    changes = {name: () if said == "none" else said for name, said in settings.items()}
    return Question(key, settings=changes, tries=tries, **values)


# -- found by free words ---------------------------------------------------------------------------

_SIGNS = {"√": " sqrt ", "−∞": " infinity ", "-inf": " infinity ", "∞": " infinity "}
WORD = re.compile(r"\w+")
"""A word of a text."""
_ENDING = re.compile(r"(?<=\w\w\w)(?:ings?|ed|es|s|e)$")
_SAYS_NOTHING = """
a all an and are as at be been between by can come comes did do does doing done for from get gets
give goes had happen happens has have how i if in into is it its kind make makes mean means much
must need needs not of on or our s should so such t than that the their them then there they this
those to too us use used very was we were what whats when where which while who whose why will with
would you your
"""
"""Words that stand in any question."""
_STOPS = frozenset(_SAYS_NOTHING.split())


def stems(texts: Iterable[str]) -> Iterator[str]:
    """Yields the stems of the words of some texts that say what is asked: `divid` for
    `dividing`."""
    for text in texts:
        for sign, word in _SIGNS.items():
            text = text.replace(sign, word)  # noqa: PLW2901
        for word in WORD.findall(text.casefold()):
            if word not in _STOPS:
                yield _ENDING.sub("", word)


def questions_with(text: str) -> list[Question]:
    """Finds the questions that a text asks, as its words tell: the one that shares most with it, or
    several that share as much, those before others whose titles are most like it. A word counts the
    more, the fewer questions have it."""
    each = _shared_with(text)
    most = max(each.values())
    found = [questions()[key] for key, share in each.items() if most > 0 and share == most]
    alike = {question.key: _alike(text, question.title) for question in found}
    return [question for question in found if alike[question.key] == max(alike.values())]


def _alike(text: str, title: str) -> float:
    """Tells how much of the words of a text and of a title are in both, as a share of all."""
    asked, titled = frozenset(stems([text])), frozenset(stems([title]))
    return len(asked & titled) / len(asked | titled)


def _shared_with(text: str) -> Mapping[str, float]:
    """Tells how much each question shares with a text, by its key."""
    asked = frozenset(stems([text]))
    known = questions().values()
    counts = Counter(stem for question in known for stem in question.found_by)
    return {
        question.key: sum(log(1 + len(known) / counts[stem]) for stem in asked & question.found_by)
        for question in known
    }


_NEAREST = 3
"""So many questions are listed where none has half of the words."""


def nearest_to(text: str) -> list[Question]:
    """Lists the questions that share most with a text, where none has half of its words; else
    none."""
    asked = frozenset(stems([text]))
    if any(len(asked & q.found_by) * 2 >= len(asked) for q in questions_with(text)):
        return []
    each = _shared_with(text)
    nearest = sorted(each, key=lambda key: -each[key])[:_NEAREST]
    return [questions()[key] for key in nearest if each[key] > 0]


def step_asked_for(text: str) -> str:
    """Returns the step that a text asks for by its name, or by what people call it, and by nothing
    else: `norm` for “what is layer norm”. Returns nothing for other texts."""
    words = [word for word in WORD.findall(text.casefold()) if word not in _STOPS]
    name = "_".join(words)
    return name if name in STORY else STEP_NAMES.get(name, "")


def questions_about(word: str) -> list[Question]:
    """Lists the questions that have a word among those by which they are found."""
    return [question for question in questions().values() if word in question.words]
