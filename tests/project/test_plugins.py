"""What a stranger's package adds, installed by pip: a step, a format, a command, a family."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from shutil import copytree
from types import ModuleType
from zipfile import ZipFile

import pytest

from attncli.document.blocks import Document, Paragraph
from attncli.formats import RenderOptions
from attncli.names import Word
from attncli.own_plugins import OWN

ROOT = Path(__file__).parents[2]
SHOUTING = Path(__file__).parent / "shouting"
ENTRIES = """\
[attncli.commands]
shout = shouting.command:shout
[attncli.formats]
loud = shouting.format
[attncli.steps]
halve = shouting.step:LINE
soften = shouting.step:SOFTEN
retention = shouting:retention.yaml
fading = shouting:retention.yaml
[attncli.families]
shouting = shouting.families
"""
FAMILY = ROOT / "attncli" / "models" / "checkpoints" / "families"


def wheel(folder: Path) -> Path:
    """Packs the stranger's package, with a family that is GPT-2 by another name."""
    package = copytree(SHOUTING, folder / "shouting", ignore=lambda *_: {"__pycache__"})
    families = package / "families"
    families.mkdir()
    (families / "loud.yaml").write_text(
        (FAMILY / "gpt2.yaml").read_text("utf-8").replace("gpt2", "loud2"), "utf-8"
    )
    own = json.loads((FAMILY / "defaults.json").read_text("utf-8"))
    (families / "defaults.json").write_text(json.dumps({"loud2": own["gpt2"]}), "utf-8")
    place = folder / "shouting-1.0-py3-none-any.whl"
    about = "shouting-1.0.dist-info"
    texts = {
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": ENTRIES,
    }
    with ZipFile(place, "w") as packed:
        for path in sorted(package.rglob("*.*")):
            packed.write(path, path.relative_to(folder).as_posix())
        for name, text in texts.items():
            packed.writestr(name, text)
        packed.writestr(f"{about}/RECORD", "")
    return place


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stranger")
    target = folder / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    options = ["--disable-pip-version-check", "--target", str(target)]
    subprocess.run([*command, *options, str(wheel(folder))], check=True)
    return target


EACH = """\
import json, sys
from typer.testing import CliRunner
from attncli.cli import app
runs = [CliRunner().invoke(app, words, prog_name="attn") for words in json.loads(sys.argv[1])]
print(json.dumps([(run.exit_code, run.stdout + run.stderr) for run in runs]))
"""


def each(installed: Path, *commands: str) -> list[tuple[int, str]]:
    """The status and what is printed of commands, one after the other in a process that has the
    package installed."""
    paths = os.pathsep.join([str(installed), str(ROOT)])
    typed = json.dumps([shlex.split(command) for command in commands])
    told = subprocess.run(
        [sys.executable, "-c", EACH, typed],
        env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "100"},
        cwd=installed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return [(status, page) for status, page in json.loads(told.stdout)]


def attn(installed: Path, *commands: str, status: int = 0) -> list[str]:
    """What commands print that end with a status."""
    told = each(installed, *commands)
    assert [ended for ended, _ in told] == [status] * len(told), told
    return [page for _, page in told]


