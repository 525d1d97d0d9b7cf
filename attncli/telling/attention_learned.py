"""Whom a head learns to attend to: the weight of the token that is the right answer, before
training and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Number
from attncli.document import Block, Note
from attncli.name import GRADIENTS
from attncli.scenario.training import updates_before
from attncli.trace import Quantity, Trace


class RightWeight(NamedTuple):
    """A cell of attention weights: a query, from 0, and the key that its target is."""

    weights: Quantity
    query: int
    key: int

    @property
    def address(self) -> str:
        return self.weights.address(self.query, self.key)

    def told(self, numbers: Sequence[Number]) -> list[Block]:
        """What became of it."""
        before, after = numbers[0], numbers[-1]
        if before.shown == after.shown:
            return []
        grew = "grew" if after.shown > before.shown else "fell"
        symbol = self.weights.symbol(self.query, self.key)
        said = f", {grew} from "
        return [Note(("The weight of the right token, ", symbol, said, before, " to ", after, "."))]


def right_weight(trace: Trace) -> RightWeight | None:
    """The weight that the asked token gives to the one that is its target; None where there is no
    such key, or more than one head."""
    prediction = trace.scenario.prediction
    found = [one for one in trace.quantities.values() if _is_attention(one)]
    if len(found) != 1 or prediction.every or len(prediction.counted) != 1:
        return None
    (weights,), (place,) = found, prediction.counted
    target, keys = prediction.targets[place], weights.columns.names
    if prediction.targets_in_numbers or target not in keys:
        return None
    query = 0 if prediction.first else len(weights.values) - 1
    return RightWeight(weights, query, keys.index(target))


def _is_attention(quantity: Quantity) -> bool:
    name = quantity.name
    first = not updates_before(name) and not name.inside(GRADIENTS)
    return first and name.local == "weights" and quantity.columns.role == "K"
