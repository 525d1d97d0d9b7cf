"""A form of an exercise as a scenario of its own, with its numbers written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from attncli.building.plain import Plain, Rows, plain_data, with_numbers
from attncli.building.trees import Changes
from attncli.file import shipped
from attncli.file.emitting import emitted
from attncli.name import Name
from attncli.scenario.scenario import Scenario

_OF_THE_ORIGINAL = ("title", "published", "variants")
"""What isn't said of other numbers."""
_NOT_OF_FORMS = (*_OF_THE_ORIGINAL, "source")
_TEXT_FILES = ("corpus", "tokenizer")
"""What may be in a text file of its own, which then stands beside the form."""


def pinned(source: str, changes: Changes, scenario: Scenario) -> str:
    """The text of a file with what a source says, and the numbers of a form of it."""
    data = _without(plain_data(source, changes), _OF_THE_ORIGINAL)
    numbers = all_numbers(scenario)
    return emitted(_beside(with_numbers({"title": scenario.title, **data}, numbers)))


def all_numbers(scenario: Scenario) -> dict[str, Rows]:
    """The numbers of all given matrices by their full names, and how often the corpus has each of
    its texts."""
    counts = [[Decimal(count)] for count in scenario.text_counts]
    numbers: dict[str, Rows] = {name: numbers_of(scenario, name) for name in scenario.given}
    return {**numbers, **({"corpus": counts} if counts else {})}


def numbers_of(scenario: Scenario, name: Name) -> list[list[Decimal]]:
    """The numbers of a given matrix, as they are written or, if nobody wrote them, in full."""
    matrix = scenario.given[name]
    if matrix.written is not None:
        return [list(row) for row in matrix.written]
    rows, columns = matrix.shape
    return [[matrix.number(i, j).full for j in range(columns)] for i in range(rows)]


def texts_beside(source: str) -> dict[str, str]:
    """The files of text that a source goes on to read, by their names."""
    folder = shipped.find(source).parent
    found = {Path(path).name: folder / path for path in _paths(plain_data(source))}
    return {name: path.read_text("utf-8-sig") for name, path in found.items()}


def settings_that_differ(form: Path, source: str) -> list[str]:
    """The keys of a scenario, but for those of numbers, that say something else than in a form
    that was made of it."""
    own, others = (_without(plain_data(one), _NOT_OF_FORMS) for one in (str(form), source))
    keys = [key for key in {**others, **own} if str(own.get(key)) != str(others.get(key))]
    return [key for key in keys if not _holds_numbers(own.get(key, others.get(key)))]


def _holds_numbers(value: object) -> bool:
    """Whether a value is rows of numbers, with names or without."""
    rows = [*value.values()] if isinstance(value, Mapping) else value
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def _without(data: Plain, keys: tuple[str, ...]) -> Plain:
    return {key: value for key, value in data.items() if key not in keys}


def _paths(data: Mapping[str, object]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from ([str(value["file"])] if _names_file(key, value) else _paths(value))


def _beside(data: Mapping[str, object]) -> Plain:
    """The data with the files of text that it names beside it."""
    return {key: _moved(key, value) for key, value in data.items()}


def _moved(key: str, value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {"file": Path(str(value["file"])).name} if _names_file(key, value) else _beside(value)


def _names_file(key: str, value: Mapping[str, object]) -> bool:
    path = value.get("file")
    return key in _TEXT_FILES and isinstance(path, str) and not path.isdigit()
