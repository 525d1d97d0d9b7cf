"""Writing several files as one: either all appear, or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from attncli.cli.output import OutputError


def write_files(folder: str, texts: Mapping[str, str], *, force: bool) -> None:
    """Writes files into a folder, which is made where it isn't there; over existing ones only
    with `force`. Raises OutputError, and then nothing has changed."""
    target = Path(os.path.realpath(folder))
    try:
        if target.exists():
            _into(target, texts, force=force)
        else:
            _as_new(target, texts)
    except OSError as error:
        where = error.filename2 or error.filename or folder
        raise OutputError(
            f"{folder}: can't be written ({error.strerror}: {where}); choose another place"
        ) from None


def _as_new(target: Path, texts: Mapping[str, str]) -> None:
    """A new folder takes its place in one move."""
    stage = target.with_name(f".{target.name}.{os.getpid()}")
    stage.mkdir()
    try:
        _fill(stage, texts)
        stage.rename(target)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise


def _into(target: Path, texts: Mapping[str, str], *, force: bool) -> None:
    """Files go into a folder one by one, and out of it again if one of them can't."""
    stage = target / f".attn.{os.getpid()}"
    stage.mkdir()
    try:
        _fill(stage, texts)
        old = stage / "old"
        old.mkdir()
        with ExitStack() as undo:
            for name in texts:
                _swap(stage, target, old, name, undo, force=force)
            undo.pop_all()
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _fill(stage: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (stage / name).write_bytes(text.encode("utf-8", errors="backslashreplace"))


def _swap(stage: Path, target: Path, old: Path, name: str, undo: ExitStack, *, force: bool) -> None:
    """One file takes its place; an old one that is there is kept until all have."""
    place = target / name
    if place.exists():
        if not force:
            raise OutputError(f"{place}: exists already; choose another folder, or add --force")
        if place.is_dir():
            raise OutputError(f"{place}: is a folder; choose another place")
        shutil.copymode(place, stage / name)
        place.replace(old / name)
        undo.callback(_back, old / name, place)
    (stage / name).rename(place)
    undo.callback(_gone, place)


def _back(kept: Path, place: Path) -> None:
    with suppress(OSError):
        kept.replace(place)


def _gone(place: Path) -> None:
    with suppress(OSError):
        place.unlink()
