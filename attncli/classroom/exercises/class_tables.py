"""A student's paper as a document, and the table of a class: marks, mistakes, hardest blanks."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from attncli.classroom.exercises.report import beside_numbers, report_of_own
from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.classes import (
    CommonMistake,
    GradedClass,
    HardBlank,
    Unmarked,
    commonest,
    hardest,
    wrong_answers,
)
from attncli.classroom.marking.exam import line_of
from attncli.classroom.marking.exam_parts import (
    BETWEEN_PARTS,
    MarkedExam,
    MarkedOwn,
    PartExam,
    waiting_for,
)
from attncli.classroom.marking.marked_papers import MarkedPaper
from attncli.classroom.marking.suspicions import Mistyped, SharedNumbers, alike, mistyped
from attncli.document.blocks import (
    Block,
    Bullets,
    DefinitionList,
    Document,
    PageData,
    Section,
    Spans,
    Table,
    TableCell,
    Term,
    text_of_spans,
)
from attncli.document.languages import words_of
from attncli.document.pictures import Bars, Series
from attncli.document.questions import OWN_FORM, Worth, counted_points, points_text
from attncli.document.tables import SIGNS
from attncli.errors import agreed, counted
from attncli.judging.verdicts import Given
from attncli.maths.equations.tree import Number
from attncli.names import Word, WordedText, raw, raw_text
from attncli.pages.check import Report, report, to_look_at
from attncli.pages.parts.cell_words import called
from attncli.pages.parts.published import MEANING
from attncli.pages.parts.sentences import (
    enumerated,
    joined,
    rounding_facts,
    without_stop,
)


def marked_paper(paper: MarkedExam, *, given_back: bool = False) -> Document:
    """Makes the page of a student's paper, part by part: with what a teacher has to look at, or as
    it is `given_back`."""
    sheet, exam = paper.sheet, paper.exam
    facts: list[tuple[str, Spans]] = [("Student", (Word(sheet.student),))]
    whose: dict[str, object] = {"student": sheet.student}
    if sheet.id:
        whose["id"] = sheet.id
        facts.append(("ID", (Word(sheet.id),)))
    if sheet.form not in ("", OWN_FORM):
        facts.append(("Form", (Word(sheet.form),)))
    facts.append(("Points", (in_words(paper),)))
    if exam.scheme.grades:
        facts.append(("Grade", (grade_in_words(paper),)))
    if open_ := [says for id_, _ in paper.waiting for says in [_question(id_)]]:
        facts.append(("Still to be marked", (", ".join(open_),)))
    facts += _marked_by(paper)
    remarks = () if given_back else remarks_on(paper)
    first = (*to_look_at(remarks), *_set_by_teacher(paper, given_back=given_back))
    data = {**whose, "points": float(paper.points), "of": float(paper.of), **_grade_data(paper)}
    if remarks:
        data["remarks"] = [*map(raw_text, remarks)]
    reports = [_report(part, own) for part, own in zip(exam.parts, paper.parts, strict=True)]
    if len(reports) == 1:
        (alone,) = reports
        rows = () if alone.facts is None else alone.facts.rows
        return alone._replace(
            title=Word(exam.title),
            facts=DefinitionList((*facts, *rows)),
            sections=(*first, *alone.sections),
            data=alone.data._replace(told={**data, **alone.data.told}),
        )
    sections = [*first, *_of_parts(paper, reports)]
    data["parts"] = [
        {"title": part.title, "points": float(points), "of": float(part.points), **report.data.told}
        for part, points, report in zip(exam.parts, paper.points_of_parts, reports, strict=True)
    ]
    whole = DefinitionList(tuple(facts))
    page_data = PageData(rounding=reports[0].data.rounding, told=data)
    return Document(Word(exam.title), tuple(sections), whole, data=page_data)


def _set_by_teacher(paper: MarkedExam, *, given_back: bool) -> Iterator[Section]:
    """Yields the points that the teacher set, for the student; a teacher is told with the rest."""
    if paper.settled and given_back:
        items = tuple(points.says(earned=False) for points in paper.settled)
        yield Section("", None, ("Points set by the teacher",), (), (Bullets(items),))


def _report(part: PartExam, paper: MarkedPaper | MarkedOwn) -> Document:
    """Makes the report of the answers to a part."""
    if isinstance(paper, MarkedOwn):
        return report_of_own(part.title, paper.terms)
    points = {v.verdict.cell: v.points for v in paper.numbers}
    facts = (("Points for", (_earned(paper),)),)
    costs = {v.verdict.cell: v.costs for v in paper.numbers}
    beside = beside_numbers(paper.exam.judge.trace, paper.terms, paper.words)
    page = Report(Word(part.title), facts, (), doubt_data(paper), points, costs, beside)
    return report(paper.exam.judge, paper.verdicts, page)


def _earned(paper: MarkedPaper) -> str:
    """Writes what each quantity earned: `Head 2 · exp 4.25 of 4.5, exp_sum 1.5 of 1.5`"""
    found: dict[tuple[str, str], list[Decimal]] = {}
    for item in paper.exam.items:
        other = "lines" if line_of(item.id) else "words"
        place, name = ("", other)
        if item.cell is not None:
            place, name = called(paper.exam.trace, item.cell.quantity)
        points = found.setdefault((place, name), [Decimal(0), Decimal(0)])
        points[0] += paper.points_of[item.id]
        points[1] += item.points
    told, before = [], ""
    for (place, name), (earned, of) in found.items():
        told.append(f"{place * (place != before)}{name} {points_text(earned)} of {points_text(of)}")
        before = place
    return ", ".join(told)


def _of_parts(paper: MarkedExam, reports: Sequence[Document]) -> Iterator[Section]:
    """Yields what each part earned, then what is said of each."""
    each = [*zip(paper.exam.parts, paper.points_of_parts, reports, strict=True)]
    rows = tuple(
        (str(k), Word(part.title), points_text(points), points_text(part.points))
        for k, (part, points, _) in enumerate(each, start=1)
    )
    table = Table(("Part", "", "Points", "of"), rows)
    yield Section("", None, ("Parts",), (), (table,))
    for k, (part, _, page) in enumerate(each, start=1):
        facts: tuple[Block, ...] = () if page.facts is None else (page.facts,)
        for section in page.sections:
            named = (" · ", Word(part.title)) if part.title else ()
            heading = (f"Part {k}", *named, ": ", *section.title)
            yield section._replace(title=heading, blocks=(*facts, *section.blocks))
            facts = ()


def _marked_by(paper: MarkedExam) -> list[tuple[str, Spans]]:
    """Returns the file of the scheme, where that isn't the exam's own."""
    return [("Marked by", (Word(paper.scheme),))] if paper.scheme else []


def in_words(paper: MarkedExam) -> str:
    """Writes the points of a paper: `12.5 of 21, each part rounded to 0.5 from 12.75`"""
    told = f"{points_text(paper.points)} of {points_text(paper.of)}"
    unit = paper.exam.scheme.unit
    if unit is None or paper.points == paper.unrounded:
        return told
    return f"{told}, each part rounded to {points_text(unit)} from {points_text(paper.unrounded)}"


def remarks_on(paper: MarkedExam) -> tuple[WordedText, ...]:
    """Returns what somebody has to look at: numbers that show no working, what is still to be
    marked, and what doesn't fit."""
    return (
        *paper.copied,
        *paper.lost,
        *(() if paper.lost else _doubts_of(paper)),
        *paper.stranger,
        *still_to_mark(paper),
        *_other_remarks(paper),
    )


