"""Shipped scenarios worked by hand, from first to last, right or with one mistake: each number is rounded,
half away from zero, and gone on with as it is rounded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.classroom.planted.mistakes import MISTAKES
from tests.classroom.planted.sheet import NONE, ROUNDED, Array, sheet
from tests.helpers.plain import read

SCENARIOS = Path(__file__).parents[3] / "scenarios"


def paper(scenario: str, mistake: str = "", **changes: str) -> Mapping[str, Array]:
    """All that somebody writes down, by the names of the quantities; with changes as of `--set`."""
    data = read((SCENARIOS / f"{scenario}.yaml").read_text("utf-8"))
    made = MISTAKES[mistake] if mistake else NONE
    return sheet({**data, **changes}, made, way=ROUNDED).written
