"""Which pieces a Unigram training goes without, by an estimate of what that costs, as Hugging
Face's `tokenizers` has it, after SentencePiece (Kudo & Richardson 2018, arXiv:1808.06226)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from attncli.records import NamedTuple
from attncli.tokenizing.corpus import CountedWord
from attncli.tokenizing.lattice import Lexicon, best_cut
from attncli.tokenizing.unigram import Scored

UNKNOWN_PIECE = ("<UNK>", math.nan)

Tick = Callable[[], None]
"""Is called for each word that is looked at."""


def no_tick() -> None:
    """Nobody asks how far it is."""


class Loss(NamedTuple):
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
    losses: tuple[Loss, ...]
    kept: int
    size: int
    cuts: tuple[tuple[str, ...], ...]


def prune(
    words: Sequence[CountedWord], pieces: Scored, size: int, tick: Tick = no_tick
) -> tuple[Pruning, Scored]:
    """Fewer pieces, the unknown token counted in their `size`. Those with no other cut stay, and so
    do those that are themselves cut by the others, if any word has them."""
    lexicon = Lexicon([UNKNOWN_PIECE, *pieces])
    other = [_other_cut(token, lexicon) for token, _ in pieces]
    cuts = _best_cuts(words, lexicon, tick)
    uses = _uses(words, cuts, len(pieces) + 1)
    kept: list[int] = []
    unused: list[str] = []
    losses: list[tuple[int, Loss]] = []
    for number, ((token, _), (keep, instead)) in enumerate(zip(pieces, other, strict=True), 1):
        if not uses.frequency[number] and (instead or not keep):
            unused.append(token)
        elif not instead:
            kept.append(number)
        else:
            losses.append((number, _loss(token, number, instead, uses, pieces)))
    ranked = sorted(losses, key=lambda one: -one[1].loss)
    room = max(0, size - 1 - len(kept))
    kept += [number for number, _ in ranked[:room]]
    names = [UNKNOWN_PIECE[0], *(token for token, _ in pieces)]
    record = Pruning(
        tuple(unused),
        tuple(loss for _, loss in ranked),
        min(room, len(ranked)),
        len(pieces),
        tuple(tuple(names[piece] for piece in cut) for cut in cuts),
    )
    return record, tuple(pieces[number - 1] for number in kept)


class _Uses(NamedTuple):
    """How often pieces are in best cuts, in all, and the counts of words."""

    frequency: list[float]
    total: float
    words: float


def _best_cuts(words: Sequence[CountedWord], lexicon: Lexicon, tick: Tick) -> list[tuple[int, ...]]:
    """The best cut of each word, as the numbers of its pieces."""
    cuts: list[tuple[int, ...]] = []
    for word in words:
        tick()
        cut = best_cut(len(word.text), lexicon.nodes(word.text)) or []
        cuts.append(tuple(node.piece for node in cut))
    return cuts


def _uses(words: Sequence[CountedWord], cuts: Sequence[tuple[int, ...]], size: int) -> _Uses:
    frequency = [0.0] * size
    for word, cut in zip(words, cuts, strict=True):
        for piece in cut:
            frequency[piece] += word.count
    return _Uses(frequency, sum(frequency), sum(word.count for word in words))


def _other_cut(token: str, lexicon: Lexicon) -> tuple[bool, tuple[int, ...]]:
    """Whether a piece stays where it isn't used, and its best cut into other pieces, where it is
    itself the best of its cuts."""
    nodes = lexicon.nodes(token)
    best = best_cut(len(token), nodes) or []
    rest = best_cut(len(token), (node for node in nodes if node.end - node.start < len(token)))
    if rest is None:
        return True, ()
    return (False, ()) if len(best) > 1 else (True, tuple(node.piece for node in rest))


def _loss(token: str, number: int, instead: tuple[int, ...], uses: _Uses, pieces: Scored) -> Loss:
    """share · (ln p(piece) − Σ ln p(instead)), where the pieces instead are as frequent as they
    are and the piece together: an estimate, the words aren't cut anew.

    The new sum of all frequencies should be total + own · (pieces instead − 1), as SentencePiece
    has it. The package takes the number of all pieces there, and so does this.
    """
    frequency, total, words = uses
    own = frequency[number]
    after = math.log(total + own * len(pieces))  # of which the unknown token is one more
    other = sum(math.log(frequency[one] + own) - after for one in instead)
    loss = own / words * (math.log(own) - math.log(total) - other)
    names = tuple(pieces[one - 1][0] if one else UNKNOWN_PIECE[0] for one in instead)
    return Loss(token, own, names, loss)
