"""Signals that end a process, while something is being written."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDING = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
    if name in signal.Signals.__members__  # Windows has the first two
)

Stop = Callable[[], None]
"""Raises InterruptedError if a signal has come."""


@contextmanager
def held() -> Iterator[Stop]:
    """Holds signals until the block is left, so that it can clear up; then they do what they do.

    They are caught and not masked: a masked signal goes to another thread, of which NumPy has
    some, and ends the process there.
    """
    came: list[int] = []
    before = {one: signal.getsignal(one) for one in _ENDING if _can_be_caught(one)}
    for one in before:
        signal.signal(one, lambda number, _: came.append(number))

    def stop() -> None:
        if came:
            raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))

    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in came:
            signal.raise_signal(number)


def _can_be_caught(one: signal.Signals) -> bool:
    """Python catches signals in the main thread only; one that is ignored (`nohup`) stays so."""
    here = threading.current_thread() is threading.main_thread()
    return here and signal.getsignal(one) not in (None, signal.SIG_IGN)
