"""Tokenizers learned round by round, and their cuts of words into pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    DefinitionList,
    Derivation,
    Paragraph,
    Span,
    Spans,
    Subheading,
    Table,
    TextList,
)
from attncli.errors import agreed
from attncli.maths.equations.elision import MOST_PARTS
from attncli.maths.equations.tree import Omitted
from attncli.maths.notation.plain import GLUE, plain
from attncli.names import Word, below, words
from attncli.pages.parts.blocks import MOST_ROWS, Row, folded, rounds_between, table
from attncli.pages.parts.sentences import contrasted, joined, quoted, spans_enumerated
from attncli.pages.parts.working import cell_line
from attncli.scenario.model import TokenizedText, Tokenizing
from attncli.scenario.tokenizers.settings import tokenizer_kind
from attncli.steps.tokenizing import (
    LONGEST_TOLD,
    count_round,
    count_rounds,
    round_of,
    shown_losses,
    shown_numbers,
    shown_rounds,
    table_of,
    tie_rule,
    trained_pruning,
)
from attncli.tokenizers.merge_training import LearnedMerge, MergeTraining
from attncli.tokenizers.merges import MergeModel
from attncli.tokenizers.pieces import CountedDictionary, Dictionary, LongestMatch, Model, Piece
from attncli.tokenizers.splitting import WordTokenizer
from attncli.tokenizers.unigram_by_counts import CountRound, Removal
from attncli.tokenizers.unigram_by_em import EMRound, EMTraining, Pruning
from attncli.trace import CutPlace, Place, PlannedStep, RoundPlace, Trace
from attncli.trace.quantity import counted


def best_cuts(part: PlannedStep) -> list[Block]:
    """Returns a table of the best cut of each word of the corpus."""
    own, pruning = count_round(part.place), trained_pruning(part.place)
    cuts = [cut.pieces for cut in own.cuts] if own else pruning.cuts if pruning else ()
    return cut_table(part.place, "Its best cut", cuts)


def cut_table(place: Place, how: str, cuts: Iterable[Sequence[str]]) -> list[Block]:
    """Returns a table of the words of the corpus with their cuts; nothing without a tokenizer."""
    if place.text.tokenizing is None:
        return []
    rows: list[Row] = [
        (Word(word.text), Word(" ".join(cut)))
        for word, cut in zip(place.text.tokenizing.words, cuts, strict=True)
    ]
    return [table(("Word", how), rows)]


def estimated(_: Trace, part: PlannedStep) -> list[Block]:
    """Returns all that has been learned, after the last round; nothing before."""
    rounds = count_rounds(part.place)
    if count_round(part.place) is not rounds[-1]:
        return []
    gone = (" ".join(r.token for r in each.removals if r.pruned) for each in rounds[:-1])
    numbers = words(tuple(str(number) for number in range(1, len(rounds))))
    pruned = TextList(below(part.place.stack.path, "pruned"), numbers, words(tuple(gone)))
    return [*vocabulary_of(part.place), pruned]


def vocabulary_of(place: Place) -> list[Block]:
    """Returns the vocabulary that there is in the end; nothing without a tokenizer."""
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
    """Returns the tokens by their IDs, for formats that keep lists."""
    tokens = tuple(tokenizing.tokenizer.vocabulary)
    numbers = words(tuple(map(str, range(len(tokens)))))
    return TextList(below(place.stack.path, "vocabulary"), numbers, words(tokens))


def pruned(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says what was tried and which pieces go, and what is left out of the rounds that follow."""
    own, pruning = count_round(part.place), trained_pruning(part.place)
    if own is not None and isinstance(part.place, RoundPlace):
        gone = Callout((*_gone(trace, part, own.removals), *_enough(own)))
        others = rounds_between(part.place.round, shown_numbers(part.place))
        return [*_scored(trace, part, own), _tried(trace, part, own), gone, *others]
    if pruning is None:
        return []
    return [Callout((_kept(pruning),)), *training_of(part.place)]


