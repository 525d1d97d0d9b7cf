"""Lines in the colours that a terminal has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from attncli.formats.colours import INKS, SAID, SHADES
from attncli.formats.screen.lines import NEW_PAGE, Line, StyledText
from attncli.formats.screen.working import in_inks

if TYPE_CHECKING:
    from rich.style import Style

STYLES: Mapping[str, str] = {
    "title": "bold",
    "step": "bold underline",
    "formula": "italic",
    "label": "",
    "term": "bold",
    "name": "bold",
    "relation": INKS["aside"],
    "rule": INKS["aside"],
    "total": "bold",
    "most": "bold",
    "result": "bold underline",
    **INKS,
    **{name: f"{text} on {ground}" for name, (ground, text) in SAID.items()},
    "shade0": "",
    **{f"shade{k}": f"{text} on {ground}" for k, (ground, text) in enumerate(SHADES, start=1)},
}
"""Colour supports and never carries meaning: without it the page says the same."""


def painted(lines: list[Line]) -> str:
    """Writes the lines with the escapes of the terminal that is there."""
    from rich.console import COLOR_SYSTEMS, Console

    name = Console(force_terminal=True, legacy_windows=False).color_system or ""
    # sixteen colours are whatever a terminal's owner made of them: nobody knows their contrast
    style = partial(_style_of, in_colours=name != "standard")
    system = COLOR_SYSTEMS.get(name)
    texts = []
    for line in lines:
        if line != NEW_PAGE:  # a screen has none
            pieces = (s for piece in _trimmed(line) for s in in_inks(piece))
            texts += [style(s.style).render(s.text, color_system=system) for s in pieces]
            texts.append("\n")
    return "".join(texts)


@lru_cache(maxsize=64)
def _style_of(names: str, *, in_colours: bool) -> Style:
    """Returns the style of these names, or what of it isn't a colour."""
    from rich.style import Style

    style = Style.parse(" ".join(STYLES[name] for name in names.split()))
    return style if in_colours else style.without_color


def _trimmed(line: Line) -> Line:
    """Returns the line without spaces at its end."""
    while line:
        *line, last = line
        if text := last.text.rstrip(" "):
            return [*line, StyledText(text, last.style)]
    return line
