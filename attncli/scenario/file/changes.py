"""Changing single values of a scenario for one run: `scale=none`, `W_K[1,2]=0`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from attncli.errors import Where, quote
from attncli.scenario.file import reading
from attncli.scenario.file.address import Address, AddressError, parse_address
from attncli.scenario.file.keys import Key, TextKind
from attncli.scenario.file.nodes import Items, Map, Node, Scalar
from attncli.scenario.file.problems import Diagnostics, ScenarioError, nearest, scenario_error
from attncli.scenario.file.sources import is_source

Keys = Mapping[str, Key[object]]


class Change(NamedTuple):
    """A new value for a key."""

    option: str
    """What messages call the change."""
    key: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Change:
        """Parses `KEY=VALUE` as for `--set`. Raises ScenarioError for any other text."""
        key, equals, value = _split(text)
        if not equals or not key:
            right = "write for example scale=none or 'W_K[1,2]=0'"
            raise ScenarioError.of(f"--set {text}", "not KEY=VALUE", right)
        return cls(f"--set {text}", key, value)


def applied(tree: Map, changes: Sequence[str | Change], keys: Keys, problems: Diagnostics) -> Map:
    """Returns the tree of a record with changes made. `keys` are those of the record; what is wrong
    with the changes goes to `problems`."""
    for change in changes:
        try:
            tree = _apply(tree, Change.parse(change) if isinstance(change, str) else change, keys)
        except ScenarioError as error:
            problems.found.extend(error.problems)
    return tree


def _apply(tree: Map, change: Change, keys: Keys) -> Map:
    where = Where(change.option)
    try:
        address = parse_address(change.key)
    except AddressError as error:
        raise scenario_error(where, error.wrong, "write for example 'W_K[1,2]=0'") from None
    path = _with_dimensions(tree, path_in(tree, address), where)
    _check_given(tree, path, keys, where)
    if not 1 <= len(path) <= reading.DEEPEST:
        wrong = f"a key of {len(path)} parts" if path else "names no key"
        raise scenario_error(where, wrong, f"use 1 to {reading.DEEPEST} parts, like 'W_K[1,2]=0'")
    _check_counts(tree, path, where)
    if address.indices:
        _check_parts(tree.get(path[0]), path, where)
    changed = _put(tree, path, value_of(keys.get(address.name), change.value, where), where)
    assert isinstance(changed, Map)
    return changed


def path_of(address: Address) -> tuple[str, ...]:
    """Returns the keys and entries, each inside the one before, that an address leads through."""
    return (*address.segments, *(index.text for index in address.indices))


def array_name(key: str) -> str:
    """Returns what an array is called whose key may name its sides: `W_Q` of `W_Q[d, d_k]`."""
    return key.partition("[")[0].strip()


def path_in(tree: Map, address: Address) -> tuple[str, ...]:
    """Returns the keys and entries that an address leads through in a tree: `W_Q[1, 2]` is an entry
    of `W_Q[d, d_k]` in `given`, if that is there and no key of the tree has the name. Indices may
    be the names of places along its sides."""
    path, given = path_of(address), tree.get("given")
    if not isinstance(given, Map) or not path:
        return path
    if tree.get(path[0]) is None:
        path = ("given", *path)
    known = {array_name(key.text): key.text for key, _ in given.entries}
    if path[0] != "given" or len(path) == 1 or path[1] not in known:
        return path_of(address)
    key = known[path[1]]
    sides = [side.strip() for side in key.partition("[")[2].rstrip(" ]").split(",")]
    places = (_place(tree, side, index) for side, index in zip(sides, path[2:], strict=False))
    return ("given", key, *places, *path[2 + len(sides) :])


_ROWS_OF_DIMENSIONS = ("W_Q", "W_K", "W_V")
"""Weights whose rows, or with `linear` whose columns, are the dimensions of the embeddings."""


def _with_dimensions(tree: Map, path: tuple[str, ...], where: Where) -> tuple[str, ...]:
    """Returns a path with the places of dimensions in place of the names that `features` give them:
    `embeddings[milk, alive]`. Raises ScenarioError for a name that isn't among them."""
    stack = tree.get(path[0]) if path else None
    labels = stack.get("features") if isinstance(stack, Map) else None
    labels = tree.get("features") if labels is None else labels
    listed = labels.items if isinstance(labels, Items) else ()
    names = [name.text for name in listed if isinstance(name, Scalar)]
    side = _side_of_dimensions(tree, path)
    if not names or side is None or path[side].isdecimal():
        return path
    if path[side] not in names:
        wrong = f"there is no dimension {quote(path[side])}"
        raise scenario_error(where, wrong, nearest(path[side], names))
    return (*path[:side], str(names.index(path[side]) + 1), *path[side + 1 :])


def _side_of_dimensions(tree: Map, path: Sequence[str]) -> int | None:
    """Finds which part of the path to a number is along the dimensions of the embeddings: of the
    table and X the column, of the first attention's weights the row; None where no part is."""
    local = path[-3] if len(path) >= 3 else ""  # noqa: PLR2004
    if local in ("embeddings", "X"):
        return len(path) - 1
    layers = [after for part, after in pairwise(path) if part == "layers"]
    if local not in _ROWS_OF_DIMENSIONS or layers not in ([], ["1"]):
        return None
    layout = tree.get("weights_layout")
    is_linear = isinstance(layout, Scalar) and layout.text == "linear"
    return None if tree.get("project_in") is not None else len(path) - (1 if is_linear else 2)


