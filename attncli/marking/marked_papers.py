"""A paper with its verdicts and points, and whether it shows working."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple

from attncli.equations.tree import Location
from attncli.file.problems import nearest
from attncli.marking.answers import AnswerSheet, Student
from attncli.marking.exam import Exam, MarkedTerm, known_id, marked_term
from attncli.marking.judging import Judge
from attncli.marking.slips import OF_THE_PEN
from attncli.marking.verdicts import FOLLOW, Given, Verdict
from attncli.marking.word_answers import MarkedWords, OwnAnswers, marked_words, meanings
from attncli.names import Name, Phrase, Word
from attncli.trace import Trace


class AnswersTaken(NamedTuple):
    """The answers of a paper by the ids of what an exam asks, and what is to be said of others."""

    by_id: Mapping[str, Given]
    remarks: tuple[Phrase, ...]


def _answers_taken(exam: Exam, sheet: AnswerSheet) -> AnswersTaken:
    """The answers to what is asked, however its address is written."""
    asked = {*exam.ids}
    taken = {text: given for text, given in sheet.answers.items() if text in asked}
    remarks: list[Phrase] = []
    lost = []
    for text, given in sheet.answers.items():
        id_ = text if text in asked else known_id(exam.trace, text)
        if id_ not in asked:
            lost.append((text, given))
        elif text != id_ and taken.setdefault(id_, given) is not given:
            entries = (" is answered a second time, as ", Word(text), ". The first answer counts.")
            remarks.append((Word(id_), *entries))
    pairs = [(text, given) for text, given in lost if given.text.strip()]
    if pairs:
        remarks.append(_not_asked(pairs, exam.ids))
    if sheet.unread:
        columns = _listed(sheet.unread)
        remarks.append(("What stands in the table under ", *columns, " isn't read."))
    return AnswersTaken(taken, tuple(remarks))


def _not_asked(pairs: Sequence[tuple[str, Given]], asked: Sequence[str]) -> Phrase:
    """`wieghts[I, I]: 0.422 answers nothing that is asked, and earns nothing: did you mean …`"""
    each = _listed([f"{text}: {given.text.strip()}" for text, given in pairs])
    if len(pairs) > 1:
        return (*each, " answer nothing that is asked, and earn nothing.")
    right = nearest(pairs[0][0], asked)
    if not right.startswith("did you"):
        return (*each, " answers nothing that is asked, and earns nothing.")
    return (*each, " answers nothing that is asked, and earns nothing: ", Word(right))


def of_forms(exam: Exam, sheet: AnswerSheet, by_named: Decimal | None) -> Iterator[Phrase]:
    """Where a paper names another form than it carries the hash of; what it would earn by that, if
    there is one."""
    if exam.form and sheet.form not in ("", exam.form):
        points = (
            ""
            if by_named is None
            else f" By form {sheet.form} it would earn {by_named.normalize():f}."
        )
        yield (
            "It says form ", Word(sheet.form), ", but its hash ", Word(sheet.mark),
            f" is that of form {exam.form}, by which it is marked.{points}",
        )  # fmt: skip


class Roll(NamedTuple):
    """The list of a class, by which papers are matched with their students."""

    students: Sequence[Student]

    def student_of(self, sheet: AnswerSheet) -> Student | None:
        """Whose paper it is: by the ID, else by the name, which may be that of the file, as long
        as no two of the list have it."""
        if sheet.id:
            return next((s for s in self.students if s.id == sheet.id), None)
        names = {sheet.student.casefold(), Path(sheet.source).stem.casefold()}
        found = [s for s in self.students if s.name.casefold() in names]
        found = found or [s for s in self.students if s.id.casefold() in names]
        return found[0] if len(found) == 1 else None

    def remarks(self, sheet: AnswerSheet, form: str) -> Iterator[Phrase]:
        """Where a paper, which is of a form, isn't as the list says."""
        student = self.student_of(sheet)
        if not self.students:
            return
        if student is None:
            yield ("The list of students has nobody of this name or ID.",)
            return
        if sheet.id and sheet.student.casefold() not in (student.name.casefold(), _stem(sheet)):
            yield "The list has ", Word(student.name), " for this ID."
        if student.form and form and student.form != form:
            yield (f"The list gives form {student.form}, the paper is of form {form}.",)

    def named(self, sheet: AnswerSheet) -> AnswerSheet:
        """A sheet with the name and the ID of whose it is, as far as the list tells."""
        student = self.student_of(sheet)
        return sheet if student is None else sheet._replace(student=student.name, id=student.id)

    def missing(self, sheets: Iterable[AnswerSheet]) -> list[Student]:
        """Those of whom there is no paper."""
        handed_in = {student.id for sheet in sheets if (student := self.student_of(sheet))}
        return [s for s in self.students if s.id not in handed_in]


