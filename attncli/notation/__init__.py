"""Notations: how an expression is written, as plain text and in LaTeX."""

from attncli.notation.latex import latex
from attncli.notation.plain import name_of, plain, unbreakable

__all__ = ["latex", "name_of", "plain", "unbreakable"]
