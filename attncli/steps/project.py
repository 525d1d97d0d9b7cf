"""Queries, keys and values (Vaswani et al. 2017, arXiv:1706.03762, 3.2.2)."""

from __future__ import annotations

from attncli.name import Name, below
from attncli.steps.linear import linear
from attncli.steps.step import Mistake, Step
from attncli.trace import Making, Scope

_NAMES = ("Q", "K", "V")
_SEPARATE = {"Q": "queries", "K": "keys", "V": "values"}
ROLES = {"Q": "Q", "K": "K", "V": "K"}


def _input(scope: Scope, name: str) -> Name:
    """What Q, K or V is made of: the memory for keys and values that come from one."""
    separate = below(scope.stack.path, _SEPARATE[name])
    if scope.separate and scope.scenario.gives(separate):
        return separate
    return scope.x if name == "Q" or not scope.beside else scope.beside


def _making(scope: Scope, name: str) -> Making:
    x = _input(scope, name)
    cached = name != "Q" and scope.attention.cached is not None
    made = f"{name}_new" if cached else name
    if not scope.attention.projects:
        from attncli.arithmetic.operations import Same

        making = Making(scope.name(made), Same(), (x,), "project")
    else:
        making = linear(scope, made, x, f"_{name}", "project", out_in=scope.attention.linear)
    return making._replace(role=ROLES[name])


def _plan(scope: Scope) -> tuple[Making, ...]:
    makings = [_making(scope, name) for name in _NAMES]
    if scope.attention.cached is not None:
        makings += [_joined(scope, name) for name in ("K", "V")]
    return tuple(makings)


def _joined(scope: Scope, name: str) -> Making:
    """The cached rows above the new ones."""
    from attncli.arithmetic.operations import JoinRows

    rows = (below(scope.name("cache"), name), scope.name(f"{name}_new"))
    return Making(scope.name(name), JoinRows(), rows, "project", role="K")


def _transposed(name: str) -> Mistake:
    def making(scope: Scope) -> Making | None:
        if not scope.attention.projects:
            return None
        made = f"{name}_new" if name != "Q" and scope.attention.cached is not None else name
        out_in = not scope.attention.linear
        making = linear(scope, made, _input(scope, name), f"_{name}", "project", out_in=out_in)
        return making._replace(role=ROLES[name])

    return Mistake(
        f"W_{name}_transposed",
        f"Multiplying by the rows of W_{name} instead of its columns, which is X W_{name}ᵀ.",
        making,
    )


def _happens(scope: Scope) -> str:
    if not scope.attention.projects:
        return "Without weight matrices, the inputs themselves are queries, keys and values."
    separate = any(scope.scenario.gives(below(scope.stack.path, x)) for x in _SEPARATE.values())
    embedded = scope.layer.block == "attention" and not separate
    source = "Each embedding" if embedded else "Each input"
    told = f"{source} is multiplied by three weight matrices"
    if scope.beside:
        told = "Queries are made of the tokens, keys and values of the memory"
    if scope.attention.cached is not None:
        told += "; the cached keys and values of the tokens before come first"
    return f"{told}."


STEP = Step(
    name="project",
    title="Queries, keys, values",
    per_head=True,
    makes=(*_NAMES, "K_new", "V_new"),
    shapes="X [n, d_model] → Q [n, d_k], K [n, d_k], V [n, d_v]",
    happens=_happens,
    purpose=(
        "Every token plays three parts. Its query says what it looks for, its key what it"
        " offers to the others, its value what it passes on when it is attended to. Three"
        " learned matrices draw them from the same embedding."
    ),
    plan=_plan,
    mistakes=tuple(map(_transposed, _NAMES)),
    together=(("X", "Embedding"), ("Q", "Query"), ("K", "Key"), ("V", "Value")),
)
