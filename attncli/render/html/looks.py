"""How numbers look on a page: classes that its style sheet has the colours of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.render.colours import DARK, INKS, LIGHT, ColourScheme, ink_of, shade_of
from attncli.render.grid import Entry, Grid, GridColumn
from attncli.render.svg.style import colours_inside, shapes_inside

_SHARE_OF_INK = "80%"


def looks_of(grid: Grid, column: GridColumn) -> Sequence[str]:
    """The classes of a column's entries: a share's shade, the largest of a row, the result, the
    ink of what is given and of queries, keys and values."""
    block = column.quantity
    if block is None:
        return [""] * len(column.entries)
    if not block.shares:
        look = "result" if block.is_result else "given" if block.given else ink_of(block.quantity)
        return [look] * len(column.entries)
    return [_look_of_share(*one) for one in zip(column.entries, grid.largest, strict=True)]


def _look_of_share(share: Entry, largest: Decimal | None) -> str:
    if not isinstance(share, Number):
        return ""
    shade = f"shade{shade_of(float(share.shown), LIGHT.shades)}"
    return f"{shade} most" if share.shown == largest else shade


def colour_sheet() -> str:
    """The colours of a light page, and of a dark one where the reader's system is; a page on paper
    is light."""
    light, dark = ("\n".join(_rules(scheme)) for scheme in (LIGHT, DARK))
    shapes = shapes_inside("svg")
    return f"{shapes}\n{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _rules(scheme: ColourScheme) -> Iterator[str]:
    page, text = scheme.page
    yield (
        f":root {{ --page: {page}; --text: {text}; --aside: {scheme.aside}; "
        f"--line: {scheme.line}; }}"
    )
    for name, ink in INKS.items():
        # inks have enough contrast with black and with white; a page is a little of both
        yield f".{name} {{ color: color-mix(in srgb, {ink} {_SHARE_OF_INK}, {text}); }}"
    for k, shade in enumerate(scheme.shades):
        yield f"td.shade{k} {{ background: {shade.background}; color: {shade.text}; }}"
    yield from colours_inside("svg", scheme)
