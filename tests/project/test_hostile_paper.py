"""Somebody's words on PDFs of every command, and in LaTeX: printed, never obeyed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.formats.typst.text import characters
from attncli.maths.notation.escaping import visible
from attncli.names import Word
from tests.helpers import hostile

pytest.importorskip("typst", reason="the package typst isn't installed")
pytestmark = pytest.mark.real("pdftotext")

TITLE = '#eval("1") </svg>]]><script>alert(1)</script> $x$'
TOKENS = [
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "\\input{/etc/passwd}",
    '#read("/etc/passwd")',
    "=cmd|' /C calc'!A0",
    "`a|b`$]]>",
    "\u202egnp.exe",
    "a\x00b",
    "https://example.org/",
]
SCENARIO = {
    "title": TITLE, "tokens": TOKENS, "scale": "none", "rounding": {"decimals": 2},
    "show": {"graph": True}, "X": [[k, 1] for k in range(9)],
    "W_Q": [[0, 1], [1, 0]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 0], [0, 1]],
}  # fmt: skip
CALLS = {
    "run": ["--step", "softmax", "--detail", "rows"],
    "explain": ["--step", "weighted_sum"],
    "why": ["output[3, 1]"],
    "compare": ["--set", "scale=2"],
    "exercise": ["--step", "project", "--key", "embedded"],
}
TELLS_ALL = ("run", "exercise")
"""A page of one number has the tokens that it comes from, one of differences those that differ."""


@pytest.mark.parametrize("command", CALLS)
def test_words_are_printed_on_paper(command: str, tmp_path: Path) -> None:
    path = hostile.written(SCENARIO, tmp_path / "s.yaml")
    output = tmp_path / "page.pdf"
    cell, *more = CALLS[command] if command == "why" else ("", *CALLS[command])
    typed = [command, *filter(None, (cell, str(path))), *more, "--format", "pdf", "-o", str(output)]
    result = CliRunner().invoke(app, typed)
    assert result.exit_code in (0, 1), result.output
    text = _asked("pdftotext", "-raw", str(output), "-")
    assert "\u202e" not in text
    assert "root:" not in text
    packed = "".join(text.split()).replace("\u200b", "")
    words = [_as_printed(entry) for entry in (TITLE, *TOKENS)]
    assert words[0] in packed
    found = [word in packed for word in words]
    assert all(found) if command in TELLS_ALL else sum(found) > 2, words
    assert _asked("pdfinfo", "-js", str(output)) == ""
    assert _asked("pdfinfo", "-url", str(output)).count("\n") <= 1


def _as_printed(word: str) -> str:
    return "".join(characters(visible(Word(word))).split())


def _asked(*command: str) -> str:
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()
