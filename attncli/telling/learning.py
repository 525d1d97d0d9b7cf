"""How a tokenizer is learned, round by round, and how it cuts words into pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

from attncli.arithmetic.elision import MOST_ROWS_OF_A_LIST, elided
from attncli.document import Block, Note, Prose, Span, Subheading, TextList
from attncli.name import below
from attncli.scenario.model import TokenizedText, Tokenizing
from attncli.steps.learn import round_of, told_rounds
from attncli.steps.prune import trained_pruning
from attncli.steps.viterbi import LONGEST_TOLD
from attncli.telling.contrast import contrasted
from attncli.telling.tables import MOST_ROWS, Row, rounds_between, table
from attncli.telling.unigrams import (
    best_cuts,
    cut_table,
    estimated,
    ids_of,
    pruned,
    training_of,
    vocabulary_of,
    way_back,
)
from attncli.tokenizing.dictionary import CountedDictionary, Dictionary
from attncli.tokenizing.longest_match import LongestMatch
from attncli.tokenizing.merge_model import MergeModel
from attncli.tokenizing.merge_training import LearnedMerge, MergeTraining
from attncli.tokenizing.pieces import Model, Piece
from attncli.tokenizing.tokenizer import WordTokenizer
from attncli.trace import PlannedStep, Trace
from attncli.trace.quantity import counted
from attncli.word import Word, words


def _segmented(part: PlannedStep) -> list[Block]:
    """The words of the corpus as they are cut before a round."""
    own = round_of(part.place)
    if own is None or own.snapshot is None:
        return []
    return cut_table(part.place, "As it is cut before this round", own.snapshot.words)


def cuts_of(part: PlannedStep) -> list[Block]:
    """How words are cut at a step, or before it, where it goes by that."""
    tell = {"tokenize": _cutting, "learn": _segmented, "prune": best_cuts}.get(part.step)
    return [] if tell is None else tell(part)


def dictionary_of(_: Trace, part: PlannedStep) -> list[Block]:
    """The words with their counts and IDs, and those below the cut."""
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
    tied = ", ".join(word.text for word in dictionary.tied)
    why = " occur as often; of these the first in the corpus are kept."
    notes = [Note((Word(tied), why))] if tied else []
    return [whole, ids_of(part.place, tokenizing), *notes, *_below_the_cut(text)]


def _below_the_cut(text: TokenizedText) -> list[Block]:
    """What becomes of the words of the sentence that the dictionary doesn't have."""
    if text.tokenizing is None or text.sentence is None or not text.cut:
        return []
    pieces = text.tokenizing.tokenizer.encode(text.sentence)
    lost = dict.fromkeys(piece.surface for piece in pieces if piece.token != piece.surface)
    unknown = text.tokenizing.tokenizer.unknown
    if not lost or unknown is None:
        return []
    where = "dictionary" if text.tokenizing.learned else "vocabulary"
    verb = f"isn't in the {where}, and becomes "
    if len(lost) > 1:
        verb = f"aren't in the {where}; each becomes "
    return [Note((Word(", ".join(lost)), f" {verb}", Word(unknown), "."))]


def chosen(trace: Trace, part: PlannedStep) -> list[Block]:
    """Which pair is merged and why; after the last round what has been learned."""
    own, learned = round_of(part.place), part.place.text.learned_as(MergeTraining)
    if own is None or learned is None:
        return []
    numbers = told_rounds(part.place)
    return [
        Note(tuple(_choice(trace, part, learned, own))),
        _so_far(learned, own),
        *rounds_between(own.number, numbers),
        *(_learned(learned, part) if own.number == numbers[-1] else ()),
    ]


def _so_far(learned: MergeTraining, own: LearnedMerge) -> Prose:
    """The vocabulary after a round."""
    tokens = list(learned.vocabulary)[: _size_after(learned, own)]
    shown = elided(len(tokens), MOST_ROWS_OF_A_LIST)
    told = " ".join("…" if k is None else tokens[k] for k in shown)
    return Prose(("The vocabulary so far: ", Word(told)))


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
        others = ", ".join(" ".join(one) for one in own.tied)
        more = f" and {own.ties - len(own.tied)} more" if own.ties > len(own.tied) else ""
        yield from (" As good is " if own.ties == 1 else " As good are ", Word(others), more)
        yield f"; of pairs that are as good the one is taken {_tie_rule(learned, by_score)}."
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


def _tie_rule(learned: MergeTraining, by_score: bool) -> str:
    """Which of equal pairs is merged."""
    if learned.first:
        return "that is met first, from the first word on"
    by_id = "whose left part comes first in the vocabulary, then by its right part"
    return f"that occurs most often, then the one {by_id}" if by_score else by_id


