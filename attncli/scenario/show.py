"""The settings of how a scenario's page is shown."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from attncli.scenario.file.keys import (
    Choice,
    Flag,
    ListOf,
    MapOf,
    OneOrMany,
    Schema,
    TextKind,
)
from attncli.scenario.file.nodes import Map, Node
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.tokenizers.settings import TOKEN


class ShownAnswer(NamedTuple):
    """The answer of a page, as its scenario says it."""

    cell: str = ""
    """The address of the cell whose number it is; empty where the scenario says none."""
    says: str = ""
    """The words before the number; empty where they are made of the cell."""


class AnswerKind(NamedTuple):
    """A cell, or a map from words to the cell whose number follows them."""

    cell: TextKind = TextKind("a cell")
    said: MapOf[str] = MapOf(TextKind("a cell"), "words")

    def read(self, node: Node, problems: Diagnostics) -> ShownAnswer | None:
        if not isinstance(node, Map):
            cell = self.cell.read(node, problems)
            return None if cell is None else ShownAnswer(cell)
        said = self.said.read(node, problems)
        if said is not None and len(said) > 1:
            wrong = f"{len(said)} answers where one belongs"
            problems.add(node.entries[1][0].where, wrong, "keep the one that the page is about")
            return None
        return None if said is None else ShownAnswer(*next((c, w) for w, c in said.items()))

    def schema(self) -> Schema:
        return {"anyOf": [self.cell.schema(), {**self.said.schema(), "maxProperties": 1}]}


class Show(NamedTuple):
    """A choice of what the page shows."""

    queries: Annotated[
        tuple[str, ...],
        ListOf(TOKEN),
        "`{queries: [met]}`: only the rows of these queries, tokens or positions from 1",
    ] = ()
    token: Annotated[
        str,
        TOKEN,
        "`{token: love}`: the page is about this token: where one row is worked, it is its row",
    ] = ""
    answer: Annotated[
        ShownAnswer,
        AnswerKind(),
        "`{answer: 'weights[love, AI]'}`: what the page begins with; `{answer: {“love”"
        " looks for: 'weights[love, AI]'}}` with its words",
    ] = ShownAnswer()
    what_if: Annotated[
        Mapping[str, tuple[str, ...]],
        MapOf(OneOrMany(TextKind("a change")), "question"),
        "`{what_if: {What if nothing is scaled?: scale=none}}`: what the page ends with, a question"
        " to try and what `--set` takes for it",
    ] = MappingProxyType({})
    graph: Annotated[
        bool, Flag(), "`{graph: true}`: the page ends with who attends to whom, as a graph"
    ] = False
    pictures: Annotated[
        bool | None,
        Flag(),
        "`{pictures: true}`: every format shows all pictures of the page; `false`: none does",
    ] = None
    arrows: Annotated[
        Mapping[str, tuple[str, ...]],
        MapOf(OneOrMany(TOKEN), "query"),
        "`{arrows: {love: [I, AI]}}`: only these arrows of that graph, from a query to keys",
    ] = MappingProxyType({})
    layout: Annotated[
        str,
        Choice(("row", "column")),
        "`{layout: column}`: where one query is shown, its keys stand one below the other; `row` "
        "is the default",
    ] = "row"
    before_after: Annotated[
        bool,
        Flag(),
        "`{before_after: true}`: the page ends with each token's vector before attention and after "
        "all that was done",
    ] = False
