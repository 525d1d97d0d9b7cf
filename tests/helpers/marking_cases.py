"""Answers files for the tests of marking, written by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from attncli.cli import app
from attncli.scenario.file.address import parse_address
from attncli.trace import Trace

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


def cost_of_mistakes(data: Mapping[str, Any], trace: Trace) -> float:
    """What the mistakes of a paper cost that has a point for each number: half of the numbers of the
    step in which each shows, in each head, but no fewer than one, and no more than it gives and than
    follow from these."""
    steps = Counter(_step_of(value["cell"], trace) for value in data["verdicts"])
    made: dict[tuple[str, tuple[str, str, str]], set[str]] = {}
    for value in data["verdicts"]:
        if value["verdict"] == "known mistake":
            key = value["cause"]["name"], _step_of(value["cell"], trace)
            made.setdefault(key, set()).add(value["cell"])
    return sum(
        min(len(changed_by(data, given)), max(1.0, steps[step] / 2))
        for (_, step), given in made.items()
    )


def changed_by(data: Mapping[str, Any], given: set[str]) -> set[str]:
    """The cells that are `given` by a mistake, and all that follow from them."""
    found = {*given}
    for value in data["verdicts"]:
        if not found.isdisjoint(value.get("follows_from", ())):
            found.add(value["cell"])
    return found


def _step_of(cell: str, trace: Trace) -> tuple[str, str, str]:
    """The step of a cell, its place, and which of the residuals of a layer it is."""
    name = str(parse_address(cell).name)
    quantity = name.rpartition("]")[0].rpartition("[")[0] if name.endswith("]") else name
    part = trace.part_of(name)
    assert part is not None
    before = re.sub(r"^train\[\d+\]\.", "", quantity).rpartition(".")[0]
    place = re.sub(r"(gates|rules)\[\d+\]", r"\1", before)
    return part.step, place, quantity if "residual" in quantity else ""


def verdicts(data: Mapping[str, Any]) -> dict[str, str]:
    return {value["cell"]: value["verdict"] for value in data["verdicts"]}