def told_to_student(paper: MarkedExam) -> tuple[WordedText, ...]:
    """Returns what a student is told of the marks besides what went wrong: what is still to be
    marked, and points that the teacher set."""
    return (*still_to_mark(paper), *(points.says(earned=False) for points in paper.settled))


def _doubts_of(paper: MarkedExam) -> Iterator[WordedText]:
    return _of_each_part(paper, lambda part: _doubts(part) if isinstance(part, MarkedPaper) else ())


def _other_remarks(paper: MarkedExam) -> tuple[WordedText, ...]:
    empty = all(given.is_empty for given in paper.sheet.answers.values())
    wrong = (w for w in wrong_answers(paper) if w.judgement == "unreadable")
    unread = [f"{w.id} (“{w.given.shown}”{_date(w.given.shown)})" for w in wrong]
    says: WordedText = ("No answer can be read in ", Word(", ".join(unread)), ".")
    return (
        *[("All answers are empty.",)] * empty,
        *_of_each_part(paper, lambda part: part.remarks),
        *[says] * bool(unread),
        *paper.remarks,
        *(points.says(earned=True) for points in paper.settled),
    )


_DATE = re.compile(r"\d{1,4}[./-] ?(?:\d{1,2}|[^\W\d]{3,9}\.?)(?:[./ -]+\d{2,4})?")


