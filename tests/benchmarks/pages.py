"""How fast pages are in a browser: `python -m tests.benchmarks.pages`.

From a change to the screen, in milliseconds, on pages that work themselves again; and how long
a page of many tokens takes to be written, and to be opened.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from attncli import load, work
from attncli.commands.arguments import Arguments, PageOptions
from attncli.commands.pages import run
from attncli.formats import RenderOptions, render
from attncli.option_values import Pictures
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from tests.helpers.browser import browser, opened

CHANGES = {
    "i_love_ai": ("W_Q[1,1]", "scale"),
    "word_order": ("W_Q[1,1]", "sentence"),
    "next_token": ("unembedding[1,1]", "scale"),
}
"""A number and a choice of each page that is changed."""
TIMES, TOKENS = 15, 512
CHANGED = """async ([key, value]) => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await drawn();
  const begun = performance.now();
  document.dispatchEvent(new CustomEvent("attn:change", {detail: {key, value}}));
  const worked = performance.now() - begun;
  await drawn();
  return [worked, performance.now() - begun];
}"""
"""How long a page works on a change, and until it is drawn."""


def main() -> None:
    """Prints all of it."""
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        for name, keys in CHANGES.items():
            page = run(Arguments(name, page=PageOptions(form="html"))).page
            path.write_text(render(page, "html", RenderOptions()), "utf-8")
            for key in keys:
                say_of_changes(chromium, path, name, key)
        say_of_many_tokens(chromium, path)


def say_of_changes(chromium: Any, path: Path, name: str, key: str) -> None:
    """Prints how long a change of a page takes, there and back."""
    with opened(chromium, path) as page:
        page.wait_for_function("() => window.attncli?.live")
        options = page.locator(f"[data-key='{key}'] option")
        values = [one.get_attribute("value") or one.inner_text() for one in options.all()[:2]]
        pairs = [
            page.evaluate(CHANGED, [key, value])
            for k in range(TIMES)
            for value in (values or (f"0.{k + 1}", f"-1.{k + 1}"))
        ]
    worked, drawn = (sorted(times) for times in zip(*pairs, strict=True))
    told = ", ".join(
        f"{what} {times[0]:.0f} ms, median {statistics.median(times):.0f} ms"
        for what, times in (("worked", worked), ("on the screen", drawn))
    )
    print(f"{name}, {key}: {told}")


def say_of_many_tokens(chromium: Any, path: Path) -> None:
    """Prints how long a page with weights of many tokens takes to be written and opened."""
    rng = np.random.default_rng(7)
    given = {name: rng.normal(0, 0.3, (64, 64)).round(2) for name in ("W_Q", "W_K", "W_V")}
    given["X"] = rng.normal(0, 1, (TOKENS, 64)).round(2)
    begun = time.perf_counter()
    trace = work(load(given, large=True))
    page = walkthrough(trace, Selection().illustrated(Pictures.ONE))
    path.write_text(render(page, "html", RenderOptions()), "utf-8")
    written = time.perf_counter() - begun
    begun = time.perf_counter()
    with opened(chromium, path) as shown:
        shown.locator(".stepper").wait_for()
        shown.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        seen = time.perf_counter() - begun
    size = path.stat().st_size / 1e6
    print(f"{TOKENS} × {TOKENS}: written {written:.1f} s, {size:.1f} MB, opened {seen:.1f} s")


if __name__ == "__main__":
    main()