def _learned(learned: MergeTraining, part: PlannedStep) -> list[Block]:
    """All merges, and the vocabulary."""
    pairs = tuple(" ".join(pair) for pair in learned.merges)
    merges: list[Row] = [
        (str(one.number), Word(pair), str(one.count), Word(one.piece))
        for one, pair in zip(learned.rounds, pairs, strict=True)
    ]
    numbers = tuple(str(one.number) for one in learned.rounds)
    return [
        Subheading(("The merges",)),
        table(("Round", "Pair", "Count", "Piece"), merges, most=MOST_ROWS),
        *(
            TextList(below(part.place.stack.path, name), words(numbers), words(values))
            for name, values in (
                ("merges", pairs),
                ("merge_counts", tuple(str(one.count) for one in learned.rounds)),
                ("merge_pieces", tuple(one.piece for one in learned.rounds)),
            )
        ),
        *vocabulary_of(part.place),
    ]


def _cutting(part: PlannedStep) -> list[Block]:
    """How each word of a sentence is cut into pieces; and what a training came to, if nothing was
    told of it."""
    place = part.place
    told = [] if trained_pruning(place) else training_of(place)
    learned = place.text.learned_as(MergeTraining)
    if learned and not learned.rounds:
        told = vocabulary_of(place)
    return [*told, *_cut(place.text)]


def _cut(text: TokenizedText) -> list[Block]:
    tokenizing = text.tokenizing
    if tokenizing is None or text.sentence is None or not text.cut:
        return []
    if isinstance(tokenizing.tokenizer.model, Dictionary):
        return [] if tokenizing.learned else _below_the_cut(text)
    model = tokenizing.tokenizer.model
    rows = [row for word in tokenizing.tokenizer.words(text.sentence) for row in _row(word, model)]
    told = {MergeModel: ("Merge",), LongestMatch: ("Tried",)}.get(type(model), ())
    whole = [table(("Word", *told, "Pieces"), rows, most=MOST_ROWS)] if rows else []
    return [*whole, _decoded(text.sentence, tokenizing)]


def _decoded(sentence: str, tokenizing: Tokenizing) -> Note:
    """What the tokens come to when they are put together again."""
    tokenizer = tokenizing.tokenizer
    pieces = tokenizer.encode(sentence)
    text = tokenizer.decode(pieces)
    lost = "That is the sentence as it was."
    if text != sentence:
        lost = f"That is not quite the sentence: {_why_not(sentence, text, pieces, tokenizer)}."
    return Note(("Put together again, the tokens read “", Word(text), f"”. {lost}"))


def _why_not(sentence: str, text: str, pieces: Sequence[Piece], tokenizer: WordTokenizer) -> str:
    """Why tokens don't come to the sentence that they are of."""
    if any(piece.token == tokenizer.unknown for piece in pieces):
        return "what is unknown is lost"
    if text == unicodedata.normalize("NFKC", sentence):
        return "it is in its normal form"
    if text.split() == sentence.split() or text == "".join(sentence.split()):
        return "white space is lost"
    if tokenizer.pre_tokenizer.split(text) == tokenizer.pre_tokenizer.split(sentence):
        return "it is written as the tokenizer writes a text first"
    return "what looks like a mark of a piece, or of a space, is taken for one"


def _row(word: str, model: Model) -> Iterator[Row]:
    """How a word is cut, in as many rows as that takes."""
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
        yield Word(word), "", pieces
        for one in model.trace(word):
            yield "", Word(one.candidate), "found" if one.found else "not there"
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
    "viterbi": ("totals", "best"),
}
"""The quantities of a step whose numbers stand in tables of its ending, by local names."""


def side_by_side(trace: Trace) -> list[Block]:
    """The tokens of a scenario and its variants, where these cut their sentences in other ways."""
    texts = {trace.scenario.text.tokenizer: trace.scenario.text}
    texts |= {name: other.scenario.text for name, other in trace.variants.items()}
    if len({text.tokens for text in texts.values()}) == 1:
        return []
    longest = max(len(text.tokens) for text in texts.values())
    rows: list[Row] = [
        (str(k + 1), *(Word("".join(text.tokens[k : k + 1])) for text in texts.values()))
        for k in range(longest)
    ]
    counts: Row = ("all", *(str(len(text.tokens)) for text in texts.values()))
    whole = table(("Position", *map(Word, texts)), [*rows, counts], most=_MOST_POSITIONS)
    others = [(name, text) for name, text in texts.items() if text is not trace.scenario.text]
    lists = [
        TextList(f"variants.{name}.tokens", words(counted(len(t.tokens))), words(t.tokens))
        for name, t in others
    ]
    return [Subheading(("Side by side",)), whole, *lists]


_MOST_POSITIONS = 100
