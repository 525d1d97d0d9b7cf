"""Each head takes its own columns (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2).

Heads that share keys and values: Shazeer 2019, arXiv:1911.02150; Ainslie et al. 2023,
arXiv:2305.13245.
"""

from __future__ import annotations

from attncli.arithmetic.expression import Equation, Symbol
from attncli.arithmetic.formula import define
from attncli.arithmetic.operations import TakeColumns, TakeEvery
from attncli.file.keys import Key
from attncli.file.kinds import Either, ListOf, WholeNumber
from attncli.file.nodes import Items
from attncli.file.problems import Problems
from attncli.name import below
from attncli.steps.attention.project import ROLES
from attncli.steps.order import HEAD
from attncli.steps.step import Backward, General, Mistake, Step
from attncli.trace import AttentionPlace, Definition

_COUNT = WholeNumber(1, 1024)
_OWN = ListOf(HEAD)
_KV_HEADS = Key(
    "kv_heads",
    _COUNT,
    "how many heads of keys and values the heads of queries share; 1 is multi-query attention",
    shared=True,
    inherited=True,
)
_KEYS = (
    Key(
        "heads",
        Either(lambda node: _OWN if isinstance(node, Items) else _COUNT, (_COUNT, _OWN)),
        "how many heads there are; or a list with each head's own `W_Q`, `W_K`, `W_V`, biases "
        "and `bias`. Heads that list only a `bias` split the layer's matrices",
        1,
        shared=True,
        inherited=True,
    ),
    _KV_HEADS,
)


def _check(place: AttentionPlace, problems: Problems) -> None:
    """As many heads of keys and values as heads, or a share of them."""
    attention, said = place.attention, place.attention.said
    if not said.says(_KV_HEADS):
        return
    kv_heads, where = said.get(_KV_HEADS), place.scenario.where(below(said.path, "kv_heads"))
    if attention.own_heads:
        wrong = "kv_heads, and heads that have keys and values of their own"
        problems.add(where, wrong, "leave it out")
    elif attention.heads % kv_heads:
        wrong = f"{kv_heads} heads of keys and values can't be shared by {attention.heads}"
        problems.add(where, wrong, f"give a number that {attention.heads} can be divided by")


def _plan(place: AttentionPlace) -> tuple[Definition, ...]:
    attention = place.attention
    if attention.heads == 1 or attention.own_heads:
        return ()
    return tuple(
        _columns(place, name, head) for head in range(attention.heads) for name in ("Q", "K", "V")
    )


def _columns(place: AttentionPlace, name: str, head: int) -> Definition:
    attention = place.attention
    part, of = head, attention.heads
    if name != "Q":
        part, of = part * attention.kv_heads // attention.heads, attention.kv_heads
    made = below(attention.head_path(head), name)
    blame = below(attention.path, "heads")
    operands = (place.latest(name),)
    return Definition(made, TakeColumns(part, of), operands, role=ROLES[name], blame=blame)


def _happens(place: AttentionPlace) -> str:
    attention = place.attention
    told = "Each head takes its share of the columns of Q, K and V"
    if attention.kv_heads < attention.heads:
        told = "Each head takes its share of the columns of Q, and those of K and V that its group"
        told += " of heads has in common"
    return f"{told}."


def _of_next_head(place: AttentionPlace) -> Definition:
    return _columns(place, "Q", 0)._replace(operation=TakeColumns(1, place.attention.heads))


def _interleaved(place: AttentionPlace) -> tuple[Definition, ...]:
    """The columns dealt out to the heads in turn."""
    return tuple(_dealt(one) for one in _plan(place))


def _dealt(definition: Definition) -> Definition:
    run = definition.operation
    assert isinstance(run, TakeColumns)
    return definition._replace(operation=TakeEvery(run.part, run.of))


def _formulas(place: AttentionPlace) -> tuple[Equation, ...]:
    """Which columns of all the queries, keys and values are a head's."""
    return tuple(
        define(place.here(definition.name), _run(place, definition)) for definition in _plan(place)
    )


def _run(place: AttentionPlace, definition: Definition) -> Symbol:
    operation, whole = definition.operation, definition.operands[0]
    assert isinstance(operation, TakeColumns)
    width = place.width(whole)
    if width is None:
        return Symbol(place.here(whole), ("the head's columns",))
    size = width // operation.of
    first, last = operation.part * size + 1, (operation.part + 1) * size
    run = f"columns {first}–{last}" if last > first else f"column {first}"
    return Symbol(place.here(whole), (run,))


STEP = Step(
    name="split",
    at=AttentionPlace,
    keys=(*_KEYS,),
    title="The heads' columns",
    does="gives each head its columns of the queries, keys and values",
    makes=("Q", "K", "V"),
    shapes="Q [n, h · d_k] → Q [n, d_k] of each of h heads",
    happens=_happens,
    why=(
        "Several heads attend at once, each in a smaller space of its own, so that one can look"
        " for the verb and another for the next word."
    ),
    more=(
        "W_Q holds the matrices of all heads side by side; so a head's queries are a run of the"
        " columns of Q, and the same for keys and values."
    ),
    check=_check,
    plan=_plan,
    general=General(heads=2),
    formulas=_formulas,
    shown_with=("heads=2",),
    on_the_way=True,
    mistakes=(
        Mistake("other_head", "Taking the columns of another head for Q.", _of_next_head),
        Mistake(
            "columns_dealt_out",
            "Dealing the columns out to the heads in turn instead of giving each a run of them.",
            lambda place: _interleaved(place)[0],
            lambda place: _interleaved(place)[1:],
        ),
    ),
    backward=Backward(
        "the heads' columns",
        "Each head's gradients go back to the columns that it took.",
    ),
)
