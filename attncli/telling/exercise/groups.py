"""Forms in groups, which are worked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from attncli.refusals import Refusal

T = TypeVar("T")


_AT_ONCE = 32


def in_groups(items: Iterable[T], first: int = _AT_ONCE) -> Iterator[list[T]]:
    """The items, some at a time, so many of them `first`; those before an error come before it."""
    rest, count = iter(items), first
    while True:
        group: list[T] = []
        try:
            group.extend(islice(rest, count))
        except Refusal:
            if group:
                yield group
            raise
        if group:
            yield group
        if len(group) < count:
            return
        count = _AT_ONCE
