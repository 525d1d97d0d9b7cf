"""Draws any key that a scenario may have, by the schema that editors use."""

from __future__ import annotations

from functools import cache, reduce
from operator import getitem
from typing import Any

from attncli.steps.schema import json_schema
from tests.drawing import Pen

NUMBERS = (
    "0", "-0", "1", "-1", "3", "1.0", "-0.0", "0.5", "+1", ".5", "5.", "1e3", "0x10", "0o7", "1_000",
    "1e300", "-1e300", "1e-300", "4.9e-324", "1e9999999", "1e-9999999", "1" * 401, "0." + "1" * 401,
    ".nan", ".inf", "-.inf", "inf", "-inf", "nan", "1e400", "9007199254740993", "2147483648",
    "18446744073709551616", "0.49999999999999994", "0.285", "1e15", "999999999999999.5",
)  # fmt: skip
"""Numbers that something may stumble over."""

WORDS = (
    "", " ", "~", "null", "true", "no", "=", "<<", "*", "&a", "!x", "-", "...", "---", "a b", "a, b",
    "[x]", "love, AI", "a|b", "a\nb", "\t", "\x1b[31m", "\x00", "\u202e", "שלום", "\u3164", "😀",
    "e\u0301", "\ud800", "x" * 300, "$x_1$", "\\end{document}", "<b>", "`", "#", "%s", "{}", "2026-01-01",
)  # fmt: skip
"""Texts that something may stumble over."""

_DEEPEST = 4


def any_key(pen: Pen, *, nearly: bool = False) -> tuple[str, Any]:
    """A key of a scenario and a value of its kind, or of something near it."""
    properties = _properties()
    key = pen.choice(*properties)
    return key, value(pen, properties[pen.choice(*properties) if nearly else key])


def value(pen: Pen, schema: Any, depth: int = 0) -> Any:
    """What a schema allows, its sizes small; where it allows anything, a word."""
    if isinstance(schema, bool):
        schema = {}
    schema = _named(schema)
    if "anyOf" in schema:
        return value(pen, pen.choice(*schema["anyOf"]), depth)
    if "enum" in schema:
        return pen.choice(*map(_plain, schema["enum"]))
    kind = schema.get("type", "string")
    if depth > _DEEPEST:
        return pen.choice("1", "x")
    if kind == "object":
        return _object(pen, schema, depth)
    if kind == "array":
        items, least = schema.get("items", {}), schema.get("minItems", 0)
        return [value(pen, items, depth + 1) for _ in range(pen.size(least, least + 2))]
    return _scalar(pen, kind)


def _object(pen: Pen, schema: dict[str, Any], depth: int) -> dict[str, Any]:
    properties = schema.get("properties", {})
    keys = pen.several(1, 3, [*properties]) if properties else []
    drawn = {key: value(pen, properties[key], depth + 1) for key in keys}
    other = schema.get("additionalProperties")
    if isinstance(other, dict):
        drawn |= {name: value(pen, other, depth + 1) for name in pen.tokens(1, 2)}
    return drawn


def _scalar(pen: Pen, kind: str | list[str]) -> str:
    if kind == "boolean":
        return str(pen.choice("true", "false"))
    if kind in ("integer", "number"):
        return str(pen.choice("0", "1", "2", "3", "0.5", "7", pen.choice(*NUMBERS)))
    return str(pen.choice("x", "the", "the cat", pen.choice(*WORDS)))


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _named(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema, or the part that it refers to, which may refer to another."""
    if "$ref" not in schema:
        return schema
    part: dict[str, Any] = reduce(getitem, schema["$ref"].split("/")[1:], _schema())
    return _named(part)


@cache
def _schema() -> dict[str, Any]:
    return json_schema()


@cache
def _properties() -> dict[str, Any]:
    top: dict[str, Any] = _schema()["properties"]
    layer: dict[str, Any] = _named(_named(top["layers"]).get("items", {}))
    own: dict[str, Any] = layer.get("properties", {})
    return top | own
