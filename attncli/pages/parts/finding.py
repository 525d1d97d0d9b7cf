"""A finding: what the numbers of a step come to, as a sentence and as the answer of a page."""

from __future__ import annotations

from typing import NamedTuple

from attncli.document.blocks import Spans
from attncli.maths.equations.tree import Location


class Finding(NamedTuple):
    """What the numbers of a step come to."""

    says: Spans
    """The words, without the full stop."""
    cell: Location | None = None
    """The cell whose number it is about; None where it is about none alone."""
    number: Spans = ()
    """The number, if it stands behind the words."""
    short: Spans = ()
    """Words that a number of its cell can follow, where the whole sentence has other numbers."""

    @property
    def sentence(self) -> Spans:
        """Returns the sentence: `“love” attends most to “AI” (0.576).`"""
        behind: Spans = (" (", *self.number, ").") if self.number else (".",)
        return (*self.says, *behind)
