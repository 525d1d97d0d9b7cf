"""Work that is done in several processes, where a system has them at little cost."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """How many processes may run at once; 1 where a process can't be had as a copy of this one,
    with all that it knows, without danger."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def side_by_side(work: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
    """The items, each with what is made of it, in their order. The first is worked here, so that
    others begin with what it found out."""
    rest, most = iter(items), cores()
    for first in rest:
        yield first, work(first)
        break
    running: deque[_Running[T, R]] = deque()
    try:
        for item in rest:
            running.append(_Running.started(work, item))
            if len(running) == most:
                yield running.popleft().done()
        while running:
            yield running.popleft().done()
    finally:
        for one in running:
            one.process.terminate()


@dataclass(frozen=True)
class _Running(Generic[T, R]):
    """A process at work."""

    work: Callable[[T], R]
    item: T
    process: BaseProcess
    told: Connection

    @classmethod
    def started(cls, work: Callable[[T], R], item: T) -> _Running[T, R]:
        from multiprocessing import get_context

        system = get_context("fork")
        told, telling = system.Pipe(duplex=False)
        process = system.Process(target=_tell, args=(work, item, telling), daemon=True)
        process.start()
        telling.close()  # here, so that an end there is heard
        return cls(work, item, process, told)

    def done(self) -> tuple[T, R]:
        """What is made of the item; where the process fails, made here, to fail as it does here."""
        try:
            made: Any = pickle.loads(self.told.recv_bytes())
        except (EOFError, OSError):
            made = self.work(self.item)
        self.told.close()
        self.process.join()
        return self.item, made


def _tell(work: Callable[[T], R], item: T, telling: Connection) -> None:
    """What another process does; it tells nothing of an error, nor of an interruption."""
    with suppress(BaseException):
        telling.send_bytes(pickle.dumps(work(item)))
