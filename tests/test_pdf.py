"""PDF: every number is on the page, nothing is over its margins, the same page is the same bytes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.render import Page, contents_of
from attncli.trace import Trace
from tests.pages import SHIPPED, document_of, trace_of
from tests.test_complete import numbers_in, printed

typst: ModuleType = pytest.importorskip("typst", reason="the package typst isn't installed")
pytestmark = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="poppler's pdftotext isn't installed"
)

SAMPLED = ["i_love_ai", "three_tokens_two_heads", "unigram", "yassine_lstm"]


@cache
def pdf_of(name: str) -> bytes:
    return bytes(contents_of(document_of(trace_of(SHIPPED[name])), "pdf", Page()))  # type: ignore[arg-type]


def text_of(pdf: bytes, *options: str) -> str:
    command = ["pdftotext", *options, "-", "-"]
    return subprocess.run(command, input=pdf, capture_output=True, check=True).stdout.decode()


@pytest.mark.parametrize("name", SAMPLED)
def test_a_page_has_every_number(name: str) -> None:
    trace: Trace = trace_of(SHIPPED[name])
    told = numbers_in(text_of(pdf_of(name), "-layout"))
    for quantity in trace.quantities.values():
        assert set(printed(quantity)) <= told, quantity.name


@pytest.mark.parametrize("name", SAMPLED)
def test_nothing_is_over_the_margins(name: str) -> None:
    boxes = text_of(pdf_of(name), "-bbox")
    right = [float(one) for one in re.findall(r'xMax="([\d.]+)"', boxes)]
    left = [float(one) for one in re.findall(r'xMin="([\d.]+)"', boxes)]
    margin = 22 / 25.4 * 72
    assert len(right) > 100
    assert max(right) <= 595.3 - margin + 1
    assert min(left) >= margin - 1


def test_the_same_page_is_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    outputs = [tmp_path / "a.pdf", tmp_path / "b.pdf"]
    for seed, output in enumerate(outputs):
        words = ["run", "pasta_lookup", "-o", str(output)]
        command = [sys.executable, "-m", "attncli", *words]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": str(seed)}, capture_output=True)
    first, second = (output.read_bytes() for output in outputs)
    assert first == second
    assert b"/CreationDate" not in first


def test_without_the_package_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    result = CliRunner().invoke(app, ["run", "i_love_ai", "--format", "pdf", "-o", "-"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "pip install 'attncli[pdf]'" in result.stderr
