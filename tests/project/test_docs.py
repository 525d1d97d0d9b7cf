"""The documentation can't rot: it is held against the real commands, options, steps and keys."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from safetensors.numpy import save_file
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from attncli.formats import page_format_names
from attncli.pages.catalogue import contents, entries, topics
from attncli.pages.lesson import general_formulas
from attncli.plugins import COMMANDS as COMMAND_PLUGINS
from attncli.plugins import plugins
from attncli.scenario.file import shipped
from attncli.scenario.file.keys import Choice, Record
from attncli.steps import steps
from attncli.steps.order import OWN
from attncli.steps.schema import SCENARIO, givable
from attncli.steps.written.keys import MistakeKind, StepKind
from tests.conftest import ROOT, sampled, share
from tests.helpers.pages import SHIPPED, trace_of
from tests.helpers.reference_tables import COMMANDS, errata_of, tabled_keys, with_tables

README = (ROOT / "README.md").read_text("utf-8")
REFERENCE = (ROOT / "scenarios" / "README.md").read_text("utf-8")


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
    commands = section("Commands") + "\n"
    assert len(re.findall(rf"^\| `attn {command}\b[^|]*` \| .* \|$", commands, re.M)) == 1
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
        ((row),) = re.findall(rf"^\| `{step.name}` \| (`.*)? \|$", section("Steps: "), re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(step.results.names)
        assert step.why_here(None)
        assert general_formulas(step) or step.name == OWN  # whose author writes them
        assert step.mistakes or step.name in ("tokenize", OWN)


def test_the_tables_of_the_reference_are_those_of_the_declarations(rewrite: bool) -> None:
    path = ROOT / "scenarios" / "README.md"
    if rewrite:
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
    text = path.read_text("utf-8")
    assert text == with_tables(text), "run with --rewrite-golden"


def test_every_scenario_key_is_documented() -> None:
    assert tabled_keys(REFERENCE) == {key.name for key in SCENARIO.keys}


def undocumented(words: Sequence[str], letter: str) -> list[str]:
    """Those of some words that stand in no code of the reference's part on scenarios."""
    parts = section("Scenario: ") + section("Equations: ")
    text = re.sub(r"```.*?```", "", parts, flags=re.DOTALL)
    code = "\n".join(re.findall(r"`[^`]+`", text))
    found = (rf"(?<!{letter}){re.escape(word)}(?!{letter})" for word in words)
    return [word for word, each in zip(words, found, strict=True) if not re.search(each, code)]


def test_every_key_inside_a_key_is_documented() -> None:
    keys = sorted(set(keys_inside(SCENARIO)))
    assert len(keys) > 200
    assert undocumented(keys, r"\w") == []


def choices_inside(kind: Any) -> Iterator[str]:
    """The words that a record and all that is inside it let one choose from."""
    yield from kind.words if isinstance(kind, Choice) else ()
    for key in kind.keys if isinstance(kind, Record) else ():
        yield from choices_inside(key.kind)
    for inner in getattr(kind, "kinds", ()) or filter(None, [getattr(kind, "kind", None)]):
        yield from choices_inside(inner)


def test_every_choice_of_a_key_is_documented() -> None:
    choices = sorted(set(choices_inside(SCENARIO)))
    assert len(choices) > 150
    assert undocumented(choices, r"[\w-]") == []


def test_the_first_pages_are_in_the_order_of_learning() -> None:
    pages = re.findall(r"^\d\. `attn run (\w+)`", section("Five pages"), re.MULTILINE)
    order = [name for shown in contents().values() for name in shown]
    assert len(pages) == 5
    assert pages == sorted(pages, key=order.index)


def test_the_picture_is_what_the_command_makes(rewrite: bool, tmp_path: Path) -> None:
    (path,) = (ROOT / name for name in re.findall(r"!\[.*?\]\((.*?)\)", README))
    (command,) = re.findall(rf"`attn (.*) -o {path.name}`", README)
    made = tmp_path / path.name
    assert CliRunner().invoke(app, [*shlex.split(command), "-o", str(made)]).exit_code == 0
    if rewrite:
        path.write_bytes(made.read_bytes())
    assert path.read_bytes() == made.read_bytes(), "run with --rewrite-golden"


def commands_in(text: str) -> list[str]:
    """The commands that are told in running text, but for those with something to fill in."""
    anies = (value for code in re.findall(r"`(attn [^`]+)`", text) for value in code.split(" && "))
    return [value for value in dict.fromkeys(anies) if not re.search(r"\b[A-Z]{4,}\b", value)]


@pytest.mark.parametrize("command", commands_in(README))
def test_the_commands_of_the_readme_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(SHIPPED["i_love_ai"], "utf-8")
    writes = "mine.yaml" in command and " run " not in command
    words = [*shlex.split(command)[1:], *["--force"] * writes]
    differs = words[0] == "compare"  # which says so as `diff` does
    assert CliRunner().invoke(app, words).exit_code == differs


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 140


