"""Characters as a reader sees them, which may be several of Unicode's."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def clustered(text: str, continues: Callable[[str, str], bool]) -> Iterator[str]:
    """The parts of a text that begin where a character doesn't continue what is before it."""
    cluster = ""
    for character in text:
        if cluster and continues(cluster, character):
            cluster += character
            continue
        if cluster:
            yield cluster
        cluster = character
    if cluster:
        yield cluster
