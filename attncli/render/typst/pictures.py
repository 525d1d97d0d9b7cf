"""Pictures as they are drawn on a page: as large as their texts can be read there."""

from __future__ import annotations

import unicodedata
from typing import TypeVar, cast

from attncli.arithmetic.expression import Node
from attncli.document import Graph
from attncli.name import Name
from attncli.notation.typst import literal
from attncli.notation.words import is_hidden
from attncli.pictures import Picture
from attncli.render.svg.drawing import alone, drawn
from attncli.render.svg.on_paper import fit
from attncli.render.typst.text import characters, text
from attncli.word import Word, raw

T = TypeVar("T")
_ROOM = (470, 640)
"""Points between the margins of a page, and from top to bottom, less what stands below."""


def picture(block: Picture | Graph) -> str | None:
    """A call that draws it, None for what couldn't be read on a page."""
    drawing = drawn(_in_fonts(block))
    fitted = fit(drawing.size, _ROOM)
    if fitted is None:
        return None
    called = "none" if isinstance(block, Graph) else text(drawing.title)
    told = literal(f"{drawing.title}: {drawing.told}")
    wide, turned = f"{fitted.scale * drawing.size[0]:.1f}pt", str(fitted.turned).lower()
    return f"picture({called}, {told}, {wide}, {turned}, {literal(alone(drawing))})"


def _in_fonts(value: T) -> T:
    """The same in characters that the fonts have, so that room is made for these."""
    told: object = value
    if isinstance(value, Word):
        letters = unicodedata.normalize("NFC", raw(value))
        told = Word("".join(one if is_hidden(one) else characters(one) for one in letters))
    elif isinstance(value, tuple) and not isinstance(value, Node | Name):
        parts = map(_in_fonts, value)
        told = type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return cast(T, told)
