"""Colours of all formats as data, and notations with inks.

An ink means one thing: queries, keys, values, what is given, what is said beside; and of judged
numbers what is right, wrong, carried forward or changed. None carries meaning by itself.

The contrast of each ink with the page it is for, and of each shade with the text upon it, is at
least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from attncli.document.grid import Look, ink_of
from attncli.maths.equations.tree import Expression, GivenLocation, Number, Symbol
from attncli.maths.notation.notation import Notation


class Shade(NamedTuple):
    """A background, and the text upon it."""

    background: str
    text: str


class ColourScheme(NamedTuple):
    """A set of colours that go together, for a light page or for a dark one."""

    page: Shade
    """The page with its text."""
    aside: str
    """What is said beside."""
    line: str
    """The lines."""
    shades: tuple[Shade, ...]
    """The shades from nothing to all."""
    below: tuple[Shade, ...]
    """The shades of numbers below 0."""
    inks: tuple[str, ...]
    """The inks of what is drawn beside each other."""
    said: Mapping[str, str]
    """The inks of numbers that were judged, by what is said of them."""


_BLACK, _WHITE = "#000000", "#ffffff"

# the nine blues and oranges of ColorBrewer (Brewer, Harrower: colorbrewer2.org), which show a size
# as well to people who tell few colours apart
_BLUES = (
    Shade("#f7fbff", _BLACK),
    Shade("#deebf7", _BLACK),
    Shade("#c6dbef", _BLACK),
    Shade("#9ecae1", _BLACK),
    Shade("#6baed6", _BLACK),
    Shade("#4292c6", _BLACK),
    Shade("#2171b5", _WHITE),
    Shade("#08519c", _WHITE),
    Shade("#08306b", _WHITE),
)
_ORANGES = (
    Shade("#fff5eb", _BLACK),
    Shade("#fee6ce", _BLACK),
    Shade("#fdd0a2", _BLACK),
    Shade("#fdae6b", _BLACK),
    Shade("#fd8d3c", _BLACK),
    Shade("#f16913", _BLACK),
    Shade("#d94801", _BLACK),
    Shade("#a63603", _WHITE),
    Shade("#7f2704", _WHITE),
)
LIGHT = ColourScheme(
    Shade("#ffffff", "#1b1f24"),
    aside="#57606a",
    line="#2171b5",
    shades=_BLUES,
    below=_ORANGES,
    inks=("#1a68ad", "#b34700", "#1b7a45", "#8a3f9e", "#a3174f", "#5c5c00"),
    said=MappingProxyType(
        {"right": "#1f6f00", "wrong": "#c40000", "carried": "#8f5200", "changed": "#6a1b9a"}
    ),
)
DARK = ColourScheme(
    Shade("#0d1117", "#e6edf3"),
    aside="#9198a1",
    line="#6baed6",
    shades=(Shade("#141b26", _WHITE), *reversed(_BLUES[1:])),
    below=(Shade("#1f1a16", _WHITE), *reversed(_ORANGES[1:])),
    inks=("#6baed6", "#fd8d3c", "#74c476", "#c79be0", "#f58bb0", "#cfcf5a"),
    said=MappingProxyType(
        {"right": "#8fd94f", "wrong": "#ff6b5e", "carried": "#f2b134", "changed": "#d9a8ff"}
    ),
)


INKS: Mapping[str, str] = MappingProxyType(
    {
        "Q": "#5f5fff",
        "K": "#d700af",
        "V": "#00875f",
        "given": "#af5f5f",
        "aside": "#767676",
    }
)
"""What text is written in on a black page as on a white one. Only a narrow band of brightness has
enough contrast with both; these are its colours among the 256 of a terminal, so that they are the
same in one that knows no others."""
_SHARE_OF_INK = 0.8


def inks_on(scheme: ColourScheme) -> Mapping[str, str]:
    """Returns the inks for a scheme's page, by their names, each mixed with the page's text: INKS
    are a little of both black and white."""
    return {name: _mixed(ink, scheme.page.text, _SHARE_OF_INK) for name, ink in INKS.items()}


def _mixed(colour: str, other: str, share: float) -> str:
    """Mixes a share of a colour with another one for the rest."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return f"#{bytes(round(share * a + (1 - share) * b) for a, b in pairs).hex()}"


SAID: Mapping[str, Shade] = MappingProxyType(
    {
        "right": Shade("#005f00", _WHITE),
        "wrong": Shade("#af0000", _WHITE),
        "carried": Shade("#875f00", _WHITE),
        "changed": Shade("#5f005f", _WHITE),
    }
)
"""What judged numbers stand upon in a terminal, where no further inks are readable on black and on
white."""
SHADES = (
    Shade("#767676", _WHITE),
    Shade("#5f5f87", _WHITE),
    Shade("#5f5faf", _WHITE),
    Shade("#5f5fd7", _WHITE),
    Shade("#5f00ff", _WHITE),
    Shade("#8700d7", _WHITE),
    Shade("#af00af", _WHITE),
    Shade("#d70087", _WHITE),
    Shade("#d7005f", _WHITE),
)
"""What shares stand upon where the page may be black or white, from grey over cold to hot; nothing
has no shade."""


def ink_of_number(node: Expression) -> str:
    """Returns the ink of a number that is a cell of a quantity: of what is given, or that of its
    name; none for what was worked out on the way."""
    if not isinstance(node, Number) or not node.cell:
        return ""
    return "given" if isinstance(node.cell, GivenLocation) else ink_of(node.cell.quantity)


def shade_of(share: float, shades: Sequence[object]) -> int:
    """Returns the place of a share's shade: the first for nothing, the last for all there is."""
    return round(min(max(share, 0.0), 1.0) * (len(shades) - 1))


def names_of(look: Look, shades: Sequence[object]) -> str:
    """Returns the names of all that a look is, for a format that has a style for each."""
    shade = "" if look.share is None else f"shade{shade_of(look.share, shades)}"
    return " ".join(filter(None, (look.ink, shade, "most" * look.most, "result" * look.result)))


class Inked(Notation):
    """A notation that has inks where it is `coloured`; all numbers have that of a `result`, which
    may be theirs."""

    coloured = True
    result = ""

    def in_ink(self, text: str, name: str) -> str:
        """Sets mathematics in an ink, as the notation has it."""
        raise NotImplementedError

    def inked(self, text: str, name: str) -> str:
        """Sets mathematics in an ink; returns it as it is for none."""
        return self.in_ink(text, name) if self.coloured and name else text

    def of_number(self, node: Number) -> str:
        return self.inked(super().of_number(node), self.result or ink_of_number(node))

    def of_symbol(self, node: Symbol) -> str:
        return self.inked(super().of_symbol(node), ink_of(node.name))

    def column(
        self, entries: Sequence[Expression], filled: Callable[[Sequence[Expression]], list[str]]
    ) -> list[str]:
        """Writes expressions that stand below each other: numbers as they are filled up, if all
        are."""
        if not all(isinstance(entry, Number) for entry in entries):
            return [self.write(entry) for entry in entries]
        texts = zip(filled(entries), entries, strict=True)
        return [self.inked(text, ink_of_number(entry)) for text, entry in texts]
