"""Where a token stands: positions and segments are added to its embedding.

Sinusoids: Vaswani et al. 2017, arXiv:1706.03762, 3.5. Learned tables and segments: Devlin et
al. 2018, arXiv:1810.04805.
"""

from __future__ import annotations

from collections import Counter

from attncli.arithmetic.expression import Number, Symbol
from attncli.arithmetic.operations import (
    Add,
    Same,
    SinesForCosines,
    Sinusoids,
    TakeRows,
    WaveOfEachColumn,
)
from attncli.file.problems import Problems
from attncli.name import Name, below
from attncli.refusals import Where
from attncli.scenario.input_steps import ADD, makes_X, projected_when
from attncli.scenario.model import Positions
from attncli.scenario.scenario import Scenario
from attncli.steps.input.position_keys import BASE, DIMENSIONS, IDS, KEYS, SEGMENTS, START
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Axis, Definition, Place
from attncli.trace.extents import sized
from attncli.trace.quantity import told_apart


def start_of(place: Place, positions: Positions) -> int:
    """The position of the first row: after the tokens that are cached."""
    cached = place.stack.layers[0].attention.cached
    return positions.said.get(START) + len(cached or ())


def _check(place: Place, problems: Problems) -> None:
    stack = place.stack
    where = place.scenario.where(below(stack.path, "positions"))
    kinds = Counter(one.kind for one in stack.positions)
    for kind in ("rope", "alibi", "relative", "given"):
        if kinds[kind] > 1:
            problems.add(where, f"positions of the kind {kind} twice", "keep one of them")
    for kind in ("rope", "alibi", "relative"):
        if kinds[kind] and all(layer.recurrent is not None for layer in stack.layers):
            wrong = f"{kind} is for attention, and no layer attends"
            problems.add(where, wrong, "leave it out")
    for one in stack.positions:
        _check_one(place, where, one, problems)
    where = place.scenario.where(below(stack.path, SEGMENTS.name))
    _check_counts(place, where, ("segment", stack.segments), problems)


def _check_one(place: Place, where: Where, one: Positions, problems: Problems) -> None:
    if one.kind in ("given", "relative") and not place.scenario.gives(one.table):
        told = "positions of a table" if one.kind == "given" else "relative positions"
        problems.add(where, f"{told}, and no table", "add it, like table: [[1]]")
    dimensions, ids = one.said.get(DIMENSIONS) or 0, one.said.get(IDS)
    if dimensions % 2:
        wrong = f"{dimensions} dimensions can't turn in pairs"
        problems.add(where, wrong, "give an even number")
    _check_counts(place, where, ("position", ids), problems)
    if ids and START.name in one.said.values:
        problems.add(where, "a start beside the position of each token", "keep one of them")


def _check_counts(
    place: Place, where: Where, said: tuple[str, tuple[int, ...]], problems: Problems
) -> None:
    """There is one of a kind for each token, if any are said."""
    what, count, tokens = said[0], len(said[1]), len(place.text.tokens)
    if count and tokens and count != tokens:
        wrong = f"the {what}s are {count}, the tokens {tokens}"
        problems.add(where, wrong, f"give a {what} for each token")


def _plan(place: Place) -> tuple[Definition, ...]:
    added = _tables(place)
    if place.stack.segments:
        added.append(_segments(place))
    if not added or not place.x:  # or positions by themselves, with no embeddings to add them to
        return tuple(added)
    terms = (place.x, *(definition.name for definition in added))
    local = "X" if makes_X(ADD, place.stack) else "summed"
    total = Definition(place.name(local), Add(len(terms)), terms)
    return (*added, total)


def _tables(place: Place) -> list[Definition]:
    """What is made of the positions, a row for each token."""
    added = place.stack.added.items()
    return [_positions(place, place.name(local), one) for local, one in added]


def _positions(place: Place, name: Name, positions: Positions) -> Definition:
    start, count = start_of(place, positions), len(place.text.tokens) or place.height(place.x) or 0
    if positions.kind != "sinusoidal":
        rows = positions.said.get(IDS) or tuple(range(start, start + count))
        return _rows_of(place, name, positions.table, rows, "position")
    d_model = place.width(name) or 0
    width = Symbol("d_embed" if projected_when(place.stack) == "after" else "d_model")
    waves = Sinusoids(Number.written(positions.said.get(BASE)), start, count, d_model, width)
    needs = _needs(place, count, d_model)
    blame = Name("positions")
    return Definition(name, waves, (), rows=_tokens(place), needs=needs, blame=blame)


def _needs(place: Place, count: int, d_model: int) -> tuple[Name, ...]:
    """What tells how many sines and cosines there are: the embeddings that they are added to."""
    if count and d_model:
        return ()
    if place.x:
        return (place.x,)
    return (*(() if count else (_SENTENCE,)), *(() if d_model else (Name("d_model"),)))


