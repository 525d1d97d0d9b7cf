"""Files that a scenario, a checkpoint or a command names, read without trusting them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attncli.errors import Where, quote
from attncli.scenario.file.keys import Schema, TextKind
from attncli.scenario.file.nodes import Map, Node, Scalar, inner
from attncli.scenario.file.problems import Diagnostics

JsonObject = Mapping[str, Any]
"""An object of a JSON file: the values of its keys."""
ParseNumber = Callable[[str], object]
"""Makes a number of its text."""

LARGEST_FILE = 4 * 2**30
_IN_PLACE = (".safetensors",)
"""Files of which only what is needed is read, as their headers say where it is."""


class RefusedFileError(Exception):
    """The error of a file that can't be used, with what is wrong and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(wrong)


class LargeFileError(RefusedFileError):
    """The error of a file with more numbers than are read without being asked for."""


def suffix(path: str) -> str:
    """Returns the ending of a path, in small letters."""
    return Path(path).suffix.lower()


def ending(path: str, kinds: Iterable[str]) -> str | None:
    """Returns which of some endings a path has after a name, regardless of case, or None."""
    name = Path(path).name.lower()
    return next((kind for kind in kinds if name.endswith(kind) and name != kind), None)


def found(path: str, folder: Path, outside: bool, kinds: Iterable[str]) -> Path:
    """Finds the file that a path of a scenario leads to, with every link followed. Raises
    RefusedFileError where it is missing, unreadable, outside the folder, or of an unknown kind."""
    if ending(path, kinds) is None:
        wrong = f"{quote(path)} is not of a kind of file that can be read"
        raise RefusedFileError(wrong, f"known: {', '.join(kinds)}")
    try:
        file = Path(os.path.realpath(folder / path))
        if not outside and not file.is_relative_to(os.path.realpath(folder)):
            wrong = f"{quote(path)} leads out of the scenario's folder"
            right = "move it there, or allow it with the option --files-outside"
            raise RefusedFileError(wrong, right)
        _check_file(path, file.stat())
        file.open("rb").close()  # which tells who may read it
    except FileNotFoundError:
        right = "give a path that goes from the scenario's folder"
        wrong = f"there is no file {quote(path)} in {folder.absolute()}"
        raise RefusedFileError(wrong, right) from None
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:  # a NUL, or half a surrogate pair
        wrong = f"{quote(path)} has characters that no path can have"
        raise RefusedFileError(wrong, "take them out") from None
    return file


def _check_file(path: str, status: os.stat_result) -> None:
    check_regular(path, status)
    if status.st_size > LARGEST_FILE and suffix(path) not in _IN_PLACE:
        wrong = f"{quote(path)} is larger than {LARGEST_FILE // 2**30} GiB"
        raise RefusedFileError(wrong, "give a smaller file, with just the arrays that are needed")


def check_regular(path: str, status: os.stat_result) -> None:
    """Raises RefusedFileError for a folder, a pipe or a device, which could keep the reader waiting
    for ever."""
    if stat.S_ISDIR(status.st_mode):
        raise RefusedFileError(f"{quote(path)} is a folder", "give a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise RefusedFileError(f"{quote(path)} is a pipe or a device", "give a file")


LARGEST_TEXT = 2**25
"""The most bytes of a file that is read as a whole."""
DEEPEST = 64
"""The most levels of lists and maps in a file of JSON."""


def bytes_in(file: Path, most: int = LARGEST_TEXT) -> bytes:
    """Reads the bytes of a regular file, at most so many. Raises RefusedFileError, and OSError
    where the system refuses."""
    wait_for_nobody = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    check_regular(file.name, file.stat())
    with open(os.open(file, os.O_RDONLY | wait_for_nobody), "rb") as stream:  # noqa: PTH123
        check_regular(file.name, os.fstat(stream.fileno()))  # it may be another by now
        data = stream.read(most + 1)
    if len(data) > most:
        wrong = f"{quote(file.name)} has more than {most // 2**20} MiB"
        raise RefusedFileError(wrong, "give a smaller file")
    return data


def text_in(file: Path) -> str:
    """Reads the text of a file in UTF-8. Raises RefusedFileError, and OSError."""
    try:
        return bytes_in(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wrong = f"{quote(file.name)} is not text in UTF-8"
        raise RefusedFileError(wrong, "save it in UTF-8") from error


def parsed_json(
    text: str | bytes,
    parse_float: ParseNumber | None = None,
    parse_constant: ParseNumber | None = None,
) -> Any:  # noqa: ANN401
    """Parses JSON, with these options of `json.loads`. Raises ValueError for what is no JSON, and
    for lists and maps that are nested too deeply for what walks through them."""
    try:
        data = json.loads(text, parse_float=parse_float, parse_constant=parse_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [data]
    for _ in range(DEEPEST + 1):
        inside = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, _OPEN))
        level = [value for values in inside for value in values if isinstance(value, _OPEN)]
        if not level:
            return data
    raise ValueError(_TOO_DEEP)


_OPEN = (dict, list)
_TOO_DEEP = f"lists and maps are nested more than {DEEPEST} deep"


def unreadable(path: str, error: OSError) -> RefusedFileError:
    """Makes the error of a file that the system doesn't let us read."""
    wrong = f"{quote(path)} can't be read ({error.strerror or error})"
    return RefusedFileError(wrong, "give a file that can be read")


def broken(path: str) -> RefusedFileError:
    """Makes the error of a file that ends too early, or isn't what its name says."""
    wrong = f"{quote(path)} is not a whole {suffix(path)} file: it is broken or cut short"
    return RefusedFileError(wrong, "save it anew")


CORPORA, TOKENIZERS, STEP_FILES = (".txt", ".md"), (".json",), (".yaml", ".yml")
"""The endings of files that hold texts, of tokenizers that another program saved, and of files of
steps."""


class TextFile(NamedTuple):
    """A file of text, by its path from the scenario's folder."""

    path: str
    where: Where


_PATH = "the file, by its path from the scenario's folder"


class TextFileKind:
    """A file of text by its path: `{file: corpus.txt}`."""

    def read(self, node: Node, problems: Diagnostics) -> TextFile | None:
        path = node.get("file") if isinstance(node, Map) else None
        if path is None or (isinstance(node, Map) and len(node.entries) > 1):
            problems.add(node.where, "more than a file", "give {file: …} alone")
            return None
        text = TextKind("a path").read(path, problems)
        return None if text is None else TextFile(text, path.where)

    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {"file": {"description": _PATH, "type": "string"}},
            "required": ["file"],
            "additionalProperties": False,
        }


def names_file(node: Node) -> bool:
    """Tells whether a map names a file. A number there is a count of the word `file`."""
    path = node.get("file") if isinstance(node, Map) else None
    return isinstance(path, Scalar) and not path.text.isdigit()


def named_in(node: Node) -> Iterator[str]:
    """Yields the paths of all files that a tree names."""
    if isinstance(node, Map):
        path = node.get("file")
        if isinstance(path, Scalar) and names_file(node):
            yield path.text
    for inside in inner(node):
        yield from named_in(inside)


def text_of(file: TextFile, folder: Path | None, outside: bool, kinds: Iterable[str]) -> str:
    """Reads a file of text with one of the known endings. Raises RefusedFileError."""
    there = found(file.path, folder or Path(), outside, kinds)
    try:
        return text_in(there)
    except OSError as error:
        raise unreadable(file.path, error) from error
