"""Pictures on a page: a drawing with what it is called below it."""

from __future__ import annotations

from attncli.document import Graph
from attncli.pictures import Picture
from attncli.render.html.style import set_apart
from attncli.render.svg.drawing import drawn, inline
from attncli.render.svg.elements import Asked, silent


def figure_html(block: Picture | Graph, asked: Asked = silent) -> str:
    """A figure that can be moved to and fro where the screen is narrower."""
    picture = drawn(block, asked)
    drawing = f'<div class="scroll">{inline(picture)}</div>'
    told = f"<figcaption>{set_apart(picture.title)}</figcaption>"
    return f'<figure class="picture">\n{drawing}\n{told}\n</figure>'
