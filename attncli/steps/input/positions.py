"""Positions and segments of tokens, added to their embeddings.

Sinusoids: Vaswani et al. 2017, arXiv:1706.03762, 3.5. Learned tables and segments: Devlin et al.
2018, arXiv:1810.04805.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal

from attncli.maths.equations.tree import Number, Symbol
from attncli.maths.operations.activations import Add
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.positions import (
    CosineOfNextExponent,
    MultipliedSinusoids,
    RotaryTable,
    SinesForCosines,
    Sinusoids,
    WaveOfEachColumn,
)
from attncli.maths.operations.rearranging import Same, TakeRows
from attncli.names import Name, below
from attncli.scenario.file.keys import (
    COUNT,
    NUMBER,
    POSITIVE,
    Choice,
    Either,
    Flag,
    Key,
    Kind,
    ListOf,
    Needs,
    Record,
    WholeNumber,
)
from attncli.scenario.file.matrices import MATRIX
from attncli.scenario.file.nodes import Items, Map, Node, Scalar
from attncli.scenario.file.problems import Objections
from attncli.scenario.file.sources import is_source
from attncli.scenario.model import ADD, FOR_ATTENTION, Positions, makes_X, projected_when
from attncli.scenario.scenario import Scenario
from attncli.steps.block.norms import NORM
from attncli.steps.mistakes import WENT_IN, as_a, by, in_last, remade, wrong
from attncli.steps.step import Backward, Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, Place
from attncli.trace.extents import sized
from attncli.trace.quantity import distinct_tokens

_PLACE = WholeNumber(0, 10**6)
BASE = Key(
    "base", POSITIVE, "the base of the wavelengths or angles, 10000 by default", Decimal(10000)
)
START = Key(
    "start", _PLACE, "the position of the first token, cached ones included, 0 by default", 0
)
IDS: Key[tuple[int, ...]] = Key(
    "ids",
    ListOf(_PLACE),
    "of `table`: the position of each token, where they don't follow each other",
    (),
)
PAIRS = Key(
    "pairs",
    Choice(("interleaved", "half")),
    "which dimensions turn together: neighbours, `interleaved` (the default), or one of "
    "each `half`",
    "interleaved",
)
DIMENSIONS: Key[int | None] = Key(
    "dimensions", WholeNumber(2, 10**6), "how many dimensions turn, all by default"
)
_FACTOR = Key("factor", POSITIVE, "how many times as far the model is to reach")
_ORIGINAL = Key("original_length", COUNT, "the length that the model was first trained on")


def _scaling(kind: str, says: str, *keys: Key[object], needs: tuple[str, ...] = ()) -> Record:
    needed = ("factor", *needs)
    example = ", ".join([f"kind: {kind}", *(f"{name}: {_EXAMPLES[name]}" for name in needed)])
    return Record.of(
        Key("kind", Choice((kind,)), f"`{kind}`: {says}"),
        _FACTOR,
        *keys,
        needs=Needs("scaling", needed, f"{{{example}}}"),
    )


_EXAMPLES = {"factor": 4, "original_length": 4096}
_BY_LENGTH = (_ORIGINAL.name,)
SCALINGS: dict[str, Record] = {
    "linear": _scaling("linear", "each frequency is divided by the factor"),
    "ntk": _scaling("ntk", "the base is multiplied by factor^(d/(d − 2))"),
    "dynamic": _scaling(
        "dynamic",
        "the same, with the factor s × length / original_length − (s − 1), of a text that is longer"
        " than the original length",
        _ORIGINAL,
        needs=_BY_LENGTH,
    ),
    "llama3": _scaling(
        "llama3",
        "frequencies that turn seldom within the original length are divided by the factor, those"
        " that turn often stay, and between the two is a ramp",
        _ORIGINAL,
        Key("low_freq_factor", POSITIVE, "how many turns are seldom, 1 by default", Decimal(1)),
        Key("high_freq_factor", POSITIVE, "how many turns are often, 4 by default", Decimal(4)),
        needs=_BY_LENGTH,
    ),
    "yarn": _scaling(
        "yarn",
        "the same with a ramp from pair to pair, and cosines and sines times an attention factor",
        _ORIGINAL,
        Key("beta_fast", POSITIVE, "how many turns are often, 32 by default", Decimal(32)),
        Key("beta_slow", POSITIVE, "how many turns are seldom, 1 by default", Decimal(1)),
        Key(
            "attention_factor",
            POSITIVE,
            "what cosines and sines are multiplied by, 0.1 ln factor + 1 by default",
        ),
        Key("truncate", Flag(), "whether the ramp begins and ends at whole pairs, the default"),
        needs=_BY_LENGTH,
    ),
}
_ANY_SCALING = Record.of(Key("kind", Choice(tuple(SCALINGS)), "which it is"))


def _kind_of_scaling(node: Node) -> Kind[object]:
    kind = node.get("kind") if isinstance(node, Map) else None
    known: Kind[object] = SCALINGS.get(kind.text if isinstance(kind, Scalar) else "", _ANY_SCALING)
    return known


SCALING = Key(
    "scaling",
    Either(_kind_of_scaling, tuple(SCALINGS.values())),
    "frequencies of a model that is to reach further than it was trained: `{kind: linear, factor:"
    " 4}`, or `ntk`, `dynamic`, `llama3`, `yarn`",
)
COS = Key(
    "cos",
    MATRIX,
    "the cosines themselves, instead of what `base` makes them of: a row for each position, from 0,"
    " a column for each pair",
)
SIN = Key("sin", MATRIX, "the sines, likewise")
_TURNING: tuple[Key[object], ...] = (PAIRS, BASE, DIMENSIONS, START, SCALING, COS, SIN)
"""How queries and keys are turned."""
_NOT_TURNED, _TURNED = Choice(("none",), "a map like {base: 10000}"), Record.of(*_TURNING)
ROPE = Key(
    "rope",
    Either(
        lambda node: _NOT_TURNED if isinstance(node, Scalar) else _TURNED, (_NOT_TURNED, _TURNED)
    ),
    "how queries and keys are turned here, beyond what `positions` says of `rope`: `{base: 10000}`"
    " (Gemma 3), or `none`: not at all (Cohere 2)",
    shared=True,
)
SLOPES = Key("slopes", ListOf(NUMBER), "a slope for each head, by default the paper's", ())
BUCKETS: Key[int | None] = Key(
    "buckets", COUNT, "how many buckets there are, by default as many as the table has rows"
)
MAX_DISTANCE = Key(
    "max_distance",
    COUNT,
    "from this distance on all are in the last bucket, 128 by default",
    128,
)
BIDIRECTIONAL: Key[bool | None] = Key(
    "bidirectional",
    Flag(),
    "whether keys after the query have buckets of their own, the second half of them, by default"
    " except in a decoder",
)
SHARED_FROM: Key[int | None] = Key(
    "max_distance",
    COUNT,
    "distances above a quarter of the rows share these by their logarithm, up to this one; by"
    " default the last row is that of all that are further",
)
TERMS = Key(
    "terms",
    ListOf(Choice(("c2p", "p2c"))),
    "which products are added: a query with a position's key (`c2p`), a key with its query (`p2c`);"
    " both by default",
    ("c2p", "p2c"),
)
_KINDS: dict[str, Kind[object]] = {
    "sinusoidal": Record.of(
        Key("kind", Choice(("sinusoidal",)), "`sinusoidal`: sines and cosines are added"),
        BASE,
        START._replace(kind=WholeNumber(-(10**6), 10**6)),  # below 0 for padding at the left
    ),
    "rope": Record.of(
        Key("kind", Choice(("rope",)), "`rope`: queries and keys are turned"),
        *_TURNING,
    ),
    "alibi": Record.of(
        Key("kind", Choice(("alibi",)), "`alibi`: a score loses slope × distance"),
        SLOPES,
    ),
    "relative": Record.of(
        Key(
            "kind",
            Choice(("relative",)),
            "`relative`: a score gains a learned number, by the bucket that its distance is in",
        ),
        Key("table", MATRIX, "of `relative`: a row for each bucket, a column for each head"),
        BUCKETS,
        MAX_DISTANCE,
        BIDIRECTIONAL,
    ),
    "disentangled": Record.of(
        Key(
            "kind",
            Choice(("disentangled",)),
            "`disentangled`: a score gains products with learned vectors of relative positions",
        ),
        Key("table", MATRIX, "of `disentangled`: a row for each place, [2k, d_model]"),
        Key("norm", NORM, "a norm of these rows"),
        BUCKETS,
        SHARED_FROM,
        TERMS,
    ),
    "table": Record.of(
        Key("kind", Choice(("table",)), "`table`: rows of a table are added"),
        Key("table", MATRIX, "of `table`: its rows, as if it stood for `positions` alone"),
        START,
        IDS,
    ),
}
_ANY_KIND = Record.of(Key("kind", Choice(tuple(_KINDS)), "which it is"))
_WORD = Choice(
    (*(text for text in _KINDS if text not in ("table", "relative", "disentangled")), "none"),
    "rows of numbers",
)


def _kind_of(node: Node) -> Kind[object]:
    if isinstance(node, Scalar):
        return _WORD
    if isinstance(node, Map) and not is_source(node):
        kind = node.get("kind")
        if kind is None:
            return _KINDS["sinusoidal"]
        return _KINDS.get(kind.text if isinstance(kind, Scalar) else "", _ANY_KIND)
    return MATRIX


def _one_or_several(node: Node) -> Kind[object]:
    several = isinstance(node, Items) and not all(isinstance(n, Items) for n in node.items)
    return _SEVERAL if several else _ONE


_ONE = Either(_kind_of, (_WORD, *_KINDS.values(), MATRIX))
_SEVERAL = ListOf(_ONE)
SEGMENTS: Key[tuple[int, ...]] = Key(
    "segments", ListOf(_PLACE), "the segment of each token, counted from 0"
)


def start_of(place: Place, positions: Positions) -> int:
    """Returns the position of the first row: after the tokens that are cached."""
    cached = place.stack.layers[0].attention.cached
    return positions.config.get(START) + len(cached or ())


def _check_positions(place: Place) -> Objections:
    stack, name = place.stack, below(place.stack.path, "positions")
    kinds = Counter(p.kind for p in stack.positions)
    for kind in (*FOR_ATTENTION, "given"):
        if kinds[kind] > 1:
            yield name, f"positions of the kind {kind} twice", "keep one of them"
    for kind in FOR_ATTENTION:
        if kinds[kind] and all(layer.recurrent is not None for layer in stack.layers):
            yield name, f"{kind} is for attention, and no layer attends", "leave it out"
    for position in stack.positions:
        yield from _check_one(place, name, position)
    segments = below(stack.path, SEGMENTS.name)
    yield from _check_counts(place, segments, ("segment", stack.segments))


_OF_A_TABLE = {
    "given": "positions of a table",
    **{kind: f"{kind} positions" for kind in ("relative", "disentangled")},
}


def _check_one(place: Place, name: Name, positions: Positions) -> Objections:
    text = _OF_A_TABLE.get(positions.kind)
    if text and not place.scenario.gives(positions.table):
        yield name, f"{text}, and no table", "add it, like table: [[1]]"
    dimensions, ids = positions.config.get(DIMENSIONS) or 0, positions.config.get(IDS)
    if dimensions % 2:
        yield name, f"{dimensions} dimensions can't turn in pairs", "give an even number"
    yield from _check_counts(place, name, ("position", ids))
    if ids and START.name in positions.config.values:
        yield name, "a start beside the position of each token", "keep one of them"


def _check_counts(place: Place, name: Name, entries: tuple[str, tuple[int, ...]]) -> Objections:
    """Complains of entries of a kind, if there are any, that are more or fewer than the tokens."""
    what, count, tokens = entries[0], len(entries[1]), len(place.text.tokens)
    if count and tokens and count != tokens:
        yield name, f"the {what}s are {count}, the tokens {tokens}", f"give a {what} for each token"


def _plan(place: Place) -> tuple[Definition, ...]:
    added = _tables(place)
    if place.stack.segments:
        table, S = place.name("segment_embeddings"), place.name("S")
        added.append(_rows_of(place, S, table, place.stack.segments, "segment"))
    if not added or not place.x:  # or positions by themselves, with no embeddings to add them to
        return tuple(added)
    terms = (place.x, *(definition.name for definition in added))
    local = "X" if makes_X(ADD, place.stack) else "summed"
    total = Definition(place.name(local), Add(len(terms)), terms)
    return (*added, total)


def _tables(place: Place) -> list[Definition]:
    """Defines what is made of the positions that are added, a row for each token."""
    added = place.stack.added.items()
    return [_positions(place, place.name(local), p) for local, p in added]


def _positions(place: Place, name: Name, positions: Positions) -> Definition:
    start, count = start_of(place, positions), len(place.text.tokens) or place.height(place.x) or 0
    if positions.kind != "sinusoidal":
        rows = positions.config.get(IDS) or tuple(range(start, start + count))
        return _rows_of(place, name, positions.table, rows, "position")
    d_model = place.width(name) or 0
    width = Symbol("d_embed" if projected_when(place.stack) == "after" else "d_model")
    waves = Sinusoids(Number.written(positions.config.get(BASE)), start, count, d_model, width)
    needs = _needs(place, count, d_model)
    blame = Name("positions")
    return Definition(name, waves, (), rows=_tokens(place), needs=needs, blame=blame)


def _needs(place: Place, count: int, d_model: int) -> tuple[Name, ...]:
    """Returns the names that tell how many sines and cosines there are: of the embeddings that they
    are added to, or else of what is missing."""
    if count and d_model:
        return ()
    if place.x:
        return (place.x,)
    return (*(() if count else (_SENTENCE,)), *(() if d_model else (Name("d_model"),)))


_SENTENCE = Name("sentence")


def _sized(place: Place, planned: Definition) -> Definition:
    """Defines a table with a row for each token, where only the embeddings tell how many and how
    long they are."""
    if not planned.needs:
        return planned
    return next((d for d in _tables(place) if d.name == planned.name), planned)


def _fits(definition: Definition, scenario: Scenario) -> Objections:
    """Complains of a table of positions or segments that doesn't have all rows that are taken from
    it."""
    table, taken = definition.operands[0], definition.operation
    height = scenario.plan.shapes[table][0]
    wanted = max(taken.indices, default=-1) + 1 if isinstance(taken, TakeRows) else 0
    if height is not None and wanted > height:
        wrong = f"{table} has {sized(height, 0)}, and row {wanted} is needed"
        yield table, wrong, f"give it {wanted} rows"


def _rows_of(place: Place, name: Name, table: Name, rows: tuple[int, ...], by: str) -> Definition:
    """Defines a row of a table, counted from 0, for each token."""
    operation = TakeRows(rows, tuple(map(str, rows)), by)
    needs = () if rows else (_SENTENCE,)
    return Definition(name, operation, (table,), rows=_tokens(place), needs=needs)


def _tokens(place: Place) -> Axis | None:
    return Axis(distinct_tokens(place.text.tokens), "token") if place.text.tokens else None


def _of_kind(place: Place, positions: Positions, name: str) -> str:
    if positions.kind == "given":
        start = 0 if positions.config.get(IDS) else positions.config.get(START)
        first = f", from row {start} on, counted from 0" if start else ""
        return f"Each position has its row of a table{first or ', counted from 0'}"
    return (
        "Each position pos gets a sine and a cosine for each pair i of dimensions, whose waves grow"
        f" longer from pair to pair. PE counts pos and i from 0, {name} its rows and columns from"
        f" 1: {name}[1, 1] is PE({start_of(place, positions)}, 0)"
    )


def _happens(place: Place) -> str:
    texts = [_of_kind(place, p, local) for local, p in place.stack.added.items()]
    if place.stack.segments:
        texts.append("Each token's segment has its row of a table")
    if not place.x:
        return ". ".join(texts) + "."
    texts.append(
        "Added to the embeddings, this gives the input embeddings"
        if makes_X(ADD, place.stack)
        else "This is added to the embeddings"
    )
    return ". ".join(texts) + "."


_OFTEN, _BASE = Number.written(1000), Number.written(10000)
MULTIPLIED = (
    "Multiplying the position by the power of the base instead of dividing it, so that the waves"
    " grow shorter."
)


def base_1000(own: RotaryTable | Sinusoids, _: Place) -> Operation | None:
    """Changes waves of base 10000 to those of base 1000; returns None for any other base."""
    return replace(own, base=_OFTEN) if own.base.full == _BASE.full else None


POSITIONS_STEP = Step(
    name="positions",
    at=Place,
    keys=(
        SEGMENTS,
        Key("segment_embeddings", MATRIX, "a row for each segment, [s, d_model], added"),
        Key(
            "positions",
            Either(_one_or_several, (_ONE, _SEVERAL)),
            "how the order of the tokens enters: `sinusoidal`, `rope`, `alibi`, `none`, a matrix "
            "whose first rows are added, or one of these with settings, below; a list for several "
            "together",
        ),
    ),
    check=_check_positions,
    words=Wording(
        title="Positions",
        does="adds each token's position to its embedding",
        shapes="E [n, d_model] → P [n, d_model] → X [n, d_model]",
        happens=_happens,
        why=(
            "Attention by itself doesn't see the order of the tokens, so a vector for its position"
            " is added to each token's embedding."
        ),
        more=(
            "Without positions, the same tokens in another order give the same rows, in that order."
            " A word that stands at two places would be the same there. So each position has a"
            " vector of its own, its positional encoding. A token's vector is as long as before,"
            " and now says both what the token is and where it stands. A table of positions is"
            " learned. Sines and cosines need no training, and there are some for any position,"
            " also beyond the longest text of the training."
        ),
    ),
    results=Results(
        names=("P", "S", "summed", "X"),
        nouns={
            "P": "position vector",
            "S": "segment vector",
            "summed": "embedding with its position",
            "X": "embedding with its position",
        },
        plan=_plan,
        sized=_sized,
        fits=_fits,
        pictures=("waves",),
    ),
    formulas=Formulas(x="E", positions=(Positions("sinusoidal"),)),
    example=Example("encoder_block", ("positions=sinusoidal",)),
    mistakes=(
        Mistake(
            "from_one",
            "Counting positions from 1 instead of 0.",
            wrong(remade(lambda own, _: replace(own, start=own.start + 1)), Sinusoids),
        ),
        Mistake(
            "sine_and_cosine_swapped",
            "Putting cosines into the even columns and sines into the odd ones.",
            wrong(as_a(SinesForCosines), Sinusoids),
        ),
        Mistake(
            "exponent_of_each_column",
            "Taking the number of each column for i, so that a sine and its cosine have different"
            " wavelengths.",
            wrong(as_a(WaveOfEachColumn), Sinusoids),
        ),
        Mistake(
            "cosine_of_next_exponent",
            "Taking 2i + 1, the number of its column, in a cosine's exponent, where a sine and its"
            " cosine have 2i in common.",
            wrong(as_a(CosineOfNextExponent), Sinusoids),
        ),
        Mistake(
            "other_base",
            "The base of the waves is 1000 instead of 10000.",
            wrong(remade(base_1000), Sinusoids),
        ),
        Mistake("angle_multiplied", MULTIPLIED, wrong(as_a(MultipliedSinusoids), Sinusoids)),
        Mistake(
            "left_out",
            "Leaving out the positions, so that the order of the tokens is lost.",
            in_last(by(Same(), WENT_IN), Add, when=lambda place: bool(place.stack.added)),
        ),
    ),
    backward=Backward(
        "the positions",
        "The embeddings get the gradient of the sum unchanged, and so does a table of positions.",
        example=Example("i_love_ai"),
    ),
)
