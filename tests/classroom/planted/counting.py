"""What marking says of planted papers, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from attncli.judging.verdicts import Verdict
from tests.classroom.planted.papers import Paper

_FINE = ("correct", "carried forward")


class Finding(NamedTuple):
    """What is said of a paper: what its first wrong number is called, and of the other wrong ones
    those that are neither carried forward nor told the same cause."""

    paper: Paper
    first: str
    loose: tuple[Verdict, ...]

    @property
    def is_named(self) -> bool:
        return self.first == self.paper.first


class Count(NamedTuple):
    """How many papers could tell their cause, how many were named, in how many more than what
    follows was found wrong; what was called what."""

    papers: int
    named: int
    loose: int
    confusion: Counter[tuple[str, str]]


def found(paper: Paper) -> Finding:
    verdicts = paper.scenario.judge.verdicts(paper.answers)
    wrong = [v for v in verdicts if v.judgement not in _FINE]
    if not wrong:
        return Finding(paper, "", ())
    named = _name(wrong[0])
    loose = tuple(v for v in wrong if _name(v) != named)
    return Finding(paper, named, loose)


def _name(verdict: Verdict) -> str:
    return verdict.judgement if verdict.cause is None else verdict.cause.name


def counted(papers: Iterable[Paper]) -> Count:
    """Of the papers whose numbers can tell their cause."""
    findings = [found(paper) for paper in papers if paper.tells]
    confusion = Counter((f.paper.first, f.first) for f in findings)
    named = sum(f.is_named for f in findings)
    loose = sum(bool(f.loose) for f in findings if len(f.paper.causes) == 1)
    return Count(len(findings), named, loose, confusion)
