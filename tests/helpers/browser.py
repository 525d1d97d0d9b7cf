"""Debian's chromium, driven by Playwright, for the tests of pages that people open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import THOROUGH

CHROMIUM = shutil.which("chromium")

LEAST_CHROMIUM = 138
"""The oldest that the tests were tried with."""
_PLAIN = [
    "--no-sandbox", "--disable-gpu", "--disable-gpu-rasterization", "--disable-gpu-compositing",
    "--disable-site-isolation-trials",
]  # fmt: skip
"""No processor of graphics is imitated, nor has each page a process of its own."""


@contextmanager
def browser() -> Iterator[Any]:
    """A browser; Playwright is a development extra."""
    api = pytest.importorskip("playwright.sync_api", reason="no playwright here")
    with api.sync_playwright() as playwright:
        try:
            value = playwright.chromium.launch(executable_path=CHROMIUM, args=_PLAIN)
        except api.Error as error:
            first = str(error).partition("\n")[0]
            pytest.skip(f"the chromium here doesn't start under playwright: {first}")
        if int(value.version.partition(".")[0]) < LEAST_CHROMIUM:
            value.close()
            pytest.skip(f"chromium {value.version} here, older than {LEAST_CHROMIUM}")
        yield value
        value.close()


@cache
def _window(value: Any, **kind: Any) -> Any:
    """A window of its kind, which a page is opened in after another: a new one takes longer than
    most pages."""
    return value.new_context(**kind).new_page()


@contextmanager
def opened(value: Any, path: Path, **looked_at: Any) -> Iterator[Any]:
    """A page in a window where no other is, nor has left anything: the pointer, what is stored,
    how it is looked at. What it says on the console, and asks for that doesn't lie beside it, is
    wrong."""
    size = looked_at.pop("viewport", {"width": 1280, "height": 900})
    scheme = looked_at.pop("color_scheme", "light")
    page, beside, texts = _window(value, **looked_at), f"{path.parent.as_uri()}/", list[str]()
    heard = {
        "console": lambda message: texts.append(message.text),
        "pageerror": lambda error: texts.append(str(error)),
        "request": lambda asked: texts.append(asked.url),
    }
    page.set_viewport_size(size)
    page.emulate_media(media="null", color_scheme=scheme)
    page.mouse.move(0, 0)
    for what, hear in heard.items():
        page.on(what, hear)
    try:
        page.goto(path.as_uri())
        yield page
    finally:
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        for what, hear in heard.items():
            page.remove_listener(what, hear)
        page.goto("about:blank")
    assert [text for text in texts if not text.startswith(beside)] == []


def findings(page: Any, inside: str = "html") -> list[str]:
    """What axe-core finds on a page as it is, or in some elements of it, without reading its style
    sheets by a connection.

    Its rule on contrast takes as long as all others together and more, for it looks at each text:
    it is asked of one of each way in which text is painted; of all in the thorough profile.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe here").Axe()
    page.evaluate(axe.axe_script)
    if not THOROUGH:
        page.evaluate(_PAINTED, _PAINT)
        page.evaluate(_OF_PAINTED)
    found = page.evaluate("told => axe.run(...told)", [inside, _TELLING])["violations"]
    return [f"{value['id']}: {value['nodes'][0]['html']}" for value in found]


_TELLING = {"preload": False, "resultTypes": ["violations"]}
"""To describe all that is right takes axe as long again."""
_OF_PAINTED = "axe.configure({rules: [{id: 'color-contrast', selector: '[data-painted]'}]})"
_PAINT = [
    "color", "fill", "backgroundColor", "backgroundImage", "fontSize", "fontWeight", "opacity",
    "textShadow", "filter", "mixBlendMode", "position", "display", "visibility",
]  # fmt: skip
_PAINTED = """names => {
  const known = new Map([[null, ""]]), seen = new Set();
  const paint = one => {
    if (!known.has(one)) {
      const style = getComputedStyle(one);
      known.set(one, `${names.map(name => style[name])}/${paint(one.parentElement)}`);
    }
    return known.get(one);
  };
  const says = one => one.matches("input, select, textarea")
    || [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const one of document.body.querySelectorAll("*")) {
    const kind = `${one.textContent.trim().length > 1}/${paint(one)}`;  // axe passes single letters
    one.removeAttribute("data-painted");
    if (says(one) && one.checkVisibility() && !seen.has(kind)) {
      seen.add(kind);
      one.setAttribute("data-painted", "");
    }
  }
}"""
"""Marks the first text of each that all around it is painted with: contrast depends on that."""
