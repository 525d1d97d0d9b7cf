"""An exercise as somebody orders it, in a file or by options: what is asked, points, texts.

The fields of the records are the keys of a file, from which come reading and the tables of the
reference.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, NamedTuple

from attncli.errors import Where, quote
from attncli.maths.numbers import decimals
from attncli.option_values import (
    BLANKS,
    DETAILS,
    LANGUAGES,
    LAYOUTS,
    MOST_ROOM,
    PAPER_SIZES,
    Layout,
    PaperSize,
)
from attncli.scenario.file.keys import (
    Choice,
    Flag,
    Key,
    ListOf,
    MapOf,
    NumberKind,
    OneOrMany,
    Record,
    Schema,
    TextKind,
    WholeNumber,
    keys_of_fields,
    typed,
)
from attncli.scenario.file.nodes import Map, Node, Scalar, describe
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.steps.order import STORY, inquiries, is_question
from attncli.steps.schema import nearest_step

MOST_POINTS = 100
MOST_IN_ALL = 10_000
MOST_FORMS = 10_000
LARGEST_SEED = 10**18
_WRITTEN = ":written"


class Blanking(NamedTuple):
    """The numbers that are taken out of a page."""

    kind: str = "results"
    """`results`, `working`, `all`, or a seeded `random` share of all."""
    share: Decimal = Decimal(1)

    @classmethod
    def of(cls, text: str) -> "Blanking":
        """Reads `results` or `random:0.4`. Raises UnreadableError."""
        kind, colon, share = text.partition(":")
        if kind not in BLANKS or (colon and kind != "random"):
            right = f"say {', '.join(BLANKS)}, or random:0.4"
            raise decimals.UnreadableError("no such choice", right)
        if kind != "random":
            return cls(kind)
        try:
            part = decimals.parse(share or "0.5")
        except ValueError:
            part = Decimal(0)
        if not 0 < part <= 1:
            right = "give one above 0 and at most 1, like random:0.4"
            raise decimals.UnreadableError(f"{quote(share)} is no share", right)
        return cls(kind, part)

    @property
    def results(self) -> bool:
        return self.kind != "working"

    @property
    def terms(self) -> bool:
        return self.kind != "results"


WORTH = NumberKind(least=0, most=MOST_POINTS)
"""The points of a blank: with 0 it is asked, and doesn't count."""
IN_ALL = NumberKind(positive=True, most=MOST_IN_ALL)
"""The points of a whole part."""


class BlankingKind:
    """A kind of value: `results`, `working`, `all`, `random:0.4`."""

    def read(self, node: Node, problems: Diagnostics) -> Blanking | None:
        try:
            return Blanking.of(node.text if isinstance(node, Scalar) else "")
        except decimals.UnreadableError as error:
            problems.add(node.where, f"{describe(node)}: {error.wrong}", error.right)
            return None

    def schema(self) -> Schema:
        return {"anyOf": [{"enum": list(BLANKS)}, {"type": "string", "pattern": "^random:"}]}


class NameKind(NamedTuple):
    """A kind of value: a name of something that is known."""

    what: str
    """What it is a name of, in words."""
    is_known: Callable[[str], bool]
    nearest: Callable[[str], str]
    """Suggests the name that is meant by one that isn't known."""
    schema: Callable[[], Schema]

    def read(self, node: Node, problems: Diagnostics) -> str | None:
        text = node.text if isinstance(node, Scalar) else ""
        if self.is_known(text):
            return text
        problems.add(node.where, f"{describe(node)} is no {self.what}", self.nearest(text))
        return None


STEP = NameKind(  # a scenario may have others of its own
    "step", str.isidentifier, nearest_step, lambda: {"anyOf": [{"enum": list(STORY)}, _OWN]}
)
QUESTION = NameKind(
    "question",
    is_question,
    lambda text: nearest(text, [*inquiries()]),
    lambda: {"type": "string", "pattern": "|".join(inquiries())},
)
_OWN: Schema = {"type": "string", "pattern": r"^\w+$"}
_TEXT = TextKind()


