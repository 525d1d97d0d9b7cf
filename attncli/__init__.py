"""attncli: self-attention worked out by hand.

    from attncli import load, work

    trace = work(load("i_love_ai"))
    trace["weights"].values   # a NumPy array, [3, 3]

`load` reads a scenario (a path, a shipped name or a mapping), `work` does its sums. A trace is a
mapping of names; `trace.working("weights[love, AI]")` and `trace.page("markdown")` are text, and
`trace.steps` what was done. A notebook shows the trace as a page, and so `trace["weights"]`,
`trace.step("softmax")` and `trace["weights"].cell("love", "AI")`. Each command of `attn` is a
function, too: `attncli.explain(step="softmax")`, `attncli.check("alice_met_bob").status`.
"""

import copyreg
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncli.library.loaded import LoadedScenario as Scenario
    from attncli.library.loaded import load
    from attncli.library.quantity import WorkedQuantity as Quantity
    from attncli.library.trace import WorkedStep as Step
    from attncli.library.trace import WorkedTrace as Trace
    from attncli.library.trace import work
    from attncli.scenario.file.problems import ScenarioError

__version__ = "0.1.0"

_HOMES = {
    "load": ("attncli.library.loaded", "load"),
    "Scenario": ("attncli.library.loaded", "LoadedScenario"),
    "ScenarioError": ("attncli.scenario.file.problems", "ScenarioError"),
    "work": ("attncli.library.trace", "work"),
    "Trace": ("attncli.library.trace", "WorkedTrace"),
    "Step": ("attncli.library.trace", "WorkedStep"),
    "Quantity": ("attncli.library.quantity", "WorkedQuantity"),
}

__all__ = [
    "Quantity",
    "Scenario",
    "ScenarioError",
    "Step",
    "Trace",
    "__version__",
    "check",
    "compare",
    "design",
    "diff",
    "exam",
    "exercise",
    "explain",
    "grade",
    "lint",
    "load",
    "new",
    "run",
    "schema",
    "site",
    "validate",
    "why",
    "work",
]


copyreg.pickle(MappingProxyType, lambda view: (dict, (dict(view),)))  # type: ignore[arg-type,return-value]
"""Read-only maps, which are the defaults of records, can be pickled."""


_AS_PYTHON_HAS = ("help", "list")
"""Functions that `from attncli import *` doesn't put in the place of Python's own."""


def __dir__() -> list[str]:
    return [*__all__, *_AS_PYTHON_HAS]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Imports what is asked for when it is asked for: `attn --help` needs no NumPy."""
    from importlib import import_module

    if name == "torch":
        return import_module("attncli.torch")
    if name in _HOMES:
        module, attribute = _HOMES[name]
        return getattr(import_module(module), attribute)
    if not name.startswith("_"):
        from attncli.plugins import COMMANDS, plugins

        if name in plugins(COMMANDS):
            from attncli.library.from_python import function_of

            return function_of(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
