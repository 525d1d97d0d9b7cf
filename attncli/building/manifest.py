"""What is kept of an exercise beside its papers, in `manifest.json`: which forms were made, from
which numbers, what they ask, and which files are theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attncli.file.problems import ScenarioError
from attncli.records import NamedTuple

FILE = "manifest.json"
Rows = list[list[str]]


class FormMade(NamedTuple):
    """A form: the file of its scenario, from the manifest's folder; the hash of its numbers, and
    these by the names of matrices; the hash that its papers carry, its points, the cells it asks
    for with theirs, and its papers."""

    file: str
    numbers: str
    given: Mapping[str, Rows]
    hash: str
    points: float
    asked: Mapping[str, float]
    papers: tuple[str, ...] = ()


class Manifest(NamedTuple):
    """The forms by their names, the hash of each file's contents, and whose form is which: of each
    student's ID. `version` is the program's."""

    version: str
    exercise: str
    scenario: str
    seed: int
    forms: Mapping[str, FormMade]
    files: Mapping[str, str]
    tolerance: Mapping[str, str] = MappingProxyType({})
    students: tuple[Mapping[str, str], ...] = ()

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
        forms = {name: FormMade(**form) for name, form in data.pop("forms").items()}
        return Manifest(**{**data, "forms": forms})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        wrong = "is no manifest of an exercise"
        right = "make the exercise again, into another folder"
        raise ScenarioError.of(str(place), wrong, right) from None


def has_manifest(folder: Path) -> bool:
    """Whether an exercise was made into a folder."""
    return (folder / FILE).is_file()
