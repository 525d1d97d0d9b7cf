"""Conditions, and what is chosen by them: factors under one condition, and how they are told.

A condition is worked as 1 where it holds and 0 elsewhere, by `step`; so `j = 2` is (1 − step(j −
2)) × (1 − step(2 − j)). In a formula it is told as what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from attncli.maths.equations import tree as ex
from attncli.maths.equations.factored_terms import expression, term, times
from attncli.maths.equations.indices import renamed
from attncli.maths.equations.tree import Apply, Expression, Number, Operand, Symbol, minus


def _above(a: Expression, b: Expression) -> Expression:
    return Apply("step", (a if b == ex.ZERO else minus(a, b),))


def _not(condition: Expression) -> Expression:
    return minus(ex.ONE, condition)


def _equal(a: Expression, b: Expression) -> Expression:
    return ex.Product((_not(_above(a, b)), _not(_above(b, a))))


RELATIONS: Mapping[str, Callable[[Expression, Expression], Expression]] = {
    ">": _above,
    "<": lambda a, b: _above(b, a),
    ">=": lambda a, b: _not(_above(b, a)),
    "<=": lambda a, b: _not(_above(a, b)),
    "==": _equal,
    "!=": lambda a, b: _not(_equal(a, b)),
}
"""Conditions on two numbers: 1 where they hold, and 0 elsewhere."""


def chosen_first(tree: Expression) -> Expression:
    """Puts factors under the condition of one of them: a × (b where c, else 0) becomes (a × b where
    c, else 0), of which nothing is worked where c doesn't hold."""

    def change(node: Expression) -> Expression | None:
        match node:
            case Apply("where", (condition, then, otherwise)):
                return _chosen_at_once(condition, chosen_first(then), chosen_first(otherwise))
            case ex.Product(factors):
                factors = tuple(map(chosen_first, factors))
                return _joined(factors) or ex.Product(factors)
            case ex.Quotient(dividend, divisor):
                dividend, divisor = chosen_first(dividend), chosen_first(divisor)
                joined = _joined((dividend, ex.Quotient(ex.ONE, divisor)))
                return joined or ex.Quotient(dividend, divisor)
            case ex.Negative(operand):
                operand = chosen_first(operand)
                return _joined((ex.constant(-1), operand)) or ex.Negative(operand)
            case _:
                return None

    return ex.rewritten(tree, change)


