"""Getting a result to a file, a folder or standard output, whole or not at all.

A file is written under another name beside its place, and takes it when it is whole. Several files
appear together: where one of them can't be written, or a signal comes, what stood in their places
is put back. Only a process that is killed may leave some new and some old, each of them whole; the
next one that writes there puts the old ones back.
"""

import errno
import io
import json
import os
import re
import stat
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from attncli.errors import Problem, UserError

Contents = str | bytes
"""A text, or a package."""
Pieces = Iterable[str]
"""A text that may be too large to be a whole."""

_FAILED = 1
_AT_ONCE = 2**16
"""Characters that are written together."""
_READABLE = 0o644 << 16
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The day that the format begins with; the day of making it would make each package another."""


class OutputError(UserError):
    """A file that can't be written, or an option that doesn't go."""


def encoded(contents: Contents) -> bytes:
    """Returns what is written to files, a text in UTF-8, and what no character is as an escape."""
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


def write_out(
    text: Contents | Pieces,
    output: str | None = None,
    *,
    force: bool = False,
    beside: Mapping[str, Contents] = {},
) -> None:
    """Writes a text to standard output, or anything to a file where one is named, with others
    `beside` it. Raises OutputError."""
    if output is not None and output != "-":
        write_file(output, text, force=force, beside=beside)
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
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - none was open
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
    """Opens a stream of text that writes all or tells: Python's own writes a part where a disk is
    full and PYTHONUNBUFFERED is set."""
    buffer: Any = io.FileIO(number, "w", closefd=False) if stream is None else stream.buffer
    return io.TextIOWrapper(
        io.BufferedWriter(getattr(buffer, "raw", buffer)),
        encoding="utf-8",
        errors="backslashreplace",
        newline="",
        line_buffering=True,
    )


@contextmanager
def _output_errors(place: str) -> Iterator[None]:
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
    put_right(output)
    with _output_errors(output):
        if Path(output).is_dir():
            raise OutputError.of(output, "is a folder", "name a file in it")
        if Path(output).is_file() and not force:
            raise _exists(output)


def write_file(
    output: str, text: Contents | Pieces, *, force: bool, beside: Mapping[str, Contents] = {}
) -> None:
    """Writes a file whole or not at all, and over an existing one only with `force`; files `beside`
    it, by their names, come with it, over older ones. A device or a pipe, such as /dev/null, takes
    what comes. Raises OutputError."""
    check_free(output, force=force)
    with _output_errors(output):
        if Path(output).exists() and not Path(output).is_file():
            with Path(output).open("wb") as stream:
                stream.writelines(_encoded_pieces(text))
            return
        path, near = Path(os.path.realpath(output)), Path(os.path.realpath(Path(output).parent))
        with ExitStack() as stages:
            stage = stages.enter_context(_stage(path.parent))
            own = _filled(stage, path.name, text, force=force)
            if not beside:
                own.make(keep=False)
                return
            if near != path.parent:  # the output is a link that leads elsewhere
                stage = stages.enter_context(_stage(near))
            _settle_all([own, *(_filled(stage, name, beside[name], force=True) for name in beside)])


def check_folder(folder: str, names: Sequence[str], *, force: bool) -> None:
    """Raises OutputError where files can't go into a folder, or others are in the way."""
    _check_named(folder)
    target = Path(folder)
    put_right(folder)
    with _output_errors(folder):
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
    with _output_errors(folder):
        target = Path(os.path.realpath(folder))
        parent = target if target.is_dir() else target.parent
        with _stage(parent) as stage, ExitStack() as locks:
            fresh = stage / _NEW / target.relative_to(parent)
            fresh.mkdir(exist_ok=True)
            moves = [
                _filled(stage, (target / name).relative_to(parent).as_posix(), text, force=force)
                for name, text in texts.items()
            ]
            if parent != target:
                locks.enter_context(_alone(parent))
                if not os.path.lexists(target):
                    fresh.rename(target)
                    return
            locks.enter_context(_alone(target))
            _settle_all(moves)


_UNFINISHED = ".attn-unfinished-"
_NEW, _OLD, _MOVES = "new", "old", "moves.json"
"""What a stage holds: new files, the old ones that they are put over, and a list of all that are
to be put, as long as they aren't all in their places."""
_LONGEST_WAIT = 60
"""Seconds that another process may take to put its files where they belong."""
_PAUSE = 0.02


