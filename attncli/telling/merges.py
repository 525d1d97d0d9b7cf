"""How pieces are learned by merging, round by round: the pairs, the choice, the words after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from attncli.arithmetic.elision import MOST_PARTS
from attncli.arithmetic.expression import Omitted
from attncli.document import Block, Note, Prose, Span, Spans, Subheading, Table, TextList, Working
from attncli.name import below
from attncli.notation.plain import GLUE, plain
from attncli.steps.tokenizers.pieces import round_of, tie_rule, told_rounds
from attncli.telling.contrast import contrasted
from attncli.telling.sentences import joined, words_enumerated
from attncli.telling.tables import MOST_ROWS, Row, rounds_between, table
from attncli.telling.unigrams import cut_table, vocabulary_of
from attncli.telling.working import cell_line
from attncli.tokenizing.merge_training import LearnedMerge, MergeTraining
from attncli.trace import PlannedStep, Trace
from attncli.word import Word, words

_MOST_PAIRS = 10
"""So many of the pairs of a round stand in its table; the lines have more."""


def segmented(part: PlannedStep, *, alone: bool) -> list[Block]:
    """The words of the corpus as they are cut before a round; with their counts, and in little
    room if they are few, in a section that is read `alone`."""
    own, tokenizing = round_of(part.place), part.place.text.tokenizing
    if own is None or own.snapshot is None or tokenizing is None:
        return []
    cuts = own.snapshot.words
    if not alone or len(cuts) > MOST_PARTS:
        return cut_table(part.place, "As it is cut before this round", cuts)
    counted = zip(cuts, tokenizing.words, strict=True)
    told = joined(_counted(symbols, word.count) for symbols, word in counted)
    return [Prose(("The words as they are cut before this round, with their counts: ", *told, "."))]


def _counted(symbols: Sequence[str], count: int) -> Spans:
    """A word's symbols and its count, on one line: `u n (4)`."""
    together = joined(((Word(symbol),) for symbol in symbols), GLUE)
    return (*together, f"{GLUE}({count})")


def pairs_as_met(part: PlannedStep) -> list[str]:
    """The pairs of neighbours of a round, from the first word on."""
    own = round_of(part.place)
    cuts = own.snapshot.words if own is not None and own.snapshot is not None else ()
    return [*dict.fromkeys(" ".join(pair) for symbols in cuts for pair in pairwise(symbols))]


def goes_on(part: PlannedStep) -> bool:
    """Whether the round before a round is told as well."""
    own = round_of(part.place)
    return own is not None and own.number - 1 in told_rounds(part.place)


def chosen(trace: Trace, part: PlannedStep) -> list[Block]:
    """Which pair is merged and why; after the last round what has been learned."""
    own, learned = round_of(part.place), part.place.text.learned_as(MergeTraining)
    if own is None or learned is None:
        return []
    numbers = told_rounds(part.place)
    return [
        _pairs(trace, part, own),
        Note(tuple(_choice(trace, part, learned, own))),
        *_cut_now(part, own),
        *rounds_between(own.number, numbers),
        *(
            [*merges(trace, learned, part), *vocabulary_of(part.place)]
            if own.number == numbers[-1]
            else ()
        ),
    ]


def worked_pair(trace: Trace, part: PlannedStep) -> list[Block]:
    """How the pair is worked that a round merges: its count, those of its parts, its score."""
    own = round_of(part.place)
    if own is None or own.snapshot is None:
        return []
    pair = " ".join(own.pair)
    symbols = (("symbols", one) for one in dict.fromkeys(own.pair))
    rows = (("counts", pair), *symbols, ("scores", pair))
    numbers = ((trace.quantities.get(part.place.name(of)), row) for of, row in rows)
    lines = [cell_line(trace, of, of.rows.names.index(row), 0) for of, row in numbers if of]
    return [Working(tuple(lines))]


def _pairs(trace: Trace, part: PlannedStep, own: LearnedMerge) -> Table:
    """The pairs that were looked at, the largest first: how often each occurs, and where it goes by
    likelihood, how often its parts do and its score."""
    counts, symbols, scores = (
        trace.quantities.get(part.place.name(local)) for local in ("counts", "symbols", "scores")
    )
    pairs = [*own.snapshot.pairs] if own.snapshot else []
    rows: list[Row] = []
    for k, pair in enumerate(pairs[:_MOST_PAIRS]):
        parts = [symbols.rows.names.index(one) for one in pair] if symbols else []
        numbers = [(counts, k), *((symbols, row) for row in parts), (scores, k)]
        shown = (plain(of.matrix.number(row, 0)) for of, row in numbers if of is not None)
        rows.append((Word(" ".join(pair)), *shown, "merged" if pair == own.pair else ""))
    if len(pairs) > len(rows):
        rows.append((Omitted(),) * len(rows[0]))
    more = ("Left part", "Right part", "Score") if scores else ()
    return Table(("Pair", "Count", *more, ""), tuple(rows))


