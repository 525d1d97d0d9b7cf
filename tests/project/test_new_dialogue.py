"""What `attn new` asks in a terminal, and what it makes of good and bad answers."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from time import sleep

LEAVE, END = "\x03", "\x04"
PROMPT = "] "


def asked(folder: Path, *answers: str, words: Sequence[str] = ("new",)) -> tuple[int, list[str]]:
    """Types answers into a terminal, each when it is asked for. The status, and the lines there
    behind those that offer what there is."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(theirs)
    left, read = [*answers], b""
    try:
        while piece := os.read(ours, 4096):
            read += piece
            if left and read.decode().endswith(PROMPT):
                answer = left.pop(0)
                if answer == LEAVE:
                    sleep(0.1)  # until it reads: a signal before is seen with the next key
                os.write(ours, (answer if answer in (LEAVE, END) else f"{answer}\n").encode())
    except OSError:  # how a terminal on Linux ends
        pass
    os.close(ours)
    return process.wait(), read.decode().splitlines()[3:]


RUN = f"""
import fcntl, runpy, sys
fcntl.ioctl(0, {termios.TIOCSCTTY}, 0)  # so that keys become signals
sys.argv[0] = "attn"
runpy.run_module("attncli", run_name="__main__")
"""


def test_a_kind_is_asked_for_until_there_is_one(tmp_path: Path) -> None:
    status, lines = asked(tmp_path, "7", "", "exm", "exam", "a b.yaml")
    again = "Say a number from 1 to 3, or scenario, exercise, exam."
    which = "Which one? [1 to 3] "
    assert lines[:8] == [
        f"{which}7", again, which, again, f"{which}exm", again, f"{which}exam",
        "File? [exam.yaml] a b.yaml",
    ]  # fmt: skip
    assert (
        lines[8] == "a b.yaml is written; `attn exam 'a b.yaml' -o 'a b'/` makes all that it takes"
    )
    assert status == 0
    assert {path.name for path in tmp_path.iterdir()} == {"a b.yaml", "attncli.exam.schema.json"}


def test_a_place_is_asked_for_until_a_file_can_go_there(tmp_path: Path) -> None:
    """The usual name is one that isn't taken."""
    (tmp_path / "mine.yaml").write_text("mine", "utf-8")
    status, lines = asked(tmp_path, "1", "mine.yaml", "no/x.yaml", str(tmp_path), "")
    file = "File? [mine_2.yaml] "
    assert lines[1:7] == [
        f"{file}mine.yaml", "mine.yaml: exists already; choose another name, or add --force",
        f"{file}no/x.yaml", "no/x.yaml: there is no folder no; choose another place",
        f"{file}{tmp_path}", f"{tmp_path}: is a folder; name a file in it",
    ]  # fmt: skip
    assert status == 0
    assert (tmp_path / "mine.yaml").read_text("utf-8") == "mine"
    assert "title:" in (tmp_path / "mine_2.yaml").read_text("utf-8")


def test_who_forces_it_is_offered_the_name_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "exercise.yaml").write_text("mine", "utf-8")
    status, lines = asked(tmp_path, "2", "", words=("new", "--force"))
    assert (status, lines[1]) == (0, "File? [exercise.yaml] ")
    assert "scenario:" in (tmp_path / "exercise.yaml").read_text("utf-8")


def test_who_leaves_has_written_nothing(tmp_path: Path) -> None:
    """By Ctrl-D, which is no answer, and by Ctrl-C. What follows stands on a line of its own."""
    told = "attn new: nothing is written; say which file, or name one like `attn new mine.yaml`"
    assert asked(tmp_path, "2", END) == (
        2,
        ["Which one? [1 to 3] 2", "File? [exercise.yaml] ", told],
    )
    assert asked(tmp_path, LEAVE) == (130, ["Which one? [1 to 3] ^C"])
    assert [*tmp_path.iterdir()] == []
