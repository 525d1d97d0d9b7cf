"""The numbers of a page, by name, read from the page's own JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.auditor.calculator import INDEX, NAME, UndisclosedError, Value, number

_ADDRESS = re.compile(rf"(?P<name>{NAME})(?P<index>{INDEX})?")
_INDICES = re.compile(r"\s*(\"(?:[^\"\\]|\\.)*\"|[^,\"]+)\s*(?:,|$)")
_LISTED = re.compile(r"(?P<name>(?:.*\.)?totals)\[(?P<end>\d+)\]")
"""What is told in lines only; its numbers are listed with those of other places."""
_WORDS = {
    "layers": "Layer", "heads": "Head", "encoder": "Encoder", "cross": "Cross-attention",
    "forward": "Forward", "backward": "Backward", "experts": "Expert",
    "shared_expert": "Shared expert", "train": "After update",
    "batches": "Further micro-batch",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A quantity as printed: a text for each row, or a list of texts; the tokens of a table whose
    rows are called by IDs."""

    rows: list[str]
    columns: list[str]
    text: list[Any]
    tokens: list[str]

    @property
    def value(self) -> Value:
        """All of it: a matrix, or a vector where it has no columns."""
        if not self.columns:
            return [number(text) for text in self.text]
        return [[number(text) for text in row] for row in self.text]

    def texts(self, indices: list[str]) -> list[str] | str:
        """A number, or a row of them, or all of a list, as printed."""
        if not indices and not self.columns and len(self.text) > 1:
            return self.text  # a vector told in one row
        if self.rows == [""] and self.columns and len(indices) == 1:  # of a bias `b1[2]`
            return str(self.text[0][_place(indices[0], self.columns)])
        row = self.text[_place(indices[0], self.rows)] if indices else self.text[0]
        if len(indices) > 1:
            return str(row[_place(indices[1], self.columns)])
        return row if isinstance(row, list) else str(row)


def _place(index: str, names: list[str]) -> int:
    """The place of a row or column that is called so; a bare number is a position."""
    name = re.sub(r"\\(.)", r"\1", index[1:-1]) if index.startswith('"') else index
    if names.count(name) == 1:
        return names.index(name)
    if index.isdigit():
        return int(index) - 1
    raise ValueError(f"no row or column is called {name}")


def parted(address: str) -> tuple[str, list[str]]:
    """`weights[love, AI]` as its name and its indices."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise ValueError(f"{address} is no address")
    return match["name"], _INDICES.findall((match["index"] or "[]")[1:-1])


@dataclass(frozen=True)
class Section:
    """What the JSON says of a section: its place, and which quantities are made in it."""

    path: str
    title: str
    made: frozenset[str]

    @property
    def heading(self) -> str:
        """`Layer 1 · Head 2 · Softmax` of the softmax at `layers[1].heads[2]`."""
        words = []
        for name, count in re.findall(r"(\w+)(?:\[(\d+)\])?", self.path):
            if name in _WORDS and (name, count) != ("train", ""):
                words.append(f"{_WORDS[name]} {count}".strip())
        return " · ".join([*words, self.title])


class Tables:
    """The tables of a page, by full name, and its sections in their order."""

    def __init__(self, page: Mapping[str, Any]) -> None:
        nobody = {*_of_nobody(page)}
        self.is_exact = page["rounding"]["policy"] == "exact"
        self.sections = [
            Section(step.get("path", ""), step["title"], frozenset(_names(step)))
            for step in page["steps"]
            if step.get("path") not in nobody
        ]
        self.given = frozenset(table["name"] for table in page["given"])
        quantities = [q for step in page["steps"] for q in step["quantities"]]
        self._tables = {
            table["name"]: Table(
                table["rows"], table["columns"], table["text"], table.get("tokens", [])
            )
            for table in [*page["given"], *quantities]
            if "text" in table
        }
        self._described = self.given - self._tables.keys()

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __contains__(self, name: str) -> bool:
        return name in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def full(self, name: str, path: str) -> str:
        """The full name of what is called so in a section: the nearest that there is. A gradient is
        called as what it is of, `grad.Q` of `grad.layers[1].heads[2].Q`."""
        within = path
        while True:
            for full in _called(name, within):
                if full in self._tables or full in self._described:
                    return full
            if not within:
                raise ValueError(f"nothing is called {name} here")
            within = within.rpartition(".")[0]

    def parted(self, address: str, path: str) -> tuple[str, list[str]]:
        """A full name and the indices of what is called so in a section: `a[2]` may be the name of
        a whole quantity."""
        try:
            return self.full(address, path), []
        except ValueError:
            return self._indexed(*parted(address), path)

    def _indexed(self, name: str, indices: list[str], path: str) -> tuple[str, list[str]]:
        """The totals of a word's only place are a table, those of several are in one list."""
        try:
            return self.full(name, path), indices
        except ValueError:
            listed = _LISTED.fullmatch(name)
            if listed is None or not indices:
                raise
            full = self.full(listed["name"], path)
            return full, [self._listed(full, int(listed["end"]), indices[0])]

    def _listed(self, full: str, end: int, piece: str) -> str:
        """The row of a list, counted from 1, that is the piece's which ends at a place: `un|happi`
        is that of happi at 7."""
        name = re.sub(r"\\(.)", r"\1", piece[1:-1]) if piece.startswith('"') else piece
        for position, row in enumerate(self[full].rows, start=1):
            before, _, last = row.rpartition("|")
            if last == name and len(before) + len(last) == end:
                return str(position)
        raise ValueError(f"{full} lists no {name} that ends at {end}")

    def value(self, address: str, path: str) -> Value:
        """What a name, a row or a cell stands for in a section. Raises UndisclosedError."""
        full, indices = self.parted(address, path)
        if full in self._described:
            raise UndisclosedError(full)
        table = self[full]
        if not indices:
            return table.value
        texts = table.texts(indices)
        return number(texts) if isinstance(texts, str) else [number(text) for text in texts]


def _called(name: str, path: str) -> Iterator[str]:
    """What a name may stand for at a path; the gradients of what an update made are in its place.
    LaTeX writes `s_0` as it writes `s0`."""
    yield f"{path}.{name}" if path else name
    if not path:
        yield re.sub(r"(?<=[^\W\d_])(?=\d+$)", "_", name)
    if name.startswith("grad."):
        match = re.fullmatch(r"(train\[\d+\])?\.?(.*)", path)
        assert match is not None
        yield ".".join(filter(None, (match[1], "grad", match[2], name.removeprefix("grad."))))


def _of_nobody(page: Mapping[str, Any]) -> Iterator[str]:
    """The paths of experts that no token goes to, whose steps only data has."""
    for step in page["steps"]:
        for made in step["quantities"]:
            path, _, local = made["name"].rpartition(".")
            if local == "share" and not np.any(made["values"]):
                yield path


def _names(step: Mapping[str, Any]) -> Iterator[str]:
    return (quantity["name"] for quantity in step["quantities"])
