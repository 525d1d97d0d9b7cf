"""Masks: which keys a query may see (Vaswani et al. 2017, arXiv:1706.03762, 3.2.3).

Sliding windows: Beltagy et al. 2020, arXiv:2004.05150.
"""

from __future__ import annotations

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import (
    Causal,
    Finite,
    Masked,
    Padding,
    Rule,
    Seen,
    TableRule,
    Window,
)
from attncli.name import below
from attncli.scenario.model import MaskRule
from attncli.steps.step import Mistake, Step
from attncli.trace import Definition, Place

_IN_WORDS = {
    "causal": "no query sees a key that comes after it",
    "padding": "padded keys are seen by nobody",
    "allowed": "a given table says what may be seen",
    "blocked": "a given table says what may not be seen",
    "add": "where a given table says −∞, nothing is seen",
}


def _rule(rule: MaskRule) -> Rule:
    match rule.kind:
        case "causal":
            return Causal()
        case "window":
            return Window(rule.width)
        case "padding":
            return Padding(rule.keys)
        case "add":
            return Finite()
        case _:
            return TableRule(rule.kind == "allowed")


def _plan(place: Place) -> tuple[Definition, ...]:
    rules = place.attention.mask
    if not rules:
        return ()
    blame = below(place.attention.path, "mask")
    tables = tuple(rule.table for rule in rules if rule.table)
    value = Number.written(place.attention.mask_value)
    seen = Seen(tuple(map(_rule, rules)), must_see=place.attention.mask_value.is_infinite())
    mask = Definition(place.name("mask"), seen, (place.x, *tables), "mask", blame=blame)
    masked = Definition(
        place.name("masked"), Masked(value), (place.x, mask.name), "mask", blame=blame
    )
    return mask, masked


def _not_masked(place: Place) -> Definition | None:
    if not place.attention.mask:
        return None
    return Definition(place.name("mask"), Seen((), must_see=False), (place.x,), "mask")


def _zeros(place: Place) -> Definition | None:
    if not place.attention.mask:
        return None
    operands = (place.x, place.name("mask"))
    return Definition(place.name("masked"), Masked(Number.written(0)), operands, "mask")


def _happens(place: Place) -> str:
    told = [
        f"no query sees a key {rule.width} or more places away" if rule.kind == "window"
        else _IN_WORDS[rule.kind]
        for rule in place.attention.mask
    ]  # fmt: skip
    value = place.attention.mask_value
    hidden = "−∞" if value.is_infinite() else decimals.text(value).replace("-", "−")
    rules = "; ".join(told)
    return f"{rules[:1].upper()}{rules[1:]}. Where the mask is 0, the score becomes {hidden}."


STEP = Step(
    name="mask",
    title="Mask",
    per_head=True,
    makes=("mask", "masked"),
    shapes="scores [n, m], mask [n, m] → masked [n, m]",
    happens=_happens,
    purpose=(
        "A decoder that is to guess the next token must not see it. A score of −∞ gets the"
        " weight e^(−∞) = 0, so that the key behind it has no part in the blend. The same"
        " keeps out padding, or what is too far away."
    ),
    plan=_plan,
    shown_with=("mask=causal",),
    mistakes=(
        Mistake("not_masked", "Forgetting the mask.", _not_masked),
        Mistake(
            "zero_for_infinity",
            "Writing 0 instead of −∞, which still gets the weight e^0 = 1 before dividing.",
            _zeros,
        ),
    ),
)
