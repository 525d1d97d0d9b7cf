"""What a command writes as JSON without its texts: names, shapes, labels and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.render.json_pieces import Rows

SENTENCES = frozenset({"text", "says", "title", "formula", "notes", "command"})
"""What is said for people."""
OF_QUANTITIES = ("variant", "rows", "columns", "tokens", "values", "source")


def values_alone(page: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of a page, which keeps its title."""
    return {key: page[key] if key == "title" else _alone(page[key]) for key in _kept(page, "title")}


def _alone(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return [*map(_alone, value)]
    if not isinstance(value, Mapping):
        return value
    if "attncli" in value:  # the key behind a sheet
        return values_alone(value)
    if "name" in value and ("rows" in value or "shape" in value):
        return _quantity(value)
    kept = {key: _alone(value[key]) for key in _kept(value)}
    if kept.get("quantities"):  # whose numbers are what their working comes to
        kept.pop("working", None)
    return kept


def _kept(data: Mapping[str, Any], *also: str) -> list[str]:
    return [key for key in data if key not in SENTENCES or key in also]


def _quantity(quantity: Mapping[str, Any]) -> dict[str, Any]:
    shape = quantity["shape"] if "shape" in quantity else _shape(quantity)
    kept = {key: quantity[key] for key in OF_QUANTITIES if key in quantity}
    return {"name": quantity["name"], "shape": shape, **kept}


def _shape(quantity: Mapping[str, Any]) -> list[int]:
    counts = [len(quantity["rows"]), len(quantity["columns"])]
    return counts if isinstance(quantity["values"], Rows) else counts[:1]
