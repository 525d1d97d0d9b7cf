"""Standard output, in the place of which a file may be named, and standard error."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from attncli.writing.contents import Contents, Pieces, gathered

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_FAILED = 1


class _UnwritableError(Exception):
    """Standard output takes no more. It is no OSError: Typer would take it for one of its own."""

    def __init__(self, cause: OSError) -> None:
        closed = cause.errno == errno.EBADF
        super().__init__("it isn't open for writing" if closed else cause.strerror)
        self.reader_left = cause.errno == errno.EPIPE


class _Whole(io.RawIOBase):
    """A stream of which all is written that is to be written.

    Python's own writes a part where a disk is full and PYTHONUNBUFFERED is set, and tells
    nobody. Otherwise it keeps what it can't write, to fail with it again when Python ends.
    """

    def __init__(self, raw: io.FileIO) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    @property
    def name(self) -> object:
        return self._raw.name

    def isatty(self) -> bool:
        return self._raw.isatty()

    def fileno(self) -> int:
        return self._raw.fileno()

    def write(self, data: ReadableBuffer) -> int:
        rest = memoryview(data).cast("B")
        count = len(rest)
        try:
            while rest:
                written = self._raw.write(rest)
                if written is None:  # it would block
                    select.select([], [self._raw], [])
                rest = rest[written or 0 :]
        except OSError as error:
            self._take_back(count - len(rest))
            self._fail(error)
        return count

    def _take_back(self, count: int) -> None:
        """Takes the beginning of what couldn't be written out of a file again."""
        with suppress(OSError):
            end = os.lseek(self.fileno(), 0, os.SEEK_CUR)
            if os.fstat(self.fileno()).st_size == end:
                os.ftruncate(self.fileno(), end - count)
                os.lseek(self.fileno(), end - count, os.SEEK_SET)

    def _fail(self, error: OSError) -> None:
        raise _UnwritableError(error) from None


class _Heedless(_Whole):
    """Standard error: where nobody can be told, nobody is told, and the exit status says it."""

    def _fail(self, error: OSError) -> None:
        """Nothing."""


def write_out(text: Contents | Pieces, output: str | None = None, *, force: bool = False) -> None:
    """Writes a text to standard output, or anything to a file where one is named. Raises
    OutputError."""
    if output is not None and output != "-":
        from attncli.writing.file import write_file

        write_file(output, text, force=force)
        return
    if isinstance(text, bytes):
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.writelines((text,) if isinstance(text, str) else gathered(text))
    sys.stdout.flush()


@contextmanager
def standard_streams() -> Iterator[None]:
    """Makes the standard streams write all or tell; a reader who stops reading is told nothing."""
    _open_closed()
    sys.stdout, sys.stderr = _text(_Whole, sys.stdout, 1), _text(_Heedless, sys.stderr, 2)
    try:
        yield
    except _UnwritableError as error:
        if not error.reader_left:
            print(f"standard output: can't be written ({error}); choose another", file=sys.stderr)
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


def _text(kind: type[_Whole], stream: TextIO | None, number: int) -> TextIO:
    """A stream of text, in UTF-8 wherever we are, with nothing kept back."""
    return io.TextIOWrapper(
        kind(_raw(stream, number)),
        encoding="utf-8",
        errors="backslashreplace",
        newline="",
        write_through=True,
    )


def _raw(stream: TextIO | None, number: int) -> io.FileIO:
    """What a stream writes to in the end: with PYTHONUNBUFFERED its buffer is just that."""
    if stream is None:
        return io.FileIO(number, "w", closefd=False)
    buffer: Any = stream.buffer
    return getattr(buffer, "raw", buffer)  # type: ignore[no-any-return]
