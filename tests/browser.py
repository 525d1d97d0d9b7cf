"""Debian's chromium, driven by Playwright, for the tests of pages that people open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
NEEDS_BROWSER = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium here: apt-get install chromium"
)


@contextmanager
def browser() -> Iterator[Any]:
    """A browser; Playwright is a development extra."""
    api = pytest.importorskip("playwright.sync_api", reason="no playwright here")
    with api.sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


@contextmanager
def opened(one: Any, path: Path, **context: Any) -> Iterator[Any]:
    """A page in a window of its own; what it says on the console, and asks for that doesn't lie
    beside it, is wrong."""
    beside = f"{path.parent.as_uri()}/"
    window = one.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
    page, said = window.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url))
    page.goto(path.as_uri())
    yield page
    assert [text for text in said if not text.startswith(beside)] == []
    window.close()


def findings(page: Any) -> list[str]:
    """What axe-core finds on a page as it is, without reading its style sheets by a connection."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe here")
    found = axe.Axe().run(page, options={"preload": False}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]
