"""How cells look: the inks and shades of a page, as formats of XlsxWriter."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.notation.spreadsheet import IS_FINITE
from attncli.render.colours import INKS, LIGHT

if TYPE_CHECKING:
    from xlsxwriter import Workbook

Look = Mapping[str, Any]

GIVEN: Look = {"font_color": INKS["given"], "bg_color": "#fdf3ec", "locked": False}
"""What can be changed: a number that was given."""
CHOSEN: Look = {**GIVEN, "font_color": INKS["aside"], "italic": True}
"""What the program put there, by a rule that is no formula."""
RESULT: Look = {"bold": True}
_LINE: Look = {"border": 1, "border_color": "#d0d7de"}
_HEADING: Look = {"bold": True, "bg_color": LIGHT.shades[1].background, **_LINE}

LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "text": {},
        "title": {"bold": True, "font_size": 14, "font_color": LIGHT.line},
        "subheading": {"bold": True},
        "note": {"italic": True, "font_color": LIGHT.aside},
        "formula": {"italic": True, "font_color": LIGHT.aside},
        "name": {"bold": True, "font_size": 12},
        "heading": _HEADING,
        "link": {"font_color": LIGHT.line, "underline": 1},
        "column": {**_HEADING, "align": "right"},
        "whose": {**_LINE, "align": "right"},
        "fact": _LINE,
        "list": _LINE,
        "blank": {**_LINE, "locked": False, "bg_color": GIVEN["bg_color"]},
    }
)

SHARES = MappingProxyType(
    {
        "type": "2_color_scale",
        "min_type": "num",
        "max_type": "num",
        "min_value": 0,
        "max_value": 1,
        "min_color": LIGHT.shades[0].background,
        "max_color": LIGHT.shades[4].background,
    }
)
"""Shades of shares from nothing to all of it; black text can be read upon each."""


def ink_look(ink: str) -> Look:
    """Queries, keys and values in their inks."""
    return {"font_color": INKS[ink]} if ink else {}


def format_of(number: Number | None) -> str:
    """The number format with the decimals that a number is shown with, −∞ as such. What is below
    zero has a section of its own: LibreOffice writes the second of two without the sign."""
    places = decimals.places(number.shown) if number is not None and _is_finite(number) else 0
    digits = f"0.{'0' * places}" if places else "0"
    return f'[<{IS_FINITE}]"−∞";[<0]-{digits};{digits}'


def _is_finite(number: Number) -> bool:
    return number.shown.is_finite()


class Formats:
    """The formats of a workbook, each made once."""

    def __init__(self, workbook: Workbook) -> None:
        self._workbook = workbook
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}

    def named(self, look: str) -> Any:  # noqa: ANN401
        return self.of(LOOKS[look])

    def number(self, look: Look, number: Number | None, pattern: str = "") -> Any:  # noqa: ANN401
        return self.of({**_LINE, **look, "num_format": pattern or format_of(number)})

    def of(self, look: Look) -> Any:  # noqa: ANN401
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._workbook.add_format(dict(look))
        return self._made[key]