class Within(NamedTuple):
    """A part of what is worked, of which alone something is asked."""

    token: Annotated[
        str | None, _TEXT, "only the rows of this query: `love`, its position, or `last`"
    ] = None
    layer: Annotated[str | None, _TEXT, "only this layer: `2`, or `encoder.1`"] = None
    head: Annotated[str | None, _TEXT, "only this head, counted from 1"] = None
    time: Annotated[str | None, _TEXT, "only this step of a recurrent cell: `2`, or `last`"] = None
    rows: Annotated[
        tuple[str, ...],
        OneOrMany(_TEXT),
        "only the numbers in these rows of each table: `[love, 2, last]`",
    ] = ()
    columns: Annotated[
        tuple[str, ...], OneOrMany(_TEXT), "only the numbers in these columns: `last`"
    ] = ()

    @property
    def places(self) -> dict[str, str | None]:
        """Returns the token, layer, head and time, by their names."""
        return {
            "token": self.token,
            "layer": self.layer,
            "head": self.head,
            "time": self.time,
        }

    def inside(self, whole: "Within") -> "Within":
        """Returns this with what is said for all in the place of what it doesn't say itself. What
        it calls `all` isn't narrowed."""
        said = {name: value for name, value in self._asdict().items() if value}
        kept = (whole._asdict() | said).items()
        return Within(**{name: value for name, value in kept if value not in (_ALL, (_ALL,))})


_ALL = "all"


class Ask(NamedTuple):
    """Something that is asked for: a step, cells, a question that is answered in words, or without
    any of them all that is made; within a token, a layer, a head and so on, if these are said.

    What it doesn't say of blanks and points the whole exercise does.
    """

    step: Annotated[str | None, STEP, "`{step: softmax}`: what this step makes"] = None
    cell: Annotated[
        str | None,
        TextKind("a cell"),
        "`{cell: 'weights[love, AI]'}`: this cell, as `--cell` has it; or several: "
        "`'weights[*, last]'`, `'scores[love]'`, `'gates[2]'`",
    ] = None
    question: Annotated[
        str | None,
        QUESTION,
        "`{question: attends_most}`: something that is answered in words; one alone by its id, "
        "`{question: 'attends_most[love]'}`",
    ] = None
    written: Annotated[
        bool, Flag(), "`true`: such an answer is written, and not chosen from a list"
    ] = False
    within: Within = Within()
    """The part that it is asked of."""
    blank: Annotated[
        Blanking | None,
        BlankingKind(),
        "what is left blank in it, if not as in the whole exercise",
    ] = None
    points: Annotated[Decimal | None, WORTH, "the points of each of its blanks: `0.5`, or 0"] = None
    where: Where | None = None
    """Where it is said in a file."""
    entry: int = 0
    """Its number, if it is a question by itself."""

    def asking(self, text: str) -> "Ask":
        """Returns this with what `--ask` says: a question, perhaps with `:written` behind it."""
        question = text.removesuffix(_WRITTEN)
        return self._replace(question=question, written=question != text)


ASKED = Record.of(*keys_of_fields(Ask))


class AskKind:
    """A kind of value: a step or a question by its name, or a map that says more."""

    kind = ASKED

    def read(self, node: Node, problems: Diagnostics) -> Ask | None:
        if not isinstance(node, Map):
            if isinstance(node, Scalar) and is_question(node.text):
                return Ask(question=node.text, where=node.where)
            step = STEP.read(node, problems)
            return None if step is None else Ask(step, where=node.where)
        values = ASKED.whole(node, problems)
        if values is None:
            return None
        for key, others, wrong, right in _AT_ODDS:
            beside = sorted(others & values.keys())
            if key in values and beside:
                problems.add(node.where, wrong.format(" and ".join(beside)), right)
                return None
        if "written" in values and "question" not in values:
            wrong = "only the answer of a question can be written"
            problems.add(node.where, wrong, "leave written out")
            return None
        return typed(Ask, values, within=typed(Within, values), where=node.where)

    def schema(self) -> Schema:
        return {"anyOf": [STEP.schema(), QUESTION.schema(), ASKED.schema()]}


