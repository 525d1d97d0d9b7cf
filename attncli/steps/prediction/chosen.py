"""Whose vectors the logits are made of: the last token's, the first one's, or each of them."""

from __future__ import annotations

from attncli.arithmetic.operations import TakeRows
from attncli.name import Name
from attncli.trace import Axis, Definition, Place
from attncli.trace.quantity import told_apart

_WHOSE = {"last": "The last token's vector", "first": "The first token's vector",
          "every": "Each token's vector"}  # fmt: skip


def chosen(place: Place, row: int | None = None) -> Definition | None:
    """The row of one token, by default of that which is asked for; None where all are."""
    which = place.scenario.prediction.which
    if which == "every":
        return None
    row = {"first": 0, "last": -1}[which] if row is None else row
    tokens = told_apart(place.text.tokens)
    count = len(tokens) or place.height(place.x) or 1
    name = tokens[row] if tokens else str(row % count + 1)
    operation = TakeRows((row % count,), (name,), which)
    return Definition(Name(which), operation, (place.x,), rows=Axis((name,), "Q"))


def whose(place: Place) -> str:
    """`The last token's vector`."""
    return _WHOSE[place.scenario.prediction.which]
