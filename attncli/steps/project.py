"""Step 3: queries, keys and values (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2)."""

from attncli.arithmetic.formula import define, times
from attncli.arithmetic.operations import MatMul, MatMulTransposed
from attncli.steps.step import Mistake, Step
from attncli.trace.quantity import Making

_NAMES = ("Q", "K", "V")


def _transposed(name: str) -> Mistake:
    making = Making(name, MatMulTransposed(), ("X", f"W_{name}"), "project")
    return Mistake(
        f"W_{name}_transposed",
        f"Multiplying by the rows of W_{name} in place of its columns, which is X W_{name}ᵀ.",
        lambda _: making,
    )


STEP = Step(
    name="project",
    title="Queries, keys, values",
    makes=_NAMES,
    formulas=lambda _: tuple(define(name, times("X", f"W_{name}")) for name in _NAMES),
    shapes="X [n, d_model] → Q [n, d_k], K [n, d_k], V [n, d_v]",
    happens=lambda _: "Each embedding is multiplied by three weight matrices.",
    purpose=(
        "Every token plays three parts. Its query says what it looks for, its key what it"
        " offers to the others, its value what it passes on when it is attended to. Three"
        " learned matrices draw them from the same embedding."
    ),
    plan=lambda _: tuple(Making(name, MatMul(), ("X", f"W_{name}"), "project") for name in _NAMES),
    mistakes=tuple(map(_transposed, _NAMES)),
    together=(("X", "Embedding"), ("Q", "Query"), ("K", "Key"), ("V", "Value")),
)
