"""A scenario as plain data: its YAML before anybody reads meaning into it; with other numbers.

The oracle, which shares no other code with the package, works from this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from attncli.names import TOP, Name, below
from attncli.pipeline.trees import Changes, Source, tree_of, with_changes
from attncli.scenario.file.nodes import Map, data_of
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.model import entry_path
from attncli.scenario.scenario import Scenario
from attncli.steps.input.embeddings import ONE_HOT
from attncli.steps.schema import vectors

MatrixRows = Sequence[Sequence[Decimal]]
"""The numbers of a matrix, row by row."""
GIVEN = Name("given")
"""The key of what is given to equations of a scenario's own."""
Plain = dict[str, Any]
"""Maps, lists and texts; arrays where a Python program handed some over."""


def plain_data(source: Source, changes: Changes = ()) -> Plain:
    """Returns what a file, a shipped scenario or a mapping says, with changes made as `--set` makes
    them.

    Nothing in it is shared: what anchors and aliases repeat is there as often as it is meant.
    Raises ScenarioError for what can't be read.
    """
    problems = Diagnostics()
    tree = with_changes(tree_of(source, problems), changes, problems)
    problems.stop_if_any()
    return {key.text: data_of(value) for key, value in tree.entries}


def text_counts(tree: Map) -> tuple[int, ...]:
    """Returns how often the corpus of a scenario's file has each of its texts; none where it is one
    text, or in a file of its own."""
    corpus = next((data_of(value) for key, value in tree.entries if key.text == "corpus"), None)
    match corpus:
        case Mapping() if "file" not in corpus:
            return tuple(map(int, corpus.values()))
        case [_, _, *_] if len(set(corpus)) == len(corpus):
            return (1,) * len(corpus)
        case _:
            return ()


def with_counts(tree: Map, counts: Sequence[int]) -> Plain:
    """Returns what a scenario's file says, but for other counts of the texts of its corpus."""
    data = {key.text: data_of(value) for key, value in tree.entries}
    corpus = data["corpus"]
    assert isinstance(corpus, Mapping | list)
    return {**data, "corpus": _counted(corpus, counts)}


def _counted(corpus: Iterable[str], counts: Iterable[object]) -> Plain:
    return dict(zip(corpus, map(str, counts), strict=True))


def with_numbers(data: Mapping[str, object], given: Mapping[str, MatrixRows]) -> Plain:
    """Returns the same data with other numbers in the place of its own; `data` stays as it is.

    `given` has rows by full names as `Scenario.given` has them: `W_Q`, `layers[1].heads[2].W_K`,
    `encoder.embeddings`, `norm1.gamma`; `corpus` is how often it has each of its texts. Rows that
    have names keep them, and what was random or came from a file is written out. Raises KeyError
    for names that the data doesn't have, ValueError where rows with names are others than before.
    """
    found: set[str] = set()
    changed = _Numbers(given, found).record(data, TOP)
    if missing := given.keys() - found:
        raise KeyError(f"the scenario gives no {', '.join(sorted(missing))}")
    return changed


class _Numbers:
    """A writer that puts numbers in by their names; `found` gathers the names that there are."""

    def __init__(self, given: Mapping[str, MatrixRows], found: set[str]) -> None:
        self.given, self.found = given, found

    def record(self, record: Mapping[str, object], path: Name) -> Plain:
        return {key: self.value(key, value, path) for key, value in record.items()}

    def value(self, key: str, value: object, path: Name) -> object:
        name = below(path, key)
        if key in ("corpus", "pieces") or value == ONE_HOT:  # what is made of these stays as it is
            numbers = (key, "word_counts", "log_p") if key in ("corpus", "pieces") else (key,)
            self.found.update(below(path, n) for n in numbers)
            rows = self.given.get(name, ())
            if key == "corpus" and rows and isinstance(value, Mapping | list):
                return _counted(value, (row[0] for row in rows))
            return _copied(value)
        if name == GIVEN and isinstance(value, Mapping):
            return {text: self.own(text, data) for text, data in value.items()}
        if isinstance(value, list) and _is_listing(value):
            return [self.entry(key, data, path, (k, len(value))) for k, data in enumerate(value)]
        # what is none of these is a word such as `tied`, or a count
        if name in self.given and isinstance(value, list | Mapping | np.ndarray):
            self.found.add(name)
            return _as_texts(key, value, self.given[name])
        return self.record(value, name) if isinstance(value, Mapping) else _copied(value)

    def own(self, text: str, value: object) -> object:
        """Returns an array that is given to equations of the scenario's own, `X[token, d]`, with
        its numbers."""
        name = Name(text.partition("[")[0].strip())
        rows = self.given.get(name)
        if rows is None:
            return _copied(value)
        self.found.add(name)
        texts = _texts(rows)
        if isinstance(value, Mapping):
            return texts
        if isinstance(value, np.ndarray):
            depth = value.ndim
        else:
            depth = (1 + isinstance(value[0], list)) if isinstance(value, list) else 0
        return texts if depth > 1 else texts[0] if depth else texts[0][0]

    def entry(self, key: str, value: object, path: Name, place: tuple[int, int]) -> object:
        """Returns one of the things that a list holds, with its numbers: a layer, a head, a rule, a
        kind of positions."""
        if isinstance(value, Mapping) and not _is_source(value):
            return self.record(value, entry_path(path, key, *place))
        return self.value(key, value, path)


def _is_listing(value: Sequence[object]) -> bool:
    """Tells whether a list holds things of their own, rather than numbers, words or rows."""
    rows = all(isinstance(data, list) for data in value)
    return not rows and any(isinstance(data, list | Mapping | np.ndarray) for data in value)


def _is_source(value: Mapping[str, object]) -> bool:
    return any(isinstance(value.get(key), str) for key in ("random", "file"))


def _as_texts(key: str, value: object, rows: MatrixRows) -> object:
    """Writes numbers as texts, in the form that the value has: a map of rows, a single row, a
    matrix."""
    texts = _texts(rows)
    if isinstance(value, Mapping) and not _is_source(value):
        return dict(zip(value, texts, strict=True))
    return texts[0] if key in vectors() else texts


def _texts(rows: MatrixRows) -> list[list[str]]:
    return [["-inf" if number == -np.inf else str(number) for number in row] for row in rows]


def _copied(value: object) -> object:
    if isinstance(value, list):
        return [_copied(data) for data in value]
    return value.copy() if isinstance(value, np.ndarray) else value


def all_numbers(scenario: Scenario) -> dict[str, MatrixRows]:
    """Returns the numbers of all given matrices by their full names, and how often the corpus has
    each of its texts."""
    counts = [[Decimal(count)] for count in scenario.file.text_counts]
    numbers: dict[str, MatrixRows] = {
        name: numbers_of(scenario, name) for name in scenario.given.matrices
    }
    return {**numbers, **({"corpus": counts} if counts else {})}


def numbers_of(scenario: Scenario, name: Name) -> list[list[Decimal]]:
    """Returns the numbers of a given matrix, as they are written or, if nobody wrote them, in
    full."""
    matrix = scenario.given.matrices[name]
    if matrix.written is not None:
        return [list(row) for row in matrix.written]
    rows, columns = matrix.shape
    return [[matrix.number(i, j).full for j in range(columns)] for i in range(rows)]
