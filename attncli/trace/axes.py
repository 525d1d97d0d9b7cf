"""The names along the rows and columns of a scenario's matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from attncli.maths.equations.signatures import Signature
from attncli.names import Name, below
from attncli.scenario.model import TARGETS, Attention, Stack, projected_when
from attncli.scenario.scenario import Scenario
from attncli.trace.quantity import (
    IDS,
    Axis,
    Definition,
    Quantity,
    counted,
    distinct_tokens,
    token_of,
)

QUERIES, KEYS, TOKENS, DIMENSIONS, NONE = "Q", "K", "token", "dimension", ""
FEATURES = "feature"
"""Dimensions that have names."""
ENTRIES = "entry"
"""Rows of the embedding table, which are not in the order of the sentence."""
VOCABULARY = "vocabulary"
LABELS = "label"
"""What a scenario calls the places along a side itself."""

_PAIRS = (QUERIES, KEYS)

GIVEN_AXES: dict[str, tuple[str, str]] = {
    "X": (TOKENS, DIMENSIONS),
    "queries": (TOKENS, DIMENSIONS),
    "Q": (QUERIES, DIMENSIONS),
    "output": (QUERIES, DIMENSIONS),
    "targets": (QUERIES, DIMENSIONS),
    **dict.fromkeys(("K", "V", "memory", "keys", "values"), (KEYS, DIMENSIONS)),
    **dict.fromkeys(("scores", "scaled", "weights", "bias"), _PAIRS),
    **dict.fromkeys(("allowed", "blocked", "add", "mask"), _PAIRS),
    "b_U": (NONE, VOCABULARY),
    "q": (DIMENSIONS, VOCABULARY),
    **dict.fromkeys(("logits", "probabilities"), (QUERIES, VOCABULARY)),
}
"""The roles of the rows and columns of given quantities. All others have dimensions."""


_INSIDE = ("cache", "dropout", "mask")
"""Places inside an attention that belong to it, as full names go."""


class NamedSite(NamedTuple):
    """A full name taken apart: its stack, its attention, and its last part."""

    stack: Stack
    attention: Attention
    local: str


def place_of(name: Name, scenario: Scenario) -> NamedSite:
    """Finds the stack and the attention that a full name belongs to. A name that is in no attention
    goes with the first attention of its stack."""
    path = name.path.path if name.path.local in _INSIDE else name.path
    site = scenario.sites_by_path.get(path)
    if site is not None:
        return NamedSite(site.stack, site.attention, name.local)
    stack = next(stack for stack in scenario.stacks if name.inside(stack.path))
    return NamedSite(stack, stack.layers[0].attention, name.local)


def names_along(name: Name, side: int, scenario: Scenario) -> tuple[str, tuple[str, ...]]:
    """Returns the role of a side of a given matrix (0 for rows, 1 for columns), and the names that
    it should have, if any."""
    if scenario.plan.written.sides_of(name) is not None:
        return DIMENSIONS, ()
    place = place_of(name, scenario)
    role = GIVEN_AXES.get(place.local, (DIMENSIONS, DIMENSIONS))[side]
    own = scenario.given.row_names.get(name, ()) if side == 0 else ()
    if role in (QUERIES, KEYS, TOKENS) and own:
        return role, own
    if role in (QUERIES, TOKENS):
        tokens = scenario.given.row_names.get(below(name.path, "X"), ())  # of a micro-batch its own
        tokens = tokens or distinct_tokens(place.stack.text.tokens)
        tokens = tokens or scenario.given.row_names.get("Q", ())
        return role, _with_targets(scenario, tokens) if place.local == TARGETS else tokens
    if role == KEYS:
        return role, _names_of_keys(name, place)
    return role, scenario.prediction.logits.vocabulary if role == VOCABULARY else ()


def _with_targets(scenario: Scenario, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the tokens whose outputs are compared with targets: every one, the first or the
    last."""
    prediction, cell = scenario.prediction, scenario.stack.layers[-1].recurrent
    x = scenario.given.matrices.get(Name("X"))
    tokens = tokens or (() if x is None else counted(x.shape[0]))
    if prediction.loss.of_readout and cell is not None:
        last = slice(1) if cell.direction == "backward" else slice(-1, None)
        return tokens if cell.readout_every else tokens[last]
    return tokens[
        {"every": slice(None), "first": slice(1), "last": slice(-1, None)}[prediction.which]
    ]


