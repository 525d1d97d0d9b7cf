"""The errata of a source: the numbers that it prints and that don't follow from the given ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attncli.classroom.marking.exam import address_of
from attncli.judging.publications import published_verdicts
from attncli.judging.verdicts import Verdict
from attncli.maths.equations.tree import Location
from attncli.maths.notation import plain
from attncli.names import raw_text
from attncli.trace import Trace


class Erratum(NamedTuple):
    """A number that doesn't follow: its cell and place in the source, what is printed there, what
    is right, the verdict, and why."""

    cell: str
    at: str
    printed: str
    right: str
    verdict: str
    why: str


def errata(trace: Trace) -> Iterator[Erratum]:
    """All of them, in the order of the working."""
    judge, verdicts = published_verdicts(trace)
    for verdict in verdicts:
        if verdict.judgement != "correct":
            cell = address_of(judge.trace, verdict.cell)
            right = plain(verdict.expected)
            why = _why(judge.trace, verdict)
            yield Erratum(
                cell, verdict.given.where, verdict.given.text, right, verdict.judgement, why
            )


def _why(trace: Trace, verdict: Verdict) -> str:
    if verdict.follows_from:
        return f"from {', '.join(_cells(trace, verdict.follows_from))}"
    says = "" if verdict.cause is None else raw_text(verdict.cause.worded)
    return f"perhaps: {says}" if says and verdict.judgement == "slip" else says


def _cells(trace: Trace, cells: tuple[Location, ...]) -> list[str]:
    return [f"`{address_of(trace, cell)}`" for cell in cells]
