"""The steps of a trace, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attncli.document import Document
from attncli.library.pages import text_of
from attncli.library.shown import Showable
from attncli.name import Name
from attncli.notation import plain
from attncli.render.sentences import text_of_spans
from attncli.telling.parts import made_by, place_in_words, title_of, told_parts
from attncli.telling.sections import formulas_at
from attncli.telling.selection import Selection, check_lines, select
from attncli.telling.walkthrough import walkthrough
from attncli.telling.working import working_of
from attncli.trace import PlannedStep

if TYPE_CHECKING:
    from attncli.library.quantity import WorkedQuantity
    from attncli.library.trace import WorkedTrace

_SHOWN = 4
"""Quantities that are told of a step where that is to be short."""


@dataclass(frozen=True, eq=False, repr=False)
class WorkedStep(Showable):
    """A step at one place of the model; `number` is that on the page, from 1."""

    trace: WorkedTrace
    number: int
    part: PlannedStep

    @property
    def name(self) -> str:
        """What `attn list steps` calls it: `softmax`."""
        return self.part.step

    @property
    def path(self) -> Name:
        """Where it is taken: `layers[1].heads[2]`; nothing where there is only one such place."""
        return self.part.path

    @property
    def place(self) -> str:
        """The same in words: `Layer 1 · Head 2`."""
        return place_in_words(self.path)

    @property
    def title(self) -> str:
        """The heading of its section, without number and place: `Softmax`."""
        return text_of_spans(title_of(self.part))

    @property
    def formulas(self) -> Sequence[str]:
        """How it makes what it makes: `weights[i, j] = exp[i, j] / exp_sum[i]`."""
        told = formulas_at(self.trace.plain, self.part)
        return tuple(f"{plain(one.left)} = {plain(one.right)}".replace("\xa0", " ") for one in told)

    @property
    def quantities(self) -> Sequence[WorkedQuantity]:
        """What it made; nothing in a step without numbers, such as cutting a text into tokens."""
        made = made_by(self.trace.plain, self.part)
        return tuple(self.trace[quantity.name] for quantity in made)

    def working(self, *, width: int = 80) -> str:
        """The working of all that it made, as on its page, where long sums leave terms out; nothing
        where numbers are only put elsewhere. Raises ValueError."""
        trace = self.trace.plain
        check_lines(trace, [self.part])
        made = made_by(trace, self.part)
        return text_of([one for q in made for one in working_of(trace, q, Selection())], width)

    def document(self) -> Document:
        trace = self.trace.plain
        return walkthrough(trace, select(trace)._replace(parts=(self.part,)))

    def __str__(self) -> str:
        return self.page()

    def __repr__(self) -> str:
        made = ", ".join(
            f"{one.name.seen_from(self.path)} {[*one.shape]}" for one in self.quantities[:_SHOWN]
        )
        made += ", …" if len(self.quantities) > _SHOWN else ""
        place = f"{self.place} · " if self.place else ""
        return f"<Step {self.number} · {place}{self.title}{f': {made}' if made else ''}>"


def steps_of(trace: WorkedTrace) -> Sequence[WorkedStep]:
    """Those that the page tells, in order."""
    told = told_parts(trace.plain)
    return tuple(WorkedStep(trace, number, part) for number, part in enumerate(told, start=1))
