"""The page of what the forms of an exercise cost, and of the mistakes that show in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.classroom.exercises.blanked import blanks_of
from attncli.classroom.exercises.requests import ExerciseRequest
from attncli.classroom.forms.candidate_quantity import attempts
from attncli.classroom.forms.costs import WITHIN, FormCost, cost_of
from attncli.classroom.forms.showing import shows
from attncli.classroom.lint import mistake_in_words
from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    Document,
    PageData,
    Paragraph,
    Section,
    Spans,
    Table,
)
from attncli.document.questions import Worth, plain_points, points_text
from attncli.names import Word, WordedText, raw_text
from attncli.trace import Trace


class CostedForm(NamedTuple):
    """A form with what it is worth and costs."""

    name: str
    points: Worth
    cost: FormCost
    mistakes: Mapping[WordedText, bool | None]
    """Whether each mistake shows, and None for one that can't be made with such shapes."""

    @classmethod
    def of(
        cls,
        name: str,
        traces: Sequence[Trace | None],
        requests: Sequence[ExerciseRequest | None],
    ) -> CostedForm:
        """Computes the costs of a form from the worked scenarios of its parts, and what is asked of
        each."""
        points, cost, mistakes = Decimal(0), FormCost(0, 0, 0, 0), dict[WordedText, bool | None]()
        several = sum(trace is not None for trace in traces) > 1
        for trace, wanted in zip(traces, requests, strict=True):
            if trace is None or wanted is None:
                continue
            request = wanted.on(trace)
            blanks, asked = blanks_of(trace, request), request.quantities(trace)
            points += request.all_points(trace)
            if asked:
                own = cost_of(trace, asked, blanks.cells)
                cost = FormCost(*map(sum, zip(cost, own, strict=True)))
            slips = [*attempts(trace, asked)] if asked else []
            before = (Word(trace.scenario.title), " · ") if several else ()
            for slip, flags in zip(slips, shows([trace], slips, blanks), strict=True):
                says = (*before, *mistake_in_words(slip))
                showing = None if flags is None else bool(flags[0])
                mistakes[says] = showing and mistakes.get(says, showing)
        return cls(name, points, cost, mistakes)

    @property
    def data(self) -> dict[str, object]:
        """Returns the form for formats that keep data."""
        costs = zip(FormCost._fields[:3], self.cost, strict=False)
        mistakes = {raw_text(says): own for says, own in self.mistakes.items()}
        points = plain_points(self.points)
        return {"form": self.name, "points": points, **dict(costs), "mistakes": mistakes}

    @property
    def row(self) -> tuple[str, ...]:
        """Returns the row of the form in a table."""
        may = [own for own in self.mistakes.values() if own is not None]
        costs = map(str, self.cost[:3])
        return self.name, points_text(self.points), *costs, f"{sum(may)} of {len(may)}"


_HEADINGS = ("form", "points", "products", "digits", "negative", "mistakes")
_COUNTED = (
    "Products of two numbers other than 0 in what is asked for are counted. A product has the"
    " digits of one factor times those of the other. Column negative counts the factors that are"
    " negative. A mistake shows where it changes a blank by more than honest rounding does."
)
_HEADINGS_OF_MISTAKES = (
    "Mistakes that don't show",
    "Mistakes that can't be made with these shapes",
    "Mistakes that show",
)
_COST = f"These forms cost the same: {WITHIN}."


def costs_page(title: Word, forms: Sequence[CostedForm], *, alike: bool) -> Document:
    """Makes a page with a row for each form, and the mistakes by their words, first those that
    don't show. With `alike`, it says that the forms cost the same by the rules."""
    table = Table(_HEADINGS, tuple(form.row for form in forms))
    sections = [_section("forms", "What the forms cost", table, Paragraph((_COUNTED,)))]
    found: dict[str, list[Spans]] = {heading: [] for heading in _HEADINGS_OF_MISTAKES}
    hidden, impossible, shown = found.values()
    for says in dict.fromkeys(says for form in forms for says in form.mistakes):
        own = {form.name: form.mistakes.get(says) for form in forms}
        whose = ", ".join(name for name in own if own[name] is False)
        if whose:
            hidden.append((f"in {whose}: ", *says))
        else:
            (shown if any(own.values()) else impossible).append(says)
    sections += (_section("mistakes", h, Bullets(tuple(each))) for h, each in found.items() if each)
    known = "All known mistakes show."
    if hidden:
        known = f"Known mistakes that don't show in each form: {len(hidden)}."
    closing = Callout((f"{known} {_COST}" if alike else known,))
    data = {"forms": [form.data for form in forms]}
    return Document(title, tuple(sections), closing=(closing,), data=PageData(told=data))


def _section(name: str, heading: str, *blocks: Block) -> Section:
    return Section(name, None, (heading,), (), blocks)
