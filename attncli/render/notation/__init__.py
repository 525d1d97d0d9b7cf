"""Notations: how an expression is written, as plain text and in LaTeX."""

from attncli.render.notation.latex import latex
from attncli.render.notation.plain import plain, unbreakable

__all__ = ["latex", "plain", "unbreakable"]