class _FileMove(NamedTuple):
    """A new file of a stage, which gets a place."""

    stage: Path
    name: str
    """Its name from the folder that the stage is in, which is its place there."""
    size: int
    """Its size, which tells later whether somebody else has changed it, as the time does."""
    time: int
    force: bool = True
    """Whether it takes the place of another file."""

    @property
    def place(self) -> Path:
        return self.stage.parent / self.name

    @property
    def new(self) -> Path:
        return self.stage / _NEW / self.name

    @property
    def old(self) -> Path:
        return self.stage / _OLD / self.name

    def make(self, *, keep: bool) -> None:
        """Moves the file to its place, in which at no moment there is none if there was one; that
        may be kept. Raises FileExistsError."""
        if not (self.force and os.path.lexists(self.place)):
            settle(self.new, self.place)
            return
        if self.place.is_file():  # what takes the place of a file is for whom that was
            self.new.chmod(self.place.stat().st_mode)
        if keep:
            self.old.parent.mkdir(parents=True, exist_ok=True)
            _keep(self.place, self.old)
        self.new.replace(self.place)

    def undo(self) -> bool:
        """Puts back what stood in the place, be it nothing, unless the file hasn't come there or
        was changed since; says whether it did."""
        if not os.path.lexists(self.place) or (
            self.new.exists() and not self.new.samefile(self.place)
        ):
            return False
        state = self.place.lstat()
        if (state.st_size, state.st_mtime_ns) != (self.size, self.time):
            return False
        if os.path.lexists(self.old):
            self.old.replace(self.place)
        else:
            self.place.unlink()
        return True


def _filled(stage: Path, name: str, text: Contents | Pieces, *, force: bool) -> _FileMove:
    """Writes a new file of a stage."""
    new = stage / _NEW / name
    new.parent.mkdir(parents=True, exist_ok=True)
    _fill(new, text)
    state = new.stat()
    return _FileMove(stage, name, state.st_size, state.st_mtime_ns, force)


def _settle_all(moves: Sequence[_FileMove]) -> None:
    """Files go to their places one by one, and out of them again if one of them can't. What undoes
    a move is ready before it is made, also for the next process if this one is killed."""
    stages = {move.stage for move in moves}
    for stage in stages:
        own = [(move.name, move.size, move.time) for move in moves if move.stage == stage]
        _fill(stage / _MOVES, json.dumps(own))
    with ExitStack() as undo:
        for move in moves:
            for folder in reversed(move.place.parents):
                if not folder.exists():
                    undo.callback(_without, folder)
                    folder.mkdir()
            undo.callback(move.undo)
            move.make(keep=True)
        for stage in stages:
            (stage / _MOVES).unlink()
        undo.pop_all()


