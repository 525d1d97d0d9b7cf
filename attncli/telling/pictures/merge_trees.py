"""The tree of merges by which each word of a sentence comes to its pieces."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.pictures import Box, Diagram, Link
from attncli.steps.tokenizers.viterbi import LONGEST_TOLD
from attncli.telling.selection import Selection
from attncli.tokenizing.merge_model import MergeModel
from attncli.trace import PlannedStep, Trace
from attncli.word import Word

_MOST_WORDS = 6


def pictures(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Diagram]:  # noqa: ARG001
    """A tree for each word that takes a merge, each word once."""
    text = part.place.text
    if text.tokenizing is None or text.sentence is None or not text.cut:
        return
    tokenizer = text.tokenizing.tokenizer
    model = tokenizer.model
    if not isinstance(model, MergeModel):
        return
    words = [*dict.fromkeys(tokenizer.words(text.sentence))]
    told = [word for word in words if len(word) <= LONGEST_TOLD][:_MOST_WORDS]
    for word in told:
        yield from _tree(word, model)


def _tree(word: str, model: MergeModel) -> Iterator[Diagram]:
    """Symbols in a row; below them each merge in a row of its own, under the first of its parts."""
    start, *merges = model.trace(word)
    if not merges:
        return
    boxes = [Box(f"s{k}", Word(one), "", k, 0) for k, one in enumerate(start.symbols)]
    links: list[Link] = []
    now = [*boxes]
    for row, (before, step) in enumerate(zip((start, *merges), merges, strict=False), start=1):
        both = zip(before.symbols, step.symbols, strict=False)
        k = next(k for k, (old, new) in enumerate(both) if old != new)
        made = Box(f"m{row}", Word(step.symbols[k]), "", now[k].column, row)
        links += [Link(now[k].id, made.id), Link(now[k + 1].id, made.id)]
        now[k : k + 2] = [made]
        boxes.append(made)
    ends = {box.id for box in now}
    chosen = tuple(box._replace(chosen=box.id in ends) for box in boxes)
    yield Diagram(Word(f"The merges of {word}"), chosen, tuple(links), across=False)
