"""Whether the numbers follow that the source of a scenario prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Location
from attncli.document import Document, Note
from attncli.marking.grading.papers import all_follow
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Given, Verdict
from attncli.records import replace
from attncli.telling.marked.report import Report, report
from attncli.telling.sentences import counted
from attncli.trace import Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers
from attncli.word import Word


def checked(trace: Trace) -> tuple[Document, bool]:
    """What is said of the numbers of a scenario's source, and whether all of them follow."""
    judge, verdicts = published_verdicts(trace)
    facts = (("Scenario", (Word(trace.scenario.title),)),)
    notes = tuple(_notes(published_numbers(trace)))
    told = Report(Word(trace.scenario.title), facts, notes)
    return report(judge, verdicts, told), all_follow(verdicts)


def published_verdicts(trace: Trace) -> tuple[Judge, tuple[Verdict, ...]]:
    """A verdict for each number that the source works out, and who judges them. What it assumes is
    gone on with."""
    printed = published_numbers(trace)
    more: dict[str, Quantity] = {
        one.quantity.name: one.quantity for one in printed if one.quantity.name not in trace
    }
    judge = Judge(replace(trace, quantities={**more, **trace.quantities}))  # IDs are no quantities
    answers = {Location(*one.cell): _given(one) for one in _leading(judge, printed)}
    fewer = {Location(*one.cell) for one in printed if one.follows}
    assumed = {Location(*one.cell) for one in printed if one.assumed}
    with np.errstate(all="ignore"):  # what follows from wild numbers may be none
        told = [one for one in judge.verdicts(answers) if one.cell not in assumed]
    return judge, tuple(_as_printed(one, one.cell in fewer) for one in told)


def _leading(judge: Judge, printed: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    """Those that the source works out, and what it assumes before the last of them."""
    order = [*judge.trace]
    last = max((order.index(one.quantity.name) for one in printed if not one.assumed), default=-1)
    return [one for one in printed if order.index(one.quantity.name) <= last]


def _given(one: PublishedNumber) -> Given:
    return Given(decimals.text(one.theirs), one.theirs, decimals.places(one.theirs), one.at)


def _as_printed(verdict: Verdict, follows: bool) -> Verdict:
    """A number that a source prints with fewer decimals than are worked here is right where it is
    rounded from ours."""
    cause = verdict.cause
    if follows and verdict.judgement == "rounding" and cause is not None:
        return verdict._replace(judgement="correct", cause=None, others=())
    return verdict


def _notes(printed: Sequence[PublishedNumber]) -> Iterable[Note]:
    assumed = sum(one.assumed for one in printed)
    if assumed:
        those = "that is" if assumed == 1 else "those are"
        yield Note((f"The source assumes {counted(assumed, 'number')}; {those} gone on with.",))
