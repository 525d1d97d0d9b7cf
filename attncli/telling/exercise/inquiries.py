"""Questions of an exercise that are answered in words: what is asked, and what is right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic.expression import Blank, Omitted
from attncli.document import Block, Line, Section, Table, WordBlank, Working, each
from attncli.languages.words import FrameWords, KeyWords
from attncli.marking.grading.words import WordQuestion, questions_at
from attncli.marking.paths import Paths
from attncli.name import Name
from attncli.questions import Question, RightWords, counted_points, points_text
from attncli.scenario.exercise import Points
from attncli.tables import MatrixBlock
from attncli.telling.blocks import matrix_block
from attncli.telling.exercise.leaks import telling
from attncli.telling.selection import Selection
from attncli.trace import Trace
from attncli.word import Phrase, Word, words


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

    def asked_on(self, paths: Paths) -> Question:
        """The question with its key: of the options that are listed, or of all."""
        asked, right = self.question.asked, self.question.right_on(paths)
        listed = [k for k, label in enumerate(asked.labels) if label and not self.written]
        kept = listed or [*range(len(asked.options))]
        key = RightWords(
            words(tuple(asked.options[k] for k in kept)),
            tuple(kept.index(k) for k in right if k in kept),
            tuple(asked.labels[k] for k in listed),
        )
        return Question(self.question.id, self.points, words=key)

    def block(self, key: RightWords, words: FrameWords, rule: Phrase = ()) -> WordBlank:
        """The question as it stands on the page, with its answer; perhaps with a rule behind it."""
        points = counted_points(self.points, words)
        says = (*self.question.asked.says, *((" ", *rule) if rule else ()), f" ({points})")
        listed = key.labels and not self.question.asked.tables
        options = key.options if listed else ()
        heading = words.keys.answer
        return WordBlank(self.question.id, says, options, key.labels, heading, key.answer)

    def tables(self, trace: Trace) -> list[MatrixBlock]:
        """The options that are no words."""
        asked, like = self.question.asked, trace[self.question.reads]
        block = matrix_block(like, Selection(), self.question.part.path)
        return [
            block._replace(name=label, matrix=table, quantity=Name(label), begins_row=k == 0)
            for k, (label, table) in enumerate(zip(asked.labels, asked.tables, strict=False))
        ]


def given_away(trace: Trace, question: WordQuestion, blocks: Iterable[Block]) -> MatrixBlock | None:
    """A table with numbers that tell the answer of a question about a whole table, if there is
    one."""
    if not question.asked.tables:
        return None
    tell = telling(trace, [question.reads])
    tables = (one for one in each(blocks) if isinstance(one, MatrixBlock) and one.quantity in tell)
    return next((one for one in tables if not _is_blank(one)), None)


def _is_blank(table: MatrixBlock) -> bool:
    rows, columns = table.matrix.shape
    cells = (table.entry(i, j) for i in range(rows) for j in range(columns))
    return all(isinstance(cell, Blank) for cell in cells)


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


def by_names(section: Section) -> Section:
    """A section whose lists go by names, so that their order doesn't tell what is largest."""
    return section._replace(
        blocks=tuple(map(_by_names, each(section.blocks))),
        questions=tuple(sorted(section.questions, key=lambda one: one.id)),
        solution=tuple(map(_by_names, each(section.solution))),
    )


def _by_names(block: Block) -> Block:
    match block:
        case MatrixBlock() if block.is_list and not block.given:
            rows = sorted(block.rows, key=lambda row: block.row_names[row].raw)
            return block._replace(rows=tuple(rows))
        case Working():
            return block._replace(lines=tuple(sorted(block.lines, key=_label_of)))
        case _:
            return block


def _label_of(line: Line | Omitted) -> str:
    return str(line.label) if isinstance(line, Line) else ""


def blocks_of(
    trace: Trace, asked: Sequence[AskedInWords], keys: Sequence[RightWords], words: FrameWords
) -> list[Block]:
    """The questions as they stand on the page, the first of a kind with its rule."""
    told: list[Block] = []
    rules: set[Phrase] = set()
    for one, key in zip(asked, keys, strict=True):
        told += one.tables(trace)
        rule = one.question.rule
        told.append(one.block(key, words, () if rule in rules else rule))
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
    labels = [key.labels[k] for k in key.right if key.labels]
    return "" if labels == [word.raw for word in key.answers] else _either(labels, words)


def _answers(key: RightWords, words: KeyWords) -> Word:
    return Word(_either([word.raw for word in key.answers], words))


def _either(told: Sequence[str], words: KeyWords) -> str:
    """`A or C`"""
    *before, last = told or [""]
    return words.either.format(first=", ".join(before), last=last) if before else last
