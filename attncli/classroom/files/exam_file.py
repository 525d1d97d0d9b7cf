"""Files of exams as somebody orders them: parts, a teacher's own questions, texts around them."""

import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from attncli.classroom.files.exercise_file import (
    EXERCISE,
    IN_ALL,
    LARGEST_SEED,
    WORTH,
    Ask,
    AskKind,
    ExerciseFile,
    FormNumbers,
    Frame,
    PointsKind,
    Within,
)
from attncli.classroom.files.kinds import OF_EXAMS
from attncli.classroom.files.mathematics import UnreadableFormulaError, in_words_and_formulas
from attncli.classroom.files.scheme import SCHEME, Costs, Scheme
from attncli.document.blocks import Figure
from attncli.errors import Where, quote
from attncli.names import Word
from attncli.pipeline.given_matrices import places
from attncli.scenario.file import reading, shipped
from attncli.scenario.file.keys import (
    Flag,
    Key,
    KeyValues,
    ListOf,
    NumberKind,
    Record,
    Schema,
    TextKind,
    WholeNumber,
    keys_of_fields,
    typed,
)
from attncli.scenario.file.nodes import Map, Node
from attncli.scenario.file.problems import Diagnostics
from attncli.steps.schema import step_meant

_TEXT = TextKind()
_MOST_LINES = 40
_MOST_TAKEN = 100


class OwnQuestion(NamedTuple):
    """A question in the teacher's own words: one of `options` is chosen, a `number` is given, or a
    sentence is written, which a person marks by the `answer`."""

    ask: Annotated[str, TextKind("a question"), "the question"]
    title: Annotated[
        str, TextKind("a title"), "what stands above it; how it is answered if nothing is said"
    ] = ""
    options: Annotated[
        tuple[str, ...], ListOf(_TEXT), "what is chosen from: `[a query, a key, a value]`"
    ] = ()
    right: Annotated[str, TextKind("an option"), "the option that is right"] = ""
    number: Annotated[
        Decimal | None, NumberKind(), "the number that is right, where one is asked for"
    ] = None
    tolerance: Annotated[Decimal, NumberKind(least=0), "how far from it is right, too: `0.01`"] = (
        Decimal(0)
    )
    answer: Annotated[
        str,
        TextKind("an answer"),
        "what a person marks a sentence by, which the key alone tells; without it the key has room",
    ] = ""
    table: Annotated[
        tuple[tuple[str, ...], ...],
        ListOf(ListOf(TextKind("a cell", blank=True))),
        "a table above it, row by row; the first has the headings",
    ] = ()
    picture: Annotated[
        str, TextKind("a file"), "a picture above it: a file beside this one, `.png` or `.svg`"
    ] = ""
    lines: Annotated[int, WholeNumber(1, _MOST_LINES), "the lines that there are to write on"] = 3
    points: Annotated[Decimal, WORTH, "its points, 1 by default; with 0 it doesn't count"] = (
        Decimal(1)
    )

    shown: Figure | None = None
    """The picture, as its file has it."""

    @property
    def by_hand(self) -> bool:
        """Tells whether a person marks it."""
        return not self.options and self.number is None


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Tells whether rows are a table: headings and others, all of as many cells."""
    widths = {*map(len, rows)}
    return len(rows) > 1 and len(widths) == 1 and min(widths) > 1


def _unread_formula(values: Mapping[str, Any]) -> str | None:
    """Returns the mathematics in a question that can't be read; None where all of it can."""
    try:
        for name in ("ask", "answer"):
            in_words_and_formulas(values.get(name, ""))
    except UnreadableFormulaError as error:
        return str(error)
    return None


QUESTION = Record.of(*keys_of_fields(OwnQuestion))
_WAYS = ("options", "number", "answer")


class OwnQuestionKind:
    """A kind of value: a question with one way to answer it, or a sentence to write."""

    def read(self, node: Node, problems: Diagnostics) -> OwnQuestion | None:
        values = QUESTION.whole(node, problems)
        if values is None:
            return None
        ways = [way for way in _WAYS if way in values]
        if "ask" not in values:
            problems.add(node.where, "a question without its text", "give one, like ask: Why?")
        elif len(ways) > 1 or (not ways and {"right", "tolerance"} & values.keys()):
            wrong = f"a question with {' and '.join(ways) or 'no answer'}"
            right = "give options and right, a number, or the answer that a person marks by"
            problems.add(node.where, wrong, right)
        elif "table" in values and not _is_table(values["table"]):
            right = "give headings and rows, all of as many cells, two at least"
            problems.add(node.where, "a table of other rows than its headings", right)
        elif (bad := _unread_formula(values)) is not None:
            wrong = f"{quote(bad)} isn't read as mathematics"
            problems.add(
                node.where, wrong, r"write it like $Q K^T / \sqrt{d_k}$, or \$ for a dollar"
            )
        elif values.get("options") and values.get("right") not in values["options"]:
            wrong = "none of the options is the right one"
            problems.add(node.where, wrong, "say which, as it is written there: right: a query")
        else:
            return typed(OwnQuestion, values)
        return None

    def schema(self) -> Schema:
        return QUESTION.schema()


