"""Kinds of files that somebody writes: scenarios, and those that wings or other packages know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.plugins import FILES, plugins

if TYPE_CHECKING:
    from attncli.commands.arguments import Allowed

SCENARIO = "scenario"


class FileKind(NamedTuple):
    """A kind of files."""

    says: str
    """What such a file is, in words: `an exam of several parts`."""
    text: Callable[[], str]
    """Returns a commented file that runs as it is."""
    schema: Callable[[], dict[str, Any]]
    """Returns the JSON Schema of such files."""
    then: str
    """What can be done with one, with `{file}` and its `{stem}`."""
    check: Callable[[str, Allowed], str | None] | None = None
    """Checks a file for `attn validate`: returns what it holds, in a line, and None for a file of
    another kind. Raises UserError, naming all that is wrong."""


def _text() -> str:
    from attncli.scenario import starter

    return starter.text()


def _schema() -> dict[str, Any]:
    from attncli.steps.schema import json_schema

    return json_schema()


_OF_SCENARIOS = FileKind(
    "a scenario: a sentence and the matrices of a layer",
    _text,
    _schema,
    "`attn run {file}` works it out",
)


def file_kinds() -> Mapping[str, FileKind]:
    """Returns the kinds of files by their names, scenarios first."""
    others = {name: entry.load() for name, entry in plugins(FILES).items()}
    return {SCENARIO: _OF_SCENARIOS, **others}


def checked_by_kind(file: str, allowed: Allowed) -> str | None:
    """Checks a file of another kind than a scenario. Returns what it holds, in a line, and None for
    a scenario. Raises UserError, naming all that is wrong."""
    checks = (kind.check for kind in file_kinds().values() if kind.check is not None)
    return next((said for check in checks if (said := check(file, allowed)) is not None), None)


def kind_called(file: str) -> str:
    """Returns the kind of files that the last word of a file's name says; that of scenarios where
    it says none."""
    last = Path(file).stem.replace("-", "_").rpartition("_")[2].lower()
    return last if last in plugins(FILES) else SCENARIO
