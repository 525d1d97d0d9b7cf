"""Writing one file."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from attncli.writing.contents import (
    Contents,
    OutputError,
    Pieces,
    check_named,
    encoded,
    exists,
    gathered,
    told,
    unsupported,
)

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


_UNFINISHED = ".attn-unfinished-"
_REPLACED = ".attn-replaced-"


def _unfinished_name(folder: Path) -> Path:
    """A name that is short, so that it fits wherever a file has a name, and drawn at random: the
    number of a process is no name, for in a container each is 1. Whoever writes in a folder has it
    locked, and the system lets go of the lock when a process is killed. So what lies unfinished in
    a folder that one has locked is left over, and is cleared away."""
    return folder / f"{_UNFINISHED}{os.urandom(8).hex()}"


def replaced_name(folder: Path) -> Path:
    """Where files are kept while others take their places. It is never cleared away by others."""
    return folder / f"{_REPLACED}{os.urandom(8).hex()}"


@contextmanager
def stage(folder: Path) -> Iterator[Path]:
    """A new folder in a folder, which is gone with all that is in it when the block is left."""
    path = _unfinished_name(folder)
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


Parts = Callable[[], Iterable[bytes]]
"""What a file gets, as often as it takes to write it."""
_AT_ONCE = 2**20
_OPEN_FILES = Path("/proc/self/fd")
"""Where Linux has the files that a process has open, by which those without a name are linked."""


def check_free(output: str, *, force: bool) -> None:
    """Raises OutputError for what is no name of a file, and where a file is in the way."""
    check_named(output)
    with told(output):
        if Path(output).is_dir():
            raise OutputError.of(output, "is a folder", "name a file in it")
        if Path(output).is_file() and not force:
            raise exists(output)


def write_file(output: str, text: Contents | Pieces, *, force: bool) -> None:
    """Writes a file whole or not at all, and over an existing one only with `force`; a device or
    a pipe, such as /dev/null, takes what comes. Raises OutputError."""
    check_free(output, force=force)
    with told(output):
        if Path(output).exists() and not Path(output).is_file():
            with Path(output).open("wb") as stream:
                stream.writelines(_encoded_pieces(text))
            return
        path = Path(os.path.realpath(output))
        with _made(text, path.parent) as parts, alone(path.parent), held():
            _put(parts, path, force=force)


@contextmanager
def _made(text: Contents | Pieces, folder: Path) -> Iterator[Parts]:
    """The bytes of a file, as often as they are asked for. What comes in pieces is first made as a
    file without a name: that may take long, and nothing holds a signal then."""
    if isinstance(text, str | bytes):
        yield partial(iter, (encoded(text),))
        return
    from tempfile import TemporaryFile

    with TemporaryFile(dir=folder) as file:
        file.writelines(_encoded_pieces(text))
        yield partial(_from_start, file)


def _from_start(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    return iter(partial(file.read, _AT_ONCE), b"")


def _encoded_pieces(text: Contents | Pieces) -> Iterator[bytes]:
    return map(encoded, (text,) if isinstance(text, str | bytes) else gathered(text))


def _put(parts: Parts, path: Path, *, force: bool) -> None:
    """Without a name nothing is left of a file even if we are killed; where the system can't do
    that, it has a name until it is whole."""
    try:
        _put_nameless(parts, path, force=force)
    except FileExistsError:
        raise
    except OSError:
        _put_named(parts, path, force=force)


def _put_nameless(parts: Parts, path: Path, *, force: bool) -> None:
    if not hasattr(os, "O_TMPFILE"):
        raise unsupported()
    with open(os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb") as file:  # noqa: PTH123
        fill(file, parts())
        source = _OPEN_FILES / str(file.fileno())
        if not force:
            _link_open(source, path)
            return
        copy_mode(path, source)
        named = _unfinished_name(path.parent)  # no system links a file over another
        _link_open(source, named)
        try:
            named.replace(path)
        finally:
            named.unlink(missing_ok=True)


def _link_open(source: Path, place: Path) -> None:
    """Links an open file. Only beside a folder's descriptor does Python link what a path of /proc
    leads to, and not the path itself; an absolute path makes no use of it, so any number does."""
    os.link(source, place, src_dir_fd=0)


def _put_named(parts: Parts, path: Path, *, force: bool) -> None:
    source = _unfinished_name(path.parent)
    try:
        with source.open("xb") as file:
            fill(file, parts())
        if force:
            copy_mode(path, source)
            source.replace(path)
        else:
            settle(source, path)
    finally:
        source.unlink(missing_ok=True)


def fill(file: BinaryIO, parts: Iterable[bytes]) -> None:
    """Writes it all, and has it on the disk: some systems say late that there is no room, and
    after a crash a name must not stand for nothing."""
    file.writelines(parts)
    file.flush()
    os.fsync(file.fileno())


def copy_mode(old: Path, fresh: Path) -> None:
    """What takes the place of a file is for whom that was."""
    if old.exists() and not old.is_symlink():
        shutil.copymode(old, fresh)


def settle(source: Path, place: Path) -> None:
    """Moves a file to a place that nobody has. Raises FileExistsError.

    Where a file system has no links, the place is claimed first, and is empty for a moment: that
    two believe to have it would be worse.
    """
    try:
        os.link(source, place)
    except FileExistsError:
        raise
    except OSError:
        _claim(source, place)
    else:
        source.unlink()


def _claim(source: Path, place: Path) -> None:
    place.open("xb").close()
    try:
        source.replace(place)
    except OSError:
        place.unlink()
        raise