def _names_of_keys(name: Name, place: NamedSite) -> tuple[str, ...]:
    if name.path.local == "cache":
        return distinct_tokens(place.attention.cached or ())
    if place.local in ("memory", "keys", "values"):
        return ()
    return distinct_tokens(place.attention.keys)


def given_axes(name: Name, scenario: Scenario, shape: tuple[int, int]) -> tuple[Axis, Axis]:
    """Returns the axes of the rows and of the columns of a given matrix."""
    sides = scenario.plan.written.sides_of(name)
    if sides is not None:
        return _written_axes(sides, scenario, shape)
    return _axes_by_role(name, scenario, shape)


def _axes_by_role(name: Name, scenario: Scenario, shape: tuple[int, int]) -> tuple[Axis, Axis]:
    """Returns the axes of what is given to a model, by its name."""
    local = name.local
    if local == "embeddings":
        return _rows_of_table(name, scenario, shape[0]), _features(name, scenario, shape[1])
    if local in ("positions", "segment_embeddings") or name.path.local == "positions":
        return Axis(tuple(map(str, range(shape[0]))), IDS), Axis(counted(shape[1]), DIMENSIONS)
    if local in ("word_counts", "log_p"):
        return _words_of(name, scenario), Axis((), NONE)
    if name == "unembedding":
        return _unembedding_axes(scenario, shape)
    rows, columns = (_axis_along(name, side, scenario, size) for side, size in enumerate(shape))
    if name in scenario.given.vectors:
        rows = Axis(("",), NONE)
    if local == "patches":
        rows = Axis(place_of(name, scenario).stack.text.tokens[-shape[0] :], TOKENS)
    side = _side_of_features(name, scenario)
    if side == 0:
        rows = _features(name, scenario, shape[0])
    return rows, _features(name, scenario, shape[1]) if side == 1 else columns


def _written_axes(
    sides: tuple[str, ...], scenario: Scenario, shape: tuple[int, int]
) -> tuple[Axis, Axis]:
    """Returns the axes of what is given to equations: those of its named sides."""
    written = scenario.plan.written
    known = [written.labels.get(side, ()) for side in sides]
    axes = [
        Axis(labels, LABELS) if len(labels) == size else dimensions(size)
        for labels, size in zip(known, shape[2 - len(sides) :], strict=True)
    ]
    rows = (Axis(("",), NONE), *axes) if len(axes) == 1 else axes
    return (rows[0], rows[1]) if axes else _SINGLE


def _side_of_features(name: Name, scenario: Scenario) -> int | None:
    """Tells which side of a given matrix runs along the dimensions of the embeddings: 0, 1, or
    None. For the weights of the first attention it is the side that X is multiplied by. Where
    embeddings are projected first, only the projection's matrix has such a side."""
    owner = place_of(name, scenario)
    if projected_when(owner.stack):
        return int(owner.stack.config.linear) if name.path.local == "project_in" else None
    if owner.local == "X":
        return 1
    first = owner.attention is owner.stack.layers[0].attention
    weights = owner.local in ("W_Q", "W_K", "W_V") and first
    return int(owner.attention.config.linear) if weights else None


def _features(name: Name, scenario: Scenario, size: int) -> Axis:
    """Returns an axis along the dimensions of embeddings, by their names if they have some."""
    names = place_of(name, scenario).stack.text.table.features
    return Axis(names, FEATURES) if len(names) == size else Axis(counted(size), DIMENSIONS)


def _words_of(name: Name, scenario: Scenario) -> Axis:
    """Returns an axis of the words of the corpus that a tokenizer was learned from, or of its
    pieces for `log_p`."""
    tokenizing = place_of(name, scenario).stack.text.tokenizing
    if name.local == "log_p":
        return Axis(tokenizing.pieces if tokenizing else (), "piece")
    return Axis(tuple(word.text for word in tokenizing.words) if tokenizing else (), "word")


