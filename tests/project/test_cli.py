"""The commands, as a user runs them."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from attncli import __version__, load, work
from attncli.cli import app
from attncli.pages.catalogue import contents
from attncli.pages.parts.selection import shown_parts
from attncli.scenario.file import shipped
from attncli.steps import steps
from attncli.steps.order import THROUGH
from tests.helpers import processes
from tests.helpers.pages import LARGE, shipped_trace

runner = CliRunner()


def attn(*arguments: str, code: int = 0) -> Result:
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == code, (result.output, result.exception)
    if code == 2:
        assert result.stdout == ""
        assert result.stderr
    return result


def test_run_tells_every_step() -> None:
    page = attn("run", "i_love_ai").stdout
    for line in (
        "3 · Queries, keys, values   Q = X W_Q,   K = X W_K,   V = X W_V",
        "= [1, 1] × W_K = [1×1 + 1×0, 1×1 + 1×1] = [1, 2]",
        "0.422 × [1, 2] → [0.422, 0.844]",
        "Q: I    │ 0.422    0.155  0.422",
        "AI    │ [2.420, 2.575]  [4.995, 0.155]",
    ):
        assert line in page


def test_a_file_and_a_shipped_name_are_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    by_path = attn("run", str(shipped.path_of("i_love_ai"))).stdout
    monkeypatch.chdir(tmp_path)
    assert attn("run", "i_love_ai").stdout == by_path


def test_step_token_and_cell() -> None:
    page = attn("run", "i_love_ai", "--step", "softmax", "--step", "scores").stdout
    assert "4 · Attention scores" in page
    assert "5 · Softmax" in page
    assert "6 · " not in page
    page = attn("run", "i_love_ai", "--step", "softmax", "--token", "love").stdout
    assert "weights[love, AI]" in page
    assert "weights[AI, " not in page
    assert (
        "weights[love, AI]" in attn("run", "i_love_ai", "--step", "softmax", "--token", "2").stdout
    )
    page = attn("run", "i_love_ai", "--cell", "weights[love, AI]").stdout
    assert page.rstrip().endswith("weights[love, AI] = 7.389 / 12.825 = 0.576")
    assert page.count("weights[") == 2  # the formula and the cell
    page = attn(
        "run", "i_love_ai", "--cell", "Q[3,1]", "--cell", "ids[love]", "--cell", "W_V[1,2]"
    ).stdout
    assert "Q[AI, 1] = 1 × 1 + 1 × 0 = 1 + 0 = 1" in page
    assert "ids[love] = 102" in page
    assert "W_V[1, 2] = 2" in page


def test_the_table_of_embeddings_is_whole_for_one_token(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("sentence: a b a\nembeddings: {c: [3], b: [2], a: [1]}\nW_Q: [[1]]\n")
    for token in ("b", "3"):
        page = attn("run", str(file), "--token", token).stdout
        assert all(
            f"  {name}                  │ {value}" in page for name, value in ("c3", "b2", "a1")
        )
    assert (
        "X[b] = embeddings[b] = [2]"
        in attn("explain", str(file), "--token", "b", "--step", "embed").stdout
    )


def test_options_for_one_run() -> None:
    assert "scaled[AI, AI]" in attn("run", "i_love_ai", "--set", "scale=sqrt_d_k").stdout
    page = attn("run", "i_love_ai", "--set", "W_K[1,2]=0", "--cell", "K[I,2]").stdout
    assert "K[I, 2] = 1 × 0 + 0 × 1 = 0 + 0 = 0" in page
    assert (
        "= 0.57612" in attn("run", "i_love_ai", "--decimals", "5", "--cell", "weights[2,3]").stdout
    )
    assert (
        "3 decimals, rounded only on the page"
        in attn("run", "i_love_ai", "--rounding", "exact").stdout
    )
    page = attn("run", "i_love_ai", "--set", "embeddings[AI]=[5, 1]", "--cell", "Q[AI,1]").stdout
    assert "Q[AI, 1] = 5 × 1 + 1 × 0 = 5 + 0 = 5" in page


def test_detail() -> None:
    summary = attn("run", "i_love_ai", "--detail", "summary").stdout
    rows = attn("run", "i_love_ai", "--detail", "rows").stdout
    full = attn("run", "i_love_ai").stdout
    assert "weights[" not in summary  # no working
    assert "In short: “love” attends most to “AI”: 0.576 (step 5)." in summary
    assert "weights[love] = [2.718, 2.718, 7.389] / 12.825 " in rows
    assert "weights[AI] = " not in rows
    assert summary.count("\n") < rows.count("\n") < full.count("\n")


def test_decimals_are_those_of_every_step() -> None:
    changes = ("--set", "rounding.steps={softmax: 5}")
    assert "0.57612" in attn("run", "i_love_ai", *changes).stdout
    assert "0.58 " in attn("run", "i_love_ai", *changes, "--decimals", "2").stdout


def test_json_is_one_object() -> None:
    data = json.loads(attn("run", "i_love_ai", "--format", "json").stdout)
    assert (data["attncli"], data["title"]) == (1, "I love AI")
    assert data["rounding"] == {"policy": "carry", "decimals": 3, "steps": {}}
    steps = {step["step"]: step for step in data["steps"]}
    assert list(steps) == [
        "tokenize",
        "embed",
        "project",
        "scores",
        "softmax",
        "weighted_sum",
        "ffn",
    ]
    made = {q["name"]: q for step in data["steps"] for q in step["quantities"]}
    assert list(made) == [
        "tokens", "ids", "X", "Q", "K", "V", "scores", "exp", "exp_sum", "weights", "output",
        "hidden", "activated", "ffn",
    ]  # fmt: skip
    assert made["tokens"]["values"] == ["I", "love", "AI"]
    assert made["ids"]["values"] == [101, 102, 103]
    assert made["exp_sum"]["values"] == [6.436, 12.825, 30.193]
    assert made["exp_sum"]["columns"] == []
    assert made["weights"]["rows"] == made["weights"]["columns"] == ["I", "love", "AI"]
    assert made["weights"]["values"][2] == [0.245, 0.09, 0.665]
    assert made["weights"]["text"][2] == ["0.245", "0.090", "0.665"]
    assert steps["project"]["formula"] == "Q = X W_Q, K = X W_K, V = X W_V"


def test_output_is_whole_and_never_over_another(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    attn("run", "i_love_ai", "-o", str(target))
    assert target.read_text("utf-8").startswith("# I love AI\n")  # the suffix tells the format
    target.write_text("mine")
    error = attn("run", "i_love_ai", "-o", str(target), code=2).stderr
    assert "exists already" in error
    assert "--force" in error
    assert target.read_text() == "mine"
    target.chmod(0o640)
    attn("run", "i_love_ai", "--format", "json", "-o", str(target), "--force")
    assert json.loads(target.read_text("utf-8"))["title"] == "I love AI"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]
    attn("run", "i_love_ai", "-o", str(tmp_path), code=2)
    attn("run", "i_love_ai", "-o", str(tmp_path / "no" / "where.txt"), code=2)
    attn("run", "i_love_ai", "-o", os.devnull)
    assert attn("run", "i_love_ai", "-o", "-", "--format", "json").stdout.startswith("{")


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("train[1].loss", "train[1].loss[it] = −ln(0.74) = 0.30"),
        ("loss", "loss[it] = −ln(0.31) = 1.17"),
        ("train[1].predicted", "train[1].predicted = −0.69 − 1.45 − 0.38 = −2.52"),
    ],
)
def test_one_number_needs_no_index(cell: str, line: str) -> None:
    assert attn("run", "learning_to_attend", "--cell", cell).stdout.rstrip().endswith(line)
    assert line.partition(" = ")[0] in attn("why", cell, "learning_to_attend").stdout
    (step,) = json.loads(
        attn("run", "learning_to_attend", "--cell", cell, "--format", "json").stdout
    )["steps"]
    assert [value["text"] for value in step["working"]] == [line]


@pytest.mark.parametrize(
    ("scenario", "cell", "complaint"),
    [
        (
            "embedding_before_during_after",
            "train[2].loss",
            "by a row; write it like train[2].loss[cat], or train[2].cross_entropy for all of them",
        ),
        ("rnn_backward_through_time", "loss", "the loss here is binary_cross_entropy"),
        ("i_love_ai", "loss", "loss is a step (keys: targets"),
    ],
)
def test_which_loss_is_meant(scenario: str, cell: str, complaint: str) -> None:
    assert complaint in attn("run", scenario, "--cell", cell, code=2).stderr


def test_bad_input_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    attn("run", "i_love_ai", "--set", "W_Q=[[1]]", "-o", str(target), code=2)
    attn("run", "i_love_ai", "--token", "nobody", "-o", str(target), code=2)
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (["--step", "sofmax"], ["--step sofmax: no such step; did you mean softmax?"]),
        (["--step", "scale"], ["this scenario has no such step"]),
        (["--token", "lov"], ["--token lov", "I, love, AI"]),
        (["--token", "4"], ["count from 1 to 3"]),
        (["--cell", "wieghts[1,2]"], ["did you mean weights?"]),
        (["--cell", "Q[1,7]", "--cell", "Q[x"], ["count from 1 to 2", "not of the form"]),
        (["--cell", "exp_sum[1,2]"], ["is addressed by a row; write it like exp_sum[I]"]),
        (["--cell", "ids"], ["addressed by a token"]),
        (
            ["--cell", "Q[1,1]", "--step", "project", "--token", "I"],
            ["leave --step out"],
        ),
        (["--decimals", "-1"], ["--decimals -1", "from 0 to 12"]),
        (["--decimals", "1.5", "--rounding", "up"], ["--decimals 1.5", "--rounding up"]),
        (["--detail", "ful", "--format", "jsn"], ["did you mean full?", "did you mean json?"]),
        (["--set", "scal=none"], ["--set scal=none", "did you mean scale?"]),
        (["--set", "scale"], ["not KEY=VALUE"]),
        (["--set", "W_Q[3,1]=2", "--set", "W_K[1,1]=x"], ["no entry 3", "is not a number"]),
        (["--set", "title[1]=x"], ["looks into a single value"]),
        (["--set", "scores[1,1]=4"], ["scores isn't given"]),
        (["--set", "embeddings[lov,1]=4"], ['no "lov" in embeddings', "did you mean love?"]),
        (["--cell", "idz[1]"], ["no quantity idz"]),
        (["--set", "W_Q=[[1, 0"], ["broken YAML"]),
        (["--set", "activation=[a]"], ["a list is not a choice"]),
    ],
)
def test_bad_options(arguments: list[str], complaints: list[str]) -> None:
    error = attn("run", "i_love_ai", *arguments, code=2).stderr
    for complaint in complaints:
        assert complaint in error
    assert "Traceback" not in error


def test_explain() -> None:
    lesson = attn("explain", "--step", "softmax").stdout
    for part in ("Softmax", "Shapes", "On these numbers", "Common mistakes", "The mistake gives"):
        assert part in lesson
    everything = attn("explain", "steps").stdout
    assert all(step.words.title in everything for step in steps())
    assert "scaled[king, Yassine] = 4.93 / √2  =  3.49" in attn("explain", "--step", "scale").stdout
    assert (
        "no numbers to show"
        in attn(
            "explain",
            "--step",
            "ffn",
            "--set",
            "W1=[[1],[1]]",
            "--set",
            "b1=[0]",
            "--set",
            "W2=[[1]]",
            "--set",
            "b2=[0]",
            "--set",
            "output=[[1,1],[1,1],[1,1]]",
            "--step",
            "softmax",
        ).stdout
    )
    assert json.loads(attn("explain", "steps", "--format", "json").stdout)["steps"][0]["text"]
    attn("explain", "--step", "nothing", code=2)


def test_a_step_is_explained_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lesson = attn("explain", "softmax").stdout
    assert lesson.startswith("Softmax\n═══════\n\nWith the numbers of “I love AI” (attn run i_l")
    assert "How does “love” come" not in lesson
    assert "\nScenario  I love AI\n" in lesson
    assert (
        lesson == attn("explain", "Softmax").stdout == attn("explain", "--step", "softmax").stdout
    )
    (tmp_path / "softmax").write_text("title: Mine\nweights: [[1]]\noutput: [[1]]\n")
    assert attn("explain", "softmax").stdout.startswith("Mine, step by step\n")
    assert "The dictionary of a small corpus" in attn("explain", "dictionary").stdout


def test_a_step_is_explained_by_a_scenario_that_has_it() -> None:
    assert "z_forget[1] = 0.1 × 0" in attn("explain", "gates").stdout
    refused = attn("explain", "i_love_ai", "--step", "gates").stdout
    assert "no numbers to show. attn explain gates shows some." in " ".join(refused.split())
    back = ("backward_",)  # some of which their examples take with changes; test_pages_of_gradients
    explained = (
        step for step in steps() if step.example.scenario and not step.name.startswith(back)
    )
    examples = {step.name: step.example.scenario for step in explained}
    changes = {step.name: step.example.changes for step in steps()}
    for step, name in examples.items():
        texts = {part.step for part in shown_parts(work(load(name, changes[step])))}
        assert step in texts


def test_every_step_that_a_shipped_scenario_has_is_explained_on_one() -> None:
    names = [name for group in contents().values() for name in group]
    taken = {name: {part.step for part in shown_parts(shipped_trace(name))} for name in names}
    usual = taken["i_love_ai"]
    examples = {step.name: step.example.scenario or "i_love_ai" for step in steps()}
    back = {"backward_project"}  # whose mistakes show where a matrix isn't square
    for step in set.union(*taken.values()) - usual - back:
        assert step in taken[examples[step]], step
    lesson = attn("explain", "mask").stdout
    assert "I love tennis, one causal head" in lesson
    assert "doesn't have this step" not in lesson


@pytest.mark.parametrize("name", ["i_love_ai", "yassine_gru", "pasta_lookup"])
def test_the_steps_of_a_scenario_are_explained(name: str) -> None:
    value = json.loads(attn("explain", name, "--format", "json").stdout)["steps"]
    run = json.loads(attn("run", name, "--format", "json").stdout)["steps"]
    assert [data["step"] for data in value] == list(dict.fromkeys(data["step"] for data in run))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run"], "attn run: missing argument 'SCENARIO'; name one, like `attn run i_love_ai`; `attn list` shows"),
        (["run", "i_love_ai", "--step", "feedforward"], "did you mean ffn?"),
        (["explain", "layer_norm"], "it belongs to the step norm (keys: "),
        (["run", "softmax"], "softmax is a step (keys: weights): see attn explain --step softmax"),
        (["run", "gru"], "did you mean yassine_gru?"),
        (["run", "transformer"], "no such file, nor a shipped scenario; known: adam_by_hand, "),
        (["run", "i_love_ai", "--step", "logits"], "did you mean unembed, which makes logits?"),
        (["run", "i_love_ai", "--cell", "loss[1]"], "loss is a step (keys: targets, ignored_target, label_smoothing): see"),
        (["run", "i_love_ai", "--set", "capped_logits=1"], "the step unembed makes capped_logits"),
        (["run", "i_love_ai", "--set", "loss=1"], "known: cross_entropy, binary_cross_entropy, mse"),
        (["run", "i_love_ai", "--set", "softmax=1"], "is not a choice here; known: each_row, none"),
        (["run", "i_love_ai", "--set", "perplexity=1"], "the step loss makes perplexity"),
        (["run", "i_love_ai", "--set", "norm=layer"], "known: post, pre, after, both, none; how norms are done "),
        (["run", "i_love_ai", "--set", "num_heads=2"], "it is called heads here"),
        (["run", "i_love_ai", "--set", "top_k=2"], "it belongs inside router, next"),
        (["run", "i_love_ai", "--set", "layers=[{sentence: a}]"], "belongs at the top of the scen"),
        (["run", "i_love_ai", "--set", "residual=true"], "did you mean residuals?"),
        (["run", "i_love_ai", "--set", "seed=1"], 'unknown key "seed"; known: sentence, '),
        (["run", "i_love_ai", "-o", "page.doc"], "page.doc: no format is written to files in .doc"),
        (["exercise", "i_love_ai", "-o", "e.doc"], "e.doc: no format is written to files in .doc; "),
        (["exercise", "i_love_ai", "-o", "e.xlsx"], "e.xlsx: a workbook that marks answers would"),
        (["lint", "i_love_ai", "-o", "e.docx"], "end its name in .txt, .html, .json"),
    ],
)  # fmt: skip
def test_what_is_said_where_people_stumble(
    arguments: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complaint in attn(*arguments, code=2).stderr
    assert not [*tmp_path.iterdir()]


def test_lists() -> None:
    names = attn("list").stdout
    assert all(name in names for name in shipped.names())
    listed = attn("list", "steps").stdout
    forward = [step for step in steps() if step.name not in THROUGH]
    rows = [line.split(maxsplit=1) for line in listed.splitlines()[: len(forward)]]
    assert rows == [[step.name, step.words.does] for step in forward]  # a line each
    assert all(re.search(rf"\b{name}\b", listed) for name in THROUGH)
    attn("list", "nothing", code=2)


def test_validate(tmp_path: Path) -> None:
    files = [str(shipped.path_of(name)) for name in shipped.names() if name not in LARGE]
    lines = attn("validate", *files).stdout.splitlines()
    assert len(lines) == len(files)
    assert any("i_love_ai.yaml: ok: I love AI: 3 tokens, d_model = 2" in line for line in lines)
    bad = tmp_path / "bad.yaml"
    bad.write_text("titel: x\nscale: sqrt\n")
    worse = tmp_path / "worse.yaml"
    worse.write_text("scores: [[-90]]\nscale: none\n")
    result = runner.invoke(app, ["validate", files[0], str(bad), str(worse)])
    assert result.exit_code == 2
    assert result.stdout.splitlines() == lines[:1]
    assert [line.split(": ")[0] for line in result.stderr.splitlines()] == [
        f"{bad}:1:1",
        f"{bad}:2:8",
        f"{worse}:1:1",
    ]


def test_new_runs_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    attn("new", str(file))
    assert "# " in file.read_text("utf-8")
    assert "8 · Feed-forward network" in attn("run", str(file)).stdout
    attn("new", str(file), code=2)
    attn("new", str(file), "--force")
    attn("validate", str(file))


def test_version_and_help() -> None:
    assert attn("--version").stdout.strip() == f"attn {__version__}"
    for command in ("run", "explain", "list", "validate", "new", "schema"):
        assert "Example" in attn(command, "--help").stdout
    assert "'weights[love, AI]'" in attn("run", "--help").stdout
    assert "..." not in attn("--help").stdout.replace("[ARGS]...", "")


def test_colour_only_where_it_is_wanted() -> None:
    def page(**environment: str) -> str:
        return str(processes.attn("run", "i_love_ai", environment=environment, text=True).stdout)

    assert "\x1b" not in page()
    assert "\x1b[" in page(FORCE_COLOR="1", COLUMNS="80")
    assert "\x1b" not in page(FORCE_COLOR="1", NO_COLOR="1")


def test_pages_come_out_whole_in_any_locale() -> None:
    ascii_ = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    page = processes.attn("run", "i_love_ai", environment=ascii_).stdout
    assert "√" not in page.decode("utf-8")
    assert "× W_K" in page.decode("utf-8")


def test_a_reader_who_stops_reading() -> None:
    process = subprocess.Popen(
        [*processes.COMMAND, "run", "i_love_ai"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        result = processes.attn("run", "i_love_ai", stdout=full)
    assert result.returncode == 1
    assert b"can't be written" in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [("attn run i_love_a", "i_love_ai"), ("attn run x --step softm", "softmax")],
)
def test_completion(words: str, completed: str) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    result = processes.attn(environment={"_ATTN_COMPLETE": "complete_bash", **asked})
    assert result.stdout.decode().split() == [completed]


@pytest.mark.parametrize("home", ["a file", "Latin-1"])
def test_completion_that_cannot_be_installed(tmp_path: Path, home: str) -> None:
    place = tmp_path / "home"
    if home == "a file":
        place.write_text("")
    else:
        place.mkdir()
        (place / ".bashrc").write_bytes(b"greeting=\xe9\n")
    given = {"HOME": str(place), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    result = processes.attn(
        "--install-completion", "bash", environment={**given, "PYTHONUTF8": "1"}
    )
    assert result.returncode == 2
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith("--install-completion: ")
    assert line.endswith("; put what `attn --show-completion` prints into that file yourself")
