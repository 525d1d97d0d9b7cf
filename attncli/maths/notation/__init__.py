"""Notations: how an expression is written, as plain text; in LaTeX by `notation.latex`."""

from attncli.maths.notation.plain import name_of, plain, unbreakable

__all__ = ["name_of", "plain", "unbreakable"]
