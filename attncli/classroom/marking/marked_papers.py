"""A paper with its verdicts and points, and whether it shows working."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import dropwhile
from typing import NamedTuple, TypeVar

from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.costs import Bill
from attncli.classroom.marking.exam import Exam, MarkedTerm, judged_term, known_id
from attncli.classroom.marking.unknown_cells import hint_on
from attncli.classroom.marking.word_answers import MarkedWords, OwnAnswers, marked_words, meanings
from attncli.errors import agreed
from attncli.judging.judging import Judge
from attncli.judging.slips import OF_THE_PEN
from attncli.judging.verdicts import RIGHT, UNEARNED, Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.names import Name, Word, WordedText
from attncli.trace import Trace


class AnswersTaken(NamedTuple):
    """The answers of a paper by the ids of what an exam asks, and remarks on other answers."""

    by_id: Mapping[str, Given]
    remarks: tuple[WordedText, ...]


def answers_taken(trace: Trace | None, ids: Sequence[str], sheet: AnswerSheet) -> AnswersTaken:
    """Matches the answers of a sheet with what is asked, however the address of a cell is written
    where there is a trace."""
    asked = {*ids}
    taken = {text: given for text, given in sheet.answers.items() if text in asked}
    remarks: list[WordedText] = []
    lost = []
    for text, given in sheet.answers.items():
        id_ = text if text in asked or trace is None else known_id(trace, text)
        if id_ not in asked:
            lost.append((text, given))
        elif text != id_ and taken.setdefault(id_, given) is not given:
            entries = (" is answered a second time, as ", Word(text), ". The first answer counts.")
            remarks.append((Word(id_), *entries))
    pairs = [(text, given) for text, given in lost if not given.is_empty]
    if pairs:
        remarks.append(_not_asked(pairs, ids, trace))
    if sheet.unread:
        columns = in_a_row(sheet.unread)
        remarks.append(("What stands in the table under ", *columns, " isn't read."))
    return AnswersTaken(taken, tuple(remarks))


_MOST_HINTS = 12
"""The most unknown cells that get a suggestion. A sheet with more is another exam's."""


def _not_asked(
    pairs: Sequence[tuple[str, Given]], asked: Sequence[str], trace: Trace | None
) -> WordedText:
    """Says which answers belong to nothing that is asked, each with a suggestion: `wieghts[I, I]:
    0.422 (did you mean weights[I, I]?) answers nothing that is asked, and earns nothing.`"""
    told: list[str | Word] = []
    for k, (text, given) in enumerate(pairs):
        told += [", "] * bool(k) + [Word(f"{text}: {given.text.strip()}")]
        hint = hint_on(text, asked, trace) if k < _MOST_HINTS else ""
        told += [" (", Word(hint), ")"] if hint else []
    answer, earn = (agreed(len(pairs), f"{verb}s", verb) for verb in ("answer", "earn"))
    return (*told, f" {answer} nothing that is asked, and {earn} nothing.")


def in_a_row(texts: Sequence[str]) -> WordedText:
    """Joins words that somebody wrote with commas."""
    return tuple(part for text in texts for part in (", ", Word(text)))[1:]


_Said = TypeVar("_Said", Verdict, MarkedTerm, MarkedWords)
_SHOWS = (*RIGHT, "known mistake", "rounding")
_BY_CHANCE = (None, Decimal(0), Decimal(1), Decimal(-1))
_A_SLIP = 1
"""How many wrong numbers may be unexplained on a paper that shows no working."""
_FOR_EACH = 2
"""How many unexplained wrong numbers one number that shows working makes up for."""


class Doubt(NamedTuple):
    """A finding that speaks against a paper having been worked."""

    first: Name
    """The first quantity with an unexplained wrong number."""
    slips: int
    """How many wrong numbers are unexplained."""
    shows: int
    """How many numbers show working."""
    too_few: bool
    """Whether too few show working."""
    unearned: int
    """How many numbers follow and earn nothing."""
    trivial: tuple[Name, ...]
    """The quantities of those that follow trivially."""
    more: Decimal = Decimal(0)
    """How many more points the paper would earn if what follows earned its points."""


