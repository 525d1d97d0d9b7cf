"""Progress on a terminal's standard error: what is being done, its share, and for how long.

Nothing goes to files and pipes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock, Timer
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds in which nothing is shown."""


class Lasting:
    """A piece of work that may last, shown from when it has."""

    def __init__(self, what: str) -> None:
        self._told: dict[str, object] = {"description": what, "total": None, "completed": 0}
        self._whole = self._told
        self._lock, self._shown, self._task = Lock(), None, 0
        self._is_over = False
        self._timer = Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def tell(self, what: str, done: int, count: int) -> None:
        """Shows that so much of something is done, of so much in all."""
        self._tell({"description": what, "total": count, "completed": done})

    def go_on(self) -> None:
        """Shows that a part is done; of the whole it isn't known how much."""
        self._tell(self._whole)

    def _tell(self, told: dict[str, object]) -> None:
        with self._lock:
            self._told = told
            if self._shown is not None:
                self._shown.reset(self._task, **told)

    def stop(self) -> None:
        """Takes away what is shown, before anything else is written there."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._shown is not None:
                self._shown.stop()
                self._shown = None

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        said = TextColumn("{task.description}", markup=False)
        columns = (SpinnerColumn(), said, BarColumn(), TimeElapsedColumn())
        with self._lock:
            if self._is_over:
                return
            shown: Any = Progress(
                *columns,
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = shown.add_task(**self._told)
            shown.start()
            self._shown = shown


_current: list[Lasting] = []
"""What lasts by now, of which all that is told is shown in one line."""


@contextmanager
def lasting(what: str) -> Iterator[Callable[[], None]]:
    """Shows that something lasts, if it does; what it gives stops that before the block ends."""
    if _current or not _is_terminal():
        yield lambda: None
        return
    shown = Lasting(what)
    _current.append(shown)
    try:
        yield shown.stop
    finally:
        _current.remove(shown)
        shown.stop()


def show_no_more() -> None:
    """Shows no more of what lasts, as somebody is asked something."""
    for shown in _current:
        shown.stop()


def _is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def watching(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that is told how much of something is done, and shows it once it lasts."""
    with ExitStack() as stack:
        stack.enter_context(lasting(what))

        def tell(done: int, count: int) -> None:
            for shown in _current:
                shown.tell(what, done, count)

        try:
            yield tell
        finally:
            for shown in _current:
                shown.go_on()


def watched(items: Iterable[T], count: int, what: str) -> Iterator[T]:
    """Yields the items, with a bar once they last."""
    with watching(what) as tell:
        for done, item in enumerate(items, start=1):
            yield item
            tell(done, count)
