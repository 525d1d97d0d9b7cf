"""From a path, a shipped name or a mapping to a scenario."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attncli.building.scenario import Origin, ScenarioBuilder
from attncli.file import reading, shipped
from attncli.file.changes import Change, applied
from attncli.file.nodes import Map, Node, Scalar
from attncli.file.problems import Problems, too_much
from attncli.records import replace
from attncli.scenario.budget import MOST_VALUES
from attncli.scenario.scenario import Scenario
from attncli.steps.schema import SCENARIO

if TYPE_CHECKING:
    from attncli.tokenizing.corpus import Progress

Source = str | os.PathLike[str] | Mapping[str, Any]
Values = Mapping[str, Any]
Changes = Sequence[str | Change]


def read(  # noqa: PLR0913
    source: Source,
    changes: Changes,
    problems: Problems,
    *,
    outside: bool = False,
    large: bool = False,
    alone: bool = False,
    progress: Progress | None = None,
) -> Scenario:
    """The scenario of a file, of a shipped scenario's name, or of a mapping.

    What is wrong with it goes to `problems`; whether its matrices fit together is for others
    to say. `outside` allows files that don't lie in the scenario's folder, `large` more than is
    read otherwise; `alone` leaves the variants; `progress` is told how far the learning of a
    tokenizer is.
    """
    tree = applied(tree_of(source, problems), changes, SCENARIO.known, problems)
    if not large:
        _check_size(tree)
    read_from = Origin(_name(source), _folder(source), outside, large, progress)
    scenario = ScenarioBuilder.of(tree, read_from, problems).scenario()
    variants = tree.get("variants")
    if alone or not isinstance(variants, Map):
        return scenario
    others = {
        name.text: replace(
            ScenarioBuilder.of(_varied(tree, change), read_from, problems).scenario(),
            varied=tuple(map(_told, change.entries)),
        )
        for name, change in variants.entries
        if isinstance(change, Map)
    }
    return scenario.with_variants(others)


def _check_size(tree: Map) -> None:
    """Raises ScenarioError for more values than are read without being asked for."""
    variants = tree.get("variants")
    count = len(variants.entries) if isinstance(variants, Map) else 0
    repeated = Map(tuple(e for e in tree.entries if e[0].text != "variants"), tree.where)
    values = reading.size_of(tree, MOST_VALUES)
    values += reading.size_of(repeated, MOST_VALUES) * count
    if values > MOST_VALUES:
        where = tree.where if variants is None else variants.where
        less = "give fewer variants" if count else "keep large matrices in a file of arrays"
        raise too_much(where, f"{values:,} values to read (or more)", less)


def _varied(tree: Map, change: Map) -> Map:
    """The tree with the values of a variant in place of its own, and no variants."""
    changed = {key.text: (key, value) for key, value in change.entries}
    kept = [
        changed.pop(key.text, (key, value)) for key, value in tree.entries if key.text != "variants"
    ]
    return Map((*kept, *changed.values()), tree.where)


def _told(entry: tuple[Scalar, Node]) -> str:
    """A changed key, with its value where that is a word or a number."""
    key, value = entry
    return f"{key.text}: {value.text}" if isinstance(value, Scalar) else key.text


def tree_of(source: Source, problems: Problems) -> Map:
    """What a source says, before anybody reads meaning into it."""
    if isinstance(source, Mapping):
        from attncli.file.mappings import mapping_tree

        return mapping_tree(source)
    return reading.read_file(shipped.find(os.fspath(source)), problems)


def _name(source: Source) -> str:
    return "Scenario" if isinstance(source, Mapping) else Path(os.fspath(source)).stem


def _folder(source: Source) -> Path | None:
    return None if isinstance(source, Mapping) else shipped.find(os.fspath(source)).parent