class PoolKind:
    """A kind of value: what is drawn from a pool, something that an exercise asks for or a question
    in the teacher's own words."""

    own, asked = OwnQuestionKind(), AskKind()

    def read(self, node: Node, problems: Diagnostics) -> OwnQuestion | Ask | None:
        is_own = isinstance(node, Map) and node.get("ask") is not None
        return self.own.read(node, problems) if is_own else self.asked.read(node, problems)

    def schema(self) -> Schema:
        return {"anyOf": [self.asked.schema(), self.own.schema()]}


class ExamPart(NamedTuple):
    """A part of an exam: an exercise, or questions."""

    title: str = ""
    exercise: ExerciseFile | None = None
    questions: tuple[OwnQuestion, ...] = ()
    pool: tuple[OwnQuestion | Ask, ...] = ()
    """What some more is drawn from, for each form."""
    take: int = 1
    """How much is drawn."""
    most: Decimal | None = None
    """The most points that it can bring, if they are said."""
    numbers: tuple[int, ...] = ()
    """The numbers of its questions, where not all are asked."""
    where: Where | None = None
    """Where it stands in a file."""

    def drawing(self, places: Sequence[int]) -> "ExamPart":
        """Returns the part with what stands in these places of its pool, and no pool."""
        drawn = [(place, self.pool[place]) for place in places]
        own = [(place, entry) for place, entry in drawn if isinstance(entry, OwnQuestion)]
        count = len(self.questions)
        return self._replace(
            exercise=self.exercise and _asking_too(self.exercise, (entry for _, entry in drawn)),
            questions=(*self.questions, *(entry for _, entry in own)),
            numbers=(*range(1, count + 1), *(count + 1 + place for place, _ in own)),
            pool=(),
        )

    def alone(self, place: int) -> "ExamPart":
        """Returns the part with nothing but what stands in this place of its pool."""
        drawn = self.drawing([place])
        return drawn._replace(
            exercise=drawn.exercise and drawn.exercise._replace(ask=drawn.exercise.ask[-1:]),
            questions=drawn.questions[-1:],
            numbers=drawn.numbers[-1:],
            most=None,
        )

    @property
    def rest(self) -> "ExamPart | None":
        """Returns the part without its pool; None where nothing else is asked."""
        asks = self.questions or (self.exercise and self.exercise.ask)
        return self._replace(pool=(), take=1) if asks else None

    def worth(self, points: Decimal | None) -> "ExamPart":
        """Returns the part with so many points in all, if it says how many; with None those of its
        blanks."""
        if self.exercise is None or self.exercise.points.total is None:
            return self
        said = self.exercise.points._replace(total=points)
        return self._replace(exercise=self.exercise._replace(points=said))

    @property
    def own_questions(self) -> tuple[OwnQuestion, ...]:
        """Returns all questions in the teacher's own words, those of its pool too."""
        return (*self.questions, *(q for q in self.pool if isinstance(q, OwnQuestion)))

    @property
    def asks_at_most(self) -> ExerciseFile | None:
        """Returns its exercise with all that forms may draw from its pool."""
        return self.exercise and _asking_too(self.exercise, self.pool)


def _asking_too(exercise: ExerciseFile, drawn: Iterable[OwnQuestion | Ask]) -> ExerciseFile:
    """Returns an exercise that asks what is drawn, too, each as a question by itself."""
    asks = (entry for entry in drawn if isinstance(entry, Ask))
    own = (ask._replace(entry=k) for k, ask in enumerate(asks, start=len(exercise.ask) + 1))
    return exercise._replace(ask=(*exercise.ask, *own))


