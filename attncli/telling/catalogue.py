"""The list of the steps, and their formulas in general."""

from __future__ import annotations

from typing import Any

from attncli.arithmetic.expression import Equation, Symbol, with_each
from attncli.document import Document, Facts, Note, Prose, Term
from attncli.name import Name
from attncli.steps import Step, formulas_of, steps
from attncli.steps.general import general_place
from attncli.steps.order import THROUGH
from attncli.trace import WayPlace
from attncli.word import Word, raw


def steps_catalogue() -> Document:
    """Every step and what it does, a line each, in the order they are told; then those that lead
    back through others."""
    rows = tuple((step.name, (step.does,)) for step in steps() if step.name not in THROUGH)
    back = Prose(("The gradients go back, the last step first: ", ", ".join(THROUGH), "."))
    learn = Note(("Why, and how: ", Term("attn explain softmax")))
    return Document(Word("Steps"), (), closing=(Facts(rows), back, learn))


def general_formulas(step: Step[Any]) -> tuple[Equation, ...]:
    """The formulas of a step with all that it can have, at any time if it has times."""
    place = general_place(step.name)
    formulas = formulas_of(step, place, step.planned(place))
    if not formulas:
        raise LookupError(f"the step {step.name} makes nothing where `general_place` puts it")
    return tuple(map(_at_any_time, formulas)) if isinstance(place, WayPlace) else formulas


def _at_any_time(formula: Equation) -> Equation:
    """A formula that was made for the second of three times, for any time t."""

    def change(node: Symbol) -> Symbol:
        name = node.name
        if isinstance(name, Name) and name.time in _TIMES:
            name = name.at(_TIMES[name.time])
        index = ("t" if raw(index) == "2" else index for index in node.indices)
        return Symbol(name, tuple(index))

    return Equation(*(with_each(side, Symbol, change) for side in formula))


_TIMES: dict[object, str] = {1: "t−1", 2: "t", 3: "t+1"}
