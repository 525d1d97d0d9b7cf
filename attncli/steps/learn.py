"""One round of learning pieces: counting pairs of neighbours, and merging one of them.

Byte-pair encoding: Sennrich et al. 2016, arXiv:1508.07909. WordPiece, with the score by which it
is mostly taught: Schuster & Nakajima 2012; Wu et al. 2016, arXiv:1609.08144.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncli.arithmetic.operations import CountInWords, PairScore
from attncli.name import Name, below
from attncli.steps.step import Mistake, Step
from attncli.trace import Axis, Making, Scope

if TYPE_CHECKING:
    from attncli.tokenizing.rounds import Round, Snapshot

_PAIRS, _SYMBOLS = "pair", "symbol"


def told_rounds(scope: Scope) -> list[Round]:
    """The rounds that are told: all where they are few, else the first three and the last."""
    tokenizing = scope.text.tokenizing
    rounds = tokenizing.learned.rounds if tokenizing and tokenizing.learned else ()
    return [one for one in rounds if one.snapshot is not None]


def round_of(scope: Scope) -> Round | None:
    """The round that a step is at."""
    tokenizing = scope.text.tokenizing
    if not scope.round or tokenizing is None or tokenizing.learned is None:
        return None
    return tokenizing.learned.rounds[scope.round - 1]


def _plan(scope: Scope) -> tuple[Making, ...]:
    own = round_of(scope)
    if own is None or own.snapshot is None:
        return ()
    counts = _counts(scope, own.snapshot)
    tokenizing = scope.text.tokenizing
    if tokenizing is None or tokenizing.score != "likelihood":
        return (counts,)
    symbols = _symbols_in(own.snapshot)
    return counts, _symbols(scope, own.snapshot, symbols), _scores(scope, own.snapshot, symbols)


def _counts(scope: Scope, snapshot: Snapshot, *, weighted: bool = True) -> Making:
    """How often each pair occurs."""
    rows = Axis(tuple(" ".join(one.pair) for one in snapshot.pairs), _PAIRS)
    operation = CountInWords(tuple(one.words for one in snapshot.pairs), weighted)
    return Making(scope.name("counts"), operation, (_words(scope),), "learn", rows=rows)


def _words(scope: Scope) -> Name:
    return below(scope.stack.path, "word_counts")


def _symbols_in(snapshot: Snapshot) -> list[str]:
    """The parts of the pairs, in the order in which they first come."""
    return list(dict.fromkeys(part for one in snapshot.pairs for part in one.pair))


def _symbols(scope: Scope, snapshot: Snapshot, symbols: Sequence[str]) -> Making:
    """How often each part of a pair occurs."""
    held = [Counter(word) for word in snapshot.words]
    things = tuple(
        tuple((k, count[symbol]) for k, count in enumerate(held) if count[symbol])
        for symbol in symbols
    )
    rows = Axis(tuple(symbols), _SYMBOLS)
    words = (_words(scope),)
    return Making(scope.name("symbols"), CountInWords(things), words, "learn", rows=rows)


def _scores(scope: Scope, snapshot: Snapshot, symbols: Sequence[str]) -> Making:
    places = {symbol: place for place, symbol in enumerate(symbols)}
    parts = tuple((places[one.pair[0]], places[one.pair[1]]) for one in snapshot.pairs)
    operands = (scope.name("counts"), scope.name("symbols"))
    return Making(scope.name("scores"), PairScore(parts), operands, "learn")


def _unweighted(scope: Scope) -> Making | None:
    own = round_of(scope)
    if own is None or own.snapshot is None:
        return None
    return _counts(scope, own.snapshot, weighted=False)


def _happens(scope: Scope) -> str:
    tokenizing = scope.text.tokenizing
    counted = "The words are cut as they are by now, and each pair of neighbours is counted"
    if tokenizing is not None and tokenizing.score == "likelihood":
        return f"{counted}; its score sets that against how often its parts occur."
    return f"{counted}, once for each time that its word occurs."


STEP = Step(
    name="learn",
    title="Learning pieces",
    titled=lambda scope: f"Learning pieces, round {scope.round}",
    makes=("counts", "symbols", "scores"),
    shapes="word_counts [words] → counts [pairs]",
    happens=_happens,
    purpose=(
        "A vocabulary of whole words has no place for a word that nobody has seen before, one of"
        " single characters tells little. So pieces are learned: the pair of neighbours that occurs"
        " most often (or is most surprising) becomes one piece, again and again, until the"
        " vocabulary is as large as it should be."
    ),
    plan=_plan,
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting the pairs of each word once, however often the word occurs.",
            _unweighted,
        ),
    ),
)
