"""Numbers of `start`, which are what an array of `given` would be, and become one: `S_start`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncli.scenario.file.changes import array_name
from attncli.scenario.file.nodes import Items, Map, Node, Numbers, Scalar, inner

_NAME = re.compile(r"[^\W\d]\w*")


def with_start_arrays(tree: Map) -> Map:
    """Returns a tree whose steps name what they start with where it is more than a number; the
    numbers are in `given` then. What can't be read stays as it is."""
    steps, given = tree.get("steps"), tree.get("given")
    if not isinstance(steps, Map) or not isinstance(given or steps, Map):
        return tree
    told = {*_names_in(steps)}
    arrays: dict[str, tuple[Scalar, Node]] = {}
    for name, step in steps.entries:
        starts = step.get("start") if isinstance(step, Map) else None
        if not isinstance(step, Map) or not isinstance(starts, Map):
            continue
        for quantity, node in starts.entries:
            if not _is_array(node):
                continue
            local = "_".join(_NAME.findall(quantity.text)[:1])
            array = _unlike(f"{local}_start", {*told, *arrays})
            arrays[array] = Scalar(array, quantity.where), node
            starts = starts.put(quantity.text, Scalar(array, node.where))
        steps = steps.put(name.text, step.put("start", starts))
    if not arrays:
        return tree
    kept = given.entries if isinstance(given, Map) else ()
    kept = tuple(entry for entry in kept if array_name(entry[0].text) not in arrays)
    where = tree.where if given is None else given.where
    return tree.put("steps", steps).put("given", Map((*kept, *arrays.values()), where))


def _is_array(node: Node) -> bool:
    return isinstance(node, Numbers) or (isinstance(node, Items) and bool(node.items))


def _unlike(name: str, names: set[str]) -> str:
    """Returns a name that is like none of these."""
    numbered = (f"{name}{number}" for number in range(2, len(names) + 3))
    return next(one for one in (name, *numbered) if one not in names)


def _names_in(node: Node) -> Iterator[str]:
    """Yields all names in the texts of a node."""
    if isinstance(node, Scalar):
        yield from _NAME.findall(node.text)
    for part in inner(node):
        yield from _names_in(part)
