"""What a section opens with: what its step is for, what happens, and the shapes of its products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.arithmetic.expression import (
    Equation,
    Expression,
    MatrixProduct,
    Shapes,
    Symbol,
    Transposed,
    each,
)
from attncli.document import Spans
from attncli.name import Name
from attncli.telling.parts import definitions_of, step_of
from attncli.telling.sentences import joined
from attncli.trace import BackwardPlace, Definition, PlannedStep, Trace


def opening_of(trace: Trace, part: PlannedStep, before: Sequence[PlannedStep]) -> Spans:
    """The paragraph that opens a section; what a page has said `before` of the same step it
    doesn't say again: its purpose, and shapes that are the same."""
    step = step_of(part)
    alike = [one for one in before if one.step == part.step]
    shapes = shapes_in(trace, part)
    if alike and shapes_in(trace, alike[-1]) == shapes:
        shapes = ()
    told = joined(((equation,) for equation in shapes), ", ")
    purpose = () if alike else (step.why_here(part.place),)
    happens = () if not alike and _is_said(part, before) else step.happens_at(part.place)
    sizes = ("Shapes: ", *told, ".") if told else ()
    return joined((one for one in (purpose, happens, sizes) if one), " ")


def _is_said(part: PlannedStep, before: Sequence[PlannedStep]) -> bool:
    """Whether the same has been said of another way back."""
    if not isinstance(part.place, BackwardPlace):
        return False
    others = (one for one in before if isinstance(one.place, BackwardPlace))
    happens = step_of(part).happens_at(part.place)
    return any(step_of(one).happens_at(one.place) == happens for one in others)


def shapes_in(trace: Trace, part: PlannedStep) -> tuple[Equation, ...]:
    """The shapes of the products of matrices that a part makes, each once:
    `(3 × 2)(2 × 4) = (3 × 4)`."""
    made = definitions_of(trace, part)
    return tuple(dict.fromkeys(shapes for one in made for shapes in _shapes(trace, one)))


def _shapes(trace: Trace, definition: Definition) -> Iterator[Equation]:
    formula = definition.operation.formula(definition.name, *definition.operands)
    for product in each(formula.right, MatrixProduct):
        sizes = [_size(trace, factor) for factor in product.factors]
        known = tuple(size for size in sizes if size is not None)
        if len(known) == len(sizes):
            result = (known[0][0], known[-1][1])
            yield Equation(Shapes(known), Shapes((result,)))


def _size(trace: Trace, factor: Expression) -> tuple[int, int] | None:
    """The rows and columns of what a formula names, if it is a quantity or one turned over."""
    match factor:
        case Transposed(operand):
            size = _size(trace, operand)
            return None if size is None else (size[1], size[0])
        case Symbol(name):
            quantity = trace.quantities.get(Name(name))
            return None if quantity is None else quantity.matrix.shape
        case _:
            return None
