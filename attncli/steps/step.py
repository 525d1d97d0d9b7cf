"""What a step is: its part of the story, and the operations that make its quantities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from attncli.arithmetic.expression import Equation
from attncli.scenario import Scenario
from attncli.trace.quantity import Making

Plan = Callable[[Scenario], tuple[Making, ...]]
Formulas = Callable[[Scenario], tuple[Equation, ...]]


class Mistake(NamedTuple):
    """A common mistake: a quantity made in another way than it should be.

    Marking replays it; the lesson shows what it would give. `making` gives None where the
    mistake can't be made with a scenario.
    """

    name: str
    says: str
    making: Callable[[Scenario], Making | None]


class Step(NamedTuple):
    """One step of the story, in the words and formulas of the literature.

    `formulas` are those of a scenario, `shapes` what goes in and comes out, `happens` the
    sentence that opens the working, `purpose` what the step is for. `together` names
    quantities whose rows are set side by side at the end, under the headings given.
    `shown_with` are changes that give the step to a scenario which goes without it.
    """

    name: str
    title: str
    makes: tuple[str, ...]
    formulas: Formulas
    shapes: str
    happens: Callable[[Scenario], str]
    purpose: str
    plan: Plan
    mistakes: tuple[Mistake, ...] = ()
    together: tuple[tuple[str, str], ...] = ()
    adds_up_to_one: str | None = None
    shown_with: tuple[str, ...] = ()
