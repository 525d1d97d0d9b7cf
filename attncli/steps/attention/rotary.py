"""Rotary positions, RoPE: queries and keys are turned (Su et al. 2021, arXiv:2104.09864).

Frequencies that are scaled, so that a model reaches further than it was trained: YaRN, and those
before it, Peng et al. 2023, arXiv:2309.00071; Llama 3, arXiv:2407.21783, 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from attncli.maths.equations.tree import ONE, Apply, Expression, Number, Product, Sum, constant
from attncli.maths.operations.activations import DivideBy
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.positions import (
    BlendFrequencies,
    Frequencies,
    MultipliedTable,
    RampOfPairs,
    RampOfTurns,
    RotaryTable,
    Rotate,
    TurnsTable,
)
from attncli.maths.operations.rearranging import JoinColumns, TakeRows
from attncli.names import Name
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import Positions
from attncli.scenario.scenario import Scenario
from attncli.steps.attention.projections import is_decoupled, turning
from attncli.steps.input.positions import (
    BASE,
    COS,
    DIMENSIONS,
    MULTIPLIED,
    PAIRS,
    ROPE,
    SCALING,
    SCALINGS,
    SIN,
    START,
    base_1000,
)
from attncli.steps.mistakes import all_wrong, as_a, remade
from attncli.steps.step import (
    Backward,
    Example,
    Formulas,
    Mistake,
    Prominence,
    Results,
    Step,
    Wording,
)
from attncli.trace import Axis, Definition, HeadPlace
from attncli.trace.extents import sized
from attncli.trace.quantity import distinct_tokens

_ONE_PAIR = 2
_DEFAULTS = {
    key.name: key.default
    for scaling in SCALINGS.values()
    for key in scaling.keys
    if key.default is not None
}


def is_scaled(positions: Positions) -> bool:
    """Tells whether the frequencies are told by themselves, and scaled.

    A scaling that lacks something doesn't count: it is complained of where it is read.
    """
    scaling = positions.config.get(SCALING) or {}
    needs = SCALINGS[scaling["kind"]].needs if "kind" in scaling else None
    return needs is not None and all(name in scaling for name in needs.parts)


def _check_scaling(positions: Positions) -> Objections:
    """Complains of ramps that go nowhere."""
    value, where = positions.config.get(SCALING), "positions"
    for low, high in (("low_freq_factor", "high_freq_factor"), ("beta_slow", "beta_fast")):
        few, many = (value.get(name, _DEFAULTS[name]) for name in (low, high))
        if few >= many:
            wrong = f"scaling with {low} {few} and {high} {many}"
            yield where, wrong, f"give a {high} that is larger than {low}"
    base = positions.config.get(BASE)
    if value["kind"] == "yarn" and base <= 1:
        yield where, f"scaling of the base {base}", "give one that is larger than 1"


def frequencies(
    place: HeadPlace, positions: Positions, dimensions: int | None
) -> tuple[Definition, ...]:
    """Defines the frequencies before and after they are scaled."""
    value, base = positions.config.get(SCALING), Number.written(positions.config.get(BASE))
    there = (name for name in ("K", "Q") if place.gives(name) or place.gives(f"W_{name}"))
    turned = turning(place, next(there, "K"))  # only the width counts, which both have
    plain = _of(place, "frequencies", Frequencies(base, dimensions), turned)
    factor = _number(value, "factor")
    match value["kind"]:
        case "linear":
            return plain, _of(place, "scaled_frequencies", DivideBy(factor), plain.name)
        case "ntk" | "dynamic":
            start = positions.config.get(START)
            original = _number(value, "original_length") if "original_length" in value else None
            scaled = Frequencies(base, dimensions, factor, original, start)
            return plain, _of(place, "scaled_frequencies", scaled, turned)
        case _:
            ramp = _of(place, "ramp", _ramp(value, base), plain.name)
            blend = BlendFrequencies(factor)
            scaled_by_ramp = _of(place, "scaled_frequencies", blend, plain.name, ramp.name)
            return plain, ramp, scaled_by_ramp


def _of(place: HeadPlace, local: str, operation: Operation, *operands: Name) -> Definition:
    return Definition(place.name(local), operation, operands, blame=Name("positions"))


def _number(data: KeyValues, name: str) -> Number:
    return Number.written(data.get(name, _DEFAULTS.get(name)))


def _ramp(data: KeyValues, base: Number) -> Operation:
    original = _number(data, "original_length")
    if data["kind"] == "llama3":
        return RampOfTurns(
            original, _number(data, "low_freq_factor"), _number(data, "high_freq_factor")
        )
    fast, slow = _number(data, "beta_fast"), _number(data, "beta_slow")
    return RampOfPairs(base, original, fast, slow, data.get("truncate", True))


def attention_factor(positions: Positions) -> Expression | None:
    """Returns what cosines and sines are multiplied by, of YaRN 0.1 ln factor + 1; None where they
    aren't."""
    value = positions.config.get(SCALING)
    if value["kind"] != "yarn":
        return None
    if "attention_factor" in value:
        return _number(value, "attention_factor")
    factor = _number(value, "factor")
    if factor.full <= 1:
        return None
    return Sum((Product((constant("0.1"), Apply("ln", (factor,)))), ONE))


