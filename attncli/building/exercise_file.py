"""What an exercise file may say: its keys, from which come reading and the reference's tables."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attncli.building.given_matrices import places
from attncli.choices import BLANKS, DETAILS, LANGUAGES, LAYOUTS
from attncli.file import reading, shipped
from attncli.file.keys import Key, Record, typed
from attncli.file.kinds import (
    Choice,
    Flag,
    ListOf,
    MapOf,
    NumberKind,
    OneOrMany,
    Schema,
    TextKind,
    WholeNumber,
)
from attncli.file.nodes import Map, Node, Scalar, describe
from attncli.file.problems import Problems, nearest
from attncli.scenario.exercise import (
    LARGEST_SEED,
    MOST_FORMS,
    MOST_POINTS,
    Ask,
    Blanking,
    ExerciseFile,
    Frame,
    Points,
    UnreadableBlanking,
)
from attncli.steps.order import STORY, inquiries, is_question, made
from attncli.steps.terms import nearest_step, step_meant

WORTH = NumberKind(positive=True, most=MOST_POINTS)
"""The points of a blank."""


class BlankingKind:
    """`results`, `working`, `all`, `random:0.4`."""

    def read(self, node: Node, problems: Problems) -> Blanking | None:
        try:
            return Blanking.of(node.text if isinstance(node, Scalar) else "")
        except UnreadableBlanking as error:
            problems.add(node.where, f"{describe(node)}: {error.wrong}", error.right)
            return None

    def schema(self) -> Schema:
        return {"anyOf": [{"enum": list(BLANKS)}, {"type": "string", "pattern": "^random:"}]}


class StepKind:
    """The name of a step."""

    def read(self, node: Node, problems: Problems) -> str | None:
        if isinstance(node, Scalar) and node.text in STORY:
            return node.text
        right = nearest_step(node.text if isinstance(node, Scalar) else "")
        problems.add(node.where, f"{describe(node)} is no step", right)
        return None

    def schema(self) -> Schema:
        return {"enum": list(STORY)}


class QuestionKind:
    """The name of a question that is answered in words, or the id of one: `attends_most[love]`."""

    def read(self, node: Node, problems: Problems) -> str | None:
        text = node.text if isinstance(node, Scalar) else ""
        if is_question(text):
            return text
        problems.add(node.where, f"{describe(node)} is no question", nearest(text, [*inquiries()]))
        return None

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "|".join(inquiries())}


STEP = StepKind()
QUESTION = QuestionKind()
_TEXT = TextKind()
ASKED = Record.of(
    Key("step", STEP, "`{step: softmax}`: what this step makes"),
    Key("cell", TextKind("a cell"), "`{cell: 'weights[love, AI]'}`: this cell, as `--cell` has it"),
    Key(
        "question",
        QUESTION,
        "`{question: attends_most}`: something that is answered in words; one alone by its id, "
        "`{question: 'attends_most[love]'}`",
    ),
    Key("written", Flag(), "`true`: such an answer is written, and not chosen from a list"),
    Key("token", _TEXT, "only the rows of this query"),
    Key("layer", _TEXT, "only this layer: `2`, or `encoder.1`"),
    Key("head", _TEXT, "only this head, counted from 1"),
    Key("blank", BlankingKind(), "what is taken out of it, if not what is of the whole exercise"),
    Key("points", WORTH, "the points of each of its blanks: `0.5`"),
)


class AskKind:
    """A step or a question by its name, or a map that says more."""

    kind = ASKED

    def read(self, node: Node, problems: Problems) -> Ask | None:
        if not isinstance(node, Map):
            if isinstance(node, Scalar) and is_question(node.text):
                return Ask(question=node.text, where=node.where)
            step = STEP.read(node, problems)
            return None if step is None else Ask(step, where=node.where)
        values = ASKED.read(node, problems) or {}
        if len(values) < len(node.entries):
            return None
        wrong = _at_odds(values.keys())
        if wrong:
            right = "leave written out" if wrong == _NOT_WRITTEN else "keep one of them"
            problems.add(node.where, wrong, right)
            return None
        return Ask(**values, where=node.where)

    def schema(self) -> Schema:
        return {"anyOf": [STEP.schema(), QUESTION.schema(), ASKED.schema()]}


_NOT_WRITTEN = "only the answer of a question can be written"


def _at_odds(keys: Collection[str]) -> str:
    """What doesn't go together of what is asked for; nothing where all of it does."""
    beside = sorted({"step", "token", "layer", "head", "question"} & set(keys))
    if "cell" in keys and beside:
        return f"a cell is one number, and {' and '.join(beside)} beside it"
    beside = sorted({"step", "blank"} & set(keys))
    if "question" in keys and beside:
        return f"a question is answered in words, and {' and '.join(beside)} beside it"
    return "" if "question" in keys or "written" not in keys else _NOT_WRITTEN


