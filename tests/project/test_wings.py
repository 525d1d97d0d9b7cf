"""The core knows no wing: where the folder of one is deleted, all other commands work, and all
other tests pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from attncli.plugins import COMMANDS, plugins
from tests.conftest import THOROUGH, sampled, share

ROOT = Path(__file__).parents[2]
WINGS = ("classroom", "models", "web")
_WHOLE = ("project", "benchmarks", "fuzzing", "drawing")
"""Folders of tests that are of the whole program, or none."""
_REAL = "\npytestmark = pytest.mark.real("
"""What a file has whose tests all need another program."""

COMMANDS_WORK = """
import importlib, json, pkgutil, sys
import attncli
from attncli.plugins import COMMANDS, plugins
from tests.project.test_wings import TYPED
from attncli.cli import app
from typer.testing import CliRunner

def run(*typed):
    told = CliRunner().invoke(app, typed)
    if told.exception and not isinstance(told.exception, SystemExit):
        raise told.exception
    return told

for module in pkgutil.walk_packages(attncli.__path__, "attncli."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        own = (error.name or "").startswith("attncli")
        assert not own or module.name in ("attncli.torch",), (module.name, error)
for name in plugins(COMMANDS):
    assert run(name, "--help").exit_code == 0, name
for typed, status in TYPED.items():
    name, *_ = typed.split()
    if name in plugins(COMMANDS):
        told = run(*typed.split())
        assert told.exit_code == status, (typed, told.output)
told = run(*sys.argv[1].split())
print(json.dumps([told.exit_code, told.output]))
"""
"""A program that imports all that is left and runs all commands that are left; and says what one
comes to."""

TYPED = {
    "run i_love_ai": 0,
    "run i_love_ai --format html": 0,
    "run i_love_ai --detail cost": 0,
    "explain softmax": 0,
    "why weights[love,AI] i_love_ai": 0,
    "compare i_love_ai --set scale=sqrt_d_k": 1,
    "check alice_met_bob": 1,
    "validate i_love_ai": 0,
    "list steps": 0,
    "help softcap": 0,
    "schema": 0,
    "new mine.yaml": 0,
    "exercise i_love_ai --step softmax": 0,
    "lint i_love_ai": 0,
    "design --tokens 2": 0,
    "site pages --from one": 0,
}
"""Commands, with the status that they end with."""

GONE = {
    "classroom": ("exercise i_love_ai", 2, "no such command"),
    "models": ("run --from somewhere", 2, "nothing that is installed reads saved models"),
    "web": ("serve i_love_ai", 2, "no such command"),
}
"""What can't be done without each wing, and what is said of it."""


def copy_without(wing: str, folder: Path) -> Path:
    """Copies the program and its tests, compiled as they are, without a wing."""
    place = folder / "copy"
    for name in ("attncli", "scenarios", "tests"):
        copytree(ROOT / name, place / name)
    (place / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name in ("attncli", "tests"):
        rmtree(place / name / wing)
    return place


@sampled(3, wing=WINGS)
def test_without_a_wing_all_other_commands_work(wing: str, tmp_path: Path) -> None:
    place = copy_without(wing, tmp_path)
    (tmp_path / "one").mkdir()
    shown = (ROOT / "scenarios" / "i_love_ai.yaml").read_bytes()
    (tmp_path / "one" / "mine.yaml").write_bytes(shown)
    typed, status, says = GONE[wing]
    told = subprocess.run(
        [sys.executable, "-c", COMMANDS_WORK, typed],
        env={**os.environ, "PYTHONPATH": str(place)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr[-2000:]
    assert told.stdout.startswith(f"[{status}, ")
    assert says in told.stdout.lower()
    assert (tmp_path / "pages" / "mine-sheet.html").is_file() == (wing not in ("classroom", "web"))


def test_each_wing_has_commands() -> None:
    homes = {entry.module.split(".")[1] for entry in plugins(COMMANDS).values()}
    assert homes == {"commands", *WINGS}


@pytest.mark.real
@pytest.mark.parametrize("wing", WINGS)
def test_without_a_wing_all_other_tests_pass(wing: str, tmp_path: Path) -> None:
    """Some of those that need no other program; in the folders of the other wings, too."""
    place = copy_without(wing, tmp_path)
    files = [
        str(path.relative_to(place))
        for path in sorted((place / "tests").rglob("test_*.py"))
        if path.relative_to(place).parts[1] not in _WHOLE
        if _REAL not in path.read_text("utf-8")
    ]
    one_in = "1" if THOROUGH else "4"
    options = ["-q", "-n", "0", "-p", "no:attncli", "-p", "no:cacheprovider", "--one-in", one_in]
    told = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *share(25, files, wing)],
        env={**os.environ, "PYTHONPATH": str(place)},
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-3000:]
