"""Whether the numbers follow that the source of a scenario prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Location
from attncli.document import Document, Facts, Note, Section, Spans
from attncli.marking.grading.papers import all_follow
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Given, Verdict
from attncli.records import replace
from attncli.telling.facts import rounding_facts
from attncli.telling.marked.report import Report, report
from attncli.telling.sentences import counted
from attncli.trace import Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers
from attncli.word import Word


def checked(trace: Trace) -> tuple[Document, bool]:
    """What is said of the numbers of a scenario's source, then of those for each variant, and
    whether all of them follow."""
    told = (("", trace), *trace.variants.items())
    found = {name: _checked(one, name) for name, one in told if one.scenario.published}
    pages = {name: page for name, (page, _) in found.items()}
    sections = [one for name, page in pages.items() for one in _sections(name, page)]
    page = pages.get("", _without_numbers(trace))
    more = {name: one.data for name, one in pages.items() if name}
    data = {**page.data, **({"variants": more} if more else {})}
    page = page._replace(sections=tuple(sections), data=data)
    return page, all(follows for _, follows in found.values())


def _without_numbers(trace: Trace) -> Document:
    """The page of a scenario that has variants with numbers, and none itself."""
    facts = Facts((_scenario(trace),))
    return Document(Word(trace.scenario.title), (), facts, rounding=rounding_facts(trace))


def _scenario(trace: Trace) -> tuple[str, Spans]:
    return "Scenario", (Word(trace.scenario.title),)


def _checked(trace: Trace, variant: str) -> tuple[Document, bool]:
    judge, verdicts = published_verdicts(trace)
    facts = () if variant else (_scenario(trace),)
    notes = tuple(_notes(published_numbers(trace), verdicts))
    told = Report(Word(trace.scenario.title), facts, notes)
    return report(judge, verdicts, told), all_follow(verdicts)


def _sections(name: str, page: Document) -> Iterator[Section]:
    """The sections of a page; those of a variant say so, and the first of these what its facts
    say."""
    for k, one in enumerate(page.sections):
        if not name:
            yield one
            continue
        heading = ("Variant ", Word(name), ": ", *one.title)
        facts = (page.facts,) if k == 0 and page.facts is not None else ()
        yield one._replace(title=heading, blocks=(*facts, *one.blocks))


def published_verdicts(trace: Trace) -> tuple[Judge, tuple[Verdict, ...]]:
    """A verdict for each number that the source works out, and who judges them. What it assumes is
    gone on with, and of numbers that it prints twice for a cell those that it prints last."""
    printed = published_numbers(trace)
    more: dict[str, Quantity] = {
        one.quantity.name: one.quantity for one in printed if one.quantity.name not in trace
    }
    judge = Judge(replace(trace, quantities={**more, **trace.quantities}))  # IDs are no quantities
    leading = _leading(judge, printed)
    fewer = {_printed(one) for one in printed if one.follows}
    assumed = {_printed(one) for one in printed if one.assumed}
    told = [one for one in _each(judge, leading) if _judged(one) not in assumed]
    return judge, tuple(_as_printed(one, _judged(one) in fewer) for one in told)


def _printed(one: PublishedNumber) -> tuple[object, ...]:
    """Which number it is: its cell, what is printed, and where."""
    return one.cell, one.theirs, one.at


def _judged(one: Verdict) -> tuple[object, ...]:
    return one.cell, one.given.number, one.given.where


def _each(judge: Judge, printed: Sequence[PublishedNumber]) -> list[Verdict]:
    """The verdicts in the order of the working; those on earlier numbers for a cell, each judged in
    the place of the last one, stand before that."""
    told = [(Location(*one.cell), _given(one)) for one in printed]
    last = dict(told)
    found = {one.cell: [one] for one in judge.verdicts(last)}
    for cell, given in told:
        if given is not last[cell]:
            again = judge.verdicts({**last, cell: given})
            found[cell].insert(-1, next(one for one in again if one.cell == cell))
    return [one for verdicts in found.values() for one in verdicts]


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


def _notes(printed: Sequence[PublishedNumber], verdicts: Sequence[Verdict]) -> Iterator[Note]:
    assumed = sum(one.assumed for one in printed)
    if assumed:
        those = "that is" if assumed == 1 else "those are"
        yield Note((f"The source assumes {counted(assumed, 'number')}; {those} gone on with.",))
    differing = {_printed(one) for one in printed if not one.follows and not one.assumed}
    otherwise = [one for one in verdicts if _judged(one) in differing]
    follow = sum(one.judgement == "correct" for one in otherwise)
    if follow:
        said = f"As this scenario rounds, {counted(len(otherwise), 'number')} would be others, as"
        which = "it follows" if len(otherwise) == 1 else f"{follow} of them follow"
        which = f"{follow} of them follows" if follow == 1 < len(otherwise) else which
        how = "where one rounds otherwise on the way, or keeps full precision"
        yield Note((f"{said} its page tells; {which} {how}.",))