def _date(text: str) -> str:
    """Says of a date that a spreadsheet made it, as it does of `5.1` and `1/5`."""
    return ", perhaps a number of which a spreadsheet made a date" * bool(_DATE.fullmatch(text))


def still_to_mark(paper: MarkedExam) -> tuple[WordedText, ...]:
    """Returns what a person is still to mark in a paper."""
    return (
        *_of_each_part(
            paper,
            lambda part: map(waiting_for, part.waiting) if isinstance(part, MarkedOwn) else (),
        ),
    )


def _of_each_part(
    paper: MarkedExam, said: Callable[[MarkedPaper | MarkedOwn], Iterable[WordedText]]
) -> Iterator[WordedText]:
    """Yields what is said of each part, beginning with which it is, where there are several."""
    for k, part in enumerate(paper.parts, start=1):
        which: WordedText = (f"Part {k}: ",) if len(paper.parts) > 1 else ()
        yield from ((*which, *remark) for remark in said(part))


def _doubts(paper: MarkedPaper) -> Iterator[WordedText]:
    """Yields a remark where it can't be seen how a paper was worked."""
    doubt = paper.doubt
    if doubt is None:
        return
    if doubt.too_few:
        more = counted_points(doubt.more, words_of("en"))
        following = (
            f" Numbers that merely follow from wrong ones ({doubt.unearned}) earn no points."
            f" If they counted, there would be {more} more."
        )
        yield (
            "From ", Word(doubt.first), " on, this paper doesn't show its working: "
            f"{doubt.slips} wrong numbers are unexplained, {_showing(doubt.shows)}."
            f"{following if doubt.more else ''}",
        )  # fmt: skip
    else:
        names, count = Word(enumerated(doubt.trivial)), doubt.unearned
        follow, earn = agreed(count, "follows", "follow"), agreed(count, "earns", "earn")
        what = f"{counted(count, 'number')} {follow}"
        text = f"{what} trivially and {earn} nothing: the same number stands throughout "
        yield (text, names, ".")


def _showing(count: int) -> str:
    which = f"only {count} {agreed(count, 'shows how it', 'show how they')}"
    return f"and {which} came about" if count else "and none shows how it came about"


def doubt_data(paper: MarkedPaper) -> dict[str, object]:
    """Returns the doubt about a paper as data."""
    doubt = paper.doubt
    told = {} if doubt is None else {**doubt._asdict(), "more": float(doubt.more)}
    return {"doubt": told} if told else {}


NOT_YET = "not yet"
"""What papers have for a grade while something of them is still to be marked."""
_MOST = 8
"""Mistakes, and blanks, that are listed."""
_FIRST = 3
"""Mistakes that are shown with an example, and entries of a kind above the marks."""
_MOST_PAIRS = 2
"""Pairs of papers that are named above the marks where there are more."""
_MOST_MISTYPED = 3
"""Numbers of a paper that are named which were perhaps typed wrongly."""
_ALIKE = 4
"""Blanks that are named together."""


def class_page(graded: GradedClass) -> Document:
    """Makes the page of a class. Above the marks stands what has room on one screen: what to do
    first, how the marks are distributed, the commonest mistakes with an example each. Below them
    stands all else that is to be looked at, with other mistakes and the hardest blanks."""
    papers = graded.papers
    first, below = _to_do(graded)
    facts = (*_numbers_of_papers(graded), *first)
    marks = [Section("", None, ("Marks",), (), tuple(_marks(graded)))] if graded.sheets else []
    mistakes = commonest(papers)
    sections = (
        *_with_examples(mistakes[:_FIRST]), *marks, *below,
        *_in_detail(papers, mistakes[_FIRST:_MOST]),
    )  # fmt: skip
    data = PageData(rounding=rounding_of(graded), told=class_data(graded))
    return Document(
        Word(graded.title),
        sections,
        DefinitionList(facts),
        opening=tuple(_distribution(papers)),
        data=data,
    )


