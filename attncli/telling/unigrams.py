"""What is told of pieces with log-probabilities besides their numbers: how words are cut, which
pieces go, and the way back through the best totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attncli.document import Block, Note, Prose, Span, Subheading, Table, TextList
from attncli.name import below
from attncli.notation.plain import plain
from attncli.scenario.model import Tokenizing
from attncli.steps.tokenizers.unigram import (
    count_round,
    count_rounds,
    table_of,
    told_losses,
    told_numbers,
    trained_pruning,
)
from attncli.telling.sentences import enumerated, joined
from attncli.telling.tables import MOST_ROWS, Row, folded, rounds_between, table
from attncli.tokenizing.count_training import CountRound, Removal
from attncli.tokenizing.em_training import EMRound, EMTraining, Pruning
from attncli.trace import CutPlace, Place, PlannedStep, RoundPlace, Trace
from attncli.word import Word, words


def best_cuts(part: PlannedStep) -> list[Block]:
    """The best cut of each word of the corpus."""
    own, pruning = count_round(part.place), trained_pruning(part.place)
    cuts = [cut.pieces for cut in own.cuts] if own else pruning.cuts if pruning else ()
    return cut_table(part.place, "Its best cut", cuts)


def cut_table(place: Place, how: str, cuts: Iterable[Sequence[str]]) -> list[Block]:
    """The words of the corpus with their cuts."""
    if place.text.tokenizing is None:
        return []
    rows: list[Row] = [
        (Word(word.text), Word(" ".join(cut)))
        for word, cut in zip(place.text.tokenizing.words, cuts, strict=True)
    ]
    return [table(("Word", how), rows)]


def estimated(_: Trace, part: PlannedStep) -> list[Block]:
    """After the last round, all that has been learned."""
    rounds = count_rounds(part.place)
    if count_round(part.place) is not rounds[-1]:
        return []
    gone = (" ".join(one.token for one in each.removals if one.pruned) for each in rounds[:-1])
    numbers = words(tuple(str(number) for number in range(1, len(rounds))))
    pruned = TextList(below(part.place.stack.path, "pruned"), numbers, words(tuple(gone)))
    return [*vocabulary_of(part.place), pruned]


def vocabulary_of(place: Place) -> list[Block]:
    """The vocabulary that there is in the end."""
    tokenizing = place.text.tokenizing
    if tokenizing is None:
        return []
    tokens = enumerate(tokenizing.tokenizer.vocabulary)
    rows: list[Row] = [(str(number), Word(token)) for number, token in tokens]
    return [
        Subheading(("What has been learned",)),
        folded(table(("ID", "Token"), rows, most=MOST_ROWS)),
        ids_of(place, tokenizing),
    ]


def ids_of(place: Place, tokenizing: Tokenizing) -> TextList:
    """The tokens by their IDs, for formats that keep lists."""
    tokens = tuple(tokenizing.tokenizer.vocabulary)
    numbers = words(tuple(map(str, range(len(tokens)))))
    return TextList(below(place.stack.path, "vocabulary"), numbers, words(tokens))


def pruned(trace: Trace, part: PlannedStep) -> list[Block]:
    """What was tried and which pieces go, and what is left out of the rounds that follow."""
    own, pruning = count_round(part.place), trained_pruning(part.place)
    if own is not None and isinstance(part.place, RoundPlace):
        gone = Note((*_gone(trace, part, own.removals), *_enough(own)))
        others = rounds_between(part.place.round, told_numbers(part.place))
        return [*_scored(trace, part, own), _tried(trace, part, own), gone, *others]
    if pruning is None:
        return []
    return [Note((_kept(pruning),)), *training_of(part.place)]


def training_of(place: Place) -> list[Block]:
    """The rounds of a training by expectation, and what it came to."""
    learned = place.text.learned_as(EMTraining)
    return [*_rounds(learned), *vocabulary_of(place)] if learned else []


def _scored(trace: Trace, part: PlannedStep, own: CountRound) -> list[Block]:
    """The best cut of each word of the corpus, and its score."""
    scores = trace.quantities.get(part.place.name("cut_scores"))
    if scores is None:
        return best_cuts(part)
    cuts = zip(scores.rows.names, own.cuts, strict=True)
    rows: list[Row] = [
        (Word(word), Word(" ".join(cut.pieces)), plain(scores.matrix.number(k, 0)))
        for k, (word, cut) in enumerate(cuts)
    ]
    return [table(("Word", "Its best cut", "Score"), rows)]


def _tried(trace: Trace, part: PlannedStep, own: CountRound) -> Table:
    """The words as they are cut without each piece, and by how much the loss grows."""
    growth = trace.quantities.get(part.place.name("growth"))
    used = {token: k for k, token in enumerate(growth.rows.names)} if growth else {}
    rows: list[Row] = []
    for one in own.removals:
        cuts = [" ".join(cut.pieces) for _, cut in one.words]
        more = growth.matrix.number(used[one.token], 0) if growth and one.token in used else None
        rows.append(
            (
                Word(one.token),
                Word(", ".join(cuts)) if cuts else "in no best cut",
                "" if more is None else plain(more),
                "goes" if one.pruned else "",
            )
        )
    return table(("Without", "Its words are cut", "Loss grows by", ""), rows, most=MOST_ROWS)


def _gone(trace: Trace, part: PlannedStep, removals: Sequence[Removal]) -> Iterator[Span]:
    """Which pieces go, and which others would have cost as little."""
    gone = [one for one in removals if one.pruned]
    worst = max(one.increase for one in gone)
    yield Word(enumerated([one.token for one in gone]))
    verb = "go" if len(gone) > 1 else "goes"
    yield f" {verb}, {len(gone)} of the {len(removals)} pieces of two or more characters: "
    yield from _why(trace, part, gone)
    equal = [one.token for one in removals if not one.pruned and one.increase == worst]
    if equal:
        yield from (
            " So it does without ",
            Word(enumerated(equal)),
            "; of such pieces the rarest go",
        )
        yield " first, and of equally rare ones those that stand last in the table."


def _enough(own: CountRound) -> Iterator[Span]:
    """Why fewer pieces go than the share of a round would be."""
    if sum(one.pruned for one in own.removals) < own.share:
        yield f" This round may prune {own.share}, but without these the vocabulary already has the"
        yield " size that was asked for."


def _why(trace: Trace, part: PlannedStep, gone: Sequence[Removal]) -> Iterator[Span]:
    used = [one.token for one in gone if one.words]
    they = "them" if len(gone) > 1 else "it"
    if not used:
        yield f"without {they} the loss stays the same."
        return
    growth = trace[part.place.name("growth")]
    rows = [growth.rows.names.index(token) for token in used]
    worst = max(rows, key=lambda row: float(growth.values[row, 0]))
    yield f"without {they} the loss grows least, by "
    yield growth.matrix.number(worst, 0)
    yield " at most." if len(gone) > 1 else "."


def _kept(pruning: Pruning) -> str:
    losses = len(pruning.losses)
    told = len(told_losses(pruning))
    more = f" The {told} smallest losses are told." if losses > told else ""
    return (
        f"Of {pruning.size} pieces, {len(pruning.unused)} are in no best cut and go; of the"
        f" {losses} that can be cut otherwise, the {pruning.kept} with the largest losses"
        f" stay.{more}"
    )


def _rounds(trained: EMTraining) -> list[Block]:
    """How many pieces each round of the training had."""
    rows = [_row(number, one) for number, one in enumerate(trained.rounds, start=1)]
    return [
        Prose(
            (
                "Each round estimates twice how often pieces are expected in all cuts, and leaves"
                " out what is expected less than 0.5 times; then it prunes. At the end, characters"
                " that were left out come back with the least score, and if there are more pieces"
                " than there is room for, those of the least score go.",
            )
        ),
        table(("Round", "Pieces", "Expected often enough", "Pruned"), rows),
    ]


def _row(number: int, one: EMRound) -> Row:
    pruning, gone = one.pruning, ""
    if pruning is not None:
        gone = str(len(pruning.unused) + len(pruning.losses) - pruning.kept)
    return str(number), str(one.steps[0].before), str(len(one.steps[-1].scored)), gone


def way_back(trace: Trace, part: PlannedStep) -> list[Block]:
    """All ways to each place, and from the end of a word back to its start, from best to best."""
    places = {place.end: place for place in table_of(part.place)}
    end, way = max(places, default=0), list[str]()
    total = trace[part.place.name(f"best[{end}]")].matrix.number(0, 0)
    while end:
        best = places[end].best
        way.append(best.token)
        end = best.start
    back = joined(((Word(token),) for token in way), " ← ")
    cut = " ".join(reversed(way))
    return [
        _arrivals(trace, part),
        Note(
            (
                "Back from the end, each time by the piece with the best total: ", *back,
                ". The best cut is ", Word(cut), ", whose log-probability is ", total, ".",
            )
        )
    ]  # fmt: skip


def _arrivals(trace: Trace, part: PlannedStep) -> Table:
    """The pieces that end at each place of a word, where they start, and their totals."""
    word = part.place.word if isinstance(part.place, CutPlace) else ""
    rows: list[Row] = []
    for place in table_of(part.place):
        totals = trace[part.place.name(f"totals[{place.end}]")]
        for row, one in enumerate(place.candidates):
            here = Word(word[: place.end]) if not row else ""
            total = plain(totals.matrix.number(row, 0))
            best = "best" if one == place.best else ""
            rows.append((here, Word(one.token), Word(word[: one.start]), total, best))
    return table(("Up to", "Piece", "After", "Total", ""), rows, most=MOST_ROWS)