@dataclass(frozen=True)
class ShownWorking:
    """A check of whether a paper was worked, by its verdicts in the order of the working.

    Numbers that only follow from wrong ones earn nothing on a paper that doesn't show working:
    zeros follow from zeros, and the key of another form follows from itself.

    What counts is how a paper continues from the first quantity with an unexplained wrong number.
    From there on a number shows working if it comes from no wrong one, is right or what a known
    mistake or another way of rounding gives, and isn't met by chance: it is neither 0 nor 1, nor
    any unexplained wrong number. A paper with more than one unexplained wrong number, and more than
    two for each number that shows working, doesn't show any.

    Where the `others`, who judge the other forms, are known and the wrong numbers are none of
    theirs, the whole paper counts: a step may have gone wrong as a whole.

    On every paper a number is trivial if the same number stands throughout its quantity and it
    follows only from that number, where that is wrong: zeros from zeros, or one number for many
    that should differ.
    """

    judge: Judge
    verdicts: Sequence[Verdict]
    others: Sequence[Judge] | None = None
    _follows: dict[Location, bool] = field(default_factory=dict)

    def judged(self) -> tuple[tuple[Verdict, ...], Doubt | None]:
        """Returns the verdicts, in which numbers that follow without working are `not worked`, and
        what speaks against the paper, or None."""
        slips = [v for v in self.verdicts if v.judgement == "slip"]
        shows = sum(self._shows(slips)) if len(slips) > _A_SLIP else 0
        too_few = len(slips) > max(_A_SLIP, _FOR_EACH * shows)
        alike = dict(self._alike())
        trivial = [v for v in self.verdicts if self._is_trivial(v, alike)]
        verdicts = tuple(
            v._replace(judgement="not worked")
            if v.judgement == "carried forward" and (too_few or v in trivial)
            else v
            for v in self.verdicts
        )
        unearned = sum(v.judgement == "not worked" for v in verdicts)
        if not (too_few or unearned):
            return verdicts, None
        wrong = slips or [v for v in verdicts if v.judgement == "not worked"]
        first = self.judge.trace[wrong[0].cell.quantity].name
        names = tuple(dict.fromkeys(self.judge.trace[x.cell.quantity].name for x in trivial))
        return verdicts, Doubt(first, len(slips), shows, too_few, unearned, names)

    def _shows(self, slips: Sequence[Verdict]) -> Iterator[bool]:
        """Yields for each number that counts whether it shows working."""
        by_chance = {*_BY_CHANCE, *(slip.given.number for slip in slips)}
        name = slips[0].cell.quantity
        counted: Iterable[Verdict] = self.verdicts
        if self.others is None or self._are_another_form(slips):
            counted = dropwhile(lambda v: v.cell.quantity != name, counted)
        for verdict in counted:
            of_the_pen = verdict.cause is not None and verdict.cause.name in OF_THE_PEN
            shows = verdict.judgement in _SHOWS and verdict.given.number not in by_chance
            yield shows and not of_the_pen and not self._follows_from_wrong(verdict.cell)

    def _are_another_form(self, slips: Sequence[Verdict]) -> bool:
        """Tells whether at least half of the slips are right in one of the other forms."""
        each = (sum(_takes(other, slip) for slip in slips) for other in self.others or ())
        return max(each, default=0) * 2 >= len(slips)

    def _follows_from_wrong(self, cell: Location) -> bool:
        """Tells whether a cell is worked from a wrong number, directly or through other cells."""
        if cell not in self._follows:
            self._follows[cell] = any(
                source in self._wrong or self._follows_from_wrong(source)
                for source in self.judge.sources(cell)
            )
        return self._follows[cell]

    @cached_property
    def _wrong(self) -> Mapping[Location, Verdict]:
        right = (*RIGHT, "blank", "unreadable")
        return {v.cell: v for v in self.verdicts if v.judgement not in right}

    def _is_trivial(self, verdict: Verdict, alike: Mapping[str, Decimal]) -> bool:
        number = alike.get(verdict.cell.quantity)
        if number is None or verdict.judgement != "carried forward":
            return False
        sources = (self._wrong[cell] for cell in verdict.follows_from if cell in self._wrong)
        return all(s.given.number == number for s in sources)

    def _alike(self) -> Iterator[tuple[str, Decimal]]:
        """Yields the quantities for which the same number is given throughout, although the right
        ones differ or that number is 0."""
        for name in dict.fromkeys(v.cell.quantity for v in self.verdicts):
            own = [v for v in self.verdicts if v.cell.quantity == name]
            given, right = ({x.given.number for x in own}, {x.expected.shown for x in own})
            number = given.pop()
            if not given and number is not None and (len(right) > 1 or number == 0):
                yield name, number