_IN_WORDS = {
    "linear": "The frequencies are divided by {factor}, so that the angles of {factor} times as"
    " many positions are those that the model was trained on",
    "ntk": "The frequencies are those of a larger base: the slowest pair turns {factor} times as"
    " slowly, the fastest as before",
    "dynamic": "Where the text is longer than {original_length}, the frequencies are those of a"
    " larger base",
    "llama3": "Pairs that turn {low_freq_factor} times or less within {original_length} positions"
    " turn {factor} times as slowly, those that turn {high_freq_factor} times or more as before,"
    " and between them is a ramp",
    "yarn": "Pairs that turn {beta_slow} times or less within {original_length} positions turn"
    " {factor} times as slowly, those that turn {beta_fast} times or more as before, and between"
    " them is a ramp",
}


def scaling_in_words(positions: Positions) -> str:
    """Says how frequencies are scaled."""
    value = positions.config.get(SCALING)
    return _IN_WORDS[value["kind"]].format(**{**_DEFAULTS, **value})


def _check_tables(positions: Positions) -> Objections:
    """Complains of one table without the other, and of what would make them beside both."""
    where = positions.config.path
    for key, other in ((COS, SIN), (SIN, COS)):
        if not positions.config.says(key):
            yield where, f"{other.name} and no {key.name}", f"give both, like {key.name}: [[1]]"
    for maker in (BASE, SCALING):
        if positions.config.says(maker):
            wrong = f"cos and sin, and the {maker.name} that they would be made by"
            yield where, wrong, "keep one of them"


def rows_sized(place: HeadPlace, planned: Definition) -> Definition:
    """Returns a definition with a row for each query or key; and of a part that turns by itself,
    with its width."""
    operation, height = planned.operation, place.height(planned.name)
    if isinstance(operation, Frequencies | RotaryTable | Rotate) and is_decoupled(place):
        own = replace(
            operation, dimensions=operation.dimensions or place.width(turning(place, "K"))
        )
        return planned._replace(operation=own)
    if not isinstance(operation, TakeRows) or height is None:
        return planned
    names = place.attention.keys if planned.name.local[0] == "K" else place.text.tokens
    rows = Axis(distinct_tokens(names), "token") if len(names) == height else None
    start = operation.indices[0]
    positions = tuple(range(start, start + height))
    taken = TakeRows(positions, tuple(map(str, positions)), "position")
    return planned._replace(operation=taken, rows=rows)


_FUNCTIONS: dict[str, Literal["cos", "sin"]] = {"cosine": "cos", "sine": "sin"}


def _start(place: HeadPlace, positions: Positions, name: str) -> int:
    """Returns the position of the first row: queries come after the keys that are cached."""
    return positions.config.get(START) + (len(place.attention.cached or ()) if name == "Q" else 0)


def _dimensions(positions: Positions) -> int | None:
    """Returns how many dimensions turn, in pairs; None where all do."""
    dimensions = positions.config.get(DIMENSIONS)
    return dimensions and dimensions // 2 * 2


