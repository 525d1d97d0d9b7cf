"""How many a page's sentences count, counted again in its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Json = Mapping[str, Any]
_SAME = 1e-9


class Comparison(NamedTuple):
    """Two results of the same rows: how far each number is off, by the first one's row."""

    own: Mapping[str, Sequence[float]]
    other: Mapping[str, Sequence[float]]
    columns: Sequence[str]

    def off(self, row: str) -> list[float]:
        return [abs(a - b) for a, b in zip(self.own[row], self.other[row], strict=True)]

    @property
    def differing(self) -> int:
        return sum(max(self.off(row)) > _SAME for row in self.own)

    def is_most(self, row: str, column: int, shown: Sequence[str] | None = None) -> bool:
        most = max(max(self.off(name)) for name in shown or self.own)
        return abs(self.off(row)[column] - most) <= _SAME


def compared(own: Json, other: Json, name: str) -> Comparison:
    """What a page and another one come to; the other's result has this name."""
    result = _quantities(other)[name]
    alike = [q for q in _quantities(own).values() if sorted(q["rows"]) == sorted(result["rows"])]
    before = next((q for q in alike if q["name"] == name), alike[-1])
    return Comparison(_rows(before), _rows(result), result["columns"])


def _quantities(page: Json) -> dict[str, Json]:
    return {q["name"]: q for step in page["steps"] for q in step["quantities"] if "values" in q}


def _rows(quantity: Json) -> dict[str, list[float]]:
    values = (row if isinstance(row, list) else [row] for row in quantity["values"])
    return dict(zip(quantity["rows"], values, strict=True))
