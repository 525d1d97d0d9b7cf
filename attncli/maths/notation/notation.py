"""Notations: the signs by which each node of an expression is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Self

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import (
    Blank,
    Dot,
    Expression,
    MatrixProduct,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Total,
)
from attncli.maths.numbers import decimals
from attncli.names import Name, Word

_BINDING: dict[type, int] = {
    Sum: 1,
    Total: 1,
    Dot: 2,
    Product: 2,
    MatrixProduct: 2,
    Quotient: 2,
    Negative: 3,
    Root: 4,
    Power: 4,
}
_CHOICE, _TIGHTEST = 0, 5

_LOOSEST_NUMBER = _BINDING[Negative]
FACTOR, _DIVISOR, ATOM = 2, 3, 5
"""How tightly an operand must bind to stand without parentheses."""


def _binding(node: Expression) -> int:
    """Ranks how tightly an expression holds together: a sum loosest, a number tightest."""
    if type(node) is Number:  # the most of them
        loose = node.shown.is_signed() or decimals.has_exponent(node.shown)
        return _LOOSEST_NUMBER if loose else _TIGHTEST  # 3 × 10^−9 holds together no better
    binds = _BINDING.get(type(node))
    if binds is not None:
        return binds
    if isinstance(node, Blank) and node.answer is not None:
        return _binding(node.answer)
    return _CHOICE if isinstance(node, ex.Apply) and node.function == "where" else _TIGHTEST


def _least_after_sign(term: Expression, *, is_last: bool = False) -> int:
    """Ranks how tightly a term must bind after a plus or minus.

    A term with a sign of its own needs parentheses, `−1 − (−2)`, and so does a blank, whose answer
    may have one. A sum over an index reaches as far as there are factors; where another term
    follows, that is hard to see.
    """
    if is_last and isinstance(term, Total):
        return _BINDING[Total]
    if type(term) is Number:  # the most of them
        return ATOM if term.shown.is_signed() else FACTOR
    return ATOM if signed(term)[0] or isinstance(term, Blank) else FACTOR


def signed(term: Expression) -> tuple[bool, Expression]:
    """Splits a term of a sum into its sign (True: minus) and what follows the sign."""
    if isinstance(term, Number):  # the most of them
        if not term.shown.is_signed():
            return False, term
        return True, Number(decimals.negated(term.full), decimals.negated(term.shown), term.cell)
    if isinstance(term, Product):
        minus, positive = signed(term.factors[0])
        return minus, Product((positive, *term.factors[1:])) if minus else term
    match term:
        case Negative(operand):
            return True, operand
        case Quotient(dividend, divisor):
            minus, positive = signed(dividend)
            return minus, Quotient(positive, divisor) if minus else term
        case _:
            return False, term


Node = ex.Expression | ex.Equation
JOINED = ("and", "or")


def _is_joined(node: Expression) -> bool:
    return isinstance(node, ex.Apply) and node.function in JOINED


class Notation(ex.Fold[str]):
    """A notation: expressions in writing. What all notations have in common is written here; each
    has its signs, and writes the rest in its own way.

    A line may be broken at a `joint`, and nowhere at a `glue`. `word` writes somebody's word.
    """

    plus, minus, times, dot, matrices = "+", "-", "*", "*", " "
    omitted, transposed_mark = "…", ""
    relations: Mapping[str, str] = MappingProxyType({})
    """How the notation writes relations, where not by their own signs."""
    joint, glue = " ", " "
    comma = ", "
    word: Callable[[Any], str]

    def but(self, **changes: object) -> Self:
        """Returns the same notation with some things written otherwise."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **changes)
        return other

    def write(self, node: Node) -> str:
        """Writes the expression as a text. Raises TypeError for a node that has no notation."""
        return self.of_equation(node) if isinstance(node, ex.Equation) else self.of(node)

    def held(self, node: ex.Expression, least: int) -> str:
        """Writes the expression, in parentheses where it binds less tightly than `least`."""
        if type(node) is ex.Number:  # the most of them
            text = self.of_number(node)
            if least <= _LOOSEST_NUMBER:
                return text
        else:
            text = self.write(node)
        stands_alone = _binding(node) >= least or self.hides(node)
        return text if stands_alone else self.parentheses(text)

    def hides(self, node: ex.Expression) -> bool:  # noqa: ARG002
        """Tells whether nothing around an expression may show how tightly it binds."""
        return False

    def parentheses(self, text: str) -> str:
        return f"({text})"

    def listed(self, nodes: Iterable[ex.Expression]) -> str:
        return self.comma.join(
            [self.of_number(x) if type(x) is ex.Number else self.write(x) for x in nodes]
        )

    def of_number(self, node: ex.Number) -> str:
        raise NotImplementedError

    def of_symbol(self, node: ex.Symbol) -> str:
        raise NotImplementedError

    def of_omitted(self, _: ex.Omitted) -> str:
        return self.omitted

    def of_word(self, node: Word) -> str:
        return self.word(node).replace(" ", self.glue)

    def of_sum(self, node: ex.Sum) -> str:
        minus, first = signed(node.terms[0])
        text = self._first(minus, first)
        for k, term in enumerate(node.terms[1:], start=2):
            minus, positive = signed(term)
            is_last = k == len(node.terms)
            held = self.held(positive, _least_after_sign(positive, is_last=is_last))
            text += f"{self.joint}{self.minus if minus else self.plus}{self.glue}{held}"
        return text

    def _first(self, minus: bool, positive: ex.Expression) -> str:
        """Writes the first of several parts behind its sign; one with a sign of its own in
        parentheses, `−(−2) − 1`."""
        least = ATOM if minus and signed(positive)[0] else FACTOR
        return (self.minus if minus else "") + self.held(positive, least)

    def of_product(self, node: ex.Product) -> str:
        first, *others = node.factors
        minus, positive = signed(first)
        text = self._first(minus, positive)
        return self.times.join([text, *[self.held(factor, _DIVISOR + 1) for factor in others]])

    def of_matrix_product(self, node: ex.MatrixProduct) -> str:
        return self.matrices.join([self.held(factor, ATOM) for factor in node.factors])

    def of_shapes(self, node: ex.Shapes) -> str:
        return "".join(f"({rows}{self.times}{columns})" for rows, columns in node.sizes)

    def of_dot(self, node: ex.Dot) -> str:
        left, right = self.held(node.left, ATOM), self.held(node.right, ATOM)
        return f"{left}{self.joint}{self.dot}{self.glue}{right}"

    def of_quotient(self, node: ex.Quotient) -> str:
        return f"/{self.glue}".join(self.sides(node, self.joint))

    def sides(self, node: ex.Quotient, after: str = "") -> tuple[str, str]:
        """Writes what is divided, and by what, as they stand before and behind a `/`."""
        return self.held(node.dividend, FACTOR) + after, self.held(node.divisor, _DIVISOR + 1)

    def of_negative(self, node: ex.Negative) -> str:
        # as tightly as in `−(2 × 3)`, `−(−2)`
        least = max(_DIVISOR, _least_after_sign(node.operand))
        return f"{self.minus}{self.held(node.operand, least)}"

    def of_power(self, node: ex.Power) -> str:
        return f"{self.held(node.base, ATOM)}^{self.exponent(node.exponent)}"

    def exponent(self, node: ex.Expression) -> str:
        return self.held(node, ATOM)

    def of_relation(self, node: ex.Relation) -> str:
        sign = self.relations.get(node.sign, node.sign)
        return f"{self.write(node.left)}{self.glue}{sign}{self.glue}{self.write(node.right)}"

    def joined(self, node: ex.Apply) -> str:
        """Writes conditions of which each must hold, or one."""
        held = (
            self.parentheses(self.write(x)) if _is_joined(x) else self.write(x)
            for x in node.arguments
        )
        return self.prose(f" {node.function} ").join(held)

    def of_transposed(self, node: ex.Transposed) -> str:
        return f"{self.held(node.operand, ATOM)}{self.transposed_mark}"

    def of_vector(self, node: ex.Vector) -> str:
        return f"[{self.listed(node.entries)}]"

    def cases(self, condition: ex.Expression, value: ex.Expression, other: ex.Expression) -> str:
        """Writes one of two values: `scores[i, j] where mask[i, j] is 1, otherwise −∞`."""
        met: tuple[ex.Expression, ...] = (condition,)
        if isinstance(condition, ex.Apply) and condition.function == "and":
            met = condition.arguments
        is_said = isinstance(met[0], Word | ex.Relation) or len(met) > 1
        is_one = "" if is_said or _is_joined(condition) else " is 1"
        text = f"{self.prose(' and ').join(map(self.write, met))}{self.prose(is_one)}"
        first = self.held(value, _BINDING[Sum])
        return (
            f"{first}{self.prose(' where ')}{text}{self.prose(', otherwise ')}{self.write(other)}"
        )

    def prose(self, text: str) -> str:
        """Writes words of our own between mathematics."""
        return text

    def of_equation(self, node: ex.Equation) -> str:
        return f"{self.write(node.left)}{self.glue}={self.glue}{self.write(node.right)}"


GREEK: Mapping[str, str] = MappingProxyType({
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
    "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω",
})  # fmt: skip
"""Greek letters by their names, of which mathematics shows the letters."""


def base_of(name: Name) -> tuple[str, str]:
    """Splits a name into what is written and what stands below that.

    Below stands what follows a `_`, where one of both is a letter, `W_Q`, `z_reset`, or a digit at
    the end. This is not for LaTeX in Markdown, which may take the backslash of a `\\_` away.
    """
    head, _, tail = name.alone.partition("_")
    if len(GREEK.get(head, head)) > 1 < len(tail):  # `cross_entropy`
        head, tail = name.alone, ""
    head = f"{name.path}.{head}" if name.path else head
    if not tail and head[-1:].isdigit() and head[:-1].isalpha():
        head, tail = head[:-1], head[-1]
    return head, tail