def of_several(sheets: Sequence[AnswerSheet], roll: Roll) -> dict[int, Phrase]:
    """What is said of each of several papers of somebody, by their places."""
    each: dict[str, list[int]] = {}
    for k, sheet in enumerate(sheets):
        student = roll.student_of(sheet)
        each.setdefault(sheet.id or (student.id if student else sheet.student), []).append(k)
    found: dict[int, Phrase] = {}
    for places in (some for some in each.values() if len(some) > 1):
        own = [sheets[k] for k in places]
        alike = all(entry.answers_alike(own[0]) for entry in own)
        text = " They say the same." if alike else " They don't say the same."
        files = _listed([entry.source for entry in own])
        entries = (f"There are {len(own)} papers: ", *files, f". Each has its marks.{text}")
        found |= dict.fromkeys(places, entries)
    return found


def files_left(paths: Sequence[str]) -> Iterator[Phrase]:
    """Files of a folder that aren't read."""
    if len(paths) == 1:
        yield "A file isn't read, as it is no answers file in YAML or CSV: ", Word(paths[0])
    elif paths:
        text = f"{len(paths)} files aren't read, as they are no answers files in YAML or CSV: "
        yield (text, *_listed(paths))


def _stem(sheet: AnswerSheet) -> str:
    return Path(sheet.source).stem.casefold()


def _listed(texts: Sequence[str]) -> Phrase:
    """Somebody's words with commas between them."""
    return tuple(part for text in texts for part in (", ", Word(text)))[1:]


_SHOWS = ("correct", "worked otherwise", "known mistake", "rounding")
_BY_CHANCE = (None, Decimal(0), Decimal(1), Decimal(-1))
_A_SLIP = 1
"""Numbers that are wrong without a reason on a paper that needn't make up for them."""
_FOR_EACH = 2
"""Numbers that are wrong without a reason for which one that shows working makes up."""


class Doubt(NamedTuple):
    """What speaks against a paper: the first quantity in which a number is wrong without a reason,
    how many such numbers there are from there on and how many show working, and whether these are
    too few; how many follow that earn nothing; and of which quantities these are trivially."""

    first: Name
    slips: int
    shows: int
    too_few: bool
    unearned: int
    trivial: tuple[Name, ...]


