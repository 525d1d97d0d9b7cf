"""Layers and matrices given once for many: `layers: 12`, and files with `h.{i}.q.weight`.

`weights: {file: …, keys: {W_Q: 'h.{i}.q.weight'}}` stands for a `{file, key}` in each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from attncli.errors import quote
from attncli.scenario.file.address import AddressError, parse_address
from attncli.scenario.file.array_parts import ArrayPart
from attncli.scenario.file.keys import (
    COUNT,
    Either,
    Key,
    Kind,
    ListOf,
    MapOf,
    Record,
    Schema,
    TextKind,
    keys_of_fields,
)
from attncli.scenario.file.nodes import Items, Map, Node, Scalar, describe
from attncli.scenario.file.problems import Diagnostics

NUMBER = "{i}"
"""The placeholder in a tensor's name for the number of its layer, from 0."""
EXPERT = "{e}"
"""The placeholder for the number of an expert, from 0."""
_NAME = "its name, in which `{i}` is the number of a layer, from 0, and `{e}` that of an expert"
_ENTRY = r"[0-9]{1,6}|\{[ie]\}"
EVERY_OTHER: Mapping[str, int] = MappingProxyType({"odd": 0, "even": 1})
"""Words for every other layer, and the first of them, from 0."""


class _EntryKind:
    """A number from 0, or that of the layer or the expert."""

    def read(self, node: Node, problems: Diagnostics) -> str | None:
        if isinstance(node, Scalar) and re.fullmatch(_ENTRY, node.text):
            return node.text
        wrong = f"{describe(node)}, where a number from 0 belongs"
        problems.add(node.where, wrong, "give one, or '{i}' for a layer's, '{e}' for an expert's")
        return None

    def schema(self) -> Schema:
        return {"type": ["integer", "string"], "pattern": f"^({_ENTRY})$"}


class _LayersKind:
    """A choice of layers: `odd` or `even` ones, or their numbers from 1."""

    def read(self, node: Node, problems: Diagnostics) -> Node | None:
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


def layers_of(node: Node | None, count: int, problems: Diagnostics) -> list[int]:
    """Returns the numbers, from 0, of the layers that a node names, of `count` in all; every one
    without a node. Reports numbers beyond them."""
    if not isinstance(node, Items):
        return layers_with(node.text if isinstance(node, Scalar) else None, count)
    numbers = [int(entry.text) for entry in node.items if isinstance(entry, Scalar)]
    if max(numbers) > count:
        problems.add(node.where, f"there is no layer {max(numbers)}", f"count from 1 to {count}")
    return layers_with([number for number in numbers if number <= count], count)


def layers_with(chosen: str | Iterable[object] | None, count: int) -> list[int]:
    """Returns the numbers, from 0, of `odd` or `even` layers, or of those numbered from 1, of
    `count` in all."""
    if isinstance(chosen, str):
        return [*range(EVERY_OTHER[chosen], count, 2)]
    return [*range(count)] if chosen is None else [int(str(k)) - 1 for k in chosen]


_NOT_OF_ONE = ("file", "key", "entry", "layers")
"""The keys of a template that aren't taken over as they are for the tensor of a layer."""
_ENCODER, _EXPERTS = "encoder", "experts"


_NAMED = TextKind("the name of a tensor")
TEMPLATE = Record.of(
    Key("file", TextKind("a path"), "the file of all matrices, as in `{file: …, key: …}`"),
    Key(
        "keys",
        MapOf(
            Either(lambda node: TENSOR if isinstance(node, Map) else _NAMED, (_NAMED, TENSOR)),
            "key",
        ),
        "where a matrix belongs → the name of its tensor, in which `{i}` is the number of the"
        " layer, from 0, and `{e}` that of an expert: `{W_Q: 'h.{i}.attn.q.weight', norm1.gamma:"
        " 'h.{i}.ln_1.weight', experts.W1: 'h.{i}.experts.{e}.w1.weight'}`; or a map with that"
        " `key` and the part of it that is meant",
    ),
)

_SOME_LAYERS: Mapping[str, str] = MappingProxyType(
    {
        "each": "what every layer says",
        "odd": "what the layers 1, 3, 5, … say",
        "even": "what the layers 2, 4, 6, … say",
    }
)


class AlikeKind(NamedTuple):
    """A number of layers, and what some of them say. It is read in its expanded form, a list."""

    layer: Kind[object]

    def read(self, node: Node, problems: Diagnostics) -> tuple[object, ...] | None:
        return ListOf(self.layer).read(node, problems)

    def schema(self) -> Schema:
        some = (Key(name, self.layer, says) for name, says in _SOME_LAYERS.items())
        single = Key("1", self.layer, "what this layer says")
        return {
            **Record.of(Key("count", COUNT, "how many layers there are"), *some).schema(),
            "patternProperties": {"^[1-9][0-9]*$": single.schema()},
            "required": ["count"],
        }