_AT_ODDS = (
    ("cell", {"step", "question"},
     "a cell says itself of which step it is, and {} beside it", "keep one of them"),
    ("question", {"step", "blank"},
     "a question is answered in words, and {} beside it", "keep one of them"),
)  # fmt: skip
"""Keys that aren't said together: a key, others, what is wrong with these and what is right."""


class Points(NamedTuple):
    """The points of a blank: of all of them, of those of a step, and of those of a quantity; or of
    all together, which those share of which nothing is said."""

    each: Decimal = Decimal(1)
    steps: Mapping[str, Decimal] = MappingProxyType({})
    quantities: Mapping[str, Decimal] = MappingProxyType({})
    total: Decimal | None = None
    where: Where | None = None
    """Where it is said in a file."""

    @classmethod
    def of_names(cls, found: Mapping[str, Decimal]) -> "Points":
        """Makes points of numbers by the names of steps and quantities, by `total` or `each`."""
        steps = {name: worth for name, worth in found.items() if name in STORY}
        others = found.keys() - steps.keys() - {TOTAL, EACH}
        quantities = {name: worth for name, worth in found.items() if name in others}
        each = found.get(EACH, Decimal(1))
        return cls(each, steps, quantities, found.get(TOTAL))

    def named(self, step: str, quantity: str) -> Decimal | None:
        """Returns the points of a blank of a quantity, by its last name, that a step makes, where
        they are said; else None."""
        named = (self.quantities.get(quantity), self.steps.get(step), self.quantities.get(step))
        return next((worth for worth in named if worth is not None), None)

    def of(self, step: str, quantity: str) -> Decimal:
        """Returns the points of a blank of a quantity, by its last name, that a step makes."""
        worth = self.named(step, quantity)
        return self.each if worth is None else worth


TOTAL, EACH = "total", "each"
"""Names beside those of steps and quantities."""


class PointsKind(NamedTuple):
    """A kind of value: a number for each blank, or for a whole part, or a map from steps and
    quantities to numbers."""

    in_all: bool = False
    """Whether a number alone is of all blanks together."""

    def read(self, node: Node, problems: Diagnostics) -> Points | None:
        if not isinstance(node, Map):
            number = (IN_ALL if self.in_all else WORTH).read(node, problems)
            if number is None:
                return None
            alone = Points(total=number) if self.in_all else Points(number)
            return alone._replace(where=node.where)
        found: dict[str, Decimal] = _NUMBERED.read(node, problems) or {}
        wrong = [name for name, worth in found.items() if name != TOTAL and worth > MOST_POINTS]
        for name in wrong:
            says = f"{name}: {found[name]} is not {MOST_POINTS} or less"
            problems.add(node.where, says, "give fewer points of a blank")
        if TOTAL in found and EACH in found:
            wrong_too = "points of all together and of each"
            problems.add(node.where, wrong_too, f"keep {TOTAL} or {EACH}")
            return None
        return None if wrong else Points.of_names(found)._replace(where=node.where)

    def schema(self) -> Schema:
        return {"anyOf": [WORTH.schema(), _NUMBERED.schema()]}


_NUMBERED = MapOf(NumberKind(least=0, most=MOST_IN_ALL), "step or quantity")
_LET_PASS = NumberKind(least=0)
TOLERANCE = Record.of(
    Key("units", _LET_PASS, "so many units of the last place"),
    Key("absolute", _LET_PASS, "so much: `0.01`"),
    Key("relative", _LET_PASS, "this share of the number: `0.01` is one per cent"),
    Key("digits", WholeNumber(1, 15), "a number given with so many significant digits"),
)


