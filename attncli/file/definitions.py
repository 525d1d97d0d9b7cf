"""A JSON Schema that says once, under `$defs`, what it would say in many places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain, count
from typing import Any

from attncli.file.kinds import Schema

_SHORT = 40
"""Characters: what is no longer is said as quickly as referred to."""


def with_definitions(schema: Schema) -> Schema:
    """The same schema with a definition of each part that stands in several places, which is
    called after the first key that has it for a value."""
    definitions = _Definitions()
    definitions.count(schema, "")
    whole = definitions.referring(schema, "")
    return {**whole, "$defs": definitions.parts}


class _Definitions:
    """What stands where: the parts of a schema by what they say, without their descriptions."""

    def __init__(self) -> None:
        self.parts: dict[str, Schema] = {}
        self._count: Counter[str] = Counter()
        self._called: dict[str, str] = {}

    def count(self, schema: Schema, key: str) -> Schema:
        """Counts a part, and what is in it where it is new."""
        said = _said(schema)
        self._count[said] += 1
        return schema if self._count[said] > 1 else _each_part(schema, key, self.count)

    def referring(self, schema: Schema, key: str) -> Schema:
        """The schema with references to what is defined."""
        said = _said(schema)
        if self._count[said] < 2 or len(said) <= _SHORT:  # noqa: PLR2004
            return _each_part(schema, key, self.referring)
        if said not in self._called:
            self._called[said] = name = self._free(key, schema)
            self.parts[name] = {}  # before those that are in it
            self.parts[name] = _each_part(_undescribed(schema), key, self.referring)
        described = {key: text for key, text in schema.items() if key == "description"}
        return {**described, "$ref": f"#/$defs/{self._called[said]}"}

    def _free(self, key: str, schema: Schema) -> str:
        """A name that no other part has: `positions`, `positions_object`, `positions_object_2`."""
        typed = f"{key}_{schema.get('type', 'choice')}"
        names = chain((key, typed), (f"{typed}_{number}" for number in count(2)))
        return next(name for name in names if name not in self.parts)


def _undescribed(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "description"}


def _said(schema: Schema) -> str:
    return str(_undescribed(schema))


def _each_part(schema: Schema, key: str, change: Callable[[Schema, str], Schema]) -> Schema:
    """The schema with something else for each schema that is a part of it."""

    def changed(part: Any, key: str = key) -> Any:  # noqa: ANN401
        return change(part, key) if isinstance(part, dict) else part

    writers: dict[str, Callable[[Any], Any]] = {
        "properties": lambda parts: {name: changed(part, name) for name, part in parts.items()},
        "anyOf": lambda parts: [*map(changed, parts)],
        "items": changed,
        "additionalProperties": changed,
    }
    return {name: writers.get(name, lambda value: value)(value) for name, value in schema.items()}
