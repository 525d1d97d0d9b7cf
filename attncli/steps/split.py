"""Each head takes its own columns (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2).

Heads that share keys and values: Shazeer 2019, arXiv:1911.02150; Ainslie et al. 2023,
arXiv:2305.13245.
"""

from __future__ import annotations

from attncli.arithmetic.expression import Equation, Symbol
from attncli.arithmetic.formula import define
from attncli.arithmetic.operations import TakeColumns
from attncli.name import below
from attncli.steps.project import ROLES
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope


def _plan(scope: Scope) -> tuple[Making, ...]:
    attention = scope.attention
    if attention.heads == 1 or attention.own_heads:
        return ()
    return tuple(
        _columns(scope, name, head) for head in range(attention.heads) for name in ("Q", "K", "V")
    )


def _columns(scope: Scope, name: str, head: int) -> Making:
    attention = scope.attention
    part, of = head, attention.heads
    if name != "Q":
        part, of = part * attention.kv_heads // attention.heads, attention.kv_heads
    made = below(attention.head_path(head), name)
    blame = below(attention.path, "heads")
    operands = (scope.name(name),)
    return Making(made, TakeColumns(part, of), operands, "split", role=ROLES[name], blame=blame)


def _happens(scope: Scope) -> str:
    attention = scope.attention
    told = "Each head takes its share of the columns of Q, K and V"
    if attention.kv_heads < attention.heads:
        told = "Each head takes its share of the columns of Q, and those of K and V that its group"
        told += " of heads has in common"
    return f"{told}."


def _of_next_head(scope: Scope) -> Making | None:
    attention = scope.attention
    if attention.heads == 1 or attention.own_heads:
        return None
    return _columns(scope, "Q", 0)._replace(operation=TakeColumns(1, attention.heads))


def _formulas(scope: Scope) -> tuple[Equation, ...]:
    """Which columns of all the queries, keys and values are a head's."""
    return tuple(define(scope.here(making.name), _run(scope, making)) for making in _plan(scope))


def _run(scope: Scope, making: Making) -> Symbol:
    operation, whole = making.operation, making.operands[0]
    assert isinstance(operation, TakeColumns)
    width = scope.width(whole)
    if width is None:
        return Symbol(scope.here(whole), ("the head's columns",))
    size = width // operation.of
    first, last = operation.part * size + 1, (operation.part + 1) * size
    run = f"columns {first}–{last}" if last > first else f"column {first}"
    return Symbol(scope.here(whole), (run,))


STEP = Step(
    name="split",
    title="The heads' columns",
    makes=("Q", "K", "V"),
    shapes="Q [n, h · d_k] → Q [n, d_k] of each of h heads",
    happens=_happens,
    purpose=(
        "Several heads attend at once, each in a smaller space of its own, so that one can look"
        " for the verb and another for the next word. W_Q holds the matrices of all heads side"
        " by side; so a head's queries are a run of the columns of Q, and the same for keys"
        " and values."
    ),
    plan=_plan,
    formulas=_formulas,
    shown_with=("heads=2",),
    mistakes=(Mistake("other_head", "Taking the columns of another head for Q.", _of_next_head),),
)
