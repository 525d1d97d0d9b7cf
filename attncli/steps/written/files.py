"""Files of steps, from which a scenario takes its own: beside it, or in an installed package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attncli.errors import quote
from attncli.plugins import STEPS as GROUP
from attncli.plugins import Plugin, plugins
from attncli.scenario.file import reading
from attncli.scenario.file.keys import Either, Key
from attncli.scenario.file.named_files import (
    STEP_FILES,
    RefusedFileError,
    TextFile,
    TextFileKind,
    ending,
    names_file,
    text_of,
)
from attncli.scenario.file.nodes import Map, Node
from attncli.scenario.file.problems import Diagnostics, nearest
from attncli.scenario.written import WrittenStep
from attncli.steps.written.keys import STEP_BY_NAME

Steps = Mapping[str, WrittenStep]
"""Steps by their names, in their order."""


STEPS = Key(
    "steps",
    Either(
        lambda node: TextFileKind() if names_file(node) else STEP_BY_NAME,
        (STEP_BY_NAME, TextFileKind()),
    ),
    "steps of one's own, in their order; or the file that has them, from the scenario's"
    " folder, or by its name from a package: `{file: retention.yaml}`",
)


def files_of_packages() -> Mapping[str, Plugin]:
    """Returns the files of steps that installed packages add, by name."""
    return {name: entry for name, entry in plugins(GROUP).items() if entry.is_file}


def steps_of_package(entry: Plugin) -> Steps:
    """Reads the steps of a package's file. Raises ScenarioError for what is none."""
    problems = Diagnostics()
    steps = _steps(entry.load(), f"{entry.module}:{entry.attribute}", problems)
    problems.stop_if_any()
    return steps


def steps_in(file: TextFile, folder: Path | None, outside: bool, problems: Diagnostics) -> Steps:
    """Reads the steps of a file that a scenario names, from its folder or a package.

    What is wrong in the file goes to `problems`, with its place there. Raises RefusedFileError
    where it can't be used, and ScenarioError where it is no YAML.
    """
    entry = files_of_packages().get(file.path)
    if entry is not None:
        return _steps(entry.load(), f"{entry.module}:{entry.attribute}", problems)
    if ending(file.path, STEP_FILES) is None:
        known = files_of_packages()
        right = nearest(file.path, known) if known else "give a file, like {file: steps.yaml}"
        raise RefusedFileError(f"no package has steps that are called {quote(file.path)}", right)
    text = text_of(file, folder, outside, STEP_FILES)
    return _steps(text, str((folder or Path()) / file.path), problems)


def _steps(text: str, source: str, problems: Diagnostics) -> Steps:
    """Reads a text that is a map of steps, or a scenario with some."""
    whole: Node = reading.tree_of_bytes(text.encode(), source, problems)
    inside = whole.get("steps") if isinstance(whole, Map) else None
    if inside is not None and names_file(inside):
        right = "write the steps there, or name that file"
        problems.add(inside.where, "a file of steps that takes them from another", right)
        return {}
    return STEP_BY_NAME.read(inside or whole, problems) or {}
