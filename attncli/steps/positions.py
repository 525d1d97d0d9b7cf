"""Where a token stands: positions and segments are added to its embedding.

Sinusoids: Vaswani et al. 2017, arXiv:1706.03762, 3.5. Learned tables and segments: Devlin et
al. 2018, arXiv:1810.04805.
"""

from __future__ import annotations

from attncli.arithmetic.expression import Number
from attncli.arithmetic.operations import Add, Same, Sinusoids, TakeRows
from attncli.name import Name
from attncli.scenario.model import Positions
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Making, Scope
from attncli.trace.quantity import told_apart


def _added(scope: Scope) -> tuple[Positions, ...]:
    return tuple(one for one in scope.stack.positions if one.is_added)


def start_of(scope: Scope, positions: Positions) -> int:
    """The position of the first row: after the tokens that are cached."""
    cached = scope.stack.layers[0].attention.cached
    return positions.start + len(cached or ())


def _plan(scope: Scope) -> tuple[Making, ...]:
    if not scope.stack.goes_on:
        return ()
    added = [_positions(scope, one, k) for k, one in enumerate(_added(scope))]
    if scope.stack.segments:
        added.append(_segments(scope))
    terms = (scope.x, *(making.name for making in added))
    local = "summed" if scope.stack.embedding_norm is not None else "X"
    if len(terms) == 1 and local == "summed":
        return ()
    total = Making(scope.name(local), Add(len(terms)), terms, "positions")
    return (*added, total)


def _positions(scope: Scope, positions: Positions, k: int) -> Making:
    name = scope.name("P" if k == 0 else f"P{k + 1}")
    if positions.kind == "sinusoidal":
        operation = Sinusoids(Number.written(positions.base), start_of(scope, positions))
        return Making(name, operation, (scope.x,), "positions", blame=Name("positions"))
    count = len(scope.text.tokens) or scope.height(scope.x) or 0
    rows = tuple(range(start_of(scope, positions), start_of(scope, positions) + count))
    return _rows_of(scope, name, "positions", rows, "position")


def _segments(scope: Scope) -> Making:
    rows = scope.stack.segments
    return _rows_of(scope, scope.name("S"), "segment_embeddings", rows, "segment")


def _rows_of(scope: Scope, name: Name, table: str, rows: tuple[int, ...], by: str) -> Making:
    """A row of a table for each token, counted from 0."""
    axis = Axis(told_apart(scope.text.tokens), "token") if scope.text.tokens else None
    operation = TakeRows(rows, tuple(map(str, rows)), by)
    needs = () if rows else (Name("sentence"),)
    return Making(name, operation, (scope.name(table),), "positions", rows=axis, needs=needs)


def _from_one(scope: Scope) -> Making | None:
    for k, one in enumerate(_added(scope)):
        if one.kind == "sinusoidal":
            making = _positions(scope, one, k)
            later = Sinusoids(Number.written(one.base), start_of(scope, one) + 1)
            return making._replace(operation=later)
    return None


def _left_out(scope: Scope) -> Making | None:
    if not _added(scope):
        return None
    return _plan(scope)[-1]._replace(operation=Same(), operands=(scope.x,))


def _happens(scope: Scope) -> str:
    kinds = [one.kind for one in _added(scope)]
    told = []
    if "sinusoidal" in kinds:
        told.append(
            "Each position gets sines in its odd columns and cosines in its even ones, of waves"
            " that grow longer from pair to pair; positions count from 0"
        )
    if "given" in kinds:
        told.append("Each position has its row of a table")
    if scope.stack.segments:
        told.append("Each token's segment has its row of a table")
    return ". ".join([*told, "All of it is added to the embeddings"]) + "."


STEP = Step(
    name="positions",
    title="Positions",
    makes=("P", "S", "summed", "X"),
    shapes="E [n, d_model] → P [n, d_model] → X [n, d_model]",
    happens=_happens,
    purpose=(
        "Attention by itself doesn't know in which order the tokens come: with the same tokens"
        " in another order it gives the same rows, in that order. So something that tells where"
        " a token stands is added to its embedding. Sines and cosines of different wavelengths"
        " work like the hands of many clocks: together they tell every position apart, and a"
        " shift of the position is the same turn of all the hands everywhere."
    ),
    plan=_plan,
    shown_with=("positions=sinusoidal",),
    mistakes=(
        Mistake("from_one", "Counting positions from 1 instead of 0.", _from_one),
        Mistake(
            "left_out",
            "Leaving the positions out, so that the order of the tokens is lost.",
            _left_out,
        ),
    ),
)
