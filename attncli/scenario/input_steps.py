"""What is done to the embeddings of a stack before they are its X."""

from __future__ import annotations

from attncli.scenario.model import Stack

PROJECT, ADD, NORM = "project_in", "positions", "norm"


def projected_when(stack: Stack) -> str:
    """When embeddings are projected: `before` positions are added, `after` all that is done to
    them, or never, which is nothing."""
    said = stack.said.values.get(PROJECT)
    return "" if said is None else str(said.get("when", "before"))


def steps_to_X(stack: Stack) -> tuple[str, ...]:  # noqa: N802
    """The steps between embeddings and X, in order; the last of them makes X."""
    when = projected_when(stack)
    taken = (
        (PROJECT, when == "before"),
        (ADD, bool(stack.added or stack.segments)),
        (NORM, stack.embedding_norm is not None),
        (PROJECT, when == "after"),
    )
    return tuple(step for step, is_taken in taken if is_taken)


def makes_X(step: str, stack: Stack) -> bool:  # noqa: N802
    """Whether a step is the last of those."""
    return steps_to_X(stack)[-1:] == (step,)
