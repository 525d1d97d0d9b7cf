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
from attncli.trace import Axis, Definition, Place

if TYPE_CHECKING:
    from attncli.tokenizing.rounds import Round, Snapshot

_PAIRS, _SYMBOLS = "pair", "symbol"


def told_rounds(place: Place) -> list[Round]:
    """The rounds that are told: all where they are few, else the first three and the last."""
    tokenizing = place.text.tokenizing
    rounds = tokenizing.learned.rounds if tokenizing and tokenizing.learned else ()
    return [one for one in rounds if one.snapshot is not None]


def round_of(place: Place) -> Round | None:
    """The round that a step is at."""
    tokenizing = place.text.tokenizing
    if not place.round or tokenizing is None or tokenizing.learned is None:
        return None
    return tokenizing.learned.rounds[place.round - 1]


def _plan(place: Place) -> tuple[Definition, ...]:
    own = round_of(place)
    if own is None or own.snapshot is None:
        return ()
    counts = _counts(place, own.snapshot)
    tokenizing = place.text.tokenizing
    if tokenizing is None or tokenizing.score != "likelihood":
        return (counts,)
    symbols = _symbols_in(own.snapshot)
    return counts, _symbols(place, own.snapshot, symbols), _scores(place, own.snapshot, symbols)


def _counts(place: Place, snapshot: Snapshot, *, weighted: bool = True) -> Definition:
    """How often each pair occurs."""
    rows = Axis(tuple(" ".join(one.pair) for one in snapshot.pairs), _PAIRS)
    operation = CountInWords(tuple(one.words for one in snapshot.pairs), weighted)
    return Definition(place.name("counts"), operation, (_words(place),), "learn", rows=rows)


def _words(place: Place) -> Name:
    return below(place.stack.path, "word_counts")


def _symbols_in(snapshot: Snapshot) -> list[str]:
    """The parts of the pairs, in the order in which they first come."""
    return list(dict.fromkeys(part for one in snapshot.pairs for part in one.pair))


def _symbols(place: Place, snapshot: Snapshot, symbols: Sequence[str]) -> Definition:
    """How often each part of a pair occurs."""
    held = [Counter(word) for word in snapshot.words]
    things = tuple(
        tuple((k, count[symbol]) for k, count in enumerate(held) if count[symbol])
        for symbol in symbols
    )
    rows = Axis(tuple(symbols), _SYMBOLS)
    words = (_words(place),)
    return Definition(place.name("symbols"), CountInWords(things), words, "learn", rows=rows)


def _scores(place: Place, snapshot: Snapshot, symbols: Sequence[str]) -> Definition:
    places = {symbol: k for k, symbol in enumerate(symbols)}
    parts = tuple((places[one.pair[0]], places[one.pair[1]]) for one in snapshot.pairs)
    operands = (place.name("counts"), place.name("symbols"))
    return Definition(place.name("scores"), PairScore(parts), operands, "learn")


def _unweighted(place: Place) -> Definition | None:
    own = round_of(place)
    if own is None or own.snapshot is None:
        return None
    return _counts(place, own.snapshot, weighted=False)


def _happens(place: Place) -> str:
    tokenizing = place.text.tokenizing
    counted = "The words are cut as they are by now, and each pair of neighbours is counted"
    if tokenizing is not None and tokenizing.score == "likelihood":
        return f"{counted}; its score sets that against how often its parts occur."
    return f"{counted}, once for each time that its word occurs."


STEP = Step(
    name="learn",
    title="Learning pieces",
    titled=lambda place: f"Learning pieces, round {place.round}",
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
