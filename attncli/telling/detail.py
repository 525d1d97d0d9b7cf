"""How closely a page is told where nobody says: as closely as it stays readable.

`full` works every cell, `rows` one row of each table, `summary` shows each head's weights, what the
page comes to, and what was found. A page that would be long in full is told by `rows`; one that is
long all the same says at its top how to see less, or more, of it.
"""

from __future__ import annotations

from attncli.document import Block, Note, Spans, Term
from attncli.scenario.scenario import Scenario
from attncli.word import Word

MOST_IN_FULL = 400
"""The lines of the longest page that is told in full without being asked for."""
LONG = 300
"""A page of more lines says how to see less of it; one of training, which has a way back and an
update for each step forth, is told in full only if it has no more."""
ONE_PAGE = 66
"""The lines of a printed page; one that ends with the way back is told in full only if it has no
more, and says nothing of how to see less."""


def most_in_full(scenario: Scenario) -> int:
    """The lines of the longest page of a scenario that is told in full without being asked for."""
    if scenario.training:
        return LONG
    return ONE_PAGE if scenario.goes_back else MOST_IN_FULL


def how_to_see_less(detail: str, length: int, asked: str = "") -> list[Block]:
    """A word at the top of a page of so many lines on what else could be told of it; and which
    token's row is worked, where it is that of one that is `asked` for."""
    less: Spans = (Term("--detail summary"), " shows the weights, the results and what was found.")
    if detail == "rows":
        whose: Spans = (", where it has one that of “", Word(asked), "”") if asked else ()
        told: Spans = ("One row of each table is worked", *whose, ": see ")
        return [Note((*told, Term("--detail full"), ", or ", Term("--detail summary"), "."))]
    if detail == "full" and length > LONG:
        rows = (Term("--detail rows"), " works one row of each table; ")
        return [Note(("This page is long: ", *rows, *less))]
    return []
