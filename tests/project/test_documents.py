"""The ledger of the documents: no line left out, every command runs, every number is the trace's."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from attncli.maths.notation import plain
from attncli.scenario.file import shipped
from attncli.scenario.file.address import parse_address
from attncli.trace import Trace
from attncli.trace.published import PublishedNumber, published_numbers, quantity_at
from tests.conftest import sampled

LEDGER = (shipped.folder() / "documents.md").read_text("utf-8")
VERDICTS = {"yes", "no", "rounded", "assumed", "shown", "said", "prose"}
LINES = {443, 171, 721, 158, 209}
_ROW = re.compile(r"^\| (\d+)–(\d+) \| (.*) \| (.*) \| (\w+) \|$", re.MULTILINE)
_NUMBERS = re.compile(r"`(\w+): ([^`]+)` → ([^;|]+)")
_COMMAND = re.compile(r"`attn ([^`]+)`")


class Entry(NamedTuple):
    first: int
    last: int
    claim: str
    here: str
    follows: str


def tables() -> list[list[Entry]]:
    found = (_ROW.findall(part) for part in LEDGER.split("\n## ")[1:])
    return [[Entry(int(a), int(b), *rest) for a, b, *rest in rows] for rows in found]


ENTRIES = [entry for table in tables() for entry in table]


@cache
def trace_of(name: str) -> Trace:
    return work(load(name))


def numbers() -> Iterator[tuple[str, str, str]]:
    for entry in ENTRIES:
        yield from _NUMBERS.findall(entry.here)


def test_no_line_is_left_out() -> None:
    assert {table[-1].last for table in tables()} == LINES
    for table in tables():
        assert table[0].first == 1
        assert all(second.first == first.last + 1 for first, second in pairwise(table))
        assert all(entry.first <= entry.last for entry in table)


def test_every_line_of_the_tables_is_read() -> None:
    rows = [line for line in LEDGER.splitlines() if re.match(r"\| \d", line)]
    assert len(rows) == len(ENTRIES)
    assert {entry.follows for entry in ENTRIES} == VERDICTS
    told = sum(len(_NUMBERS.findall(e.here)) + len(_COMMAND.findall(e.here)) for e in ENTRIES)
    assert told == sum(entry.here.count("`") // 2 for entry in ENTRIES)


@pytest.mark.parametrize(("scenario", "cell", "told"), [*numbers()])
def test_a_number_is_that_of_the_trace(scenario: str, cell: str, told: str) -> None:
    assert [text.strip() for text in told.split(", ")] == shown(trace_of(scenario), cell)


def shown(trace: Trace, text: str) -> list[str]:
    """The numbers of a cell, of a row, or of a quantity of one row or column."""
    address = parse_address(text)
    if address.name == "ids":
        ids = trace.scenario.text.ids
        axis = trace["X"].rows if "X" in trace else trace["E"].rows
        return [str(ids[axis.find(i, "ids")]) for i in address.indices] or [*map(str, ids)]
    quantity, indices = quantity_at(trace, {}, address)
    rows, columns = quantity.matrix.shape
    places = [
        axis.find(i, text)
        for axis, i in zip((quantity.rows, quantity.columns), indices, strict=False)
    ]
    cells = [(i, j) for i in range(rows) for j in range(columns)]
    return [
        plain(quantity.number(*cell))
        for cell in cells
        if all(k == place for k, place in zip(cell, places, strict=False))
    ]


@sampled(5, command=sorted({c for entry in ENTRIES for c in _COMMAND.findall(entry.here)}))
def test_a_command_shows_it(command: str) -> None:
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code in ((0, 1) if command.startswith("check") else (0,)), result.output
    assert result.output.strip()


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.follows in ("yes", "no", "rounded")])
def test_a_verdict_is_that_of_the_scenario(entry: Entry) -> None:
    """Where a scenario records what its source prints for a number, the ledger judges alike."""
    for scenario, cell, _ in _NUMBERS.findall(entry.here):
        printed = [
            f
            for f in published_numbers(trace_of(scenario))
            if cell in (f.quantity.name, *_addresses(f)) and not f.assumed
        ]
        by_cell = [[f for f in printed if f.cell == own] for own in {f.cell for f in printed}]
        if entry.follows == "yes":
            assert all(any(f.follows for f in group) for group in by_cell)
        elif printed:
            assert any(f.differs for f in printed)


def _addresses(f: PublishedNumber) -> tuple[str, str]:
    row = f.quantity.rows.names[f.row] if f.quantity.rows.names else ""
    return f.quantity.address(f.row, f.column), f"{f.quantity.name}[{row}]"
