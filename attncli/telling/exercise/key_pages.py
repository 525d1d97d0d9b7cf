"""The answer key as a page: the working, each answer, and what is accepted for it."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import MOST_PARTS, Number, Omitted, elided
from attncli.document import (
    Block,
    Document,
    Key,
    Points,
    Prose,
    Question,
    Section,
    Slip,
    Span,
    Spans,
    Subheading,
    Table,
    Word,
)
from attncli.notation import plain
from attncli.telling.facts import counted

_HEADINGS = ("Blank", "Answer", "carry", "exact", "Accepted", "Points")


def key_page(whole: Document) -> Document:
    """The key of an exercise."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(map(_section, whole.sections)),
        given=(),
        opening=(Subheading("What is accepted"), _accepted(whole)),
        paper=whole.paper._replace(kind="key"),
    )


def _section(section: Section) -> Section:
    table = Table(_HEADINGS, tuple(map(_row, section.questions)))
    return section._replace(blocks=(*section.solution, table, *_slips(section)), solution=())


def _row(question: Question) -> tuple[Word | str, ...]:
    key = question.key
    assert key is not None
    accepted = f"{_figure(key.low)} to {_figure(key.high)}"
    policies = (_text(key.carry), _text(key.exact))
    return (Word(question.id), plain(key.figure), *policies, accepted, str(question.points))


def _text(number: Number | None) -> str:
    return "–" if number is None else plain(number)


def _figure(figure: object) -> str:
    return plain(Number.written(figure))  # type: ignore[arg-type]


def _accepted(whole: Document) -> Prose:
    keys = [q.key for section in whole.sections for q in section.questions if q.key is not None]
    halves = " or ".join(_half_in_words(key) for key in _one_for_each_half(keys))
    return Prose(
        (
            "An answer is right from half a unit of the last place below the smaller of what carry"
            " and exact give to half a unit above the larger, both ends included. Half a unit is"
            f" {halves}. Carry rounds at each step, exact only at the end: where they differ, a"
            " student may have done either.",
        )
    )


def _one_for_each_half(keys: Sequence[Key]) -> list[Key]:
    return list({key.half: key for key in keys}.values())


def _half_in_words(key: Key) -> str:
    return f"{_figure(key.half)} ({counted(key.places, 'decimal')})"


def _slips(section: Section) -> list[Block]:
    """What common mistakes would give, by which they can be told."""
    found: dict[str, list[tuple[str, Slip]]] = {}
    for question in section.questions:
        for slip in question.key.slips if question.key is not None else ():
            found.setdefault(slip.says, []).append((question.id, slip))
    if not found:
        return []
    told = tuple(_slip(says, places) for says, places in found.items())
    return [Subheading("Known mistakes, by what they give"), Points(told)]


def _slip(says: str, places: Sequence[tuple[str, Slip]]) -> Spans:
    spans: list[Span] = [says, " It gives "]
    for k, place in enumerate(elided(len(places), MOST_PARTS)):
        spans += [", "] if k else []
        if place is None:
            spans.append(Omitted())
            continue
        id_, slip = places[place]
        spans += [slip.figure, " for ", Word(id_)]
    return (*spans, ".")