def _unembedding_axes(scenario: Scenario, shape: tuple[int, int]) -> tuple[Axis, Axis]:
    across = 1 if len(scenario.prediction.logits.vocabulary) == shape[1] else 0
    names = Axis(scenario.prediction.logits.vocabulary, VOCABULARY)
    if len(names.names) != shape[across]:
        names = Axis(counted(shape[across]), VOCABULARY)
    dimensions = Axis(counted(shape[1 - across]), DIMENSIONS)
    return (dimensions, names) if across else (names, dimensions)


def _rows_of_table(name: str, scenario: Scenario, size: int) -> Axis:
    for stack in scenario.stacks:
        if stack.text.table.name == name:
            role = IDS if stack.text.table.by_id else ENTRIES
            names = stack.text.table.row_names
            return Axis(names if len(names) == size else tuple(map(str, range(size))), role)
    return Axis(tuple(map(str, range(size))), IDS)


def _axis_along(name: Name, side: int, scenario: Scenario, size: int) -> Axis:
    """Returns the axis of a side of a given matrix by its role. Most weights have dimensions."""
    if name.local not in GIVEN_AXES:
        return dimensions(size)
    return _axis(*names_along(name, side, scenario), size)


def _axis(role: str, names: tuple[str, ...], size: int) -> Axis:
    if role == NONE:
        return Axis(("",), NONE)
    return Axis(names if len(names) == size else counted(size), role)


_SINGLE = (Axis(("",), NONE), Axis((), NONE))
"""The rows, and the columns, of a quantity that has no index along them."""
ONE_ROW = _SINGLE[0]
"""The rows of a list that lies."""


@lru_cache(maxsize=64)
def dimensions(size: int) -> Axis:
    """Returns an axis of `size` dimensions that have no names."""
    return Axis(counted(size), DIMENSIONS)


class Labelled(NamedTuple):
    """The names along the rows and the columns of a quantity."""

    rows: Axis
    columns: Axis


def made_axes(
    definition: Definition, operands: Sequence[Quantity | Labelled], shape: tuple[int, int]
) -> tuple[Axis, Axis]:
    """Derives the axes of a made quantity from those of its operands, side by side with the letters
    of the operation's signature."""
    rows, columns, sides = definition.rows, definition.columns, definition.operation.sides
    if rows is None:
        rows = _derived(sides, 0, operands, shape[0])
    if definition.role and rows.role not in (definition.role, NONE):
        rows = Axis(rows.names, definition.role)
    return rows, columns or _derived(sides, 1, operands, shape[1])


def _derived(
    signature: Signature, side: int, operands: Sequence[Quantity | Labelled], size: int
) -> Axis:
    alike = signature.alike[side]
    if alike is not None:  # as most have
        place, along = alike
        part = operands[place].columns if along else operands[place].rows
        if part.role == DIMENSIONS or len(part.names) != size:
            return part if part.role == NONE else dimensions(size)
        return part
    dim = signature.result[side]
    if dim == "1":
        return _SINGLE[side]
    letters = [dim.alone] if dim.alone else [letter for letter, _ in dim.letters]
    sources = [signature.source_of(letter) for letter in letters]
    parts = [_side(operands[source[0]], source[1]) for source in sources if source is not None]
    if [part.role for part in parts] == [NONE]:
        return parts[0]  # a list's, or a single number's
    known = len(parts) == len(letters) and all(part.role != DIMENSIONS for part in parts)
    if not known or sum(len(part.names) for part in parts) != size:
        return dimensions(size)
    return parts[0] if len(parts) == 1 else _joined(parts)


def _joined(parts: Sequence[Axis]) -> Axis:
    """Joins axes one after another. Names that now occur more than once are told apart."""
    tokens = tuple(token_of(name) for part in parts for name in part.names)
    return Axis(distinct_tokens(tokens), parts[0].role)


def _side(quantity: Quantity | Labelled, side: int) -> Axis:
    return quantity.columns if side else quantity.rows
