"""What the JSON Schema of scenario files says of a file, as an editor reads YAML: 1.2's core schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import yaml

from attncli.steps.schema import json_schema

_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
          **dict.fromkeys(("", "~", "null", "Null", "NULL"))}  # fmt: skip
_WHOLE = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


@cache
def validator() -> Any:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def faults(text: str) -> list[str]:
    """Where a file isn't as the schema has it, and how."""
    return [f"{i.json_path}: {i.message}" for i in validator().iter_errors(data_of(text))]


def data_of(text: str) -> Any:
    """What an editor takes a file for: keys are texts, scalars what they look like."""
    return _data(yaml.compose(text, Loader=yaml.SafeLoader))


def _data(node: yaml.Node | None) -> Any:
    if isinstance(node, yaml.MappingNode):
        return dict(_entries(node))
    if isinstance(node, yaml.SequenceNode):
        return [_data(value) for value in node.value]
    if node is None or not isinstance(node, yaml.ScalarNode):
        return None
    return _scalar(node.value) if node.style is None else node.value


def _entries(node: yaml.MappingNode) -> Iterator[tuple[str, Any]]:
    """The entries, after those that a merge key takes over."""
    own = []
    for key, value in node.value:
        sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
        maps = all(isinstance(s, yaml.MappingNode) for s in sources)
        if key.value == "<<" and key.style is None and maps:
            for source in reversed(sources):
                yield from _entries(source)
        else:
            own.append((key.value, _data(value)))
    yield from own


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return float(text.replace(".", "", 1)) if _NOT_FINITE.fullmatch(text) else text
