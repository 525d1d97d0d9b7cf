"""Does once for all runs what takes the program its time to start."""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
from functools import cache
from typing import Any

import typer

import attncli
from attncli.cli import app


@cache
def group() -> Any:
    """The command line as `attn` builds it, which takes longer than most runs."""
    return typer.main.get_command(app)


def everything() -> None:
    """Imports all that a command may come to need, and goes once through the commands."""
    for module in pkgutil.walk_packages(attncli.__path__, "attncli."):
        if module.name != "attncli.__main__":
            importlib.import_module(module.name)
    for command in ("explain", "lint", "exercise"):
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
            group()([command, "i_love_ai"], standalone_mode=False)
