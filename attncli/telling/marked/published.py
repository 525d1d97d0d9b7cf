"""Whether the numbers follow that the source of a scenario prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.document import Document, Facts, Note, Section, Spans
from attncli.marking.grading.papers import all_follow
from attncli.marking.judging import published_verdicts
from attncli.marking.verdicts import Verdict
from attncli.telling.facts import rounding_facts
from attncli.telling.marked.report import Report, report
from attncli.telling.sentences import counted
from attncli.trace import Trace
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


def _notes(printed: Sequence[PublishedNumber], verdicts: Sequence[Verdict]) -> Iterator[Note]:
    assumed = sum(one.assumed for one in printed)
    if assumed:
        those = "that is" if assumed == 1 else "those are"
        yield Note((f"The source assumes {counted(assumed, 'number')}; {those} gone on with.",))
    differing = {one.key for one in printed if one.differs}
    otherwise = [one for one in verdicts if one.key in differing]
    follow = sum(one.judgement == "correct" for one in otherwise)
    if follow:
        said = f"As this scenario rounds, {counted(len(otherwise), 'number')} would be others, as"
        which = "it follows" if len(otherwise) == 1 else f"{follow} of them follow"
        which = f"{follow} of them follows" if follow == 1 < len(otherwise) else which
        how = "where one rounds otherwise on the way, or keeps full precision"
        yield Note((f"{said} its page tells; {which} {how}.",))
