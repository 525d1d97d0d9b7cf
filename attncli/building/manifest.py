"""What is kept of an exercise beside its papers, in `manifest.json`: which forms were made, from
which numbers, what they ask, and which files are theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

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


class FormMade(NamedTuple):
    """A form: the file of its scenario, from the manifest's folder; the hash of its numbers, and
    these by the names of matrices; the hash that its papers carry, its points, the cells it asks
    for with theirs, its papers, and the keys of numbers inside lines."""

    file: str
    numbers: str
    given: Mapping[str, Rows]
    hash: str
    points: float
    asked: Mapping[str, float]
    papers: tuple[str, ...] = ()
    terms: Mapping[str, TermMade] = MappingProxyType({})


class Manifest(NamedTuple):
    """The forms by their names, the hash of each file's contents, and which sheet of which form is
    whose; `made_of` is the hash of the scenario's own numbers and settings. `version` is the
    program's."""

    version: str
    exercise: str
    scenario: str
    seed: int
    forms: Mapping[str, FormMade]
    files: Mapping[str, str]
    tolerance: Mapping[str, str] = MappingProxyType({})
    students: tuple[Mapping[str, str], ...] = ()
    made_of: str = ""

    def text(self) -> str:
        """The manifest as it is written."""
        forms = {name: form._asdict() for name, form in self.forms.items()}
        data = {**self._asdict(), "forms": forms}
        return json.dumps(data, indent=1, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def load_manifest(path: Path) -> Manifest:
    """The manifest of a file, or of a folder that has one. Raises ScenarioError."""
    place = path / FILE if path.is_dir() else path
    try:
        data: dict[str, Any] = json.loads(place.read_text("utf-8"))
        forms = {name: _form(form) for name, form in data.pop("forms").items()}
        tolerance = _tolerance(data.pop("tolerance", {}))
        students = tuple(map(_student, data.pop("students", ())))
        told = {**data, "forms": forms, "tolerance": tolerance, "students": students}
        return Manifest(**told)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        wrong = "is no manifest of an exercise"
        right = "make the exercise again, into another folder"
        raise ScenarioError.of(str(place), wrong, right) from None


def _form(data: Mapping[str, Any]) -> FormMade:
    """A form as it was written. Raises ValueError for one whose scenario isn't in the folder."""
    form = FormMade(**data)
    place = PurePosixPath(form.file)
    if place.is_absolute() or ".." in place.parts:
        raise ValueError(form.file)
    asked = {str(cell): float(points) for cell, points in form.asked.items()}
    terms = {id_: _term(term) for id_, term in form.terms.items()}
    if not terms.keys() <= asked.keys():
        raise ValueError(form.terms)
    return form._replace(asked=asked, terms=terms)


def _term(data: Sequence[str]) -> TermMade:
    """A key. Raises TypeError and ArithmeticError for what is none."""
    term = TermMade(*data)
    for number in term[:3]:
        Decimal(number)
    return term


def _student(data: Mapping[str, str]) -> Mapping[str, str]:
    """A student. Raises KeyError for one without a name, an ID, a form and a sheet."""
    told = {name: str(data[name]) for name in ("name", "id", "form", "sheet")}
    return {**told, "answers": str(data.get("answers", ""))}


def _tolerance(data: Mapping[str, str]) -> dict[str, str]:
    """What is let pass, as it is written. Raises KeyError and ArithmeticError for what is none."""
    from attncli.building.exercise_file import TOLERANCE

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
