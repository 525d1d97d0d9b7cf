"""Forms in groups, which are worked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from attncli.refusals import Refusal

T = TypeVar("T")


_AT_ONCE = 32


def in_groups(items: Iterable[T]) -> Iterator[list[T]]:
    """The items, some at a time; those before an error come before it."""
    rest = iter(items)
    while True:
        group: list[T] = []
        try:
            group.extend(islice(rest, _AT_ONCE))
        except Refusal:
            if group:
                yield group
            raise
        if group:
            yield group
        if len(group) < _AT_ONCE:
            return
