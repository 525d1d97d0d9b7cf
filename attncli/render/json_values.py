"""A page's JSON without its texts: names, shapes, labels and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.render.json_pieces import Rows

_OF_PAGES = ("attncli", "title", "rounding")
_OF_QUANTITIES = ("variant", "rows", "columns", "tokens", "values", "source")
_OF_LINES = ("cell", "value")


def values_alone(page: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of a page."""
    variants = [_quantity(one) for one in page.get("variants", ())]
    return {
        **_only(page, _OF_PAGES),
        "given": [_quantity(one) for one in page["given"]],
        "steps": [_step(one) for one in page["steps"]],
        **({"variants": variants} if variants else {}),
    }


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    """Of cells that were asked for, and not their quantities, what these come to."""
    made = [_quantity(one) for one in step["quantities"]]
    cells = [_only(line, _OF_LINES) for line in step["working"] if not made]
    told = {**_only(step, ("step", "path")), "quantities": made}
    return {**told, "working": cells} if cells else told


def _quantity(quantity: Mapping[str, Any]) -> dict[str, Any]:
    shape = quantity["shape"] if "shape" in quantity else _shape(quantity)
    return {"name": quantity["name"], "shape": shape, **_only(quantity, _OF_QUANTITIES)}


def _shape(quantity: Mapping[str, Any]) -> list[int]:
    counts = [len(quantity["rows"]), len(quantity["columns"])]
    return counts if isinstance(quantity["values"], Rows) else counts[:1]


def _only(data: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: data[key] for key in keys if key in data}
