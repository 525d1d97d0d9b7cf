"""The softmax and the weighted sum once more, as software does both at once, block by block.

Milakov & Gimelshein 2018, arXiv:1805.02867; with the output in it, FlashAttention: Dao et al. 2022,
arXiv:2205.14135, and with one division at the end, Dao 2023, arXiv:2307.08691.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncli.maths.operations.attention import WeightedSum
from attncli.maths.operations.optimizers import DifferenceOf
from attncli.maths.operations.rearranging import TakeBlock, TakeRows
from attncli.maths.operations.softmax import (
    BlockExponential,
    DivideByRow,
    RescaleFactor,
    RowMax,
    RowSum,
    RunningOutput,
    RunningSum,
)
from attncli.names import Name
from attncli.scenario.file.keys import COUNT, Key
from attncli.scenario.file.problems import Objections
from attncli.steps.attention.weights import without_softmax
from attncli.steps.mistakes import by, either, once, swap, wrong
from attncli.steps.step import Example, Formulas, Mistake, Results, Step, Wording
from attncli.trace import Axis, Definition, HeadPlace
from attncli.trace.place import into
from attncli.trace.quantity import distinct_tokens

_BLOCK: Key[int] = Key(
    "online_softmax",
    COUNT,
    "how many keys a block has by which the output is worked once more, as FlashAttention does:"
    " with a running maximum, a running sum, and a running output that is scaled anew",
)


def _keys(place: HeadPlace) -> tuple[str, ...]:
    """Returns the names of the keys; in general those of two blocks."""
    names = place.attention.keys or tuple("" for _ in range(2 * place.attention.config.get(_BLOCK)))
    return distinct_tokens(names)


def _check_block_size(place: HeadPlace) -> Objections:
    if place.head or not place.attention.config.says(_BLOCK):
        return
    where = place.attention.config.at(_BLOCK)
    said = place.attention.config.values
    for other in ("sinks", "dropout", "weights"):
        if place.gives(other) or (other in said and other != "weights"):
            wrong = f"an online softmax beside {other}, which its blocks know nothing of"
            yield where, wrong, "leave one of them out"
    if without_softmax(place):
        yield where, "an online softmax, and no softmax", "leave one of them out"


def _plan(place: HeadPlace) -> Iterator[Definition]:
    names, size = _keys(place), place.attention.config.get(_BLOCK)
    scores, V = place.wires.get(into("softmax"), Name("scaled")), place.latest("V")
    before: tuple[Name, ...] = ()
    for number, start in enumerate(range(0, len(names), size), start=1):
        some = names[start : start + size]
        keys, places = Axis(some, "K"), tuple(range(start, start + len(some)))
        named = place.at(place.name("blocks", number)).name
        x, values, m, exp, factor = map(named, ("S", "V", "m", "exp", "factor"))
        yield Definition(x, TakeBlock(start, start + len(some)), (scores,), columns=keys)
        yield Definition(values, TakeRows(places, some, "keys"), (V,), rows=keys)
        yield Definition(m, RowMax(running=bool(before)), (x, *before[:1]))
        yield Definition(exp, BlockExponential(), (x, m))
        total, output = named("l"), named("o")
        if not before:
            yield Definition(total, RowSum(), (exp,))
            yield Definition(output, WeightedSum(), (exp, values))
        else:
            yield Definition(factor, RescaleFactor(), (before[0], m))
            yield Definition(total, RunningSum(), (factor, before[1], exp))
            yield Definition(output, RunningOutput(), (factor, before[2], exp, values))
        before = m, total, output
    made = place.name("online_output")
    yield Definition(made, DivideByRow(), before[:0:-1])
    difference = place.name("difference")
    yield Definition(difference, DifferenceOf(), (made, place.x), wire="online")


ONLINE_STEP = Step(
    name="online",
    at=HeadPlace,
    keys=(_BLOCK,),
    check=_check_block_size,
    words=Wording(
        title="Online softmax",
        does="works the output again, block by block",
        shapes="scores [n, m], V [m, d_v] → m [n, 1], l [n, 1], o [n, d_v] of each block →"
        " online_output [n, d_v]",
        happens=lambda _: (
            "The keys come block by block. Here m is the largest score so far, and l the sum of the"
            " powers of e so far. The values so far, each times its power, add up to o. Where m has"
            " grown, the old l and o are multiplied by e^(old m − m). In the end o is divided by l,"
            " and the output from above is subtracted."
        ),
        why=(
            "A graphics card has little fast memory, and by blocks it never needs a whole row of"
            " weights."
        ),
        more=(
            "A softmax stays the same if the same number is subtracted from all scores of a row. So"
            " a block may subtract the largest score that it knows of. If a later block has a"
            " larger one, a factor makes good what was too large. The result is that of the plain"
            " softmax, and what differs is rounding alone. This is what FlashAttention does."
        ),
    ),
    results=Results(
        names=("S", "V", "m", "factor", "exp", "l", "o", "online_output", "difference"),
        nouns={"online_output": "output"},
        plan=lambda place: tuple(_plan(place)),
    ),
    formulas=Formulas(x="output", config={"online_softmax": 1}),
    example=Example("i_love_ai", ("online_softmax=2",)),
    mistakes=(
        Mistake(
            "not_rescaled",
            "Leaving the old sum as it is, although the maximum has grown.",
            either(
                once(swap("factor[i] * old[i]", "old[i]"), RunningSum),
                once(swap("factor[i] * old[i, j]", "old[i, j]"), RunningOutput),
            ),
        ),
        Mistake(
            "maximum_of_the_block",
            "Taking the largest score of the block alone, and forgetting those before.",
            wrong(by(RowMax(), 0), RowMax),
        ),
    ),
)
