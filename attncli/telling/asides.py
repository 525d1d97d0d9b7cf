"""Numbers that lead nowhere, such as a perplexity, which a page in brief that goes on to gradients
does without."""

from __future__ import annotations

from attncli.arithmetic.expression import Symbol
from attncli.document import Section
from attncli.telling.parts import made_by
from attncli.trace import GRADIENTS, PlannedStep, Quantity, Trace, UpdatePlace


def is_aside(trace: Trace, quantity: Quantity) -> bool:
    """Whether nothing is made of a number on a page that goes back from its loss."""
    if not trace.scenario.goes_back or not quantity.is_number or quantity.given:
        return False
    if quantity.name.inside(GRADIENTS) or quantity.local == trace.scenario.prediction.loss:
        return False
    part = trace.part_of(quantity.name)
    if part is None or isinstance(part.place, UpdatePlace):
        return False
    return all(quantity.name not in one.operands for one in trace.plan)


def without_asides(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """A section without the formulas of such numbers."""
    asides = {part.place.here(one.name) for one in made_by(trace, part) if is_aside(trace, one)}
    if not asides:
        return section
    kept = (
        one
        for one in section.formulas
        if not (isinstance(one.left, Symbol) and one.left.name in asides)
    )
    return section._replace(formulas=tuple(kept))
