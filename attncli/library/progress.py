"""A progress bar on standard error, for what lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 1.0
"""Seconds without a bar."""


class _Bar:
    """A bar on a terminal's standard error, from when something has lasted for a second."""

    def __init__(self, what: str, stack: ExitStack) -> None:
        self._what, self._stack = what, stack
        self._began, self._done = time.monotonic(), 0
        self._bar: Any = None

    def tell(self, done: int, count: int) -> None:
        """So much is done, of so much in all."""
        if self._bar is None:
            if not sys.stderr.isatty() or time.monotonic() - self._began < _PATIENCE:
                return
            import typer  # which a program without a terminal needn't have waited for

            bar = typer.progressbar(length=count, label=self._what, file=sys.stderr)
            self._bar = self._stack.enter_context(bar)
        self._bar.update(done - self._done)
        self._done = done


def watched(items: Iterable[T], count: int, what: str) -> Iterator[T]:
    """The items, with a bar on a terminal's standard error once they take longer than a second."""
    with ExitStack() as stack:
        bar = _Bar(what, stack)
        for done, item in enumerate(items, start=1):
            yield item
            bar.tell(done, count)


@contextmanager
def watching(what: str) -> Iterator[Callable[[int, int], None]]:
    """What may be told how much of something is done, and shows it once it lasts."""
    with ExitStack() as stack:
        yield _Bar(what, stack).tell
