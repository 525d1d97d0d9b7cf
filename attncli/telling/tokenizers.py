"""What is told of tokenizers, where a text has one with a vocabulary."""

from __future__ import annotations

from collections.abc import Callable

from attncli.document import Block
from attncli.telling.parts import makings_of
from attncli.trace import Part, Trace


def cuts_of(part: Part) -> list[Block]:
    """How words are cut into pieces at a step, or before it, where that is told."""
    if part.scope.text.tokenizing is None:
        return []
    from attncli.telling import learning

    return learning.cuts_of(part)


def ending_with(part: Part) -> Callable[[Trace, Part], list[Block]] | None:
    """What tells a part's ending."""
    if part.scope.text.tokenizing is None:
        return None
    from attncli.telling.learning import ENDINGS

    return ENDINGS.get(part.step)


def listed_again(trace: Trace, part: Part) -> set[str]:
    """The quantities of a part that another one of it shows again, all in one table."""
    if part.scope.text.tokenizing is None:
        return set()
    from attncli.arithmetic.operations import Listed

    makings = makings_of(trace, part)
    return {name for m in makings if isinstance(m.operation, Listed) for name in m.operands}