_OF_ALL = ("exercise", "forms", "own", "seed", "layout", *Frame._fields)
"""The keys that an exam says for all of its parts."""
_OF_EACH = ("forms", "own", "seed", "layout", "room")
"""The keys that an exam says for each of its exercises; its room is only the usual one."""
PART = Record.of(
    Key("title", TextKind("a title"), "what the part is called, if not as its scenario"),
    *(key for key in EXERCISE.keys if key.name not in (*_OF_ALL, "points")),
    Key(
        "points",
        PointsKind(in_all=True),
        "the points of the part, shared out over its blanks: `30`; or of a blank: `{each: 2}`, "
        "`{softmax: 0.5, exp: 1}`",
    ),
    Key(
        "seed",
        WholeNumber(0, LARGEST_SEED),
        "gives the part numbers of its own: without it parts about the same scenario have the same",
    ),
    Key("questions", ListOf(OwnQuestionKind()), "questions in your own words, and no scenario"),
    Key(
        "pool",
        ListOf(PoolKind()),
        "what each form draws some of, for the same points: entries as in `ask`, or questions in "
        "your own words, of which each has its number in all forms",
    ),
    Key("take", WholeNumber(1, _MOST_TAKEN), "how many of `pool` a form has, 1 by default"),
    Key("most", IN_ALL, "the most points that the part can bring"),
)


class ExamPartKind:
    """A kind of value: a part of an exam. What it says of an exercise stays as it is read until the
    whole file is known."""

    def read(self, node: Node, problems: Diagnostics) -> dict[str, object] | None:
        values = PART.whole(node, problems)
        if values is None:
            return None
        pool = values.get("pool", ())
        own = [entry for entry in pool if isinstance(entry, OwnQuestion)]
        is_own = "questions" in values or bool(own)
        if own and len(own) < len(pool):
            wrong = "a pool with questions in your own words and others"
            problems.add(node.where, wrong, "make two parts of it, each with a pool")
            return None
        if ("scenario" in values) == is_own:
            wrong = "a part has a scenario that is asked about, or questions"
            problems.add(node.where, wrong, "give one of the two, like scenario: i_love_ai")
            return None
        if {"pool", "take"} & values.keys() and values.get("take", 1) > len(pool):
            wrong = f"take: {values.get('take', 1)} of a pool of {len(pool)}"
            problems.add(node.where, wrong, "give pool more questions, or take fewer")
            return None
        beside = sorted(values.keys() - {"title", "questions", "most", "pool", "take"})
        if is_own and beside:
            assert isinstance(node, Map)
            first = node.get(beside[0])
            wrong = f"{', '.join(beside)} beside questions in your own words"
            right = "leave it out: each question has its points"
            problems.add(node.where if first is None else first.where, wrong, right)
            return None
        return {**values, "where": node}

    def schema(self) -> Schema:
        return PART.schema()


class ExamFile(NamedTuple):
    """All that an exam is made from."""

    parts: tuple[ExamPart, ...]
    frame: Frame = Frame()
    forms: int | None = None
    own: bool | None = None
    """Whether the first form has the scenarios' own numbers, if that is said."""
    seed: int = 1
    cover: bool = False
    """Whether there is a page of its own before the questions."""
    draws: Mapping[str, tuple[tuple[int, ...], ...]] = MappingProxyType({})
    """The places in the pool of each part of what a form asks, by the form's name."""
    scheme: Scheme = Scheme()
    path: Path | None = None
    """Its file, where there is one."""
    places: Mapping[str, Where] = MappingProxyType({})
    is_exam: bool = False
    """Whether it is called an exam; an exercise is its one part."""

    @classmethod
    def of(cls, exercise: ExerciseFile) -> "ExamFile":
        """Makes an exam of one part, which is an exercise."""
        part = ExamPart(exercise=exercise)
        numbers = exercise.numbers
        return cls((part,), forms=numbers.forms, own=numbers.own, seed=numbers.seed)

    @property
    def exercises(self) -> tuple[ExerciseFile, ...]:
        """Returns the exercises of its parts."""
        return tuple(part.exercise for part in self.parts if part.exercise is not None)

    @property
    def scenarios(self) -> tuple[str | None, ...]:
        """Returns what each part is about; None for questions in the teacher's own words."""
        return tuple(part.exercise and part.exercise.scenario for part in self.parts)

    def numbers_of(self, k: int) -> FormNumbers:
        """Returns what is said of the numbers of a part, counted from 0."""
        exercise = self.parts[k].exercise
        return FormNumbers(seed=self.seed) if exercise is None else exercise.numbers

    @property
    def keeps_own(self) -> bool:
        """Tells whether the first form has the scenarios' own numbers: one alone, if nothing is
        said."""
        return self.forms == 1 if self.own is None else self.own

    @property
    def share(self) -> int | None:
        """Returns what a known mistake earns where an LMS marks, in per cent: as an exercise says,
        or else the scheme; None where neither does."""
        by_scheme = None if self.scheme.costs == Costs() else self.scheme.earned_by_a_mistake
        return next((e.mistakes for e in self.exercises if e.mistakes is not None), by_scheme)

    def each(self, **changed: Any) -> "ExamFile":  # noqa: ANN401
        """Returns the same exam with something else said in each exercise."""
        parts = (
            p._replace(exercise=p.exercise._replace(**changed)) if p.exercise else p
            for p in self.parts
        )
        return self._replace(parts=tuple(parts))


