"""The manifest beside papers: the forms that were made, their numbers, their parts, their files."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from attncli.classroom.files.exercise_file import TOLERANCE
from attncli.classroom.files.ids import id_meant
from attncli.classroom.files.scheme import Scheme
from attncli.maths.notation.escaping import json_text
from attncli.names import composed
from attncli.scenario.file.named_files import RefusedFileError, parsed_json, text_in
from attncli.scenario.file.problems import ScenarioError

FILE = "manifest.json"
MatrixTexts = list[list[str]]
"""A matrix whose numbers are texts, row by row."""


class TermMade(NamedTuple):
    """The key of a number inside a line."""

    answer: Decimal
    """The answer."""
    low: Decimal
    """The least number that is accepted."""
    high: Decimal
    """The largest number that is accepted."""
    cell: str = ""
    """The cell that it comes from, if it does."""


class ChoiceMade(NamedTuple):
    """The options of a question in a teacher's own words, in a form's order, and the right one."""

    options: tuple[str, ...]
    right: str


class PartMade(NamedTuple):
    """A part of a form. What has neither cell nor key is marked by a person."""

    title: str
    asked: Mapping[str, float]
    """What it asks for, with points."""
    file: str = ""
    """The file of its scenario, from the manifest's folder."""
    numbers: str = ""
    """The hash of its numbers."""
    given: Mapping[str, MatrixTexts] = MappingProxyType({})
    """Its numbers by the names of matrices."""
    terms: Mapping[str, TermMade] = MappingProxyType({})
    """The keys of numbers that are in no cell."""
    choices: Mapping[str, ChoiceMade] = MappingProxyType({})
    """The keys of choices."""
    tolerance: Mapping[str, Decimal] = MappingProxyType({})
    """What is let pass."""
    most: float | None = None
    """The most points that it can bring."""
    asks: Mapping[str, str] = MappingProxyType({})
    """What a teacher's own questions ask."""
    hash: str = ""
    """The hash of all that."""


class FormMade(NamedTuple):
    """A form of an exercise or an exam."""

    hash: str
    """The hash that its papers carry."""
    points: float
    parts: tuple[PartMade, ...]
    papers: tuple[str, ...] = ()


class StudentMade(NamedTuple):
    """A student of a class that papers were made for."""

    name: str
    id: str
    form: str
    """The form that is theirs."""
    sheet: str
    """The file of their sheet."""
    answers: str = ""
    """The file for their answers."""


class Manifest(NamedTuple):
    """A manifest: the forms by their names, and which sheet of which form is whose."""

    version: str
    """The version of the program."""
    exercise: str
    scenarios: tuple[str, ...]
    seed: int
    forms: Mapping[str, FormMade]
    files: Mapping[str, str]
    """The hash of each file's contents."""
    students: tuple[StudentMade, ...] = ()
    made_of: tuple[str, ...] = ()
    """The hashes of the scenarios' own numbers and settings."""
    scheme: Scheme = Scheme()

    def text(self) -> str:
        """Returns the manifest as it is written."""
        return json_text(_plain(self), indent=1) + "\n"


def _plain(value: object) -> object:
    """Returns a record as a map, all of it as JSON has it."""
    if isinstance(value, tuple) and hasattr(value, "_asdict") and not isinstance(value, TermMade):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {key: _plain(data) for key, data in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    return value if isinstance(value, str | int | float | None) else str(value)


def load_manifest(path: Path) -> Manifest:
    """Returns the manifest of a file, or of a folder that has one. Raises ScenarioError."""
    place = path / FILE if path.is_dir() else path
    try:
        manifest: Manifest = _read(Manifest, parsed_json(text_in(place)))
        forms = {name: _as_called_now(form) for name, form in manifest.forms.items()}
        for form in forms.values():
            _check_form(form)
        names = (s._replace(name=composed(s.name), id=composed(s.id)) for s in manifest.students)
        return manifest._replace(students=tuple(names), forms=forms)
    except (
        *(OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
        RefusedFileError,
    ):
        wrong = "is no manifest of an exercise"
        right = "make the exercise again, into another folder"
        raise ScenarioError.of(str(place), wrong, right) from None


def _read(kind: Any, data: Any) -> Any:  # noqa: ANN401
    """Returns a value of a kind, as it was written. Raises what `load_manifest` takes for no
    manifest."""
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


def _as_called_now(form: FormMade) -> FormMade:
    """Returns a form whose own questions are called `q1`, as they are now, where they were called
    `1`."""
    parts = (
        part._replace(
            asked={id_meant(id_): points for id_, points in part.asked.items()},
            choices={id_meant(id_): choice for id_, choice in part.choices.items()},
            terms={id_meant(id_): term for id_, term in part.terms.items()},
            asks={id_meant(id_): text for id_, text in part.asks.items()},
        )
        for part in form.parts
    )
    return form._replace(parts=tuple(parts))


def _check_form(form: FormMade) -> None:
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
    """Tells whether an exercise was made into a folder."""
    return (folder / FILE).is_file()


def is_manifest(path: Path) -> bool:
    """Tells whether a path is a manifest's, or that of the folder of one."""
    return has_manifest(path) or (path.name == FILE and path.is_file())


def folder_of(path: Path) -> Path:
    """Returns the folder of a manifest, which may be named itself."""
    return path if path.is_dir() else path.parent
