"""Getting a result to a file, a folder or standard output, whole or not at all.

A file is written under another name beside its place, and takes it when it is whole. Several files
appear together: where one of them can't be written, or a signal comes, what stood in their places
is put back. Only a process that is killed may leave some new and some old, each of them whole.
"""

import errno
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from attncli.errors import UserError

Contents = str | bytes
"""A text, or a package."""
Pieces = Iterable[str]
"""A text that may be too large to be a whole."""

_FAILED = 1
_AT_ONCE = 2**16
"""Characters that are written together."""
_UNFINISHED = ".attn-unfinished-"
_READABLE = 0o644 << 16
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The day that the format begins with; the day of making it would make each package another."""


class OutputError(UserError):
    """A file that can't be written, or an option that doesn't go."""


def encoded(contents: Contents) -> bytes:
    """What is written to files, a text in UTF-8, and what no character is as an escape."""
    if isinstance(contents, bytes):
        return contents
    return contents.encode("utf-8", errors="backslashreplace")


def _gathered(pieces: Pieces) -> Iterator[str]:
    """Pieces of a text put together to larger ones, as streams like them."""
    kept: list[str] = []
    size = 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size >= _AT_ONCE:
            yield "".join(kept)
            kept, size = [], 0
    yield "".join(kept)


def packed(files: Mapping[str, Contents]) -> bytes:
    """Files by their names, as a .zip file, the same bytes each time."""
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    package = io.BytesIO()
    with ZipFile(package, "w") as archive:
        for name, text in files.items():
            entry = ZipInfo(name, _FIRST_DAY)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, _READABLE
            archive.writestr(entry, encoded(text))
    return package.getvalue()


# -- standard output -------------------------------------------------------------------------------


def write_out(text: Contents | Pieces, output: str | None = None, *, force: bool = False) -> None:
    """Writes a text to standard output, or anything to a file where one is named. Raises
    OutputError."""
    if output is not None and output != "-":
        write_file(output, text, force=force)
        return
    if isinstance(text, bytes):
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.writelines((text,) if isinstance(text, str) else _gathered(text))
    sys.stdout.flush()


@contextmanager
def standard_streams() -> Iterator[None]:
    """Makes the standard streams write UTF-8 wherever we are, and says where standard output takes
    no more; a reader who stops reading is told nothing."""
    _open_closed()
    sys.stdout, sys.stderr = _text(sys.stdout, 1), _text(sys.stderr, 2)
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:  # it is no stream's
            raise
        if error.errno != errno.EPIPE:
            closed = error.errno == errno.EBADF
            text = "it isn't open for writing" if closed else error.strerror
            with suppress(OSError):
                print(
                    f"standard output: can't be written ({text}); choose another", file=sys.stderr
                )
        raise SystemExit(_FAILED) from None


def _open_closed() -> None:
    """Opens those of the three streams that are closed, lest the next file that is opened gets
    their number, and with it what others write there. Standard output gets what can't be written:
    that it is closed is to be told."""
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)


def _text(stream: TextIO | None, number: int) -> TextIO:
    """A stream of text that writes all or tells: Python's own writes a part where a disk is full
    and PYTHONUNBUFFERED is set."""
    buffer: Any = io.FileIO(number, "w", closefd=False) if stream is None else stream.buffer
    return io.TextIOWrapper(
        io.BufferedWriter(getattr(buffer, "raw", buffer)),
        encoding="utf-8",
        errors="backslashreplace",
        newline="",
        line_buffering=True,
    )


# -- files -----------------------------------------------------------------------------------------


@contextmanager
def _told(place: str) -> Iterator[None]:
    """Raises OutputError where the system refuses to write in a place."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            raise _exists(place) from None
        wrong = f"can't be written ({error.strerror})"
        raise OutputError.of(place, wrong, "choose another place") from None


def _exists(place: str) -> OutputError:
    return OutputError.of(place, "exists already", "choose another name, or add --force")


def _check_named(place: str) -> None:
    """Raises OutputError for a name that nobody would see in a listing."""
    if not place.strip():
        right = "name a file, or a folder for several"
        raise OutputError.of(f'"{place}"', "names nothing", right)


def check_free(output: str, *, force: bool) -> None:
    """Raises OutputError for what is no name of a file, and where a file is in the way."""
    _check_named(output)
    with _told(output):
        if Path(output).is_dir():
            raise OutputError.of(output, "is a folder", "name a file in it")
        if Path(output).is_file() and not force:
            raise _exists(output)


def write_file(output: str, text: Contents | Pieces, *, force: bool) -> None:
    """Writes a file whole or not at all, and over an existing one only with `force`; a device or
    a pipe, such as /dev/null, takes what comes. Raises OutputError."""
    check_free(output, force=force)
    with _told(output):
        if Path(output).exists() and not Path(output).is_file():
            with Path(output).open("wb") as stream:
                stream.writelines(_encoded_pieces(text))
            return
        path = Path(os.path.realpath(output))
        with _stage(path.parent) as stage:
            fresh = stage / "file"
            _fill(fresh, text)
            if not force:
                settle(fresh, path)
                return
            if path.is_file():  # what takes the place of a file is for whom that was
                fresh.chmod(path.stat().st_mode)
            fresh.replace(path)


