"""What a page shows, and what it calls the dimensions of embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attncli.arithmetic.matrix import Matrix
from attncli.file.keys import typed
from attncli.file.problems import NamedProblems
from attncli.name import Name, below
from attncli.refusals import listed, quote
from attncli.scenario.show import Show

Values = Mapping[str, Any]


def show_of(
    show: Values,
    tokens: Sequence[str],
    rows: Mapping[str, Sequence[str]],
    complaints: NamedProblems,
) -> Show:
    """What is said under `show`; its queries and keys are tokens, or are called by their `rows`."""
    queries = rows.get("queries") or tokens or rows.get("Q", ())
    keys = rows.get("keys") or rows.get("K") or tokens
    for query in show.get("queries", ()):
        counted = query.isascii() and query.isdigit() and 1 <= int(query) <= len(queries)
        if not counted:
            _check_known("show.queries", query, queries, "queries", complaints)
    for query, targets in show.get("arrows", {}).items():
        name = below(Name("show.arrows"), query)
        _check_known(name, query, queries, "queries", complaints)
        for key in targets:
            _check_known(name, key, keys, "keys", complaints)
    return typed(Show, show)


def _check_known(
    name: str, token: str, known: Sequence[str], what: str, complaints: NamedProblems
) -> None:
    if token not in known:
        right = f"name some of {listed(known)}" if known else "give their tokens first"
        complaints.add(name, f"{quote(token)} is none of the {what}", right)


def check_features(
    path: Name, values: Values, given: Mapping[Name, Matrix], complaints: NamedProblems
) -> None:
    """Each dimension has a name, and no two have the same."""
    features = values.get("features", ())
    name = below(path, "features")
    matrices = (given.get(below(path, key)) for key in ("embeddings", "X"))
    wide = {matrix.shape[1] for matrix in matrices if matrix is not None}
    twice = next((one for one in features if features.count(one) > 1), None)
    if twice is not None:
        right = "give each feature a name of its own"
        complaints.add(name, f"{quote(twice)} is there twice", right)
    elif features and wide and wide != {len(features)}:
        columns = " and ".join(map(str, sorted(wide)))
        complaints.add(name, f"{len(features)} names for {columns} columns", "name each column")
