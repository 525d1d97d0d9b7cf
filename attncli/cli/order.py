"""An exercise as it is ordered on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from attncli.cli.request import Part
    from attncli.scenario.settings import Change


class Order(NamedTuple):
    """What was typed; `command` makes it again."""

    scenario: str
    changes: Sequence[str | Change]
    steps: Sequence[str]
    part: Part
    cells: Sequence[str]
    blank: str
    points: Sequence[str]
    key: str | None
    hints: bool
    forms: str | None
    seed: str
    allow: Sequence[str]
    mistakes: str | None
    stress: str | None
    detail: str | None
    form: str | None
    fragment: bool
    output: str | None
    outside: bool
    large: bool
    force: bool
    command: str