class Frame(NamedTuple):
    """A frame of an exercise or an exam: what stands around the questions, and what all of it is
    printed on."""

    title: str = ""
    course: Annotated[str, _TEXT, "the course, which stands below the title"] = ""
    date: Annotated[str, _TEXT, "the date"] = ""
    duration: Annotated[str, _TEXT, "how long there is: `90 minutes`"] = ""
    tools: Annotated[str, _TEXT, "what may be used: `a pocket calculator`"] = ""
    institution: Annotated[str, _TEXT, "the school or university"] = ""
    instructions: Annotated[str, _TEXT, "what is to be known before the first question"] = ""
    language: Annotated[
        str, Choice(LANGUAGES), "the language of the program's own words on the papers"
    ] = LANGUAGES[0]
    paper: Annotated[
        PaperSize, Choice(PAPER_SIZES), "what it is printed on, as `--paper` has it"
    ] = PAPER_SIZES[0]


class FormNumbers(NamedTuple):
    """The numbers of an exercise's forms: of how many, and by what they are chosen."""

    forms: Annotated[
        int | None,
        WholeNumber(1, MOST_FORMS),
        "so many forms, each with numbers of its own; one alone has those of the scenario",
    ] = None
    """How many forms there are; None for the scenario's own numbers."""
    own: Annotated[
        bool | None,
        Flag(),
        "whether the first form has the scenario's own numbers: if it is the only one by default, "
        "since others cost the same, and the scenario's may not",
    ] = None
    seed: Annotated[
        int, WholeNumber(0, LARGEST_SEED), "chooses the forms' numbers and random blanks"
    ] = 1
    allow: Annotated[tuple[str, ...], OneOrMany(_TEXT), "rules that the numbers needn't keep"] = ()


class ExerciseFile(NamedTuple):
    """An exercise as a file has it: all that it is made from besides its scenario, which `scenario`
    names by a path or a shipped name."""

    scenario: Annotated[
        str,
        TextKind("a scenario"),
        "the scenario that is asked about: a file, by its path from this one's folder, or the name "
        "of a shipped one",
    ]
    ask: Annotated[
        tuple[Ask, ...],
        ListOf(AskKind()),
        "what is asked for: `[softmax, {step: weighted_sum, token: love}]`; all steps if nothing is"
        " said. Besides numbers a question that is answered in words: `attends_most`",
    ] = (Ask(),)
    within: Within = Within()
    """The part that all of it is asked of, but for what says another itself."""
    blank: Annotated[Blanking, BlankingKind(), "what is left blank, as `--blank` has it"] = (
        Blanking()
    )
    points: Annotated[
        Points,
        PointsKind(),
        "the points of a blank, 1 by default: `{softmax: 0.5, exp: 1}`; 0 is asked and doesn't "
        "count. `{total: 30}` is shared out over all, but for what is named beside it",
    ] = Points()
    tolerance: Annotated[
        Mapping[str, Decimal],
        TOLERANCE,
        "what is let pass beside what follows by itself: `{units: 1}`",
    ] = MappingProxyType({})
    layout: Annotated[
        Layout | None,
        Choice(LAYOUTS),
        "the room for working: little, some lines, or a page each",
    ] = None
    room: Annotated[
        int | None,
        WholeNumber(0, MOST_ROOM),
        "so many lines for the working of each question, whatever the layout",
    ] = None
    detail: Annotated[
        str | None, Choice(DETAILS), "how closely it is shown, as `--detail` has it"
    ] = None
    numbers: FormNumbers = FormNumbers()
    """The numbers of its forms."""
    mistakes: Annotated[
        int | None,
        WholeNumber(0, 99),
        "the share of the points that a known mistake earns, in %",
    ] = None
    """What a known mistake earns, in per cent."""
    places: Mapping[str, Where] = MappingProxyType({})
    """Where its keys stand in a file."""


EXERCISE = Record.of(
    Key("exercise", TextKind("a title"), "what the exercise is called"),
    *keys_of_fields(Frame),
    *keys_of_fields(ExerciseFile),
)
