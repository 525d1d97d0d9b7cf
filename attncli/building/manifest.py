"""The manifest of an exercise or an exam, which is kept beside its papers: which forms were made,
from which numbers, what each part of them asks, and which files are theirs."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from attncli.building.exercise_file import TOLERANCE
from attncli.building.scheme import Scheme
from attncli.file.named_files import RefusedFileError, parsed_json, text_in
from attncli.file.problems import ScenarioError
from attncli.names import composed
from attncli.notation.escaping import json_text

FILE = "manifest.json"
Rows = list[list[str]]


class TermMade(NamedTuple):
    """The key of a number inside a line: the answer, from where to where it is accepted, and the
    cell that it comes from, if it does."""

    answer: Decimal
    low: Decimal
    high: Decimal
    cell: str = ""


class ChoiceMade(NamedTuple):
    """The options of a question in a teacher's own words, in a form's order, and the right one."""

    options: tuple[str, ...]
    right: str


class PartMade(NamedTuple):
    """A part of a form: its title, the file of its scenario from the manifest's folder, the hash of
    its numbers, and these by the names of matrices; what it asks for with points, the keys of
    numbers that are in no cell, of choices, what is let pass, the most that it can bring, what a
    teacher's own questions ask, and the hash of all that. What has neither cell nor key is marked
    by a person."""

    title: str
    asked: Mapping[str, float]
    file: str = ""
    numbers: str = ""
    given: Mapping[str, Rows] = MappingProxyType({})
    terms: Mapping[str, TermMade] = MappingProxyType({})
    choices: Mapping[str, ChoiceMade] = MappingProxyType({})
    tolerance: Mapping[str, Decimal] = MappingProxyType({})
    most: float | None = None
    asks: Mapping[str, str] = MappingProxyType({})
    hash: str = ""


class FormMade(NamedTuple):
    """A form: the hash that its papers carry, its points, its parts, and its papers."""

    hash: str
    points: float
    parts: tuple[PartMade, ...]
    papers: tuple[str, ...] = ()


class StudentMade(NamedTuple):
    """A student, the form that is theirs, their sheet, and the file for their answers."""

    name: str
    id: str
    form: str
    sheet: str
    answers: str = ""


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
    students: tuple[StudentMade, ...] = ()
    made_of: tuple[str, ...] = ()
    scheme: Scheme = Scheme()

    def text(self) -> str:
        """The manifest as it is written."""
        return json_text(_plain(self), indent=1) + "\n"


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
        manifest: Manifest = _read(Manifest, parsed_json(text_in(place)))
        for form in manifest.forms.values():
            _check(form)
        names = (s._replace(name=composed(s.name), id=composed(s.id)) for s in manifest.students)
        return manifest._replace(students=tuple(names))
    except (
        *(OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
        RefusedFileError,
    ):
        wrong = "is no manifest of an exercise"
        right = "make the exercise again, into another folder"
        raise ScenarioError.of(str(place), wrong, right) from None


def _read(kind: Any, data: Any) -> Any:  # noqa: ANN401
    """A value of a kind, as it was written. Raises what `load_manifest` takes for no manifest."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    of, inside = get_origin(kind), get_args(kind)
    if of in (tuple, list):
        return of(_read(inside[0], value) for value in data)
    if of is Mapping:
        return {str(key): _read(inside[1], value) for key, value in data.items()}
    if hasattr(kind, "_fields"):
        pairs = data.items() if isinstance(data, Mapping) else zip(kind._fields, data, strict=False)
        return kind(**{name: _read(kind.__annotations__[name], value) for name, value in pairs})
    if inside:  # one of several kinds
        return data if type(data) in inside else _read(inside[0], data)
    return Decimal(str(data)) if kind is Decimal else kind(data)


def _check(form: FormMade) -> None:
    """Raises ValueError for a form without parts, or of which one has a scenario that isn't in the
    folder, keys of what isn't asked, none of the options right, or unknown ways to let pass."""
    for part in form.parts:
        place = PurePosixPath(part.file)
        outside = place.is_absolute() or ".." in place.parts
        unknown = {*part.terms, *part.choices} - part.asked.keys()
        unknown |= part.tolerance.keys() - TOLERANCE.known.keys()
        if outside or unknown or any(c.right not in c.options for c in part.choices.values()):
            raise ValueError(part)
    if not form.parts:
        raise ValueError(form)


def has_manifest(folder: Path) -> bool:
    """Whether an exercise was made into a folder."""
    return (folder / FILE).is_file()


def is_manifest(path: Path) -> bool:
    """Whether a path is a manifest's, or that of the folder of one."""
    return has_manifest(path) or (path.name == FILE and path.is_file())


def folder_of(path: Path) -> Path:
    """The folder of a manifest, which may be named itself."""
    return path if path.is_dir() else path.parent
