"""The fixture that pytest finds where the package is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

TEST = """\
import torch

def test_attention(assert_follows):
    torch.manual_seed(1)
    x = torch.randn(1, 3, 4)
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    assert_follows(module, x, x, x)
    assert_follows(module, x, x, x, names={"output": "X"})
"""


@pytest.mark.real("torch")
def test_a_test_that_asks_for_the_fixture_fails_with_the_report(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    if "attncli" not in entry_points(group="pytest11").names:
        pytest.skip("the package was installed before it had a fixture: install it again")
    (tmp_path / "test_mine.py").write_text(TEST, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 1
    assert "AssertionError: MultiheadAttention doesn't follow" in run.stdout
    assert "X departs first." in run.stdout
