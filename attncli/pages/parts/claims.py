"""The claims of a scenario's source about its numbers: where each is so here, and where not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.document.blocks import Spans, Term
from attncli.maths.equations.tree import Equation, Number, Sum
from attncli.names import Word
from attncli.pages.parts.sentences import joined, quoted
from attncli.scenario.published import ITSELF
from attncli.trace import Trace
from attncli.trace.claims import JudgedClaim, judged_claims


def judged_statements(trace: Trace) -> Iterator[Spans]:
    """Yields each statement of the source, and whether it is so here."""
    if trace.scenario.source.claims:
        yield from map(_judged, judged_claims(trace))


def _judged(judged: JudgedClaim) -> Spans:
    """Says whether the source is right: `The source says that each row of weights has its largest
    number at its own token (slide 4). It is so for “Tennis”, but not for “I” and “love”, whose
    largest is at “Tennis”.`"""
    failing = judged.failing
    holding = [i for i in judged.rows if i not in failing]
    if not failing:
        total = judged.claim.total
        off = total is not None and any(judged.total(i) != total for i in judged.rows)
        where = "here" if judged.one else "in every row here"
        return (*_said(judged), f" It is so {where}{', up to rounding' * off}.")
    if judged.one:
        return (*_said(judged), " It isn't so here", *_instead(judged, failing[0]), ".")
    alike: dict[Spans, list[int]] = {}
    for i in failing:
        alike.setdefault(_instead(judged, i), []).append(i)
    wrong = joined(((*_rows(judged, rows), *why) for why, rows in alike.items()), ", nor")
    if not holding:
        return (*_said(judged), " It isn't so", *wrong, ".")
    return (*_said(judged), " It is so", *_rows(judged, holding), ", but not", *wrong, ".")


def _rows(judged: JudgedClaim, rows: Sequence[int]) -> Spans:
    """Names rows: ` for “I”, “love” and “.”`"""
    return (" for ", *quoted(*(judged.quantity.rows.names[i] for i in rows)))


def _said(judged: JudgedClaim) -> Spans:
    claim, quantity = judged.claim, judged.quantity
    whose = Term(quantity.symbol(judged.rows[0])) if judged.one else Term(quantity.name)
    spans: Spans = ("The source says that ", *(() if judged.one else ("each row of ",)), whose)
    if claim.largest:
        own = claim.largest == ITSELF
        where: Spans = (" its own token",) if own else (" “", Word(claim.largest), "”")
        spans = (*spans, " has its largest number at", *where)
    if claim.total is not None:
        both = " and" if claim.largest else ""
        spans = (*spans, f"{both} adds up to ", Number.written(claim.total))
    return (*spans, *((" (", Word(claim.at), ").") if claim.at else (".",)))


def _instead(judged: JudgedClaim, i: int) -> Spans:
    """Says how a row is instead of as the source says: `, whose largest is at “Tennis”`, `: 0.7 +
    0.2 + 0.1 + 0.1 = 1.1`"""
    quantity = judged.quantity
    if not judged.adds_up(i):
        numbers = tuple(quantity.number(i, j) for j in range(quantity.matrix.shape[1]))
        return (": ", Equation(Sum(numbers), Number.written(judged.total(i))))
    places = quoted(*judged.largest(i))
    return (", where it is at " if judged.one else ", whose largest is at ", *places)
