"""The line at the end of a page about its source: how much of what it prints and says follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.document.blocks import Block, Callout, Spans, Term
from attncli.errors import agreed
from attncli.pages.parts.next_commands import as_asked_for, asking_for_large, typed
from attncli.pages.parts.sentences import enumerated
from attncli.trace import Trace


def closing_on_the_source(trace: Trace, *, on_paper: bool) -> list[Block]:
    """Says in a line how much follows of what the source prints and says of a scenario and its
    variants, and, where it isn't `on_paper`, which command tells more."""
    blocks: list[Block] = []
    if trace.scenario.file.changed.unsaid:
        text = "What the source says of its own numbers is left out, as these were changed."
        blocks.append(Callout((text,)))
    numbers, statements, differ = _judged(trace)
    said = [_counted(numbers, "number", _FOLLOW, _WHOSE)] if numbers else []
    if not all(statements):
        said.append(_counted(statements, "statement", _SO, "its" if said else _WHOSE))
    if not said:
        return blocks
    called, wrong = as_asked_for(trace.scenario), [*numbers, *statements].count(False)
    text = enumerated(said)
    spans: Spans = (f"{text[0].upper()}{text[1:]}",)
    if called is not None and (wrong or differ) and not on_paper:
        command = f"attn check {typed(called)}{asking_for_large(trace.scenario)}"
        which = _told_by_check(wrong, len(numbers) + len(statements))
        spans = (*spans, "; ", Term(command), f" says {which}")
    return [*blocks, Callout((*spans, "."))]


def _told_by_check(wrong: int, total: int) -> str:
    """Writes what `attn check` says where some of what the source has are wrong."""
    if wrong == total > 1:
        return "why"
    dont = agreed(wrong, "doesn't", "don't")
    return f"which {dont}" if wrong else "where others are printed"


def _judged(trace: Trace) -> tuple[list[bool], list[bool], bool]:
    """Tells of each number that the source prints whether it follows, of each statement whether it
    is so, and whether any number is printed otherwise than it is worked here."""
    numbers: list[bool] = []
    statements: list[bool] = []
    differ = False
    for entry in (trace, *trace.variants.values()):
        if entry.scenario.source.published:
            from attncli.judging.publications import follow
            from attncli.trace.published import published_numbers

            numbers += follow(entry).values()
            differ = differ or any(f.differs for f in published_numbers(entry))
        if entry.scenario.source.claims:
            from attncli.trace.claims import judged_claims

            statements += (not claim.failing for claim in judged_claims(entry))
    return numbers, statements, differ


_WHOSE = "the source's"


class _Verbs(NamedTuple):
    """What is said of one that is right, of several, and of one that is wrong."""

    one: str
    several: str
    wrong: str


_FOLLOW = _Verbs("follows", "follow", "doesn't follow")
_SO = _Verbs("is so", "are so", "isn't so")


def _counted(right: Sequence[bool], what: str, verbs: _Verbs, whose: str) -> str:
    """Counts what is right: `56 of the source's 57 numbers follow`."""
    count, total = sum(right), len(right)
    if total == 1:
        return f"{whose} {what} {verbs.one if count else verbs.wrong}"
    which = "all" if count == total else str(count or "none")
    return f"{which} of {whose} {total} {what}s {verbs.one if count == 1 else verbs.several}"
