"""Plugins of all packages, by entry points: commands, formats, steps, families of models.

The wings of this package add theirs as strangers' packages do. `attn help plugins` tells how.

Our own entries stand in `own_plugins`, which a test holds against the project file: to look them up
in what is installed takes 40 ms, a fifth of `attn run i_love_ai`. Whether anybody else has some is
seen from the folders of installed packages, in 1.3 ms for 112 of them; only then are they read as
Python reads entry points.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from attncli.errors import UserError
from attncli.own_plugins import OWN

COMMANDS = "attncli.commands"
FORMATS = "attncli.formats"
STEPS = "attncli.steps"
FAMILIES = "attncli.families"
FILES = "attncli.files"
"""Kinds of files that `attn new` writes and `attn schema` describes: objects of
`commands.file_kinds.FileKind`."""
MODELS = "attncli.models"
"""What reads saved models: an object as `commands.arguments.ReaderOfModels` says."""

_ROOT = Path(__file__).parent
_OURS = "attncli-"
"""What the folder is called by that pip keeps of this package."""


class Plugin(NamedTuple):
    """An entry: its name, and where in which module what it adds stands."""

    name: str
    module: str
    attribute: str = ""

    @property
    def is_file(self) -> bool:
        """Tells whether what it adds is a file of steps: `retention = package:retention.yaml`."""
        return self.attribute.endswith(".yaml")

    def load(self) -> Any:  # noqa: ANN401
        """Imports what the entry adds, a module or what it has; reads the text of a file. Raises
        UserError where it can't be had from the package of somebody else."""
        if self.module.startswith("attncli."):
            return self._imported()
        try:
            return self._imported()
        except Exception as error:
            package, kind = self.module.partition(".")[0], type(error).__name__
            wrong = f"what it adds to attn can't be imported ({kind}: {error})"
            right = f"mend {self.module}, or pip uninstall the package"
            raise UserError.of(package, wrong, right) from error

    def _imported(self) -> Any:  # noqa: ANN401
        module = import_module(self.module)
        if self.is_file:
            from importlib.resources import files

            return files(module).joinpath(self.attribute).read_text("utf-8")
        return getattr(module, self.attribute) if self.attribute else module


@cache
def plugins(group: str) -> Mapping[str, Plugin]:
    """Returns the entries of a group by name: our own in their order, then those of strangers."""
    own = (_plugin(name, place) for name, place in OWN.get(group, {}).items())
    return {entry.name: entry for entry in (*filter(_is_there, own), *_of_others(group))}


def _plugin(name: str, place: str) -> Plugin:
    module, _, attribute = place.partition(":")
    return Plugin(name, module, attribute)


def _is_there(own: Plugin) -> bool:
    """Tells whether the module of one of our own entries is there: a wing may be taken away."""
    place = _ROOT.joinpath(*own.module.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file()


def has_wing(name: str) -> bool:
    """Tells whether a wing is there, for what another one tells besides where it is."""
    return (_ROOT / name).is_dir()


def _of_others(group: str) -> list[Plugin]:
    """Lists the entries of other packages than this one, by name."""
    if not _anybody_adds():
        return []
    from importlib.metadata import entry_points

    known = (_plugin(entry.name, entry.value) for entry in entry_points(group=group))
    return sorted(entry for entry in known if entry.module.partition(".")[0] != "attncli")


@cache
def _anybody_adds() -> bool:
    """Tells whether an installed package, other than this one, has an entry in one of our
    groups."""
    folders = (Path(place or ".") for place in sys.path)
    kept = (file for folder in folders for file in folder.glob("*-info/entry_points.txt"))
    return any("[attncli." in _text(file) for file in kept if not _is_ours(file))


def _is_ours(file: Path) -> bool:
    return file.parent.name.startswith(_OURS)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeError):
        return ""