def test_what_is_listed_is_what_is_shipped() -> None:
    listed = {name: says for shown in contents().values() for name, says in shown.items()}
    assert sorted(listed) == sorted(SHIPPED)
    for name, says in listed.items():
        assert load(name).page.about.startswith(f"{says} ")
        assert says.endswith("?")


def test_every_format_and_given_quantity_is_documented() -> None:
    assert all(f"`{form}`" in REFERENCE for form in page_format_names())
    assert all(f"`{name}`" in REFERENCE for name in givable())


def with_outputs(text: str) -> str:
    """A text in which each command is followed by what it prints, without a printer's new pages."""

    def printed(found: re.Match[str]) -> str:
        result = CliRunner().invoke(app, shlex.split(found[1]))
        assert result.exit_code == 0
        page = result.stdout.replace("\f", "")
        return f"```console\n$ attn {found[1]}\n{page}```"

    return re.sub(r"```console\n\$ attn (.*?)\n.*?```", printed, text, flags=re.DOTALL)


def test_the_excerpt_is_what_the_command_prints(rewrite: bool) -> None:
    path = ROOT / "README.md"
    if rewrite:
        path.write_text(with_outputs(path.read_text("utf-8")), "utf-8")
    text = path.read_text("utf-8")
    assert text == with_outputs(text), "run with --rewrite-golden"


def test_the_scenario_in_the_reference_works() -> None:
    text, *_ = re.findall(r"```yaml\n(.*?)```", REFERENCE, re.DOTALL)
    assert trace_of(text)["output"].values[0].tolist() == [1.998, 2.265]


def test_the_templates_in_the_reference_work(tmp_path: Path) -> None:
    _, text, *_ = re.findall(r"```yaml\n(.*?)```", REFERENCE, re.DOTALL)
    arrays: dict[str, Any] = {f"h.{i}.attn.c_attn.weight": np.ones((4, 12)) for i in range(12)}
    arrays |= {f"h.{i}.ln_1.weight": np.ones(4) for i in range(12)}
    save_file({**arrays, "wte.weight": np.ones((20, 4))}, tmp_path / "model.safetensors")
    (tmp_path / "m.yaml").write_text(text, "utf-8")
    scenario = load(tmp_path / "m.yaml")
    assert len(scenario.stack.layers) == 12
    assert work(scenario)["layers[12].W_Q"].values.shape == (4, 4)


