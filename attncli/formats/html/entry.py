"""A form to type the papers of a class into: one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from attncli.formats.html.blocks import embedded, escaped
from attncli.formats.html.webpage import INSIDE, JUDGING_SCRIPTS, file_text


def entry_page(title: str, data: Mapping[str, object]) -> str:
    """Writes the page of an exam, which goes by some data."""
    return Template(file_text("entry.html")).substitute(
        title=escaped(title),
        styles=INSIDE.styles,
        scripts=INSIDE.scripts,
        style=INSIDE.style(),
        data=embedded(data),
        script="\n".join(map(INSIDE.script, ("reading.js", *JUDGING_SCRIPTS, "entry.js"))),
    )
