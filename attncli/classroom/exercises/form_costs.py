"""The page of what the forms of an exercise cost, and of the mistakes that show in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.classroom.exercises.blanked import blanks_of
from attncli.classroom.exercises.requests import ExerciseRequest
from attncli.classroom.forms.candidate_quantity import attempts
from attncli.classroom.forms.costs import LIMITS, FormCost, cost_of, middle, near
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
from attncli.errors import listed
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
        points, mistakes = Decimal(0), dict[WordedText, bool | None]()
        several = sum(trace is not None for trace in traces) > 1
        for trace, wanted in zip(traces, requests, strict=True):
            if trace is None or wanted is None:
                continue
            request = wanted.on(trace)
            blanks, asked = blanks_of(trace, request), request.quantities(trace)
            points += request.all_points(trace)
            slips = [*attempts(trace, asked)] if asked else []
            before = (Word(trace.scenario.title), " · ") if several else ()
            for slip, flags in zip(slips, shows([trace], slips, blanks), strict=True):
                says = (*before, *mistake_in_words(slip))
                showing = None if flags is None else bool(flags[0])
                mistakes[says] = showing and mistakes.get(says, showing)
        return cls(name, points, form_cost(traces, requests), mistakes)

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


def form_cost(
    traces: Sequence[Trace | None], requests: Sequence[ExerciseRequest | None]
) -> FormCost:
    """Adds up what the parts of a form cost, which have these worked scenarios."""
    cost = FormCost(0, 0, 0, 0)
    for trace, wanted in zip(traces, requests, strict=True):
        if trace is not None and wanted is not None:
            request = wanted.on(trace)
            if asked := request.quantities(trace):
                own = cost_of(trace, asked, blanks_of(trace, request).cells)
                cost = FormCost(*map(sum, zip(cost, own, strict=True)))
    return cost


def unlike_own(costs: Mapping[str, FormCost]) -> str:
    """Says of the first of several forms, which has a scenario's own numbers, that it costs more or
    less than the others, and what to do; empty where it doesn't."""
    first, *others = costs
    own, usual = costs[first], middle([costs[name] for name in others])
    if near(np.array(own), usual, LIMITS):
        return ""
    how = "easier" if own.digits + own.difficulty < usual.digits + usual.difficulty else "harder"
    what = f"{_in_words([own])}, not {_in_words([usual])}"
    right = (
        "own: false gives it numbers like theirs, and a scenario with numbers like those of form"
        f" {[*costs][1]} has others like its own"
    )
    return f"form {first} is {how} than the others: {what}; {right}"


def _in_words(costs: Sequence[FormCost]) -> str:
    """Writes what forms cost: `29 products, 66 to 78 digits multiplied`"""
    names = ("products", "digits multiplied", "negative factors")
    each = zip(*(cost[: len(names)] for cost in costs), strict=True)
    ends = ((round(min(own)), round(max(own)), name) for own, name in zip(each, names, strict=True))
    return ", ".join(f"{a} {name}" if a == b else f"{a} to {b} {name}" for a, b, name in ends if b)


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


def _what_they_cost(forms: Sequence[CostedForm], *, own: bool) -> list[str]:
    """Returns sentences on what forms cost that were made to cost about the same; the first may
    have a scenario's `own` numbers."""
    unlike = unlike_own({form.name: form.cost for form in forms}) if own else ""
    alike = forms[1:] if unlike else forms
    says = []
    if len(alike) > 1:
        names = listed([form.name for form in alike], " and ")
        which = f"Forms {names}" if unlike else "These forms"
        cost = _in_words([form.cost for form in alike])
        says.append(f"{which} cost about the same{cost and f': {cost}'}.")
    return [*says, *([f"{unlike[:1].upper()}{unlike[1:]}."] if unlike else [])]


def costs_page(
    title: Word, forms: Sequence[CostedForm], *, alike: bool, keeps_own: bool = False
) -> Document:
    """Makes a page with a row for each form, and the mistakes by their words, first those that
    don't show. With `alike`, it says what the forms cost, which were made to cost the same; the
    first has a scenario's own numbers, where it `keeps_own`."""
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
    cost = _what_they_cost(forms, own=keeps_own) if alike and len(forms) > 1 else []
    closing = Callout((" ".join([known, *cost]),))
    data = {"forms": [form.data for form in forms]}
    return Document(title, tuple(sections), closing=(closing,), data=PageData(told=data))


def _section(name: str, heading: str, *blocks: Block) -> Section:
    return Section(name, None, (heading,), (), blocks)
