"""Pages that are longer than the screen, in a terminal of 24 lines."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pytest

from tests.conftest import share

LONG, SHORT = ("run", "i_love_ai"), ("run", "i_love_ai", "--cell", "weights[love, AI]")


def in_terminal(words: tuple[str, ...], **env: str) -> str:
    """What a command prints in a terminal of 24 lines and 80 columns."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "attncli", *words],
        stdin=theirs,
        stdout=theirs,
        env={**os.environ, "TERM": "xterm", **env},
    )
    os.close(theirs)
    read = b""
    try:
        while piece := os.read(ours, 4096):
            read += piece
    except OSError:  # how a terminal on Linux ends
        pass
    os.close(ours)
    assert process.wait() == 0
    return read.decode()


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that says how many lines it got."""
    script = tmp_path / "pager.py"
    script.write_text("import sys\nprint('PAGED', sys.stdin.read().count('\\n'))\n")
    return f"{sys.executable} {script}"


def test_a_long_page_goes_to_the_pager(pager: str) -> None:
    printed = in_terminal(LONG, ATTN_PAGER=pager)
    assert printed.startswith("PAGED ")
    assert int(printed.split()[1]) > 200


@pytest.mark.parametrize(
    ("words", "named"),
    share(
        2,
        [(SHORT, ""), ((*LONG, "--no-pager"), ""), (LONG, "nothing"), (LONG, "cat")],
        "printed at once",
    ),
)
def test_what_is_printed_at_once(words: tuple[str, ...], named: str, pager: str) -> None:
    """What fits on the screen, what is asked for without a pager, and where there is none."""
    printed = in_terminal(words, ATTN_PAGER=named or pager)
    assert "PAGED" not in printed
    assert "0.576" in printed