def expanded(tree: Map, problems: Diagnostics) -> Map:
    """Returns the tree of a scenario in which each layer and matrix is written out."""
    if not isinstance(tree.get("layers"), Items | None):
        tree = _with_layers(tree, problems)
    encoder = tree.get(_ENCODER)
    if isinstance(encoder, Map) and not isinstance(encoder.get("layers"), Items | None):
        tree = tree.put(_ENCODER, _with_layers(encoder, problems))
    template = tree.get("weights")
    if not isinstance(template, Map) or template.get("keys") is None:
        return tree
    kept = tree.without("weights")
    problems_before = len(problems.found)
    TEMPLATE.read(template, problems)
    if len(problems.found) > problems_before:
        return kept
    return _filled(kept, template, problems)


def _with_layers(tree: Map, problems: Diagnostics) -> Map:
    """Returns the stack with its layers as a list, for a stack that says how many there are."""
    node = tree.get("layers")
    assert node is not None
    layers = _Layers.of(node, problems)
    listed = Items(() if layers is None else layers.listed(), node.where)
    return tree.put("layers", listed) if listed.items else tree.without("layers")


class _Layers(NamedTuple):
    """Layers that are given by their number, and what some of them say."""

    node: Node
    number: int
    """How many layers there are."""
    parts: tuple[tuple[str, Map], ...] = ()
    """What `each`, the `odd` and the `even` layers, and single ones from 1 say. What is said of
    fewer layers counts more."""

    @classmethod
    def of(cls, node: Node, problems: Diagnostics) -> _Layers | None:
        if not isinstance(node, Map):
            count = COUNT.read(node, problems)
            return None if count is None else cls(node, count)
        written = node.get("count")
        if written is None:
            problems.add(node.where, "layers without their count", "add it, like count: 2")
            return None
        count = COUNT.read(written, problems)
        if count is None:
            return None
        pairs = [(key, value) for key, value in node.entries if key.text != "count"]
        parts = [*_SOME_LAYERS, *map(str, range(1, count + 1))]
        for key, value in pairs:
            if key.text not in parts:
                wrong = f"{quote(key.text)} is none of {count} layers"
                problems.add(key.where, wrong, "say each, odd, even, or a number from 1")
            elif not isinstance(value, Map):
                problems.add(value.where, f"{describe(value)}, where keys of a layer belong",
                    "give some, like {mask: causal}")  # fmt: skip
        maps = {key.text: value for key, value in pairs if isinstance(value, Map)}
        return cls(node, count, tuple((part, maps[part]) for part in parts if part in maps))

    def listed(self) -> tuple[Node, ...]:
        return tuple(self._layer(number) for number in range(1, self.number + 1))

    def _layer(self, number: int) -> Map:
        of_it = ("each", "odd" if number % 2 else "even", str(number))
        entries = [entry for part, layer in self.parts if part in of_it for entry in layer.entries]
        latest = {key.text: (key, value) for key, value in entries}
        return Map(tuple(latest.values()), self.node.where)


def _filled(tree: Map, template: Map, problems: Diagnostics) -> Map:
    """Returns the tree with the matrices that a template names, except those that it has
    already."""
    keys = template.get("keys")
    for key, tensor in keys.entries if isinstance(keys, Map) else ():
        try:
            path = parse_address(key.text).segments
        except AddressError as error:
            problems.add(key.where, error.wrong, "say where the matrix belongs, like norm1.gamma")
            continue
        inner = path[0] == _ENCODER and len(path) > 1
        stack = tree.get(_ENCODER) if inner else tree
        if not isinstance(stack, Map):
            problems.add(key.where, "there is no encoder", "add one, or take this out")
            continue
        entry = _Tensor(path[1:] if inner else path, tensor, template.get("file"))
        filled = entry.put(stack, problems)
        tree = tree.put(_ENCODER, filled) if inner else filled
    return tree


