"""How a tokenizer is learned, round by round, and how it cuts words into pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

from attncli.document import Block, Bullets, Note, Subheading, TextList
from attncli.scenario.model import TokenizedText, Tokenizing
from attncli.scenario.tokenizers import tokenizer_kind
from attncli.steps.tokenizers.pieces import (
    LONGEST_TOLD,
    count_round,
    count_rounds,
    round_of,
    trained_pruning,
)
from attncli.telling.merges import chosen, goes_on, merges, segmented
from attncli.telling.sentences import enumerated
from attncli.telling.tables import MOST_ROWS, Row, table
from attncli.telling.unigrams import (
    best_cuts,
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
from attncli.tokenizing.merge_training import MergeTraining
from attncli.tokenizing.pieces import Model, Piece
from attncli.tokenizing.tokenizer import WordTokenizer
from attncli.trace import PlannedStep, Trace
from attncli.trace.quantity import counted
from attncli.word import Word, words


def _cuts_later(part: PlannedStep) -> bool:
    """Whether the best cuts of words stand with their scores, at the end of a step."""
    own = count_round(part.place)
    return part.step == "prune" and own is not None and bool(own.removals)


def cuts_of(part: PlannedStep, *, alone: bool) -> list[Block]:
    """How words are cut at a step, or before it, where it goes by that; unless a section is read
    `alone`, a round doesn't say again how the one before it left them."""
    if not alone and (goes_on(part) or _cuts_later(part)):
        return []
    if part.step == "learn":
        return segmented(part, alone=alone)
    tell = {"tokenize": _cutting, "prune": best_cuts}.get(part.step)
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
    tied = enumerated([word.text for word in dictionary.tied])
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
    each = "Each" if len(lost) > 1 else "It"
    told = (
        f"Not in the {where}: ",
        Word(enumerated([*lost])),
        f". {each} becomes ",
        Word(unknown),
        ".",
    )
    return [Note(told)]


def learned_at(trace: Trace, part: PlannedStep) -> list[Block]:
    """What a training came to, at its last round: the merges, or the vocabulary."""
    own, learned = round_of(part.place), part.place.text.learned_as(MergeTraining)
    if own is not None and learned is not None and part.step == "learn":
        return merges(trace, learned, part) if own is learned.rounds[-1] else []
    rounds = count_rounds(part.place)
    is_last = bool(rounds) and count_round(part.place) is rounds[-1]
    return vocabulary_of(part.place) if part.step == "estimate" and is_last else []


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
    return [*_taken_out(text.sentence, tokenizing), *whole, _decoded(text.sentence, tokenizing)]


def _taken_out(sentence: str, tokenizing: Tokenizing) -> list[Block]:
    """Which tokens of a sentence are none of the model's pieces."""
    added = tokenizing.tokenizer.added_in(sentence)
    why = ": added to the vocabulary as whole tokens, and taken out of the text before it is cut."
    return [Note((Word(", ".join(added)), why))] if added else []


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
        for k, one in enumerate(model.trace(word)):
            said = "found" if one.found else "not there"
            yield "" if k else Word(word), Word(one.candidate), said
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
    counts: Row = ("in all", *(str(len(text.tokens)) for text in texts.values()))
    whole = table(("Position", *map(Word, texts)), [*rows, counts], most=_MOST_POSITIONS)
    others = [(name, text) for name, text in texts.items() if text is not trace.scenario.text]
    lists = [
        TextList(f"variants.{name}.tokens", words(counted(len(t.tokens))), words(t.tokens))
        for name, t in others
    ]
    return [Subheading(("Side by side",)), *_ways(texts), whole, *lists]


def _ways(texts: Mapping[str, TokenizedText]) -> list[Block]:
    """How each of the ways cuts a sentence, where they differ in that."""
    ways = {name: tokenizer_kind(text.tokenizer).explained for name, text in texts.items()}
    if len({*ways.values()}) == 1:
        return []
    return [
        Bullets(tuple((Word(name), f": {way[0].lower()}{way[1:]}.") for name, way in ways.items()))
    ]


_MOST_POSITIONS = 100
