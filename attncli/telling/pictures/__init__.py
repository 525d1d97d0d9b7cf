"""Pictures made of a trace: a file a kind, which steps name as theirs; and the whole as a diagram.

Each has `pictures(trace, part, selection)`. Their numbers are the page's.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from attncli.document import Block
from attncli.telling.parts import step_of
from attncli.telling.selection import Selection
from attncli.trace import PlannedStep, Trace


def pictures_of(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Block]:
    """The pictures of a part, in the order in which its step names them."""
    for kind in step_of(part).pictures:
        module = import_module(f"attncli.telling.pictures.{kind}")
        yield from module.pictures(trace, part, selection)


def pipeline_of(trace: Trace) -> Iterator[Block]:
    """What runs, as boxes with the shapes on the arrows."""
    from attncli.telling.pictures.pipeline import pipeline

    yield from pipeline(trace)
