"""The reference, which is kept as Markdown, as text for a terminal."""

from __future__ import annotations

from io import StringIO
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, TableElement
from rich.segment import Segment
from rich.table import Table
from rich.theme import Theme

from attncli.formats import RenderOptions

_INDENT = "  "
_STYLES = Theme(
    {
        "markdown.h2": "bold underline",
        "markdown.h3": "bold",
        "markdown.code": "bold",
        "markdown.code_block": "none",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
    }
)
"""No colours: what is bold or underlined can be read on any background."""


def reference_text(markdown: str, page: RenderOptions) -> str:
    """Sets Markdown as wide as the page. Code keeps its marks, which tell it from words also where
    there are no colours."""
    out = StringIO()
    console = Console(
        file=out,
        width=page.width,
        force_terminal=page.colour,
        no_color=not page.colour,
        legacy_windows=False,
        theme=_STYLES,
    )
    console.print(_with_marks(_Reference(markdown, hyperlinks=False)), crop=False)
    lines = out.getvalue().strip("\n").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


class _WholeTable(TableElement):
    """A table whose last column has the most room, and that breaks a word which is too long;
    Rich's would cut it off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            if isinstance(table, Table):
                for column in table.columns:
                    column.overflow = "fold"
                for column in table.columns[:-1]:
                    column.max_width = options.max_width // 4
            yield table


class _PlainCode(CodeBlock):
    """A block of code whose lines stay as they are, whole, so that they can be copied; Rich would
    paint and fold them."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.text.plain.rstrip().split("\n"):
            yield Segment(f"{_INDENT}{line}\n")


class _Reference(Markdown):
    elements: ClassVar = {
        **Markdown.elements,
        "fence": _PlainCode,
        "table_open": _WholeTable,
    }


def _with_marks(text: Markdown) -> Markdown:
    for block in text.parsed:
        for piece in block.children or ():
            if piece.type == "code_inline":
                piece.content = f"`{piece.content}`"
    return text
