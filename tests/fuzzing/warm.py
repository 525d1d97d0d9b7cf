"""Imports all that a command may come to need, and reads what doesn't change."""

from __future__ import annotations

import importlib
import pkgutil

import attncli


def everything() -> None:
    for module in pkgutil.walk_packages(attncli.__path__, "attncli."):
        if module.name != "attncli.__main__":
            importlib.import_module(module.name)
