"""Colours as data, for every format that has some. None carries meaning by itself.

A `Shade` is a background with the text upon it; the contrast of each is at least 4.5 : 1
(WCAG 2.2, success criterion 1.4.3), as that of each ink is on the page it is for.
"""

from __future__ import annotations

from collections.abc import Sequence

from attncli.records import NamedTuple


class Shade(NamedTuple):
    """A background, and the text upon it."""

    background: str
    text: str


class Scheme(NamedTuple):
    """The page with its text, what is said beside, lines, and shades from nothing to all."""

    page: Shade
    aside: str
    line: str
    shades: tuple[Shade, ...]


_BLACK, _WHITE = "#000000", "#ffffff"

# the nine blues of ColorBrewer (Brewer, Harrower: colorbrewer2.org), which show a size as well to
# people who tell few colours apart
LIGHT = Scheme(
    Shade("#ffffff", "#1b1f24"),
    aside="#57606a",
    line="#2171b5",
    shades=(
        Shade("#f7fbff", _BLACK),
        Shade("#deebf7", _BLACK),
        Shade("#c6dbef", _BLACK),
        Shade("#9ecae1", _BLACK),
        Shade("#6baed6", _BLACK),
        Shade("#4292c6", _BLACK),
        Shade("#2171b5", _WHITE),
        Shade("#08519c", _WHITE),
        Shade("#08306b", _WHITE),
    ),
)
DARK = Scheme(
    Shade("#0d1117", "#e6edf3"),
    aside="#9198a1",
    line="#6baed6",
    shades=(
        Shade("#141b26", _WHITE),
        Shade("#08306b", _WHITE),
        Shade("#08519c", _WHITE),
        Shade("#2171b5", _WHITE),
        Shade("#4292c6", _BLACK),
        Shade("#6baed6", _BLACK),
        Shade("#9ecae1", _BLACK),
        Shade("#c6dbef", _BLACK),
        Shade("#deebf7", _BLACK),
    ),
)


def shade_of(share: float, shades: Sequence[Shade]) -> int:
    """The place of a share's shade: the first for nothing, the last for all there is."""
    return round(min(max(share, 0.0), 1.0) * (len(shades) - 1))
