"""Words cut by merges (Sennrich et al. 2015, arXiv:1508.07909) or by the longest piece (Devlin et
al. 2018, arXiv:1810.04805), learned or given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

from tests.oracle import viterbi
from tests.oracle.merges import INSIDE, LearnedMerges, joined, split, symbols

_LONGEST_WORD = 100


def pieces(known: LearnedMerges, sentence: str) -> list[str]:
    """A sentence's tokens, word by word."""
    found = split(sentence, dict(known.training.written))
    return [piece for word in found for piece in _pieces(known, word)]


def _pieces(known: LearnedMerges, word: str) -> Iterable[str]:
    if known.training.wordpiece:
        return _longest_first(known, word)
    return (_fused if known.training.fused else _by_merges)(known, word)


def _by_merges(known: LearnedMerges, word: str) -> Iterator[str]:
    """Merges the pair that was learned first, leftmost, as long as there is any."""
    training = known.training
    merges = known.merges
    cut = list(symbols(word, training.marks))
    while places := [i for i, pair in enumerate(pairwise(cut)) if pair in merges]:
        i = min(places, key=lambda i: merges.index((cut[i], cut[i + 1])))
        cut[i : i + 2] = [joined((cut[i], cut[i + 1]), training.marks)]
    for symbol in cut:
        yield from [symbol] if symbol in known.vocabulary else _unknown(known, symbol)


def _unknown(known: LearnedMerges, symbol: str) -> list[str]:
    """What stands for a symbol that isn't there: its bytes, the unknown token, or itself."""
    spelled = [viterbi.byte_token(byte) for byte in symbol.encode()]
    if known.training.byte_fallback and all(byte in known.vocabulary for byte in spelled):
        return spelled
    return [known.training.unknown or symbol]


def _fused(known: LearnedMerges, word: str) -> Iterator[str]:
    """The same with neighbouring unknown tokens as one."""
    for token, run in groupby(_by_merges(known, word)):
        yield from [token] if token == known.training.unknown else run


def _longest_first(known: LearnedMerges, word: str) -> list[str]:
    """The longest piece that the word begins with, then that its rest begins with; the unknown
    token for the whole of a word that at some place has none, or is too long."""
    unknown = [str(known.training.unknown)]
    found: list[str] = []
    start = 0
    while start < len(word):
        mark = INSIDE if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in known.vocabulary), None)
        if end is None:
            return unknown
        found.append(mark + word[start:end])
        start = end
    return found if len(word) <= _LONGEST_WORD else unknown
