"""Masks: which keys a query may see (Vaswani et al. 2017, arXiv:1706.03762, 3.2.3).

Sliding windows: Beltagy et al. 2020, arXiv:2004.05150.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import (
    Causal,
    Exponential,
    Finite,
    Masked,
    MaskedShare,
    Padding,
    Rule,
    Same,
    Seen,
    TableRule,
    Window,
)
from attncli.file.problems import Problems
from attncli.name import below
from attncli.scenario.scenario import Scenario
from attncli.steps.attention.mask_rules import MASK, MASK_VALUE, MaskRule, check_mask, mask_rules
from attncli.steps.step import Backward, General, Inquiry, Mistake, Step
from attncli.trace import Definition, HeadPlace, Trace

if TYPE_CHECKING:
    from attncli.steps.inquiry import WordsAsked

_IN_WORDS = {
    "causal": "no query sees a key that comes after it",
    "padding": "padded keys are seen by nobody",
    "allowed": "a given table says what may be seen",
    "blocked": "a given table says what may not be seen",
    "add": "where a given table says −∞, nothing is seen",
}


def _fits(definition: Definition, scenario: Scenario, problems: Problems) -> None:
    """No key is padded that isn't there."""
    keys, seen = scenario.shapes[definition.operands[0]][1], definition.operation
    rules = seen.rules if isinstance(seen, Seen) else ()
    last = max((k for rule in rules if isinstance(rule, Padding) for k in rule.keys), default=-1)
    if keys is not None and last >= keys:
        where = scenario.where(below(definition.blame, "padding"))
        problems.add(where, f"there is no key {last + 1}", f"count the keys from 1 to {keys}")


def _value(place: HeadPlace) -> Decimal:
    """What stands in the place of a masked score."""
    value = place.attention.said.get(MASK_VALUE)
    return Decimal("-Infinity") if isinstance(value, str) else value


def _rule(rule: MaskRule) -> Rule:
    match rule.kind:
        case "causal":
            return Causal(from_top=rule.from_top)
        case "window":
            return Window(rule.width)
        case "padding":
            return Padding(rule.keys)
        case "add":
            return Finite()
        case _:
            return TableRule(rule.kind == "allowed")


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    rules = mask_rules(place.attention)
    if not rules:
        return ()
    blame = below(place.attention.path, "mask")
    tables = tuple(rule.table for rule in rules if rule.table)
    value = Number.written(_value(place))
    seen = Seen(tuple(map(_rule, rules)), must_see=_value(place).is_infinite())
    mask = Definition(place.name("mask"), seen, (place.x, *tables), blame=blame)
    masked = Definition(place.name("masked"), Masked(value), (place.x, mask.name), blame=blame)
    return mask, masked


def _not_masked(place: HeadPlace) -> Definition:
    return Definition(place.name("mask"), Seen((), must_see=False), (place.x,))


def _not_applied(place: HeadPlace) -> tuple[tuple[Definition, ...], ...]:
    """A mask that is written down and forgotten afterwards: at once, or before the softmax."""
    exp = place.name("exp")
    rounding = place.scenario.rounding.of_quantity("softmax", exp)
    of_all = Definition(exp, Exponential.under(rounding, "softmax"), (place.x,))
    return _as_scored(place), (of_all,)


def _zeros(place: HeadPlace) -> Definition:
    operands = (place.x, place.name("mask"))
    return Definition(place.name("masked"), Masked(Number.written(0)), operands)


def _minus_one(place: HeadPlace) -> Definition | None:
    if not _value(place).is_infinite():
        return None
    operands = (place.x, place.name("mask"))
    return Definition(place.name("masked"), Masked(Number.written(-1)), operands)


def _seen(place: HeadPlace, *, later: int = 0, from_top: bool = False) -> Definition | None:
    """The mask with a causal rule that is off."""
    (mask, _), rules = _plan(place), mask_rules(place.attention)
    if not any(rule.kind == "causal" for rule in rules):
        return None
    moved = tuple(
        Causal(later, rule.from_top) if rule.kind == "causal" else _rule(rule) for rule in rules
    )
    return mask._replace(operation=Seen(moved, must_see=True, from_top=from_top))


