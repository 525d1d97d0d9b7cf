"""Runs command lines, each in a process of its own that has everything imported already.

`python -m tests.fuzzing.worker` reads a folder, a width and arguments a line, as JSON; it answers
with the status of the process (negative: the signal that ended it), its seconds and its
megabytes. What the process wrote is in the files `stdout` and `stderr` beside its folder.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, NoReturn

from tests.fuzzing import warm

SECONDS = 10
"""Of computing. Of time, where others compute as well, ten times as much."""
MEMORY = 1 << 30
"""Bytes that a run may ask for beyond what the program itself takes."""


class Outcome(NamedTuple):
    """What became of a run."""

    status: int
    seconds: float
    megabytes: float
    stdout: bytes
    stderr: bytes


class Worker:
    """A process that runs command lines; to be used in a `with`."""

    def __enter__(self) -> Worker:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.communicate()

    def run(self, folder: Path, columns: int, arguments: list[str]) -> Outcome:
        """Runs `attn` with arguments in a folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([str(folder), columns, arguments]), file=self._process.stdin, flush=True)
        used = json.loads(self._process.stdout.readline())
        written = ((folder.parent / name).read_bytes() for name in ("stdout", "stderr"))
        return Outcome(*used, *written)


def serve() -> None:
    """Answers each line of standard input."""
    warm.everything()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(_outcome(*json.loads(line))), flush=True)


def _outcome(folder: str, columns: int, arguments: list[str]) -> tuple[int, float, float]:
    pid = os.fork()
    if pid == 0:
        _become(folder, columns, arguments)
    _, status, used = os.wait4(pid, 0)
    seconds = used.ru_utime + used.ru_stime
    return os.waitstatus_to_exitcode(status), round(seconds, 3), used.ru_maxrss // 1024


def _become(folder: str, columns: int, arguments: list[str]) -> NoReturn:
    """The program itself, as `attn` would be."""
    os.chdir(folder)
    for number, name, mode in (
        (0, os.devnull, "rb"),
        (1, "../stdout", "wb"),
        (2, "../stderr", "wb"),
    ):
        with Path(name).open(mode) as file:
            os.dup2(file.fileno(), number)
    os.environ["COLUMNS"] = str(columns)
    sys.argv = ["attn", *arguments]
    limit()
    os._exit(_status())


def limit(seconds: float = SECONDS, memory: int = MEMORY) -> None:
    """Ends this process by a signal when its time is up, and gives it no more memory than that."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _status() -> int:
    status: object = 0
    try:
        warm.group()(prog_name="attn")
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
        status = 1
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    return status if isinstance(status, int) else int(status is not None)


if __name__ == "__main__":
    serve()
