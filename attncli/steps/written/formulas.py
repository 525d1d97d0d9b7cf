"""An equation of a scenario as it is shown: with the names and the indices of its author."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.language import Part, Place
from attncli.maths.equations.tree import Apply, Equation, Expression, Number, Symbol, define
from attncli.names import Name

_RELATIONS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}


def formula_of(target: said.Target | said.FunctionTarget, value: Part) -> Equation:
    """Writes an equation as a formula."""
    if isinstance(target, said.FunctionTarget):
        parameters = tuple(Symbol(parameter.name) for parameter in target.parameters)
        return define(Apply(target.name, parameters), symbol_of(value))
    indices = tuple(bound.index for bound in target.bounds)
    return define(Symbol(Name(target.name), indices), symbol_of(value))


def symbol_of(part: said.Any) -> Expression:
    """Writes a part of an equation, or a condition, with names for its numbers."""
    match part:
        case said.Literal(text):
            return Number.written(Decimal(text))
        case said.Reference(name):
            return ex.PI if name == "pi" else Symbol(Name(name))
        case said.Cell(name, places):
            return Symbol(Name(name), tuple(map(_index, places)))
        case said.Call(function, arguments):
            return _call(function, tuple(map(symbol_of, arguments)))
        case said.Over():
            return _over(part)
        case said.Minus(operand):
            return ex.Negative(symbol_of(operand))
        case said.Binary(sign, left, right):
            return joined(sign, part, symbol_of(left), symbol_of(right))
        case said.Choice(condition, then, otherwise):
            parts = (condition, then, otherwise)
            return Apply("where", tuple(map(symbol_of, parts)))
        case said.Comparison(relation, left, right):
            sign = _RELATIONS.get(relation, relation)
            return ex.Relation(sign, symbol_of(left), symbol_of(right))
        case said.All(parts):
            return Apply("and", tuple(map(symbol_of, parts)))
        case said.Some(parts):
            return Apply("or", tuple(map(symbol_of, parts)))
    raise TypeError(f"{part} is no part of an equation")


def _index(place: Place) -> str:
    if not place.index:
        return str(place.shift)
    if not place.shift:
        return place.index
    return f"{place.index} {'+' if place.shift > 0 else '−'} {abs(place.shift)}"


def _call(function: str, arguments: tuple[Expression, ...]) -> Expression:
    if function == "exp" and len(arguments) == 1:
        return ex.e_to(*arguments)
    if function == "sqrt" and len(arguments) == 1:
        return ex.Root(*arguments)
    return Apply(function, arguments)


def _over(part: said.Over) -> Expression:
    over = ", ".join(bound.index for bound in part.bounds)
    operand = symbol_of(part.operand)
    met = None if part.condition is None else symbol_of(part.condition)
    if part.function == "sum":
        return ex.Total(over, operand, met)
    return ex.Reduction(part.function, over, operand, met)


_KINDS: Mapping[str, type[ex.Sum | ex.Product]] = {"*": ex.Product, "+": ex.Sum, "-": ex.Sum}


def joined(sign: str, part: said.Binary, left: Expression, right: Expression) -> Expression:
    """Joins two parts by a sign; what stands in parentheses stays a part of its own."""
    if sign == "/":
        return ex.Quotient(left, right)
    if sign == "**":
        return ex.Power(left, right)
    kind = _KINDS[sign]
    goes_on = isinstance(part.left, said.Binary) and _KINDS.get(part.left.sign) is kind
    many = left.parts[0] if goes_on and isinstance(left, kind) else (left,)
    return kind((*many, ex.Negative(right) if sign == "-" else right))
