"""`attn exercise` on the command line: files, forms, and what is wrong with an order."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from attncli.cli import app
from attncli.document.questions import form_name
from attncli.output_files import safe_name, write_files
from tests.conftest import sampled
from tests.helpers.pages import SHIPPED, trace_of


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["exercise", *arguments])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_to_standard_output_sheet_and_key() -> None:
    result = run("i_love_ai", "--step", "softmax")
    assert result.exit_code == 0
    sheet, key = result.stdout.split("\f")
    assert "I love AI · Worksheet" in sheet
    assert "Points of 21" in sheet
    assert "12.825" not in sheet
    assert "I love AI · Answer key" in key
    assert "2.718 + 2.718 + 7.389  = 12.825" in key


@pytest.mark.parametrize("suffix", ["txt", "md", "json", "pdf"])
def test_a_sheet_in_a_file_has_its_key_beside_it(tmp_path: Path, suffix: str) -> None:
    sheet, key = tmp_path / f"sheet.{suffix}", tmp_path / f"sheet_key.{suffix}"
    result = run("i_love_ai", "--step", "softmax", "-o", str(sheet))
    assert result.exit_code == 0
    assert result.stdout == f"{sheet} is the sheet, {key} the key\n"
    assert names(tmp_path) == sorted([sheet.name, key.name])
    if suffix != "pdf":
        assert "12.825" not in sheet.read_text("utf-8")
        assert "12.825" in key.read_text("utf-8")


def test_one_source_of_latex_is_the_sheet_until_it_is_told_to_print_the_key(tmp_path: Path) -> None:
    result = run("i_love_ai", "--step", "softmax", "-o", str(tmp_path / "sheet.tex"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert names(tmp_path) == ["sheet.tex"]
    assert "% \\printanswers" in (tmp_path / "sheet.tex").read_text("utf-8")


def test_whoever_asks_for_it_has_the_key_in_the_same_file(tmp_path: Path) -> None:
    run("i_love_ai", "--key", "embedded", "-o", str(tmp_path / "both.md"))
    assert names(tmp_path) == ["both.md"]
    assert "Answer key" in (tmp_path / "both.md").read_text("utf-8")


def test_all_papers_of_one_form_stand_beside_each_other(tmp_path: Path) -> None:
    result = run("i_love_ai", "--hints", "--grid", "-o", str(tmp_path / "all.md"))
    assert result.exit_code == 0
    assert names(tmp_path) == ["all.md", "all_grid.md", "all_hints.md", "all_key.md"]


def test_a_key_in_the_way_leaves_all_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "sheet_key.md").write_text("mine", "utf-8")
    result = run("i_love_ai", "-o", str(tmp_path / "sheet.md"))
    assert result.exit_code == 2
    assert "sheet_key.md: exists already; choose another name, or add --force" in result.stderr
    assert names(tmp_path) == ["sheet_key.md"]
    assert run("i_love_ai", "-o", str(tmp_path / "sheet.md"), "--force").exit_code == 0
    assert "Answer key" in (tmp_path / "sheet_key.md").read_text("utf-8")


def test_sheet_and_key_carry_the_same_marks(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run("i_love_ai", "--forms", "2", "--seed", "3", "--step", "scores", "-o", str(folder))
    marks: dict[str, set[str]] = {}
    for path in folder.iterdir():
        text = path.read_text("utf-8")
        (form,) = re.findall(r"Form +(\w+)\n", text)
        (mark,) = re.findall(r"\nPaper code +(\w+)\n", text)
        marks.setdefault(form, set()).add(mark)
        made_by = "attn exercise i_love_ai --step scores --forms 2 --seed 3"
        assert (made_by in " ".join(text.split())) == ("key" in path.name)
        assert ("attn " in text or "seed" in text.lower()) == ("key" in path.name)
    assert sorted(marks) == ["A", "B"]
    assert all(len(found) == 1 for found in marks.values())
    assert marks["A"] != marks["B"]


@pytest.mark.parametrize(
    ("mark", "scenario", "changes"),
    [
        ("n2f68d28", "i_love_ai", ["qk_norm={gamma_Q: [2, 1]}"]),
        ("s31aca09", "i_love_ai", ["block=encoder", "norms={kind: rms, epsilon: 0.1}"]),
        ("v5d6670f", "i_love_ai", ["positions={kind: rope, base: 100, pairs: half}"]),
        ("sb0e31b9", "next_token", ["next={temperature: 2, top_k: 2}"]),
        ("kd26cf7d", "yassine_gru", ["update=old"]),
        ("m4fed638", "i_love_ai", ["embedding_scale=2"]),
    ],
)
def test_a_paper_keeps_its_mark(mark: str, scenario: str, changes: list[str]) -> None:
    """However the program keeps what a scenario says: a paper that was printed has its mark, if it
    asks for as much, for what is looked up too."""
    options = [word for change in changes for word in ("--set", change)]
    parts = (part for part in trace_of(SHIPPED[scenario], *changes).story if part.definitions)
    steps = dict.fromkeys(part.called for part in parts)
    options += [word for name in steps for word in ("--step", name)]
    assert f"Paper code  {mark}" in run(scenario, *options, "--key", "none").stdout


@sampled(2, scenario=["dictionary", "unigram"])
def test_the_mark_of_a_paper_is_the_same_in_every_run(scenario: str) -> None:
    command = [sys.executable, "-m", "attncli", "exercise", scenario, "--key", "none"]
    runs = (subprocess.run(command, capture_output=True, check=True) for _ in range(2))
    assert len({run.stdout for run in runs}) == 1


def test_forms_go_into_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    result = run(
        "i_love_ai", "--step", "scores", "--forms", "28", "--format", "markdown", "-o", str(folder)
    )
    assert result.exit_code == 0, result.output
    assert len(names(folder)) == 56
    assert {
        "i_love_ai_A_sheet.md",
        "i_love_ai_Z_key.md",
        "i_love_ai_A1_key.md",
        "i_love_ai_B1_sheet.md",
    } <= set(names(folder))


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        result = run(
            "i_love_ai", "--step", "softmax", "--forms", "3", "--seed", seed, "--blank", "random:0.5",
            "--format", "json", "-o", str(tmp_path / folder),
        )  # fmt: skip
        assert result.exit_code == 0, result.output
    texts = {
        folder: [(tmp_path / folder / name).read_bytes() for name in names(tmp_path / folder)]
        for folder in "abc"
    }
    assert texts["a"] == texts["b"]
    assert texts["a"] != texts["c"]


def test_the_first_forms_stay_when_more_are_wanted(tmp_path: Path) -> None:
    for count in ("2", "4"):
        folder = str(tmp_path / count)
        result = run("i_love_ai", "--forms", count, "--format", "json", "-o", folder)
        assert result.exit_code == 0, result.output
    for form in "AB":
        few, many = (
            json.loads((tmp_path / count / f"i_love_ai_{form}_key.json").read_text("utf-8"))
            for count in ("2", "4")
        )
        assert few["steps"] == many["steps"]
        assert few["hash"] == many["hash"]


def test_cells_of_one_step_and_forms_of_an_input(tmp_path: Path) -> None:
    result = run(
        "i_love_ai",
        "--cell",
        "W_K[1,2]",
        "--cell",
        "K[love,1]",
        "--cell",
        "K[2, 1]",
        "--format",
        "json",
    )
    data = json.loads(result.stdout)
    assert [q["id"] for step in data["steps"] for q in step["questions"]] == [
        "W_K[1, 2]",
        "K[love, 1]",
    ]
    assert data["points"] == 2
    result = run("i_love_ai", "--cell", "W_K[1,2]", "--forms", "2", "-o", str(tmp_path / "forms"))
    assert result.exit_code == 0, result.output


def test_all_that_is_no_part_is_told_at_once() -> None:
    result = run("i_love_ai", "--token", "you", "--layer", "7", "--head", "9")
    assert result.exit_code == 2
    assert all(word in result.stderr for word in ("--token you", "--layer 7", "--head 9"))


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    folder.mkdir()
    (folder / "i_love_ai_B_key.txt").write_text("mine")
    arguments = ("i_love_ai", "--step", "scores", "--forms", "3", "-o", str(folder))
    result = run(*arguments)
    assert result.exit_code == 2
    assert "i_love_ai_B_key.txt: exists already" in result.stderr
    assert names(folder) == ["i_love_ai_B_key.txt"]
    assert run(*arguments, "--force").exit_code == 0
    assert len(names(folder)) == 6
    assert "Answer key, form B" in (folder / "i_love_ai_B_key.txt").read_text("utf-8")


def test_what_is_in_the_way_stays(tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    folder.mkdir()
    (folder / "b.txt").mkdir()
    (folder / "link.txt").symlink_to("nowhere")
    with pytest.raises(ValueError, match="is a folder"):
        write_files(str(folder), {"a.txt": "new", "b.txt": "new"}, force=True)
    with pytest.raises(ValueError, match="exists already"):
        write_files(str(folder), {"a.txt": "new", "link.txt": "new"}, force=False)
    with pytest.raises(ValueError, match="there is no folder"):
        write_files(str(tmp_path / "no" / "such"), {"a.txt": "new"}, force=False)
    assert names(folder) == ["b.txt", "link.txt"]
    assert names(tmp_path) == ["forms"]


def test_a_single_paper_goes_into_a_file(tmp_path: Path) -> None:
    for name, start in (
        ("sheet.md", "# I love AI · Worksheet"),
        ("sheet.json", "{"),
        ("sheet.tex", "\\documentclass"),
        ("sheet.xml", "<?xml"),
        ("sheet.yaml", "#"),
        ("sheet.csv", "form,hash,cell,answer"),
    ):
        file = tmp_path / name
        result = run("i_love_ai", "--step", "softmax", "-o", str(file))
        assert result.exit_code == 0, result.output
        assert file.read_text("utf-8").startswith(start), name


def test_key_none_has_no_key() -> None:
    result = run("i_love_ai", "--step", "softmax", "--key", "none", "--format", "latex")
    assert result.exit_code == 0
    assert "12.825" not in result.stdout
    assert "12.825" in run("i_love_ai", "--step", "softmax", "--format", "latex").stdout


WRONG = {
    "--step nothing": "no such step",
    "--step residual": "this scenario has no such step",
    "--cell 'weights[love, you]'": 'has no "you"',
    "--cell nothing[1]": "no quantity nothing",
    "--cell 'tokens[1]'": "holds no numbers",
    "--forms 0": "--forms 0: is too few; give one from 1 to 10000",
    "--forms 1000000": "is too many",
    "--forms -3": "is too few",
    "--forms many": "is no whole number",
    "--blank random:1.5": "is no share; give one above 0",
    "--blank random:0": "is no share; give one above 0",
    "--blank random:x": "is no share; give one above 0",
    "--blank nothing": "no such choice",
    "--points softmax=x": "is no number of points; give a number",
    "--points nosuch=2": "no such step",
    "--points -1": "is no number of points; give a number",
    "--key somewhere": "no such choice",
    "--seed -1": "is too few",
    "--mistakes 100": "is too many",
    "--allow nothing": "no such rule",
    "--step tokenize": "nothing to blank",
    "--format moodle --key none": "the format moodle doesn't go with it; say embedded",
    "--format yaml --hints": "the format yaml has none",
    "--format markdown --fragment": "has no preamble to leave out",
    "--hints": "name a folder",
    "--forms 2": "name a folder",
    "--forms 2 -o sheet.md": "name a folder",
    "--key separate -o -": "name a folder",
    "--token nobody": "nobody",
    "--points mask=2": "nothing is asked of mask",
    "--step scores --points softmax=2": "nothing is asked of softmax",
    "--output ''": "names nothing",
    "--forms 2 -o no/such/": "there is no folder no",
    f"--forms {'9' * 5000}": "is too many",
    f"--points {'9' * 5000}": "is no number of points; give a number",
    "--detail most": "no such detail",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_a_wrong_order_is_told(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = re.findall(r"'[^']*'|\S+", arguments)
    result = run("i_love_ai", *(word.strip("'") for word in words))
    assert result.exit_code == 2, result.output
    assert WRONG[arguments] in result.stderr
    assert result.stderr
    assert names(tmp_path) == []


def test_all_that_is_wrong_is_told_at_once() -> None:
    result = run(
        "i_love_ai",
        "--forms",
        "0",
        "--blank",
        "x",
        "--step",
        "x",
        "--points",
        "x",
        "--key",
        "x",
        "--seed",
        "x",
    )
    assert result.exit_code == 2
    for word in ("--forms 0", "--blank x", "--step x", "--points x", "--key x", "--seed x"):
        assert word in result.stderr


def test_names_of_forms() -> None:
    assert [form_name(k) for k in (0, 25, 26, 51, 52)] == ["A", "Z", "A1", "Z1", "A2"]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("i_love_ai", "i_love_ai"),
        ("été 2/3: «x»", "ete_2_3_x"),
        ("猫", "exercise"),
        ("a" * 99, "a" * 60),
    ],
)
def test_names_are_safe(text: str, safe: str) -> None:
    assert safe_name(text) == safe
