"""What is said of a tensor that stands for one of each layer, or of each expert."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from attncli.file.array_parts import ArrayPart
from attncli.file.keys import Key, Record, keys_of_fields
from attncli.file.kinds import COUNT, ListOf, Schema, TextKind
from attncli.file.nodes import Items, Node, Scalar, describe
from attncli.file.problems import Problems

NUMBER = "{i}"
"""What stands in a tensor's name for the number of its layer, counted from 0."""
EXPERT = "{e}"
"""The same for the number of an expert."""
_NAME = "its name, in which `{i}` is the number of a layer, from 0, and `{e}` that of an expert"
_ENTRY = r"[0-9]{1,6}|\{[ie]\}"
EVERY_OTHER: Mapping[str, int] = MappingProxyType({"odd": 0, "even": 1})
"""Words for every other layer, and the first of them, from 0."""


class _EntryKind:
    """A number from 0, or that of the layer or the expert."""

    def read(self, node: Node, problems: Problems) -> str | None:
        if isinstance(node, Scalar) and re.fullmatch(_ENTRY, node.text):
            return node.text
        wrong = f"{describe(node)}, where a number from 0 belongs"
        problems.add(node.where, wrong, "give one, or '{i}' for a layer's, '{e}' for an expert's")
        return None

    def schema(self) -> Schema:
        return {"type": ["integer", "string"], "pattern": f"^({_ENTRY})$"}


class _LayersKind:
    """Some of the layers."""

    def read(self, node: Node, problems: Problems) -> Node | None:
        if isinstance(node, Scalar) and node.text in EVERY_OTHER:
            return node
        if isinstance(node, Items) and node.items:
            return node if ListOf(COUNT).read(node, problems) else None
        wrong = f"{describe(node)}, where layers belong"
        problems.add(node.where, wrong, "say odd, even, or their numbers, like [1, 3]")
        return None

    def schema(self) -> Schema:
        return {"anyOf": [{"enum": [*EVERY_OTHER]}, ListOf(COUNT).schema()]}


TENSOR = Record.of(
    Key("file", TextKind("a path"), "the file that it is in, where that is another"),
    Key("key", TextKind("a key"), _NAME),
    *keys_of_fields(ArrayPart)[1:],
    Key(
        "entry",
        _EntryKind(),
        "of an array with more sides than two: the entry of its first side; `'{i}'` or `'{e}'` is"
        " the number of the layer or of the expert",
    ),
    Key(
        "layers",
        _LayersKind(),
        "of which layers, where not of all: `odd` or `even` ones, or a list of their numbers, from"
        " 1: `[1, 3]`",
    ),
)


def layers_of(said: Node | None, count: int, problems: Problems) -> list[int]:
    """The numbers, from 0, of those of so many layers that a node says, or of all."""
    if not isinstance(said, Items):
        return layers_with(said.text if isinstance(said, Scalar) else None, count)
    numbers = [int(one.text) for one in said.items if isinstance(one, Scalar)]
    if max(numbers) > count:
        problems.add(said.where, f"there is no layer {max(numbers)}", f"count from 1 to {count}")
    return layers_with([number for number in numbers if number <= count], count)


def layers_with(said: str | Iterable[object] | None, count: int) -> list[int]:
    """The same of what is said: `odd`, `even` or numbers from 1."""
    if isinstance(said, str):
        return [*range(EVERY_OTHER[said], count, 2)]
    return [*range(count)] if said is None else [int(str(k)) - 1 for k in said]
