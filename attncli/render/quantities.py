"""The quantities that a page shows, as formats keep them that have nothing but numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.document import Block, Document, Section, TextList, each, parts_of
from attncli.pictures import PICTURES
from attncli.refusals import Refusal
from attncli.tables import MatrixBlock

Shown = MatrixBlock | TextList


class NoQuantitiesError(Refusal):
    """A page has no numbers for a format that has nothing else."""


def tables_in(blocks: Iterable[Block]) -> Iterator[Shown]:
    """The quantities that blocks show."""
    for block in each(blocks):
        if not isinstance(block, PICTURES):  # whose numbers tables tell
            for table in parts_of(block, MatrixBlock):
                yield from (table, *table.beside)
            yield from parts_of(block, TextList)


def made_in(section: Section) -> Iterator[Shown]:
    """Those of them that a section's step makes."""
    for table in tables_in(section.blocks):
        if isinstance(table, TextList) or table.made_in == section.step:
            yield table


def arrays_of(documents: Sequence[Document], form: str) -> dict[str, Array]:
    """The numbers of what is given and made, by its full name. Raises NoQuantitiesError."""
    shown = (table for one in documents for table in (*one.given, *_made(one)))
    arrays = {name: array for name, array in map(_named, shown) if array is not None}
    if not arrays:
        right = "choose another format, or `attn run`, whose pages have quantities"
        raise NoQuantitiesError.of(f"--format {form}", "the page has no quantities", right)
    return arrays


def _made(document: Document) -> Iterator[Shown]:
    return (table for section in document.sections for table in made_in(section))


def _named(table: Shown) -> tuple[str, Array | None]:
    """A quantity's name and its array; words have none."""
    if isinstance(table, TextList):
        numbers = [value for value in table.values if isinstance(value, int)]
        return table.name, np.array(numbers, dtype=np.int64) if numbers else None
    values = table.matrix.values[list(table.as_data.rows)] + 0.0  # no minus zero
    return str(table.quantity or table.name), values[:, 0] if table.is_list else values
