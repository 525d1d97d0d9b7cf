"""From IDs to vectors."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number, Root, Symbol
from attncli.arithmetic.operations import MultiplyBy, TakeRows
from attncli.file.address import write_index
from attncli.file.keys import Key
from attncli.file.kinds import COUNT, POSITIVE, Choice, Either, Kind, ListOf, MapOf, word_or
from attncli.file.matrices import MATRIX, NAMED, VectorKind
from attncli.file.nodes import Map, Node, Scalar
from attncli.file.problems import Problems
from attncli.file.sources import SourceKind, is_source
from attncli.name import Name, below
from attncli.scenario.input_steps import projected_when, steps_to_X
from attncli.scenario.tokenizers.kind import TOKEN
from attncli.steps.step import Backward, Mistake, Step
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import told_apart

ONE_HOT = "one_hot"
_ONE_HOT = Choice((ONE_HOT,), "a map from token to vector, or rows by ID")
_TOKEN_VECTORS = MapOf(VectorKind(inline=True), "token")


def _embeddings(node: Node) -> Kind[object]:
    if isinstance(node, Scalar):
        return _ONE_HOT
    return _TOKEN_VECTORS if isinstance(node, Map) and not is_source(node) else MATRIX


EMBEDDING_SCALE: Key[str | Decimal] = Key(
    "embedding_scale",
    word_or(("sqrt_d_model", "none"), POSITIVE),
    "what embeddings are multiplied by: `none` (the default), `sqrt_d_model`, or a number",
    "none",
)
_KEYS = (
    Key(
        "embeddings",
        Either(_embeddings, (_TOKEN_VECTORS, MATRIX, SourceKind(2), _ONE_HOT)),
        "token → vector; or a matrix whose rows are counted by ID from 0; or `one_hot`: "
        "vectors with a single 1, in the place of the token among the IDs, or among the "
        "tokens",
    ),
    Key("X", NAMED, "the input embeddings themselves, [n, d_model]"),
    Key("d_model", COUNT, "the columns of X, for random matrices"),
    Key(
        "features",
        ListOf(TOKEN),
        "the names of the columns of `embeddings` and of `X`, which are counted otherwise",
    ),
    EMBEDDING_SCALE,
)

_TOKENS = "token"
_ROOT = Root(Symbol("d_model"))


_ADDED = ("embedding_scale", "segments", "embedding_norm", "project_in")


def _check(place: Place, problems: Problems) -> None:
    """What is added to embeddings can't be added to an X that is given."""
    stack, said = place.stack, place.stack.said.values
    added = [key for key in _ADDED if key in said]
    added += ["positions"] if any(one.is_added for one in stack.positions) else []
    for key in added if "X" in said else ():
        where = place.scenario.where(below(stack.path, key))
        right = "give embeddings instead of X, or leave it out"
        problems.add(where, f"{key} goes into X, and X itself is given", right)


def _is_scaled(place: Place) -> bool:
    return place.stack.said.get(EMBEDDING_SCALE) != "none"


def embedded(place: Place) -> Name:
    """The full name of what is looked up: X, where nothing else is done to it."""
    return place.name("E" if steps_to_X(place.stack) or _is_scaled(place) else "X")


def _plan(place: Place) -> tuple[Definition, ...]:
    found = _look_up(place, embedded(place), place.text.rows_of_tokens)
    if not _is_scaled(place):
        return (found,)
    scaled = place.name("scaled_E" if steps_to_X(place.stack) else "X")
    scale = place.stack.said.get(EMBEDDING_SCALE)
    factor = Number.written(scale) if isinstance(scale, Decimal) else _ROOT
    needs = (Name("d_model"),) if factor is _ROOT else ()
    return found, Definition(scaled, MultiplyBy(factor), (found.name,), needs=needs)


def _sized(place: Place, planned: Definition) -> Definition:
    d_model = place.width(place.name("X"))
    if d_model is None or planned.needs != (Name("d_model"),):
        return planned
    return planned._replace(operation=MultiplyBy(Root(Number.written(d_model)), _ROOT), needs=())


def _look_up(place: Place, name: Name, rows: tuple[int, ...]) -> Definition:
    text = place.text
    names = (text.embedded[row] if row < len(text.embedded) else str(row) for row in rows)
    keys = tuple(names if text.by_id else map(write_index, names))
    by = "ids" if text.by_id else "tokens"
    tokens = Axis(told_apart(text.tokens), _TOKENS)
    needs = (Name("sentence"),) if not text.tokens and place.scenario.gives(text.table) else ()
    operation = TakeRows(rows, keys, by)
    return Definition(name, operation, (text.table,), rows=tokens, needs=needs)


def _next_rows(place: Place) -> Definition | None:
    height = place.height(place.text.table)
    if height is None:
        return None
    rows = tuple((row + 1) % height for row in place.text.rows_of_tokens)
    return _look_up(place, embedded(place), rows)


def _happens(place: Place) -> str:
    scale = place.stack.said.get(EMBEDDING_SCALE)
    told = "Each token picks its row of the embedding table"
    if isinstance(scale, Decimal):
        told += ", and every number is multiplied by the number that the scenario gives"
    elif scale != "none":
        told += ", and every number is multiplied by √d_model"
    return f"{told}." if steps_to_X(place.stack) else f"{told}: its input embedding."


_WHY = (
    "An embedding is a vector of {} numbers: a point in a space in which words that are used alike"
    " come to lie near each other."
)

STEP = Step(
    name="embed",
    at=Place,
    keys=(*_KEYS,),
    title="Embeddings",
    does="looks up the vector of each token",
    makes=("X", "E", "scaled_E"),
    shapes="n tokens, embeddings [vocabulary, d_model] → X [n, d_model]",
    happens=_happens,
    why=_WHY.format("d_model"),
    why_at=lambda place: _WHY.format("d_embed" if projected_when(place.stack) else "d_model"),
    more=(
        "The table is learned; looking up only picks rows, one for each token, in the order"
        " of the sentence."
    ),
    check=_check,
    plan=_plan,
    sized=_sized,
    mistakes=(
        Mistake(
            "off_by_one",
            "Counting the rows of the table from the wrong number, so that each token gets the"
            " row of the one after it.",
            _next_rows,
        ),
    ),
    pictures=("planes",),
    backward=Backward(
        "the embeddings",
        (
            "A token's row of the table gets the gradient of each place where the token stands; "
            "rows of other tokens get none."
        ),
        example="embedding_before_during_after",
    ),
)