def _takes(judge: Judge, verdict: Verdict) -> bool:
    """Tells whether a number is right for the same cell of another form."""
    (name, i, j), number = verdict.cell, verdict.given.number
    if number is None or name not in judge.trace.quantities:
        return False
    rows, columns = judge.trace[name].matrix.shape
    return i < rows and j < columns and judge.accepted(verdict.cell).takes(number)


class PointedVerdict(NamedTuple):
    """A verdict, and the points that its number earns."""

    verdict: Verdict
    points: Decimal
    costs: Decimal = Decimal(0)
    """What it costs, with what numbers that follow are charged with for its mistake."""
    charged: tuple[tuple[Location, Decimal], ...] = ()
    """What it is charged with for mistakes, each by the first number that shows it."""


class MarkedPaper(NamedTuple):
    """A student's marked answers to one part, in the order of the working."""

    sheet: AnswerSheet
    exam: Exam
    numbers: tuple[PointedVerdict, ...]
    doubt: Doubt | None = None
    """What speaks against the answers having been worked, if anything does."""
    terms: tuple[MarkedTerm, ...] = ()
    """Numbers inside lines."""
    words: tuple[MarkedWords, ...] = ()
    """Answers in words."""
    remarks: tuple[WordedText, ...] = ()
    """What else doesn't fit."""

    @property
    def of(self) -> Decimal:
        """Returns the points of the whole exam."""
        return self.exam.points

    @property
    def points_of(self) -> dict[str, Decimal]:
        """Returns the points of each answer, by the id of what is asked."""
        numbers = {self.exam.results[v.verdict.cell].id: v.points for v in self.numbers}
        terms = {m.asked.id: m.points for m in self.terms}
        return {**numbers, **terms, **{m.asked.id: m.points for m in self.words}}

    @property
    def points(self) -> Decimal:
        return sum(self.points_of.values(), Decimal(0))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(v.verdict for v in self.numbers)

    @property
    def judgements(self) -> list[str]:
        """Lists the judgements on all numbers in the order of the working, then on those inside
        lines, then on answers in words."""
        terms = (m.judgement for m in self.terms)
        words = (m.judgement for m in self.words)
        return [*(verdict.judgement for verdict in self.verdicts), *terms, *words]

    @property
    def given(self) -> Iterator[Given]:
        """Yields what is given for all that is asked."""
        yield from (verdict.given for verdict in self.verdicts)
        yield from (term.given for term in self.terms)
        yield from (words.given for words in self.words)

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.judgements)

    @property
    def follows(self) -> bool:
        """Tells whether every answer is there and right."""
        return all(judgement in RIGHT for judgement in self.judgements)


