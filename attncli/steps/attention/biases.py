"""Steps that add to scores: biases, ALiBi, T5's relative positions.

* relative: T5's buckets of distances (Raffel et al. 2019, arXiv:1910.10683, 2.1).
* disentangle: DeBERTa's relative positions (He et al. 2020, arXiv:2006.03654, 3.1).
* bias: ALiBi (Press et al. 2021, arXiv:2108.12409), given tables.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from attncli.errors import counted
from attncli.maths.equations.tree import Number
from attncli.maths.operations.activations import Add
from attncli.maths.operations.attention import MatMulTransposed
from attncli.maths.operations.masking import AddFinite
from attncli.maths.operations.positions import Alibi, alibi_slopes
from attncli.maths.operations.rearranging import Same
from attncli.maths.operations.relative_positions import (
    Buckets,
    SignedBuckets,
    TakeByBucket,
    TakeInRow,
)
from attncli.names import Name
from attncli.scenario.file.keys import Key
from attncli.scenario.file.matrices import MATRIX
from attncli.scenario.file.problems import Objections
from attncli.scenario.model import Positions, Settings
from attncli.steps.attention.masks import mask_rules
from attncli.steps.input.positions import (
    BIDIRECTIONAL,
    BUCKETS,
    MAX_DISTANCE,
    SHARED_FROM,
    SLOPES,
)
from attncli.steps.mistakes import WENT_IN, by, in_last, left_out, of_next_head, remade, wrong
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
from attncli.trace import Definition, HeadPlace
from attncli.trace.extents import sized

_USUAL = 32
"""How many buckets there are where neither a number of them nor a table is given, as in T5."""
_TOLD = 3
_LEAST = 2
"""How many distances have a row each, at least, where others share some."""
_MOST = 1024
_TURNED = remade(lambda own, _: replace(own, turned=True))
_SHOWN = (
    "positions={kind: relative, max_distance: 8, table: [[0.5], [0.25], [0], [-0.25], [0.5],"
    " [-0.5], [-1], [-2]]}"
)


def _operation(place: HeadPlace, positions: Positions) -> Buckets:
    both = positions.config.get(BIDIRECTIONAL)
    if both is None:
        both = place.layer.block != "decoder"
    return Buckets(_count(place, positions), positions.config.get(MAX_DISTANCE), both)


def _count(place: HeadPlace, positions: Positions) -> int:
    index, table = positions.config.get(BUCKETS), place.scenario.given.matrices.get(positions.table)
    if index is not None:
        return index
    return _USUAL if table is None else table.shape[0]


def _shape(place: HeadPlace, positions: Positions) -> tuple[int, int]:
    """Returns the shape of the table; of a random one, what it has to be."""
    table = place.scenario.given.matrices.get(positions.table)
    return (_count(place, positions), place.attention.heads) if table is None else table.shape


def _check_table(place: HeadPlace, positions: Positions) -> Objections:
    (rows, columns), count = _shape(place, positions), _count(place, positions)
    where, heads = positions.table, place.attention.heads
    if rows != count:
        wrong = f"{sized(rows, 0)} for {count} buckets"
        yield where, wrong, "give a row for each bucket, or leave buckets out"
    if columns != heads:
        wrong = f"{sized(columns, 1)} for {counted(heads, 'head')}"
        yield where, wrong, "give a column for each head"


def _check_relative(place: HeadPlace) -> Objections:
    positions = place.attention.positions.relative
    if positions is None:
        return
    yield from _check_table(place, positions)
    where, made = positions.config.path, _operation(place, positions)
    sides = 2 if made.both else 1
    if made.count < 2 * sides or made.count % sides:
        least = "an even number of them, 4 or more" if made.both else "2 or more"
        yield where, f"{made.count} buckets can't be shared out", f"give {least}"
    elif made.count > _MOST:
        yield where, f"{made.count:,} buckets are too many", f"give {_MOST:,} or fewer"
    elif made.max_distance <= made.exact:
        wrong = f"{made.exact} distances have a bucket each, and max_distance is"
        right = f"give a larger one than {made.exact}, like 128"
        yield where, f"{wrong} {made.max_distance}", right


def _plan_relative(place: HeadPlace) -> tuple[Definition, ...]:
    positions = place.attention.positions.relative
    if positions is None:
        return ()
    bucket, bias, table = place.name("bucket"), place.name("position_bias"), positions.table
    rows, columns = _shape(place, positions)
    take = TakeByBucket(rows, columns, min(place.head, columns - 1))
    return (
        Definition(bucket, _operation(place, positions), (place.x,)),
        Definition(bias, take, (bucket, table), blame=table),
        Definition(place.name("positioned"), Add(2), (place.x, bias), blame=Name("positions")),
    )


def _happens_relative(place: HeadPlace) -> str:
    positions = place.attention.positions.relative
    assert positions is not None
    made = _operation(place, positions)
    after = (
        f" Keys after the query have buckets of their own, higher by {made.one_way}."
        if made.both
        else " Keys after the query are in bucket 0."
    )
    return (
        "Each key is in a bucket, counted from 0, by its distance from the query. Distances"
        f" {_distances(made)}.{after} This head has a number for each bucket, which is added to the"
        " score."
    )


def _distances(made: Buckets) -> str:
    """Says which distances share a bias: `below 4 have one each, longer ones share theirs: 4 to 5,
    6 to 8, 9 or more`."""
    starts = made.starts
    ends = [*(start - 1 for start in starts[1:]), None]
    shared = [
        f"{start} or more" if end is None else f"{start}" if end == start else f"{start} to {end}"
        for start, end in zip(starts, ends, strict=True)
        if end is None or end >= start
    ][made.exact :]
    if len(shared) > _TOLD + 1:
        shared = [*shared[:_TOLD], "…", shared[-1]]
    return f"below {made.exact} have one each, longer ones share theirs: {', '.join(shared)}"


def _plan_disentangle(place: HeadPlace) -> tuple[Definition, ...]:
    positions = place.attention.positions.disentangled
    if positions is None:
        return ()
    bucket, count = place.name("bucket"), _count(place, positions)
    rows = SignedBuckets(count, positions.config.get(SHARED_FROM) or 0)
    made = [Definition(bucket, rows, (place.x,), blame=Name("positions"))]
    for term in positions.terms:
        one, other = ("Q", "K_r") if term == "c2p" else ("K", "Q_r")
        take = TakeInRow(count, of="i" if term == "c2p" else "j")
        each, factors = place.name(f"{term}_each"), (place.latest(one), place.latest(other))
        made.append(Definition(each, MatMulTransposed(), factors))
        made.append(Definition(place.name(term), take, (bucket, each), blame=Name("positions")))
    terms = (place.x, *(place.name(term) for term in positions.terms))
    return (*made, Definition(place.name("disentangled"), Add(len(terms)), terms))


def _check_disentangle(place: HeadPlace) -> Objections:
    positions = place.attention.positions.disentangled
    if positions is None:
        return
    rows, most = _count(place, positions), positions.config.get(SHARED_FROM)
    where, exact = positions.table, SignedBuckets(rows, most or 0).exact
    if rows % 2 or rows > _MOST:
        wrong = f"{sized(rows, 0)} of relative positions, half of them for keys after the query"
        yield where, wrong, f"give an even number of rows, up to {_MOST:,}"
    if most and (exact < _LEAST or most <= exact + 1):
        wrong = f"{exact} distances have a row each, and max_distance is {most}"
        right = f"give {4 * _LEAST} rows or more, and a larger distance, or leave max_distance out"
        yield positions.config.path, wrong, right
    if len(set(positions.terms)) < max(1, len(positions.terms)):
        yield positions.config.path, "no terms, or one twice", "give one or both: [c2p, p2c]"


DISENTANGLE_STEP = Step(
    name="disentangle",
    at=HeadPlace,
    check=_check_disentangle,
    words=Wording(
        title="Disentangled attention",
        does="adds to each score how content and relative position go together",
        shapes="scores [n, m], Q [n, d_k], K_r [2k, d_k] → disentangled [n, m]",
        happens=lambda _: (
            "The bucket of a query i and a key j is the row, counted from 0, of their distance"
            " i − j. A query times all keys of relative positions gives a number for"
            " each bucket, of which each key takes its own (content to position, c2p). A key times"
            " all queries of relative positions gives others likewise (position to content, p2c)."
        ),
        why=(
            "How much a word matters may depend on where it stands from another: “deep” matters"
            " more to a “learning” just after it."
        ),
        more=(
            "Each token has a vector of content, each relative position one of its own, and they"
            " aren't added. A score has a product for each pair: content with content, content with"
            " position, position with content. So it is divided by √(3 d_k). DeBERTa's paper writes"
            " δ(j, i) for the last of them, its code takes δ(i, j), as models have been trained,"
            " and as here."
        ),
    ),
    results=Results(
        names=("bucket", "c2p_each", "c2p", "p2c_each", "p2c", "disentangled"),
        nouns={"disentangled": "score"},
        plan=_plan_disentangle,
    ),
    formulas=Formulas(
        x="scores",
        positions=(
            Positions("disentangled", Settings(Name("positions"), {"kind": "disentangled"})),
        ),
    ),
    example=Example(
        changes=("positions={kind: disentangled, table: [[0.5, 0], [1, -1], [0, 1], [-1, 0.5]]}",)
    ),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake("left_out", "Leaving out both products.", wrong(left_out, "disentangled")),
        Mistake(
            "turned",
            "Taking the place of the key from the query, j − i.",
            wrong(_TURNED, "bucket"),
        ),
    ),
    backward=Backward(
        "the disentangled attention",
        "Queries and keys get gradients of content and of position, and the vectors of a position"
        " those of all pairs that far apart.",
    ),
)


RELATIVE_STEP = Step(
    name="relative",
    at=HeadPlace,
    check=_check_relative,
    words=Wording(
        title="Relative positions",
        does="adds a learned number to each score, by the distance of its key",
        shapes="scores [n, m], table [buckets, heads] → positioned [n, m]",
        happens=_happens_relative,
        why=(
            "Relative positions let a score depend on how far the key is from the query and on"
            " which side, wherever both stand."
        ),
        more=(
            "Near keys have a number for each distance. Far keys share one, since one place of"
            " difference matters little there. So a text may be longer than those in training. The"
            " buckets grow logarithmically. All layers have the same table."
        ),
    ),
    results=Results(
        names=("bucket", "position_bias", "positioned"),
        nouns={"position_bias": "position bias", "positioned": "score with its position bias"},
        plan=_plan_relative,
    ),
    formulas=Formulas(
        x="scores",
        positions=(Positions("relative", Settings(Name("positions"), {"kind": "relative"})),),
    ),
    example=Example(changes=(_SHOWN,)),
    prominence=Prominence(on_the_way=True),
    mistakes=(
        Mistake("left_out", "Leaving the learned numbers out.", wrong(left_out, "positioned")),
        Mistake(
            "turned",
            "Measuring the distance from the key to the query, so that keys before and after the"
            " query change places.",
            wrong(_TURNED, "bucket"),
        ),
        Mistake(
            "of_another_head",
            "Taking another head's numbers.",
            wrong(of_next_head("head"), "position_bias"),
        ),
    ),
    backward=Backward(
        "the relative positions",
        "The gradient of each number in the table is the sum over all scores in its bucket.",
    ),
)


def _check_bias(place: HeadPlace) -> Objections:
    alibi, heads = place.attention.positions.alibi, place.attention.heads
    slopes = alibi.config.get(SLOPES) if alibi is not None else ()
    if slopes and len(slopes) != heads:
        wrong = f"the slopes are {len(slopes)}, the heads {heads}"
        yield "positions", wrong, "give a slope for each head"


def _plan_bias(place: HeadPlace) -> tuple[Definition, ...]:
    slope, x = _slope(place), place.x
    made = [] if slope is None else [Definition(place.name("alibi"), Alibi(slope), (x,))]
    biases = [place.find("bias")] if place.gives("bias") else []
    terms = (x, *biases, *(d.name for d in made))
    if len(terms) > 1:
        x = place.name("biased")
        made.append(Definition(x, Add(len(terms)), terms, blame=Name("bias")))
    for k, table in enumerate(_added_tables(place), start=1):
        name = place.name("added" if k == 1 else f"added{k}")
        made.append(Definition(name, AddFinite(), (x, table), blame=Name("mask")))
        x = name
    return tuple(made)


def _added_tables(place: HeadPlace) -> list[Name]:
    """Returns the names of the mask's tables that hold numbers to add."""
    return [rule.table for rule in mask_rules(place.attention) if rule.kind == "add"]


