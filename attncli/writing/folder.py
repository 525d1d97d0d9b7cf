"""Writing several files as one: either all appear, or none."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import ExitStack, suppress
from pathlib import Path

from attncli.writing.contents import Contents, OutputError, check_named, encoded, told, unsupported
from attncli.writing.file import Stop, alone, copy_mode, held, replaced_name, settle, stage

_HERE = -100
"""`AT_FDCWD`: paths are as they are."""
_EXCHANGE = 2
"""`RENAME_EXCHANGE`."""


def exchange(one: Path, other: Path) -> None:
    """Two paths change what they stand for, and at no moment stand for nothing.

    Only Linux has it (renameat2), and Python doesn't say it, so the C library is asked. Raises
    OSError, also where a system or a file system can't.
    """
    import ctypes

    library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    call = getattr(library, "renameat2", None)
    if call is None:
        raise unsupported()
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def check_folder(folder: str, names: Sequence[str], *, force: bool) -> None:
    """Raises OutputError where files can't go into a folder, or others are in the way."""
    check_named(folder)
    target = Path(folder)
    with told(folder):
        if not target.is_dir() and os.path.lexists(target):
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


def write_files(folder: str, texts: Mapping[str, Contents], *, force: bool) -> None:
    """Writes files into a folder, which is made where it isn't there; over existing ones only
    with `force`. Raises OutputError, and then nothing has changed."""
    check_folder(folder, [*texts], force=force)
    with told(folder), ExitStack() as block:
        target = Path(os.path.realpath(folder))
        block.enter_context(alone(target.parent))
        if not target.is_dir():
            _make(target, texts, block.enter_context(held()))
            return
        block.enter_context(alone(target))
        stop = block.enter_context(held())
        before = {path.name for path in target.iterdir()}
        check_folder(folder, [*texts], force=force)  # somebody may have been quicker
        _add(target, texts, before, stop)


def _make(target: Path, texts: Mapping[str, Contents], stop: Stop) -> None:
    """A new folder takes its place in one move."""
    with stage(target.parent) as fresh:
        _fill(fresh, texts, stop)
        fresh.rename(target)


def _add(target: Path, texts: Mapping[str, Contents], before: Set[str], stop: Stop) -> None:
    """Files go into a folder, which holds something or nothing; some of them into folders in it."""
    if any(len(Path(name).parts) > 1 for name in texts):
        there = {name for name in texts if os.path.lexists(target / name)}
        _one_by_one(target, texts, there, stop)
        return
    try:
        _exchange(target, texts, before, stop)
    except FileExistsError:
        raise
    except OSError:
        _one_by_one(target, texts, before, stop)


def _fill(fresh: Path, texts: Mapping[str, Contents], stop: Stop) -> None:
    """Writes all files, and then has all on the disk: file by file that takes ten times as long."""
    files = {fresh / name: text for name, text in texts.items()}
    for folder in {file.parent for file in files}:
        folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        stop()
        file.write_bytes(encoded(text))
    for file in files:
        stop()
        with file.open("rb+") as written:
            os.fsync(written.fileno())


def _exchange(target: Path, texts: Mapping[str, Contents], before: Set[str], stop: Stop) -> None:
    """The folder as it will be is made beside the old one and changes places with it: whatever
    happens, the one or the other is there. Raises OSError where it can't be."""
    _check_movable(target)
    with stage(target.parent) as fresh:
        _fill(fresh, texts, stop)
        for name in before - texts.keys():
            os.link(target / name, fresh / name, follow_symlinks=False)
        _become_like(fresh, target, texts)
        stop()
        exchange(fresh, target)
        _bring_late(fresh, target, before, texts.keys())


def _check_movable(folder: Path) -> None:
    """Raises OSError for a folder that has to stay the one it is: we may not write into it, a
    shell works in it, or it holds folders, which can't be in two at once."""
    with os.scandir(folder) as entries:
        nested = any(entry.is_dir(follow_symlinks=False) for entry in entries)
    if nested or folder.samefile(os.curdir) or not os.access(folder, os.W_OK):
        raise unsupported()


def _become_like(fresh: Path, target: Path, names: Iterable[str]) -> None:
    """The new folder and its files are for whom the old ones are."""
    for name in names:
        copy_mode(target / name, fresh / name)
    old, new = target.stat(), fresh.stat()
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.chown(fresh, old.st_uid, old.st_gid)
    shutil.copystat(target, fresh)


def _bring_late(old: Path, new: Path, before: Set[str], ours: Set[str]) -> None:
    """What another program put into the old folder since we looked goes into the new one. Raises
    FileExistsError, all being as it was, where that is what we write."""
    there = {path.name for path in old.iterdir()}
    if (there - before) & ours:
        exchange(old, new)
        raise FileExistsError
    for name in there - ours:
        with suppress(OSError):
            if not ((new / name).exists() and (new / name).samefile(old / name)):
                (old / name).replace(new / name)


def _one_by_one(target: Path, texts: Mapping[str, Contents], before: Set[str], stop: Stop) -> None:
    """Files go into a folder one by one, and out of it again if one of them can't or a signal
    comes. Only if we are killed some may be new and some old, and what was replaced is beside
    them. Two renames of the whole folder would leave none for a moment, and can't be made where
    it has to stay the one it is."""
    old = replaced_name(target)
    with stage(target) as fresh:
        _fill(fresh, texts, stop)
        old.mkdir()
        try:
            with ExitStack() as undo:
                for name in texts:
                    stop()
                    _make_room(target, Path(name).parent, undo)
                    if name in before:
                        (old / name).parent.mkdir(parents=True, exist_ok=True)
                        _keep(target / name, old / name, fresh / name, undo)
                    undo.callback(_gone, fresh / name, target / name)
                    settle(fresh / name, target / name)
                undo.pop_all()
        except BaseException:
            _remove_empty(old)  # where one couldn't go back, it stays there
            raise
        shutil.rmtree(old, ignore_errors=True)


def _make_room(target: Path, folder: Path, undo: ExitStack) -> None:
    """Makes the folders that lead to a file inside another one."""
    for place in reversed([target / folder, *(target / one for one in folder.parents)]):
        if not place.is_dir():
            place.mkdir()
            undo.callback(_remove_empty, place)


def _remove_empty(folder: Path) -> None:
    """Takes a folder away, and those in it, as far as no file is there."""
    for place, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):
            Path(place).rmdir()


def _keep(place: Path, kept: Path, fresh: Path, undo: ExitStack) -> None:
    """An old file makes room. What undoes the move is ready before it is made."""
    copy_mode(place, fresh)
    undo.callback(_back, kept, place)
    place.replace(kept)


def _back(kept: Path, place: Path) -> None:
    if os.path.lexists(kept):
        with suppress(OSError):
            kept.replace(place)


def _gone(fresh: Path, place: Path) -> None:
    """Takes a new file away, if it came to be there."""
    if not fresh.exists():
        with suppress(OSError):
            place.unlink()