def _pointed(exam: Exam, bill: Bill, verdicts: Sequence[Verdict]) -> tuple[PointedVerdict, ...]:
    items = [exam.results[v.cell] for v in verdicts]
    earned = [bill.number(item, v) for item, v in zip(items, verdicts, strict=True)]
    each = zip(verdicts, items, earned, strict=True)
    return tuple(PointedVerdict(v, points, item.points - points) for v, item, points in each)


def _with_rests(
    exam: Exam, bill: Bill, numbers: Sequence[PointedVerdict]
) -> tuple[PointedVerdict, ...]:
    """Charges what follows from a mistake with what it costs beyond the numbers that it gives, from
    the first to the last, as far as they have points."""
    found, mistakes = [*numbers], dict[object, list[int]]()
    for k, (verdict, *_) in enumerate(numbers):
        mistakes.setdefault(bill.mistake_of(exam.results[verdict.cell], verdict), []).append(k)
    for mistake, places in mistakes.items():
        rest = left = bill.left.get(mistake, Decimal(0)) if mistake is not None else Decimal(0)
        first = found[places[0]]
        reached = {found[k].verdict.cell for k in places} if rest else set[Location]()
        for n, other in enumerate(found):
            if not reached.isdisjoint(other.verdict.follows_from):
                reached.add(other.verdict.cell)
                taken = min(left, other.points)
                charged = (*other.charged, (first.verdict.cell, taken))
                found[n] = other._replace(points=other.points - taken, charged=charged)
                left -= taken
        found[places[0]] = first._replace(costs=first.costs + rest - left)
    return tuple(found)


def _total(numbers: Sequence[PointedVerdict]) -> Decimal:
    return sum((number.points for number in numbers), Decimal(0))


def marked(
    exam: Exam, sheet: AnswerSheet, others: Sequence[Exam] | None = None, bill: Bill | None = None
) -> MarkedPaper:
    """Marks a student's answers. What is asked and isn't answered is blank. `others` are the other
    forms, where they are known; the `bill` knows what other parts were charged for."""
    nothing = Given("")
    bill = bill or Bill(exam.scheme, exam)
    taken, remarks = answers_taken(exam.trace, exam.ids, sheet)
    answers = {cell: taken.get(item.id, nothing) for cell, item in exam.results.items()}
    paper = exam.judge.judged(answers)
    judged = paper.verdicts
    judges = None if others is None else [other.judge for other in others]
    verdicts, doubt = ShownWorking(exam.judge, judged, judges).judged()
    if doubt is not None and doubt.too_few:
        lenient = bill.copy
        counted = _total(_with_rests(exam, lenient, _pointed(exam, lenient, judged)))
        bill = Bill(bill.scheme.strictest, exam)
        doubt = doubt._replace(more=counted - _total(_pointed(exam, bill, verdicts)))
    numbers = _pointed(exam, bill, verdicts)
    terms = tuple(
        bill.term(judged_term(term, taken.get(term.id, nothing), answers)) for term in exam.terms
    )
    numbers = _with_rests(exam, bill, numbers)
    pairs = [(question, taken.get(item.id, nothing)) for item, question in exam.words]
    own = OwnAnswers.of(paper, [*meanings(pairs)])
    words = tuple(
        marked_words(
            question, item.points, taken.get(item.id, nothing), own, carry=bill.scheme.carry
        )
        for item, question in exam.words
    )
    if not exam.scheme.carry:
        numbers = tuple(n._replace(verdict=_as_wrong(n.verdict)) for n in numbers)
        terms, words = tuple(map(_as_wrong, terms)), tuple(map(_as_wrong, words))
    return MarkedPaper(sheet, exam, numbers, doubt, terms, words, remarks)


def _as_wrong(said: _Said) -> _Said:
    """Turns what only follows from a wrong number into a slip, for schemes that carry nothing
    forward."""
    if said.judgement != "carried forward":
        return said
    wrong = said._replace(judgement="slip")
    return wrong._replace(cause=UNEARNED) if isinstance(wrong, Verdict) else wrong
