"""A form of a scenario as a file of its own, and the files that it needs beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from attncli.errors import UserError
from attncli.pipeline.plain_data import Plain, all_numbers, plain_data, with_numbers
from attncli.pipeline.trees import Changes, tree_of
from attncli.scenario.file import shipped
from attncli.scenario.file.emitting import emitted
from attncli.scenario.file.named_files import (
    CORPORA,
    STEP_FILES,
    TOKENIZERS,
    RefusedFileError,
    ending,
    found,
    named_in,
)
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.scenario import Scenario

_OF_THE_ORIGINAL = ("title", "about", "published", "claims", "ours", "variants")
"""The keys that aren't said of other numbers."""
_NOT_OF_FORMS = (*_OF_THE_ORIGINAL, "source")
_TEXT_FILES = ("corpus", "tokenizer")
"""The keys whose values may be in a text file of its own, which then stands beside the form."""


def exported(source: str, changes: Changes, scenario: Scenario) -> str:
    """Returns the text of a file with what a source says, and the numbers of a form of it."""
    data = _without(plain_data(source, changes), _OF_THE_ORIGINAL)
    numbers = all_numbers(scenario)
    return emitted(_beside(with_numbers({"title": scenario.title, **data}, numbers)))


def texts_beside(source: str) -> dict[str, str]:
    """Reads the files of text that a source goes on to read, and returns them by their names."""
    folder = shipped.find(source).parent
    found = {Path(path).name: folder / path for path in _paths(plain_data(source))}
    return {name: path.read_text("utf-8-sig") for name, path in found.items()}


def settings_that_differ(form: Path, source: str) -> list[str]:
    """Returns the keys of a scenario, but for those of numbers, that say something else than in a
    form that was made of it."""
    own, others = (_without(plain_data(text), _NOT_OF_FORMS) for text in (str(form), source))
    keys = [key for key in {**others, **own} if str(own.get(key)) != str(others.get(key))]
    return [key for key in keys if not _holds_numbers(own.get(key, others.get(key)))]


def _holds_numbers(value: object) -> bool:
    """Tells whether a value is rows of numbers, with names or without."""
    rows = [*value.values()] if isinstance(value, Mapping) else value
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def _without(data: Plain, keys: tuple[str, ...]) -> Plain:
    return {key: value for key, value in data.items() if key not in keys}


def _paths(data: Mapping[str, object]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from ([str(value["file"])] if _names_file(key, value) else _paths(value))


def _beside(data: Mapping[str, object]) -> Plain:
    """Returns the data with the files of text that it names beside it."""
    return {key: _moved(key, value) for key, value in data.items()}


def _moved(key: str, value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {"file": Path(str(value["file"])).name} if _names_file(key, value) else _beside(value)


def _names_file(key: str, value: Mapping[str, object]) -> bool:
    path = value.get("file")
    is_named = isinstance(path, str) and not path.isdigit()
    if key == "steps":  # which may be in a package, too
        return is_named and ending(str(path), STEP_FILES) is not None
    return key in _TEXT_FILES and is_named


_LARGEST = 10_000_000


class NotTakenError(UserError):
    """An error: files that can't go with their scenario."""


def taken_along(source: str, *, outside: bool) -> Mapping[str, bytes]:
    """Returns the file of a source that was read, and those that it names, by paths from which it
    finds them again, its own the first.

    Raises NotTakenError for those that it names by a place on this machine, and for large ones.
    """
    own = shipped.find(source)
    folder = Path(os.path.abspath(own.parent))  # noqa: PTH100  (links stay as they are named)
    tree = tree_of(source, Diagnostics())
    named = {path: there for path in named_in(tree) if (there := _file(path, own, outside))}
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
    """Returns the file that a path leads to; None of what is no path but somebody's word."""
    from attncli.scenario.file import array_files

    kinds = (*array_files.KINDS, *CORPORA, *TOKENIZERS, *STEP_FILES)
    try:
        return found(path, own.parent, outside, kinds)
    except RefusedFileError:
        return None
