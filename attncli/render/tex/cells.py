"""Cells and columns of tables, and how wide they will be."""

from __future__ import annotations

from typing import NamedTuple

from attncli.notation.words import shown
from attncli.render.tex.measure import math_width, text_width
from attncli.render.tex.text import GUIDE_WIDTH, WIDEST_NAME, breakable, guides, mathematics, name
from attncli.tables import Branch
from attncli.word import Word


class TexCell(NamedTuple):
    """What stands in a cell, its width in ems, and in how many lines it is."""

    text: str
    width: float
    lines: int = 1

    @classmethod
    def of(cls, word: Word | str) -> TexCell:
        """Somebody's word, or a text of ours."""
        text = shown(word)
        return cls(breakable(text), text_width(text))

    @classmethod
    def of_name(cls, word: Word | str) -> TexCell:
        """What names a row or a column."""
        width = text_width(shown(word))
        lines = 1 if width <= WIDEST_NAME else 1 + int(1.2 * width / WIDEST_NAME)
        return cls(name(word), min(width, WIDEST_NAME), lines)

    @classmethod
    def of_branch(cls, branch: Branch) -> TexCell:
        """A row of a tree, behind the guides that lead to it."""
        told = cls.of(branch.told)
        width = GUIDE_WIDTH * len(branch.guides)
        return cls(guides(branch.guides) + told.text, width + told.width)

    def looking(self, look: str) -> TexCell:
        """The same with a declaration of how it looks."""
        return self._replace(text=look + self.text) if self.text else self

    @classmethod
    def of_mathematics(cls, text: str) -> TexCell:
        return cls(mathematics(text) if text else "", math_width(text))


class TexColumn(NamedTuple):
    """A heading with the cells below it; numbers stand at the right."""

    heading: TexCell
    cells: tuple[TexCell, ...]
    numbers: bool = True

    @property
    def width(self) -> float:
        return max(cell.width for cell in (self.heading, *self.cells))