def test_the_exercise_file_in_the_reference_works(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(exercise: .*?)```", REFERENCE, re.DOTALL)
    (tmp_path / "exam.yaml").write_text(text, "utf-8")
    made = ["exercise", str(tmp_path / "exam.yaml"), "-o", str(tmp_path / "exam")]
    assert CliRunner().invoke(app, made).exit_code == 0
    assert (tmp_path / "exam" / "forms" / "A.yaml").is_file()


def test_the_exam_file_in_the_reference_works(tmp_path: Path) -> None:
    *_, text = re.findall(r"```yaml\n(.*?)```", REFERENCE, re.DOTALL)
    (tmp_path / "midterm.yaml").write_text(text, "utf-8")
    made = ["exam", str(tmp_path / "midterm.yaml"), "--format", "markdown"]
    assert CliRunner().invoke(app, [*made, "-o", str(tmp_path / "m")]).exit_code == 0
    assert all((tmp_path / "m" / f"midterm_{form}_sheet.md").is_file() for form in "ABCD")


CODE = re.compile(r"```python\n((?:(?!```).)*)```\n\n```\n(.*?)```", re.DOTALL)
"""Python, and what it prints."""


def printed_by(code: str) -> str:
    """What Python prints in an empty module."""
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "README", "exec"), {})
    return printed.getvalue()


def test_the_library_example_prints_what_it_says() -> None:
    ((code, output),) = CODE.findall(README)
    assert printed_by(code) == output


@pytest.mark.real("torch")
def test_the_lines_for_a_module_of_pytorch_work() -> None:
    torch = pytest.importorskip("torch", reason="no torch here")
    code, *_ = re.findall(r"```python\n(.*?)```", section("Torch: "), re.DOTALL)
    torch.manual_seed(1)
    model = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    names = {"model": model, "ids": torch.randn(1, 3, 8)}
    with redirect_stdout(StringIO()) as printed:
        exec(compile(code, "README", "exec"), names)
    assert "tensors follow" in printed.getvalue()


def recipes() -> list[Any]:
    """The examples of the reference with their outputs; those of PyTorch are real."""
    real = [pytest.mark.real("torch")]
    return [
        pytest.param(code, output, marks=real if "import torch" in code else ())
        for code, output in CODE.findall(section("Library: "))
    ]


@pytest.mark.parametrize(("code", "output"), recipes())
def test_the_recipes_of_the_reference_print_what_they_say(code: str, output: str) -> None:
    assert printed_by(code) == output


def test_each_recipe_is_run() -> None:
    assert section("Library: ").count("```python") == len(CODE.findall(section("Library: "))) > 5


@sampled(5, width=[60, 80, 120], topic=topics())
def test_help_prints_the_reference(width: int, topic: str) -> None:
    """Every word of it, at any width: in tables a word may go on in the next line of its cell; code,
    set in by two, stays whole."""
    result = CliRunner().invoke(app, ["help", topic], env={"COLUMNS": str(width)})
    assert result.exit_code == 0
    prose = [line for line in result.stdout.splitlines() if not line.startswith("  ")]
    assert max(map(cell_len, prose)) <= width
    marks = re.compile(r"[\s`*|│─━•-]+")
    leads = topic in plugins(COMMAND_PLUGINS)
    said = words_of(topic) + f"attn {topic} --help lists what this command takes." * leads
    assert Counter(marks.sub("", result.stdout)) == Counter(marks.sub("", said))


def test_help_tells_of_each_key_and_step() -> None:
    for key in share(3, SCENARIO.keys, of="keys"):
        text = entries(key.name)
        assert text.startswith(f"* `{key.name}` (")
        assert f": {key.says} *(" in text
    for step in share(3, steps(), of="steps"):
        assert ", ".join(f"`{name}`" for name in step.results.names) in entries(step.name)
    text = CliRunner().invoke(app, ["help", "epsilon_in"]).stdout
    assert "inside `qk_norm`)" in " ".join(text.split())
    assert text.count("`epsilon_in`") == 1  # what is the same of several is said once


@pytest.mark.parametrize(
    ("word", "first", "more"),
    [
        ("softcap", "`softcap` (a number): c in c · tanh(scores / c)", "`softcap` makes `capped`"),
        ("norm", "`norm` (`post`, ", "`norm` (a map): a norm of these rows"),
        ("temperature", "`temperature` (a number): what scores are", "what logits are divided by"),
        ("lstm", "`cell: lstm`: makes the layer recurrent", "(Recurrent layers)"),
        ("W_O", "`W_O` (a matrix): output weights", "`attn explain what_W_O`"),
    ],
)
def test_help_begins_with_what_is_asked_for(word: str, first: str, more: str) -> None:
    text = " ".join(CliRunner().invoke(app, ["help", word]).stdout.split())
    assert text.startswith(f"• {first}")
    assert more in text


def test_help_says_where_a_word_is_only_part_of_names() -> None:
    text = " ".join(CliRunner().invoke(app, ["help", "kv"]).stdout.split())
    begins = (
        "Nothing is called `kv` alone. It is a part of these names: • `kv_heads` (a whole number)"
    )
    assert text.startswith(begins)
    assert "`attn explain kv_cache`" in text


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("residual", "`residuals` (`true`, `false`): whether the input of a sublayer is added"),
        ("residual", "as with `block: encoder` and `decoder` if nothing is said"),
        ("masks", "Nothing is called `masks`. What is called nearly so: • `mask` (`causal`, "),
        ("exercises", "there is no such topic, key, step or option; did you mean exercise?"),
        ("exams", "did you mean exam?"),
        ("essay", "`essay` is spoken of in `attn help exam`"),
        ("rouding", "did you mean rounding?"),
        ("softcapp", "did you mean softcap?"),
        ("zzzzz", "say one of scenario, steps, "),
    ],
)
def test_help_finds_words_near_to_names(word: str, says: str) -> None:
    result = CliRunner().invoke(app, ["help", word])
    assert says in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("word", "topic"),
    [
        *((word, "class") for word in ("class", "list", "entry", "overrides", "override", "grade")),
        *((word, "class") for word in ("students", "student", "csv", "grades")),
        *((word, "marking") for word in ("marking", "answers", "verdict")),
    ],
)
def test_help_leads_from_words_to_their_topic(word: str, topic: str) -> None:
    text = " ".join(CliRunner().invoke(app, ["help", word]).stdout.split())
    says = topics()[topic].says
    whole = text.startswith(f"{topic.capitalize()}: {says}")
    assert whole or text.endswith(f"`attn help {topic}` tells more: {says}.")
    assert whole == (word not in {"csv", "grades"})


@pytest.mark.parametrize("name", plugins(COMMAND_PLUGINS))
def test_help_leads_from_a_command_to_its_own(name: str) -> None:
    result = CliRunner().invoke(app, ["help", name])
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert text.endswith(f"`attn {name} --help` lists what this command takes.")


