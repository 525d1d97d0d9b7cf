"""Reading an exercise file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attncli.building.exercise_keys import EXERCISE
from attncli.building.given_matrices import places
from attncli.file import reading, shipped
from attncli.file.keys import typed
from attncli.file.nodes import Map
from attncli.file.problems import Problems
from attncli.scenario.exercise import ExerciseFile, Frame
from attncli.steps.terms import step_meant

_OWN = ("exercise", "scenario", "ask")
"""Keys of an exercise that no scenario has."""


def is_exercise(source: str | os.PathLike[str]) -> bool:
    """Whether a file that is there is one of an exercise, and not a scenario."""
    path = shipped.find(os.fspath(source))
    if not path.is_file():
        return False
    tree = reading.read_file(path, Problems(), step_meant)
    return any(tree.get(key) is not None for key in _OWN)


def load_exercise(source: str | os.PathLike[str]) -> ExerciseFile:
    """The exercise of a file. Raises ScenarioError, whose `problems` are all that is wrong."""
    problems = Problems()
    path = Path(source)
    tree = reading.read_file(path, problems, step_meant)
    values = EXERCISE.read(tree, problems) or {}
    scenario = _scenario(values, path, tree, problems)
    problems.stop_if_any()
    frame = typed(Frame, values, title=values.get("exercise", ""))
    tolerance = MappingProxyType(values.pop("tolerance", {}))
    values = {key: value for key, value in values.items() if key != "scenario"}
    return typed(
        ExerciseFile,
        values,
        scenario=scenario,
        frame=frame,
        tolerance=tolerance,
        path=path,
        places=places(tree),
    )


def _scenario(values: Mapping[str, Any], path: Path, tree: Map, problems: Problems) -> str:
    """The scenario's path, or the name of a shipped one: a file beside the exercise comes first."""
    if tree.get("scenario") is None:
        problems.add(tree.where, "no scenario to ask about", "say one, like scenario: i_love_ai")
    named = str(values.get("scenario", ""))
    beside = path.parent / named
    known = named in shipped.names() and not beside.is_file()
    return named if known else str(beside)
