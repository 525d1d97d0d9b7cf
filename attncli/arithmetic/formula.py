"""Short names for writing formulas."""

from __future__ import annotations

from attncli.arithmetic.expression import (
    Equation,
    Expression,
    MatrixProduct,
    Sum,
    Symbol,
    Transposed,
)
from attncli.word import Word


def define(left: str | Expression, right: Expression) -> Equation:
    """left = right"""
    return Equation(Symbol(left) if isinstance(left, str) else left, right)


def times(*names: str) -> MatrixProduct:
    """A product of matrices by their names."""
    return MatrixProduct(tuple(Symbol(name) for name in names))


def transposed(name: str) -> Transposed:
    return Transposed(Symbol(name))


def plus(*terms: Expression) -> Sum:
    return Sum(terms)


def at(name: str, *indices: str | Word) -> Symbol:
    """name[i, j]"""
    return Symbol(name, indices)
