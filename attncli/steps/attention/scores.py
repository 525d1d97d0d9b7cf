"""Attention scores (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1)."""

from __future__ import annotations

from attncli.arithmetic.operations import MatMul, MatMulTransposed, Operation
from attncli.file.keys import Key
from attncli.file.matrices import NAMED
from attncli.steps.step import Backward, Mistake, Step
from attncli.trace import Definition, HeadPlace


def _definition(place: HeadPlace, operation: Operation, *names: str) -> Definition:
    operands = tuple(map(place.latest, names))
    return Definition(place.name("scores"), operation, operands)


STEP = Step(
    name="scores",
    at=HeadPlace,
    keys=(Key("scores", NAMED, "attention scores, [n, m]", in_parts=True),),
    title="Attention scores",
    does="compares each query with each key",
    makes=("scores",),
    shapes="Q [n, d_k], K [m, d_k] → scores [n, m]",
    happens=lambda _: "Each query is compared with each key by their dot product.",
    why=(
        "A query says what its token looks for, a key what its token offers; their score says how"
        " well the two match."
    ),
    more=(
        "A dot product is large where two vectors point the same way. A row of the table holds"
        " all the scores of one query."
    ),
    plan=lambda place: (_definition(place, MatMulTransposed(), "Q", "K"),),
    on_the_way=True,
    mistakes=(
        Mistake(
            "K_not_transposed",
            "Multiplying Q by K as it stands, rows by columns, instead of Q Kᵀ.",
            lambda place: _definition(place, MatMul(), "Q", "K"),
        ),
        Mistake(
            "queries_and_keys_swapped",
            "Taking keys as rows and queries as columns, K Qᵀ, which flips the table.",
            lambda place: _definition(place, MatMulTransposed(), "K", "Q"),
        ),
    ),
    pictures=("planes",),
    backward=Backward(
        "the scores",
        ("Each score's gradient is shared out to Q and K, in proportion to the other's numbers."),
        usual_mistakes=("transpose_forgotten",),
    ),
)
