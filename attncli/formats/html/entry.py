"""A form to type the papers of a class into: one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from attncli.document.languages import words_of
from attncli.formats.html.blocks import embedded, escaped
from attncli.formats.html.webpage import INSIDE, JUDGING_SCRIPTS, file_text

_KEYS = {
    "enter": "Enter",
    "tab": "Tab",
    "down": "↓",
    "up": "↑",
    "shift_tab": "Shift+Tab",
    "star": "*",
    "ctrl_enter": "Ctrl+Enter",
}


def entry_page(title: str, data: Mapping[str, object], language: str) -> str:
    """Writes the page of an exam, which goes by some data, in the words of a language."""
    words = words_of(language).entry
    texts = {name: escaped(text) for name, text in words.texts.items()}
    keys = {name: f"<kbd>{key}</kbd>" for name, key in _KEYS.items()}
    keys["grade"] = "<code>attn grade</code>"
    named = {name: texts[name].format(title=escaped(title)) for name in ("title", "heading")}
    texts |= {**named, "how_to": texts["how_to"].format(**keys)}
    return Template(file_text("entry.html")).substitute(
        texts,
        language=language,
        styles=INSIDE.styles,
        scripts=INSIDE.scripts,
        style=INSIDE.style(),
        data=embedded({**data, "words": words.texts}),
        script="\n".join(map(INSIDE.script, ("reading.js", *JUDGING_SCRIPTS, "entry.js"))),
    )
