"""Scaling (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1)."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Expression, Number, Root, Symbol
from attncli.arithmetic.operations import DivideBy, MultiplyBy, Operation
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope

_ROOT = Root(Symbol("d_k"))


def divisor_of(scope: Scope) -> Expression | None:
    """What the scores are divided by: √d_k or a number; None where they aren't, or where d_k
    isn't known."""
    scale = scope.attention.scale
    if isinstance(scale, Decimal):
        return Number.written(scale)
    if scale == "none" or scope.d_k is None:
        return None
    return Root(Number.written(scope.d_k))


def _plan(scope: Scope) -> tuple[Making, ...]:
    if scope.attention.scale == "none" and not scope.scenario.gives(scope.name("scaled")):
        return ()
    divisor = divisor_of(scope)
    making = _scaled_by(scope, DivideBy(divisor or _ROOT, _symbol(scope)))
    return (making if divisor is not None else making._replace(needs=(Name("d_k"),)),)


def _symbol(scope: Scope) -> Expression | None:
    return None if isinstance(scope.attention.scale, Decimal) else _ROOT


def _happens(scope: Scope) -> str:
    if isinstance(scope.attention.scale, Decimal):
        return "Each score is divided by the number that the scenario gives."
    d_k = "" if scope.d_k is None else f", here of d_k = {scope.d_k}"
    return f"Each score is divided by the square root of the number of key dimensions{d_k}."


def _scaled_by(scope: Scope, operation: Operation) -> Making:
    blame = below(scope.attention.path, "scale")
    return Making(scope.name("scaled"), operation, (scope.x,), "scale", blame=blame)


def _by_d_k(scope: Scope) -> Making | None:
    if isinstance(scope.attention.scale, Decimal) or scope.d_k is None:
        return None
    return _scaled_by(scope, DivideBy(Number.written(scope.d_k)))


def _multiplied(scope: Scope) -> Making | None:
    divisor = divisor_of(scope)
    return None if divisor is None else _scaled_by(scope, MultiplyBy(divisor))


STEP = Step(
    name="scale",
    title="Scaling",
    per_head=True,
    makes=("scaled",),
    shapes="scores [n, n] → scaled [n, n]",
    happens=_happens,
    purpose=(
        "A dot product adds up d_k terms, so it grows with d_k: its spread grows like √d_k."
        " Large scores would push the softmax to where one weight is nearly 1 and learning"
        " stalls. Dividing by √d_k keeps the spread the same for every d_k."
    ),
    plan=_plan,
    shown_with=("scale=sqrt_d_k",),
    mistakes=(
        Mistake(
            "divided_by_d_k",
            "Dividing by d_k itself instead of its square root.",
            _by_d_k,
        ),
        Mistake(
            "multiplied",
            "Multiplying instead of dividing.",
            _multiplied,
        ),
        Mistake(
            "not_scaled",
            "Forgetting to scale, and going on with the scores as they are.",
            lambda scope: _scaled_by(scope, DivideBy(Number.written(1))),
        ),
    ),
)
