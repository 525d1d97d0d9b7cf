"""The tree of a path, a shipped name or a mapping, with changes, and that of each variant."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from attncli.pipeline.start_numbers import with_start_arrays
from attncli.scenario.file import reading, shipped
from attncli.scenario.file.changes import Change, applied, array_name
from attncli.scenario.file.nodes import Items, Map, Node, Scalar, data_of, describe
from attncli.scenario.file.problems import Diagnostics, too_much
from attncli.scenario.scenario import MOST_VALUES, Changed
from attncli.scenario.templates import expanded
from attncli.steps.schema import SCENARIO, step_meant

Source = str | os.PathLike[str] | Mapping[str, object]


class FileText(NamedTuple):
    """The text of a scenario file, as it is or would be; a source in the place of the file."""

    path: Path
    data: bytes

    @classmethod
    def of(cls, source: str) -> Self:
        """Reads the file of a source as it is by now. Raises ScenarioError."""
        path = shipped.find(source)
        return cls(path, reading.bytes_of(path, step_meant))

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def text(self) -> str:
        """Returns the text itself. Raises ScenarioError for one that isn't in UTF-8."""
        return reading.decoded(self.data, str(self.path))


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


_OF_THE_SOURCE = ("published", "claims")
"""Keys with what a source says of the numbers."""


def tree_of(source: Source, problems: Diagnostics) -> Map:
    """Returns what a source says, before anybody reads meaning into it, each layer by itself."""
    if isinstance(source, Mapping):
        from attncli.scenario.file.reading import mapping_tree

        return _in_full(mapping_tree(source), problems)
    if not isinstance(source, FileText):
        source = FileText.of(os.fspath(source))
    return _in_full(reading.tree_of_bytes(source.data, str(source.path), problems), problems)


def _in_full(tree: Map, problems: Diagnostics) -> Map:
    """Returns a tree with each layer by itself, and all arrays in their places."""
    return with_start_arrays(expanded(tree, problems))


def with_changes(tree: Map, changes: Changes, problems: Diagnostics) -> Map:
    """Returns a tree with the changes made."""
    return _in_full(applied(tree, changes, SCENARIO.known, problems), problems)


def name_of(source: Source) -> str:
    """Returns what a scenario is called if it has no title."""
    return "Scenario" if isinstance(source, Mapping) else Path(os.fspath(source)).stem


def folder_of(source: Source) -> Path | None:
    """Returns the folder whose files it may read; None for a mapping."""
    return None if isinstance(source, Mapping) else shipped.find(os.fspath(source)).parent


class ChangedTree(NamedTuple):
    """A tree, and what of it was changed for one run."""

    tree: Map
    changed: Changed = Changed()


def changed_tree(source: Source, changes: Changes, problems: Diagnostics) -> ChangedTree:
    """Returns the tree of a source with the changes made.

    Where its numbers are others now, it is without what the source says of its own, and without
    what-ifs that change nothing more.
    """
    tree = tree_of(source, problems)
    changed = with_changes(tree, changes, problems)
    before = {key.text: value for key, value in reversed(tree.entries)}
    others = {k.text for k, value in changed.entries if not _same(before.get(k.text), value)}
    if others <= _OF_THE_PAGE or problems.found:
        return ChangedTree(changed)
    typed = (Change.parse(one) if isinstance(one, str) else one for one in changes)
    made = tuple(f"{c.key}={c.value}" for c in typed if _HEAD.split(c.key)[0] not in _OF_THE_PAGE)
    left = _without_what_is_so(_without_words(changed))
    return ChangedTree(left, Changed(made, _says_of_numbers(changed)))


_HEAD = re.compile(r"[.\[]")
"""A pattern of what ends the first part of the key of a change."""


def _without_words(tree: Map) -> Map:
    """Returns a tree without what its source says of its numbers and of those of its variants."""
    tree = tree.without(*_OF_THE_SOURCE)
    variants = tree.get("variants")
    if not isinstance(variants, Map):
        return tree
    others = tuple((name, _without_words(variant) if isinstance(variant, Map) else variant)
                   for name, variant in variants.entries)  # fmt: skip
    return tree.put("variants", variants._replace(entries=others))


def _says_of_numbers(tree: Map) -> bool:
    """Tells whether the source says something of a tree's numbers, or of those of a variant."""
    variants = tree.get("variants")
    entries = variants.entries if isinstance(variants, Map) else ()
    trees = (tree, *(variant for _, variant in entries if isinstance(variant, Map)))
    return any(entry.get(key) is not None for entry in trees for key in _OF_THE_SOURCE)