def _numbers_of_papers(graded: GradedClass) -> Iterator[tuple[str, Spans]]:
    """Yields how many papers there are, and how many points they have."""
    papers = graded.papers
    says = [str(len(papers))]
    if papers:
        average, middle = points_text(mean_points(papers)), points_text(median_points(papers))
        says[0] += f" with {average} of {points_text(papers[0].of)} points on average"
        says.append(f"{middle} at the median")
    if graded.unmarked:
        says.append(f"{len(graded.unmarked)} not marked")
    yield "Papers", (", ".join(says),)
    yield from _marked_by(papers[0]) if papers else ()


def mean_points(papers: Sequence[MarkedExam]) -> Decimal:
    """Returns the points of a paper on average, to two decimals."""
    return mean(p.points for p in papers).quantize(Decimal("0.01"), ROUND_HALF_UP)


def median_points(papers: Sequence[MarkedExam]) -> Decimal:
    """Returns the points that half of the papers have at least, to two decimals."""
    return median(p.points for p in papers).quantize(Decimal("0.01"), ROUND_HALF_UP)


def _to_do(graded: GradedClass) -> tuple[list[tuple[str, Spans]], list[Section]]:
    """Returns what is to be done before anything else, kind by kind, and below the marks all else
    that is to be looked at, with those kinds in full that have no room above."""
    papers = graded.papers
    copied = [*_together((_whose(p.sheet), remark) for p in papers for remark in p.copied)]
    strangers = [*_together((_whose(p.sheet), remark) for p in papers for remark in p.stranger)]
    pairs = alike(papers)
    kinds: dict[str, list[Spans]] = {
        "Possible copies": [*copied, *map(_shared, pairs)],
        "Not on the list": strangers,
        "Lost commas": [*_together((_whose(p.sheet), remark) for p in papers for remark in p.lost)],
        "Still to be marked": [*map(_to_enter, waiting_in(papers))],
    }
    above = {**kinds, "Possible copies": [*copied, *_pairs(pairs)]}
    first: list[tuple[str, Spans]] = []
    for kind, items in above.items():
        first += ((kind, item) for item in items[:_FIRST])
        if len(items) > _FIRST:
            first.append((kind, (f"{len(items) - _FIRST} more below the marks",)))
    cut = {kind: kinds[kind] for kind in kinds if len(above[kind]) > _FIRST}
    if len(pairs) > 1:
        cut["Possible copies"] = kinds["Possible copies"]
    others = {"Perhaps mistyped": [*_to_compare(papers)], "Remark": [*_remarks_on(graded)]}
    rows = [(kind, item) for kind, items in (cut | others).items() for item in items]
    if typed := [found for paper in papers if (found := mistyped(paper))]:
        numbers, of = counted(sum(map(len, typed)), "number"), counted(len(typed), "paper")
        told = f"{numbers} in {of}, below the marks: compare with the paper before you hand it back"
        first.append(("Perhaps mistyped", (told,)))
    if count := len(others["Remark"]):
        first.append(("To look at", (f"{counted(count, 'remark')} below the marks",)))
    below = DefinitionList(tuple(rows))
    return first, [Section("", None, ("To look at",), (), (below,))] if rows else []


def _pairs(pairs: Sequence[SharedNumbers]) -> Iterator[Spans]:
    """Writes which papers share wrong numbers: a single pair with the numbers, several together."""
    if len(pairs) > 1:
        each = [(f"{len(pair.ids)} of ", *_both(pair)) for pair in pairs[:_MOST_PAIRS]]
        more = len(pairs) - len(each)
        others = [(f"{counted(more, 'more pair')}",)] * bool(more)
        what = "Wrong numbers that no known mistake gives are alike: "
        yield (what, *joined([*each, *others]), ".")
    else:
        yield from map(_shared, pairs)


def _both(pair: SharedNumbers) -> Spans:
    one, other = map(_whose, pair.sheets)
    return *one, " and ", *other


def copies_in(papers: Sequence[MarkedExam]) -> Iterator[WordedText]:
    """Yields a remark for each two papers that share wrong numbers without a known reason."""
    return map(_shared, alike(papers))


def _shared(pair: SharedNumbers) -> WordedText:
    """Writes which numbers two papers share."""
    one, other = map(_whose, pair.sheets)
    ids = ", ".join(pair.ids[:_ALIKE])
    more = f" and {len(pair.ids) - _ALIKE} more" if len(pair.ids) > _ALIKE else ""
    what = f" share {len(pair.ids)} wrong numbers that no known mistake gives: "
    return (*one, " and ", *other, what, Word(ids), f"{more}.")


