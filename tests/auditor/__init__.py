"""Reads a printed page as a pocket calculator would, and finds every false sign.

It knows only the text: it takes each line of working apart, evaluates what stands on either side
of each `=` and `≈` in decimal arithmetic from the digits shown, and compares. It shares no code
with the package. Names such as `W_Q` stand for the tables that the page's own JSON shows; in a
section of `Layer 1 · Head 2` the name `K` is looked for at `layers[1].heads[2]` first, then at
`layers[1]`, then at the top.

    calculator  expressions and what they come to
    tables      the numbers of a page, by name; which name a section means
    latex       the mathematics of Markdown in the plain notation
    typst       what a PDF is laid out from in the plain notation
    reading     pages of any format, as sections of lines of working
    checks      a page's signs, results, tables and sums
    sentences   sentences that carry numbers
    formulas    the equations that a scenario brings, for all cells
"""

from tests.auditor.checks import Report, audit, audit_numbers
from tests.auditor.formulas import audit_formulas
from tests.auditor.sentences import audit_sentences
from tests.auditor.tables import Tables

__all__ = ["Report", "Tables", "audit", "audit_formulas", "audit_numbers", "audit_sentences"]
