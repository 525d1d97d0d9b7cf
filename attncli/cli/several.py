"""Writing several files as one: either all appear, or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from attncli.cli.output import OutputError


def check_folder(folder: str, names: Sequence[str], *, force: bool) -> None:
    """Raises OutputError where files can't go into a folder, or others are in the way."""
    target = Path(folder)
    if os.path.lexists(target) and not target.is_dir():
        raise OutputError.of(folder, "is a file", "name a folder")
    if not target.parent.is_dir():
        raise OutputError.of(folder, f"there is no folder {target.parent}", "make it first")
    taken = [target / name for name in names if os.path.lexists(target / name)]
    folders = [place for place in taken if place.is_dir()]
    if folders:
        raise OutputError.of(str(folders[0]), "is a folder", "choose another place")
    if taken and not force:
        more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
        right = "choose another folder, or add --force"
        raise OutputError.of(str(taken[0]), f"exists already{more}", right)


def write_files(folder: str, texts: Mapping[str, str], *, force: bool) -> None:
    """Writes files into a folder, which is made where it isn't there; over existing ones only
    with `force`. Raises OutputError, and then nothing has changed."""
    check_folder(folder, [*texts], force=force)
    target = Path(os.path.realpath(folder))
    try:
        if target.exists():
            _into(target, texts)
        else:
            _as_new(target, texts)
    except OSError as error:
        wrong = f"can't be written ({error.strerror})"
        raise OutputError.of(folder, wrong, "choose another place") from None


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


def _into(target: Path, texts: Mapping[str, str]) -> None:
    """Files go into a folder one by one, and out of it again if one of them can't. Old ones are
    kept beside it until all have gone in."""
    stage = target / f".attn.{os.getpid()}"
    old = stage / "old"
    stage.mkdir()
    done = False
    try:
        old.mkdir()
        _fill(stage, texts)
        with ExitStack() as undo:
            for name in texts:
                _swap(stage, target, old, name, undo)
            undo.pop_all()
        done = True
    finally:
        if done or not any(old.glob("*")):  # else one of them couldn't go back: it stays there
            shutil.rmtree(stage, ignore_errors=True)


def _fill(stage: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (stage / name).write_bytes(text.encode("utf-8", errors="backslashreplace"))


def _swap(stage: Path, target: Path, old: Path, name: str, undo: ExitStack) -> None:
    """One file takes its place. What undoes a move is ready before the move is made."""
    place = target / name
    if os.path.lexists(place):
        if not place.is_symlink():
            shutil.copymode(place, stage / name)
        undo.callback(_back, old / name, place)
        place.replace(old / name)
    undo.callback(_gone, stage / name, place)
    (stage / name).rename(place)


def _back(kept: Path, place: Path) -> None:
    if os.path.lexists(kept):
        with suppress(OSError):
            kept.replace(place)


def _gone(fresh: Path, place: Path) -> None:
    """Takes a new file away, if it came to be there."""
    if not fresh.exists():
        with suppress(OSError):
            place.unlink()
