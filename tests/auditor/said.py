"""A sentence of a page, with what it may speak of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.auditor.tables import Table, Tables


class Said(NamedTuple):
    """A sentence, and where it stands: the path of its section, empty at the page's close."""

    text: str
    path: str
    page: Mapping[str, Any]
    tables: Tables
    variants: Mapping[str, Mapping[str, Any]]

    def table(self, name: str) -> Table:
        return self.tables[self.tables.full(name, self.path)]

    def size(self, name: str) -> int:
        """How long a list of the page is."""
        steps = [q for step in self.page["steps"] for q in step["quantities"]]
        return max(len(q["text"]) for q in steps if q["name"].endswith(name))