def _typed(found: Sequence[Mistyped]) -> Spans:
    """Writes which numbers of a paper were perhaps typed wrongly: `1/exp[love, AI] is “12345”, not
    1.778 (row 3, column AH of class.csv).`"""
    named = found[:_MOST_MISTYPED]
    each = (
        (Term(n.id), " is “", Word(n.given.shown), f"”, not {n.right}", *_place(n.given))
        for n in named
    )
    more = len(found) - len(named)
    return (*joined(each, "; "), f"; and {more} more." if more else ".")


def _place(given: Given) -> Spans:
    """Writes where an answer stands, if that is known: ` (row 3, column AH of class.csv)`"""
    source, _, line = given.where.rpartition(":")
    if not source:
        return ()
    at = f"row {line}, column {given.column}" if given.column else f"line {line}"
    return (f" ({at} of ", Word(Path(source).name), ")")


def _to_compare(papers: Sequence[MarkedExam]) -> Iterator[Spans]:
    """Yields the numbers that were perhaps typed wrongly, to be compared with the papers."""
    each = [(paper, found) for paper in papers if (found := mistyped(paper))]
    for paper, found in each[:_MOST]:
        yield (*_whose(paper.sheet), ": ", *_typed(found))
    if len(each) > _MOST:
        others = counted(len(each) - _MOST, "other paper")
        yield (f"{others}: see the remarks in the table of the class (CSV).",)


def _together(remarks: Iterable[tuple[Spans, Spans]]) -> Iterator[Spans]:
    """Yields each remark once, behind all whom it is about: `Ada (1), Ben (2): Nothing was handed
    in.`"""
    about: dict[Spans, list[Spans]] = {}
    for whose, remark in remarks:
        about.setdefault(remark, []).append(whose)
    for remark, each in about.items():
        whom = joined(filter(None, dict.fromkeys(each)))
        yield (*whom, ": ", *remark) if whom else remark


class Waiting(NamedTuple):
    """A question that a person is still to mark."""

    id: str
    """The id of the question."""
    says: str
    """The question in words, by its part and number."""
    papers: int
    """In how many papers it waits."""
    most: Worth
    """The most points that it brings."""


def waiting_in(papers: Sequence[MarkedExam]) -> list[Waiting]:
    """Returns what is still to be marked in a class, each question once."""
    found: dict[str, Waiting] = {}
    for paper in papers:
        for id_, term in paper.waiting:
            before = found.get(id_, Waiting(id_, _question(id_), 0, term.asked.points))
            found[id_] = before._replace(papers=before.papers + 1)
    return [*found.values()]


def _question(id_: str) -> str:
    """Returns what papers call a teacher's own question: `Part 4, question 2`."""
    part, _, own = id_.rpartition(BETWEEN_PARTS)
    own = own.removeprefix("q")
    return f"Part {part}, question {own}" if part else f"Question {own}"


def _to_enter(waiting: Waiting) -> Spans:
    """Writes what is to be entered: `Part 4, question 2 (11 papers): enter points from 0 to 4 in
    column 4/q2.`"""
    of = f"{waiting.says} ({counted(waiting.papers, 'paper')}): enter points from 0 to"
    return (f"{of} {points_text(waiting.most)} in column ", Term(waiting.id), ".")


def _remarks_on(graded: GradedClass) -> Iterator[Spans]:
    """Yields all else that is to be said of what was handed in."""
    yield from _together(_remarks_in(graded))
    if doubtful := [_whose(paper.sheet) for paper in graded.papers if paper.is_doubtful]:
        yield ("Papers in doubt are left out of the commonest mistakes: ", *joined(doubtful), ".")


def _remarks_in(graded: GradedClass) -> Iterator[tuple[Spans, Spans]]:
    """Yields all else that is to be said of what was handed in, each with whose it is."""
    for unmarked in graded.unmarked:
        if not unmarked.told:
            yield _whose(unmarked.sheet), unmarked.why
    for paper in graded.papers:
        doubts = () if paper.copied or paper.lost else _doubts_of(paper)
        yield from ((_whose(paper.sheet), r) for r in (*doubts, *_other_remarks(paper)))
    yield from (((), remark) for remark in graded.remarks)


