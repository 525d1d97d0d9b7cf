"""What takes too long or too much memory is refused by every command before any of it is done; and
what a large scenario takes grows no faster than its numbers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from attncli.classroom.lint import weaknesses
from attncli.classroom.marking.answers import MOST_ROWS, AnswerSheet
from attncli.classroom.marking.class_list import Student
from attncli.classroom.marking.classes import Roll
from attncli.cli import app
from attncli.commands.arguments import Allowed
from attncli.commands.declaring import command as declared
from attncli.efforts import MOST_PAPERS
from attncli.maths.equations.matrix import Matrix
from attncli.plugins import COMMANDS, plugins
from attncli.scenario.file import dump_files
from attncli.scenario.file.dump_files import read_dump
from attncli.trace import trace
from attncli.web.commands import ServeArguments
from attncli.web.session import ServedScenario
from tests.helpers.pages import trace_of

TOKENS = 6000


def scenario(tokens: int, dims: int = 8) -> str:
    names = ", ".join(f"t{k}" for k in range(tokens))
    weights = "".join(f"W_{x}: {{random: normal, seed: {k}}}\n" for k, x in enumerate("QKV"))
    return f"tokens: [{names}]\nX: {{random: normal, seed: 9}}\nd_model: {dims}\n{weights}"


ARGUMENTS: dict[str, Sequence[str]] = {
    "run": ["large.yaml"],
    "serve": ["large.yaml", "--no-open"],
    "explain": ["large.yaml"],
    "why": ["output[1, 1]", "large.yaml"],
    "compare": ["large.yaml", "--decimals", "4"],
    "check": ["large.yaml"],
    "lint": ["large.yaml"],
    "diff": ["large.yaml", "dump.json"],
    "exercise": ["large.yaml"],
    "exam": ["exercise.yaml", "-o", "papers"],
    "practice": ["large.yaml"],
    "grade": ["large.yaml", "answers.yaml"],
    "design": ["large.yaml", "--forms", "2"],
    "validate": ["large.yaml"],
    "site": ["site", "--from", "."],
}
"""How each command is asked for something with a large scenario."""


def _with_large(name: str) -> bool:
    from typer.main import get_command

    command: Any = get_command(app)
    own = command.get_command(None, name)
    return any("--large" in parameter.opts for parameter in own.params)


def test_every_command_with_a_scenario_is_tried() -> None:
    assert {name for name in plugins(COMMANDS) if _with_large(name)} == set(ARGUMENTS)


@pytest.mark.parametrize("command", [name for name in ARGUMENTS if name != "serve"])
def test_each_command_refuses_a_large_scenario_before_it_works_it(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("large.yaml").write_text(scenario(TOKENS))
    Path("exercise.yaml").write_text("scenario: large.yaml\nforms: 2\n")
    Path("answers.yaml").write_text("answers: {'weights[1, 1]': 1}\n")
    Path("dump.json").write_text('{"Q": [[1]]}')
    if command == "site":
        Path("exercise.yaml").unlink()

    def make(*_: object) -> None:
        pytest.fail("it is worked")

    monkeypatch.setattr(trace, "make", make)
    monkeypatch.setattr("attncli.pipeline.make", make)
    told = CliRunner().invoke(app, [command, *ARGUMENTS[command]])
    assert told.exit_code == (1 if command == "site" else 2), told.output  # which leaves it out
    assert "numbers" in told.stderr
    assert " GB) are too much at once; " in told.stderr
    assert "--large" in told.stderr


def test_what_is_served_is_refused_in_the_page(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    file.write_text(scenario(TOKENS))
    served = ServedScenario(ServeArguments(str(file)))
    served.renew()
    assert "are too much at once" in str(served.problems[0])


def test_a_command_says_what_it_does_with_scenarios() -> None:
    class Asked(NamedTuple):
        """A scenario."""

        allowed: Allowed = Allowed()

    with pytest.raises(TypeError, match="say what effort"):
        declared(Asked)


@pytest.mark.parametrize("command", ["lint", "exercise", "compare"])
def test_what_does_more_with_a_scenario_refuses_a_smaller_one(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("large.yaml").write_text(scenario(2000, 64))
    told = CliRunner().invoke(app, [command, *ARGUMENTS[command]])
    assert told.exit_code == 2
    assert "are too much at once; " in told.stderr


# ── work that grows with what is told ──


def counted(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> int:
    """How many numbers are put into digits."""
    count, number = 0, Matrix._number

    def counting(self: Matrix, i: int, j: int) -> object:
        nonlocal count
        count += 1
        return number(self, i, j)

    with monkeypatch.context() as patched:
        patched.setattr(Matrix, "_number", counting)
        act()
    return count


def test_lint_puts_only_what_it_tells_into_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    # of 90,000 weights, nearly all are ambiguous, tied, or shown as 0
    counts = []
    for tokens in (100, 300):
        worked = trace_of(scenario(tokens))
        counts.append(counted(monkeypatch, partial(weaknesses, worked)))
    few, many = counts
    assert many < 3 * few + 20 * 300


def test_a_sum_over_a_matrix_is_told_without_its_terms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the sum of all exponentials, which is a common mistake
    file = tmp_path / "large.yaml"
    file.write_text(scenario(300))
    asked = ["explain", str(file), "--step", "softmax"]
    count = counted(monkeypatch, lambda: CliRunner().invoke(app, asked))
    assert 0 < count < 300**2 / 3


# ── dumps ──


def header_of(tensors: dict[str, tuple[int, ...]]) -> tuple[bytes, int]:
    head, end = {}, 0
    for name, shape in tensors.items():
        begin, count = end, 1
        for extent in shape:
            count *= extent
        end += 4 * count
        head[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text, end


def test_tensors_without_a_known_name_or_shape_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "dump.safetensors"
    head, size = header_of({"Q": (3, 2), "optimizer.state": (10**9,), "K": (10**6, 3)})
    with file.open("wb") as stream:
        stream.write(head)
        stream.truncate(len(head) + size)  # which takes no room on the disk
    read: list[tuple[int, ...]] = []
    floats = vars(dump_files)["as_floats"]

    def noted(array: Any) -> Any:
        read.append(array.shape)
        return floats(array)

    monkeypatch.setattr(dump_files, "as_floats", noted)
    told = CliRunner().invoke(app, ["diff", "i_love_ai", str(file)])
    assert told.exit_code == 1
    assert "optimizer.state" in told.stdout
    assert set(read) == {(3, 2)}


def test_large_json_is_refused_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "dump.json"
    file.write_text('{"Q": [[1, 2, 3], [1, 2, 3], [1, 2, 3]]}')
    monkeypatch.setattr(dump_files, "MOST_TEXT", 30)
    told = CliRunner().invoke(app, ["diff", "i_love_ai", str(file)])
    assert told.exit_code == 2
    assert "are too much at once; dump .safetensors or .npz" in told.stderr
    assert read_dump(str(file), large=True)["Q"].shape == (3, 3)


# ── classes ──


def test_many_forms_are_refused() -> None:
    told = CliRunner().invoke(app, ["exercise", "i_love_ai", "--forms", str(MOST_PAPERS + 1)])
    assert told.exit_code == 2
    assert f"{MOST_PAPERS + 1:,} forms are too much at once" in told.stderr


def test_a_long_table_is_refused_where_it_gets_long(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    rows = (f"S{k},A,0.4" for k in range(MOST_ROWS + 1))
    file.write_text("student,form,'weights[I, I]'\n" + "\n".join(rows))
    told = CliRunner().invoke(app, ["grade", "i_love_ai", str(file)])
    assert told.exit_code == 2
    assert f"class.csv:{MOST_ROWS + 1}:1: the table has too many rows" in told.stderr


class CountedName(str):
    """A name that counts how often it is looked at."""

    looked = 0

    def casefold(self) -> str:
        CountedName.looked += 1
        return super().casefold()


def test_whose_papers_are_is_found_without_going_through_the_list_for_each() -> None:
    students = [Student(CountedName(f"Student {k}"), str(k)) for k in range(200)]
    roll, CountedName.looked = Roll(students), 0
    sheets = [AnswerSheet(f"student {k}", "", "", {}) for k in range(200)]
    assert [roll.student_of(sheet) for sheet in sheets] == students
    assert CountedName.looked == len(students)
