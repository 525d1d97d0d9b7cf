"""A scenario's file with the files that it goes on to read, to take along."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from attncli.building.plain import plain_data
from attncli.file import array_files, shipped
from attncli.file.files import CORPORA, TOKENIZERS, RefusedFileError, found
from attncli.refusals import Refusal

_KINDS = (*array_files.KINDS, *CORPORA, *TOKENIZERS)
_LARGEST = 10_000_000


class NotTakenError(Refusal):
    """Files that can't go with their scenario."""


def taken_along(source: str, *, outside: bool) -> Mapping[str, bytes]:
    """The file of a source that was read, and those that it names, by paths from which it finds
    them again, its own the first. Raises NotTakenError for those that it names by a place on this
    machine, and for large ones."""
    own = shipped.find(source)
    folder = Path(os.path.abspath(own.parent))  # noqa: PTH100  (links stay as they are named)
    named = {
        path: there for path in _named(plain_data(source)) if (there := _file(path, own, outside))
    }
    if any(Path(path).is_absolute() for path in named):
        wrong, right = "names a file by its absolute path", "name it from the scenario's folder"
        raise NotTakenError.of(source, wrong, right)
    if sum(there.stat().st_size for there in named.values()) > _LARGEST:
        wrong = f"its files are larger than {_LARGEST // 10**6} MB"
        raise NotTakenError.of(source, wrong, "hand them out in another way")
    files = {str(folder / own.name): own}
    files |= {os.path.normpath(folder / path): there for path, there in named.items()}
    root = os.path.commonpath([Path(path).parent for path in files])
    return {
        Path(path).relative_to(root).as_posix(): there.read_bytes() for path, there in files.items()
    }


def _file(path: str, own: Path, outside: bool) -> Path | None:
    """The file that a path leads to; None of what is no path but somebody's word."""
    try:
        return found(path, own.parent, outside, _KINDS)
    except RefusedFileError:
        return None


def _named(data: object) -> Iterator[str]:
    """Whatever may be the path of a file."""
    if isinstance(data, Mapping):
        path = data.get("file")
        yield from [path] if isinstance(path, str) else []
        data = [*data.values()]
    if isinstance(data, list):
        for one in data:
            yield from _named(one)