def _without(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _keep(place: Path, old: Path) -> None:
    """Keeps what stands in a place under another name, too."""
    try:
        os.link(place, old, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system has no links
        import shutil

        shutil.copy2(place, old, follow_symlinks=False)


def settle(new: Path, place: Path) -> None:
    """Moves a file to a place that nobody has. Raises FileExistsError."""
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


def put_right(place: str) -> None:
    """Puts back the old files where a process was killed while it wrote to a place or into it,
    removes what it left, and tells it on standard error. Where somebody is writing it waits for the
    next time."""
    with suppress(OSError):
        there = Path(os.path.realpath(place))
        for folder in (there.parent, there):
            with _locked(folder, wait=0) as is_mine:
                if is_mine:
                    _put_right(folder)


def _put_right(folder: Path) -> None:
    """Undoes what was left unfinished in a folder that nobody else begins to write into."""
    import shutil

    for stage in sorted(folder.glob(f"{_UNFINISHED}*")):
        with _locked(stage, wait=0) as is_left:
            if not is_left or not _is_own(stage):
                continue
            back = sum(move.undo() for move in reversed(_moves_of(stage)))
            shutil.rmtree(stage, ignore_errors=True)
        files = "1 file is" if back == 1 else f"{back} files are"
        done = f"{files} put back as before" if back else "what it left is removed"
        wrong = "attn was killed while it wrote here"
        print(Problem.of(str(folder), wrong, done), file=sys.stderr)


def _is_own(stage: Path) -> bool:
    """Tells whether a stage is this user's, and holds nothing that isn't known here."""
    state = stage.lstat()
    is_mine = stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid()
    return is_mine and {path.name for path in stage.iterdir()} <= {_NEW, _OLD, _MOVES}


def _moves_of(stage: Path) -> list[_FileMove]:
    """Reads what a stage that was left had in hand, none of it outside of its folder."""
    try:
        listed = json.loads((stage / _MOVES).read_text("utf-8"))
        moves = [_FileMove(stage, name, size, time) for name, size, time in listed]
    except (OSError, ValueError, TypeError, RecursionError):  # it had not begun, or was done
        return []
    return [
        move
        for move in moves
        if _is_in(move.place, stage.parent) and _is_in(move.new, stage) and _is_in(move.old, stage)
    ]


def _is_in(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path.parent)).is_relative_to(folder)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Keeps other processes from beginning to write into a folder, and says whether it can, which
    not all systems let us. Raises TimeoutError where another one doesn't come to its end."""
    with _locked(folder, wait=_LONGEST_WAIT) as is_mine:
        if is_mine is False:
            raise TimeoutError(errno.ETIMEDOUT, "another attn is writing there")
        yield bool(is_mine)


@contextmanager
def _locked(folder: Path, *, wait: float) -> Iterator[bool | None]:
    """Has a folder for itself, for which it may `wait` some seconds; gives False where another
    process has it, and None where there are no such locks. The system takes them from a process
    that ends, however it ends."""
    with ExitStack() as closing:
        got = None
        with suppress(ImportError, OSError):  # not on Windows, nor in every network's folders
            import fcntl

            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            closing.callback(os.close, descriptor)
            got = _flocked(partial(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB), wait)
        yield got


def _flocked(lock: Callable[[], None], wait: float) -> bool:
    end = time.monotonic() + wait
    while True:
        try:
            lock()
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE)


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
    """Returns the signals that end a process and may be caught here, with what is done about them
    now."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        return {}
    known = {"SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"} & signal.Signals.__members__.keys()
    each = {signal.Signals[name]: signal.getsignal(signal.Signals[name]) for name in known}
    return {s: how for s, how in each.items() if how not in (signal.SIG_IGN, None)}


class _HeldSignals:
    """A holder of signals that came meanwhile: they wait until all is cleared up, and where they
    are heeded they leave the block."""

    def __init__(self) -> None:
        self.came: list[int] = []
        self._heeds = False

    def take(self, number: int, _: object) -> None:
        self.came.append(number)
        if self._heeds and len(self.came) == 1:
            raise _Ended

    @contextmanager
    def heeded(self) -> Iterator[None]:
        try:
            self._heeds = True
            yield
        except _Ended:  # told to whoever outlives the signal
            raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR)) from None
        finally:
            self._heeds = False


@contextmanager
def _signals_held() -> Iterator[_HeldSignals]:
    """Keeps what ends the process until the block is left."""
    import signal

    held, before = _HeldSignals(), _what_ends()
    for number in before:
        signal.signal(number, held.take)
    try:
        yield held
    finally:
        for number, how in before.items():
            signal.signal(number, how)
        if held.came:
            signal.raise_signal(held.came[0])


@contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """Yields a new folder in a folder, which is gone with all that is in it when the block is left,
    be it by a signal that ends the process."""
    import shutil
    from tempfile import mkdtemp

    with ExitStack() as shared:
        shared.enter_context(_alone(folder))  # lest it is taken for one that was left
        with _signals_held() as held, ExitStack() as own:
            stage = Path(mkdtemp(prefix=_UNFINISHED, dir=folder))
            own.enter_context(_locked(stage, wait=0))
            own.callback(shutil.rmtree, stage, ignore_errors=True)
            shared.close()
            (stage / _NEW).mkdir()
            with held.heeded():
                yield stage


def replace_file(place: str, text: Contents, check: Callable[[], None]) -> None:
    """Writes a file whole over the one that is there; `check` is called when nothing is left but to
    put it there, and raises what keeps it from that. Raises OutputError."""
    path = Path(os.path.realpath(place))
    with _output_errors(place), _stage(path.parent) as stage:
        own = _filled(stage, path.name, text, force=True)
        with _alone(path.parent):
            check()
            own.make(keep=False)


_LONGEST = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_IN_LETTERS = str.maketrans({
    "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "đ": "d", "Đ": "D", "ı": "i", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th",
})  # fmt: skip
"""Letters that are no others with marks, as they are written where there are none of them."""


def safe_name(text: str) -> str:
    """Turns a text into part of a file's name on every system: ASCII letters, digits and
    underscores."""
    plain = unicodedata.normalize("NFKD", text.translate(_IN_LETTERS))
    plain = plain.encode("ascii", "ignore").decode()
    return _UNSAFE.sub("_", plain).strip("_")[:_LONGEST] or "exercise"


def distinct_names(texts: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Makes a file's name for each text that none has yet; who has that of another gets a
    number."""
    names, used = [], set(taken)
    for text in texts:
        name, count = safe_name(text), 1
        while name.lower() in used:
            count += 1
            name = f"{safe_name(text)}_{count}"
        used.add(name.lower())
        names.append(name)
    return names
