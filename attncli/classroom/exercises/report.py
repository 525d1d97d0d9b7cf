"""A marked paper as a document: numbers as `attn check` tells them, lines, answers in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attncli.classroom.files.mathematics import in_a_line
from attncli.classroom.marking.exam import (
    MarkedTerm,
    accepted_by,
    address_of,
    first_cell_of,
    known_id,
    line_of,
)
from attncli.classroom.marking.exam_parts import BETWEEN_PARTS, OwnQuestions, WholeExam
from attncli.classroom.marking.word_answers import MarkedWords
from attncli.document.blocks import (
    Block,
    Bullets,
    DefinitionList,
    Derivation,
    Document,
    Line,
    PageData,
    Paragraph,
    Section,
    Span,
    Spans,
    Subheading,
    Table,
    Term,
)
from attncli.document.questions import points_text
from attncli.document.tables import SIGNS, MarkedNumber
from attncli.judging.verdicts import (
    FOLLOW,
    Cause,
    Given,
)
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import Omitted, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed
from attncli.maths.numbers import decimals
from attncli.names import Word
from attncli.pages.check import Beside, also, bound, cause_as_data, legend, right_lines
from attncli.pages.parts.cell_words import called
from attncli.pages.parts.published import accepted_text, in_short
from attncli.pages.parts.sentences import joined
from attncli.trace import Trace

_WITHOUT_FINDING = (*FOLLOW, "by hand")
"""The judgements of what needn't be explained, or what a person has looked at."""


def blanks_called(exam: WholeExam, ids: Iterable[str]) -> Spans:
    """Returns what pages call some blanks of an exam, in a row, each place before the first of its
    blanks: `Part 2 · Head 1 · exp[I, love], exp_sum[I]`, `Part 5 · Question 1`."""
    spans: list[Spans] = []
    before = ""
    for id_ in ids:
        of, item = exam.asked[id_]
        prefix = id_.removesuffix(item.id).removesuffix(BETWEEN_PARTS)
        place = f"Part {prefix} · " if prefix else ""
        own: Span = Word(item.id)
        if isinstance(of, OwnQuestions):
            place += "Question "
        elif item.cell is not None:
            inner, called_there = called(of.trace, item.cell.quantity)
            symbol = of.trace[item.cell.quantity].symbol(*item.cell.indices, called_there)
            place, own = f"{place}{inner}", Term(symbol)
        spans.append((*((place,) * (place != before)), own))
        before = "" if isinstance(of, OwnQuestions) else place
    return joined(spans)


def beside_numbers(
    trace: Trace, terms: Sequence[MarkedTerm], words: Sequence[MarkedWords]
) -> Beside:
    """Returns what is told of numbers inside lines and of answers in words, beside a paper's
    numbers."""
    return Beside(
        (*(m.judgement for m in terms), *(m.judgement for m in words)),
        (*table_of_terms(terms), *table_of_words(words)),
        (*findings_in_lines(trace, terms), *findings_in_words(trace, words)),
        (*map(_term, terms), *map(_words, words)),
        "answer" if words else "number",
    )


def findings_in_lines(trace: Trace, terms: Sequence[MarkedTerm]) -> Iterator[Block]:
    """Yields what is wrong inside lines, and each line as it should be."""
    for term in terms:
        line = line_of(term.asked.id)
        if term.judgement not in _WITHOUT_FINDING and line is not None:
            first = first_cell_of(trace, line)
            row = range(trace[first.quantity].matrix.shape[1])
            alone = address_of(trace, first) == known_id(trace, line)
            cells = [first] if alone else [first._replace(column=j) for j in row]
            yield Subheading((Word(term.asked.id),))
            yield Paragraph(_of_term(term))
            yield from right_lines(trace, cells, whole=True)


def _of_term(term: MarkedTerm) -> Spans:
    key = term.asked.right
    accepted = accepted_text(accepted_by(key), decimals.places(key.number.shown))
    several = f" ({accepted} is accepted)" if " to " in accepted else ""
    causes = () if term.cause is None else (term.cause,)
    return _in_short(term.given, term.judgement, (key.number, several), causes)


def _in_short(given: Given, judgement: str, right: Spans, causes: Sequence[Cause]) -> Spans:
    """Writes a finding in short: `Given is “0.4”; right is 0.422. Slip: The sign is wrong.`"""
    theirs: Spans = ("Given is “", Word(given.shown), "”")
    why: Spans = (f" {judgement.capitalize()}: ", *causes[0].worded) if causes else ()
    nothing: Spans = ("Nothing is given",)
    return (*(nothing if given.is_empty else theirs), "; right is ", *right, ".", *why)


