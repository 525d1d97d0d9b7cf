"""What the command line can do, as functions of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import attncli
from attncli.cli import app
from attncli.commands.declaring import command_named
from attncli.errors import UserError
from attncli.plugins import COMMANDS, plugins

FUNCTIONS = [name for name in plugins(COMMANDS) if not command_named(name).talks]


def printed(*arguments: str) -> str:
    return CliRunner().invoke(app, [*arguments]).stdout


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_command_is_a_function_that_says_what_it_takes(name: str) -> None:
    function = getattr(attncli, name)
    assert function.__name__ == name
    assert name in dir(attncli)
    assert (name in attncli.__all__) == (name not in ("help", "list"))  # which Python has
    assert f"`attn {name}`" in function.__doc__


PAGES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "run i_love_ai --step softmax --decimals 2": (
        "run", ("i_love_ai",), {"step": "softmax", "decimals": 2},
    ),
    "explain --step scores": ("explain", (), {"step": ["scores"]}),
    "why weights[love,AI] i_love_ai --depth 1": (
        "why", ("weights[love,AI]", "i_love_ai"), {"depth": 1},
    ),
    "compare i_love_ai --set scale=sqrt_d_k": (
        "compare", ("i_love_ai",), {"set_": "scale=sqrt_d_k"},
    ),
    "check alice_met_bob": ("check", ("alice_met_bob",), {}),
    "lint i_love_ai": ("lint", ("i_love_ai",), {}),
    "list steps": ("list", (), {"what": "steps"}),
}  # fmt: skip


@pytest.mark.parametrize("typed", PAGES)
def test_pages_are_those_of_the_command(typed: str) -> None:
    name, given, data = PAGES[typed]
    page = getattr(attncli, name)(*given, **data)
    result = CliRunner().invoke(app, typed.split())
    assert str(page).strip() == result.stdout.strip()
    assert page.status == result.exit_code


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("exercise i_love_ai --step softmax --format yaml", {"step": "softmax", "form": "yaml"}),
        ("design --tokens 3", {"tokens": 3}),
        ("schema output", {"which": "output"}),
        ("help softcap", {"topic": "softcap"}),
    ],
)
def test_texts_are_those_of_the_command(typed: str, said: dict[str, Any]) -> None:
    name, *_ = typed.split()
    given = ("i_love_ai",) if name == "exercise" else ()
    assert getattr(attncli, name)(*given, **said) == printed(*typed.split())


def test_what_has_an_output_is_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """And nothing is said of it, which is for commands."""
    made = attncli.exercise("i_love_ai", step="softmax", forms=2, output=tmp_path / "forms")
    assert {path.name for path in (tmp_path / "forms").iterdir()} == {*made}
    attncli.run("i_love_ai", output=tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text("utf-8").startswith("# I love AI")
    attncli.new(tmp_path / "mine.yaml")
    assert attncli.validate(tmp_path / "mine.yaml").startswith(f"{tmp_path / 'mine.yaml'}: ok")
    assert capfd.readouterr().out == ""


def test_all_that_is_wrong_is_raised_at_once() -> None:
    with pytest.raises(UserError) as refused:
        attncli.run("nope", step="sofmax")
    assert len(refused.value.problems) == 2
    with pytest.raises(UserError, match="no such file"):
        attncli.validate(["i_love_ai", "nope"])
    with pytest.raises(TypeError, match="stpe"):
        attncli.run("i_love_ai", stpe="softmax")
    with pytest.raises(TypeError, match="step"):  # which the command hasn't either
        attncli.check("alice_met_bob", step="softmax")


BROKEN = """\
given: {"x[n]": [1, 2]}
steps:
  halved: {equations: ["half[i] = x[i] / y"]}
"""


@pytest.mark.parametrize("name", ["run", "compare", "exercise"])
def test_a_step_of_a_scenario_that_cant_be_worked_is_known(name: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(BROKEN, "utf-8")
    more = {"second": path} if name == "compare" else {}
    for step, wrong in (("halved", False), ("halvd", True)):
        with pytest.raises(UserError) as refused:
            getattr(attncli, name)(path, step=step, **more)
        said = [str(problem) for problem in refused.value.problems]
        assert any("broken.yaml:3" in one for one in said)
        assert any("did you mean halved?" in one for one in said) == wrong
