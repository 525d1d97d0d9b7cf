"""The manifest of an exercise or an exam, which is kept beside its papers: which forms were made,
from which numbers, what each part of them asks, and which files are theirs."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from attncli.building.exercise_file import TOLERANCE
from attncli.building.scheme import Scheme, said_by
from attncli.file.problems import ScenarioError

FILE = "manifest.json"
Rows = list[list[str]]


class TermMade(NamedTuple):
    """The key of a number inside a line: the answer, from where to where it is accepted, and the
    cell that it comes from, if it does."""

    answer: str
    low: str
    high: str
    cell: str = ""


class ChoiceMade(NamedTuple):
    """The options of a question in a teacher's own words, in a form's order, and the right one."""

    options: tuple[str, ...]
    right: str


class PartMade(NamedTuple):
    """A part of a form: its title, the file of its scenario from the manifest's folder, the hash of
    its numbers, and these by the names of matrices; what it asks for with points, the keys of
    numbers that are in no cell, of choices, what is let pass, the most that it can bring, and what
    a teacher's own questions ask. What has neither cell nor key is marked by a person."""

    title: str
    asked: Mapping[str, float]
    file: str = ""
    numbers: str = ""
    given: Mapping[str, Rows] = MappingProxyType({})
    terms: Mapping[str, TermMade] = MappingProxyType({})
    choices: Mapping[str, ChoiceMade] = MappingProxyType({})
    tolerance: Mapping[str, str] = MappingProxyType({})
    most: float | None = None
    asks: Mapping[str, str] = MappingProxyType({})


class FormMade(NamedTuple):
    """A form: the hash that its papers carry, its points, its parts, and its papers."""

    hash: str
    points: float
    parts: tuple[PartMade, ...]
    papers: tuple[str, ...] = ()


class Manifest(NamedTuple):
    """The forms by their names, the hash of each file's contents, and which sheet of which form is
    whose; `made_of` are the hashes of the scenarios' own numbers and settings. `version` is the
    program's."""

    version: str
    exercise: str
    scenarios: tuple[str, ...]
    seed: int
    forms: Mapping[str, FormMade]
    files: Mapping[str, str]
    students: tuple[Mapping[str, str], ...] = ()
    made_of: tuple[str, ...] = ()
    scheme: Scheme = Scheme()

    def text(self) -> str:
        """The manifest as it is written."""
        return json.dumps(_plain(self), indent=1, ensure_ascii=False) + "\n"


def _plain(value: object) -> object:
    """A record as a map, all of it as JSON has it."""
    if isinstance(value, tuple) and hasattr(value, "_asdict") and not isinstance(value, TermMade):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {key: _plain(data) for key, data in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    return value if isinstance(value, str | int | float | None) else str(value)


def load_manifest(path: Path) -> Manifest:
    """The manifest of a file, or of a folder that has one. Raises ScenarioError."""
    place = path / FILE if path.is_dir() else path
    try:
        data: dict[str, Any] = json.loads(place.read_text("utf-8"))
        forms = {name: _form(form) for name, form in data.pop("forms").items()}
        each = {"scenarios": tuple(map(str, data.pop("scenarios")))}
        each["made_of"] = tuple(map(str, data.pop("made_of")))
        students = tuple(map(_student, data.pop("students", ())))
        scheme = said_by(data.pop("scheme", {}))
        of_class: dict[str, Any] = {"forms": forms, "students": students, "scheme": scheme}
        entries: dict[str, Any] = {**data, **each, **of_class}
        return Manifest(**entries)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        wrong = "is no manifest of an exercise"
        right = "make the exercise again, into another folder"
        raise ScenarioError.of(str(place), wrong, right) from None


def _form(data: Mapping[str, Any]) -> FormMade:
    """A form as it was written. Raises what `load_manifest` takes for no manifest."""
    parts = tuple(map(_part, data["parts"]))
    if not parts:
        raise ValueError(data)
    return FormMade(**{**data, "parts": parts, "papers": tuple(data.get("papers", ()))})


def _part(data: Mapping[str, Any]) -> PartMade:
    """A part as it was written. Raises ValueError for one whose scenario isn't in the folder."""
    part = PartMade(**data)
    place = PurePosixPath(part.file)
    if place.is_absolute() or ".." in place.parts:
        raise ValueError(part.file)
    asked = {str(cell): float(points) for cell, points in part.asked.items()}
    terms = {id_: _term(term) for id_, term in part.terms.items()}
    choices = {id_: _choice(**entry) for id_, entry in data.get("choices", {}).items()}
    if not {*terms, *choices} <= asked.keys():
        raise ValueError(part.terms)
    tolerance = _tolerance(part.tolerance)
    return part._replace(asked=asked, terms=terms, choices=choices, tolerance=tolerance)


def _choice(options: Sequence[str], right: str) -> ChoiceMade:
    """A choice. Raises ValueError for one of which nothing is right."""
    if right not in options:
        raise ValueError(right)
    return ChoiceMade(tuple(options), right)


def _term(data: Sequence[str]) -> TermMade:
    """A key. Raises TypeError and ArithmeticError for what is none."""
    term = TermMade(*data)
    for number in term[:3]:
        Decimal(number)
    return term


def _student(data: Mapping[str, str]) -> Mapping[str, str]:
    """A student. Raises KeyError for one without a name, an ID, a form and a sheet."""
    by_name = {name: str(data[name]) for name in ("name", "id", "form", "sheet")}
    return {**by_name, "answers": str(data.get("answers", ""))}


def _tolerance(data: Mapping[str, str]) -> dict[str, str]:
    """What is let pass, as it is written. Raises KeyError and ArithmeticError for what is none."""
    return {TOLERANCE.known[name].name: str(Decimal(text)) for name, text in data.items()}


def has_manifest(folder: Path) -> bool:
    """Whether an exercise was made into a folder."""
    return (folder / FILE).is_file()


def is_manifest(path: Path) -> bool:
    """Whether a path is a manifest's, or that of the folder of one."""
    return has_manifest(path) or (path.name == FILE and path.is_file())


def folder_of(path: Path) -> Path:
    """The folder of a manifest, which may be named itself."""
    return path if path.is_dir() else path.parent