def _check_rope(place: HeadPlace) -> Objections:
    positions, settings = place.attention.positions.rotated, place.attention.config
    if place.attention.sees_memory and settings.says(ROPE):
        wrong = "the positions of a memory are nobody's, and queries can't be turned against them"
        yield settings.at(ROPE), wrong, "leave rope out"
    if positions is not None and positions.turned_by is not None:
        yield from _check_tables(positions)
    elif positions is not None and is_scaled(positions):
        yield from _check_scaling(positions)


def _fits(definition: Definition, scenario: Scenario) -> Objections:
    """Complains of a larger base for a single pair, of tables that lack rows or columns, and of
    more dimensions to turn than there are.

    A larger base has an exponent d/(d − 2), which a single pair has not; tables need a row for each
    position, and a column for each pair that turns.
    """
    operation, shapes = definition.operation, scenario.plan.shapes
    first = definition.operands[0]
    height, width = shapes[first]
    if isinstance(operation, Frequencies) and operation.stretch is not None:
        if (operation.dimensions or width) == _ONE_PAIR:
            wrong = "a larger base for 2 dimensions, of which the exponent d/(d − 2) has no value"
            yield definition.blame, wrong, "say scaling: {kind: linear, …}"
    elif isinstance(operation, TakeRows):
        wanted = operation.indices[0] + (shapes[definition.name][0] or 0)
        if height is not None and height < wanted:
            wrong = f"{first} has {sized(height, 0)}, and that of position {wanted - 1} is needed"
            yield first, wrong, f"give it {sized(wanted, 0)}"
    elif isinstance(operation, Rotate):
        columns, pairs = operation.dimensions or width, shapes[definition.operands[1]][1]
        if columns is not None and pairs is not None and columns != 2 * pairs:
            wrong = (
                f"{sized(pairs, 1)} of cosines and sines, and {columns} of {first} turn in pairs"
            )
            right = f"give {sized(columns // 2, 1)}, one for each pair, or say dimensions"
            yield definition.blame, wrong, right
        if width is not None and (operation.dimensions or 0) > width:
            wrong = f"{columns} dimensions are to turn, and {first} has {sized(width, 1)}"
            yield definition.blame, wrong, f"give {width} or less"


def _by_halves(positions: Positions) -> bool:
    return positions.config.get(PAIRS) == "half"


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    positions = place.attention.positions.rotated
    if positions is None:
        return ()
    scaled = positions.turned_by is None and is_scaled(positions)
    return (
        *(frequencies(place, positions, _dimensions(positions)) if scaled else ()),
        *_rotated(place, positions, "Q"),
        *_rotated(place, positions, "K"),
    )


def _table(
    place: HeadPlace, positions: Positions, name: str, function: Literal["cos", "sin"]
) -> tuple[Operation, tuple[Name, ...]]:
    """Returns how the cosines or sines of queries or keys are made, and of what."""
    x, start = turning(place, name), _start(place, positions, name)
    if is_scaled(positions):
        operation = TurnsTable(function, start, attention_factor(positions))
        return operation, (x, place.name("scaled_frequencies"))
    base = Number.written(positions.config.get(BASE))
    return RotaryTable(function, _dimensions(positions), base, start), (x,)


def _tables(place: HeadPlace, positions: Positions, name: str) -> Sequence[Definition]:
    """Defines the cosines and sines of queries or keys, looked up where these are given."""
    names = [place.name(f"{name}_{table}") for table in _FUNCTIONS]
    if positions.turned_by is not None:
        start = _start(place, positions, name)
        taken = TakeRows((start,), (str(start),), "position")  # more where shapes tell how many
        tables = zip(names, positions.turned_by, strict=True)
        return [Definition(entry, taken, (table,), blame=table) for entry, table in tables]
    return [
        Definition(entry, *_table(place, positions, name, function), blame=Name("positions"))
        for entry, function in zip(names, _FUNCTIONS.values(), strict=True)
    ]


