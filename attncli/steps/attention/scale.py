"""Scaling (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1)."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from attncli.arithmetic.expression import Expression, Number, Root, Symbol
from attncli.arithmetic.operations import DivideBy, MultiplyBy, Operation
from attncli.file.keys import Key
from attncli.file.kinds import POSITIVE, word_or
from attncli.file.matrices import NAMED
from attncli.name import Name, below
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace

SCALE: Key[str | Decimal] = Key(
    "scale",
    word_or(("sqrt_d_k", "none"), POSITIVE),
    "what the scores are divided by: `sqrt_d_k` (the default), `none`, or a number",
    "sqrt_d_k",
    shared=True,
    inherited=True,
)

_ROOT = Root(Symbol("d_k"))


def _divisor(place: HeadPlace) -> Expression | None:
    """What the scores are divided by: √d_k or a number; None where they aren't, or where d_k
    isn't known."""
    scale = place.attention.said.get(SCALE)
    if isinstance(scale, Decimal):
        return Number.written(scale)
    if scale == "none" or place.d_k is None:
        return None
    return Root(Number.written(place.d_k))


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    scale = place.attention.said.get(SCALE)
    if scale == "none" and not place.scenario.gives(place.name("scaled")):
        return ()
    if isinstance(scale, Decimal):
        return (_scaled_by(place, DivideBy(Number.written(scale))),)
    return (_scaled_by(place, DivideBy(_ROOT))._replace(needs=(Name("d_k"),)),)


def _sized(place: HeadPlace, planned: Definition) -> Definition:
    divisor = _divisor(place) if planned.needs else None
    return planned if divisor is None else _scaled_by(place, _divided_by(divisor))


@lru_cache(maxsize=64)
def _divided_by(divisor: Expression) -> DivideBy:
    """The scaling of all heads of one width, which is prepared once."""
    return DivideBy(divisor, _ROOT)


def _happens(place: HeadPlace) -> str:
    if isinstance(place.attention.said.get(SCALE), Decimal):
        return "Each score is divided by the number that the scenario gives."
    d_k = "" if place.d_k is None else f", here of d_k = {place.d_k}"
    return f"Each score is divided by the square root of the number of key dimensions{d_k}."


def _scaled_by(place: HeadPlace, operation: Operation) -> Definition:
    blame = below(place.attention.path, "scale")
    return Definition(place.name("scaled"), operation, (place.x,), blame=blame)


def _by_d_k(place: HeadPlace) -> Definition | None:
    if _is_given(place) or place.d_k is None:
        return None
    return _scaled_by(place, DivideBy(Number.written(place.d_k)))


def _is_given(place: HeadPlace) -> bool:
    """Whether the divisor is a number that the scenario gives."""
    return isinstance(place.attention.said.get(SCALE), Decimal)


def _by_root_of_d_model(place: HeadPlace) -> Definition | None:
    d_model = place.width(below(place.stack.path, "X"))
    if place.d_k is None or d_model in (None, place.d_k) or _is_given(place):
        return None
    return _scaled_by(place, DivideBy(Root(Number.written(d_model))))


def _multiplied(place: HeadPlace) -> Definition | None:
    divisor = _divisor(place)
    return None if divisor is None else _scaled_by(place, MultiplyBy(divisor))


STEP = Step(
    name="scale",
    at=HeadPlace,
    keys=(SCALE, Key("scaled", NAMED, "scores after scaling, [n, m]", in_parts=True)),
    title="Scaling",
    does="divides the scores, so that their spread doesn't grow with d_k",
    makes=("scaled",),
    shapes="scores [n, m] → scaled [n, m]",
    happens=_happens,
    why=(
        "A dot product adds up d_k terms, so its spread grows like √d_k; dividing by √d_k keeps"
        " it the same for every d_k."
    ),
    more="Large scores would push the softmax to where one weight is nearly 1 and learning stalls.",
    plan=_plan,
    sized=_sized,
    general=General(x="scores"),
    shown_with=("scale=sqrt_d_k",),
    on_the_way=True,
    mistakes=(
        Mistake(
            "divided_by_d_k",
            "Dividing by d_k itself instead of its square root.",
            _by_d_k,
        ),
        Mistake(
            "divided_by_root_of_d_model",
            "Dividing by √d_model, the width of the model, instead of √d_k, that of the keys.",
            _by_root_of_d_model,
        ),
        Mistake(
            "multiplied",
            "Multiplying instead of dividing.",
            _multiplied,
        ),
        Mistake(
            "not_scaled",
            "Forgetting to scale, and going on with the scores as they are.",
            lambda place: _scaled_by(place, DivideBy(Number.written(1))),
        ),
    ),
    backward=Backward(
        "the scaling",
        ("What was divided on the way forward is divided on the way back, by the same number."),
        usual_mistakes=("scale_left_out",),
    ),
)