class PointsKind:
    """A number for each blank, or a map from steps and quantities to numbers."""

    kinds = (WORTH, MapOf(WORTH, "step or quantity"))

    def read(self, node: Node, problems: Problems) -> Points | None:
        if not isinstance(node, Map):
            each = WORTH.read(node, problems)
            return None if each is None else Points(each)
        found: dict[str, Decimal] = self.kinds[1].read(node, problems) or {}
        known = made() | inquiries().keys()
        for key, _ in node.entries:
            if key.text not in STORY and key.text not in known:
                wrong = f"{describe(key)} is no step, and no step makes it"
                problems.add(key.where, wrong, nearest(key.text, [*STORY, *sorted(known)]))
        steps = {name: worth for name, worth in found.items() if name in STORY}
        others = {name: worth for name, worth in found.items() if name not in STORY}
        return Points(steps=steps, quantities=others)

    def schema(self) -> Schema:
        return {"anyOf": [kind.schema() for kind in self.kinds]}


_LET_PASS = NumberKind(least=0)
TOLERANCE = Record.of(
    Key("units", _LET_PASS, "so many units of the last place"),
    Key("absolute", _LET_PASS, "so much: `0.01`"),
    Key("relative", _LET_PASS, "this share of the number: `0.01` is one per cent"),
    Key("digits", WholeNumber(1, 15), "a number given with so many significant digits"),
)

_KEYS: Iterable[Key[Any]] = (
    Key("exercise", TextKind("a title"), "what the exercise is called"),
    Key("course", _TEXT, "the course, which stands below the title"),
    Key("date", _TEXT, "the date"),
    Key("institution", _TEXT, "the school or university"),
    Key("instructions", _TEXT, "what is to be known before the first question"),
    Key("language", Choice(LANGUAGES), "the language of the program's own words on the papers"),
    Key(
        "scenario",
        TextKind("a scenario"),
        "the scenario that is asked about: a file, by its path from this one's folder, or the name "
        "of a shipped one",
    ),
    Key(
        "ask",
        ListOf(AskKind()),
        "what is asked for: `[softmax, {step: weighted_sum, token: love}]`; all steps if nothing is"
        " said. Besides numbers a question that is answered in words: `attends_most`",
    ),
    Key("blank", BlankingKind(), "what is taken out, as `--blank` has it"),
    Key("points", PointsKind(), "the points of a blank, 1 by default: `{softmax: 0.5, exp: 1}`"),
    Key("tolerance", TOLERANCE, "what is let pass beside what follows by itself: `{units: 1}`"),
    Key("layout", Choice(LAYOUTS), "the room for working: little, some lines, or a page each"),
    Key("detail", Choice(DETAILS), "how closely it is told, as `--detail` has it"),
    Key("forms", WholeNumber(1, MOST_FORMS), "so many forms, each with numbers of its own"),
    Key("seed", WholeNumber(0, LARGEST_SEED), "chooses the forms' numbers and random blanks"),
    Key("allow", OneOrMany(_TEXT), "rules that the numbers needn't keep"),
    Key("mistakes", WholeNumber(0, 99), "the share of the points that a known mistake earns, in %"),
)
EXERCISE = Record({key.name: key for key in _KEYS})


_OWN = ("exercise", "scenario", "ask")
"""Keys of an exercise that no scenario has."""


def is_exercise(source: str | os.PathLike[str]) -> bool:
    """Whether a file that is there is one of an exercise, and not a scenario."""
    path = shipped.find(os.fspath(source))
    if not path.is_file():
        return False
    tree = reading.read_file(path, Problems(), step_meant)
    return any(tree.get(key) is not None for key in _OWN)


def load_exercise(source: str | os.PathLike[str]) -> ExerciseFile:
    """The exercise of a file. Raises ScenarioError, whose `problems` are all that is wrong."""
    problems = Problems()
    path = Path(source)
    tree = reading.read_file(path, problems, step_meant)
    values = EXERCISE.read(tree, problems) or {}
    scenario = _scenario(values, path, tree, problems)
    problems.stop_if_any()
    frame = typed(Frame, values, title=values.get("exercise", ""))
    tolerance = MappingProxyType(values.pop("tolerance", {}))
    values = {key: value for key, value in values.items() if key != "scenario"}
    return typed(
        ExerciseFile,
        values,
        scenario=scenario,
        frame=frame,
        tolerance=tolerance,
        path=path,
        places=places(tree),
    )


def _scenario(values: Mapping[str, Any], path: Path, tree: Map, problems: Problems) -> str:
    """The scenario's path, or the name of a shipped one: a file beside the exercise comes first."""
    if tree.get("scenario") is None:
        problems.add(tree.where, "no scenario to ask about", "say one, like scenario: i_love_ai")
    named = str(values.get("scenario", ""))
    beside = path.parent / named
    known = named in shipped.names() and not beside.is_file()
    return named if known else str(beside)
