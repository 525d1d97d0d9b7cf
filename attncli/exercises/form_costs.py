"""What the forms of an exercise cost, and which known mistakes show in them, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Bullets, Callout, Document, Paragraph, Section, Spans, Table
from attncli.document.questions import OWN_FORM, Worth, points_text
from attncli.exercises.blanked import taken
from attncli.exercises.requests import ExerciseRequest
from attncli.names import Word
from attncli.nice_numbers.candidate_quantity import Flags, attempts
from attncli.nice_numbers.costs import Cost, cost_of
from attncli.nice_numbers.rules import RULES
from attncli.nice_numbers.showing import Blanks, shows
from attncli.numbers.rounding import Array
from attncli.pages.lint import mistake_in_words
from attncli.trace import Trace


def blanks_of(trace: Trace, request: ExerciseRequest) -> Blanks:
    """What a sheet asks for and shows, whatever numbers a form has. Raises SelectionError where
    there is nothing to ask for."""
    what = taken(trace, request, "")
    cells: dict[str, Flags] = {}
    for _, place in request.allowed(what.page):
        if place.cell is not None:
            name, i, j = place.cell
            cells.setdefault(name, np.zeros(trace[name].matrix.shape, dtype=np.bool_))[i, j] = True
    return Blanks(cells, frozenset(what.context), what.roots, request.tolerance)


class CostedForm(NamedTuple):
    """A form: what it is called, is worth and costs, the numbers of its blanks, and whether each
    mistake shows; None of one that can't be made with such shapes."""

    name: str
    points: Worth
    cost: Cost
    answers: Array
    mistakes: Mapping[Spans, bool | None]

    @classmethod
    def of(cls, name: str, trace: Trace, request: ExerciseRequest) -> CostedForm:
        """A worked form as it is costed."""
        blanks, asked = blanks_of(trace, request), request.quantities(trace)
        slips = [*attempts(trace, asked)] if asked else []
        mistakes: dict[Spans, bool | None] = {}
        for slip, flags in zip(slips, shows([trace], slips, blanks), strict=True):
            says, own = mistake_in_words(slip), None if flags is None else bool(flags[0])
            mistakes[says] = own and mistakes.get(says, own)
        numbers = [trace[cell].values[blanks.cells[cell]] for cell in sorted(blanks.cells)]
        answers = np.concatenate([np.zeros(0), *numbers])
        cost = cost_of(trace, asked, blanks.cells)
        return cls(name, request.all_points(trace), cost, answers, mistakes)

    @property
    def row(self) -> tuple[str, ...]:
        """What is told of it alone."""
        may = [own for own in self.mistakes.values() if own is not None]
        products, digits, negative, _ = map(str, self.cost)
        return points_text(self.points), products, digits, negative, f"{sum(may)} of {len(may)}"


_HEADINGS = ("form", "points", "products", "digits", "negative", "mistakes", "as another")
_COUNTED = (
    "Counted are the products of two numbers other than 0 in what is asked for, the digits of the"
    " one times those of the other, and the operands of these products that are negative.",
    "A number in the last column says how many blanks have the same number as in another form, at"
    " most.",
    "A mistake shows where it changes a blank by more than honest rounding does.",
)
_KINDS = (
    ("hidden", "Mistakes that don't show", False),
    ("impossible", "Mistakes that can't be made with these shapes", None),
    ("shown", "Mistakes that show in each form", True),
)


def costs_page(title: Word, forms: Sequence[CostedForm]) -> Document:
    """A row for each form, and the mistakes by their words."""
    rows = [(form.name, *form.row, str(_as_another(form, forms))) for form in forms]
    sections = [
        Section(
            "forms",
            None,
            ("What the forms cost",),
            (),
            (Table(_HEADINGS, tuple(rows)), *(Paragraph((text,)) for text in _COUNTED)),
        )
    ]
    for name, heading, kind in _KINDS:
        items = tuple(_told(forms, kind))
        if items:
            sections.append(Section(name, None, (heading,), (), (Bullets(items),)))
    return Document(title, tuple(sections), closing=(Callout((_in_all(forms),)),))


def _told(forms: Sequence[CostedForm], kind: bool | None) -> Iterator[Spans]:
    """The mistakes of a kind: those that show do so in each form, of others it is said in which
    forms they don't."""
    for says in dict.fromkeys(says for form in forms for says in form.mistakes):
        whose = [form.name for form in forms if form.mistakes.get(says) is kind]
        if len(whose) == len(forms):
            yield says
        elif whose and not kind:
            yield (f"in {', '.join(whose)}: ", *says)


def _as_another(form: CostedForm, forms: Sequence[CostedForm]) -> int:
    """In how many blanks it has the number of another form, of that in which most are so."""
    others = (other.answers for other in forms if other is not form)
    alike = [int((own == form.answers).sum()) for own in others if own.shape == form.answers.shape]
    return max(alike, default=0)


def _in_all(forms: Sequence[CostedForm]) -> str:
    """In a sentence or two what they have in common."""
    hidden = len([*_told(forms, kind=False)])
    mistakes = f"{hidden} mistakes don't show everywhere." if hidden else "Every mistake shows."
    if len(forms) == 1 and forms[0].name == OWN_FORM:
        return mistakes
    says = RULES["difficulty"]
    return f"{mistakes} By the rule “difficulty”, {says}."
