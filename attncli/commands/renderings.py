"""Pages of a whole trace, or of a part of it; lines of working as plain text, and tables."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent
from typing import TypedDict

from attncli.commands.output import format_named
from attncli.document.blocks import Block, Derivation, Document
from attncli.formats import info_of
from attncli.names import Name, Word
from attncli.option_values import COST, Pictures
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.selection import (
    Selection,
    check_detail,
    check_on_page,
    check_steps,
    own_steps,
    select,
)
from attncli.pages.walkthrough import as_it_fits, walkthrough
from attncli.scenario.file.address import Address
from attncli.scenario.file.problems import nearest
from attncli.scenario.scenario import MOST_LINES
from attncli.trace import Quantity, Trace


class PagePart(TypedDict, total=False):
    """A part of a page that is told, and how closely: as `attn run` takes it."""

    steps: str | Sequence[str]
    token: str | int
    layer: str | int
    head: str | int
    time: str | int
    detail: str
    pictures: bool


def document_of(trace: Trace, form: str, part: PagePart) -> Document:
    """Makes the page of a trace for a format. Raises TypeError for a part that `page` doesn't take,
    and ValueError for what isn't there."""
    for unknown in part.keys() - PagePart.__annotations__.keys():
        right = nearest(unknown, PagePart.__annotations__)
        raise TypeError(f"page() takes no {unknown}; {right}")
    steps = part.get("steps", ())
    names = [steps] if isinstance(steps, str) else [*steps]
    within = {k: str(part[k]) for k in ("token", "layer", "head", "time") if k in part}
    can = info_of(format_named(form))
    detail = part.get("detail", can.detail)
    check_steps(names, own_steps(trace))
    check_detail("full" if detail in (None, COST) else detail)
    asked = {True: Pictures.ALL, False: Pictures.NONE}
    pictures = asked[part["pictures"]] if "pictures" in part else can.pictures
    return page_of(trace, names, detail, pictures, on_paper=can.printed, **within)


def page_of(
    trace: Trace,
    steps: Sequence[str],
    detail: str | None,
    pictures: Pictures,
    floats: str = "float32",
    *,
    on_paper: bool = False,
    **within: str | None,
) -> Document:
    """Makes the page of some steps, or of all, at some detail, or as it fits; or what they cost, in
    bytes of some floats. Raises SelectionError."""
    chosen = select(trace, steps, detail=detail or "full", **within).illustrated(pictures)
    chosen = chosen._replace(on_paper=on_paper)
    check_on_page(trace, chosen)
    if detail == COST:
        from attncli.pages.costs import costs_page  # which few pages need

        return costs_page(trace, chosen, floats)
    return as_it_fits(trace, chosen) if detail is None else walkthrough(trace, chosen)


def lines_of(trace: Trace, cells: Sequence[tuple[Name, Address]], width: int) -> str:
    """Writes the working of cells, a line each, no term left out."""
    from attncli.pages.explain import line_of

    return text_of([Derivation(tuple(line_of(trace, *cell) for cell in cells))], width)


def cells_of(trace: Trace, name: Name, address: Address) -> Sequence[tuple[Name, Address]]:
    """Returns the cells that an address means, be it of one, of a row or of a whole quantity.
    Raises ValueError."""
    from attncli.pages.explain import address_of

    quantity = trace.quantities.get(name)
    sides = 0 if quantity is None or quantity.is_number else 2 - quantity.is_list
    sides -= quantity is not None and quantity.is_vector
    if quantity is None or len(address.indices) >= sides:
        return [(name, address)]
    n, m = quantity.matrix.shape
    rows = [quantity.rows.find(index, name) for index in address.indices] or range(n)
    if len(rows) * m > MOST_LINES and not trace.scenario.file.large:
        raise ValueError(f"{len(rows) * m:,} cells of {name} are too many; name a row or a cell")
    return [(name, address_of(quantity, i, j)) for i in rows for j in range(m)]


def table_of(quantity: Quantity) -> str:
    return text_of([matrix_block(quantity, Selection())])


def text_of(blocks: Sequence[Block], width: int = 80) -> str:
    """Blocks as text, with nothing around them."""
    from attncli.formats import RenderOptions, render

    page = render(Document(Word(""), (), closing=tuple(blocks)), "terminal", RenderOptions(width))
    return dedent(page).strip("\n")
