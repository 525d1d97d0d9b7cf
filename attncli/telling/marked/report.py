"""A paper as a document: a table a quantity, then what went wrong, first cause first."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from attncli.arithmetic.expression import Location
from attncli.document import Block, Document, Facts, Note, Prose, Section, Spans
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Verdict
from attncli.records import NamedTuple
from attncli.telling.facts import rounding_facts
from attncli.telling.marked.data import judged_numbers
from attncli.telling.marked.findings import findings
from attncli.telling.marked.tables import legend, tables
from attncli.telling.marked.words import in_short
from attncli.word import Word


class Report(NamedTuple):
    """What a report tells besides the verdicts: its title, facts and notes; some of it as data; and
    the points of each number, if any are to be had."""

    title: Word
    facts: tuple[tuple[str, Spans], ...] = ()
    notes: tuple[Note, ...] = ()
    data: Mapping[str, object] = MappingProxyType({})
    points: Mapping[Location, Decimal] | None = None


def report(judge: Judge, verdicts: tuple[Verdict, ...], told: Report) -> Document:
    """What is said of an author's numbers, which a judge has judged."""
    trace = judge.trace
    facts = Facts((*told.facts, ("In short", (in_short(verdicts),))))
    found = [*findings(judge, verdicts)] or [Prose((_ALL_RIGHT if verdicts else _NOTHING,))]
    sections = [Section("", None, ("Findings",), (), (*told.notes, *found))]
    if verdicts:
        numbers: tuple[Block, ...] = (*tables(trace, verdicts), legend(verdicts))
        sections.insert(0, Section("", None, ("Numbers",), (), numbers))
    data = {**told.data, **judged_numbers(trace, verdicts, told.points)}
    return Document(told.title, tuple(sections), facts, rounding=rounding_facts(trace), data=data)


_ALL_RIGHT = "Every number follows."
_NOTHING = "There is no number to judge."
