"""Answers files for the tests of marking, written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from attncli.cli import app

RIGHT = {
    "scores[I, I]": "1", "scores[I, love]": "0", "scores[I, AI]": "1",
    "exp[I, I]": "2.718", "exp[I, love]": "1", "exp[I, AI]": "2.718",
    "exp_sum[I]": "6.436",
    "weights[I, I]": "0.422", "weights[I, love]": "0.155", "weights[I, AI]": "0.422",
}  # fmt: skip
"""The first row of i_love_ai, worked with a pocket calculator."""


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def yaml_file(path: Path, answers: Mapping[str, str], head: str = "") -> Path:
    lines = (f"  {json.dumps(name, ensure_ascii=False)}: {text}" for name, text in answers.items())
    path.write_text("\n".join([*([head] if head else []), "answers:", *lines]) + "\n", "utf-8")
    return path


def graded(path: Path, *more: str, scenario: str = "i_love_ai") -> dict[str, Any]:
    """What `attn grade` says of a file, as data."""
    result = run("grade", scenario, path, "--format", "json", *more)
    assert result.exit_code in (0, 1), result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def verdicts(data: Mapping[str, Any]) -> dict[str, str]:
    return {value["cell"]: value["verdict"] for value in data["verdicts"]}
