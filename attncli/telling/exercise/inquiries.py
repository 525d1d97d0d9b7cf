"""Questions of an exercise that are answered in words: what is asked, and what is right."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from attncli.document import Block, Table, WordBlank
from attncli.languages.words import FrameWords, KeyWords
from attncli.marking.inquiries import WordQuestion, questions_at
from attncli.marking.paths import Paths
from attncli.questions import Question, RightWords, counted_points, labels_of, points_text
from attncli.records import NamedTuple
from attncli.scenario.exercise import Points
from attncli.telling.selection import Selection
from attncli.trace import Trace
from attncli.word import Word, words


class WordsWanted(NamedTuple):
    """Questions that are asked for by their name, or one by its id, of some part of the trace;
    whether the answer is to be written, and the points of each, if that is said."""

    text: str
    selection: Selection = Selection()
    written: bool = False
    points: Decimal | None = None

    def questions(self, trace: Trace) -> list[WordQuestion]:
        """Those that a trace has. Raises AddressError where it has none of that name."""
        return [one for one in questions_at(trace, self.text) if self.tells(trace, one)]

    def tells(self, trace: Trace, question: WordQuestion) -> bool:
        """Whether a question is of the part of the trace that is asked about."""
        own = is_of_rows(trace, question, self.selection)
        return own and self.selection.includes(question.part)


def is_of_rows(trace: Trace, question: WordQuestion, selection: Selection) -> bool:
    """Whether a question is of a row that a selection shows, or of none."""
    row = question.asked.row
    return row is None or row in selection.rows(trace[question.reads])


class AskedInWords(NamedTuple):
    """A question that is asked, and how."""

    question: WordQuestion
    written: bool = False
    points: Decimal = Decimal(1)

    @property
    def options(self) -> tuple[Word, ...]:
        return words(self.question.asked.options)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the options are called in the list; nothing where the answer is written."""
        return () if self.written else labels_of(self.question.asked.options)

    def asked_on(self, paths: Paths) -> Question:
        """The question with its key."""
        key = RightWords(self.options, self.question.right_on(paths), self.labels)
        return Question(self.question.id, self.points, words=key)

    def block(self, key: RightWords, words: FrameWords, rule: str = "") -> WordBlank:
        """The question as it stands on the page, with its answer; perhaps with a rule behind it."""
        points = counted_points(self.points, words)
        says = (*self.question.asked.says, rule and f" {rule}", f" ({points})")
        return WordBlank(
            self.question.id,
            says,
            self.options if self.labels else (),
            self.labels,
            words.keys.answer,
            key.answer,
        )


def asked_in_words(
    trace: Trace, wanted: Sequence[WordsWanted], points: Points
) -> list[AskedInWords]:
    """What is asked of a trace, each question once, in the order of the story; what is said of a
    single one comes before what is said of all."""
    found: dict[str, AskedInWords] = {}
    for want in sorted(wanted, key=lambda one: not one.text.endswith("]")):
        for one in want.questions(trace):
            worth = want.points or points.of(one.part.step, one.name.local)
            found.setdefault(one.id, AskedInWords(one, want.written, worth))
    order = list(trace.story)
    return sorted(
        found.values(),
        key=lambda one: (
            order.index(one.question.part),
            one.question.name,
            one.question.asked.row or 0,
        ),
    )


def blocks_of(
    asked: Sequence[AskedInWords], keys: Sequence[RightWords], words: FrameWords
) -> list[Block]:
    """The questions as they stand on the page, the first of a kind with its rule."""
    told: list[Block] = []
    rules: set[str] = set()
    for one, key in zip(asked, keys, strict=True):
        rule = one.question.rule
        told.append(one.block(key, words, "" if rule in rules else rule))
        rules.add(rule)
    return told


def table_of_answers(questions: Sequence[Question], words: KeyWords) -> list[Block]:
    """The answers in words; where several are right, all of them."""
    rows = tuple(
        (
            Word(one.id),
            _label(one.words, words),
            _answers(one.words, words),
            points_text(one.points),
        )
        for one in questions
        if one.words is not None
    )
    return [Table((words.blank, "", words.answer, words.points), rows)] if rows else []


def _label(key: RightWords, words: KeyWords) -> str:
    return _either([key.labels[k] for k in key.right], words) if key.labels else ""


def _answers(key: RightWords, words: KeyWords) -> Word:
    return Word(_either([word.raw for word in key.answers], words))


def _either(told: Sequence[str], words: KeyWords) -> str:
    """`A or C`"""
    *before, last = told
    return words.either.format(first=", ".join(before), last=last) if before else last
