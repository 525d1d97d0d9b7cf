"""The worked solution of what a section asks for: its lines as `attn run` prints them, each answer
and what is accepted for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import reduce

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Expression, Number, Omitted, Root, numbers_in
from attncli.document import Addition, Block, Line, Note, Spans, Table, Working, each
from attncli.languages.words import FrameWords, KeyWords
from attncli.name import Name
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.questions import Question, RightAnswer, points_text
from attncli.telling.exercise.lines import Blankable, inside_of
from attncli.telling.sentences import joined, put_in
from attncli.word import Word

_MOST_NAMED = 6


def solution_of(
    working: Sequence[Block],
    places: Sequence[Blankable],
    questions: Sequence[Question],
    path: Name,
    words: KeyWords,
    *,
    whole: bool = False,
) -> tuple[Block, ...]:
    """The lines of full working that have something to do with what is asked, or the `whole` of
    it, then each answer with what is accepted."""
    lines = working
    if not whole:
        asked = _Wanted(places)
        lines = [block for one in working for block in asked.of(one)]
    names = [place.seen_from(path) for place in places]
    rows = (_row(one, name, words) for one, name in zip(questions, names, strict=True))
    headings = (words.blank, words.answer, words.carry, words.exact, words.accepted, words.points)
    return (*lines, Table(headings, tuple(rows)), *_doubts(questions, names, words))


def _doubts(questions: Sequence[Question], names: Sequence[str], words: KeyWords) -> list[Block]:
    """What answers can't tell: those that may be far off, and what mistakes give as well."""
    keys = [(name, one.key) for one, name in zip(questions, names, strict=True) if one.key]
    told: list[Spans] = []
    wide = [Word(name) for name, key in keys if key.is_wide]
    if wide:
        told.append(put_in(words.wide, blanks=_listed(wide, words)))
    for says in dict.fromkeys(says for _, key in keys for says in key.hidden):
        blanks = [Word(name) for name, key in keys if says in key.hidden]
        told.append(put_in(words.hidden, mistake=says, blanks=_listed(blanks, words)))
    return [Note(one) for one in told]


def _listed(names: Sequence[Word], words: KeyWords) -> Spans:
    told = joined((name,) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return put_in(words.more, names=told, count=str(more)) if more > 0 else told


def _row(question: Question, name: str, words: KeyWords) -> tuple[Word | str, ...]:
    """A blank, as it is called, with its answer and what is accepted."""
    key = question.key
    assert key is not None
    answer = plain(key.number)

    def text(number: Number | None) -> str:
        if number is None:
            return "–"
        return answer if number is key.number else plain(number)

    return (
        Word(name),
        answer,
        text(key.carry),
        text(key.exact),
        _range(key, words),
        points_text(question.points),
    )


def _range(key: RightAnswer, words: KeyWords) -> str:
    """What is accepted; of a count, which is a whole number, that alone."""
    low, high = _number(key.low), _number(key.high)
    return low if low == high else words.range.format(low=low, high=high)


def _number(number: Decimal) -> str:
    return decimals.text(number).replace("-", MINUS)


def what_is_accepted(
    keys: Iterable[RightAnswer], roots: Mapping[Decimal, Decimal], words: FrameWords
) -> tuple[Block, ...]:
    """How a key is to be read: what is accepted for numbers, and why; `roots` are printed on the
    sheet."""
    own = words.keys
    halves = [
        own.half.format(half=_number(x), decimals=words.facts.decimals.of(decimals.places(x) - 1))
        for x in dict.fromkeys(key.half for key in keys if key.low != key.high)
    ]
    if not halves:
        return ()
    told = reduce(lambda a, b: own.either.format(first=a, last=b), halves)
    printed = (
        put_in(own.root, root=(Root(Number.written(square)),), about=(Number.written(about),))
        for square, about in roots.items()
    )
    says = put_in(own.what_is_accepted, halves=told)
    return (Note((*says, *(span for spans in printed for span in spans))),)


class _Wanted:
    """Which lines are wanted: those whose results, or whose terms, are asked for."""

    def __init__(self, places: Sequence[Blankable]) -> None:
        self.cells = {place.cell for place in places if place.cell is not None}
        self.lines = {place.line for place in places if place.cell is None}

    def of(self, block: Block) -> Iterator[Block]:
        (block,) = each([block])
        if isinstance(block, Working):
            lines = _without_loose_ends([line for line in block.lines if self.keeps(line)])
            if lines:
                yield Working(tuple(lines))
        elif isinstance(block, Addition) and self.is_about(block, block.total):
            yield block

    def keeps(self, line: Line | Omitted) -> bool:
        return isinstance(line, Omitted) or self.is_about(line, line.parts[-1][1])

    def is_about(self, line: Line | Addition, result: Expression) -> bool:
        if self.lines and f"{line.quantity}{inside_of(line)}" in self.lines:
            return True
        return any(number.cell in self.cells for number in numbers_in(result))


def _without_loose_ends(lines: Sequence[Line | Omitted]) -> list[Line | Omitted]:
    """The lines without marks for those left out at either end, or twice in a row."""
    kept: list[Line | Omitted] = []
    for line in lines:
        if isinstance(line, Line) or (kept and isinstance(kept[-1], Line)):
            kept.append(line)
    return kept[:-1] if kept and isinstance(kept[-1], Omitted) else kept
