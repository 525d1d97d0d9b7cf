"""Which pieces a Unigram training goes without, by an estimate of what that costs, as Hugging
Face's `tokenizers` has it, after SentencePiece (Kudo & Richardson 2018, arXiv:1808.06226)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from attncli.tokenizing.corpus import CountedWord
from attncli.tokenizing.lattice import PieceTrie
from attncli.tokenizing.unigram import Scored

UNKNOWN_PIECE = ("<UNK>", math.nan)

Tick = Callable[[], None]
"""Is called for each word that is looked at."""


def no_tick() -> None:
    """Nobody asks how far it is."""


class PieceLoss(NamedTuple):
    """What removing a piece would cost, if the best of its other cuts took its place."""

    token: str
    frequency: float
    instead: tuple[str, ...]
    loss: float


class Pruning(NamedTuple):
    """What was pruned: pieces that are in no best cut (`unused`), and of those that have another
    cut the ones of the least loss; `losses` are from the largest on, the first `kept` stay. Before
    it there were `size` pieces, and the words had these best cuts (told of the first round)."""

    unused: tuple[str, ...]
    losses: tuple[PieceLoss, ...]
    kept: int
    size: int
    cuts: tuple[tuple[str, ...], ...]


def prune(
    words: Sequence[CountedWord], pieces: Scored, size: int, tick: Tick = no_tick
) -> tuple[Pruning, Scored]:
    """Fewer pieces, the unknown token counted in their `size`. Those with no other cut stay, and so
    do those that are themselves cut by the others, if any word has them."""
    trie = PieceTrie([UNKNOWN_PIECE, *pieces])
    names = [UNKNOWN_PIECE[0], *(token for token, _ in pieces)]
    cuts = _best_cuts(words, trie, tick)
    frequency = [0.0] * len(names)
    for word, cut in zip(words, cuts, strict=True):
        for piece in cut:
            frequency[piece] += word.count
    total, every = sum(frequency), sum(word.count for word in words)
    kept: list[int] = []
    unused: list[str] = []
    losses: list[tuple[int, PieceLoss]] = []
    for number, token in enumerate(names[1:], 1):
        keep, instead = _other_cut(token, trie)
        if not frequency[number] and (instead or not keep):
            unused.append(token)
        elif not instead:
            kept.append(number)
        else:
            own, others = frequency[number], [frequency[one] for one in instead]
            loss = own / every * _gain(own, others, total, len(pieces))
            losses.append((number, PieceLoss(token, own, tuple(names[k] for k in instead), loss)))
    ranked = sorted(losses, key=lambda one: -one[1].loss)
    room = max(0, size - 1 - len(kept))
    kept += [number for number, _ in ranked[:room]]
    record = Pruning(
        tuple(unused),
        tuple(loss for _, loss in ranked),
        min(room, len(ranked)),
        len(pieces),
        tuple(tuple(names[piece] for piece in cut) for cut in cuts),
    )
    return record, tuple(pieces[number - 1] for number in kept)


def _best_cuts(words: Sequence[CountedWord], trie: PieceTrie, tick: Tick) -> list[tuple[int, ...]]:
    """The best cut of each word, as the numbers of its pieces."""
    cuts: list[tuple[int, ...]] = []
    for word in words:
        tick()
        cuts.append(tuple(node.piece for node in trie.best_cut(word.text) or []))
    return cuts


def _other_cut(token: str, trie: PieceTrie) -> tuple[bool, tuple[int, ...]]:
    """Whether a piece stays where it isn't used, and its best cut into other pieces, where it is
    itself the best of its cuts."""
    rest = trie.best_cut(token, without=token)
    if rest is None:
        return True, ()
    alone = len(trie.best_cut(token) or []) <= 1
    return (True, tuple(node.piece for node in rest)) if alone else (False, ())


def _gain(own: float, others: Sequence[float], total: float, size: int) -> float:
    """ln p(piece) − Σ ln p(another one in its place), where these are as frequent as they are and
    the piece together: an estimate, the words aren't cut anew.

    The new sum of all frequencies should be total + own · (pieces instead − 1), as SentencePiece
    has it. The package takes the number of all pieces there, and so does this.
    """
    after = math.log(total + own * size)
    other = sum(math.log(one + own) - after for one in others)
    return math.log(own) - math.log(total) - other