EXAM = Record.of(
    Key("exam", TextKind("a title"), "what the exam is called"),
    *(k for k in EXERCISE.keys if k.name in (*_OF_ALL, *_OF_EACH) and k.name != "exercise"),
    Key("cover", Flag(), "`true`: a page of its own before the questions"),
    Key("scheme", SCHEME, "how marks are given"),
    Key("parts", ListOf(ExamPartKind()), "the parts, one after the other"),
)


def load_exam(source: str | os.PathLike[str]) -> ExamFile:
    """Returns the exam of a file, which may be that of an exercise. Raises ScenarioError, whose
    `problems` are all that is wrong."""
    problems = Diagnostics()
    path = Path(source)
    tree = reading.read_file(path, problems, step_meant)
    several = any(tree.get(key) is not None for key in OF_EXAMS)
    values = (EXAM if several else EXERCISE).read(tree, problems) or {}
    if several and tree.get("parts") is None:
        problems.add(tree.where, "no parts to ask", "give some, like parts: [{scenario: …}]")
    of_all: dict[str, object] = {key: values[key] for key in _OF_EACH if key in values}
    each = values.get("parts", ()) if several else [{**values, "where": tree}]
    parts = tuple(_part({**of_all, **part}, path, problems) for part in each)
    problems.stop_if_any()
    frame = typed(Frame, values, title=values.get("exam" if several else "exercise", ""))
    said = {**values, "parts": parts, "scheme": typed(Scheme, values.get("scheme", {}))}
    return typed(ExamFile, said, frame=frame, path=path, places=places(tree), is_exam=several)


def _part(values: KeyValues, path: Path, problems: Diagnostics) -> ExamPart:
    """Makes a part with its exercise, whose scenario is a file beside the exam, or else a shipped
    one."""
    tree = values["where"]
    part = typed(ExamPart, {**values, "where": tree.where})
    if part.questions or any(isinstance(entry, OwnQuestion) for entry in part.pool):
        return _with_pictures(part, path.parent, problems)
    if tree.get("scenario") is None:
        problems.add(tree.where, "no scenario to ask about", "say one, like scenario: i_love_ai")
    named = str(values.get("scenario", ""))
    beside = path.parent / named
    known = named in shipped.names() and not beside.is_file()
    if not known and (node := tree.get("scenario")) is not None and not beside.exists():
        wrong = f"{quote(named)}: {reading.NO_SCENARIO}"
        problems.add(node.where, wrong, reading.meant_by(beside))
    said = {**values, "scenario": named if known else str(beside), "places": places(tree)}
    if part.pool:
        said.setdefault("ask", ())
    said["tolerance"] = MappingProxyType(values.get("tolerance", {}))
    exercise = typed(
        ExerciseFile, said, numbers=typed(FormNumbers, said), within=typed(Within, said)
    )
    return part._replace(exercise=exercise)


_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg")
_LARGEST_PICTURE = 2_000_000
"""Bytes."""


def _with_pictures(part: ExamPart, folder: Path, problems: Diagnostics) -> ExamPart:
    """Returns a part whose questions have the pictures that they name, from files in a folder."""

    def shown(entry: OwnQuestion | Ask) -> OwnQuestion | Ask:
        if isinstance(entry, Ask) or not entry.picture:
            return entry
        return entry._replace(shown=_picture(entry.picture, folder, part, problems))

    questions = tuple(
        entry for entry in map(shown, part.questions) if isinstance(entry, OwnQuestion)
    )
    return part._replace(questions=questions, pool=tuple(map(shown, part.pool)))


def _picture(name: str, folder: Path, part: ExamPart, problems: Diagnostics) -> Figure | None:
    where = part.where or Where(name)
    if Path(name).suffix.lower() not in _PICTURES or Path(name).name != name:
        problems.add(where, f"{name} is no picture beside this file", f"give a {_PICTURES[0]}")
        return None
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        problems.add(where, f"{name} can't be read ({error.strerror})", "put it beside this file")
        return None
    if len(data) > _LARGEST_PICTURE:
        problems.add(
            where, f"{name} has {len(data):,} bytes", f"at most {_LARGEST_PICTURE:,} are taken"
        )
        return None
    return Figure(Word(name), data)
