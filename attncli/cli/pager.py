"""Pages longer than the screen, in a pager as those of `git log`, with the way back to contents."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_USUAL = "less"
_OPTIONS = "FRX"
"""A page that fits is printed, colours are kept, and what was read stays on the screen."""
_FOOT = r"-Psg\: contents, /\: search, h\: help, q\: leave  ?pB%pB\%."
"""What `less` says at its foot; some marks mean something to it."""


class _KeptText(io.StringIO):
    """A text for a terminal, kept until it is whole."""

    def isatty(self) -> bool:
        return True

    @property
    def buffer(self) -> Any:  # noqa: ANN401
        """Returns where bytes go, which aren't kept: standard output; None if that takes none."""
        return getattr(sys.__stdout__, "buffer", None)


@contextmanager
def paged(*, off: bool = False) -> Iterator[None]:
    """Shows in a pager what is written to a terminal meanwhile, if it is longer than the screen;
    `ATTN_PAGER` or `PAGER` names another pager, and an empty one or `cat` means none."""
    command = [] if off or not _is_terminal() else _pager()
    if not command:
        yield
        return
    terminal, kept = sys.stdout, _KeptText()
    sys.stdout = kept
    try:
        yield
    finally:
        sys.stdout = terminal
        text = kept.getvalue()
        if _fits(text) or not _shown(text, command):
            sys.stdout.write(text)
            sys.stdout.flush()


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _fits(text: str) -> bool:
    from shutil import get_terminal_size

    return text.count("\n") < get_terminal_size().lines


def _pager() -> list[str]:
    """Returns the words that start the pager; none where there is none."""
    import shlex
    from shutil import which

    named = os.environ.get("ATTN_PAGER", os.environ.get("PAGER", _USUAL))
    words = shlex.split(named)
    if not words or words[0] == "cat" or which(words[0]) is None:
        return []
    return [*words, _FOOT] if words == [_USUAL] else words


def _shown(text: str, command: list[str]) -> bool:
    """Shows a text in the pager, and tells whether that worked."""
    import subprocess

    settings = {"LESS": _OPTIONS, "LESSCHARSET": "utf-8"}
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=settings | os.environ)
    except OSError:
        return False
    with suppress(KeyboardInterrupt):
        pager.communicate(text.encode("utf-8", errors="backslashreplace"))
    while pager.returncode is None:
        with suppress(KeyboardInterrupt):
            pager.wait()
    return True