def _whose(sheet: AnswerSheet) -> WordedText:
    return Word(sheet.student), *((" (", Word(sheet.id), ")") if sheet.id else ())


def _marks(graded: GradedClass) -> Iterator[Block]:
    papers = graded.papers
    told = (name for name in SIGNS if name not in _TOLD_ABOVE)
    signs = [name for name in told if any(paper.counts[name] for paper in papers)]
    forms = len({*map(_form, papers), *map(_form, graded.unmarked)}) > 1
    ids = _has_ids(graded)
    of_whom = ("Student", *(("ID",) * ids), *(("Form",) * forms))
    scale = ("Grade",) * _has_grades(graded)
    headings = (*of_whom, "Points", "%", *scale, *(SIGNS[sign] for sign in signs))
    rows = [_paper_row(paper, signs, ids=ids, forms=forms) for paper in papers]
    for unmarked in graded.unmarked:
        whose = _row_of(unmarked, ids=ids, forms=forms)
        rows.append((*whose, *("–" for _ in headings[len(whose) :])))
    yield Table(headings, tuple(rows))
    if signs:
        means = {**MEANING, **_of_choices(papers)}
        yield DefinitionList(tuple((f"{SIGNS[name]} {name}", (means[name],)) for name in signs))


def _of_choices(papers: Sequence[MarkedExam]) -> Mapping[str, str]:
    """Returns what a slip means in the table of marks, where one is a wrong choice."""
    wrong = (of for paper in papers for of in wrong_answers(paper) if of.judgement == "slip")
    chosen = any(of.verdict is None and of.given.number is None for of in wrong)
    return {"slip": f"{MEANING['slip']}, or another choice is right"} if chosen else {}


_TOLD_ABOVE = ("by hand", "unreadable")
"""What has no column in the table of marks, since boxes above say what is to be done about it."""


def _has_grades(graded: GradedClass) -> bool:
    return any(paper.exam.scheme.grades for paper in graded.papers)


def _grade_data(paper: MarkedExam) -> dict[str, object]:
    return {"grade": paper.grade} if paper.exam.scheme.grades else {}


def _has_ids(graded: GradedClass) -> bool:
    return any(sheet.id for sheet in graded.sheets)


def _form(paper: MarkedExam | Unmarked) -> str:
    """Returns the form that a paper is marked by, or else the one that it names."""
    marked_by = paper.exam.form if isinstance(paper, MarkedExam) else ""
    return marked_by or paper.sheet.form


def _row_of(paper: MarkedExam | Unmarked, *, ids: bool, forms: bool) -> tuple[Word, ...]:
    sheet = paper.sheet
    return (Word(sheet.student), *((Word(sheet.id),) * ids), *((Word(_form(paper)),) * forms))


def _paper_row(
    paper: MarkedExam, signs: Sequence[str], *, ids: bool, forms: bool
) -> tuple[TableCell, ...]:
    counts = (str(paper.counts[name]) for name in signs)
    whose = _row_of(paper, ids=ids, forms=forms)
    scale = (grade_in_words(paper),) * bool(paper.exam.scheme.grades)
    return (*whose, points_text(paper.points), percent(paper), *scale, *counts)


def grade_in_words(paper: MarkedExam) -> Word | str:
    """Returns the grade of a paper, or that there is none yet."""
    return Word(paper.grade) if paper.grade else NOT_YET


def percent(paper: MarkedExam) -> str:
    """Returns how much of all points a paper has earned, in per cent."""
    share = 100 * paper.points / paper.of if paper.of else Decimal(0)
    return str(share.quantize(Decimal(1), ROUND_HALF_UP))


def rounding_of(graded: GradedClass) -> Mapping[str, object]:
    """Returns how the numbers were rounded, for the first part that has some."""
    return rounding_facts(graded.traces[0]) if graded.traces else {}


def _with_examples(mistakes: Sequence[CommonMistake]) -> Iterator[Section]:
    """Yields the commonest mistakes, each with an example."""
    if mistakes:
        rows = tuple((*_common(mistake), *_example(mistake)) for mistake in mistakes)
        yield Section("", None, ("Commonest mistakes",), (), (Bullets(rows),))


