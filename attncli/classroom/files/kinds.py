"""Whether a file is a scenario, or asks something of one."""

import os

from attncli.scenario.file import reading, shipped
from attncli.scenario.file.problems import Diagnostics
from attncli.steps.schema import step_meant

OF_EXAMS = ("exam", "parts")
"""Keys of an exam that no exercise has."""


def is_ordered(source: str | os.PathLike[str]) -> bool:
    """Tells whether a file that is there is one of an exercise or an exam, and not a scenario."""
    path = shipped.find(os.fspath(source))
    if not path.is_file():
        return False
    tree = reading.read_file(path, Diagnostics(), step_meant)
    return any(tree.get(key) is not None for key in (*OF_EXAMS, "exercise", "scenario", "ask"))