class _Tensor(NamedTuple):
    """A tensor of a template, and where it belongs in a stack."""

    path: Sequence[str]
    node: Node
    file: Node | None

    def put(self, stack: Map, problems: Diagnostics) -> Map:
        """Returns the stack with the tensor, or with the tensor of each layer."""
        where = self.node.where
        if self._entry("file") is None:
            problems.add(where, "no file says where this is", "add one, like file: w.safetensors")
            return stack
        if not self._counts(NUMBER):
            if self._entry("layers") is not None:
                wrong = f"layers, and no {NUMBER}, which would be the number of each"
                problems.add(where, wrong, "put it into the name, or take this out")
            return self._put_into(stack, stack, 0, problems)
        layers = stack.get("layers")
        if not isinstance(layers, Items):
            wrong = f"{NUMBER} is the number of a layer, and nothing says how many there are"
            problems.add(where, wrong, "add them, like layers: 2")
            return stack
        meant = layers_of(self._entry("layers"), len(layers.items), problems)
        items = tuple(
            self._put_into(self._begun(layer, stack), stack, k, problems)
            if isinstance(layer, Map) and k in meant
            else layer
            for k, layer in enumerate(layers.items)
        )
        return stack.put("layers", Items(items, layers.where))

    def _put_into(self, layer: Map, stack: Map, number: int, problems: Diagnostics) -> Map:
        """Returns a layer with the tensor, or with the tensor of each of its experts."""
        if not self._counts(EXPERT):
            return _with(layer, self.path, self._node(number))
        experts = self._experts(layer.get(_EXPERTS) or stack.get(_EXPERTS), problems)
        filled = tuple(
            _with(entry, self.path[1:], self._node(number, e)) if isinstance(entry, Map) else entry
            for e, entry in enumerate(experts)
        )
        listed = Items(filled, self.node.where)
        if layer.get(_EXPERTS) is not None:
            return layer.put(_EXPERTS, listed)
        return _with(layer, (_EXPERTS,), listed) if filled else layer

    def _experts(self, node: Node | None, problems: Diagnostics) -> Sequence[Node]:
        """Returns the experts of a layer, as far as anything is said of them."""
        where = self.node.where
        if self.path[0] != _EXPERTS or len(self.path) == 1:
            wrong = f"{EXPERT} is the number of an expert, and {self.path[0]} belongs to none"
            problems.add(where, wrong, "say where it belongs, like experts.W1")
        elif isinstance(node, Items):
            return node.items
        elif node is None:
            wrong = f"{EXPERT} is the number of an expert, and nothing says how many there are"
            problems.add(where, wrong, "add them, like experts: 4")
        else:
            return [Map((), where)] * (COUNT.read(node, problems) or 0)
        return ()

    def _begun(self, layer: Map, stack: Map) -> Map:
        """Returns the layer with what the stack says for all layers of the record that the tensor
        belongs to: `qk_norm: {kind: rms}`."""
        given = stack.get(self.path[0])
        if len(self.path) == 1 or not isinstance(given, Map) or layer.get(self.path[0]) is not None:
            return layer
        return layer.put(self.path[0], given)

    def _entry(self, key: str) -> Node | None:
        own = self.node.get(key) if isinstance(self.node, Map) else None
        return self.file if own is None and key == "file" else own

    def _key(self) -> Scalar:
        named = self.node if isinstance(self.node, Scalar) else self._entry("key")
        return named if isinstance(named, Scalar) else Scalar("", self.node.where)

    def _counts(self, number: str) -> bool:
        """Tells whether there is another tensor for each layer, or for each expert."""
        index = self._entry("entry")
        return number in self._key().text or (isinstance(index, Scalar) and index.text == number)

    def _node(self, number: int, expert: int = 0) -> Map:
        """Returns `{file: …, key: …}` with the part that is meant, for a layer, or an expert of
        it."""
        where, key, file = self.node.where, self._key(), self._entry("file")
        assert file is not None
        text = key.text.replace(NUMBER, str(number)).replace(EXPERT, str(expert))
        named = Scalar(text, key.where, quoted=True)
        entries: list[tuple[Scalar, Node]] = [(Scalar("file", where), file)]
        entries += [(Scalar("key", where), named)] if key.text else []
        more = self.node.entries if isinstance(self.node, Map) else ()
        entries += [(name, value) for name, value in more if name.text not in _NOT_OF_ONE]
        index = self._entry("entry")
        if isinstance(index, Scalar):
            numbers = {NUMBER: str(number), EXPERT: str(expert)}
            of_it = Scalar(numbers.get(index.text, index.text), index.where)
            entries.append((Scalar("entry", where), of_it))
        return Map(tuple(entries), where)


def _with(node: Map, path: Sequence[str], value: Node) -> Map:
    """Returns the map with a value at a path, unless something is said there."""
    head, rest = path[0], path[1:]
    there = node.get(head)
    if there is None:
        for name in reversed(rest):
            value = Map((), value.where).put(name, value)
        return node.put(head, value)
    if rest and isinstance(there, Map):
        return node.put(head, _with(there, rest, value))
    return node