def training_of(place: Place) -> list[Block]:
    """Returns the rounds of a training by expectation, and what it came to; nothing of another
    training."""
    learned = place.text.learned_as(EMTraining)
    return [*_rounds(learned), *vocabulary_of(place)] if learned else []


def _scored(trace: Trace, part: PlannedStep, own: CountRound) -> list[Block]:
    """Returns a table of the best cut of each word of the corpus, with its score where that is
    worked."""
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
    """Returns a table of the words as they are cut without each piece, and by how much the loss
    grows."""
    growth = trace.quantities.get(part.place.name("growth"))
    used = {token: k for k, token in enumerate(growth.rows.names)} if growth else {}
    rows: list[Row] = []
    for removal in own.removals:
        cuts = [" ".join(cut.pieces) for _, cut in removal.words]
        more = (
            growth.matrix.number(used[removal.token], 0)
            if growth and removal.token in used
            else None
        )
        rows.append(
            (
                Word(removal.token),
                Word(", ".join(cuts)) if cuts else "in no best cut",
                "" if more is None else plain(more),
                "goes" if removal.pruned else "",
            )
        )
    return table(("Without", "Its words are cut", "Loss grows by", ""), rows, most=MOST_ROWS)


def _equal(removals: Sequence[Removal]) -> list[str]:
    """Lists the pieces that stay and would have cost as little as those that go."""
    worst = max((r.increase for r in removals if r.pruned), default=None)
    return [r.token for r in removals if not r.pruned and r.increase == worst]


def _gone(trace: Trace, part: PlannedStep, removals: Sequence[Removal]) -> Iterator[Span]:
    """Says which pieces go, and which others would have cost as little."""
    gone = [r for r in removals if r.pruned]
    yield from quoted(*(r.token for r in gone))
    verb = agreed(len(gone), "goes", "go")
    yield f" {verb}, {len(gone)} of the {len(removals)} pieces of two or more characters: "
    yield from _why(trace, part, gone)
    if equal := _equal(removals):
        yield from (" The same goes for ", *quoted(*equal), ".")
        rounds = (count_rounds(part.place)[k - 1].removals for k in shown_numbers(part.place))
        if next(filter(_equal, rounds)) == removals:
            yield " Of such pieces the rarest go first, and of equally rare ones those that stand"
            yield " last in the table."


def _enough(own: CountRound) -> Iterator[Span]:
    """Says why fewer pieces go than the share of a round would be; nothing where they don't."""
    if sum(r.pruned for r in own.removals) < own.share:
        gone = sum(r.pruned for r in own.removals)
        yield f" This round may prune {own.share}, but without these {gone} the vocabulary already"
        yield " has the size asked for."


def _why(trace: Trace, part: PlannedStep, gone: Sequence[Removal]) -> Iterator[Span]:
    used = [r.token for r in gone if r.words]
    they = agreed(len(gone), "it", "them")
    if not used:
        yield f"without {they} the loss stays the same."
        return
    growth = trace[part.place.name("growth")]
    rows = [growth.rows.names.index(token) for token in used]
    worst = max(rows, key=lambda row: float(growth.values[row, 0]))
    yield f"without {they} the loss grows least, by "
    yield growth.matrix.number(worst, 0)
    yield agreed(len(gone), ".", " at most.")


def _kept(pruning: Pruning) -> str:
    losses = len(pruning.losses)
    index = len(shown_losses(pruning))
    more = f" The {index} smallest losses are shown." if losses > index else ""
    return (
        f"Of {pruning.size} pieces, {len(pruning.unused)} are in no best cut and go. Of the"
        f" {losses} that can be cut otherwise, the {pruning.kept} with the largest losses"
        f" stay.{more}"
    )


