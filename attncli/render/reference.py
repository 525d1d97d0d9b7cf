"""The reference, which is kept as Markdown, as text for a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table

from attncli.render.page import Page


def reference_text(markdown: str, page: Page) -> str:
    """Markdown as wide as the page. Code keeps its marks, which tell it from words also where
    there are no colours."""
    out = StringIO()
    console = Console(
        file=out,
        width=page.width,
        force_terminal=page.colour,
        no_color=not page.colour,
        legacy_windows=False,
    )
    console.print(_with_marks(_Reference(markdown, hyperlinks=False)))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


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


class _Reference(Markdown):
    elements = {**Markdown.elements, "table_open": _WholeTable}  # noqa: RUF012  (Rich's own)


def _with_marks(text: Markdown) -> Markdown:
    for block in text.parsed:
        for piece in block.children or ():
            if piece.type == "code_inline":
                piece.content = f"`{piece.content}`"
    return text
