"""What a scenario says of training: by which loss, which parameters, and how they are updated."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from attncli.name import TOP, Name, below

_NOTHING: Mapping[str, Decimal] = MappingProxyType({})


class Training(NamedTuple):
    """How parameters are trained: `of` names those, or is empty for all; `settings` are those of
    the optimizer, as far as they are said."""

    learning_rate: Decimal
    optimizer: str = "sgd"
    steps: int = 1
    of: tuple[str, ...] = ()
    clip: Decimal | None = None
    settings: Mapping[str, Decimal] = _NOTHING


UPDATES = "update"
"""The place of the updated parameters: `update.W_Q`."""


def after_updates(count: int) -> Name:
    """The place of all that is worked with the parameters after so many updates: `train[1]`."""
    return below(TOP, "train", count) if count else TOP


def updates_before(name: Name) -> int:
    """After how many updates a quantity, or a place, is worked."""
    first = name.places[0] if name else TOP
    return first.number or 0 if first.local == "train" else 0
