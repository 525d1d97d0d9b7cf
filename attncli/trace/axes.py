"""The names along the rows and columns of a scenario's matrices."""

from __future__ import annotations

from attncli.scenario import Scenario
from attncli.scenario.declaration import BIASES
from attncli.trace.quantity import IDS, Axis, counted, told_apart

QUERIES, KEYS, TOKENS, DIMENSIONS, NONE = "Q", "K", "token", "dimension", ""
ENTRIES = "entry"
"""Rows of the embedding table, which are not in the order of the sentence."""

AXES: dict[str, tuple[str, str]] = {
    "X": (TOKENS, DIMENSIONS),
    "Q": (QUERIES, DIMENSIONS),
    "K": (KEYS, DIMENSIONS),
    "V": (KEYS, DIMENSIONS),
    **dict.fromkeys(("scores", "scaled", "exp", "weights"), (QUERIES, KEYS)),
    "exp_sum": (QUERIES, NONE),
    **dict.fromkeys(("output", "hidden", "activated", "ffn"), (QUERIES, DIMENSIONS)),
}
"""What the rows and the columns of each quantity are; all others have dimensions both ways."""


def axes_of(name: str, scenario: Scenario, shape: tuple[int, int]) -> tuple[Axis, Axis]:
    """The axes of a quantity of a shape."""
    rows, columns = AXES.get(name, (DIMENSIONS, DIMENSIONS))
    if name == "embeddings":
        role = IDS if scenario.by_id else ENTRIES
        return Axis(scenario.embedded, role), Axis(counted(shape[1]), DIMENSIONS)
    if name in BIASES:
        return Axis(("",), NONE), Axis(counted(shape[1]), DIMENSIONS)
    return _axis(rows, scenario, shape[0]), _axis(columns, scenario, shape[1])


def _axis(role: str, scenario: Scenario, size: int) -> Axis:
    if role == NONE:
        return Axis((), NONE)
    if role != DIMENSIONS and len(scenario.tokens) == size:
        return Axis(told_apart(scenario.tokens), role)
    return Axis(counted(size), role)
