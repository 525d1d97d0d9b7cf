"""A progress bar on standard error, for what lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TypeVar

import typer

T = TypeVar("T")
_PATIENCE = 1.0
"""Seconds without a bar."""


def watched(items: Iterable[T], count: int, what: str) -> Iterator[T]:
    """The items, with a bar on a terminal's standard error once they take longer than a second."""
    began = time.monotonic()
    bar, done = None, 0
    with ExitStack() as stack:
        for k, item in enumerate(items):
            yield item
            if bar is None and sys.stderr.isatty() and time.monotonic() - began > _PATIENCE:
                bar = stack.enter_context(
                    typer.progressbar(length=count, label=what, file=sys.stderr)
                )
            if bar is not None:
                bar.update(k + 1 - done)
                done = k + 1
