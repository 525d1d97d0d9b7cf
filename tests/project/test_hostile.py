"""Somebody's words reach every page of every command harmlessly and completely."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import attncli
from attncli.cli import app
from attncli.document.blocks import Callout, DefinitionList, Document, Section, Table
from attncli.formats import RenderOptions, exercise_format_names, format_names, render
from attncli.maths.notation.escaping import ISOLATE, POP, hidden_again, isolated, printed, visible
from attncli.names import Word
from tests.conftest import CHARACTERS, THOROUGH, sampled, share
from tests.helpers import hostile, readers

READERS: dict[str, Callable[[str], str]] = {
    "terminal": readers.terminal,
    "markdown": readers.markdown,
    "json": readers.data,
    "html": readers.web,
    "moodle": readers.moodle,
    "canvas": readers.package,
    "qti": readers.package,
    "csv": readers.rows,
    "yaml": readers.answers,
}
"""TeX itself reads LaTeX, below."""
DRAWS = 60 if THOROUGH else 1
COMMANDS = ("run", "explain", "lint", "exercise")
CELLS = [
    (command, form)
    for command in COMMANDS
    for form in READERS
    if command == "exercise" or form in format_names()
]


def attn(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code in (0, 2), (arguments, result.exception)
    return result.exit_code, result.stdout, result.stderr


def test_every_format_has_a_reader() -> None:
    assert READERS.keys() | {"latex"} == {*format_names(), *exercise_format_names()}


@pytest.mark.parametrize(("command", "form"), CELLS)
def test_words_reach_every_page(command: str, form: str, tmp_path: Path) -> None:
    index = 0
    for draw in range(DRAWS):
        random = Random(f"{command} {form} {draw}")
        data = random.choice(hostile.KINDS)(random, tmp_path)
        path = hostile.written(data, tmp_path / "s.yaml")
        code, page, text = attn(command, str(path), "--format", form, *_more(command, form))
        assert readers.terminal(text) == text.replace(ISOLATE, "").replace(POP, "")
        if code == 0:
            index += 1
            found = READERS[form](page)
            for word in hostile.strings(data) if _tells_all(command, form) else ():
                assert _as_told(word, form) in found, word
    assert index


def _tells_all(command: str, form: str) -> bool:
    """Whether a page has all words: `lint` names what it finds, answers what they are asked of."""
    return command != "lint" and form in format_names()


def _more(command: str, form: str) -> list[str]:
    if command != "exercise":
        return []
    return (
        ["--detail", "full"]
        if form in ("canvas", "moodle", "qti")
        else ["--detail", "full", "--key", "none"]
    )


def _as_told(word: str, form: str) -> str:
    return word if form == "json" else visible(Word(word))


@given(
    st.text(CHARACTERS, max_size=20) | st.text("\\x1bu20e ␣\x1b\u202eש\u200d❤\ufe0f", max_size=12)
)
def test_no_two_words_look_alike(text: str) -> None:
    """What is shown of a word tells which word it is."""
    shown = visible(Word(text))
    assert hidden_again(shown).raw == text
    assert readers.refused(shown.replace("\ufe0f", "")) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("love", "love"), ("\x1b[31m", "\\x1b[31m"), ("\\x1b[31m", "\\\\x1b[31m"),
        ("\\theta", "\\theta"), ("C:\\new", "C:\\new"), ("a\\\x1b", "a\\\\\\x1b"),
        ("\u3164", "\\u3164"), ("\u2800", "\\u2800"), ("\u034f", "\\u034f"), ("a\ufe0f", "a\\ufe0f"),
        ("\u2003", "\\u2003"), ("\u200d", "\\u200d"), ("❤️", "❤️"), ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👧", "👩\u200d👧"), (" love", "␣love"), ("␣love", "\\u2423love"), ("I love", "I love"),
    ],
)  # fmt: skip
def test_what_is_hidden_is_an_escape(text: str, shown: str) -> None:
    assert visible(Word(text)) == shown


@given(st.text("שלוםa1 ,[]-", max_size=12))
def test_words_that_run_to_the_left_keep_to_themselves(text: str) -> None:
    """Outside isolates nothing runs to the left, so that a line keeps its order."""
    shown = isolated(text)
    assert readers.bare(shown) == text
    outside = re.sub(f"{ISOLATE}[^{POP}]*{POP}", "", shown)
    assert not re.search("[\u0590-\u08ff]", outside)


def test_an_address_keeps_its_order() -> None:
    index = f"{ISOLATE}שלום{POP}"
    assert printed(Word("scores[שלום, שלום]")) == f"scores[{index}, {index}]"


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_isolates_take_no_room(form: str) -> None:
    table = Table(("Word", "Count"), tuple((Word(w), "1") for w in ("שלום", "love", "مرح")))
    page = render(
        Document(Word("A"), (Section("s", 1, ("S",), (), (table,)),)), form, RenderOptions(80)
    )
    lines = [line.replace(ISOLATE, "").replace(POP, "") for line in page.splitlines()]
    if form == "terminal":
        assert len({line.index("│") for line in lines if "│" in line}) == 1
    assert page.count(ISOLATE) == page.count(POP) == 2


@pytest.mark.parametrize("width", [20, 33, 60])
def test_a_broken_line_closes_its_isolates(width: int) -> None:
    """A line that ends within words of the other direction, and the one that goes on with them."""
    words = Word("שלום עולם " * 12 + "סוף")
    facts = DefinitionList((("Sentence", (words,)),))
    section = Section("s", 1, ("S ", words), (), (Callout((words,)),))
    page = render(Document(words, (section,), facts), "terminal", RenderOptions(width))
    for line in page.splitlines():
        shown = readers.bare(line)
        assert ("ש" in shown or "ע" in shown) <= (ISOLATE in line)


def test_commands_say_names_harmlessly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [
        word for word in hostile.WORDS if not {"/", "\0"} & {*word} and not word.startswith("-")
    ]
    for k, name in enumerate(names[:: 1 if THOROUGH else 9]):
        for arguments in (
            ["new", f"{name}{k}.yaml"],
            ["validate", f"{name}{k}.yaml"],
            ["run", f"{name}.none"],
            [name],
            ["run", f"--{name}"],
            ["run", "i_love_ai", "--cell", name],
            ["run", "i_love_ai", "--set", f"{name}={name}"],
            ["list", name],
        ):
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code in (0, 2), (arguments, result.exception)
            readers.terminal(result.output)


@sampled(2, form=sorted(READERS.keys() & {*format_names()}))
def test_diff_says_names_of_tensors_harmlessly(form: str, tmp_path: Path) -> None:
    words = share(7, hostile.WORDS, of=form)
    dump = {**{word: [[1.0]] for word in words}, "scores": [[1, 0, 1], [1, 1, 2], [2, 1, 4]]}
    (tmp_path / "d.json").write_text(json.dumps(dump), "utf-8")
    typed = ["diff", "i_love_ai", str(tmp_path / "d.json"), "--format", form]
    result = CliRunner().invoke(app, typed)
    assert result.exit_code == 1, result.output
    assert "scores" in READERS[form](result.stdout)
    for word in words:
        result = CliRunner().invoke(app, [*typed, "--map", f"{word}=Q", "--map", f"Q={word}"])
        assert result.exit_code == 2
        readers.terminal(result.output)


def test_only_data_takes_words_as_they_are() -> None:
    """A renderer can't print a word without its escaping: nowhere else does it get at the text."""
    root = Path(attncli.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in (
            root / "document/grid.py",
            *root.glob("formats/**/*.py"),
            *root.glob("classroom/formats/*.py"),
            *root.glob("maths/notation/*.py"),
        )
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "raw"
    }
    assert found == {
        "maths/notation/escaping.py",
        "classroom/formats/qti.py",  # answers in words, which are data
        "classroom/formats/_essays.py",  # titles of categories, which are data
        "classroom/formats/_self_marking.py",
        "document/grid.py",  # to put its role before it
        "formats/tex/documents.py",  # the name of a file, where it has nothing to escape
        "formats/workbook/writing.py",
        "formats/pages/json.py",
        "formats/html/blocks.py",  # to see whether it is a number
        "formats/writers.py",  # to cut it at names between backticks, which have nothing to escape
    }
    with pytest.raises(TypeError):
        f"{Word('x')}"
    with pytest.raises(TypeError):
        str(Word("x"))
