"""A form to type the papers of a class into: one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from attncli.formats.html.blocks import embedded, escaped
from attncli.formats.html.webpage import INSIDE, file_text


def entry_page(
    title: str, data: Mapping[str, object], worked: Mapping[str, Mapping[int, str]]
) -> str:
    """The page of an exam: what it goes by, and of each form how its numbers are worked."""
    formulas = ",".join(
        f"{embedded(name)}:{{{','.join(f'{k}:v=>{text}' for k, text in known.items())}}}"
        for name, known in worked.items()
    )
    return Template(file_text("entry.html")).substitute(
        title=escaped(title),
        styles=INSIDE.styles,
        scripts=INSIDE.scripts,
        style=INSIDE.style(),
        data=f"{embedded(data)[:-1]},formulas:{{{formulas}}}}}",
        script="\n".join(map(INSIDE.script, ("reading.js", "entry.js"))),
    )
