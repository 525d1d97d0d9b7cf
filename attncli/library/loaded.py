"""A scenario as a Python program loads it, which shows in a notebook what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from attncli import pipeline
from attncli.library.notebook import Showable
from attncli.scenario.scenario import Scenario

if TYPE_CHECKING:
    from attncli.document.blocks import Document

_Arguments = ParamSpec("_Arguments")


@dataclass(frozen=True, eq=False, repr=False)
class LoadedScenario(Scenario, Showable):
    """A scenario; nothing of it is worked to show it."""

    def document(self) -> Document:
        from attncli.pages.explain import given_page

        return given_page(pipeline.work_on_demand(self))


def _shown(load: Callable[_Arguments, Scenario]) -> Callable[_Arguments, LoadedScenario]:
    @wraps(load)
    def loaded(*source: _Arguments.args, **how: _Arguments.kwargs) -> LoadedScenario:
        scenario = load(*source, **how)
        return LoadedScenario(**{one.name: getattr(scenario, one.name) for one in fields(scenario)})

    return loaded


load = _shown(pipeline.load)
