"""The documentation can't rot: it is held against the real commands, options, steps and keys."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest
import typer
from typer.testing import CliRunner

from attncli.cli import app
from attncli.render import format_names
from attncli.scenario import SCENARIO
from attncli.scenario.layer_keys import GIVEN
from attncli.steps import STEPS
from attncli.telling.catalogue import general_formulas
from tests.conftest import ROOT
from tests.pages import trace_of

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"| `attn {command}" in README
    assert COMMANDS[command].help.strip()
    assert "attn " + command in COMMANDS[command].help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented(command: str) -> None:
    for parameter in COMMANDS[command].params:
        assert parameter.help, parameter.name
        for option in parameter.opts:
            if option.startswith("-"):
                assert re.search(rf"`{option}[ `]", README), option


def test_every_step_and_quantity_is_documented() -> None:
    for step in STEPS:
        rows = re.findall(rf"^\| `{step.name}` \| (`.*) \|$", README, re.MULTILINE)
        made = [re.findall(r"`(\w+)`", row) for row in rows]
        assert [name for name in made[-1] if name != "none"] == list(step.makes)
        assert step.purpose
        assert general_formulas(step)
        assert step.mistakes or step.name == "tokenize"


@pytest.mark.parametrize("key", [key.name for key in SCENARIO.keys])
def test_every_scenario_key_is_documented(key: str) -> None:
    rows = [line for line in README.split("\n") if line.startswith("| `")]
    assert any(f"`{key}`" in row.split(" | ")[0] for row in rows)


def test_every_format_and_given_quantity_is_documented() -> None:
    assert all(f"`{form}`" in README for form in format_names())
    assert all(f"`{name}`" in README for name in GIVEN)


def test_the_excerpt_is_what_the_command_prints() -> None:
    for command, output in re.findall(r"```console\n\$ attn (.*?)\n(.*?)```", README, re.DOTALL):
        result = CliRunner().invoke(app, shlex.split(command))
        assert result.exit_code == 0
        assert result.stdout == output


def test_the_scenario_in_the_readme_works() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert trace_of(text)["output"].values[0].tolist() == [1.998, 2.265]


def test_the_library_example_prints_what_it_says() -> None:
    ((code, output),) = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "README", "exec"), {})
    assert printed.getvalue() == output


def test_the_walls_between_the_parts_stand() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout


def test_nothing_is_imported_that_help_does_not_need() -> None:
    heavy = "numpy", "yaml", "rich.console", "decimal", "pydantic"
    code = f"import sys, attncli.cli; print(*(m for m in {heavy} if m in sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""
