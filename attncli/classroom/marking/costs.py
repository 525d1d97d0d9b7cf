"""The cost of mistakes: of understanding, of rounding, and of others, as shares.

A mistake of understanding costs a share of its step, once in each head or layer, rounding a share
of one number, once a paper, and all else a share of each number. Where the numbers that a mistake
gives are worth less than it costs, those that follow from them are charged with the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from attncli.classroom.files.scheme import Scheme
from attncli.classroom.marking.exam import Exam, MarkedTerm, PlacedStep
from attncli.document.questions import Item
from attncli.judging.slips import OF_TABLES, OF_THE_PEN
from attncli.judging.verdicts import Cause, Judgement, Verdict
from attncli.maths.equations.tree import Location
from attncli.names import Name

Cost = Literal["nothing", "mistake", "slip", "pen", "rounding", "otherwise", "everything"]
"""The kind of cost of a number. All but the first and the last have their shares in a scheme."""

_KINDS: dict[Judgement, Cost] = {
    "correct": "nothing",
    "carried forward": "nothing",
    "worked otherwise": "otherwise",
    "rounding": "rounding",
    "known mistake": "mistake",
    "slip": "slip",
}


@dataclass
class Bill:
    """A record of what the numbers of a part of a paper are charged for, from the first to the
    last."""

    scheme: Scheme
    exam: Exam | None = None
    """The part, where it is about a scenario."""
    left: dict[object, Decimal] = field(default_factory=dict)
    """What is still to be charged of each thing that costs only once."""

    def of_next(self, exam: Exam | None) -> Bill:
        """Returns the bill of the next part, in which rounding that was charged for costs nothing
        more."""
        paid: dict[object, Decimal] = {}
        if "rounding" in self.left:
            paid["rounding"] = self.left["rounding"]
        return Bill(self.scheme, exam, paid)

    @property
    def copy(self) -> Bill:
        """Returns a copy of the bill that can be charged independently."""
        return Bill(self.scheme, self.exam, {**self.left})

    def number(self, asked: Item, verdict: Verdict) -> Decimal:
        """Returns the points that the number of a cell earns."""
        return self._earned(asked, verdict.judgement, verdict.cause)

    def mistake_of(self, asked: Item, verdict: Verdict) -> object | None:
        """Returns the key of the mistake by which a number came about, or None."""
        is_mistake = self._kind(verdict.judgement, verdict.cause) == "mistake"
        return self._once("mistake", asked, verdict.cause) if is_mistake else None

    def term(self, term: MarkedTerm) -> MarkedTerm:
        """Returns a number inside a line, or one that a teacher asks for, with its points."""
        return term._replace(points=self._earned(term.asked, term.judgement, term.cause))

    def _earned(self, asked: Item, judgement: Judgement, cause: Cause | None) -> Decimal:
        worth, kind = Decimal(asked.points), self._kind(judgement, cause)
        if kind in ("nothing", "everything"):
            return worth if kind == "nothing" else Decimal(0)
        share: Decimal = getattr(self.scheme.costs, kind)
        cost = share * worth
        once = self._once(kind, asked, cause) if self.scheme.carry else None
        if once is not None:
            if once not in self.left:
                self.left[once] = self._of_step(asked, cause) if kind == "mistake" else cost
            cost = min(worth, self.left[once])
            self.left[once] -= cost
        return worth - cost

    def _kind(self, judgement: Judgement, cause: Cause | None) -> Cost:
        if cause is not None and cause.name in self.scheme.free:
            return "nothing"
        if judgement == "carried forward" and not self.scheme.carry:
            return "everything"
        is_wrong = judgement in ("known mistake", "slip")
        if is_wrong and cause is not None and cause.name in (*OF_THE_PEN, *OF_TABLES):
            return "pen"
        return _KINDS.get(judgement, "everything")

    def _once(self, kind: Cost, asked: Item, cause: Cause | None) -> object | None:
        """Returns the key of what is charged only once, however many numbers it is in: rounding on
        a whole paper, a mistake in a step of a head or layer, a row in another's place. Returns
        None for what costs each time."""
        if kind == "rounding":
            return kind
        if cause is None or asked.cell is None:
            return None
        if kind == "mistake":
            return cause.name, self._made_in(asked.cell, cause)
        return (cause.name, asked.cell.quantity) if cause.name in OF_TABLES else None

    def _made_in(self, cell: Location, cause: Cause | None) -> PlacedStep:
        """Returns the step of a head or layer in which a mistake was made. A mistake that is made
        in every head names the first head's quantity; here it counts for the head of the cell."""
        assert self.exam is not None
        known, made = self.exam.trace.quantities, cause.quantity if cause is not None else ""
        if made not in known:
            return self.exam.step_of(cell.quantity)
        like = _like(known[made].name, known[cell.quantity].name)
        return self.exam.step_of(like if like in known else made)

    def _of_step(self, asked: Item, cause: Cause | None) -> Decimal:
        """Returns what a mistake costs: its share of the points of the step in which it was made,
        or, where nothing of that is asked, of the step in which it shows; at least the cost of a
        slip."""
        assert self.exam is not None
        assert asked.cell is not None
        costs, points = self.scheme.costs, self.exam.points_of_steps
        shows = points[self.exam.step_of(asked.cell.quantity)]
        step = points.get(self._made_in(asked.cell, cause)) or shows
        return max(costs.mistake * step, costs.slip * asked.points) if costs.mistake else Decimal(0)


def _like(made: Name, there: Name) -> Name:
    """Returns a quantity's name in the head or layer of another quantity: `heads[2].scaled` for
    `heads[1].scaled` and `heads[2].exp`."""
    place, other = made.path.places, there.path.places[: len(made.path.places)]
    alike = [part.local for part in place] == [part.local for part in other]
    return made.alone.under(other[-1]) if place and alike else made