def _rotated(place: HeadPlace, positions: Positions, name: str) -> tuple[Definition, ...]:
    dimensions, x = _dimensions(positions), turning(place, name)
    tables = _tables(place, positions, name)
    rotate = Rotate("half" if _by_halves(positions) else "interleaved", dimensions)
    made = place.name(f"rotated_{name}_R" if is_decoupled(place) else f"rotated_{name}")
    operands = (x, *(table.name for table in tables))
    turned = Definition(made, rotate, operands, blame=Name("positions"), wire=name)
    if not is_decoupled(place):
        return (*tables, turned)
    both = (place.latest(name), made)
    return (
        *tables,
        turned,
        Definition(place.name(f"joined_{name}"), JoinColumns(2), both, wire=name),
    )


def _happens(place: HeadPlace) -> str:
    positions = place.attention.positions.rotated
    half = positions is not None and _by_halves(positions)
    pairs = "a column of the first half and one of the second" if half else "two columns"
    if positions is not None and positions.turned_by is not None:
        return (
            f"In each query and key {pairs} at a time are turned by an angle, of which the cosine"
            " and the sine are given. Each position, counted from 0, has its row."
        )
    scaled = (
        "" if positions is None or not is_scaled(positions) else f" {scaling_in_words(positions)}."
    )
    each = (
        "the part of each query and key that turns" if is_decoupled(place) else "each query and key"
    )
    return (
        f"In {each} {pairs} at a time are turned by an angle that grows with the"
        f" position, which counts from 0.{scaled}"
    )


_OTHER_PAIRS = {"half": "interleaved", "interleaved": "half"}


def _which_pairs(_: Definition, made: Definition) -> str:
    neighbours = isinstance(made.operation, Rotate) and made.operation.pairs == "interleaved"
    pairs = (
        ("neighbours", "one from each half") if neighbours else ("one from each half", "neighbours")
    )
    return "Pairing the wrong columns: {} instead of {}.".format(*pairs)


ROTATE_STEP = Step(
    name="rotate",
    at=HeadPlace,
    keys=(ROPE,),
    check=_check_rope,
    words=Wording(
        title="Rotary positions",
        does="turns queries and keys by their positions",
        shapes="Q [n, d_k], K [m, d_k] → rotated_Q [n, d_k], rotated_K [m, d_k]",
        happens=_happens,
        why=(
            "Rotary positions tell where a token stands by turning its query and key, each pair of"
            " columns at its own speed."
        ),
        more=(
            "Nothing is added to the embeddings. Of the two angles, a dot product depends only on"
            " the difference. So a score depends on how far apart two tokens stand, not on where"
            " they stand."
        ),
    ),
    results=Results(
        names=(
            *("frequencies", "ramp", "scaled_frequencies"),
            *(made for x in "QK" for made in (f"{x}_cosine", f"{x}_sine", f"rotated_{x}")),
            *(made for x in "QK" for made in (f"rotated_{x}_R", f"joined_{x}")),
        ),
        nouns={
            "rotated_Q": "rotated query",
            "rotated_K": "rotated key",
            "joined_Q": "query",
            "joined_K": "key",
        },
        plan=_plan,
        sized=rows_sized,
        fits=_fits,
    ),
    formulas=Formulas(positions=(Positions("rope"),)),
    example=Example(changes=("positions=rope",)),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake(
            "other_pairs",
            "Pairing the wrong columns: neighbours instead of one from each half, or the other"
            " way round.",
            all_wrong(
                remade(lambda turn, _: replace(turn, pairs=_OTHER_PAIRS[turn.pairs])), Rotate
            ),
            _which_pairs,
        ),
        Mistake(
            "other_base",
            "The base of the angles is 1000 instead of 10000.",
            all_wrong(remade(base_1000), RotaryTable),
        ),
        Mistake("angle_multiplied", MULTIPLIED, all_wrong(as_a(MultipliedTable), RotaryTable)),
        Mistake(
            "turned_back",
            "Turning in the opposite direction: the sines have the opposite sign.",
            all_wrong(remade(lambda turn, _: replace(turn, back=True)), Rotate),
        ),
    ),
    backward=Backward(
        "the rotation",
        "The gradient is turned back, by the same angle in the opposite direction.",
        fixed=("cos", "sin"),
    ),
)
