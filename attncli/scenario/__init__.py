"""Reading and checking scenario files.

What needs NumPy is imported when it is asked for: `attn new` and a shell's completion don't.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from attncli.refusals import Problem, Where

if TYPE_CHECKING:
    from attncli.scenario.problems import Problems, ScenarioError
    from attncli.scenario.scenario import Scenario

__all__ = [
    "Problem",
    "Problems",
    "Scenario",
    "ScenarioError",
    "Where",
]

_HOMES = {
    "Problems": "problems",
    "ScenarioError": "problems",
    "Scenario": "scenario",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
