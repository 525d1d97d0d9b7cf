"""What families of models call their tensors and settings: tables in `families`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attncli.building.checkpoint import Checkpoint
from attncli.building.plain import data_of
from attncli.file import reading
from attncli.file.problems import Problems, knows_nothing
from attncli.refusals import Problem, Refusal, listed

Data = Mapping[str, Any]

_FAMILIES = Path(__file__).parent / "families"


def families() -> Mapping[str, Data]:
    """The tables of families by the types of models."""
    tables = map(_table, sorted(_FAMILIES.glob("*.yaml")))
    return {name: table for table in tables for name in table["names"]}


def _table(path: Path) -> Data:
    problems = Problems()
    tree = reading.read_file(path, problems, knows_nothing)
    problems.stop_if_any()
    table = data_of(tree)
    assert isinstance(table, Mapping)
    return table


def family_of(checkpoint: Checkpoint) -> Data:
    """The table of a checkpoint's kind of models. Raises Refusal, with all tensors that have no
    place, for one that isn't known."""
    known, kind = families(), str(checkpoint.config.get("model_type"))
    if kind in known:
        return known[kind]
    wrong = f"models of the type {kind} aren't known"
    unknown = Problem.of("config.json", wrong, f"known: {listed(sorted(known))}")
    raise Refusal([unknown, *map(_no_place, sorted(set(map(form_of, checkpoint.tensors))))])


def form_of(tensor: str) -> str:
    """A tensor's name with `{i}` for the number of its layer."""
    return re.sub(r"(?<=\.)\d+(?=\.)", "{i}", tensor, count=1)


def _no_place(form: str) -> Problem:
    right = "write a scenario with it under weights.keys, where you know what it is"
    return Problem.of(form, "it isn't known what this tensor is for", right)
