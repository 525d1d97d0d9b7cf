"""Expressions as a browser works them out: `Math.exp(v(4))/v(7)`, where `v(4)` is a number that has
a place in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from attncli.equations import tree as ex
from attncli.equations.tree import Expression, Location, Number
from attncli.names import Word
from attncli.notation.plain import plain
from attncli.notation.spreadsheet import entries

PlaceOf = Callable[[Location], int]
_RULES: Mapping[type, Callable[..., str]] = MappingProxyType(
    {
        ex.Sum: lambda *terms: f"({'+'.join(terms)})",
        ex.Product: lambda *factors: f"({'*'.join(factors)})",
        ex.Quotient: "({}/{})".format,
        ex.Negative: "(-{})".format,
        ex.Power: "Math.pow({},{})".format,
        ex.Root: "Math.sqrt({})".format,
        ex.Vector: lambda *numbers: f"[{','.join(numbers)}]",
    }
)
_FUNCTIONS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        **{name: f"Math.{name}({{}})".format for name in ("abs", "tanh", "sin", "cos")},
        "max": lambda *numbers: f"Math.max({','.join(numbers)})",
        "min": lambda *numbers: f"Math.min({','.join(numbers)})",
        "ln": "Math.log({})".format,
        "erf": "erf({})".format,  # which is the page's own
        "erfc": "(1-erf({}))".format,
        "count_before": "({1}.filter(x=>x>{0}).length+{2}.filter(x=>x==={0}).length)".format,
        "where": "({}?{}:{})".format,
        "less": "({}<{})".format,
        "at_most": "({}<={})".format,
        "finite": "({}>-Infinity)".format,
        "step": "({}>1e-12?1:0)".format,  # what is left of a sum is no more than noise
    }
)
_CONSTANTS: Mapping[Expression, str] = MappingProxyType({ex.E: "Math.E", ex.PI: "Math.PI"})


def javascript(node: Expression, place_of: PlaceOf) -> str:
    """An expression over cells, each by its place. Raises TypeError for one that has no such
    form."""
    if isinstance(node, Number):
        return _number(node, place_of)
    if node in _CONSTANTS:
        return _CONSTANTS[node]
    if isinstance(node, ex.Dot):
        pairs = zip(entries(node.left), entries(node.right), strict=True)
        return javascript(ex.Sum(tuple(map(ex.Product, pairs))), place_of)
    rule = _RULES.get(type(node))
    parts: Sequence[Expression] = () if isinstance(node, Word) else node.parts
    if isinstance(node, ex.Apply):
        rule, parts = _FUNCTIONS.get(node.function), node.arguments
    elif isinstance(node, ex.Sum | ex.Product | ex.Vector):
        (parts,) = node.parts
    if rule is None:
        raise TypeError(f"{plain(node)} has no form in a browser")
    return rule(*(javascript(part, place_of) for part in parts))


def _number(node: Number, place_of: PlaceOf) -> str:
    if node.cell == ex.INNER and node.form is not None:
        return javascript(node.form, place_of)
    if node.cell is not None and node.cell.quantity:
        return f"v({place_of(node.cell)})"
    return f"({float(node.full)!r})".replace("inf", "Infinity")
