"""`attn list`: the shipped scenarios, or the steps."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from attncli.cli.output import Complaints, deliver

if TYPE_CHECKING:
    from attncli.document import Document


class What(str, Enum):
    scenarios = "scenarios"
    steps = "steps"


def list_(
    what: Annotated[What, typer.Argument(help="What to list.")] = What.scenarios,
) -> None:
    """List the shipped scenarios, or the steps with their formulas.

    Examples:

      attn list

      attn list steps
    """
    complaints = Complaints()
    with complaints.heard():
        document = _steps() if what is What.steps else _scenarios()
        deliver(document, "terminal", None, force=False)
    complaints.stop_if_any()


def _steps() -> Document:
    from attncli.telling.catalogue import steps_catalogue

    return steps_catalogue()


def _scenarios() -> Document:
    from attncli.pipeline import work
    from attncli.scenario import load, shipped
    from attncli.telling.catalogue import scenarios_catalogue

    traces = {name: work(load(str(shipped.path_of(name)))) for name in shipped.names()}
    return scenarios_catalogue(traces)
