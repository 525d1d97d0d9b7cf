"""Step 4: attention scores (Vaswani et al. 2017, arXiv:1706.03762, 3.2.1)."""

from attncli.arithmetic.expression import MatrixProduct, Symbol
from attncli.arithmetic.formula import define, transposed
from attncli.arithmetic.operations import MatMul, MatMulTransposed
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making

STEP = Step(
    name="scores",
    title="Attention scores",
    makes=("scores",),
    formulas=lambda _: (define("scores", MatrixProduct((Symbol("Q"), transposed("K")))),),
    shapes="Q [n, d_k], K [n, d_k] → scores [n, n]",
    happens=lambda _: "Each query is compared with each key by their dot product.",
    purpose=(
        "A dot product is large where two vectors point the same way. The score of a query"
        " and a key says how well what one token looks for fits what another offers. A row"
        " of the table holds all the scores of one query."
    ),
    plan=lambda _: (Making("scores", MatMulTransposed(), ("Q", "K"), "scores"),),
    mistakes=(
        Mistake(
            "K_not_transposed",
            "Multiplying Q by K as it stands, rows by columns, in place of Q Kᵀ.",
            lambda _: Making("scores", MatMul(), ("Q", "K"), "scores"),
        ),
        Mistake(
            "queries_and_keys_swapped",
            "Taking keys as rows and queries as columns, K Qᵀ, which flips the table.",
            lambda _: Making("scores", MatMulTransposed(), ("K", "Q"), "scores"),
        ),
    ),
)
