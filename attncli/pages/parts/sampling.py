"""What a temperature does to a draw of the next token, and doesn't to the greedy choice."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import numpy as np

from attncli.document.blocks import Block, Callout, Spans
from attncli.equations.tree import Number
from attncli.file.problems import ScenarioError
from attncli.names import Name
from attncli.numbers import decimals
from attncli.pages.parts.pictures import tempered_by
from attncli.pages.parts.sentences import called_as
from attncli.steps.prediction.logits import TEMPERATURE
from attncli.trace import Quantity, Trace

_COOLER, _WARMER = Decimal("0.5"), Decimal(2)
_GREEDY = "The temperature changes no greedy choice: the largest logit stays the largest."


def on_temperature(trace: Trace) -> list[Block]:
    """How many of 100 draws are of the likeliest token, at the temperature and at one on the other
    side of 1."""
    own, name = trace.scenario.prediction.config.get(TEMPERATURE), Name("tempered", Name("next"))
    shares = trace.next_token
    if own is None or shares is None or name not in trace:
        return []
    other = _COOLER if own > 1 else _WARMER
    order = np.argsort(-trace[name].values[-1], kind="stable").tolist()
    try:
        others = tempered_by(trace, name, other, shares.name)
    except ScenarioError:  # exponentials that get too large
        return []
    now, then = (_of_100(q, order[:1]) for q in (shares, others))
    if now.shown == then.shown:
        return [Callout((_GREEDY,))]
    drawn: Spans = (
        " It matters where the next token is drawn. Of 100 draws about ", now, " would be ",
        *called_as(shares.columns.names, order[0]), " at temperature ", Number.written(own),
        ", and ", then, " at ", Number.written(other), ".",
    )  # fmt: skip
    return [Callout((_GREEDY, *drawn, *_of_the_rest(shares, others, order)))]


def _of_the_rest(shares: Quantity, others: Quantity, order: list[int]) -> Spans:
    """`Draws of neither “alone” nor “home” rise from 9 to 37.`"""
    first, second, *rest = order
    now, then = (_of_100(q, rest) for q in (shares, others))
    if now.shown == then.shown:
        return ()
    a, b = (called_as(shares.columns.names, j) for j in (first, second))
    verb = "rise" if then.shown > now.shown else "fall"
    return (" Draws of neither ", *a, " nor ", *b, f" {verb} from ", now, " to ", then, ".")


def _of_100(shares: Quantity, places: Iterable[int]) -> Number:
    """How many of 100 draws are of some tokens, from the digits shown."""
    row = shares.matrix.shape[0] - 1
    total = decimals.total(shares.matrix.shown(row, j) for j in places)
    return Number.written(decimals.round_to(decimals.product(total, Decimal(100)), 0))
