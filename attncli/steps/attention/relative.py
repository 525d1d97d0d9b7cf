"""Relative positions (Raffel et al. 2019, arXiv:1910.10683, 2.1): T5's buckets of distances."""

from __future__ import annotations

from attncli.arithmetic.operations import Add, Buckets, BucketsTurned, Same, TakeByBucket
from attncli.file.problems import Problems
from attncli.name import Name
from attncli.scenario.model import Positions, Settings
from attncli.steps.input.position_keys import BIDIRECTIONAL, BUCKETS, MAX_DISTANCE
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import Definition, HeadPlace
from attncli.trace.extents import sized

_USUAL = 32
"""How many buckets there are where neither a number of them nor a table is given, as in T5."""
_TOLD = 3
_MOST = 1024
_SHOWN = (
    "positions={kind: relative, max_distance: 8, table: [[0.5], [0.25], [0], [-0.25], [0.5],"
    " [-0.5], [-1], [-2]]}"
)


def _operation(place: HeadPlace, positions: Positions) -> Buckets:
    both = positions.said.get(BIDIRECTIONAL)
    if both is None:
        both = place.layer.block != "decoder"
    return Buckets(_count(place, positions), positions.said.get(MAX_DISTANCE), both)


def _count(place: HeadPlace, positions: Positions) -> int:
    said, table = positions.said.get(BUCKETS), place.scenario.given.get(positions.table)
    if said is not None:
        return said
    return _USUAL if table is None else table.shape[0]


def _shape(place: HeadPlace, positions: Positions) -> tuple[int, int]:
    """That of the table; of a random one, what it has to be."""
    table = place.scenario.given.get(positions.table)
    return (_count(place, positions), place.attention.heads) if table is None else table.shape


def _check_table(place: HeadPlace, positions: Positions, problems: Problems) -> None:
    (rows, columns), count = _shape(place, positions), _count(place, positions)
    where, heads = place.scenario.where(positions.table), place.attention.heads
    if rows != count:
        wrong = f"{sized(rows, 0)} for {count} buckets"
        problems.add(where, wrong, "give a row for each bucket, or leave buckets out")
    if columns != heads:
        wrong = f"{sized(columns, 1)} for {heads} head{'s' if heads > 1 else ''}"
        problems.add(where, wrong, "give a column for each head")


def _check(place: HeadPlace, problems: Problems) -> None:
    positions = place.attention.relative
    if positions is None:
        return
    _check_table(place, positions, problems)
    where, made = place.scenario.where(positions.said.path), _operation(place, positions)
    sides = 2 if made.both else 1
    if made.count < 2 * sides or made.count % sides:
        least = "an even number of them, 4 or more" if made.both else "2 or more"
        problems.add(where, f"{made.count} buckets can't be shared out", f"give {least}")
    elif made.count > _MOST:
        problems.add(where, f"{made.count:,} buckets are too many", f"give {_MOST:,} or fewer")
    elif made.max_distance <= made.exact:
        wrong = f"{made.exact} distances have a bucket each, and max_distance is"
        right = f"give a larger one than {made.exact}, like 128"
        problems.add(where, f"{wrong} {made.max_distance}", right)


def _plan(place: HeadPlace) -> tuple[Definition, ...]:
    positions = place.attention.relative
    if positions is None:
        return ()
    bucket = place.name("bucket")
    numbers = _numbers(place, positions, place.head)
    total = Definition(
        place.name("positioned"), Add(2), (place.x, numbers.name), blame=Name("positions")
    )
    buckets = Definition(bucket, _operation(place, positions), (place.x,))
    return (buckets, numbers, total)


def _numbers(place: HeadPlace, positions: Positions, head: int) -> Definition:
    rows, columns = _shape(place, positions)
    take = TakeByBucket(rows, columns, min(head, columns - 1))
    operands = (place.name("bucket"), positions.table)
    return Definition(place.name("position_bias"), take, operands, blame=positions.table)


def _happens(place: HeadPlace) -> str:
    positions = place.attention.relative
    assert positions is not None
    made = _operation(place, positions)
    after = (
        f" Keys after the query have buckets of their own, {made.one_way} further on."
        if made.both
        else " Keys after the query are in bucket 0."
    )
    return (
        "Each key is in a bucket, counted from 0, by how far it is from the query: distances"
        f" {_told(made)}.{after} For each bucket this head has a number of its own, which is added"
        " to the score."
    )


def _told(made: Buckets) -> str:
    """`less than 4 have one each, longer ones share theirs: 4 to 5, 6 to 8, 9 or more`."""
    starts = made.starts
    ends = [*(start - 1 for start in starts[1:]), None]
    shared = [
        f"{start} or more" if end is None else f"{start}" if end == start else f"{start} to {end}"
        for start, end in zip(starts, ends, strict=True)
        if end is None or end >= start
    ][made.exact :]
    if len(shared) > _TOLD + 1:
        shared = [*shared[:_TOLD], "…", shared[-1]]
    return f"less than {made.exact} have one each, longer ones share theirs: {', '.join(shared)}"


def _without(place: HeadPlace) -> Definition | None:
    definitions = _plan(place)
    return definitions[-1]._replace(operation=Same(), operands=(place.x,)) if definitions else None


def _other_head(place: HeadPlace) -> Definition | None:
    positions = place.attention.relative
    if positions is None or place.attention.heads == 1:
        return None
    return _numbers(place, positions, (place.head + 1) % place.attention.heads)


def _turned(place: HeadPlace) -> Definition | None:
    definitions = _plan(place)
    if not definitions:
        return None
    made = definitions[0].operation
    assert isinstance(made, Buckets)
    turned = BucketsTurned(made.count, made.max_distance, made.both)
    return definitions[0]._replace(operation=turned)


STEP = Step(
    name="relative",
    at=HeadPlace,
    title="Relative positions",
    does="adds a learned number to each score, by the distance of its key",
    makes=("bucket", "position_bias", "positioned"),
    shapes="scores [n, m], table [buckets, heads] → positioned [n, m]",
    happens=_happens,
    why=(
        "Which key is attended to depends on how far it is from the query, and on which side, not"
        " on where in the text both stand."
    ),
    more=(
        "Near keys have a number for each distance, far ones share it: one step more or less"
        " matters little there, and texts may be longer than those that the numbers were learned"
        " from. The buckets grow like logarithms. All layers have the same table."
    ),
    check=_check,
    plan=_plan,
    general=General(
        x="scores",
        positions=(Positions("relative", Settings(Name("positions"), {"kind": "relative"})),),
    ),
    shown_with=(_SHOWN,),
    on_the_way=True,
    mistakes=(
        Mistake("left_out", "Leaving the learned numbers out.", _without),
        Mistake(
            "turned",
            "Taking the distance of the query from the key, so that keys before it and keys after"
            " it change places.",
            _turned,
        ),
        Mistake("of_another_head", "Taking the numbers that another head has.", _other_head),
    ),
    backward=Backward(
        "the relative positions",
        ("Each number of the table is pushed by all scores whose distance falls into its bucket."),
    ),
)
