"""What families of models call their tensors and settings: tables in `families`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attncli.building.plain import data_of
from attncli.file import reading
from attncli.file.problems import Problems, knows_nothing
from attncli.refusals import Refusal, listed

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


def family_of(kind: str) -> Data:
    """The table of models of a type. Raises Refusal for one that isn't known."""
    known = families()
    if kind not in known:
        wrong = f"models of the type {kind} aren't known"
        raise Refusal.of("config.json", wrong, f"known: {listed(sorted(known))}")
    return known[kind]
