"""The scenarios that come with the program, by name."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
_FOLDERS = (_PACKAGE / "scenarios", _PACKAGE.parent / "scenarios")
"""The folders to look in: inside an installed wheel, and beside the package in a checkout."""


def folder() -> Path:
    """Returns the folder of the shipped scenarios."""
    return next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])


def names() -> list[str]:
    """Lists the names of the shipped scenarios."""
    files = folder().iterdir() if folder().is_dir() else ()  # a glob would compile its pattern
    return sorted(file.stem for file in files if file.suffix == ".yaml")


def path_of(name: str) -> Path:
    return folder() / f"{name}.yaml"


def find(source: str) -> Path:
    """Finds the file that `source` means: a path, or the name of a shipped scenario where there is
    no such file."""
    path = Path(source)
    if source in names() and not path.is_file():
        return path_of(source)
    return path
