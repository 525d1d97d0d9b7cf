"""TeX takes whatever a command writes for it, and the mathematics in pages that a browser draws."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import chain, takewhile
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from attncli.cli import app
from tests.conftest import THOROUGH, share
from tests.formats.test_latex import bare, body, compiled, needs_exam, needs_tex, overfull
from tests.helpers.pages import LARGE, SHIPPED, WORDS_ONLY

SAMPLE = (WORDS_ONLY, "decoder_block", "yassine_rnn_sentence", "wordpiece")
"""Of each sort one; without numbers every lesson has its step's formulas in general."""
NAMES = tuple(name for name in SHIPPED if name not in LARGE) if THOROUGH else SAMPLE
WITH_NUMBERS = tuple(name for name in NAMES if name != WORDS_ONLY)
ASKED = tuple(name for name in WITH_NUMBERS if name != "i_love_tennis")
"""Those that an exercise can be made of: in i_love_tennis every number is given."""
JUDGING = ("check", "grade", "diff", "compare")
"""Those that end with 1 where something doesn't follow, or differs."""
ANSWERS, DUMP = (
    Path(__file__).parents[1] / "fixtures" / "marking" / name
    for name in ("answers.yaml", "dump.json")
)
"""Wrong numbers for i_love_ai."""
CALLS = {
    "run": [
        ["next_token", "--detail", "summary"],
        ["i_love_ai", "--detail", "rows", "--cell", "weights[love, AI]"],
    ],
    "explain": [[name] for name in NAMES],
    "why": [
        ["output[love, 2]", "i_love_ai", "--depth", "all"],
        ["a[2][1]", "yassine_rnn_sentence"],
    ],
    "compare": [
        ["i_love_ai", "--set", "scale=sqrt_d_k"],
        ["i_love_ai", "--rounding", "exact"],
        ["three_tokens", "three_tokens_two_heads", "--detail", "full"],
    ],
    "lint": [[name] for name in WITH_NUMBERS],
    "check": [["alice_met_bob"]],
    "grade": [["i_love_ai", str(ANSWERS)]],
    "diff": [["i_love_ai", str(DUMP)]],
    "design": [["encoder_block", "--step", "norm", "--forms", "2"]],
    "exercise": [
        *([name, "--hints", "--mistakes", "50"] for name in ASKED),
        *(["i_love_ai", "--blank", blank] for blank in ("working", "all", "random:0.4")),
        ["i_love_ai", "--detail", "full"],
        ["wordpiece", "--ask", "merged"],
        ["i_love_ai", "--ask", "attends_most", "--ask", "attends_most[love]:written"],
        ["pasta_lookup", "--forms", "2", "--hints"],
    ],
}
"""What each command is asked to write."""


def pages(command: str, call: Sequence[str], form: str, folder: Path) -> list[str]:
    """All that a command writes in a format."""
    several = command == "exercise"
    target = folder / f"page{len(list(folder.iterdir()))}"
    output = f"{target}/" if several else str(target)
    arguments = [command, *call, "--format", form, "-o", output]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in ((0, 1) if command in JUDGING else (0,)), (arguments, result.output)
    files = sorted(target.iterdir()) if several else [target]
    return [file.read_text("utf-8") for file in files]


def written(form: str, folder: Path) -> list[str]:
    """What all commands write in a format; by default TeX's is tried with each call."""
    every = 1 if form == "latex" else 2
    calls = (
        (command, call)
        for command, calls in CALLS.items()
        for call in (calls if len(calls) < every else share(every, calls, of="TeX"))
    )
    return [page for command, call in calls for page in pages(command, call, form, folder)]


def together(sources: Sequence[str]) -> str:
    """Files of one class as one file: what is of one of them only stands in a group."""
    preambles = [source.partition(r"\begin{document}")[0].split("\n") for source in sources]
    lines = zip(*preambles, strict=False)
    shared = [line for line, *others in takewhile(lambda some: len(set(some)) == 1, lines)]
    inside: list[str] = []
    for preamble, source in zip(preambles, sources, strict=True):
        own = "\n".join(preamble[len(shared) :])
        inside.append(f"\\begingroup\n{own}\n{body(source)}\n\\clearpage\\endgroup")
    return "\n".join([*shared, r"\begin{document}", *inside, r"\end{document}"])


@pytest.mark.wing("classroom", "models")
def test_every_command_that_writes_pages_is_tried() -> None:
    commands = getattr(get_command(app), "commands")  # noqa: B009
    with_formats = {
        name
        for name, command in commands.items()
        if any("--format" in parameter.opts for parameter in command.params)
    }
    in_a_folder = {"exam"}  # whose papers are printed in test_on_paper
    assert with_formats == CALLS.keys() | in_a_folder


@needs_tex
@needs_exam
def test_tex_takes_what_commands_write(tmp_path: Path) -> None:
    """In two runs: one for articles, one for exams."""
    sources = written("latex", tmp_path)
    exams = [source for source in sources if "{exam}" in source]
    assert len(exams) >= len(CALLS["exercise"]) - 1
    for one_class in ([s for s in sources if s not in exams], exams):
        assert overfull(compiled(tmp_path, together(one_class), draft=True)) == []


MATHEMATICS = {
    "markdown": re.compile(r"(?<![\\$`])\$([^$`]+)\$(?![$`])"),
    "moodle": re.compile(r"\\\((.+?)\\\)"),
}
TEXT = re.compile(r"\\text\{[^}]*\}")


def mathematics(form: str, written: Iterable[str]) -> list[str]:
    """The formulas of pages, each once; words in them are as a browser takes them."""
    found = (formula for page in written for formula in MATHEMATICS[form].findall(page))
    plain = (html.unescape(formula) if form == "moodle" else formula for formula in found)
    return list(dict.fromkeys(TEXT.sub(r"\\text{x}", formula) for formula in plain))


@needs_tex
def test_tex_takes_the_mathematics_of_pages_for_browsers(tmp_path: Path) -> None:
    asked = (pages("exercise", [name], "moodle", tmp_path) for name in ASKED)
    formulas = [
        *mathematics("moodle", chain.from_iterable(asked)),
        *mathematics("markdown", written("markdown", tmp_path)),
    ]
    assert len(formulas) > 100
    inside = "\n\n".join(f"${formula}$" for formula in formulas)
    compiled(tmp_path, bare("article", inside), draft=True)
