"""How parameters are updated: a file an optimizer, found by itself."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from attncli.steps.training.optimizer import Optimizer


@cache
def optimizer_names() -> tuple[str, ...]:
    """The names of the optimizers."""
    files = Path(__file__).parent.glob("[a-z]*.py")
    return tuple(sorted(file.stem for file in files))


@cache
def optimizer_named(name: str) -> Optimizer:
    """The optimizer of a name."""
    optimizer: Optimizer = import_module(f"{__name__}.{name}").OPTIMIZER
    return optimizer


def optimizers() -> tuple[Optimizer, ...]:
    """All optimizers."""
    return tuple(map(optimizer_named, optimizer_names()))