def _cut_now(part: PlannedStep, own: LearnedMerge) -> list[Block]:
    """The words of the corpus as they are cut after a round."""
    words = own.snapshot.words if own.snapshot else ()
    after = [_merged(symbols, own) for symbols in words]
    return cut_table(part.place, "As it is cut now", after)


def _merged(symbols: Sequence[str], own: LearnedMerge) -> list[str]:
    """A word's symbols with the pair as one, wherever it stands, from the left."""
    after: list[str] = []
    whole = False
    for symbol in symbols:
        whole = not whole and (*after[-1:], symbol) == own.pair
        after = [*after[:-1], own.piece] if whole else [*after, symbol]
    return after


def _choice(
    trace: Trace, part: PlannedStep, learned: MergeTraining, own: LearnedMerge
) -> Iterator[Span]:
    by_score = part.place.name("scores") in trace
    numbers = trace[part.place.name("scores" if by_score else "counts")]
    pair = " ".join(own.pair)
    place = numbers.rows.names.index(pair)
    number = numbers.matrix.number(place, 0)
    next_best = place + own.ties + 1
    if next_best < numbers.matrix.shape[0]:
        number, _ = contrasted(number, numbers.matrix.number(next_best, 0)) or (number, number)
    yield from (Word(pair), " has the largest score (" if by_score else " occurs most often (")
    yield from (number, "): it becomes the piece ", Word(own.piece), _grown(learned, own))
    if own.ties:
        more = [f"{own.ties - len(own.tied)} more"] if own.ties > len(own.tied) else []
        others = words_enumerated([*(" ".join(one) for one in own.tied), *more])
        verb = "has" if own.ties == 1 else "have"
        yield from (" ", *others, f" {verb} the same {'score' if by_score else 'count'}")
        first = next(k for k in told_rounds(part.place) if learned.rounds[k - 1].ties)
        if own.number == first:
            yield f"; among such pairs the one {tie_rule(learned)}"
        yield "."
    left_out = own.snapshot.left_out if own.snapshot else 0
    if left_out:
        yield f" {left_out} more pairs come after those of the table."


def _grown(learned: MergeTraining, own: LearnedMerge) -> str:
    """What a merge did to the vocabulary."""
    after = _size_after(learned, own)
    if not own.new:
        return f", which was there before; the vocabulary still has {after} tokens."
    return f", and the vocabulary grows from {after - own.new} to {after} tokens."


def _size_after(learned: MergeTraining, own: LearnedMerge) -> int:
    """How many tokens the vocabulary has after a round."""
    return len(learned.vocabulary) - sum(
        one.new for one in learned.rounds if one.number > own.number
    )


def merges(trace: Trace, learned: MergeTraining, part: PlannedStep) -> list[Block]:
    """All merges."""
    pairs = tuple(" ".join(pair) for pair in learned.merges)
    scores = scores_of_merged(trace)
    merges: list[Row] = [
        (
            str(one.number),
            Word(pair),
            str(one.count),
            *((scores.get(one.number, ""),) if scores else ()),
            Word(one.piece),
        )
        for one, pair in zip(learned.rounds, pairs, strict=True)
    ]
    numbers = tuple(str(one.number) for one in learned.rounds)
    headings = ("Round", "Pair", "Count", *(("Score",) if scores else ()), "Piece")
    return [
        Subheading(("The merges",)),
        table(headings, merges, most=MOST_ROWS),
        *(
            TextList(below(part.place.stack.path, name), words(numbers), words(values))
            for name, values in (
                ("merges", pairs),
                ("merge_counts", tuple(str(one.count) for one in learned.rounds)),
                ("merge_pieces", tuple(one.piece for one in learned.rounds)),
            )
        ),
    ]


def scores_of_merged(trace: Trace) -> dict[int, str]:
    """The score of the pair that each round merged, where pairs go by one and it was worked."""
    found: dict[int, str] = {}
    for part in trace.story:
        own, scores = round_of(part.place), trace.quantities.get(part.place.name("scores"))
        if own is not None and scores is not None:
            place = scores.rows.names.index(" ".join(own.pair))
            found[own.number] = plain(scores.matrix.number(place, 0))
    return found
