"""What a file gets; several files as one .zip file."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from attncli.refusals import Refusal


class OutputError(Refusal):
    """A file that can't be written, or an option that doesn't go."""


def check_named(place: str) -> None:
    """Raises OutputError for a name that nobody would see in a listing."""
    if not place.strip():
        right = "name a file, or a folder for several"
        raise OutputError.of(f'"{place}"', "names nothing", right)


@contextmanager
def told(place: str) -> Iterator[None]:
    """Raises OutputError where the system refuses to write in a place."""
    try:
        yield
    except FileExistsError:
        raise exists(place) from None
    except OSError as error:
        wrong = f"can't be written ({error.strerror})"
        raise OutputError.of(place, wrong, "choose another place") from None


def exists(place: str) -> OutputError:
    return OutputError.of(place, "exists already", "choose another name, or add --force")


def unsupported() -> OSError:
    """What a system says of what it doesn't have."""
    return OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


Contents = str | bytes
"""A text, or a package."""
Pieces = Iterable[str]
"""A text that may be too large to be a whole."""
_AT_ONCE = 2**16
"""Characters that are written together."""
_READABLE = 0o644 << 16
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The day that the format begins with; the day of making it would make each package another."""


def encoded(contents: Contents) -> bytes:
    """What is written to files, a text in UTF-8, and what no character is as an escape."""
    if isinstance(contents, bytes):
        return contents
    return contents.encode("utf-8", errors="backslashreplace")


def gathered(pieces: Pieces) -> Iterator[str]:
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
    """Files by their names, as a package, the same bytes each time."""
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    package = io.BytesIO()
    with ZipFile(package, "w") as archive:
        for name, text in files.items():
            entry = ZipInfo(name, _FIRST_DAY)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, _READABLE
            archive.writestr(entry, encoded(text))
    return package.getvalue()
