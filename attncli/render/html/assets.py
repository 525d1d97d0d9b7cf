"""The looks and the scripts of pages: inside each page, or in files that the pages of a site
share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import NamedTuple

from attncli.render.html.looks import colour_sheet

SCRIPTS = ("page.js", "sheet.js")
"""The script of all pages, and that of sheets."""
_STYLE, _LINKS = "page.css", "links.css"


class PageAssets(NamedTuple):
    """How a page comes by its looks and its scripts: what its content security policy allows to
    style it, and to run; the elements that stand for them."""

    styles: str
    scripts: str
    style: Callable[[], str]
    script: Callable[[str], str]


def file_text(name: str) -> str:
    """What a file beside this one says."""
    return (files("attncli.render.html") / name).read_text(encoding="utf-8")


def _style() -> str:
    return f"<style>\n{_looks()}\n</style>"


def _script(name: str) -> str:
    return f"<script>\n{file_text(name)}</script>"


def _style_beside() -> str:
    return f'<link rel="stylesheet" href="{_STYLE}">'


def _script_beside(name: str) -> str:
    return f'<script src="{name}"></script>'


def _looks() -> str:
    return f"{colour_sheet()}\n{file_text(_STYLE)}"


_BESIDE = "'self' file:"
"""Opened from a disk a page has no origin, so that nothing would be its own."""
INSIDE = PageAssets("'unsafe-inline'", "'unsafe-inline'", _style, _script)
SHARED = PageAssets(f"'unsafe-inline' {_BESIDE}", _BESIDE, _style_beside, _script_beside)
"""Drawings say how wide they are in an attribute."""


def shared_files() -> Mapping[str, str]:
    """The files that the pages of a site share, by their names; their looks are also those of the
    links between pages."""
    return {
        _STYLE: f"{_looks()}\n{file_text(_LINKS)}",
        **{name: file_text(name) for name in SCRIPTS},
    }