@dataclass(frozen=True)
class ShownWorking:
    """What the verdicts on a paper, in the order of the working, tell of how it came about.

    What only follows from wrong numbers earns nothing where a paper doesn't show working. Zeros
    follow from zeros, and the key of another form follows from itself.

    What counts is how a paper goes on from the first quantity on in which a number is wrong without
    a reason. A number shows working there if it comes from no wrong one and is right, or what a
    known mistake or another way of rounding gives, and not by chance: it is neither 0 nor 1, and
    stands nowhere where it is wrong without a reason. A paper with more than one number that is
    wrong without a reason, and more than two for each that shows working, doesn't show any.

    On every paper a number is trivial if the same number stands throughout its quantity, and that
    number, wherever it is wrong, is all that it follows from: zeros from zeros, or one number for
    many that should differ.
    """

    judge: Judge
    verdicts: Sequence[Verdict]
    _follows: dict[Location, bool] = field(default_factory=dict)

    def judged(self) -> tuple[tuple[Verdict, ...], Doubt | None]:
        """The verdicts, those on numbers that follow without working told apart; and what speaks
        against the paper, if anything does."""
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
        """Of each number, from the quantity of the first slip on, whether it shows working."""
        by_chance = {*_BY_CHANCE, *(slip.given.number for slip in slips)}
        name = slips[0].cell.quantity
        for verdict in dropwhile(lambda v: v.cell.quantity != name, self.verdicts):
            of_the_pen = verdict.cause is not None and verdict.cause.name in OF_THE_PEN
            shows = verdict.judgement in _SHOWS and verdict.given.number not in by_chance
            yield shows and not of_the_pen and not self._follows_from_wrong(verdict.cell)

    def _follows_from_wrong(self, cell: Location) -> bool:
        """Whether a cell is worked from a number that is given wrongly, near by or far off."""
        if cell not in self._follows:
            self._follows[cell] = any(
                source in self._wrong or self._follows_from_wrong(source)
                for source in self.judge.sources(cell)
            )
        return self._follows[cell]

    @cached_property
    def _wrong(self) -> Mapping[Location, Verdict]:
        right = ("correct", "worked otherwise", "blank", "unreadable")
        return {v.cell: v for v in self.verdicts if v.judgement not in right}

    def _is_trivial(self, verdict: Verdict, alike: Mapping[str, Decimal]) -> bool:
        number = alike.get(verdict.cell.quantity)
        if number is None or verdict.judgement != "carried forward":
            return False
        sources = (self._wrong[cell] for cell in verdict.follows_from if cell in self._wrong)
        return all(s.given.number == number for s in sources)

    def _alike(self) -> Iterator[tuple[str, Decimal]]:
        """The quantities for which one number is given throughout, where right ones differ, or
        where it is 0."""
        for name in dict.fromkeys(v.cell.quantity for v in self.verdicts):
            own = [v for v in self.verdicts if v.cell.quantity == name]
            given, right = ({x.given.number for x in own}, {x.expected.shown for x in own})
            number = given.pop()
            if not given and number is not None and (len(right) > 1 or number == 0):
                yield name, number


class PointedVerdict(NamedTuple):
    """A verdict, and the points that its number earns."""

    verdict: Verdict
    points: Decimal


class MarkedPaper(NamedTuple):
    """A student's answers with what is said of each, in the order of the working; by which
    exam, and whether it is in `doubt` that they were worked; `terms` are numbers inside lines,
    `words` answers in words; `remarks` tell what else doesn't fit."""

    sheet: AnswerSheet
    exam: Exam
    numbers: tuple[PointedVerdict, ...]
    doubt: Doubt | None = None
    terms: tuple[MarkedTerm, ...] = ()
    words: tuple[MarkedWords, ...] = ()
    remarks: tuple[Phrase, ...] = ()

    @property
    def of(self) -> Decimal:
        """The points of the whole exam."""
        return self.exam.points

    @property
    def points(self) -> Decimal:
        numbers = (*(v.points for v in self.numbers), *(m.points for m in self.terms))
        return sum((*numbers, *(m.points for m in self.words)), Decimal(0))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(v.verdict for v in self.numbers)

    @property
    def judgements(self) -> list[str]:
        """Those of all numbers, in the order of the working, then of those inside lines, and of
        answers in words."""
        terms = (m.judgement for m in self.terms)
        words = (m.judgement for m in self.words)
        return [*(verdict.judgement for verdict in self.verdicts), *terms, *words]

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.judgements)

    @property
    def follows(self) -> bool:
        """Whether every answer is there and right."""
        return all(judgement in FOLLOW[:2] for judgement in self.judgements)


def all_follow(verdicts: tuple[Verdict, ...]) -> bool:
    """Whether all numbers follow from the given ones, or from earlier ones of their author."""
    return all(verdict.judgement in FOLLOW for verdict in verdicts)