_SENTENCE = Name("sentence")


def _sized(place: Place, planned: Definition) -> Definition:
    """A row for each token, where only the embeddings tell how many and how long they are."""
    if not planned.needs:
        return planned
    return next((one for one in _tables(place) if one.name == planned.name), planned)


def _fits(definition: Definition, scenario: Scenario, problems: Problems) -> None:
    """A table of positions or segments has all the rows that are taken from it."""
    table, taken = definition.operands[0], definition.operation
    height = scenario.shapes[table][0]
    wanted = max(taken.indices, default=-1) + 1 if isinstance(taken, TakeRows) else 0
    if height is not None and wanted > height:
        wrong = f"{table} has {sized(height, 0)}, and row {wanted} is needed"
        problems.add(scenario.where(table), wrong, f"give it {wanted} rows")


def _segments(place: Place) -> Definition:
    rows = place.stack.segments
    table = place.name("segment_embeddings")
    return _rows_of(place, place.name("S"), table, rows, "segment")


def _rows_of(place: Place, name: Name, table: Name, rows: tuple[int, ...], by: str) -> Definition:
    """A row of a table for each token, counted from 0."""
    operation = TakeRows(rows, tuple(map(str, rows)), by)
    needs = () if rows else (_SENTENCE,)
    return Definition(name, operation, (table,), rows=_tokens(place), needs=needs)


def _tokens(place: Place) -> Axis | None:
    return Axis(told_apart(place.text.tokens), "token") if place.text.tokens else None


def _otherwise(place: Place, kind: type[Sinusoids], later: int = 0) -> Definition | None:
    """The first table of sines and cosines made in another way."""
    for planned in _tables(place):
        waves = planned.operation
        if isinstance(waves, Sinusoids):
            other = kind(waves.base, waves.start + later, waves.n, waves.d, waves.width)
            return planned._replace(operation=other)
    return None


def _left_out(place: Place) -> Definition | None:
    if not place.stack.added or not place.x:
        return None
    return _plan(place)[-1]._replace(operation=Same(), operands=(place.x,))


def _of_kind(place: Place, positions: Positions, name: str) -> str:
    if positions.kind == "given":
        start = 0 if positions.said.get(IDS) else positions.said.get(START)
        first = f", from row {start} on, counted from 0" if start else ""
        return f"Each position has its row of a table{first}"
    return (
        "Each position gets pairs of a sine and a cosine, of waves that grow longer from pair to"
        f" pair. PE counts pos and i from 0, {name} its rows and columns from 1: {name}[1, 1] is"
        f" PE({start_of(place, positions)}, 0)"
    )


def _happens(place: Place) -> str:
    told = [_of_kind(place, one, local) for local, one in place.stack.added.items()]
    if place.stack.segments:
        told.append("Each token's segment has its row of a table")
    if not place.x:
        return ". ".join(told) + "."
    told.append(
        "With the embeddings all of it adds up to the input embeddings"
        if makes_X(ADD, place.stack)
        else "All of it is added to the embeddings"
    )
    return ". ".join(told) + "."


STEP = Step(
    name="positions",
    at=Place,
    keys=KEYS,
    title="Positions",
    does="adds each token's position to its embedding",
    makes=("P", "S", "summed", "X"),
    shapes="E [n, d_model] → P [n, d_model] → X [n, d_model]",
    happens=_happens,
    why=(
        "Attention by itself doesn't know in which order the tokens come, so something that tells"
        " where a token stands is added to its embedding."
    ),
    more=(
        "Without it the same tokens in another order give the same rows, in that order. Sines and"
        " cosines of different wavelengths work like the hands of many clocks: together they tell"
        " every position apart, and a shift of the position is the same turn of all the hands"
        " everywhere."
    ),
    check=_check,
    plan=_plan,
    fits=_fits,
    sized=_sized,
    general=General(x="E", positions=(Positions("sinusoidal"),)),
    shown_with=("positions=sinusoidal",),
    mistakes=(
        Mistake(
            "from_one",
            "Counting positions from 1 instead of 0.",
            lambda place: _otherwise(place, Sinusoids, 1),
        ),
        Mistake(
            "sine_and_cosine_swapped",
            "Putting cosines into the even columns and sines into the odd ones.",
            lambda place: _otherwise(place, SinesForCosines),
        ),
        Mistake(
            "exponent_of_each_column",
            "Taking the number of each column for i, so that a sine and its cosine are of"
            " different waves.",
            lambda place: _otherwise(place, WaveOfEachColumn),
        ),
        Mistake(
            "left_out",
            "Leaving the positions out, so that the order of the tokens is lost.",
            _left_out,
        ),
    ),
    pictures=("waves",),
    backward=Backward(
        "the positions",
        (
            "A sum hands its gradient on to all of its terms as it is, so a table of positions "
            "gets what the embeddings get."
        ),
        example="i_love_ai",
    ),
)
