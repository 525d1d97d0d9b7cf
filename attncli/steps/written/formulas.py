"""An equation of a scenario as it is shown: with the names and the indices of its author."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.language import IndexedPlace, Part, Piece
from attncli.maths.equations.tree import Apply, Equation, Expression, Number, Symbol, define
from attncli.names import Name

_RELATIONS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}


def formula_of(target: said.Target | said.FunctionTarget, value: Part) -> Equation:
    """Writes an equation as a formula."""
    if isinstance(target, said.FunctionTarget):
        parameters = tuple(Symbol(parameter.name) for parameter in target.parameters)
        return define(Apply(target.name, parameters), symbol_of(value))
    indices = tuple(bound.name for bound in target.bounds)
    return define(Symbol(Name(target.name), indices), symbol_of(value))


def symbol_of(part: Piece) -> Expression:
    """Writes a part of an equation, or a condition, with names for its numbers."""
    return _SYMBOLS.of(part)


class _Symbols(said.Rules[Expression]):
    """The parts of an equation as they are shown."""

    def of_literal(self, part: said.Literal) -> Expression:
        return Number.written(Decimal(part.text))

    def of_reference(self, part: said.Reference) -> Expression:
        return ex.PI if part.name == "pi" else Symbol(Name(part.name))

    def of_cell(self, part: said.Cell) -> Expression:
        return Symbol(Name(part.name), tuple(map(_index, part.places)))

    def of_call(self, part: said.Call) -> Expression:
        arguments = self.each(part.arguments)
        if part.function == "exp" and len(arguments) == 1:
            return ex.e_to(*arguments)
        if part.function == "sqrt" and len(arguments) == 1:
            return ex.Root(*arguments)
        return Apply(part.function, arguments)

    def of_over_indices(self, part: said.OverIndices) -> Expression:
        over = ", ".join(bound.name for bound in part.bounds)
        operand = self.of(part.operand)
        met = None if part.condition is None else self.of(part.condition)
        if part.function == "sum":
            return ex.Total(over, operand, met)
        return ex.Reduced(part.function, over, operand, met)

    def of_minus(self, part: said.Minus) -> Expression:
        return ex.Negative(self.of(part.operand))

    def of_binary(self, part: said.Binary) -> Expression:
        return joined(part, self.of(part.left), self.of(part.right))

    def of_chosen_number(self, part: said.ChosenNumber) -> Expression:
        return Apply("where", self.each((part.condition, part.then, part.otherwise)))

    def of_compared_numbers(self, part: said.ComparedNumbers) -> Expression:
        sign = _RELATIONS.get(part.relation, part.relation)
        return ex.Relation(sign, self.of(part.left), self.of(part.right))

    def of_all(self, part: said.All) -> Expression:
        return Apply("and", self.each(part.parts))

    def of_some(self, part: said.Some) -> Expression:
        return Apply("or", self.each(part.parts))


_SYMBOLS = _Symbols()


def _index(place: IndexedPlace) -> str:
    if not place.name:
        return str(place.shift)
    if not place.shift:
        return place.name
    added = place.side or abs(place.shift)
    return f"{place.name} {'+' if place.shift > 0 else '−'} {added}"


_KINDS: Mapping[str, type[ex.Sum | ex.Product]] = {"*": ex.Product, "+": ex.Sum, "-": ex.Sum}


def joined(part: said.Binary, left: Expression, right: Expression) -> Expression:
    """Joins two parts by a sign; what stands in parentheses stays a part of its own."""
    sign = part.sign
    if sign == "/":
        return ex.Quotient(left, right)
    if sign == "**":
        return ex.Power(left, right)
    kind = _KINDS[sign]
    goes_on = isinstance(part.left, said.Binary) and _KINDS.get(part.left.sign) is kind
    many = left.parts[0] if goes_on and isinstance(left, kind) else (left,)
    return kind((*many, ex.Negative(right) if sign == "-" else right))
