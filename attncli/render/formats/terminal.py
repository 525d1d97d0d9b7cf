"""Plain text for a terminal or an e-mail, in colours where those are wanted."""

from __future__ import annotations

from io import StringIO

from attncli.document import Document
from attncli.render.page import Page
from attncli.render.screen.lines import Line
from attncli.render.screen.page import NEW_PAGE, lay_out

SUFFIXES = (".txt",)

STYLES = {
    "title": "bold",
    "step": "bold cyan",
    "formula": "italic",
    "label": "cyan",
    "heading": "cyan",
    "name": "bold",
    "relation": "dim",
    "rule": "dim",
    "result": "bold",
    "figure": "",
    "word": "",
}
"""Colour supports and never carries meaning: without it the page says the same."""

_NARROWEST = 20


def render(document: Document, page: Page) -> str:
    """The document as text, no line wider than the page unless a single number is."""
    lines = lay_out(document, max(page.width, _NARROWEST))
    if page.colour:
        return _painted(lines, page.width)
    return "".join("".join(piece.text for piece in line).rstrip(" ") + "\n" for line in lines)


def _painted(lines: list[Line], width: int) -> str:
    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(file=out, force_terminal=True, width=width, legacy_windows=False)
    for line in lines:
        if line == NEW_PAGE:
            continue  # a screen has none
        # as Text: Rich would take `[cat]` for markup of its own, and wrap what is wrapped already
        text = Text.assemble(*((piece.text, STYLES.get(piece.style, "")) for piece in line))
        text.rstrip()
        console.print(text, soft_wrap=True, highlight=False, markup=False)
    return out.getvalue()