def test_help_leads_from_a_command_to_the_topics_that_speak_of_it() -> None:
    text = CliRunner().invoke(app, ["help", "design"]).stdout
    assert "`attn design` is spoken of in `attn help exercise`." in " ".join(text.split())


def test_help_finds_each_key_in_the_other_number() -> None:
    for key in share(3, SCENARIO.keys, of="keys"):
        other = key.name.removesuffix("s") if key.name.endswith("s") else f"{key.name}s"
        result = CliRunner().invoke(app, ["help", other])
        assert f"`{key.name}`" in result.output or "did you mean" in result.output, other


def test_help_is_read_on_any_background() -> None:
    text = CliRunner().invoke(app, ["help", "scenario"], env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[1m" in text
    assert not re.search(r"\x1b\[(\d+;)*[349]\d", text)


def words_of(topic: str) -> str:
    """What a topic says, without the rules of tables, fences and headings."""
    text = re.sub(r"^(```\w*|\|( --- \|)+)$", "", topics()[topic].text, flags=re.MULTILINE)
    return re.sub(r"^#+ ", "", text, flags=re.MULTILINE)


def test_the_errata_of_each_scenario_are_told() -> None:
    values = re.findall(r"<!-- errata: (\w+) -->", (shipped.folder() / "README.md").read_text())
    assert values
    assert not [name for name in shipped.names() if name not in values and [*errata_of(name)]]


def test_help_lists_its_topics() -> None:
    texts = CliRunner().invoke(app, ["help"]).stdout.splitlines()
    names = [line.split()[0] for line in texts[: texts.index("")]]
    assert names == ["scenario", "steps", *list(topics())[2:]]
    assert "attn help softcap" in " ".join(texts[-6:])
    assert {"scenario", "rounding", "exercise"} <= {*topics()}
    value, step = (CliRunner().invoke(app, ["help", word]) for word in ("lstm", "input_gate"))
    assert "`cell: lstm`" in value.stdout
    assert "attn explain --step gates" in step.stderr
    wrong = CliRunner().invoke(app, ["help", "nothingg"])
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
    *("cells", "masking", "rotary", "positions", "sampling", "pieces", "viterbi", "unigram"),
    *("norms", "masks", "biases", "experts", "probabilities", "gates", "merges", "learning"),
    *(
        "attention_learned",
        "exercise",
        "unigrams",
        "tokenizing",
        "design",
        "oracle",
        "latex",
        "lesson",
        "cell_shapes",
        "declared",
        "recognized",
    ),
)
"""Parts of the names of modules that a scenario without masks, norms, … doesn't need."""


OF_OTHER_LIBRARIES = ("fractions", "string", "rich.cells", "shlex", "encodings.utf_8_sig")
"""What only some numbers, templates and somebody's words need."""


def imported_by(*command: str) -> set[str]:
    """The modules that are imported when a command is run."""
    code = (
        "import atexit, sys; from attncli.__main__ import main; sys.argv[0] = 'attn'\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\nmain()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
    )
    return set(result.stderr.split())


@pytest.mark.parametrize("command", [[], ["list"]])
def test_scenarios_are_listed_without_numpy(command: list[str]) -> None:
    needless = {
        "numpy",
        "yaml",
        "rich.cells",
        "attncli.document.questions",
        "attncli.document.languages",
    }
    assert imported_by(*command).isdisjoint(needless)


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["run", "--help"], ["new", "-"]])
def test_nothing_is_imported_that_help_does_not_need(command: list[str]) -> None:
    assert imported_by(*command).isdisjoint(HEAVY)


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_command_imports_what_its_scenario_needs(command: str) -> None:
    imported = imported_by(command, "i_love_ai")
    assert imported.isdisjoint(OF_OTHER_LIBRARIES)
    equations = {f"attncli.maths.equations.{name}" for name in ("extended", "fractions")}
    assert imported.isdisjoint(equations)  # only what lies next to a half needs them
    own = {name for name in imported if name.startswith("attncli.")}
    assert not [name for name in own if not {*name.split(".")}.isdisjoint(OF_OTHERS)]
    declaring = {entry.module for entry in plugins(COMMAND_PLUGINS).values()}
    assert own & declaring == {plugins(COMMAND_PLUGINS)[command].module}


def test_lint_imports_the_steps_of_its_scenario() -> None:
    imported = imported_by("lint", "i_love_ai")
    steps = {name.rpartition(".")[2] for name in imported if name.startswith("attncli.steps.")}
    assert {"scores", "weights"} <= steps
    assert steps.isdisjoint({"unigram", "rotary", "norms", "gates", "probabilities"})


def test_help_tells_each_key_of_a_step_of_ones_own() -> None:
    keys = StepKind().kind.keys
    for key in (*keys, *MistakeKind().kind.keys):
        assert key.says in entries(key.name), key.name