def _in_detail(
    papers: Sequence[MarkedExam], mistakes: Sequence[CommonMistake]
) -> Iterator[Section]:
    """Yields the mistakes of fewer papers, and the hardest blanks."""
    if mistakes:
        yield Section("", None, ("Other mistakes",), (), (Bullets(tuple(map(_common, mistakes))),))
    if failed := hardest_alike(papers):
        yield Section("", None, ("Hardest blanks",), (), (Bullets(failed),))


def _common(mistake: CommonMistake) -> Spans:
    """Writes a common mistake: `9 papers, 63 numbers: Scores were not scaled.`"""
    papers, numbers = counted(mistake.papers, "paper"), counted(mistake.numbers, "number")
    return (f"{papers}, {numbers}: ", *mistake.says)


def _example(mistake: CommonMistake) -> Spans:
    """Writes an example of a mistake: ` Example: Ada (1) has “1.4” in 1/scaled[I, AI], where 0.99
    is right.`"""
    wrong = mistake.example
    given: Spans = (" has “", Word(wrong.given.shown), "” in ", Term(wrong.id))
    right: Spans = (", where ", Word(wrong.right), " is right.") if wrong.right else (".",)
    return (" Example: ", *_whose(mistake.sheet), *given, *right)


_FEWEST_BARS = 5
"""Papers of which a histogram tells more than the table."""
_BARS = 5


def _distribution(papers: Sequence[MarkedExam]) -> Iterator[Bars]:
    """Yields a histogram of the grades, or without a scale of the points, where there are enough
    papers."""
    if len(papers) >= _FEWEST_BARS:
        yield _by_grades(papers) if papers[0].exam.scheme.grades else _by_points(papers)


def _by_grades(papers: Sequence[MarkedExam]) -> Bars:
    """Makes a histogram of the grades, from the best to those below the scale, and those that
    aren't fully marked."""
    scale = papers[0].exam.scheme.grades
    grades = sorted(scale, key=lambda grade: -scale[grade])
    counts = Counter(paper.grade for paper in papers)
    labels: list[Word | str] = [*map(Word, grades)]
    numbers = [counts[grade] for grade in grades]
    for grade in sorted(counts.keys() - scale.keys(), reverse=True):
        labels.append(Word(grade) if grade else NOT_YET)
        numbers.append(counts[grade])
    series = Series("papers", tuple(map(Number.written, numbers)))
    return Bars("Papers by their grades", tuple(labels), (series,))


