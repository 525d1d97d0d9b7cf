"""Writing changes into the text of a scenario file, which stays as its author laid it out.

A value is replaced at the marks that the parser has of it, so that comments, alignment and all else
stay byte by byte: a round trip through ruamel.yaml keeps comments, and one layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import yaml

from attncli.errors import Where
from attncli.maths.notation.escaping import key_of
from attncli.scenario.file import reading
from attncli.scenario.file.address import AddressError, parse_address
from attncli.scenario.file.changes import Change, Keys, applied, path_in, value_of
from attncli.scenario.file.emitting import on_one_line, written
from attncli.scenario.file.nodes import Map, data_of
from attncli.scenario.file.problems import Diagnostics, scenario_error


class Splice(NamedTuple):
    """A place in a text where a value goes: what stands from `start` to `end` is replaced by
    `before`, the value and `after`."""

    start: int
    end: int
    before: str = ""
    after: str = ""


def edited(text: str, changes: Iterable[str | Change], keys: Keys) -> str:
    """Returns the text of a scenario file with changes. It reads as the changed tree does, and
    nothing else is touched. `keys` are those of a file. Raises ScenarioError for what the text says
    in no place of its own."""
    made = [Change.parse(change) if isinstance(change, str) else change for change in changes]
    return _edited(text, made, keys) if made else text


def _edited(text: str, changes: Sequence[Change], keys: Keys) -> str:
    """Returns the text with all changes made together, so that it is read only twice. Where they
    have no separate places, as when one needs what another one gives, the first half of them is
    made before the second."""
    problems = Diagnostics()
    meant = applied(tree_in(text, problems), changes, keys, problems)
    problems.stop_if_any()
    new = _spliced(text, _lasting(_read(text), changes), keys)
    if new and data_of(tree_in(new, problems)) == data_of(meant):
        return new
    if len(changes) == 1:
        right = "change the file itself, where its value comes from"
        where = Where(changes[0].option)
        raise scenario_error(where, "the file says this in no place of its own", right)
    half = len(changes) // 2
    return _edited(_edited(text, changes[:half], keys), changes[half:], keys)


def _spliced(text: str, changes: Iterable[Change], keys: Keys) -> str:
    """Returns the text with the value of each change in its own place, or an empty text where a
    place is missing or two overlap."""
    pieces, end = list[str](), -1
    places = [(splice_of(text, change.key), _value_text(keys, change)) for change in changes]
    known = sorted((place, value) for place, value in places if place is not None)
    for place, value in known:
        if place.start <= end:
            return ""
        pieces += [text[max(end, 0) : place.start], place.before, value, place.after]
        end = place.end
    return "".join([*pieces, text[max(end, 0) :]]) if len(known) == len(places) else ""


def _lasting(tree: Map, changes: Sequence[Change]) -> Sequence[Change]:
    """Keeps the changes that no later one replaces entirely."""
    lasting, replaced = list[Change](), set[tuple[str, ...]]()
    for change in reversed(changes):
        path = path_in(tree, parse_address(change.key))
        if not any(path[:k] in replaced for k in range(1, len(path) + 1)):
            lasting.append(change)
            replaced.add(path)
    return lasting[::-1]


def tree_in(text: str, problems: Diagnostics) -> Map:
    """Reads what a text says; an empty map if it isn't a map."""
    node = reading.read_value(text, Where("scenario", 1, 1), problems)
    return node if isinstance(node, Map) else Map((), Where("scenario", 1, 1))


def _value_text(keys: Keys, change: Change) -> str:
    key = keys.get(parse_address(change.key).name)
    return on_one_line(data_of(value_of(key, change.value, Where(change.option))))


def splice_of(text: str, key: str) -> Splice | None:
    """Finds where a text says the value of a key, or where it would. Returns None where it can't:
    for a number that is drawn or in a file of arrays, a value with an anchor (`&`) or taken over
    (`<<`), an entry that isn't there."""
    try:
        address, node = parse_address(key), _composed(text)
    except (AddressError, yaml.YAMLError):
        return None
    path = path_in(_read(text), address)
    for k, name in enumerate(path):
        if _is_shared(text, node):
            return None
        inside = dict(_entries(node)).get(name)
        if inside is None:
            return _missing(text, node, path[k:])
        node = inside
    return None if node is None or _is_shared(text, node) else _around(text, node)


@lru_cache(maxsize=1)
def _read(text: str) -> Map:
    return tree_in(text, Diagnostics())


@lru_cache(maxsize=1)
def _composed(text: str) -> yaml.Node | None:
    """Parses a text into PyYAML's own nodes, whose marks say where each starts and ends."""
    return yaml.compose(text, Loader=reading.LOADER)


def _is_shared(text: str, node: yaml.Node | None) -> bool:
    """Tells whether a node has an anchor, by which it may be meant elsewhere, or a tag. For an
    alias the parser returns the node that it refers to."""
    return node is None or text[node.start_mark.index : node.start_mark.index + 1] in ("&", "!")


def _entries(node: yaml.Node | None) -> Iterable[tuple[str, yaml.Node]]:
    """Returns what is in a map or a list, by name or number from 1. The first value of a repeated
    key counts."""
    if isinstance(node, yaml.MappingNode):
        return [(key.value, value) for key, value in reversed(node.value)]
    if isinstance(node, yaml.SequenceNode):
        return [(str(k), entry) for k, entry in enumerate(node.value, start=1)]
    return ()


def _last(node: yaml.Node) -> yaml.Node:
    """Returns the innermost node that a block ends with."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return node


def _around(text: str, node: yaml.Node) -> Splice | None:
    """Returns the place of a node itself, from its first character to the last of what it ends
    with, or None where it ends with something shared."""
    start, last = node.start_mark.index, _last(node)
    if _is_shared(text, last):
        return None
    end = max(start, len(text[: last.end_mark.index].rstrip()))
    line = text[text.rfind("\n", 0, start) + 1 : start]
    # nothing may stand right after a colon, nor a list's entry as far left as its key
    below = isinstance(node, yaml.SequenceNode) and not node.flow_style and not line.strip()
    return Splice(start, end, " " if below or start == last.end_mark.index else "")


def _missing(text: str, node: yaml.Node | None, names: Sequence[str]) -> Splice | None:
    """Returns the place for a key that a map doesn't have: after its last one, in a block on a line
    of its own. None where the key can't be added."""
    taken_over = isinstance(node, yaml.MappingNode) and any(k.value == "<<" for k, _ in node.value)
    if not isinstance(node, yaml.MappingNode) or any(map(str.isdecimal, names)) or taken_over:
        return None
    keys = [key_of(written(name)) for name in names]
    before, after = f"{' {'.join(keys)} ", "}" * (len(keys) - 1)
    if node.flow_style:
        end = node.value[-1][1].end_mark.index if node.value else node.start_mark.index + 1
        return Splice(end, end, f", {before}" if node.value else before, after)
    last = _last(node)
    if _is_shared(text, last):
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    before = f"{' ' * node.start_mark.column}{before}"
    end = last.end_mark.index
    if not text[:end].endswith("\n"):
        end = text.find("\n", end) + 1 or len(text)
    if not text[:end].endswith("\n"):
        return Splice(end, end, f"{newline}{before}", after)
    return Splice(end, end, before, f"{after}{newline}")