def _without_what_is_so(tree: Map) -> Map:
    """Returns a tree without the what-ifs of its page that would change nothing in it."""
    show = tree.get("show")
    asked = show.get("what_if") if isinstance(show, Map) else None
    if not (isinstance(show, Map) and isinstance(asked, Map)):
        return tree
    left = tuple((key, value) for key, value in asked.entries if not _is_so(tree, value))
    told = show.put("what_if", asked._replace(entries=left)) if left else show.without("what_if")
    return tree.put("show", told) if told.entries else tree.without("show")


def _is_so(tree: Map, changes: Node) -> bool:
    """Tells whether some changes change nothing."""
    entries = changes.items if isinstance(changes, Items) else (changes,)
    texts = [entry.text for entry in entries if isinstance(entry, Scalar)]
    problems = Diagnostics()
    return _same(tree, with_changes(tree, texts, problems)) and not problems.found


def _same(one: Node | None, two: Node | None) -> bool:
    """Tells whether two nodes say the same."""
    match one, two:
        case _ if one is two:
            return True
        case Map(own), Map(other):
            names = [[key.text for key, _ in entries] for entries in (own, other)]
            pairs = zip(own, other, strict=False)
            return names[0] == names[1] and all(_same(a[1], b[1]) for a, b in pairs)
        case Items(own_items), Items(others):
            same_length = len(own_items) == len(others)
            return same_length and all(map(_same, own_items, others))
        case Scalar(own_text), Scalar(other_text):
            return own_text == other_text
        case _:
            return False


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
            texts = tuple(text for entry in numbers for text in _changes_in_words(*entry, tree))
            varied = _in_full(_varied(tree, change), problems)
            yield Variant(name.text, varied, texts)


def _varied(tree: Map, change: Map) -> Map:
    """Returns the tree with the values of a variant in place of its own, without variants and what
    the source prints for the scenario."""
    changed = {key.text: (key, value) for key, value in change.entries}
    given, other = tree.get("given"), change.get("given")
    if isinstance(given, Map) and isinstance(other, Map):
        changed["given"] = (changed["given"][0], _given_otherwise(given, other))
    kept = [
        changed.pop(key.text, (key, value))
        for key, value in tree.entries
        if key.text not in ("variants", *_OF_THE_SOURCE)
    ]
    return Map((*kept, *changed.values()), tree.where)


def _given_otherwise(given: Map, other: Map) -> Map:
    """Returns what is given to equations, with some of it replaced; sides keep their names."""
    new = {array_name(key.text): (key, value) for key, value in other.entries}
    entries = []
    for key, value in given.entries:
        own, numbers = new.pop(array_name(key.text), (key, value))
        entries.append((own if "[" in own.text else key, numbers))
    return Map((*entries, *new.values()), given.where)


def _changes_in_words(key: Scalar, value: Node, tree: Map) -> Iterator[str]:
    """Says what a key changes, of what is given to equations each by its name."""
    given = tree.get("given")
    if key.text != "given" or not isinstance(value, Map) or not isinstance(given, Map):
        yield _change_in_words(key, value, tree)
        return
    for own, number in value.entries:
        name = array_name(own.text)
        yield f"{name}: {number.text}" if isinstance(number, Scalar) else f"other {name}"


def _change_in_words(key: Scalar, value: Node, tree: Map) -> str:
    """Says what a key changes: its value where that is a word or a number, or else whether the tree
    has other ones or none."""
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
    """Yields where two trees say something else of their numbers."""
    keys = dict.fromkeys(key.text for tree in (own, other) for key, _ in tree.entries)
    for key in keys:
        entry, two = own.get(key), other.get(key)
        entries = [{} if node is None else data_of(node) for node in (entry, two)]
        if (not path and key in _BESIDE_THE_NUMBERS) or entries[0] == entries[1]:
            continue
        if key in _RECORDS:
            entry, two = entry or Map((), own.where), two or Map((), other.where)
        name = f"{path}{key}" if path != "given." else array_name(key)
        if isinstance(entry, Map) and isinstance(two, Map):
            yield from differences(entry, two, f"{name}.")
        else:
            yield Difference(name, _in_short(entry), _in_short(two))


def _in_short(node: Node | None) -> str:
    """Says a node in short: `causal`, `[I, love, AI]`, `2 × 3 numbers`; nothing of what isn't
    there."""
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
