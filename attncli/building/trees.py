"""From a path, a shipped name or a mapping to the tree of what it says; with changes, and of each
variant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from attncli.file import reading, shipped
from attncli.file.changes import Change, applied
from attncli.file.nodes import Items, Map, Node, Scalar, data_of, describe
from attncli.file.problems import Diagnostics, too_much
from attncli.scenario.scenario import MOST_VALUES
from attncli.scenario.templates import expanded
from attncli.steps.schema import SCENARIO, step_meant

Source = str | os.PathLike[str] | Mapping[str, Any]
Changes = Sequence[str | Change]

_BESIDE_THE_NUMBERS = {
    "title",
    "about",
    "source",
    "show",
    "published",
    "claims",
    "ours",
    "variants",
}
_RECORDS = {"rounding", "steps", "quantities"}
"""Keys whose maps say one thing for each of their keys; one that isn't there says nothing."""
_OF_THE_PAGE = {"title", "about", "source", "show", "published", "claims", "ours", "rounding"}
"""Keys that leave the numbers what they are, but for how they are rounded."""


def tree_of(source: Source, problems: Diagnostics) -> Map:
    """What a source says, before anybody reads meaning into it, each layer by itself."""
    if isinstance(source, Mapping):
        from attncli.file.reading import mapping_tree

        return expanded(mapping_tree(source), problems)
    tree = reading.read_file(shipped.find(os.fspath(source)), problems, step_meant)
    return expanded(tree, problems)


def with_changes(tree: Map, changes: Changes, problems: Diagnostics) -> Map:
    """A tree with the changes made."""
    return expanded(applied(tree, changes, SCENARIO.known, problems), problems)


def name_of(source: Source) -> str:
    """What a scenario is called if it has no title."""
    return "Scenario" if isinstance(source, Mapping) else Path(os.fspath(source)).stem


def folder_of(source: Source) -> Path | None:
    """The folder whose files it may read."""
    return None if isinstance(source, Mapping) else shipped.find(os.fspath(source)).parent


def changed_tree(source: Source, changes: Changes, problems: Diagnostics) -> Map:
    """The tree of a source with the changes made; without what the source prints for its own
    numbers, where these are others now."""
    tree = tree_of(source, problems)
    changed = with_changes(tree, changes, problems)
    others = {key.text for key, value in changed.entries if tree.get(key.text) is not value}
    if others <= _OF_THE_PAGE:
        return changed
    return changed.without("published").without("claims")


def check_size(tree: Map) -> None:
    """Raises ScenarioError for more values than are read without being asked for."""
    variants = tree.get("variants")
    count = len(variants.entries) if isinstance(variants, Map) else 0
    values = reading.size_of(tree, MOST_VALUES)
    values += reading.size_of(tree.without("variants"), MOST_VALUES) * count
    if values > MOST_VALUES:
        where = tree.where if variants is None else variants.where
        less = "give fewer variants" if count else "keep large matrices in a file of arrays"
        raise too_much(where, f"{values:,} values to read (or more)", less)


class Variant(NamedTuple):
    """A tree with some values of its own, and what is said of these."""

    name: str
    tree: Map
    varied: tuple[str, ...]


def variants_of(tree: Map, problems: Diagnostics) -> Iterator[Variant]:
    variants = tree.get("variants")
    for name, change in variants.entries if isinstance(variants, Map) else ():
        if isinstance(change, Map):
            numbers = (e for e in change.entries if e[0].text not in _BESIDE_THE_NUMBERS)
            texts = tuple(_told(*entry, tree) for entry in numbers)
            varied = expanded(_varied(tree, change), problems)
            yield Variant(name.text, varied, texts)


def _varied(tree: Map, change: Map) -> Map:
    """The tree with the values of a variant in place of its own, without variants and what the
    source prints for the scenario."""
    changed = {key.text: (key, value) for key, value in change.entries}
    kept = [
        changed.pop(key.text, (key, value))
        for key, value in tree.entries
        if key.text not in ("variants", "published", "claims")
    ]
    return Map((*kept, *changed.values()), tree.where)


def _told(key: Scalar, value: Node, tree: Map) -> str:
    """What a key changes: its value where that is a word or a number, or else whether the tree has
    other ones or none."""
    if isinstance(value, Scalar):
        return f"{key.text}: {value.text}"
    what = {"train": "training"}.get(key.text, key.text)
    return f"{'with' if tree.get(key.text) is None else 'other'} {what}"


class Difference(NamedTuple):
    """A key under which two trees say something else, and what each says, nothing if it doesn't
    have it."""

    key: str
    own: str
    other: str

    @property
    def is_of_rounding(self) -> bool:
        return self.key.partition(".")[0] == "rounding"


def differences(own: Map, other: Map, path: str = "") -> Iterator[Difference]:
    """Where two trees say something else of their numbers."""
    keys = dict.fromkeys(key.text for tree in (own, other) for key, _ in tree.entries)
    for key in keys:
        entry, two = own.get(key), other.get(key)
        entries = [{} if node is None else data_of(node) for node in (entry, two)]
        if (not path and key in _BESIDE_THE_NUMBERS) or entries[0] == entries[1]:
            continue
        if key in _RECORDS:
            entry, two = entry or Map((), own.where), two or Map((), other.where)
        name = f"{path}{key}"
        if isinstance(entry, Map) and isinstance(two, Map):
            yield from differences(entry, two, f"{name}.")
        else:
            yield Difference(name, _in_short(entry), _in_short(two))


def _in_short(node: Node | None) -> str:
    """`causal`, `[I, love, AI]`, `2 × 3 numbers`; nothing of what isn't there."""
    match node:
        case None:
            return ""
        case Scalar(text):
            return text
        case Items(items) if items and all(isinstance(entry, Scalar) for entry in items):
            return f"[{', '.join(entry.text for entry in items if isinstance(entry, Scalar))}]"
        case Items((Items(row), *_) as items):
            return f"{len(items)} × {len(row)} numbers"
        case _:
            return describe(node)