def _check_given(tree: Map, path: Sequence[str], keys: Keys, where: Where) -> None:
    """Raises ScenarioError for a number that isn't given to equations, and is nothing else."""
    given = tree.get("given")
    if not isinstance(given, Map) or not path:
        return
    known = [array_name(key.text) for key, _ in given.entries]
    if path[0] == "given" and len(path) > 1 and given.get(path[1]) is None:
        right = nearest(path[1], known)
        raise scenario_error(where, f"there is no {quote(path[1])} in given", right)
    if path[0] not in keys and tree.get(path[0]) is None:
        right = nearest(path[0], [*known, *keys])
        raise scenario_error(where, f"nothing is called {quote(path[0])}", right)


def _place(tree: Map, side: str, index: str) -> str:
    """Returns the place from 1, as a text, of a name along a side, `red` or, of several, `red (3)`;
    any other index as it is."""
    names = tree.get("names")
    labels = names.get(side) if isinstance(names, Map) else None
    labels = tree.get("tokens") if labels is None and side == "token" else labels
    texts = (
        [entry.text for entry in labels.items if isinstance(entry, Scalar)]
        if isinstance(labels, Items)
        else []
    )
    numbered = [f"{text} ({place})" for place, text in enumerate(texts, start=1)]
    for called in (texts, numbered):
        if not index.isdecimal() and called.count(index) == 1:
            return str(called.index(index) + 1)
    return index


def _check_parts(node: Node | None, path: Sequence[str], where: Where) -> None:
    """Raises ScenarioError for a path into something that isn't there."""
    if node is None:
        wrong = f"{path[0]} isn't given, so it has no entries to set"
        raise scenario_error(where, wrong, f"give all of it, {path[0]}=…")
    if isinstance(node, Map) and len(path) > 2 and node.get(path[1]) is None:  # noqa: PLR2004
        known = nearest(path[1], (key.text for key, _ in node.entries))
        raise scenario_error(where, f"there is no {quote(path[1])} in {path[0]}", known)


def _check_counts(tree: Map, path: Sequence[str], where: Where) -> None:
    """Raises ScenarioError for a key of one of several things whose number is all that is said of
    them: `heads[1].W_Q` beside `heads: 4`. What a layer doesn't say of them is looked for at the
    top."""
    node: Node | None = tree
    for k, name in enumerate(path):
        if isinstance(node, Items):
            node = node.items[int(name) - 1] if _is_entry(name, node) else None
            continue
        if not isinstance(node, Map):
            return
        node = node.get(name) or tree.get(name)
        index, own = path[k + 1 : k + 2], path[k + 2 :]
        is_one = any(map(str.isdecimal, index)) and any(map(_is_name, own))
        if isinstance(node, Scalar) and node.text.isdecimal() and is_one:
            has, shared = _address(own), _address([*path[:k], *own])
            text = f"only says how many there are, so that {name}[{index[0]}] has no {has}"
            right = f"set {shared}, which is that of all {node.text}"
            raise scenario_error(where, f"`{name}: {node.text}` {text} of its own", right)


def _is_name(part: str) -> bool:
    return not part.isdecimal()


def _address(path: Sequence[str]) -> str:
    """Writes a path as it is typed, `layers[2].W_Q`, up to its last name."""
    last = max(k for k, part in enumerate(path) if _is_name(part))
    line = "".join(f".{text}" if _is_name(text) else f"[{text}]" for text in path[: last + 1])
    return line.removeprefix(".")


def value_of(key: Key[object] | None, text: str, where: Where) -> Node:
    """Returns the node of a value. For a key that holds a text it is that text, whatever YAML would
    make of it; for others the text is read as YAML."""
    if key is not None and isinstance(key.kind, TextKind):
        return Scalar(reading.escaped_surrogates(text), where)
    problems = Diagnostics()
    node = reading.read_value(text, where, problems) or Scalar("", where)
    problems.stop_if_any()
    return node


def _split(change: str) -> tuple[str, str, str]:
    """Splits a change into KEY, `=` and VALUE. An `=` inside brackets belongs to a name."""
    depth = 0
    for position, character in enumerate(change):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "=" and depth <= 0:
            return change[:position].strip(), "=", change[position + 1 :]
    return change, "", ""


def _put(node: Node | None, path: Sequence[str], value: Node, where: Where) -> Node:
    if not path:
        return value
    head, rest = path[0], path[1:]
    if node is None:
        node = Map((), where)  # a record such as `rounding` that the file doesn't have
    if isinstance(node, Items):
        return _put_in_list(node, head, rest, value, where)
    if isinstance(node, Map) and head.isdigit() and is_source(node):
        wrong = "its numbers are drawn or in a file of arrays, so none of them can be set here"
        right = "give the whole matrix, like W_Q=[[1, 0], [0, 1]], or replay the trace in Python"
        raise scenario_error(where, wrong, right)
    if not isinstance(node, Map):
        raise scenario_error(
            where, f"{quote(head)} looks into a single value", "leave the index out"
        )
    return node.put(head, _put(node.get(head), rest, value, where))


def _is_entry(head: str, node: Items) -> bool:
    return head.isascii() and head.isdigit() and 1 <= int(head) <= len(node.items)


def _put_in_list(node: Items, head: str, rest: Sequence[str], value: Node, where: Where) -> Items:
    count = len(node.items)
    if not _is_entry(head, node):
        raise scenario_error(where, f"there is no entry {head}", f"count from 1 to {count}")
    position = int(head) - 1
    changed = _put(node.items[position], rest, value, where)
    return Items((*node.items[:position], changed, *node.items[position + 1 :]), node.where)
