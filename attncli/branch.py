"""Cells of tables whose rows are a tree."""

from __future__ import annotations

from attncli.name import Name
from attncli.records import NamedTuple


class Branch(NamedTuple):
    """A cell that names a row of a tree, by its full `name`; `told` is what it is called there,
    where what it stands below is told, `above` the name of that, if there is one. The `guides`
    before it are a character a column: `│`, `├`, `└` or a space; one without a mark of its own
    goes on from what is above it in its column."""

    name: Name
    told: str
    above: Name | None
    guides: str
