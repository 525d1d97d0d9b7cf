"""Short names for writing formulas."""

from __future__ import annotations

from attncli.arithmetic.expression import Equation, Expression, Symbol
from attncli.word import Word


def define(left: str | Expression, right: Expression) -> Equation:
    """left = right"""
    return Equation(Symbol(left) if isinstance(left, str) else left, right)


def at(name: str, *indices: str | Word) -> Symbol:
    """name[i, j]"""
    return Symbol(name, indices)
