"""Whether the matrices of a scenario fit together, before anything is worked out.

Each quantity's rows and columns come from something given: the columns of Q from W_Q, its
rows from the tokens. So each rule names the two given things whose extents must agree.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from attncli.scenario.problems import Problems
from attncli.scenario.scenario import Scenario

Axis = Literal["rows", "columns"]


class Extent(NamedTuple):
    """How long an axis is, and the given thing and its axis that make it so."""

    size: int
    given: str
    axis: Axis


class Rule(NamedTuple):
    """Two axes that must be equally long, and why."""

    left: tuple[str, Axis]
    right: tuple[str, Axis]
    why: str


_FROM: dict[tuple[str, Axis], tuple[str, Axis]] = {
    ("X", "rows"): ("tokens", "rows"),
    ("X", "columns"): ("embeddings", "columns"),
    **{(name, "rows"): ("X", "rows") for name in ("Q", "K", "V")},
    **{(name, "columns"): (f"W_{name}", "columns") for name in ("Q", "K", "V")},
    ("scores", "rows"): ("Q", "rows"),
    ("scores", "columns"): ("K", "rows"),
    ("scaled", "rows"): ("scores", "rows"),
    ("scaled", "columns"): ("scores", "columns"),
    ("weights", "rows"): ("scaled", "rows"),
    ("weights", "columns"): ("scaled", "columns"),
    ("output", "rows"): ("weights", "rows"),
    ("output", "columns"): ("V", "columns"),
}
"""Where each axis of a quantity comes from, when the quantity isn't given itself."""

RULES = (
    Rule(("tokens", "rows"), ("X", "rows"), "X has a row for each token"),
    *(
        Rule(("X", "columns"), (f"W_{name}", "rows"), f"{name} = X W_{name}")
        for name in ("Q", "K", "V")
    ),
    Rule(("Q", "columns"), ("K", "columns"), "scores = Q Kᵀ"),
    Rule(("K", "rows"), ("V", "rows"), "each key has its value"),
    *(
        Rule(("tokens", "rows"), (name, "rows"), f"{name} has a row for each token")
        for name in ("Q", "K", "V", "scores", "scaled", "weights", "output")
    ),
    *(
        Rule(("tokens", "rows"), (name, "columns"), f"{name} has a column for each token")
        for name in ("scores", "scaled", "weights")
    ),
    Rule(("weights", "columns"), ("V", "rows"), "output = weights V"),
    Rule(("output", "columns"), ("W1", "rows"), "hidden = output W1 + b1"),
    Rule(("W1", "columns"), ("b1", "columns"), "hidden = output W1 + b1"),
    Rule(("W1", "columns"), ("W2", "rows"), "ffn = activated W2 + b2"),
    Rule(("W2", "columns"), ("b2", "columns"), "ffn = activated W2 + b2"),
)


def check_shapes(scenario: Scenario, problems: Problems) -> None:
    """Says of every two given things that don't fit together what their shapes are."""
    for pair in _misfits(scenario).items():
        (left, right), why = pair
        problems.add(
            scenario.where(right.given),
            f"{_shape(scenario, right.given)} and {_shape(scenario, left.given)} don't fit"
            f" together ({why})",
            f"give {right.given} {_sized(left.size, right.axis)}"
            f" or {left.given} {_sized(right.size, left.axis)}",
        )
    _check_tokens(scenario, problems)


def _sized(size: int, axis: Axis) -> str:
    return f"{size} {axis if size != 1 else axis.removesuffix('s')}"


def _misfits(scenario: Scenario) -> dict[tuple[Extent, Extent], str]:
    """The extents that disagree, with the first rule that says so."""
    misfits: dict[tuple[Extent, Extent], str] = {}
    for rule in RULES:
        left, right = _extent(scenario, rule.left), _extent(scenario, rule.right)
        if left is not None and right is not None and left.size != right.size:
            misfits.setdefault((left, right), rule.why)
    return misfits


def _extent(scenario: Scenario, axis: tuple[str, Axis]) -> Extent | None:
    name, side = axis
    if name == "tokens":
        return Extent(len(scenario.tokens), "tokens", "rows") if scenario.tokens else None
    matrix = scenario.embeddings if name == "embeddings" else scenario.given.get(name)
    if matrix is not None:
        return Extent(matrix.shape[0 if side == "rows" else 1], name, side)
    return _extent(scenario, _FROM[axis]) if axis in _FROM else None


def _shape(scenario: Scenario, name: str) -> str:
    if name == "tokens":
        count = len(scenario.tokens)
        return f"the sentence of {count} token{'' if count == 1 else 's'}"
    matrix = scenario.embeddings if name == "embeddings" else scenario.given[name]
    assert matrix is not None
    rows, columns = matrix.shape
    return f"{name} ({rows} × {columns})"


def _check_tokens(scenario: Scenario, problems: Problems) -> None:
    if scenario.sentence is not None and not scenario.tokens and not problems.found:
        problems.add(scenario.where("sentence"), "the sentence has no tokens", "write some words")