def _by_points(papers: Sequence[MarkedExam]) -> Bars:
    """Makes a histogram of how many papers have how many points, by whole points. The last bar has
    those of the whole exam, too."""
    of = papers[0].of
    wide = max(1, math.ceil(of / _BARS))
    last = max(0, math.ceil(of / wide) - 1)
    counts = Counter(min(last, int(paper.points // wide)) for paper in papers)
    labels = tuple(f"from {k * wide}" for k in range(last + 1))
    numbers = tuple(Number.written(counts[k]) for k in range(last + 1))
    return Bars("Papers by their points", labels, (Series("papers", numbers),))


def hardest_alike(papers: Sequence[MarkedExam], most: int = _MOST) -> tuple[Spans, ...]:
    """Returns the hardest blanks, those together that as many papers have wrong for the same
    reasons."""
    alike: dict[HardBlank, list[str]] = {}
    for blank in hardest(papers):
        alike.setdefault(blank._replace(id=""), []).append(blank.id)
    return tuple(_failed(ids, blank) for blank, ids in [*alike.items()][:most])


def _failed(ids: Sequence[str], blank: HardBlank) -> Spans:
    """Writes what is hard: `weights[love, AI], exp[love, AI]: not right in 14 of 31 papers (…)`"""
    names = joined((Term(id_),) for id_ in ids[:_ALIKE])
    more = f" and {len(ids) - _ALIKE} more" if len(ids) > _ALIKE else ""
    return *names, f"{more}: ", *why_failed(blank)


def why_failed(blank: HardBlank) -> Spans:
    """Writes why a blank is hard: `not right in 14 of 31 papers (9 ×: adding up the columns, 2 ×:
    left empty)`"""
    reasons = joined((f"{n} ×: ", *_inside(says)) for says, n in blank.reasons)
    return (f"not right in {blank.wrong} of {blank.asked} papers (", *reasons, ")")


def _inside(says: WordedText) -> Spans:
    """Returns a sentence as a part of another: `adding up the columns`, but `W_Q`, and `V by
    W_K`."""
    first, *others = says
    if isinstance(first, str) and first[1:2].islower():
        first = first[:1].lower() + first[1:]
    return without_stop((first, *others))


def class_rows(graded: GradedClass) -> Iterator[tuple[Word | str, ...]]:
    """Yields the table as rows of cells: its headings, then each student, and what has no marks."""
    ids = _has_ids(graded)
    whose: tuple[str, ...] = ("student", *(("id",) * ids), "form")
    scale = ("grade",) * _has_grades(graded)
    yield (*whose, "points", "of", "percent", *scale, *SIGNS, "file", "remarks")
    for paper in graded.papers:
        counts = (str(paper.counts[name]) for name in SIGNS)
        points = points_text(paper.points), points_text(paper.of), percent(paper)
        own = _row_of(paper, ids=ids, forms=True)
        told = [raw_text(remark) for remark in remarks_on(paper)]
        if found := mistyped(paper):
            told.append(f"Perhaps typed wrongly: {text_of_spans(_typed(found), raw)}")
        remarks = Word(" ".join(told))
        grade = (grade_in_words(paper),) * len(scale)
        yield (*own, *points, *grade, *counts, Word(paper.sheet.source), remarks)
    for unmarked in graded.unmarked:
        own, empty = _row_of(unmarked, ids=ids, forms=True), [""] * (len(SIGNS) + 3 + len(scale))
        yield (*own, *empty, Word(unmarked.sheet.source), Word(raw_text(unmarked.why)))
    for remark in (*copies_in(graded.papers), *graded.remarks):
        yield (*[""] * (len(whose) + len(SIGNS) + 4 + len(scale)), Word(raw_text(remark)))


def class_data(graded: GradedClass) -> dict[str, object]:
    """Returns the class as data: each paper, who has no marks, what is to be said, what went
    wrong."""
    papers = graded.papers
    of = {"of": float(papers[0].of), "average": float(mean_points(papers)),
          "median": float(median_points(papers))} if papers else {}  # fmt: skip
    return {
        "papers": [*map(_paper_data, papers)],
        "not_marked": [{**_whose_data(u), "why": raw_text(u.why)} for u in graded.unmarked],
        "remarks": [*map(raw_text, graded.remarks)],
        "copies": [*map(raw_text, copies_in(papers))],
        **of,
        "commonest_mistakes": [
            {
                "says": raw_text(m.says),
                "verdict": m.judgement,
                "papers": m.papers,
                "numbers": m.numbers,
                "example": {
                    "student": m.sheet.student,
                    "cell": m.example.id,
                    "given": m.example.given.shown,
                    "right": m.example.right,
                },
            }
            for m in commonest(papers)
        ],
        "perhaps_typed_wrongly": [
            {
                "student": paper.sheet.student,
                "cell": number.id,
                "given": number.given.shown,
                "right": number.right,
                "where": number.given.where,
                "column": number.given.column,
            }
            for paper in papers
            for number in mistyped(paper)
        ],
        "to_be_marked": [
            {"cell": w.id, "papers": w.papers, "of": float(w.most)} for w in waiting_in(papers)
        ],
        "hardest_cells": [
            {
                "cell": blank.id,
                "wrong": blank.wrong,
                "of": blank.asked,
                "mistakes": [{"says": raw_text(says), "papers": n} for says, n in blank.reasons],
            }
            for blank in hardest(papers)
        ],
    }


def _whose_data(paper: MarkedExam | Unmarked) -> dict[str, object]:
    sheet = paper.sheet
    return {"student": sheet.student, "id": sheet.id, "form": _form(paper), "file": sheet.source}


def _paper_data(paper: MarkedExam) -> dict[str, object]:
    doubts = [doubt for part in paper.papers if (doubt := doubt_data(part))]
    several = len(paper.parts) > 1
    doubtful = {"doubts": doubts} if several and doubts else dict(*doubts)
    return {
        **_whose_data(paper),
        **_grade_data(paper),
        "points": float(paper.points),
        "of": float(paper.of),
        "counts": {judgement: paper.counts[judgement] for judgement in SIGNS},
        **doubtful,
        "remarks": [*map(raw_text, remarks_on(paper))],
    }
