"""Pages of a whole trace, or of a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from attncli.document import Document
from attncli.file.problems import nearest
from attncli.library.shown import format_named
from attncli.render import abilities_of
from attncli.telling.selection import check_detail, check_steps, select
from attncli.telling.told_checks import check_told
from attncli.telling.walkthrough import as_it_fits, walkthrough
from attncli.trace import Trace


class PagePart(TypedDict, total=False):
    """Which part of a page is told, and how closely: as `attn run` takes it."""

    steps: str | Sequence[str]
    token: str | int
    layer: str | int
    head: str | int
    detail: str
    pictures: bool


def document_of(trace: Trace, form: str, part: PagePart) -> Document:
    """The page of a trace for a format. Raises ValueError for what isn't there."""
    for unknown in part.keys() - PagePart.__annotations__.keys():
        right = nearest(unknown, PagePart.__annotations__)
        raise TypeError(f"page() takes no {unknown}; {right}")
    steps = part.get("steps", ())
    names = [steps] if isinstance(steps, str) else [*steps]
    token, layer, head = (str(part[k]) if k in part else None for k in ("token", "layer", "head"))
    can = abilities_of(format_named(form))
    detail = part.get("detail", can.detail)
    check_steps(names)
    check_detail(detail or "full")
    chosen = select(trace, names, token, detail or "full", layer=layer, head=head)
    chosen = chosen.illustrated(part.get("pictures", can.pictured))
    check_told(trace, chosen)
    return as_it_fits(trace, chosen) if detail is None else walkthrough(trace, chosen)
