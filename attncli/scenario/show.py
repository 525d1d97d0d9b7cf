"""The settings of how a scenario's page is shown."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from attncli.scenario.file.keys import Choice, Flag, ListOf, MapOf, OneOrMany, TextKind
from attncli.scenario.tokenizers.settings import TOKEN


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
        bool, Flag(), "`{pictures: true}`: every format shows the pictures of the page"
    ] = False
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