def _rounds(trained: EMTraining) -> list[Block]:
    """Says how many pieces each round of the training had."""
    rows = [_round_row(number, e) for number, e in enumerate(trained.rounds, start=1)]
    return [
        Paragraph(
            (
                "Each round estimates twice how often pieces are expected in all cuts, leaves out"
                " those that are expected less than 0.5 times, and then prunes. At the end,"
                " characters that were left out come back with the least score. If there are more"
                " pieces than there is room for, those of the least score go.",
            )
        ),
        table(("Round", "Pieces", "Expected often enough", "Pruned"), rows),
    ]


def _round_row(number: int, em_round: EMRound) -> Row:
    pruning, gone = em_round.pruning, ""
    if pruning is not None:
        gone = str(len(pruning.unused) + len(pruning.losses) - pruning.kept)
    return str(number), str(em_round.steps[0].before), str(len(em_round.steps[-1].scored)), gone


def way_back(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says all ways to each place, and from the end of a word back to its start, from best to
    best."""
    places = {place.end: place for place in table_of(part.place)}
    end, way = max(places, default=0), list[str]()
    total = trace[part.place.name(f"best[{end}]")].matrix.number(0, 0)
    while end:
        best = places[end].best
        way.append(best.token)
        end = best.start
    back = joined((quoted(token) for token in way), " ← ")
    cut = " ".join(reversed(way))
    return [
        _arrivals(trace, part),
        Callout(
            (
                "Back from the end, each time by the piece with the best total: ", *back,
                ". The best cut is ", *quoted(cut), ", whose log-probability is ", total, ".",
            )
        )
    ]  # fmt: skip


def _arrivals(trace: Trace, part: PlannedStep) -> Table:
    """Returns a table of the pieces that end at each place of a word, where they start, and their
    totals."""
    word = part.place.word if isinstance(part.place, CutPlace) else ""
    rows: list[Row] = []
    for place in table_of(part.place):
        totals = trace[part.place.name(f"totals[{place.end}]")]
        for row, ending in enumerate(place.candidates):
            here = Word(word[: place.end]) if not row else ""
            total = plain(totals.matrix.number(row, 0))
            best = "best" if ending == place.best else ""
            rows.append((here, Word(ending.token), Word(word[: ending.start]), total, best))
    return table(("Up to", "Piece", "After", "Total", ""), rows, most=MOST_ROWS)


_MOST_PAIRS = 10
"""So many of the pairs of a round stand in its table; the lines have more."""


def segmented(part: PlannedStep, *, alone: bool) -> list[Block]:
    """Returns the words of the corpus as they are cut before a round; in a section that is read
    `alone` with their counts and in little room, if they are few."""
    own, tokenizing = round_of(part.place), part.place.text.tokenizing
    if own is None or own.snapshot is None or tokenizing is None:
        return []
    cuts = own.snapshot.words
    if not alone or len(cuts) > MOST_PARTS:
        return cut_table(part.place, "As it is cut before this round", cuts)
    counted = zip(cuts, tokenizing.words, strict=True)
    spans = joined(_counted(symbols, word.count) for symbols, word in counted)
    return [
        Paragraph(("The words as they are cut before this round, with their counts: ", *spans, "."))
    ]


def _counted(symbols: Sequence[str], count: int) -> Spans:
    """Writes a word's symbols and its count, on one line: `u n (4)`."""
    together = joined(((Word(symbol),) for symbol in symbols), GLUE)
    return (*together, f"{GLUE}({count})")


def pairs_as_met(part: PlannedStep) -> list[str]:
    """Lists the pairs of neighbours of a round, from the first word on."""
    own = round_of(part.place)
    cuts = own.snapshot.words if own is not None and own.snapshot is not None else ()
    return [*dict.fromkeys(" ".join(pair) for symbols in cuts for pair in pairwise(symbols))]


def goes_on(part: PlannedStep) -> bool:
    """Tells whether the round before a round is told as well."""
    own = round_of(part.place)
    return own is not None and own.number - 1 in shown_rounds(part.place)


def chosen(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says which pair is merged and why; after the last round what has been learned."""
    own, learned = round_of(part.place), part.place.text.learned_as(MergeTraining)
    if own is None or learned is None:
        return []
    numbers = shown_rounds(part.place)
    return [
        _pairs(trace, part, own),
        Callout(tuple(_choice(trace, part, learned, own))),
        *_cut_now(part, own),
        *rounds_between(own.number, numbers),
        *(
            [*merges(trace, learned, part), *vocabulary_of(part.place)]
            if own.number == numbers[-1]
            else ()
        ),
    ]


def worked_pair(trace: Trace, part: PlannedStep) -> list[Block]:
    """Works the pair that a round merges: its count, those of its parts, its score."""
    own = round_of(part.place)
    if own is None or own.snapshot is None:
        return []
    pair = " ".join(own.pair)
    symbols = (("symbols", text) for text in dict.fromkeys(own.pair))
    rows = (("counts", pair), *symbols, ("scores", pair))
    numbers = ((trace.quantities.get(part.place.name(of)), row) for of, row in rows)
    lines = [cell_line(trace, of, of.rows.names.index(row), 0) for of, row in numbers if of]
    return [Derivation(tuple(lines))]


def _pairs(trace: Trace, part: PlannedStep, own: LearnedMerge) -> Table:
    """Returns a table of the pairs that were looked at, the largest first: how often each occurs,
    and where it goes by likelihood, how often its parts do and its score."""
    counts, symbols, scores = (
        trace.quantities.get(part.place.name(local)) for local in ("counts", "symbols", "scores")
    )
    pairs = [*own.snapshot.pairs] if own.snapshot else []
    rows: list[Row] = []
    for k, pair in enumerate(pairs[:_MOST_PAIRS]):
        parts = [symbols.rows.names.index(text) for text in pair] if symbols else []
        numbers = [(counts, k), *((symbols, row) for row in parts), (scores, k)]
        shown = (plain(of.matrix.number(row, 0)) for of, row in numbers if of is not None)
        rows.append((Word(" ".join(pair)), *shown, "merged" if pair == own.pair else ""))
    if len(pairs) > len(rows):
        rows.append((Omitted(),) * len(rows[0]))
    more = ("Left part", "Right part", "Score") if scores else ()
    return Table(("Pair", "Count", *more, ""), tuple(rows))


def _cut_now(part: PlannedStep, own: LearnedMerge) -> list[Block]:
    """Returns a table of the words of the corpus as they are cut after a round."""
    words = own.snapshot.words if own.snapshot else ()
    after = [_merged(symbols, own) for symbols in words]
    return cut_table(part.place, "As it is cut now", after)


def _merged(symbols: Sequence[str], own: LearnedMerge) -> list[str]:
    """Merges the pair in a word's symbols, wherever it stands, from the left."""
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
    yield from (*quoted(pair), " has the largest score (" if by_score else " occurs most often (")
    yield from (number, "): it becomes the piece ", *quoted(own.piece), _grown(learned, own))
    if own.ties:
        more: list[Spans] = [(f"{n} more",)] if (n := own.ties - len(own.tied)) > 0 else []
        others = spans_enumerated([*(quoted(" ".join(pair)) for pair in own.tied), *more])
        verb = agreed(own.ties, "has", "have")
        yield from (" ", *others, f" {verb} the same {'score' if by_score else 'count'}")
        first = next(k for k in shown_rounds(part.place) if learned.rounds[k - 1].ties)
        if own.number == first:
            yield f". Among such pairs the one {tie_rule(learned)}"
        yield "."
    left_out = own.snapshot.left_out if own.snapshot else 0
    if left_out:
        yield f" {left_out} more pairs come after those of the table."


def _grown(learned: MergeTraining, own: LearnedMerge) -> str:
    """Says what a merge did to the vocabulary."""
    after = len(learned.vocabulary) - sum(
        merge.new for merge in learned.rounds if merge.number > own.number
    )
    if not own.new:
        return f", which was there before. The vocabulary still has {after} tokens."
    return f", and the vocabulary grows from {after - own.new} to {after} tokens."


def merges(trace: Trace, learned: MergeTraining, part: PlannedStep) -> list[Block]:
    """Returns all merges, as a table and as lists."""
    pairs = tuple(" ".join(pair) for pair in learned.merges)
    scores = scores_of_merged(trace)
    merges: list[Row] = [
        (
            str(merge.number),
            Word(pair),
            str(merge.count),
            *((scores.get(merge.number, ""),) if scores else ()),
            Word(merge.piece),
        )
        for merge, pair in zip(learned.rounds, pairs, strict=True)
    ]
    numbers = tuple(str(merge.number) for merge in learned.rounds)
    headings = ("Round", "Pair", "Count", *(("Score",) if scores else ()), "Piece")
    return [
        Subheading(("The merges",)),
        table(headings, merges, most=MOST_ROWS),
        *(
            TextList(below(part.place.stack.path, name), words(numbers), words(values))
            for name, values in (
                ("merges", pairs),
                ("merge_counts", tuple(str(merge.count) for merge in learned.rounds)),
                ("merge_pieces", tuple(merge.piece for merge in learned.rounds)),
            )
        ),
    ]


def scores_of_merged(trace: Trace) -> dict[int, str]:
    """Finds the score of the pair that each round merged, where pairs go by one and it was
    worked."""
    found: dict[int, str] = {}
    for part in trace.story:
        own, scores = round_of(part.place), trace.quantities.get(part.place.name("scores"))
        if own is not None and scores is not None:
            place = scores.rows.names.index(" ".join(own.pair))
            found[own.number] = plain(scores.matrix.number(place, 0))
    return found


def merges_beside(traces: Mapping[str, Trace]) -> Table:
    """Returns a table of the pairs that several tokenizers merge on one corpus, round by round,
    each with its count and, where pairs go by one, its score."""
    columns: list[tuple[str, dict[int, Word | str]]] = []
    for name, trace in traces.items():
        learned, scores = trace.scenario.text.learned_as(MergeTraining), scores_of_merged(trace)
        rounds = learned.rounds if learned else ()
        columns.append((name, {r.number: Word(" ".join(r.pair)) for r in rounds}))
        columns.append(("Count", {r.number: str(r.count) for r in rounds}))
        columns += [("Score", {**scores})] if scores else []
    last = max((max(column, default=0) for _, column in columns), default=0)
    rows = [(str(k), *(column.get(k, "") for _, column in columns)) for k in range(1, last + 1)]
    return table(("Round", *(name for name, _ in columns)), rows, most=MOST_ROWS)


def _cuts_later(part: PlannedStep) -> bool:
    """Tells whether the best cuts of words stand with their scores, at the end of a step."""
    own = count_round(part.place)
    return part.step == "prune" and own is not None and bool(own.removals)


def cuts_of(part: PlannedStep, *, alone: bool) -> list[Block]:
    """Returns how words are cut at a step, or before it, where it goes by that. Unless a section is
    read `alone`, a round doesn't say again how the one before it left them."""
    if not alone and (goes_on(part) or _cuts_later(part)):
        return []
    if part.step == "learn":
        return segmented(part, alone=alone)
    tell = {"tokenize": _cutting, "prune": best_cuts}.get(part.step)
    return [] if tell is None else tell(part)


def dictionary_of(_: Trace, part: PlannedStep) -> list[Block]:
    """Returns the words with their counts and IDs, and those below the cut; nothing where no
    dictionary was counted."""
    text = part.place.text
    tokenizing, dictionary = text.tokenizing, text.learned_as(CountedDictionary)
    if tokenizing is None or dictionary is None:
        return []
    vocabulary = tokenizing.tokenizer.vocabulary
    counts = {word.text: str(word.count) for word in dictionary.kept}
    rows: list[Row] = [
        (Word(token), counts.get(token, "special"), str(number))
        for token, number in vocabulary.items()
    ]
    rows += [(Word(word.text), str(word.count), "below the cut") for word in dictionary.dropped]
    whole = table(("Word", "Count", "ID"), rows, most=MOST_ROWS)
    tied = [word.text for word in dictionary.tied]
    why = " occur as often. Of these the first in the corpus are kept."
    notes = [Callout((*quoted(*tied), why))] if tied else []
    return [whole, ids_of(part.place, tokenizing), *notes, *_below_the_cut(text)]


def _below_the_cut(text: TokenizedText) -> list[Block]:
    """Says what becomes of the words of the sentence that the dictionary doesn't have."""
    if text.tokenizing is None or text.sentence is None or not text.cut:
        return []
    pieces = text.tokenizing.tokenizer.encode(text.sentence)
    lost = dict.fromkeys(piece.surface for piece in pieces if piece.token != piece.surface)
    unknown = text.tokenizing.tokenizer.unknown
    if not lost or unknown is None:
        return []
    where = "dictionary" if text.tokenizing.learned else "vocabulary"
    each = agreed(len(lost), "It", "Each")
    entries = (
        f"Not in the {where}: ",
        *quoted(*lost),
        f". {each} becomes ",
        *quoted(unknown),
        ".",
    )
    return [Callout(entries)]


def learned_at(trace: Trace, part: PlannedStep) -> list[Block]:
    """Returns what a training came to, at its last round: the merges, or the vocabulary; else
    nothing."""
    own, learned = round_of(part.place), part.place.text.learned_as(MergeTraining)
    if own is not None and learned is not None and part.step == "learn":
        return merges(trace, learned, part) if own is learned.rounds[-1] else []
    rounds = count_rounds(part.place)
    is_last = bool(rounds) and count_round(part.place) is rounds[-1]
    return vocabulary_of(part.place) if part.step == "estimate" and is_last else []


def _cutting(part: PlannedStep) -> list[Block]:
    """Says how each word of a sentence is cut into pieces; and what a training came to, if nothing
    was told of it."""
    place = part.place
    blocks = [] if trained_pruning(place) else training_of(place)
    learned = place.text.learned_as(MergeTraining)
    if learned and not learned.rounds:
        blocks = vocabulary_of(place)
    return [*blocks, *_cut(place.text)]


def _cut(text: TokenizedText) -> list[Block]:
    tokenizing = text.tokenizing
    if tokenizing is None or text.sentence is None or not text.cut:
        return []
    if isinstance(tokenizing.tokenizer.model, Dictionary):
        return [] if tokenizing.learned else _below_the_cut(text)
    model = tokenizing.tokenizer.model
    rows = [
        row for word in tokenizing.tokenizer.words(text.sentence) for row in _word_rows(word, model)
    ]
    entries = {MergeModel: ("Merge", "Pieces"), LongestMatch: ("Tried", "Result")}
    headings = ("Word", *entries.get(type(model), ("Pieces",)))
    whole = [table(headings, rows, most=MOST_ROWS)] if rows else []
    return [*_taken_out(text.sentence, tokenizing), *whole, _decoded(text.sentence, tokenizing)]


def _taken_out(sentence: str, tokenizing: Tokenizing) -> list[Block]:
    """Says which tokens of a sentence are none of the model's pieces."""
    added = tokenizing.tokenizer.added_in(sentence)
    why = ": added to the vocabulary as whole tokens, and removed from the text before it is cut."
    return [Callout((*quoted(*added), why))] if added else []


def _decoded(sentence: str, tokenizing: Tokenizing) -> Callout:
    """Says what the tokens read when they are put together again."""
    tokenizer = tokenizing.tokenizer
    pieces = tokenizer.encode(sentence)
    text = tokenizer.decode(pieces)
    lost = "This is the original sentence."
    if text != sentence:
        lost = f"That is not quite the sentence: {_why_not(sentence, text, pieces, tokenizer)}."
    return Callout(("Put together again, the tokens read “", Word(text), f"”. {lost}"))


def _why_not(sentence: str, text: str, pieces: Sequence[Piece], tokenizer: WordTokenizer) -> str:
    """Says why tokens don't give their sentence back."""
    if any(piece.token == tokenizer.unknown for piece in pieces):
        return "what is unknown is lost"
    if text == unicodedata.normalize("NFKC", sentence):
        return "it is in its normal form"
    if text.split() == sentence.split() or text == "".join(sentence.split()):
        return "white space is lost"
    if tokenizer.pre_tokenizer.split(text) == tokenizer.pre_tokenizer.split(sentence):
        return "it is written as the tokenizer writes a text first"
    return "what looks like a mark of a piece, or of a space, is taken for one"


def _word_rows(word: str, model: Model) -> Iterator[Row]:
    """Yields how a word is cut, in as many rows as that takes."""
    pieces = Word(" ".join(piece.token for piece in model.pieces(word)))
    if len(word) > LONGEST_TOLD:
        yield Word(word), "", pieces
    elif isinstance(model, MergeModel):
        for step in model.trace(word):
            symbols = Word(" ".join(step.symbols))
            yield (
                ("", Word(" ".join(step.pair)), symbols) if step.pair else (Word(word), "", symbols)
            )
    elif isinstance(model, LongestMatch):
        for k, lookup in enumerate(model.trace(word)):
            text = "found" if lookup.found else "not there"
            yield "" if k else Word(word), Word(lookup.candidate), text
        yield "", "", pieces
    else:
        yield Word(word), pieces


ENDINGS: Mapping[str, Callable[[Trace, PlannedStep], list[Block]]] = {
    "dictionary": dictionary_of,
    "learn": chosen,
    "estimate": estimated,
    "prune": pruned,
    "viterbi": way_back,
}
"""What is told of a step besides its numbers, by its name."""

IN_TABLES: Mapping[str, tuple[str, ...]] = {
    "learn": ("counts", "symbols", "scores"),
    "prune": ("cut_scores", "growth"),
    "viterbi": ("totals", "best"),
}
"""The quantities of a step whose numbers stand in tables of its ending, by local names."""


def side_by_side(trace: Trace) -> list[Block]:
    """Returns the tokens of a scenario and its variants, where these cut their sentences in other
    ways."""
    texts = {trace.scenario.text.tokenizer: trace.scenario.text}
    texts |= {name: other.scenario.text for name, other in trace.variants.items()}
    if len({text.tokens for text in texts.values()}) == 1:
        return []
    whole = cuts_beside({name: text.tokens for name, text in texts.items()})
    others = [(name, text) for name, text in texts.items() if text is not trace.scenario.text]
    lists = [
        TextList(f"variants.{name}.tokens", words(counted(len(t.tokens))), words(t.tokens))
        for name, t in others
    ]
    return [Subheading(("Side by side",)), *_ways(texts), whole, *lists]


def cuts_beside(cuts: Mapping[str, Sequence[str]]) -> DefinitionList:
    """Returns how a sentence is cut in several ways, a line for each, with the number of its
    tokens."""
    return DefinitionList(tuple((name, _with_bars(tokens)) for name, tokens in cuts.items()))


def _with_bars(tokens: Sequence[str]) -> Spans:
    """Writes tokens with bars between them, behind which a line may end, and how many they are:
    `This|is|a (3 tokens)`."""
    spans: list[Span] = []
    for k, token in enumerate(tokens):
        spans += [*(["|"] if k else []), Word(token)]
    return *spans, f" ({len(tokens)} {agreed(len(tokens), 'token', 'tokens')})"


def _ways(texts: Mapping[str, TokenizedText]) -> list[Block]:
    """Says how each of the ways cuts a sentence, where they differ in that."""
    ways = {name: tokenizer_kind(text.tokenizer).explained for name, text in texts.items()}
    if len({*ways.values()}) == 1:
        return []
    return [
        Bullets(tuple((Word(name), f": {way[0].lower()}{way[1:]}.") for name, way in ways.items()))
    ]
