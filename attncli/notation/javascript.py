"""Expressions as a browser works them out: `Math.exp(v(4))/v(7)`, where `v(4)` is a number that has
a place in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from attncli.equations.tree import Expression
from attncli.notation.trees import PlaceOf, Tree, tree_of

_RULES: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        "+": lambda *terms: f"({'+'.join(terms)})",
        "*": lambda *factors: f"({'*'.join(factors)})",
        "/": "({}/{})".format,
        "-": "(-{})".format,
        "^": "Math.pow({},{})".format,
        "list": lambda *numbers: f"[{','.join(numbers)}]",
        "e": "Math.E".format,
        "π": "Math.PI".format,
        **{name: f"Math.{name}({{}})".format for name in ("sqrt", "abs", "tanh", "sin", "cos")},
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


def javascript(node: Expression, place_of: PlaceOf) -> str:
    """An expression over cells, each by its place. Raises TypeError for one that has no such
    form."""
    return _written(tree_of(node, place_of))


def _written(tree: Tree) -> str:
    if isinstance(tree, int):
        return f"v({tree})"
    if isinstance(tree, str):
        return f"({float(tree.replace('∞', 'inf'))!r})".replace("inf", "Infinity")
    sign, *parts = tree
    rule = _RULES.get(str(sign))
    if rule is None:
        raise TypeError(f"{sign} has no form in a browser")
    return rule(*map(_written, parts))
