"""What blocks have to know of the page that they are set on."""

from __future__ import annotations

from typing import NamedTuple

from attncli.arithmetic.expression import Blank
from attncli.notation.latex import latex
from attncli.render.tex.colours import InkedNotation
from attncli.render.tex.text import FORMULA, WORKING

BLANK_WIDTH = 18
"""Millimetres of a blank in a line, also in exponents; it tells nothing of what is to be written
there."""
_IN_WORDS = 32
"""Millimetres of an answer in words."""
_NARROWEST, _WIDEST, _OF_A_DECIMAL = 9, 24, 3


class Setting(NamedTuple):
    """The room in ems between the margins; how mathematics is written; what room for somebody's
    own working looks like; how headings do; whether there are colours, and pictures."""

    room: float
    working: InkedNotation = WORKING.but(coloured=True)
    formula: InkedNotation = FORMULA.but(coloured=True)
    lines_to_write: str = r"\vspace{{{}\baselineskip}}"
    lines_to_end: str = ""
    title: str = r"{{\LARGE\bfseries {}\par}}"
    heading: str = r"\section*{{{}}}"
    subheading: str = r"\subsection*{{{}}}"
    coloured: bool = True
    pictured: bool = False
    blank_width: int = BLANK_WIDTH

    def for_decimals(self, decimals: int) -> Setting:
        """The same for a table of numbers of so many decimals, whose blanks are as wide as they
        have to be for these."""
        width = min(_WIDEST, _NARROWEST + _OF_A_DECIMAL * decimals)
        return self._replace(blank_width=width)

    def look(self, declaration: str) -> str:
        """A declaration of colours, where there are some."""
        return declaration if self.coloured else ""

    def entry(self, blank: Blank) -> str:
        """A blank in a table."""
        return (
            fillin(blank, self.blank_width)
            if self.working.hidden
            else f"${self.working.blank(blank)}$"
        )

    def place(self, answer: str) -> str:
        """Where an answer in words is written: one that is told stands in the key alone, where the
        file has both."""
        if self.working.hidden:
            return rf"\fillin[{answer}][{_IN_WORDS}mm]"
        return answer or rf"\underline{{\hspace{{{_IN_WORDS}mm}}}}"


def fillin(blank: Blank, width: int = BLANK_WIDTH) -> str:
    """A blank of the class `exam`, which prints its answer in a key."""
    answer = "" if blank.answer is None else f"${latex(blank.answer)}$"
    if not blank.id:  # a number to carry over, which isn't asked for
        return rf"\makebox[{width}mm]{{\dotfill}}"
    return rf"\fillin[{answer}][{width}mm]"


def _fillin_in_mathematics(blank: Blank) -> str:
    return rf"\text{{{fillin(blank)}}}"


def article(room: float, *, fragment: bool) -> Setting:
    """A page to be read; a fragment has its headings below those of the document around it."""
    if not fragment:
        return Setting(room)
    title, heading, subheading = (
        rf"\{level}*{{{{\raggedright {{}}}}}}"
        for level in ("section", "subsection", "subsubsection")
    )
    return Setting(room, title=title, heading=heading, subheading=subheading)


def exam(room: float, *, with_key: bool) -> Setting:
    """A page to be filled in."""
    lines = r"\par\allowbreak\fillwithlines{{{}\linefillheight}}"
    to_end = r"\par\allowbreak\fillwithlines{\stretch{1}}"
    if with_key:
        lines, to_end = (rf"\ifprintanswers\else{one}\fi" for one in (lines, to_end))
    return Setting(
        room,
        WORKING.but(blank=_fillin_in_mathematics, hidden=True),
        FORMULA.but(blank=_fillin_in_mathematics, hidden=True),
        lines,
        to_end,
        title=r"{{\Large\bfseries {}\par\medskip}}",
        subheading=r"\subsubsection*{{{}}}",
        coloured=False,
    )
