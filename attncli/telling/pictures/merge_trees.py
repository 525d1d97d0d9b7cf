"""The tree of merges by which each word of a sentence comes to its pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from attncli.pictures import Box, Diagram, Link
from attncli.steps.tokenizers.pieces import LONGEST_TOLD
from attncli.telling.merges import scores_of_merged
from attncli.telling.pictures.places import cut
from attncli.telling.selection import Selection
from attncli.tokenizing.longest_match import LongestMatch
from attncli.tokenizing.merge_model import MergeModel
from attncli.tokenizing.merge_training import LearnedMerge, MergeTraining
from attncli.trace import PlannedStep, Trace
from attncli.word import Word

_MOST_WORDS = 6


class _Merge(NamedTuple):
    """What a merge made of two parts, the places where these begin, and what is said of it."""

    piece: str
    left: int
    right: int
    below: str = ""


class _Merging(NamedTuple):
    """The symbols that a word begins with, and its merges in their order."""

    symbols: tuple[str, ...]
    merges: tuple[_Merge, ...]


def pictures(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Diagram]:
    """A tree for each word that takes a merge, each word once."""
    text = part.place.text
    if text.tokenizing is None or text.sentence is None or not text.cut:
        return
    title, merging = _told_by(trace, part)
    words = [*dict.fromkeys(text.tokenizing.tokenizer.words(text.sentence))]
    told = [word for word in words if len(word) <= LONGEST_TOLD][:_MOST_WORDS]
    left_out = cut(len(told), len(words), "words").replace(" the", " one of the")
    for word in told:
        found = merging(word)
        if found.merges:
            yield _tree(Word(title.format(word) + left_out), found)


def _told_by(trace: Trace, part: PlannedStep) -> tuple[str, Callable[[str], _Merging]]:
    """What a tree is called, and what tells the merges of a word. Pieces that are looked up, the
    longest first, came to be by merges of the corpus."""
    text = part.place.text
    model = text.tokenizing.tokenizer.model if text.tokenizing else None
    learned = text.learned_as(MergeTraining)
    if isinstance(model, MergeModel):
        return "The merges of {}", partial(_merged, model)
    if isinstance(model, LongestMatch) and learned is not None:
        rounds = {one.piece: one for one in reversed(learned.rounds)}
        scores = scores_of_merged(trace)
        return "How the pieces of {} were learned", partial(_learned, model, rounds, scores)
    return "", lambda _: _Merging((), ())


def _merged(model: MergeModel, word: str) -> _Merging:
    """The merges that cut a word."""
    start, *steps = model.trace(word)
    places, before = [*range(len(start.symbols))], start.symbols
    merges = []
    for step in steps:
        both = zip(before, step.symbols, strict=False)
        k = next(k for k, (old, new) in enumerate(both) if old != new)
        merges.append(_Merge(step.symbols[k], places[k], places.pop(k + 1)))
        before = step.symbols
    return _Merging(start.symbols, tuple(merges))


def _learned(
    model: LongestMatch, rounds: Mapping[str, LearnedMerge], scores: Mapping[int, str], word: str
) -> _Merging:
    """The merges that made a word's pieces when they were learned, each with its score."""
    symbols: list[str] = []
    merges: list[tuple[int, _Merge]] = []

    def take(piece: str) -> int:
        """Adds what a piece was made of; the place where it begins."""
        one = rounds.get(piece)
        if one is None:
            symbols.append(piece)
            return len(symbols) - 1
        left, right = map(take, one.pair)
        score = scores.get(one.number)
        merges.append((one.number, _Merge(piece, left, right, f"score {score}" if score else "")))
        return left

    for piece in model.pieces(word):
        take(piece.token)
    return _Merging(tuple(symbols), tuple(merge for _, merge in sorted(merges)))


def _tree(title: Word, merging: _Merging) -> Diagram:
    """Symbols in a row; below them each merge in a row of its own, under the first of its parts."""
    boxes = [Box(f"s{k}", Word(one), "", k, 0) for k, one in enumerate(merging.symbols)]
    links: list[Link] = []
    now = dict(enumerate(boxes))
    for row, merge in enumerate(merging.merges, start=1):
        made = Box(f"m{row}", Word(merge.piece), merge.below, merge.left, row)
        links += [Link(now[merge.left].id, made.id), Link(now.pop(merge.right).id, made.id)]
        now[merge.left] = made
        boxes.append(made)
    ends = {box.id for box in now.values()}
    chosen = tuple(box._replace(chosen=box.id in ends) for box in boxes)
    return Diagram(title, chosen, tuple(links), across=False)
