"""What heads, a block or layers do to the tokens, said of the one that is moved furthest."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Omitted, Symbol, Vector
from attncli.document import Spans
from attncli.name import below
from attncli.telling.attending import called_as
from attncli.telling.parts import is_structured, made_by, told_parts
from attncli.telling.selection import Selection
from attncli.trace import Quantity, Trace

_BLOCK = ("residual", "norm", "ffn")


def moved(trace: Trace, selection: Selection) -> Spans:
    """Which token ends furthest from where it began, where a trace ends with what several heads or
    a block made of all tokens; nothing where it doesn't."""
    X = trace.quantities.get(below(trace.scenario.stack.path, "X"))
    told = told_parts(trace)
    if X is None or not told or not is_structured(trace):
        return ()
    made, step = made_by(trace, told[-1]), told[-1].step
    if not made or step not in (*_BLOCK, "merge"):
        return ()
    result = [one for one in made if not one.is_list][-1]
    if result.rows.names != X.rows.names or result.matrix.shape != X.matrix.shape:
        return ()
    i = _furthest(X, result, selection)
    several = len(trace.scenario.stack.layers) > 1
    mover = "layers have" if several else "block has" if step in _BLOCK else "heads have"
    start = (*_vector(X, i), " in ", Symbol(X.name))
    end = (*_vector(result, i), " in ", Symbol(result.name))
    token = called_as(X.rows.names, i)
    return (f"The {mover} moved the row of ", *token, " furthest: from ", *start, " to ", *end, ".")


def _furthest(X: Quantity, result: Quantity, selection: Selection) -> int:
    """The row of those told whose ends are furthest from each other."""
    distances = np.linalg.norm(result.values - X.values, axis=1)
    return max(selection.rows(result), key=lambda i: distances[i])


def _vector(quantity: Quantity, i: int) -> Spans:
    places = elided(quantity.matrix.shape[1], MOST_PARTS)
    return (
        Vector(tuple(Omitted() if j is None else quantity.matrix.number(i, j) for j in places)),
    )
