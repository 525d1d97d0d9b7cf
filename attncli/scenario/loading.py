"""From a path, a shipped name or a mapping to a checked scenario."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attncli.arithmetic.expression import Number
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Rounding, Unworkable
from attncli.scenario import reading, settings, shipped
from attncli.scenario.declaration import BIASES, GIVEN, SCENARIO, WEIGHTS
from attncli.scenario.nodes import Figures, Items, Map, Node, Text, quote
from attncli.scenario.problems import Problem, Problems, ScenarioError, Where
from attncli.scenario.scenario import Scenario
from attncli.scenario.shapes import check_shapes
from attncli.scenario.tokenizers import TOKENIZERS

Source = str | os.PathLike[str] | Mapping[str, Any]


def load(source: Source, changes: Sequence[str | settings.Change] = ()) -> Scenario:
    """The scenario of a file, of a shipped scenario's name, or of a mapping.

    A mapping has the keys of a scenario file; its matrices may be NumPy arrays. `changes` are
    applied first, each written `KEY=VALUE` as for `--set`: `scale=none`, `W_K[1,2]=0`.
    Raises ScenarioError, whose `problems` are all that is wrong.
    """
    problems = Problems()
    tree = settings.applied(_tree(source, problems), changes, problems)
    return _scenario(tree, _name(source), problems)


def _tree(source: Source, problems: Problems) -> Map:
    if isinstance(source, Mapping):
        node = _node(source, Where("mapping"))
        assert isinstance(node, Map)
        return node
    return reading.read_file(shipped.find(os.fspath(source)), problems)


def _name(source: Source) -> str:
    return "Scenario" if isinstance(source, Mapping) else Path(os.fspath(source)).stem


def _node(value: object, where: Where) -> Node:
    """The tree of a Python value."""
    if isinstance(value, Mapping):
        entries = ((Text(str(key), where), _node(item, where)) for key, item in value.items())
        return Map(tuple(entries), where)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return Figures(np.asarray(value, dtype=np.float64), where)
    if isinstance(value, list | tuple):
        return Items(tuple(_node(item, where) for item in value), where)
    return Text(str(value), where)


def _scenario(tree: Map, name: str, problems: Problems) -> Scenario:
    values = SCENARIO.read(tree, problems) or {}
    rounding = _rounding(values.get("rounding", {}))
    matrices = {
        key: _matrix(values[key], rounding) for key in (*GIVEN, *WEIGHTS, *BIASES) if key in values
    }
    reader = _Sentence(tree, values, problems)
    tokens = reader.tokens()
    table, rows = reader.table(tokens, rounding)
    scale = values.get("scale", "sqrt_d_k")
    scenario = Scenario(
        title=values.get("title", name),
        rounding=rounding,
        source=values.get("source"),
        sentence=values.get("sentence"),
        tokenizer=values.get("tokenizer", "whitespace"),
        tokens=tokens,
        ids=reader.ids(tokens),
        embeddings=table,
        embedded=reader.row_names(table),
        by_id=reader.named_by_id(),
        rows_of_tokens=rows,
        given=matrices,
        scale=scale if isinstance(scale, str) else Number.written(scale),
        activation=values.get("activation", "relu"),
        places=dict(_places(tree, ())),
        origin=tree.where,
    )
    check_shapes(scenario, problems)
    problems.stop_if_any()
    return scenario


def _rounding(values: Mapping[str, Any]) -> Rounding:
    return Rounding(**values)


def _matrix(value: Matrix | Figures, rounding: Rounding) -> Matrix:
    if isinstance(value, Matrix):
        return value
    array = np.atleast_2d(value.array)
    try:
        return Matrix.of_array(array, rounding.decimals, carry=rounding.carries)
    except Unworkable as trouble:
        problem = Problem(value.where, trouble.what, f"{trouble.instead} would do")
        raise ScenarioError([problem]) from None


def _places(node: Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Where]]:
    """Where the values of maps stand, by their path of keys."""
    yield path, node.where
    if isinstance(node, Map):
        for key, value in node.entries:
            yield from _places(value, (*path, key.text))


class _Sentence:
    """The tokens of a scenario, their IDs and the rows of their embeddings."""

    def __init__(self, tree: Map, values: Mapping[str, Any], problems: Problems) -> None:
        self.tree, self.values, self.problems = tree, values, problems
        self.vocabulary: Mapping[str, int] | None = values.get("vocabulary")
        self.embeddings = values.get("embeddings")

    def tokens(self) -> tuple[str, ...]:
        if "tokens" in self.values:
            return tuple(self.values["tokens"])
        sentence = self.values.get("sentence")
        if sentence is None:
            return ()
        return tuple(TOKENIZERS[self.values.get("tokenizer", "whitespace")](sentence))

    def ids(self, tokens: Sequence[str]) -> tuple[int, ...]:
        if self.vocabulary is None:
            return ()
        self._check_repeated_ids(self.vocabulary)
        for token in dict.fromkeys(tokens):
            if token not in self.vocabulary:
                self._missing(token, "vocabulary", f"add it, like {quote(token)}: 7")
        return tuple(self.vocabulary.get(token, -1) for token in tokens)

    def table(
        self, tokens: Sequence[str], rounding: Rounding
    ) -> tuple[Matrix | None, tuple[int, ...]]:
        """The table of embeddings and the row of each token in it."""
        if isinstance(self.embeddings, Mapping):
            return self._table_by_token(self.embeddings, tokens, rounding)
        if self.embeddings is None:
            return None, ()
        table = _matrix(self.embeddings, rounding)
        return table, self._rows_by_id(table, tokens)

    def row_names(self, table: Matrix | None) -> tuple[str, ...]:
        """What the rows of the table are called: IDs where all have one, else tokens."""
        if not isinstance(self.embeddings, Mapping):
            return tuple(map(str, range(table.shape[0]))) if table else ()
        if self.named_by_id():
            ids = self.vocabulary or {}
            return tuple(str(ids[token]) for token in self.embeddings)
        return tuple(self.embeddings)

    def named_by_id(self) -> bool:
        """Whether every row of the table has an ID."""
        if not isinstance(self.embeddings, Mapping):
            return self.embeddings is not None
        return all(token in (self.vocabulary or {}) for token in self.embeddings)

    def _table_by_token(
        self, vectors: Mapping[str, Matrix | Figures], tokens: Sequence[str], rounding: Rounding
    ) -> tuple[Matrix | None, tuple[int, ...]]:
        for token in dict.fromkeys(tokens):
            if token not in vectors:
                self._missing(token, "embeddings", f"add its vector, like {quote(token)}: [1, 0]")
        table = self._stacked({t: _matrix(v, rounding) for t, v in vectors.items()})
        index = {token: row for row, token in enumerate(vectors)}
        return table, tuple(index.get(token, 0) for token in tokens)

    def _stacked(self, rows: Mapping[str, Matrix]) -> Matrix | None:
        first, width = next((token, row.shape[1]) for token, row in rows.items())
        agree = True
        for token, row in rows.items():
            if row.shape[1] != width:
                agree = False
                wrong = f"the embedding of {quote(token)} has {row.shape[1]} numbers, that of"
                self.problems.add(
                    self._where("embeddings", token), f"{wrong} {quote(first)} has {width}",
                    "give all of them the same length",
                )  # fmt: skip
        if not agree:
            return None
        written = [row.written[0] for row in rows.values() if row.written is not None]
        if len(written) == len(rows):
            return Matrix.of_written(written)
        values = np.vstack([row.values for row in rows.values()])
        some = next(iter(rows.values()))
        return Matrix(values, some.places, some.decimals)

    def _rows_by_id(self, table: Matrix, tokens: Sequence[str]) -> tuple[int, ...]:
        if self.vocabulary is None:
            if tokens:
                self.problems.add(
                    self._where("embeddings"), "a matrix of embeddings by ID, and no vocabulary",
                    "add a vocabulary (token → ID), or give the embeddings by token",
                )  # fmt: skip
            return ()
        for token in dict.fromkeys(tokens):
            row = self.vocabulary.get(token, 0)
            if row >= table.shape[0]:
                self.problems.add(
                    self._where("vocabulary", token),
                    f"the ID {row} of {quote(token)} has no row in embeddings, a matrix of"
                    f" {table.shape[0]} rows counted from 0",
                    "give it a smaller ID, or the matrix more rows",
                )
        return tuple(min(self.vocabulary.get(t, 0), table.shape[0] - 1) for t in tokens)

    def _check_repeated_ids(self, vocabulary: Mapping[str, int]) -> None:
        owners: dict[int, str] = {}
        for token, number in vocabulary.items():
            if number in owners:
                wrong = f"{quote(token)} has the ID {number}, and so has {quote(owners[number])}"
                where = self._where("vocabulary", token)
                self.problems.add(where, wrong, "give each token an ID of its own")
            owners.setdefault(number, token)

    def _missing(self, token: str, key: str, right: str) -> None:
        self.problems.add(
            self._where(key), f"the token {quote(token)} of the sentence is not in {key}", right
        )

    def _where(self, *path: str) -> Where:
        node: Node | None = self.tree
        for key in path:
            found = node.get(key) if isinstance(node, Map) else None
            node = found or node
        assert node is not None
        return node.where
