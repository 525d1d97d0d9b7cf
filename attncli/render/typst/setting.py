"""What blocks have to know of the page that they are set on."""

from __future__ import annotations

from typing import NamedTuple

from attncli.arithmetic.expression import Blank
from attncli.render.typst.mathematics import WORKING, InkedTypst

_NARROWEST, _WIDEST, _OF_A_DECIMAL = 9, 24, 3


class TypstSetting(NamedTuple):
    """Whether there are colours: none on what is to be filled in. Millimetres of a blank in a
    table."""

    coloured: bool = True
    blank_width: int = 18

    @property
    def notation(self) -> InkedTypst:
        return WORKING if self.coloured else WORKING.but(coloured=False)

    def for_decimals(self, decimals: int) -> TypstSetting:
        """The same for a table of numbers of so many decimals, whose blanks are as wide as they
        have to be for these."""
        return self._replace(blank_width=min(_WIDEST, _NARROWEST + _OF_A_DECIMAL * decimals))

    def entry(self, blank: Blank) -> str:
        """A blank in a table: its answer, or a place to write it."""
        if blank.answer is not None:
            return f"${WORKING.blank(blank)}$"
        return f"{'line' if blank.id else 'dots'}-to-write({self.blank_width}mm)"

    def ink(self, name: str) -> str:
        """An ink, where there are some."""
        return name if self.coloured else ""
