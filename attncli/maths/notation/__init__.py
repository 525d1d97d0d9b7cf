"""Notations: how numbers, names and expressions are written.

notation     the walk over an expression that all notations share
plain        plain text; `rows` writes many numbers at once
latex, typst, mathml, spreadsheet  the notations of formats
trees        expressions as JSON
columns      where what stands in columns goes over to a next line
escaping     somebody's words, made safe
"""

from attncli.maths.notation.plain import name_of, plain, unbreakable

__all__ = ["name_of", "plain", "unbreakable"]
