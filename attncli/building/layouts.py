"""Weights that are kept the other way round than a file says: one thing that is wrong, and not
one for each matrix that doesn't fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attncli.file.nodes import Map, Scalar
from attncli.file.problems import ScenarioError
from attncli.refusals import Problem

_KEY = "weights_layout"


def in_other_layout(
    tree: Map, found: Sequence[Problem], is_fine: Callable[[Map], bool]
) -> list[Problem]:
    """What was found wrong with a tree; where nothing would be, if it said that its weights are
    kept the other way round, just that."""
    said = tree.get(_KEY)
    linear = isinstance(said, Scalar) and said.text == "linear"
    where = min(found).where if said is None else said.where
    other = (Scalar(_KEY, where), Scalar("row" if linear else "linear", where))
    rest = tuple(entry for entry in tree.entries if entry[0].text != _KEY)
    try:
        fine = is_fine(Map((*rest, other), tree.where))
    except ScenarioError:
        fine = False
    if not fine:
        return [*found]
    kept = ("in × out", "out × in, as PyTorch keeps them")
    wrong = f"the weights fit only as {kept[not linear]}, and are taken as {kept[linear]}"
    right = "leave weights_layout out" if linear else "add weights_layout: linear"
    return [Problem(where, wrong, right)]