def _chosen_at_once(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Makes a choice, with the condition of a choice in it taken into its own, where both are else
    0 and that condition can be worked anywhere."""
    match then:
        case Apply("where", (also, part, ex.ZERO)) if otherwise == ex.ZERO and _only_compares(also):
            return Apply("where", (ex.Product((condition, also)), part, ex.ZERO))
        case _:
            return Apply("where", (condition, then, otherwise))


def _only_compares(condition: Expression) -> bool:
    """Tells whether a condition has a value for all numbers."""
    match condition:
        case ex.Leaf():
            return True
        case ex.Sum() | ex.Product() | ex.Negative() | Apply("step" | "max" | "min"):
            return all(map(_only_compares, ex.children(condition)))
        case _:
            return False


def _joined(factors: tuple[Expression, ...]) -> Expression | None:
    """Multiplies factors under the condition of one of them; returns None where none has one."""
    for k, factor in enumerate(factors):
        match factor:
            case Apply("where", (condition, then, otherwise)) if ex.ZERO in (then, otherwise):
                part = then if otherwise == ex.ZERO else otherwise
                others = (*factors[:k], part, *factors[k + 1 :])
                inner = _joined(others) or expression(times(*map(term, others)))
                both = (inner, ex.ZERO) if otherwise == ex.ZERO else (ex.ZERO, inner)
                return Apply("where", (condition, *both))
    return None


def told(tree: Expression, counts: Collection[int]) -> Expression:
    """Writes an equation as it is read: with its conditions as comparisons, the places along a side
    as their index, and `X[2, j]` for the sum that has only this term."""
    return ex.rewritten(tree, lambda node: _told(node, counts))


def _told(node: Expression, counts: Collection[int]) -> Expression | None:
    match node:
        case Operand(place, (index,)) if place in counts:
            return Symbol(index)
        case ex.Total(over, Apply("where", (condition, part, ex.ZERO))):
            return _told_total(over, condition, part, counts)
        case ex.Total(over, Apply("where", (condition, ex.ZERO, part))):
            return _told_total(over, ex.minus(ex.ONE, condition), part, counts)
        case ex.Reduced():
            return _told_reduction(node, counts)
        case Apply("where", (condition, then, otherwise)):
            met = told_condition(condition, counts)
            return _told_choice(met, told(then, counts), told(otherwise, counts))
        case _:
            return None


def _told_total(
    over: str, condition: Expression, part: Expression, counts: Collection[int]
) -> Expression:
    known = _index_of(over, condition, counts)
    if known:
        return told(renamed(part, {over: known}), counts)
    return ex.Total(over, told(part, counts), told_condition(condition, counts))


def _told_reduction(node: ex.Reduced, counts: Collection[int]) -> Expression:
    inside, nothing = node.operand, ex.NEUTRAL[node.function]
    if isinstance(inside, ex.Sum) and len(inside.terms) == 1:
        inside = inside.terms[0]
    match inside:
        case Apply("where", (condition, part, other)) if other == nothing:
            met = told_condition(condition, counts)
            return ex.Reduced(node.function, node.over, told(part, counts), met)
        case part:
            return ex.Reduced(node.function, node.over, told(part, counts))


def _told_choice(met: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Writes a choice; one inside another, both of which are else 0, as one."""
    match then, otherwise:
        case Apply("where", (also, part, ex.ZERO)), ex.ZERO:
            both = Apply("and", (*_all_of(met), *_all_of(also)))
            return Apply("where", (both, part, ex.ZERO))
        case _:
            return Apply("where", (met, then, otherwise))


def _related(sign: str, left: Expression, right: Expression) -> ex.Relation:
    """Compares two parts, a number on the right."""
    if isinstance(left, Number) and not isinstance(right, Number):
        return ex.Relation({">": "<", "≤": "≥"}.get(sign, sign), right, left)
    return ex.Relation(sign, left, right)


def _all_of(condition: Expression) -> tuple[Expression, ...]:
    """Lists conditions that have to hold together."""
    match condition:
        case Apply("and", conditions):
            return tuple(conditions)
        case _:
            return (condition,)


def told_condition(condition: Expression, counts: Collection[int]) -> Expression:
    """Writes a condition as a comparison, or several."""
    compared = _comparison(condition)
    if compared is not None:
        sign, left, right = compared
        return _related(sign, told(left, counts), told(right, counts))
    match condition:
        case ex.Product(parts):
            return Apply("and", tuple(told_condition(part, counts) for part in parts))
        case Apply("max", parts):
            return Apply("or", tuple(told_condition(part, counts) for part in parts))
        case _:
            return told(condition, counts)


def _comparison(condition: Expression) -> tuple[str, Expression, Expression] | None:
    """Returns the sign of a single comparison, and what it compares; None for other conditions."""
    equal = _sides_of_equal(condition)
    if equal is not None:
        return ("=", *equal)
    match condition:
        case Apply("step"):
            return (">", *_compared(condition))
        case ex.Sum((ex.ONE, ex.Negative(Apply("step") as above))):
            return ("≤", *_compared(above))
        case ex.Sum((ex.ONE, ex.Negative(inner))):
            unequal = _sides_of_equal(inner)
            return None if unequal is None else ("≠", *unequal)
        case _:
            return None


def _compared(above: Apply) -> tuple[Expression, Expression]:
    """Returns what `step` compares: step(a − b) is 1 where a is above b."""
    match above.arguments[0]:
        case ex.Sum((left, ex.Negative(right))):
            return left, right
        case other:
            return other, ex.ZERO


def _sides_of_equal(condition: Expression) -> tuple[Expression, Expression] | None:
    """Returns what has to be equal for a condition to hold; None for another one."""
    match condition:
        case ex.Product(
            (
                ex.Sum((ex.ONE, ex.Negative(Apply("step") as above))),
                ex.Sum((ex.ONE, ex.Negative(Apply("step") as below))),
            )
        ):
            left, right = _compared(above)
            return (left, right) if _compared(below) == (right, left) else None
    return None


def _index_of(over: str, condition: Expression, counts: Collection[int]) -> str:
    """Returns the one place, `2` or `i − 1`, at which an index meets a condition; nothing for
    another condition."""
    sides = _sides_of_equal(condition)
    match sides:
        case (Operand(place, (index,)), place_of) if place in counts and index == over:
            return _place(place_of, counts)
        case _:
            return ""


def _place(place: Expression, counts: Collection[int]) -> str:
    """Writes a place along a side; nothing for what is none."""
    match place:
        case Number():
            return str(place.full)
        case Operand(count, (index,)) if count in counts:
            return index
        case ex.Sum((Operand(count, (index,)), Number() as more)) if count in counts:
            return f"{index} + {more.full}"
        case ex.Sum((Operand(count, (index,)), ex.Negative(Number() as less))) if count in counts:
            return f"{index} − {less.full}"
        case _:
            return ""