def _at_the_other_corner(place: HeadPlace) -> Definition | None:
    return _seen(place, from_top=True) if place.attention.cached else None


def _after_softmax(place: HeadPlace) -> Definition | None:
    operands = (place.x, place.name("mask"))
    return Definition(place.name("weights"), MaskedShare(), operands)


def _as_scored(place: HeadPlace) -> tuple[Definition, ...]:
    """What is masked as it is without the mask."""
    return (Definition(place.name("masked"), Same(), (place.x,)),)


def _aligned(place: HeadPlace, rule: MaskRule) -> str:
    """Which corner of the table a causal rule starts from, where there is more than one way."""
    n, m = (side(place.x) for side in (place.height, place.width))
    if rule.kind != "causal" or (n == m and not rule.from_top):
        return ""
    if rule.from_top:
        return ", and the first query stands at the first key (aligned top left)"
    return ", and the last query stands at the last key (aligned bottom right)" if n and m else ""


def _happens(place: HeadPlace) -> str:
    told = [
        f"no query sees a key {rule.width} or more places away" if rule.kind == "window"
        else _IN_WORDS[rule.kind] + _aligned(place, rule)
        for rule in mask_rules(place.attention)
    ]  # fmt: skip
    value = _value(place)
    hidden = "−∞" if value.is_infinite() else decimals.text(value).replace("-", "−")
    rules = "; ".join(told)
    return f"{rules[:1].upper()}{rules[1:]}. Where the mask is 0, the score becomes {hidden}."


def _which_mask(place: HeadPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    from attncli.steps.attention.mask_options import which_mask

    return which_mask(place, trace)


STEP = Step(
    name="mask",
    at=HeadPlace,
    keys=(MASK, MASK_VALUE),
    title="Mask",
    does="hides the keys that a query must not see",
    makes=("mask", "masked"),
    shapes="scores [n, m], mask [n, m] → masked [n, m]",
    happens=_happens,
    why=(
        "A mask hides keys that a query must not see: a decoder, which has to guess the next"
        " token, must not look ahead."
    ),
    more=(
        "A score of −∞ gets the weight e^(−∞) = 0, so that the key behind it has no part in the"
        " blend. The same keeps out padding, or what is too far away."
    ),
    check=check_mask,
    plan=_plan,
    fits=_fits,
    general=General(x="scores", said={"mask": ("causal",)}),
    shown_with=("mask=causal",),
    on_the_way=True,
    mistakes=(
        Mistake("not_masked", "Forgetting the mask.", _not_masked, variants=_not_applied),
        Mistake(
            "zero_for_infinity",
            "Writing 0 instead of −∞, or multiplying by the mask, which still gets the weight"
            " e^0 = 1 before dividing.",
            _zeros,
        ),
        Mistake(
            "minus_one_for_infinity",
            "Writing −1 instead of −∞, which still gets the weight e^(−1) before dividing.",
            _minus_one,
        ),
        Mistake(
            "sees_the_next",
            "Letting each query see the next key too: the mask is one place off.",
            lambda place: _seen(place, later=1),
        ),
        Mistake(
            "does_not_see_itself",
            "Hiding each query's own key too: the mask is one place off.",
            lambda place: _seen(place, later=-1),
        ),
        Mistake(
            "other_corner",
            "Counting the queries from the first key, though those in the cache come before.",
            _at_the_other_corner,
        ),
        Mistake(
            "masked_after_softmax",
            "Setting weights to 0 after the softmax, so that the rest don't add up to 1.",
            _after_softmax,
            _as_scored,
        ),
    ),
    inquiries=(Inquiry("which_mask", "which of some tables is the mask", ("mask",), _which_mask),),
    backward=Backward(
        "the mask",
        "What was hidden had no part in the loss and gets no gradient; the rest passes as it is.",
        fixed=("add", "allowed", "blocked"),
    ),
)
