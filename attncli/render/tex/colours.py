"""Inks and shades in LaTeX: declarations at the start of a group, such as a table's cell."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.notation.latex import LatexNotation
from attncli.render.colours import INKS, LIGHT, ink_of, shade_of
from attncli.render.grid import Entry, Grid, GridColumn
from attncli.render.inked import Inked

_BOLD = r"\boldmath"


def ink(name: str) -> str:
    """The declaration of an ink; nothing for none."""
    return rf"\attnink{{{name}}}" if name else ""


class InkedNotation(Inked, LatexNotation):
    """LaTeX, with inks where it is asked for them."""

    coloured = False

    def in_ink(self, text: str, name: str) -> str:
        return f"{{{ink(name)}{text}}}"


def looks_of(grid: Grid, column: GridColumn) -> list[str]:
    """How each entry of a column looks: shares are shaded by their size, the largest of a row is
    bold; the result is, too; given numbers, queries, keys and values have their inks."""
    block = column.quantity
    if block is None:
        return [""] * len(column.entries)
    if not block.shares:
        look = _BOLD if block.is_result else ink("given" if block.given else ink_of(block.quantity))
        return [look] * len(column.entries)
    return [_look_of_share(*one) for one in zip(column.entries, grid.largest, strict=True)]


def _look_of_share(share: Entry, largest: Decimal | None) -> str:
    if not isinstance(share, Number):
        return ""
    shade = rf"\attnshade{{{shade_of(float(share.shown), LIGHT.shades)}}}"
    return shade + (_BOLD if share.shown == largest else "")


def colour_macros(body: str) -> str:
    """The declarations that a body uses, which do nothing where nothing is loaded for colours."""
    inks = "\\attnink{" in body
    shades = "\\attnshade{" in body
    return (_INKS if inks else "") + (_SHADES if shades else "")


def _defined(name: str, colour: str) -> str:
    return rf"\definecolor{{attn{name}}}{{HTML}}{{{colour[1:].upper()}}}"


def _macro(name: str, does: str, colours: list[str]) -> str:
    return "\n".join(
        [
            r"\ifdefined\colorlet\ifdefined\cellcolor",
            *colours,
            rf"\providecommand\{name}[1]{{{does}}}",
            r"\fi\fi",
            rf"\providecommand\{name}[1]{{}}",
            "",
        ]
    )


_INKS = "% inks, where xcolor and colortbl are loaded\n" + _macro(
    "attnink", r"\color{attn#1}", [_defined(name, colour) for name, colour in INKS.items()]
)
_SHADES = "% shades of table cells, where xcolor and colortbl are loaded\n" + _macro(
    "attnshade",
    r"\cellcolor{attnshade#1}\color{attnon#1}",
    [
        _defined(f"shade{k}", shade.background) + _defined(f"on{k}", shade.text)
        for k, shade in enumerate(LIGHT.shades)
    ],
)
