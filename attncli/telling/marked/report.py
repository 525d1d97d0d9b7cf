"""A paper as a document: a table a quantity, then what went wrong, first cause first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.document import Block, Bullets, Document, Facts, Note, Prose, Section, Spans
from attncli.marking.grading.addresses import MarkedTerm
from attncli.marking.grading.words import MarkedWords
from attncli.marking.judging import Judge
from attncli.marking.verdicts import FOLLOW, Verdict
from attncli.telling.facts import rounding_facts
from attncli.telling.marked.data import judged_numbers
from attncli.telling.marked.findings import findings, findings_in_words
from attncli.telling.marked.tables import legend, table_of_terms, table_of_words, tables
from attncli.telling.marked.words import in_short
from attncli.word import Phrase, Word, raw


class Report(NamedTuple):
    """What a report tells besides the verdicts: its title, facts and notes; some of it as data; and
    the points of each number, if any are to be had; `terms` are numbers inside lines, `words`
    answers in words, `remarks` what doesn't fit about what was handed in."""

    title: Word
    facts: tuple[tuple[str, Spans], ...] = ()
    notes: tuple[Note, ...] = ()
    data: Mapping[str, object] = MappingProxyType({})
    points: Mapping[Location, Decimal] | None = None
    terms: tuple[MarkedTerm, ...] = ()
    words: tuple[MarkedWords, ...] = ()
    remarks: tuple[Phrase, ...] = ()


def to_look_at(remarks: Iterable[Spans]) -> Iterator[Section]:
    """What doesn't fit about what was handed in, before anything else."""
    items = tuple(remarks)
    if items:
        yield Section("", None, ("To look at first",), (), (Bullets(items),))


def raw_text(text: Phrase) -> str:
    """A text with somebody's words in it, as data."""
    return "".join(map(raw, text))


def report(judge: Judge, verdicts: tuple[Verdict, ...], told: Report) -> Document:
    """What is said of an author's numbers, which a judge has judged."""
    trace = judge.trace
    judged: list[str] = [verdict.judgement for verdict in verdicts]
    judged += [one.judgement for one in told.terms]
    judged += [one.judgement for one in told.words]
    facts = Facts(
        (*told.facts, ("In short", (in_short(judged, "answer" if told.words else "number"),)))
    )
    numbers: tuple[Block, ...] = (
        *tables(trace, verdicts),
        *table_of_terms(told.terms),
        *table_of_words(told.words),
        legend(judged),
    )
    found = [*findings(judge, verdicts), *findings_in_words(told.words)]
    found = found or [_without_findings(judged)]
    sections = [Section("", None, ("Findings",), (), (*told.notes, *found))]
    if judged:
        sections.insert(0, Section("", None, ("Numbers",), (), numbers))
    sections[:0] = to_look_at(told.remarks)
    others = (told.terms, told.words)
    data = {**told.data, **judged_numbers(trace, verdicts, told.points, *others)}
    return Document(told.title, tuple(sections), facts, rounding=rounding_facts(trace), data=data)


def _without_findings(judged: Sequence[str]) -> Prose:
    if not judged:
        return Prose(("There is no number to judge.",))
    right = all(judgement in FOLLOW[:2] for judgement in judged)
    return Prose(("Every number follows." if right else "The table says what isn't right.",))
