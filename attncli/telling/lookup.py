"""Looking up, softly: which value belongs to which key, and how much of it a query gets."""

from __future__ import annotations

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.document import Block, TextList
from attncli.name import below
from attncli.notation import plain
from attncli.telling.findings import looks_up
from attncli.telling.selection import Selection
from attncli.telling.tables import Row, table
from attncli.trace import PlannedStep, Trace
from attncli.word import Word


def keys_and_values(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Each key with its value and the weights that the queries give it, where values have names of
    their own: as a table, and as a list."""
    weights = trace.quantities.get(part.place.name("weights"))
    V = trace.quantities.get(part.place.find("V"))
    if part.step != "weighted_sum" or weights is None or V is None or not looks_up(weights, V):
        return []
    keys, values = weights.columns.words, V.rows.words
    shown = selection.rows(weights)
    queries = [shown[k] for k in elided(len(shown), MOST_PARTS) if k is not None]
    rows: list[Row] = [
        (key, value, *(plain(weights.matrix.number(i, j)) for i in queries))
        for j, (key, value) in enumerate(zip(keys, values, strict=True))
    ]
    headings: tuple[Word | str, ...] = (
        "Key",
        "Value",
        *(Word(f"Weight for {weights.rows.names[i]}") for i in queries),
    )
    return [table(headings, rows), TextList(below(part.path, "values"), keys, values)]
