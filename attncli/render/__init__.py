"""From a document to one format. A format is a module of `render.formats`, found by itself.

Each has `render(document, page) -> str` and the `SUFFIXES` of its files.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from attncli.render.page import Page

if TYPE_CHECKING:
    from attncli.document import Document, Spans

_FORMATS = "attncli.render.formats"


def format_names() -> list[str]:
    """The names of all formats, the terminal's first."""
    found = sorted(path.stem for path in (Path(__file__).parent / "formats").glob("[a-z]*.py"))
    return ["terminal", *(name for name in found if name != "terminal")]


def render(document: Document, form: str, page: Page) -> str:
    """The document in a format by its name."""
    return str(import_module(f"{_FORMATS}.{form}").render(document, page))


def summary_line(name: str, spans: Spans) -> str:
    """One line of plain text about a file."""
    from attncli.notation.words import visible
    from attncli.render.sentences import text_of_spans

    return f"{visible(name)}: ok: {text_of_spans(spans)}"


def format_of_file(name: str) -> str:
    """The format that a file's suffix means; the terminal's for any that means none."""
    suffix = Path(name).suffix.lower()
    for form in format_names():
        if suffix in import_module(f"{_FORMATS}.{form}").SUFFIXES:
            return form
    return "terminal"


__all__ = ["Page", "format_names", "format_of_file", "render", "summary_line"]