def test_a_command_of_a_stranger(installed: Path) -> None:
    listed, its_help, shouted = attn(
        installed, "--help", "shout --help", "shout i_love_ai --times 2"
    )
    assert "shout     Shout what a scenario reads." in listed
    assert "--times" in its_help
    assert shouted == "I LOVE AI!\n" * 2
    assert "shout" in attn(installed, "shot i_love_ai", status=2)[0]
    asked = "import attncli; print(attncli.shout('i_love_ai'), end='')"
    paths = os.pathsep.join([str(installed), str(ROOT)])
    told = subprocess.run(
        [sys.executable, "-c", asked],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "I LOVE AI!\n"


def test_a_format_of_a_stranger(installed: Path, tmp_path: Path) -> None:
    place = tmp_path / "page.loud"
    its_help, page, _ = attn(
        installed,
        "run --help",
        "run i_love_ai --step softmax --format loud",
        shlex.join(["run", "i_love_ai", "-o", str(place)]),
    )
    assert "|loud" in its_help
    assert "THE SOFTMAX TURNS A QUERY'S SCORES INTO WEIGHTS" in page
    assert place.read_text("utf-8").startswith("I LOVE AI\n")


def test_a_step_of_a_stranger(installed: Path) -> None:
    steps, page, without, schema, lesson = attn(
        installed,
        "list steps",
        "run i_love_ai --set halved=2 --step halve",
        "run i_love_ai",
        "schema",
        "explain halve",
    )
    assert steps.index("\nscale ") < steps.index("\nhalve ") < steps.index("\nsoftmax ")
    assert "Each score is halved." in page
    assert "halves[love, AI]   = 2 / 4 = 0.50" in page
    assert "halve" not in without
    assert '"halved"' in schema
    assert "Smaller scores make the weights more even." in lesson
    (lost,) = attn(installed, "run i_love_ai --set halfed=2", status=2)
    assert "did you mean halved?" in lost


def test_a_file_of_steps_of_a_stranger(installed: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    given = "given: {gamma: 0.5, 'X[token, d]': [[1, 2], [3, 4]]}"
    own.write_text(f"tokens: [a, b]\n{given}\nsteps: {{file: retention}}\n")
    listed, shipped, page, *explained = attn(
        installed,
        "list steps",
        "explain retention",  # a scenario has the name too
        shlex.join(["run", str(own)]),
        "explain fading",
        "explain --step fading",
        "explain --step retention",
    )
    assert re.search(r"retention +All tokens at once; Again", listed)
    assert "What came earlier counts less." not in shipped
    for lesson in explained:
        assert "What came earlier counts less." in lesson
        assert "Letting a token see those after it." in lesson
        assert "S[t, j] = gamma × S[t − 1, j] + X[t, j]" in lesson
    assert "All tokens at once" in page
    assert "S[2][2] = 0.5 × 2.0 + 4 = 1.00 + 4 = 5.00" in page
    own.write_text(own.read_text().replace("file: retention", "file: retension"))
    (lost,) = attn(installed, shlex.join(["run", str(own)]), status=2)
    assert f"{own}:3:15: no package has steps that are called" in lost
    assert "did you mean retention?" in lost


def test_a_step_of_a_stranger_in_yaml(installed: Path, tmp_path: Path) -> None:
    steps, page, lesson, gradients = attn(
        installed,
        "list steps",
        "run i_love_ai --set softened=4 --step soften",
        "explain soften",
        "run learning_to_attend --set softened=2 --gradient-check --rounding exact",
    )
    assert steps.index("\nhalve ") < steps.index("\nsoften ") < steps.index("\nsoftmax ")
    assert "Each score is multiplied by its own" in page
    assert "soft[love, AI]   = 2 × max(2, −2) / 4 = 1.00" in page
    assert "Forgetting to divide." in lesson
    assert "All 13 gradients agree" in gradients
    broken = copytree(installed, tmp_path / "broken")
    (broken / "shouting" / "soften.yaml").write_text("at: head\n")
    (told,) = attn(broken, "run i_love_ai --set softened=4", status=2)
    assert told.startswith("shouting:soften.yaml:1:1: a step without keys and title and does")


def test_a_gradient_goes_back_through_a_strangers_step(installed: Path) -> None:
    scenario = "learning_to_attend --set halved=1 --gradient-check"
    (page,) = attn(installed, f"run {scenario} --rounding exact")
    assert "All 13 gradients agree, on 9 digits or more." in page
    assert "Backward through the halving   grad.scores = grad.halves / 2" in page


def test_a_family_of_a_stranger(installed: Path) -> None:
    listed, its_help = attn(installed, "help models", "help loud2")
    assert "`loud2`" in listed
    assert "how `loud2` is read" in its_help


def test_a_package_that_is_broken_is_named(installed: Path, tmp_path: Path) -> None:
    broken = copytree(installed, tmp_path / "broken")
    (broken / "shouting" / "step.py").write_text("import nothing_there\n")
    (told,) = attn(broken, "run i_love_ai", status=2)
    assert told == (
        "shouting: what it adds to attn can't be imported (ModuleNotFoundError: No module named"
        " 'nothing_there'); mend shouting.step, or pip uninstall the package\n"
    )


def test_what_help_shows_of_plugins_works() -> None:
    text = (ROOT / "scenarios" / "README.md").read_text("utf-8")
    told = text.partition("\n## Plugins: ")[2].partition("\n## ")[0]
    of_format, of_command, _ = re.findall(r"```python\n(.*?)```", told, re.DOTALL)
    module = ModuleType("helped")
    sys.modules["helped"] = module
    exec(compile(of_format, "plugins", "exec"), vars(module))
    exec(compile(of_command, "plugins", "exec"), vars(module))
    page = Document(Word("a title"), (), closing=(Paragraph(("It speaks.",)),))
    assert "IT SPEAKS." in module.render(page, RenderOptions())
    assert module.shout(module.shout.asked({"scenario": "i_love_ai"})).text == "I LOVE AI!\n"


def test_our_own_entries_are_those_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entries = {k: v for k, v in project["entry-points"].items() if k.startswith("attncli")}
    assert entries == OWN
    assert [*entries["attncli.commands"]] == [*OWN["attncli.commands"]]


def test_our_own_entries_are_there() -> None:
    """As whoever installed the package finds them."""
    for group, own in OWN.items():
        known = {entry.name: entry for entry in entry_points(group=group)}
        for name in own:
            if name in known:
                known[name].load()