def findings_in_words(trace: Trace, answers: Sequence[MarkedWords]) -> Iterator[Block]:
    """Yields what is wrong in words, what led to it, and the numbers that tell the right answer."""
    for m in answers:
        if m.judgement not in _WITHOUT_FINDING:
            right = joined(((Word(option),) for option in m.right), " or ")
            yield Subheading((Word(m.asked.id),))
            yield Paragraph(_in_short(m.given, m.judgement, right, m.causes))
            yield from also(m.causes[1:])
            quantity, row = trace[m.asked.reads], m.asked.asked.row
            if row is not None:
                places = elided(quantity.matrix.shape[1], MOST_PARTS)
                shown = (Omitted() if k is None else quantity.number(row, k) for k in places)
                numbers = (("=", Vector(tuple(shown))),)
                yield Derivation((Line(quantity.symbol(row), numbers, quantity.name),))


def table_of_terms(terms: Sequence[MarkedTerm]) -> Iterator[Table]:
    """Yields a table of numbers inside lines of working, a row each. Those that are right aren't
    told."""
    rows = tuple(
        (Word(m.asked.id), MarkedNumber(Word(m.given.shown), m.judgement,
                                          plain(m.asked.right.number)))
        for m in terms
        if m.judgement != "correct"
    )  # fmt: skip
    if rows:
        yield Table(("inside lines", ""), rows)


def table_of_words(answers: Sequence[MarkedWords]) -> Iterator[Table]:
    """Yields a table of answers in words, a row each."""
    rows = tuple(
        (Word(m.asked.id), MarkedNumber(Word(m.given.shown), m.judgement, _right(m)))
        for m in answers
    )
    if rows:
        yield Table(("in words", ""), rows)


def _right(answer: MarkedWords) -> str:
    """Returns the right answers, and an empty text where they needn't be told beside what is
    given."""
    if answer.judgement in FOLLOW:
        return ""
    return " or ".join(printed(Word(option)) for option in answer.right)


def _term(term: MarkedTerm) -> dict[str, object]:
    return {
        "cell": term.asked.id,
        "given": term.given.text,
        "expected": decimals.text(term.asked.right.number.shown),
        "accepted": [*map(bound, accepted_by(term.asked.right))],
        "verdict": term.judgement,
        "cause": None if term.cause is None else cause_as_data(term.cause),
        "follows_from": [],
        "points": float(term.points),
    }


def _words(answer: MarkedWords) -> dict[str, object]:
    return {
        "cell": answer.asked.id,
        "given": answer.given.text,
        "expected": answer.right[0],
        "accepted": list(answer.right),
        "verdict": answer.judgement,
        "cause": next(map(cause_as_data, answer.causes), None),
        "follows_from": [],
        **({"others": [*map(cause_as_data, answer.causes[1:])]} if answer.causes[1:] else {}),
        "points": float(answer.points),
    }


def report_of_own(title: str, terms: Sequence[MarkedTerm]) -> Document:
    """Makes the page of answers to a teacher's own questions."""
    judged: list[str] = [term.judgement for term in terms]
    rows = tuple(
        (Word(m.asked.id), in_a_line(m.asked.asks),
         MarkedNumber(Word(m.given.shown), m.judgement, _right_own(m)),
         f"{points_text(m.points)} of {points_text(m.asked.points)}")
        for m in terms
    )  # fmt: skip
    blocks = (Table(("Question", "", "Answer", "Points"), rows), legend(judged, "answer"))
    facts = DefinitionList((("In short", (in_short(judged, "answer"),)),))
    wrong = (term for term in terms if term.judgement not in _WITHOUT_FINDING)
    found = tuple(map(_finding_of_own, wrong))
    sections = [Section("", None, ("Answers",), (), blocks)]
    sections += [Section("", None, ("Findings",), (), (Bullets(found),))] if found else []
    data = {
        "verdicts": [_own(term) for term in terms],
        "counts": {judgement: judged.count(judgement) for judgement in SIGNS},
    }
    return Document(Word(title), tuple(sections), facts, data=PageData(told=data))


def _finding_of_own(term: MarkedTerm) -> Spans:
    """Writes what is given to a teacher's own question, and what is right."""
    right: Spans = ("“", Word(term.asked.answer), "”")
    told = _in_short(term.given, term.judgement, right, ()) if term.asked.words else _of_term(term)
    return (Word(term.asked.id), ": ", *told)


def _right_own(term: MarkedTerm) -> str:
    return "" if term.judgement in _WITHOUT_FINDING else term.asked.answer


def _own(term: MarkedTerm) -> dict[str, object]:
    return {
        "cell": term.asked.id,
        "given": term.given.text,
        "expected": term.asked.answer,
        "verdict": term.judgement,
        "points": float(term.points),
    }
