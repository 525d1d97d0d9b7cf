"""What isn't whole yet lies beside its place, under a name that says so.

The name is short, so that it fits wherever a file has a name, and drawn at random: the number of
a process is no name, for in a container each is 1. Whoever writes in a folder has it locked, and
the system lets go of the lock when a process is killed. So what lies unfinished in a folder that
one has locked is left over, and is cleared away.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_UNFINISHED = ".attn-unfinished-"
_REPLACED = ".attn-replaced-"


def unfinished_name(folder: Path) -> Path:
    return folder / f"{_UNFINISHED}{os.urandom(8).hex()}"


def replaced_name(folder: Path) -> Path:
    """Where files are kept while others take their places. It is never cleared away by others."""
    return folder / f"{_REPLACED}{os.urandom(8).hex()}"


@contextmanager
def stage(folder: Path) -> Iterator[Path]:
    """A new folder in a folder, which is gone with all that is in it when the block is left."""
    path = unfinished_name(folder)
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Waits until none of us writes in a folder, and clears away what a killed one left there.

    Where a system or a file system has no locks for folders, nobody waits and nothing is cleared.
    """
    lock = _locked(folder)
    try:
        if lock is not None:
            _clear(folder)
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    try:
        import fcntl  # not on Windows

        opened = os.open(folder, os.O_RDONLY)
    except (ImportError, PermissionError):
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
    except BaseException as error:
        os.close(opened)
        if isinstance(error, OSError):
            return None
        raise
    return opened


def _clear(folder: Path) -> None:
    """Clears away what is unfinished and our own: in /tmp others could put something there."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(_UNFINISHED):
                continue
            if entry.stat(follow_symlinks=False).st_uid != os.geteuid():
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                Path(entry.path).unlink()
