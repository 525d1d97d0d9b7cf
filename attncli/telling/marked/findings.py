"""What went wrong: first cause first, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Location, Symbol
from attncli.document import Block, Bullets, Prose, Span, Spans, Subheading, Term
from attncli.marking.grading.words import MarkedWords
from attncli.marking.judging import Judge
from attncli.marking.verdicts import UNWORKABLE, Cause, Verdict
from attncli.telling.marked.words import accepted_text
from attncli.telling.marked.working import beside
from attncli.telling.sentences import counted, joined
from attncli.trace import Trace
from attncli.word import Word

_MOST_CELLS = 6
_WRONG = ("rounding", "known mistake", "slip")


class Finding(NamedTuple):
    """Numbers that are wrong for the same reason."""

    verdicts: tuple[Verdict, ...]

    @property
    def first(self) -> Verdict:
        return self.verdicts[0]


def findings(judge: Judge, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """Each cause, in the order of the working, then what was worked in another right way, and what
    is missing."""
    for number, finding in enumerate(_causes(verdicts), start=1):
        yield from _told(judge, finding, verdicts, number)
    yield from _worked_otherwise(judge.trace, verdicts)
    yield from _blanks(judge.trace, verdicts)
    unreadable = [one for one in verdicts if one.judgement == "unreadable"]
    if unreadable:
        yield Subheading(("Unreadable",))
        yield Bullets(tuple(_unread(judge.trace, one) for one in unreadable))


def findings_in_words(answers: Sequence[MarkedWords]) -> Iterator[Block]:
    """What led to wrong answers in words, where that is known."""
    for one in answers:
        if one.causes:
            first, *others = one.causes
            yield Subheading((Word(one.asked.id),))
            yield Prose((f"{one.judgement.capitalize()}: ", first.says))
            yield from _also(others)


def _also(causes: Sequence[Cause]) -> Iterator[Prose]:
    if causes:
        others = _others(causes)
        said = "These explain" if others[1:] else "This explains"
        yield Prose((f"{said} it as well: ", " ".join(others)))


def _causes(verdicts: Sequence[Verdict]) -> list[Finding]:
    """The wrong numbers, those of one cause together."""
    found: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.judgement in _WRONG:
            found.setdefault(_reason(verdict), []).append(verdict)
    return [Finding(tuple(group)) for group in found.values()]


def _reason(verdict: Verdict) -> tuple[object, ...]:
    cause = verdict.cause
    if cause is None or verdict.judgement == "slip":
        return (verdict.cell,)
    if verdict.judgement == "rounding":
        return verdict.judgement, cause.name
    return verdict.judgement, cause.name, cause.quantity or verdict.cell.quantity


def _told(
    judge: Judge, finding: Finding, verdicts: Sequence[Verdict], number: int
) -> Iterator[Block]:
    trace, first = judge.trace, finding.first
    yield Subheading((f"{number} · ", Term(_symbol(trace, first.cell))))
    yield Prose(_number(trace, first))
    yield Prose(_why(finding))
    if len(finding.verdicts) > 1:
        cells = [one.cell for one in finding.verdicts[1:]]
        said = f"The same in {counted(len(cells), 'more number')}: "
        yield Prose((said, *_cells(trace, cells), "."))
    yield from _also(first.others)
    yield from _following(trace, finding, verdicts)
    yield from beside(judge, first, verdicts)


def _symbol(trace: Trace, cell: Location) -> Symbol:
    return trace[cell.quantity].symbol(cell.row, cell.column)


def _number(trace: Trace, verdict: Verdict) -> Spans:
    """`Given is 0.5; right is 0.422 (0.4215 to 0.4225 is accepted).`"""
    places = trace[verdict.cell.quantity].matrix.decimals
    said: Spans = ("Given is ", Word(verdict.given.shown), "; right is ", verdict.expected)
    if verdict.follows is not None:
        own = accepted_text(verdict.follows, places)
        return (*said, f", and from the earlier numbers given {own} would follow.")
    return (*said, f" ({accepted_text(verdict.accepted, places)} is accepted).")


def _why(finding: Finding) -> Spans:
    verdict = finding.first
    cause = verdict.cause
    if cause is None:
        return ("Slip: no rounding of the earlier numbers gives it, and no common mistake.",)
    made = cause.quantity
    where: tuple[Span, ...] = (" It was made in ", Term(made), ".") if made else ()
    if cause.name == UNWORKABLE:
        return (cause.says,)
    if verdict.judgement == "slip":
        return ("Slip; the nearest reason: ", cause.says, *where)
    return (f"{verdict.judgement.capitalize()}: ", cause.says, *where)


def _others(others: Sequence[Cause]) -> list[str]:
    return list(dict.fromkeys(cause.says for cause in others))


def _cells(trace: Trace, cells: Sequence[Location]) -> Spans:
    told = joined((Term(_symbol(trace, cell)),) for cell in cells[:_MOST_CELLS])
    more = len(cells) - _MOST_CELLS
    return (*told, f" and {more} more") if more > 0 else told


def _following(trace: Trace, finding: Finding, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """What follows from the wrong numbers."""
    own = {one.cell for one in finding.verdicts}
    later = [one for one in verdicts if not own.isdisjoint(one.follows_from)]
    if later:
        follow = "follows" if len(later) == 1 else "follow"
        said = f"{counted(len(later), 'number')} {follow} from this by the right working: "
        earns = all(one.judgement != "not worked" for one in later)
        end = "." if earns else ", but that isn't shown, and earns nothing."
        yield Prose((said, *_cells(trace, [one.cell for one in later]), end))


def _worked_otherwise(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    found: dict[tuple[str, str], list[Location]] = {}
    for one in verdicts:
        if one.judgement == "worked otherwise" and one.cause is not None:
            found.setdefault((one.cell.quantity, one.cause.says), []).append(one.cell)
    if found:
        yield Subheading(("Worked otherwise",))
        told = ((*_cells(trace, cells), f": {says}") for (_, says), cells in found.items())
        yield Bullets(tuple(told))


def _blanks(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    cells = [one.cell for one in verdicts if one.judgement == "blank"]
    if cells:
        yield Subheading(("Blank",))
        said = f"Nothing is given for {counted(len(cells), 'number')}: "
        yield Prose((said, *_cells(trace, cells), "."))


def _unread(trace: Trace, verdict: Verdict) -> Spans:
    told = Term(_symbol(trace, verdict.cell)), ": ", Word(verdict.given.shown)
    where = verdict.given.where
    return (*told, ", in ", Word(where)) if where else told
