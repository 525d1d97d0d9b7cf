"""Forms in groups, which are worked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from attncli.refusals import Refusal

T = TypeVar("T")


def in_groups(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items, so many at a time; those before an error come before it."""
    rest = iter(items)
    while True:
        group: list[T] = []
        try:
            group.extend(islice(rest, size))
        except Refusal:
            yield group
            raise
        yield group
        if len(group) < size:
            return
