"""Blocks as HTML, for every format that is made of it.

style      how a format writes texts, somebody's words, mathematics and blanks
spans      running text and expressions
tables     quantities, working and whatever else has rows and columns
blocks     every block
"""

from attncli.render.html.blocks import blocks_html
from attncli.render.html.spans import code_html, expression_html, spans_html
from attncli.render.html.style import HtmlStyle, escaped, isolating

__all__ = [
    "HtmlStyle",
    "blocks_html",
    "code_html",
    "escaped",
    "expression_html",
    "isolating",
    "spans_html",
]