def check_folder(folder: str, names: Sequence[str], *, force: bool) -> None:
    """Raises OutputError where files can't go into a folder, or others are in the way."""
    _check_named(folder)
    target = Path(folder)
    with _told(folder):
        if not target.is_dir() and os.path.lexists(target):
            raise OutputError.of(folder, "is a file", "name a folder")
        if not target.parent.is_dir():
            raise OutputError.of(folder, f"there is no folder {target.parent}", "make it first")
        taken = [target / name for name in names if os.path.lexists(target / name)]
        folders = [place for place in taken if place.is_dir()]
    if folders:
        raise OutputError.of(str(folders[0]), "is a folder", "choose another place")
    if taken and not force:
        more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
        right = "choose another folder, or add --force"
        raise OutputError.of(str(taken[0]), f"exists already{more}", right)


def write_files(folder: str, texts: Mapping[str, Contents], *, force: bool) -> None:
    """Writes files into a folder, which is made where it isn't there; over existing ones only
    with `force`. Raises OutputError, and then nothing has changed."""
    check_folder(folder, [*texts], force=force)
    with _told(folder):
        target = Path(os.path.realpath(folder))
        there = target.is_dir()
        with _stage(target if there else target.parent) as stage:
            fresh = stage / "files"
            fresh.mkdir()
            for name, text in texts.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                _fill(fresh / name, text)
            if there:
                _settle_all(fresh, target, [*texts], stage / "replaced", force=force)
            else:
                fresh.rename(target)


def _settle_all(
    fresh: Path, target: Path, names: Sequence[str], replaced: Path, *, force: bool
) -> None:
    """Files go to their places one by one, and out of them again if one of them can't. What undoes
    a move is ready before it is made."""
    replaced.mkdir()
    with ExitStack() as undo:
        for k, name in enumerate(names):
            new, place, old = fresh / name, target / name, replaced / str(k)
            for folder in reversed(place.parents):
                if not folder.exists():
                    undo.callback(_without, folder)
                    folder.mkdir()
            if force and os.path.lexists(place):
                if place.is_file():
                    new.chmod(place.stat().st_mode)
                undo.callback(_back, old, place)
                place.replace(old)
            undo.callback(_gone, new, place)
            settle(new, place)
        undo.pop_all()


def _without(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _back(old: Path, place: Path) -> None:
    """An old file goes back to its place, if it has left it."""
    if os.path.lexists(old):
        old.replace(place)


def _gone(new: Path, place: Path) -> None:
    """Takes a new file away, if it came to its place."""
    if not new.exists():
        place.unlink(missing_ok=True)


def settle(new: Path, place: Path) -> None:
    """A file moves to a place that nobody has. Raises FileExistsError."""
    try:
        os.link(new, place)
    except FileExistsError:
        raise
    except OSError:  # a file system has no links
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        new.replace(place)
    else:
        new.unlink()


def _fill(file: Path, text: Contents | Pieces) -> None:
    """Writes it all, and has it on the disk: some systems say late that there is no room, and
    after a crash a name must not stand for nothing."""
    with file.open("xb") as written:
        written.writelines(_encoded_pieces(text))
        written.flush()
        os.fsync(written.fileno())


def _encoded_pieces(text: Contents | Pieces) -> Iterator[bytes]:
    return map(encoded, (text,) if isinstance(text, str | bytes) else _gathered(text))


class _Ended(BaseException):
    """A signal came that ends the process."""


def _what_ends() -> dict[int, Any]:
    """The signals that end a process and may be caught here, with what is done about them now."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        return {}
    known = {"SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"} & signal.Signals.__members__.keys()
    each = {signal.Signals[name]: signal.getsignal(signal.Signals[name]) for name in known}
    return {s: how for s, how in each.items() if how not in (signal.SIG_IGN, None)}


@contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """A new folder in a folder, which is gone with all that is in it when the block is left, be it
    by a signal that ends the process."""
    import shutil
    import signal
    from tempfile import mkdtemp

    came: list[int] = []
    inside = False

    def end(number: int, _: object) -> None:
        came.append(number)
        if inside and len(came) == 1:
            raise _Ended

    before = _what_ends()
    for number in before:
        signal.signal(number, end)
    stage = ""
    try:
        stage = mkdtemp(prefix=_UNFINISHED, dir=folder)
        inside = True
        yield Path(stage)
    except _Ended:  # told to whoever outlives the signal
        raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR)) from None
    finally:
        inside = False
        if stage:
            shutil.rmtree(stage, ignore_errors=True)
        for number, how in before.items():
            signal.signal(number, how)
        if came:
            signal.raise_signal(came[0])


# -- over a file that others write, too ------------------------------------------------------------


def replace_file(place: str, text: Contents, check: Callable[[], None]) -> None:
    """Writes a file whole over the one that is there; `check` is called when nothing is left but to
    put it there, and raises what keeps it from that. Raises OutputError."""
    path = Path(os.path.realpath(place))
    with _told(place), _stage(path.parent) as stage:
        fresh = stage / "file"
        _fill(fresh, text)
        with _alone_in(path.parent):
            check()
            fresh.chmod(path.stat().st_mode)
            fresh.replace(path)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lets one after another of our own processes in, where the system has locks."""
    with ExitStack() as left:
        with suppress(ImportError, OSError):
            import fcntl

            opened = os.open(folder, os.O_RDONLY)
            left.callback(os.close, opened)
            fcntl.flock(opened, fcntl.LOCK_EX)
        yield
