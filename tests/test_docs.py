"""The documentation can't rot: it is held against the real commands, options, steps and keys."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest
import typer
from rich.cells import cell_len
from typer.testing import CliRunner

from attncli import cli
from attncli.cli import app
from attncli.file.keys import Record
from attncli.file.kinds import Choice
from attncli.render import page_format_names
from attncli.steps import steps
from attncli.steps.schema import SCENARIO, givable
from attncli.telling.catalogue import general_formulas
from attncli.telling.reference import topics
from attncli.telling.shipped import contents
from tests.conftest import ROOT
from tests.pages import SHIPPED, trace_of
from tests.reference_tables import tabled_keys, with_tables

README = (ROOT / "README.md").read_text("utf-8")
REFERENCE = (ROOT / "scenarios" / "README.md").read_text("utf-8")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def section(heading: str) -> str:
    """The part of the README or of the reference under a heading that begins so."""
    both = f"{README}\n{REFERENCE}"
    return both.partition(f"\n## {heading}")[2].partition("\n## ")[0]


def keys_inside(kind: Any) -> Iterator[str]:
    """The keys of a record and of all records inside it; steps are listed elsewhere."""
    if isinstance(kind, Record):
        for key in kind.keys:
            yield key.name
            yield from () if key.name == "steps" else keys_inside(key.kind)
    for inner in getattr(kind, "kinds", ()) or filter(None, [getattr(kind, "kind", None)]):
        yield from keys_inside(inner)


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
                assert re.search(rf"`{option}[ `]", REFERENCE), option


def test_every_step_and_quantity_is_documented() -> None:
    for step in steps():
        ((row),) = re.findall(rf"^\| `{step.name}` \| (`.*) \|$", section("Steps: "), re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(step.makes)
        assert step.purpose
        assert general_formulas(step)
        assert step.mistakes or step.name == "tokenize"


def test_the_tables_of_the_reference_are_those_of_the_declarations(rewrite: bool) -> None:
    path = ROOT / "scenarios" / "README.md"
    if rewrite:
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
    text = path.read_text("utf-8")
    assert text == with_tables(text), "run with --rewrite-golden"


def test_every_scenario_key_is_documented() -> None:
    assert tabled_keys(REFERENCE) == {key.name for key in SCENARIO.keys}


@pytest.mark.parametrize("key", sorted(set(keys_inside(SCENARIO))))
def test_every_key_inside_a_key_is_documented(key: str) -> None:
    text = re.sub(r"```.*?```", "", section("Scenario: "), flags=re.DOTALL)
    code = re.findall(r"`[^`]+`", text)
    assert any(re.search(rf"(?<!\w){key}(?!\w)", words) for words in code)


def choices_inside(kind: Any) -> Iterator[str]:
    """The words that a record and all that is inside it let one choose from."""
    yield from kind.words if isinstance(kind, Choice) else ()
    for key in kind.keys if isinstance(kind, Record) else ():
        yield from choices_inside(key.kind)
    for inner in getattr(kind, "kinds", ()) or filter(None, [getattr(kind, "kind", None)]):
        yield from choices_inside(inner)


@pytest.mark.parametrize("choice", sorted(set(choices_inside(SCENARIO))))
def test_every_choice_of_a_key_is_documented(choice: str) -> None:
    text = re.sub(r"```.*?```", "", section("Scenario: "), flags=re.DOTALL)
    code = re.findall(r"`[^`]+`", text)
    assert any(re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-])", words) for words in code)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_scenario_is_documented_and_listed(name: str) -> None:
    (says,) = [shown[name] for shown in contents().values() if name in shown]
    assert f"| `{name}` | {says} |" in section("Shipped scenarios")


def test_nothing_is_listed_that_is_not_shipped() -> None:
    assert {name for shown in contents().values() for name in shown} == {*SHIPPED}


def test_every_format_and_given_quantity_is_documented() -> None:
    assert all(f"`{form}`" in REFERENCE for form in page_format_names())
    assert all(f"`{name}`" in REFERENCE for name in givable())


def test_the_excerpt_is_what_the_command_prints() -> None:
    for command, output in re.findall(r"```console\n\$ attn (.*?)\n(.*?)```", README, re.DOTALL):
        result = CliRunner().invoke(app, shlex.split(command))
        assert result.exit_code == 0
        assert result.stdout.replace("\f", "") == output  # where a printer begins a page


def test_the_scenario_in_the_reference_works() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", REFERENCE, re.DOTALL)
    assert trace_of(text)["output"].values[0].tolist() == [1.998, 2.265]


def test_the_library_example_prints_what_it_says() -> None:
    ((code, output),) = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "README", "exec"), {})
    assert printed.getvalue() == output


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("topic", topics())
def test_help_prints_the_reference(topic: str, width: int) -> None:
    """Every word of it, at any width: in tables a word may go on in the next line of its cell."""
    told = CliRunner().invoke(app, ["help", topic], env={"COLUMNS": str(width)})
    assert told.exit_code == 0
    assert max(map(cell_len, told.stdout.splitlines())) <= width
    marks = re.compile(r"[\s`*|│─━•-]+")
    assert Counter(marks.sub("", told.stdout)) == Counter(marks.sub("", words_of(topic)))


def words_of(topic: str) -> str:
    """What a topic says, without the rules of tables, fences and headings."""
    text = re.sub(r"^(```\w*|\|( --- \|)+)$", "", topics()[topic].text, flags=re.MULTILINE)
    return re.sub(r"^#+ ", "", text, flags=re.MULTILINE)


def test_help_lists_its_topics() -> None:
    told = CliRunner().invoke(app, ["help"]).stdout.splitlines()
    assert [line.split()[0] for line in told] == ["scenario", "steps", *list(topics())[2:]]
    assert {"scenario", "rounding", "exercise"} <= {*topics()}
    wrong = CliRunner().invoke(app, ["help", "softmax"])
    assert wrong.exit_code == 2
    assert all(topic in wrong.stderr for topic in topics())


def test_the_walls_between_the_parts_stand() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout


HEAVY = ("numpy", "yaml", "rich.console", "decimal", "pydantic")
OF_OTHERS = (
    *("cells", "joining", "masking", "rotary", "positions", "sampling", "pieces", "viterbi"),
    *("norms", "mask", "rotate", "dropout", "predict", "gates", "estimate", "learn", "learning"),
    *("exercise", "unigrams", "tokenizing", "design", "oracle", "latex", "lesson", "cell_shapes"),
)
"""Parts of the names of modules that a scenario without masks, norms, … doesn't need."""


def imported_by(*command: str) -> set[str]:
    """The modules that are imported when a command is run."""
    code = (
        "import sys; from attncli.__main__ import main; sys.argv[0] = 'attn'\n"
        "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
    )
    return set(result.stderr.split())


@pytest.mark.parametrize("command", [[], ["list"]])
def test_scenarios_are_listed_without_numpy(command: list[str]) -> None:
    assert imported_by(*command).isdisjoint({"numpy", "yaml"})


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["run", "--help"], ["new", "-"]])
def test_nothing_is_imported_that_help_does_not_need(command: list[str]) -> None:
    assert imported_by(*command).isdisjoint(HEAVY)


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_command_imports_what_its_scenario_needs(command: str) -> None:
    own = {name for name in imported_by(command, "i_love_ai") if name.startswith("attncli.")}
    assert not [name for name in own if not {*name.split(".")}.isdisjoint(OF_OTHERS)]
    commands = {name for name in own if name.startswith("attncli.cli.")} & {
        f"attncli.cli.{module}" for module in cli.COMMANDS.values()
    }
    assert commands == {f"attncli.cli.{command}"}
