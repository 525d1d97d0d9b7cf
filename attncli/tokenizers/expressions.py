"""Regular expressions that somebody else wrote, looked for within a time.

`re` tries all ways in which an expression may match; of `(a+)+$` there are twice as many with each
letter, and nothing ends the trial from within. So it is made in a process of its own, which is
ended when the time is over.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

Span = tuple[int, int]
"""Where a match begins and ends."""

SECONDS = 5.0
"""The seconds that all expressions of one tokenizer may take together."""
LONGEST_PATTERN = 4_000
LONGEST_TEXT = 100_000
"""The most characters of a text while it is normalized and cut."""

_SERVANT = """
import json, re, signal, sys, time
print("ready", flush=True)
for line in sys.stdin:
    pattern, text, seconds = json.loads(line)
    if hasattr(signal, "alarm"):  # lest it goes on when nobody waits any more
        signal.alarm(int(seconds) + 2)
    began = time.process_time()
    try:
        answer = [match.span() for match in re.finditer(pattern, text)]
    except Exception as error:
        answer = str(error)
    if hasattr(signal, "alarm"):
        signal.alarm(0)
    print(json.dumps([answer, time.process_time() - began]), flush=True)
"""


class TooMuchError(Exception):
    """The error of what takes too long, or makes a text too long, with what is wrong and what would
    be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(wrong)


class Allowance:
    """The seconds that some expressions have together. Only the time of the search itself counts,
    whatever else the machine does."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds


_SHARED: ContextVar[Allowance] = ContextVar("_SHARED")


@contextmanager
def sharing_time() -> Iterator[None]:
    """Lets the expressions that are made in the block share one allowance of time."""
    token = _SHARED.set(Allowance(SECONDS))
    try:
        yield
    finally:
        _SHARED.reset(token)


class TimedExpression:
    """A regular expression whose search is ended when its time is over."""

    def __init__(self, pattern: str, written: str) -> None:
        """Takes an expression as `re` writes it, and as it was `written`. Raises ValueError for
        what is no expression."""
        self._pattern, self._written = pattern, written
        self._allowance = _SHARED.get(Allowance(SECONDS))
        self._known: dict[str, Sequence[Span]] = {}
        self.spans("")

    def spans(self, text: str) -> Sequence[Span]:
        """Returns where the expression matches in a text. Raises TooMuchError where that takes too
        long."""
        if text not in self._known:
            self._known[text] = self._looked_for(text)
        return self._known[text]

    def _looked_for(self, text: str) -> Sequence[Span]:
        try:
            found, seconds = _SERVANTS.ask(self._pattern, text, self._allowance.left)
        except TimeoutError:
            wrong = f"the regular expression {self._written} takes more than {SECONDS:g} seconds"
            raise TooMuchError(wrong, "give another tokenizer, or the tokens") from None
        self._allowance.left -= seconds
        return found


class _Servants:
    """The process that searches for expressions, one for each process that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, subprocess.Popen[str]] = {}

    def ask(self, pattern: str, text: str, seconds: float) -> tuple[Sequence[Span], float]:
        """Returns where the pattern matches, and how many seconds that took. Raises TimeoutError,
        and ValueError for what is no pattern."""
        if seconds <= 0:
            raise TimeoutError
        with self._lock:
            answer, took = self._answer(json.dumps([pattern, text, seconds]), seconds)
        if isinstance(answer, str):
            raise ValueError(answer)
        return [(start, end) for start, end in answer], took

    def _answer(self, question: str, seconds: float) -> tuple[str | Sequence[Span], float]:
        process = self._running.get(os.getpid()) or _begun()
        self._running = {}  # unless it answers in time
        end = threading.Timer(seconds, process.kill)
        end.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(question + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        except BaseException:
            process.kill()
            raise
        finally:
            end.cancel()
        if not line:
            process.kill()
            process.communicate()
            raise TimeoutError
        self._running = {os.getpid(): process}
        answer, took = json.loads(line)
        return answer, took


def _begun() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SERVANT],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    return process


_SERVANTS = _Servants()


def check_length(length: int) -> None:
    """Raises TooMuchError where a text has become too long."""
    if length > LONGEST_TEXT:
        wrong = f"the text that it cuts comes to more than {LONGEST_TEXT:,} characters"
        raise TooMuchError(wrong, "give a shorter text, or another tokenizer")