def marked(exam: Exam, sheet: AnswerSheet) -> MarkedPaper:
    """What a student's answers are worth; what is asked and isn't answered is blank."""
    nothing = Given("")
    taken, remarks = _answers_taken(exam, sheet)
    answers = {cell: taken.get(item.id, nothing) for cell, item in exam.results.items()}
    judged, theirs = exam.judge.judged(answers)
    verdicts, doubt = ShownWorking(exam.judge, judged).judged()
    scheme = exam.scheme
    if doubt is not None and doubt.too_few:
        scheme = scheme._replace(carry=False)
    shares = scheme.shares(verdicts)
    numbers = tuple(
        PointedVerdict(verdict, share * exam.results[verdict.cell].points)
        for verdict, share in zip(verdicts, shares, strict=True)
    )
    terms = tuple(
        marked_term(term, taken.get(term.id, nothing), answers, carry=scheme.carry)
        for term in exam.terms
    )
    pairs = [(question, taken.get(item.id, nothing)) for item, question in exam.words]
    judge = exam.judge
    own = OwnAnswers(judge.right, theirs, answers, judge.hypotheses, [*meanings(pairs)])
    words = tuple(
        marked_words(question, item.points, taken.get(item.id, nothing), own, carry=scheme.carry)
        for item, question in exam.words
    )
    return MarkedPaper(sheet, exam, numbers, doubt, terms, words, remarks)


_WRONG = ("rounding", "known mistake", "slip")


class CommonMistake(NamedTuple):
    """What went wrong in several papers, and in how many."""

    says: str
    judgement: str
    papers: int


class HardCell(NamedTuple):
    """A cell, and in how many papers it isn't right nor carried forward."""

    cell: Location
    wrong: int


class Unmarked(NamedTuple):
    """A paper without marks, or somebody of the list without a paper, and why there are none."""

    sheet: AnswerSheet
    why: Phrase


class GradedClass(NamedTuple):
    """The papers of a class, who has no marks, and what else is to be said of all of it."""

    title: str
    trace: Trace
    papers: tuple[MarkedPaper, ...]
    unmarked: tuple[Unmarked, ...] = ()
    remarks: tuple[Phrase, ...] = ()

    @property
    def sheets(self) -> list[AnswerSheet]:
        """All that was handed in, first what has marks."""
        return [*(paper.sheet for paper in self.papers), *(u.sheet for u in self.unmarked)]


def with_the_roll(graded: GradedClass, roll: Roll, *, whole: bool) -> GradedClass:
    """A class with what its list tells of its papers, and where it is the whole class, of papers
    that aren't there."""
    sheets = graded.sheets
    several = of_several(sheets, roll)
    papers = tuple(
        paper._replace(
            remarks=(
                *paper.remarks,
                *roll.remarks(paper.sheet, paper.exam.form or paper.sheet.form),
                *((several[k],) if k in several else ()),
            )
        )
        for k, paper in enumerate(graded.papers)
    )
    unmarked = [u._replace(sheet=roll.named(u.sheet)) for u in graded.unmarked]
    for student in roll.missing(sheets) if whole else ():
        sheet = AnswerSheet(student.name, student.form, "", {}, "", student.id)
        unmarked.append(Unmarked(sheet, ("Nothing was handed in.",)))
    return graded._replace(papers=papers, unmarked=tuple(unmarked))


def commonest(papers: Sequence[MarkedPaper]) -> list[CommonMistake]:
    """The causes of wrong answers, those of most papers first."""
    counts: Counter[tuple[str, str]] = Counter()
    for paper in papers:
        causes = [(v.cause, v.judgement) for v in paper.verdicts if v.judgement in _WRONG]
        causes += [(m.causes[0], m.judgement) for m in paper.words if m.causes]
        counts.update({(cause.says, judgement) for cause, judgement in causes if cause})
    ordered = sorted(counts.items(), key=lambda entry: -entry[1])
    return [CommonMistake(says, judgement, count) for (says, judgement), count in ordered]


def hardest(papers: Sequence[MarkedPaper]) -> list[HardCell]:
    """The cells that most papers have wrong, or haven't at all."""
    counts: Counter[Location] = Counter()
    for paper in papers:
        pairs = ((v.cell, v.judgement) for v in paper.verdicts)
        counts.update(cell for cell, block in pairs if block not in FOLLOW)
    return [HardCell(cell, count) for cell, count in counts.most_common()]


def average(papers: Sequence[MarkedPaper]) -> Decimal:
    """The points of a paper on average."""
    return sum((paper.points for paper in papers), Decimal(0)) / max(1, len(papers))
