"""From IDs to vectors."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number, Root, Symbol
from attncli.arithmetic.operations import MultiplyBy, TakeRows
from attncli.name import Name
from attncli.scenario.address import write_index
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Making, Scope
from attncli.trace.quantity import told_apart

_TOKENS = "token"


def _is_scaled(scope: Scope) -> bool:
    return scope.stack.embedding_scale != "none"


def embedded(scope: Scope) -> Name:
    """The full name of the embedded tokens: X, where nothing else is done to them."""
    return scope.name("E" if scope.stack.goes_on or _is_scaled(scope) else "X")


def _plan(scope: Scope) -> tuple[Making, ...]:
    found = _look_up(scope, embedded(scope), scope.text.rows_of_tokens)
    if not _is_scaled(scope):
        return (found,)
    factor, symbol, needs = _factor(scope)
    scaled = scope.name("scaled_E" if scope.stack.goes_on else "X")
    operation = MultiplyBy(factor, symbol)
    return found, Making(scaled, operation, (found.name,), "embed", needs=needs)


def _factor(scope: Scope) -> tuple[Number | Root, Root | None, tuple[Name, ...]]:
    """What embeddings are multiplied by, its symbol, and what is missing for it."""
    scale = scope.stack.embedding_scale
    if isinstance(scale, Decimal):
        return Number.written(scale), None, ()
    symbol = Root(Symbol("d_model"))
    d_model = scope.width(scope.name("E"))
    if d_model is None:
        return symbol, symbol, (Name("d_model"),)
    return Root(Number.written(d_model)), symbol, ()


def _look_up(scope: Scope, name: Name, rows: tuple[int, ...]) -> Making:
    text = scope.text
    names = (text.embedded[row] if row < len(text.embedded) else str(row) for row in rows)
    keys = tuple(names if text.by_id else map(write_index, names))
    by = "ids" if text.by_id else "tokens"
    tokens = Axis(told_apart(text.tokens), _TOKENS)
    needs = (Name("sentence"),) if not text.tokens and scope.scenario.gives(text.table) else ()
    operation = TakeRows(rows, keys, by)
    return Making(name, operation, (text.table,), "embed", rows=tokens, needs=needs)


def _next_rows(scope: Scope) -> Making | None:
    height = scope.height(scope.text.table)
    if height is None:
        return None
    rows = tuple((row + 1) % height for row in scope.text.rows_of_tokens)
    return _look_up(scope, embedded(scope), rows)


def _happens(scope: Scope) -> str:
    scale = scope.stack.embedding_scale
    told = "Each token picks its row of the embedding table"
    if isinstance(scale, Decimal):
        return f"{told}, and every number is multiplied by the number that the scenario gives."
    return f"{told}{', and every figure is multiplied by √d_model' if scale != 'none' else ''}."


STEP = Step(
    name="embed",
    title="Embeddings",
    makes=("X", "E", "scaled_E"),
    shapes="n tokens, embeddings [vocabulary, d_model] → X [n, d_model]",
    happens=_happens,
    purpose=(
        "An embedding says where a token stands in a space of d_model dimensions, in which"
        " words of like use come to lie near each other. The table is learned; looking up is"
        " only choosing rows, one for each token, in the order of the sentence."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "off_by_one",
            "Counting the rows of the table from the wrong number, so that each token gets the"
            " row of the one after it.",
            _next_rows,
        ),
    ),
)
