"""A table a quantity, each number with its sign, and what the signs mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from attncli.document import Facts, Table
from attncli.marked import SIGNS, MarkedNumber
from attncli.marking.grading.addresses import MarkedTerm
from attncli.marking.grading.words import MarkedWords
from attncli.marking.verdicts import FOLLOW, Verdict
from attncli.notation import plain
from attncli.notation.words import printed
from attncli.telling.marked.words import MEANING
from attncli.trace import Quantity, Trace
from attncli.word import Word


def tables(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Table]:
    """A table for each quantity of which numbers are judged."""
    for name in dict.fromkeys(one.cell.quantity for one in verdicts):
        own = {one.cell[1:]: one for one in verdicts if one.cell.quantity == name}
        yield _table(trace[name], own)


def _table(quantity: Quantity, own: Mapping[tuple[int, int], Verdict]) -> Table:
    rows = sorted({i for i, _ in own})
    columns = sorted({j for _, j in own})
    headings = (Word(quantity.columns.names[j]) for j in columns)
    named = ("",) if quantity.is_list else tuple(headings)
    told = (
        (Word(quantity.rows.names[i]), *(_entry(own.get((i, j))) for j in columns)) for i in rows
    )
    return Table((quantity.name, *named), tuple(told))


def _entry(verdict: Verdict | None) -> MarkedNumber | str:
    if verdict is None:
        return ""
    right = "" if verdict.judgement in FOLLOW else plain(verdict.expected)
    return MarkedNumber(Word(verdict.given.shown), verdict.judgement, right)


def table_of_terms(terms: Sequence[MarkedTerm]) -> Iterator[Table]:
    """Numbers inside lines of working, a row each; those that are right aren't told."""
    rows = tuple(
        (Word(one.asked.id), MarkedNumber(Word(one.given.shown), one.judgement,
                                          plain(one.asked.expected)))
        for one in terms
        if one.judgement != "correct"
    )  # fmt: skip
    if rows:
        yield Table(("inside lines", ""), rows)


def table_of_words(answers: Sequence[MarkedWords]) -> Iterator[Table]:
    """Answers in words, a row each."""
    rows = tuple(
        (Word(one.asked.id), MarkedNumber(Word(one.given.shown), one.judgement, _right(one)))
        for one in answers
    )
    if rows:
        yield Table(("in words", ""), rows)


def _right(answer: MarkedWords) -> str:
    """The right answers, where they needn't be told in the author's own words."""
    if answer.judgement in FOLLOW:
        return ""
    return " or ".join(printed(Word(option)) for option in answer.right)


def legend(told: Collection[str]) -> Facts:
    """What the signs mean that stand behind the numbers."""
    signs = ((sign, name) for name, sign in SIGNS.items() if name in told)
    return Facts(tuple((f"{sign} {name}", (_means(name),)) for sign, name in signs))


def _means(name: str) -> str:
    after = "" if name in FOLLOW else "; the right number stands in brackets"
    return f"{MEANING[name]}{after}"
