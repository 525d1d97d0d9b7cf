"""attncli: self-attention worked out by hand.

    from attncli import load, work

    trace = work(load("i_love_ai"))
    trace["weights"].values   # a NumPy array, [3, 3]

`load` reads a scenario (a path, a shipped name or a mapping), `work` does its sums. A notebook
shows the trace as a page, and so `trace["weights"]`, `trace.step("softmax")` and
`trace["weights"].cell("love", "AI")`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncli.file.problems import ScenarioError
    from attncli.notebook import work
    from attncli.pipeline import load
    from attncli.scenario.scenario import Scenario
    from attncli.trace import Quantity, Trace

__version__ = "0.1.0"

_HOMES = {
    "load": "attncli.pipeline",
    "Scenario": "attncli.scenario.scenario",
    "ScenarioError": "attncli.file.problems",
    "work": "attncli.notebook",
    "Trace": "attncli.trace",
    "Quantity": "attncli.trace",
}

__all__ = ["Quantity", "Scenario", "ScenarioError", "Trace", "__version__", "load", "work"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Imports what is asked for when it is asked for: `attn --help` needs no NumPy."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
