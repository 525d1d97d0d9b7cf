"""A JSON Schema that says once what it would say in many places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain, count
from typing import Any

from attncli.file.kinds import Schema

_SHORT = 40
"""Characters: what is no longer is said as quickly as referred to."""


def with_definitions(schema: Schema) -> Schema:
    """The same schema with references to what stands in several places: to a key at the top, or to
    a definition that is called after the first key that has it for a value."""
    definitions = _Definitions()
    definitions.count(schema, "")
    return {**definitions.whole(schema), "$defs": definitions.parts}


class _Definitions:
    """What stands where: the parts of a schema by what they say, with their descriptions and
    without them."""

    def __init__(self) -> None:
        self.parts: dict[str, Schema] = {}
        self._count: Counter[str] = Counter()
        self._called: dict[str, str] = {}

    def count(self, schema: Schema, key: str) -> Schema:
        """Counts a part, and what is in it where it is new."""
        for said in dict.fromkeys((str(schema), str(_undescribed(schema)))):
            self._count[said] += 1
            if self._count[said] > 1:
                return schema
        return _each_part(schema, key, self.count)

    def whole(self, schema: Schema) -> Schema:
        """The schema at the top: its keys stand there, and others that say the same refer to
        them."""
        keys = schema["properties"].items()
        self._called.update((str(part), f"#/properties/{name}") for name, part in keys)
        properties = {name: self._definition(part, name) for name, part in keys}
        return {**schema, "properties": properties}

    def referring(self, schema: Schema, key: str) -> Schema:
        """The schema with references to what is defined, with its description or without it."""
        bare = _undescribed(schema)
        if self._is_defined(schema):
            return self._reference(schema, key)
        if self._is_defined(bare):
            return {**_description(schema), **self._reference(bare, key)}
        return _each_part(schema, key, self.referring)

    def _is_defined(self, schema: Schema) -> bool:
        said = str(schema)
        return self._count[said] > 1 and len(said) > _SHORT

    def _reference(self, schema: Schema, key: str) -> Schema:
        said = str(schema)
        if said not in self._called:
            name = self._free(key, schema)
            self._called[said] = f"#/$defs/{name}"
            self.parts[name] = {}  # before those that are in it
            self.parts[name] = self._definition(schema, key)
        return {"$ref": self._called[said]}

    def _definition(self, schema: Schema, key: str) -> Schema:
        if description := _description(schema):
            return {**description, **self.referring(_undescribed(schema), key)}
        return _each_part(schema, key, self.referring)

    def _free(self, key: str, schema: Schema) -> str:
        """A name that no other part has: `positions`, `positions_object`, `positions_object_2`."""
        kind = schema.get("type")
        typed = f"{key}_{kind if isinstance(kind, str) else 'choice'}"
        names = chain((key, typed), (f"{typed}_{number}" for number in count(2)))
        return next(name for name in names if name not in self.parts)


def _description(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key == "description"}


def _undescribed(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "description"}


def _each_part(schema: Schema, key: str, change: Callable[[Schema, str], Schema]) -> Schema:
    """The schema with something else for each schema that is a part of it."""

    def changed(part: Any, key: str = key) -> Any:  # noqa: ANN401
        return change(part, key) if isinstance(part, dict) else part

    writers: dict[str, Callable[[Any], Any]] = {
        "properties": lambda parts: {name: changed(part, name) for name, part in parts.items()},
        "patternProperties": lambda parts: {name: changed(part) for name, part in parts.items()},
        "anyOf": lambda parts: [*map(changed, parts)],
        "items": changed,
        "additionalProperties": changed,
    }
    return {name: writers.get(name, lambda value: value)(value) for name, value in schema.items()}
