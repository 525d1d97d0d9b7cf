"""SVG: the pictures of a page alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attncli.document.blocks import Block, Document, Graph, Subheading, each, text_of_spans
from attncli.document.pictures import PICTURES, HeatMaps
from attncli.document.tables import MatrixBlock
from attncli.errors import UserError
from attncli.formats import FormatInfo, RenderOptions
from attncli.formats.svg.drawing import drawn
from attncli.formats.svg.elements import (
    Picture,
    described,
    element,
    joined,
    style_sheet,
    text_at,
    text_width,
    title_width,
)
from attncli.formats.svg.heat_maps import heat_map
from attncli.formats.svg.ribbons import ribbons
from attncli.maths.notation.columns import bands
from attncli.maths.notation.escaping import printed
from attncli.names import Name, Word
from attncli.option_values import Pictures

SUFFIXES = (".svg",)
ABILITIES = FormatInfo(pictures=Pictures.ALL)

_MARGIN, _LINE, _GAP = 24, 28, 36
_WIDEST = 960
"""Pictures stand beside each other as far as they fit."""


class NothingToDrawError(UserError):
    """A fault: a page has no pictures."""


def render(document: Document, page: RenderOptions) -> str:  # noqa: ARG001
    """Draws the pictures of the document; the page's width plays no part.

    Raises NothingToDrawError where it has none.
    """
    pictures = list(_pictures(document))
    if not pictures:
        wrong = "there is nothing on this page to draw"
        right = "pictures show steps such as softmax, so ask for a page with one"
        raise NothingToDrawError.of("--format svg", wrong, right)
    rows = bands(pictures, _width, _WIDEST, _GAP)
    title = printed(document.title)
    elements = [text_at(_MARGIN, _MARGIN + 8, title, "title")]
    y: float = _MARGIN + _LINE
    for row in rows:
        elements += _beside_each_other(row, y)
        y += _LINE + max(p.size[1] for p in row) + _GAP
    wide = max(sum(_width(p) + _GAP for p in row) - _GAP for row in rows)
    wide = max(wide, title_width(title))
    return _whole(title, pictures, (wide + 2 * _MARGIN, y - _GAP + _MARGIN), elements)


def _whole(
    title: str, pictures: Sequence[Picture], size: tuple[float, float], elements: Sequence[str]
) -> str:
    width, height = size
    inside = [
        element("style", f"\n{style_sheet()}\n"),
        element("rect", width=width, height=height, class_="page"),
        *elements,
    ]
    told = joined([(f"{p.title}: ", *p.description) for p in pictures], " ")
    called = f"Pictures: {title}"
    box = f"0 0 {width:.1f} {height:.1f}"
    kind = "http://www.w3.org/2000/svg"
    return (
        described("svg", called, told, inside, width=width, height=height, xmlns=kind, viewBox=box)
        + "\n"
    )


def _beside_each_other(pictures: Sequence[Picture], y: float) -> Iterator[str]:
    """Yields pictures with their titles above them."""
    x: float = _MARGIN
    for picture in pictures:
        yield text_at(x, y + 8, picture.title, "aside")
        place = f"translate({x:.1f} {y + _LINE:.1f})"
        yield described("g", picture.title, picture.description, picture.elements, transform=place)
        x += _width(picture) + _GAP


def _pictures(document: Document) -> Iterator[Picture]:
    """Yields what can be drawn, from top to bottom."""
    mapped = {name for _, blocks in document.parts for name in _mapped(blocks)}
    for section, blocks in document.parts:
        yield from _drawn(blocks, "" if section is None else section.place, mapped)


def _mapped(blocks: Sequence[Block]) -> Iterator[Name]:
    """Yields the quantities that the page has heat maps of."""
    for block in blocks:
        if isinstance(block, HeatMaps):
            yield from (table.quantity for _, table in block.maps)


def _drawn(blocks: Sequence[Block], place: str, mapped: Collection[Name]) -> Iterator[Picture]:
    """Yields the pictures of blocks: weights are called by their name, a graph as the subheading
    above it says."""
    heading = ""
    for block in each(blocks):
        if isinstance(block, Subheading):
            heading = text_of_spans(block.text)
        elif isinstance(block, Graph):
            yield ribbons(block, heading or (f"{place} · {block.name}" if place else block.name))
        elif isinstance(block, PICTURES):
            yield drawn(block)  # which says where it belongs
        elif isinstance(block, MatrixBlock) and _is_of_weights(block, mapped):
            yield heat_map(block, printed(Word(block.variant)) or place)


def _is_of_weights(block: MatrixBlock, mapped: Collection[Name]) -> bool:
    """Tells whether a table is of weights that no other picture shows."""
    return block.display.shares and any(block.names.roles) and block.quantity not in mapped


def _width(picture: Picture) -> float:
    """Measures how wide a picture is with its title."""
    return max(picture.size[0], text_width(picture.title))