def _slope(place: HeadPlace) -> Number | None:
    positions = place.attention.positions.alibi
    if positions is None:
        return None
    slopes = positions.config.get(SLOPES)
    if slopes:
        return Number.written(slopes[min(place.head, len(slopes) - 1)])
    return alibi_slopes(place.attention.heads)[place.head]


def _happens_bias(place: HeadPlace) -> str:
    texts = []
    if place.attention.positions.alibi is not None:
        texts.append("The further a key is from the query, the more is subtracted from its score")
    if place.gives("bias") or _added_tables(place):
        texts.append("A given table is added to the scores")
    if _added_tables(place):
        texts.append("Where it holds −∞ nothing is added: the mask hides that score")
    return ". ".join(texts) + "."


BIAS_STEP = Step(
    name="bias",
    at=HeadPlace,
    keys=(Key("bias", MATRIX, "numbers added to the scores, [n, m]", in_parts=True),),
    check=_check_bias,
    words=Wording(
        title="Biases",
        does="adds biases to the scores, such as ALiBi's",
        shapes="scores [n, m], bias [n, m] → biased [n, m]",
        happens=_happens_bias,
        why="A bias raises or lowers the attention to a key, whatever the vectors say.",
        more=(
            "ALiBi's bias tells the model how far apart two tokens are, at a different rate in each"
            " head."
        ),
    ),
    results=Results(
        names=("alibi", "biased", "added"), nouns={"biased": "score with its bias"}, plan=_plan_bias
    ),
    formulas=Formulas(
        x="scores",
        gives=("bias",),
        positions=(Positions("alibi", Settings(values={"slopes": (Decimal("0.5"),)})),),
    ),
    example=Example(changes=("positions=alibi",)),
    prominence=Prominence(on_the_way=True),
    mistakes=(Mistake("left_out", "Leaving the bias out.", in_last(by(Same(), WENT_IN))),),
    backward=Backward(
        "the bias",
        "The gradient of the biased scores goes to the scores and to the bias unchanged.",
        fixed=("add",),
    ),
)
