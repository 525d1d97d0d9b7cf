"""The steps of tokenizers: learning a vocabulary, and cutting a word.

* learn: one round of learning pieces: counting pairs of neighbours, and merging one of them.
  Byte-pair encoding: Sennrich et al. 2016, arXiv:1508.07909. WordPiece, with the score by which
  it is mostly taught: Schuster & Nakajima 2012; Wu et al. 2016, arXiv:1609.08144.
* dictionary: the words of a corpus that are frequent enough, each with an ID.
* estimate: how probable each piece of a word is taken to be. Kudo 2018, arXiv:1804.10959; the
  counts are those of the substrings, as it is mostly taught.
* prune: which pieces a vocabulary can best do without. Kudo 2018, arXiv:1804.10959. Pieces that
  were counted are tried one by one; of those that are expected in all cuts the loss is estimated,
  as Hugging Face's `tokenizers` does.
* viterbi: the most probable cut of a word, place by place. Viterbi 1967; for pieces of words Kudo
  2018, arXiv:1804.10959.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from attncli.errors import counted
from attncli.maths.equations.tree import Apply, Equation, Sum, Symbol, at, define
from attncli.maths.notation import plain
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.rearranging import Listed
from attncli.maths.operations.softmax import AddedUp, ShareItself
from attncli.maths.operations.subwords import (
    Arrivals,
    BelowTheLeast,
    CorpusLoss,
    CountInWords,
    CutScores,
    LargestOf,
    Least,
    LogShare,
    LossWithout,
    PairScore,
    PruningLoss,
    Share,
)
from attncli.names import Name, Word, WordedText, below
from attncli.steps.mistakes import by, instead, remade, swap, wrong
from attncli.steps.step import (
    Chosen,
    Example,
    Formulas,
    Inquiry,
    Misreading,
    Mistake,
    Results,
    Step,
    Wording,
    WordsAsked,
    in_no_order,
    largest,
)
from attncli.tokenizers.merge_training import (
    FEW_ROUNDS,
    FIRST_ROUNDS,
    LearnedMerge,
    MergeTraining,
    Ties,
    rank_of_piece,
)
from attncli.tokenizers.pieces import CountedDictionary, Occurrences, TokenPair, occurrences
from attncli.tokenizers.unigram import UNKNOWN_PENALTY, Unigram, WordPlace, substrings
from attncli.tokenizers.unigram_by_counts import CountRound, CountTraining
from attncli.tokenizers.unigram_by_em import EMTraining, PieceLoss, Pruning
from attncli.trace import Axis, CutPlace, Definition, Place, RoundPlace, Trace
from attncli.trace.quantity import distinct_tokens


def worked_rounds(place: Place) -> list[int]:
    """Returns the rounds, from 1, whose counts are worked: all where that isn't too much."""
    learned = place.text.learned_as(MergeTraining)
    return (
        [merge.number for merge in learned.rounds if merge.snapshot is not None] if learned else []
    )


def shown_rounds(place: Place) -> list[int]:
    """Returns the rounds that the page tells: all where they are few, else the first three and the
    last."""
    worked = worked_rounds(place)
    few = not worked or worked[-1] == len(worked) <= FEW_ROUNDS
    return worked if few else [*worked[:FIRST_ROUNDS], worked[-1]]


def round_of(place: Place) -> LearnedMerge | None:
    """Returns the round of merging that a step is at, or None where there is none."""
    learned = place.text.learned_as(MergeTraining)
    return learned.rounds[place.round - 1] if learned and isinstance(place, RoundPlace) else None


def counts_of_words(place: Place) -> Name:
    """Returns the full name of how often each word of the corpus occurs."""
    return below(place.stack.path, "word_counts")


def count_in_words(
    place: Place, name: str, rows: Axis, where: tuple[Occurrences, ...]
) -> Definition:
    """Defines how often things occur in the corpus, by where they stand in its words."""
    operands = (counts_of_words(place),)
    return Definition(place.name(name), CountInWords(where), operands, rows=rows)


_ONCE = remade(lambda counted, _: replace(counted, weighted=False))
"""The change to counting once in each word, however often that occurs."""


def _overlapping_once(place: RoundPlace) -> Definition | None:
    """Defines the counts of pairs as they can be merged, where aaa holds a + a once; returns None
    where no pair overlaps itself."""
    own = round_of(place)
    if own is None or own.snapshot is None:
        return None
    pairs = own.snapshot.pairs
    apart = occurrences(pairs, map(_apart, own.snapshot.words))
    rows = Axis(tuple(" ".join(pair) for pair in pairs), "pair")
    counts = count_in_words(place, "counts", rows, apart)
    return None if apart == tuple(pairs.values()) else counts


def _apart(word: Sequence[str]) -> Iterator[TokenPair]:
    """Yields the pairs of a word, of those that overlap each other only the first, the third, …"""
    overlaps = False
    for before, pair in zip((None, *pairwise(word)), pairwise(word), strict=False):
        overlaps = pair == before and not overlaps
        if not overlaps:
            yield pair


def _is_by_likelihood(place: RoundPlace) -> bool:
    learned = place.text.learned_as(MergeTraining)
    return learned is not None and learned.score == "likelihood"


def _plan_learn(place: RoundPlace) -> tuple[Definition, ...]:
    own = round_of(place)
    if own is None or own.snapshot is None:
        return ()
    pairs = own.snapshot.pairs
    rows = Axis(tuple(" ".join(pair) for pair in pairs), "pair")
    counts = count_in_words(place, "counts", rows, tuple(pairs.values()))
    if not _is_by_likelihood(place):
        return (counts,)
    # the parts of the pairs, in the order in which they first come
    symbols = tuple(dict.fromkeys(symbol for pair in pairs for symbol in pair))
    where = occurrences(symbols, own.snapshot.words)
    held = count_in_words(place, "symbols", Axis(symbols, "symbol"), where)
    parts = tuple((symbols.index(left), symbols.index(right)) for left, right in pairs)
    operands = (counts.name, held.name)
    return counts, held, Definition(place.name("scores"), PairScore(parts), operands)


def _happens(place: RoundPlace) -> str:
    counted = "In the words as cut so far, each pair of neighbours is counted"
    if _is_by_likelihood(place):
        return (
            f"{counted}. Its score is that count divided by the product of its parts' counts, so"
            " that parts that are seldom seen apart come first."
        )
    return f"{counted}, once for each time that its word occurs. The most frequent pair is merged."


_MOST_LISTED = 5
"""How many pairs there are to choose from."""
_MOST_TOKENS = 60
"""How many tokens of a vocabulary are listed at most."""


_OTHER_RULE = "Among equally good pairs, one was taken by another rule than the stated one."
_BY_COUNT = "The pair with the largest count was taken, not that with the largest score."
Ranks = list[tuple[float, ...]]


def _merged(place: RoundPlace, trace: Trace) -> tuple[WordsAsked, ...]:
    """Asks which pair is merged."""
    own, learned = round_of(place), place.text.learned_as(MergeTraining)
    if own is None or own.snapshot is None or learned is None:
        return ()
    pairs, counts = [*own.snapshot.pairs], trace[place.name("counts")].values
    order = in_no_order(len(pairs), counts)
    other: Ties = "ids" if learned.ties != "ids" else "first"
    ranks, others = (
        _ranks(pairs, own.snapshot.words, t, counts[:, 0])
        for t in (learned, learned._replace(ties=other))
    )
    best = order.index(0)  # the pairs are in the order in which they would be merged

    def picked(low: Array, high: Array, ranks: Ranks = ranks) -> Chosen:
        ends = (low[:, 0], high[:, 0])
        chosen = (min(largest(end, end), key=ranks.__getitem__) for end in ends)
        return frozenset(order.index(k) for k in chosen)

    misread = [
        Misreading("other_tie_rule", _OTHER_RULE, lambda low, high: picked(low, high, others))
    ]
    if learned.score == "likelihood":
        by_count = Misreading("count_for_score", _BY_COUNT, lambda *_: picked(counts, counts))
        misread.append(by_count)
    listed = tuple(k for k, pair in enumerate(order) if pair < _MOST_LISTED)
    assert best in listed
    says = f"Which pair is merged in round {place.round}?"
    options = tuple(" ".join(pairs[k]) for k in order)
    return (WordsAsked(None, (says,), options, picked, listed, misread=tuple(misread)),)


def _ranks(
    pairs: Sequence[TokenPair],
    words: Sequence[Sequence[str]],
    learned: MergeTraining,
    counts: Array,
) -> Ranks:
    """Returns what decides between pairs that are as good: the pair with the smaller rank comes
    first."""
    if learned.ties == "first":
        met = list(dict.fromkeys(pair for word in words for pair in pairwise(word)))
        return [(float(met.index(pair)),) for pair in pairs]
    if learned.ties == "shortest":
        return [rank_of_piece(learned.marks.merged(*pair)) for pair in pairs]
    ids = [tuple(float(learned.vocabulary[part]) for part in pair) for pair in pairs]
    if learned.score == "likelihood":
        return [(-float(count), *own) for count, own in zip(counts, ids, strict=True)]
    return ids


def tie_rule(learned: MergeTraining) -> str:
    """Says which of equal pairs is merged, as the rest of a sentence."""
    if learned.ties == "first":
        return "that is met first, from the first word on, is merged"
    if learned.ties == "shortest":
        return "that makes the shortest piece is merged, of several such the first by code points"
    by_id = "whose left part, then right part, comes first in the vocabulary"
    if learned.score == "likelihood":
        return f"that occurs most often is merged, then the one {by_id}"
    return f"{by_id} is merged"


def _merge_rule(place: RoundPlace) -> WordedText:
    """Says the tie rule, with all that it takes to go by it."""
    learned = place.text.learned_as(MergeTraining)
    if learned is None:
        return ()
    what = "score" if learned.score == "likelihood" else "count"
    text = f"Among pairs of the same {what} the one {tie_rule(learned)}"
    made = {merge.piece for merge in learned.rounds if merge.new}
    begins = [Word(token) for token in learned.vocabulary if token not in made]
    if learned.ties != "ids" or len(begins) > _MOST_TOKENS:
        return (f"{text}.",)
    listed = (span for token in begins for span in (" ", token))
    return (f"{text}: it begins with", *listed, ", and then has the pieces as they are made.")


def _tie(place: RoundPlace, trace: Trace) -> WordedText:
    """Says which pairs are as good as the one that is merged, and why it is that one."""
    own, learned = round_of(place), place.text.learned_as(MergeTraining)
    if own is None or own.snapshot is None or learned is None:
        return ()
    by_likelihood = _is_by_likelihood(place)
    numbers = trace[place.name("scores" if by_likelihood else "counts")]
    best = numbers.number(0, 0)  # the pairs are in the order in which they would be merged
    pairs = [" ".join(pair) for pair in own.snapshot.pairs]
    tied = [pair for k, pair in enumerate(pairs) if numbers.number(k, 0).full == best.full]
    merged, *others = map(Word, tied)
    if not others:
        return ()
    listed = (span for pair in others for span in (", ", pair))
    first = f"{counted(len(tied), 'pair')} tie at {plain(best)}: "
    return (first, merged, *listed, f". The one {tie_rule(learned)}: ", merged, ".")


LEARN_STEP = Step(
    name="learn",
    at=RoundPlace,
    words=Wording(
        title="Learning pieces",
        does="learns pieces: merges the best pair of neighbours, round by round",
        shapes="word_counts [words] → counts [pairs]",
        happens=_happens,
        why=(
            "The best pair of neighbours becomes one piece, again and again, until the vocabulary"
            " has the size asked for."
        ),
        more=(
            "A vocabulary of whole words has no place for a new word, and single characters say"
            " little by themselves. Learned pieces lie in between."
        ),
    ),
    results=Results(
        names=("counts", "symbols", "scores"),
        nouns={"counts": "count", "scores": "score"},
        plan=_plan_learn,
        remark=_tie,
    ),
    example=Example("bpe"),
    inquiries=(
        Inquiry(
            "merged",
            "which pair is merged in a round",
            ("scores", "counts"),
            _merged,
            _merge_rule,
            last=True,
            ranked=True,
        ),
    ),
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting the pairs of each word once, however often the word occurs.",
            wrong(_ONCE, "counts"),
        ),
        Mistake(
            "overlapping_once",
            "Counting a pair that overlaps itself once: aaa holds a + a twice, at its first letter"
            " and at its second.",
            instead(_overlapping_once),
        ),
    ),
)


def _plan_dictionary(place: Place) -> tuple[Definition, ...]:
    """Defines how often the words that are kept occur, and all words; and the share of these."""
    tokenizing, dictionary = place.text.tokenizing, place.text.learned_as(CountedDictionary)
    if tokenizing is None or dictionary is None:
        return ()
    kept = set(dictionary.kept)
    every = tuple((k, 1) for k in range(len(tokenizing.words)))
    some = tuple((k, 1) for k, word in enumerate(tokenizing.words) if word in kept)
    totals = count_in_words(place, "totals", Axis(("kept", "all"), ""), (some, every))
    return totals, Definition(place.name("coverage"), Share(), (totals.name,))


DICTIONARY_STEP = Step(
    name="dictionary",
    at=Place,
    words=Wording(
        title="The dictionary",
        does="counts the words of a corpus and keeps the frequent ones",
        shapes="word_counts [words] → totals [2] → coverage",
        happens=lambda _: (
            "The words of the corpus are counted. The most frequent ones are kept, and each gets an"
            " ID. A word below the cut becomes the unknown token, if there is one. The coverage is"
            " the share of the corpus that the kept words make up."
        ),
        why=(
            "A model has a vector for each word that it knows, so only the most frequent words of a"
            " large corpus are kept."
        ),
        more=(
            "A few words make up most of any text, so a small dictionary covers much of it. The"
            " rest is lost, or cut into pieces."
        ),
    ),
    results=Results(
        names=("totals", "coverage"),
        nouns={"totals": "number of words", "coverage": "share of the corpus that the model knows"},
        plan=_plan_dictionary,
    ),
    example=Example("dictionary"),
    mistakes=(
        Mistake(
            "words_counted_once",
            "Counting each word of the dictionary once, however often it occurs.",
            wrong(_ONCE, "totals"),
        ),
    ),
)


_MOST_ROUNDS = 4
_MOST_PIECES = 20_000
"""How many pieces all rounds may have together, so that the counts of all are worked."""


def count_rounds(place: Place) -> tuple[CountRound, ...]:
    """Returns the rounds in which a vocabulary of counted pieces was pruned."""
    learned = place.text.learned_as(CountTraining)
    return learned.rounds if learned else ()


def shown_numbers(place: Place) -> list[int]:
    """Returns the rounds that are told, from 1: all where they are few, else the first two and the
    last."""
    count = len(count_rounds(place))
    return list(range(1, count + 1)) if count <= _MOST_ROUNDS else [1, 2, count]


def worked_numbers(place: Place) -> list[int]:
    """Returns the rounds that are worked: all where that isn't too much, else those that are
    told."""
    rounds = count_rounds(place)
    every = sum(len(c.pieces) for c in rounds)
    return list(range(1, len(rounds) + 1)) if every <= _MOST_PIECES else shown_numbers(place)


def count_round(place: Place) -> CountRound | None:
    """Returns the round of pruning that a step is at, or None where there is none."""
    rounds = count_rounds(place)
    return rounds[place.round - 1] if rounds and isinstance(place, RoundPlace) else None


def _plan_estimate(place: RoundPlace) -> tuple[Definition, ...]:
    own, tokenizing = count_round(place), place.text.tokenizing
    if own is None or tokenizing is None:
        return ()
    pieces = tuple(piece.token for piece in own.pieces)
    longest = max(map(len, pieces), default=0)
    where = occurrences(pieces, (substrings(word.text, longest) for word in tokenizing.words))
    counts = count_in_words(place, "counts", Axis(pieces, "piece"), where)
    total = Definition(place.name("total"), AddedUp(), (counts.name,))
    log_p = Definition(place.name("log_p"), LogShare(), (counts.name, total.name))
    return counts, total, log_p


ESTIMATE_STEP = Step(
    name="estimate",
    at=RoundPlace,
    words=Wording(
        title="How probable pieces are",
        does="gives each piece of a vocabulary its probability",
        shapes="word_counts [words] → counts [pieces] → total → log_p [pieces]",
        happens=lambda _: (
            "Each piece is counted wherever it stands in a word, once for each time that the word"
            " occurs. Its probability is its share of all counts."
        ),
        why=(
            "Unigram treats the pieces of a word as independent, so the probability of a cut is the"
            " product of theirs."
        ),
        more=(
            "The logarithm turns the product, which may become too small to write down, into a sum."
        ),
    ),
    results=Results(
        names=("counts", "total", "log_p"),
        nouns={"counts": "count", "total": "sum of all counts", "log_p": "log-probability"},
        plan=_plan_estimate,
    ),
    example=Example("unigram"),
    mistakes=(
        Mistake(
            "no_logarithm",
            "Leaving out the logarithm: probabilities are multiplied, their logarithms added up.",
            wrong(by(ShareItself), "log_p"),
        ),
    ),
)


_MOST_LOSSES = 12


def trained_pruning(place: Place) -> Pruning | None:
    """Returns the pruning that is told of a training by expectation, which is the first one."""
    learned = place.text.learned_as(EMTraining)
    return learned.rounds[0].pruning if learned else None


def shown_losses(pruning: Pruning) -> tuple[PieceLoss, ...]:
    """Returns the smallest losses, from the smallest on."""
    return pruning.losses[::-1][:_MOST_LOSSES]


def _plan_prune(place: RoundPlace) -> tuple[Definition, ...]:
    own, pruning = count_round(place), trained_pruning(place)
    if own is not None and own.removals:
        return _tried(place, own)
    if pruning is not None and pruning.losses:
        return _estimated(place, pruning)
    return ()


def _tried(place: RoundPlace, own: CountRound) -> tuple[Definition, ...]:
    """Defines what each word scores, the loss, and how much it grows without a piece that is
    used."""
    row_of = {piece.token: row for row, piece in enumerate(own.pieces)}
    cuts = tuple(tuple(row_of[piece] for piece in cut.pieces) for cut in own.cuts)
    tokenizing, log_p = place.text.tokenizing, place.name("log_p")
    rows = Axis(tuple(word.text for word in tokenizing.words) if tokenizing else (), "word")
    scores = Definition(place.name("cut_scores"), CutScores(cuts), (log_p,), rows=rows)
    operands = (counts_of_words(place), scores.name)
    loss = Definition(place.name("loss"), CorpusLoss(), operands)
    used = [removal for removal in own.removals if removal.words]
    if not used:
        return scores, loss
    anew = tuple(
        tuple((word, tuple(row_of[piece] for piece in cut.pieces)) for word, cut in removal.words)
        for removal in used
    )
    without, pieces = LossWithout(anew), Axis(tuple(r.token for r in used), "piece")
    growth = Definition(place.name("growth"), without, (*operands, log_p), rows=pieces)
    return scores, loss, growth


def _estimated(place: RoundPlace, pruning: Pruning) -> tuple[Definition, ...]:
    """Defines how often pieces are in the best cuts, and what going without them would cost."""
    losses = shown_losses(pruning)
    pieces = tuple(dict.fromkeys(name for loss in losses for name in (loss.token, *loss.instead)))
    row_of = {piece: row for row, piece in enumerate(pieces)}
    instead = tuple(
        (row_of[loss.token], tuple(row_of[piece] for piece in loss.instead)) for loss in losses
    )
    where = occurrences(pieces, pruning.cuts)
    frequencies = count_in_words(place, "frequencies", Axis(pieces, "piece"), where)
    all_pieces = tuple((k, len(cut)) for k, cut in enumerate(pruning.cuts))
    total = count_in_words(place, "total", Axis(("",), ""), (all_pieces,))
    every = Definition(place.name("words"), AddedUp(), (counts_of_words(place),))
    operation, operands = PruningLoss(instead, pruning.size), (frequencies, total, every)
    rows, names = Axis(tuple(loss.token for loss in losses), "piece"), (m.name for m in operands)
    return (
        *operands,
        Definition(place.name("losses"), operation, tuple(names), rows=rows),
    )


def _happens_prune(place: RoundPlace) -> str:
    if count_round(place) is not None:
        return (
            "Each word is cut in its most probable way. The loss is minus the sum of the"
            " log-probabilities of these cuts. Then each piece of two or more characters is left"
            " out in turn. The words that it was in are cut anew, and the loss grows. The pieces"
            " without which the loss grows least are removed. Without a piece that is in no best"
            " cut, the loss stays the same."
        )
    return (
        "Each word is cut in its most probable way. What it would cost to go without a piece is"
        " estimated. Its best cut into other pieces would take its place, and these would"
        " become more frequent."
    )


PRUNE_STEP = Step(
    name="prune",
    at=RoundPlace,
    words=Wording(
        title="Pruning",
        does="removes the pieces that matter least",
        shapes="log_p [pieces] → cut_scores [words] → loss → growth [pieces]",
        happens=_happens_prune,
        why=(
            "A piece matters if, without it, the words that it was in must be cut in a less"
            " probable way."
        ),
        more=(
            "A vocabulary of all substrings would be far too large, so pieces are removed until it"
            " has the size asked for. Single characters stay, so that every word can be cut."
        ),
    ),
    results=Results(
        names=("cut_scores", "loss", "growth", "frequencies", "total", "words", "losses"),
        plan=_plan_prune,
    ),
    example=Example("unigram"),
    mistakes=(
        Mistake(
            "words_counted_once",
            "Adding up each word's score once, however often the word occurs.",
            wrong(
                swap("count[i] * score[i]", "score[i]", "-sum(score[word] for word in w)"), "loss"
            ),
        ),
    ),
)


LONGEST_TOLD = 40
"""The length of the longest word whose cut is told."""
_MOST_WORDS = 12


def shown_words(place: Place) -> list[tuple[int, str]]:
    """Returns the words of the sentence whose cut is told, with their numbers from 1, each word
    once: all where they are few, else the first three and the last."""
    text = place.text
    if text.tokenizing is None or not text.tokenizing.pieces or not text.cut:
        return []
    words = enumerate(text.tokenizing.tokenizer.words(text.sentence), start=1)
    pairs = [(k, word) for k, word in words if len(word) <= LONGEST_TOLD]
    return pairs if len(pairs) <= _MOST_WORDS else [*pairs[:3], pairs[-1]]


def table_of(place: Place) -> tuple[WordPlace, ...]:
    """Returns the places of the word that a step is at, where pieces have log-probabilities;
    otherwise none."""
    model = place.text.tokenizing.tokenizer.model if place.text.tokenizing else None
    if not isinstance(model, Unigram) or not isinstance(place, CutPlace):
        return ()
    return model.table(place.word)


def _log_p(place: CutPlace) -> Name:
    """Returns the full name of the log-probabilities."""
    rounds = count_rounds(place)
    path = place.stack.path
    return below(below(path, "rounds", len(rounds)) if rounds else path, "log_p")


def _plan_viterbi(place: CutPlace) -> tuple[Definition, ...]:
    points, log_p = table_of(place), _log_p(place)
    definitions: list[Definition] = []
    if any(not e.known for point in points for e in point.candidates):
        below_all = BelowTheLeast(UNKNOWN_PENALTY)
        definitions.append(Definition(place.name("unknown"), below_all, (log_p,)))
    for point in points:
        totals = _totals(place, point)
        best = place.name("best", point.end)
        definitions += [totals, Definition(best, LargestOf(), (totals.name,))]
    return (*definitions, *(_stacked(place, points) if len(points) > 1 else ()))


def _stacked(place: CutPlace, points: Sequence[WordPlace]) -> Iterator[Definition]:
    """Yields all totals in one list, and the best of each place.

    The totals are named by how a word is cut before its place, `un|happi`, and told apart where the
    word itself has such bars.
    """
    word = place.word
    cuts = distinct_tokens(
        tuple(
            "|".join(filter(None, (word[: e.start], e.token)))
            for point in points
            for e in point.candidates
        )
    )
    beginnings = tuple(word[: point.end] for point in points)
    for name, rows in (("totals", cuts), ("best", beginnings)):
        parts = tuple(place.name(name, point.end) for point in points)
        axis = Axis(rows, "cut")
        yield Definition(place.name(name), Listed(len(parts)), parts, rows=axis)


def _totals(place: CutPlace, point: WordPlace) -> Definition:
    """Defines the totals of all pieces that end at a place."""
    tokenizing = place.text.tokenizing
    assert tokenizing is not None
    rows = {token: row for row, token in enumerate(tokenizing.pieces)}
    starts = sorted({e.start for e in point.candidates if e.start})
    arrivals = tuple(
        (rows[e.token] if e.known else None, starts.index(e.start) if e.start else None)
        for e in point.candidates
    )
    unknown = any(not e.known for e in point.candidates)
    operands = (_log_p(place), *(place.name("best", start) for start in starts))
    return Definition(
        place.name("totals", point.end),
        Arrivals(arrivals, len(starts), unknown),
        (*operands, place.name("unknown")) if unknown else operands,
        rows=Axis(distinct_tokens(tuple(e.token for e in point.candidates)), "piece"),
    )


def _formulas(place: CutPlace) -> tuple[Equation, ...]:
    totals, best = "totals[end]", "best[end]"
    log_p = place.here(_log_p(place))
    return (
        define(at(totals, "piece"), Sum((Symbol("best[start]"), at(log_p, "piece")))),
        define(best, Apply("max", (Symbol(totals),))),
    )


def _happens_viterbi(place: CutPlace) -> str:
    unknown = any(not e.known for point in table_of(place) for e in point.candidates)
    costs = (
        f" A character that no piece covers is unknown: it costs {UNKNOWN_PENALTY:g} more than the"
        " least probable piece."
    )
    return (
        "From left to right, each place gets the best total of a cut up to it. Each piece that"
        " ends there adds its log-probability to the best total where the piece starts, and the"
        " largest sum is kept. Then the best pieces are followed back from the end of the"
        f" word.{costs if unknown else ''}"
    )


def _least(place: CutPlace) -> Definition:
    end = table_of(place)[-1].end
    return Definition(place.name("best", end), Least(), (place.name("totals", end),))


VITERBI_STEP = Step(
    name="viterbi",
    at=CutPlace,
    words=Wording(
        title="The best cut",
        does="finds the most probable cut of each word",
        shapes="log_p [pieces] → totals [pieces that end there] → best, for each place of a word",
        happens=_happens_viterbi,
        why=(
            "The best cut of a word up to a place always extends the best cut up to the start of"
            " its last piece."
        ),
        more=(
            "A word with n places between its characters can be cut in 2 to the power of n ways."
            " Yet one total for each place is enough."
        ),
        titled=lambda place: ("The best cut of ", Word(place.word)),
    ),
    results=Results(
        names=("unknown", "totals", "best"),
        nouns={"best": "log-probability of the best cut"},
        plan=_plan_viterbi,
        pictures=("lattice",),
    ),
    formulas=Formulas(own=_formulas),
    example=Example("unigram"),
    mistakes=(
        Mistake(
            "least_probable",
            "Taking the total with the largest absolute value: the least probable cut.",
            instead(_least),
        ),
    ),
)


def tokenizer_steps(place: Place) -> Iterator[tuple[str, Place]]:
    """Yields the steps that a tokenizer takes, each with its place."""
    yield "dictionary", place
    yield from _rounds(place)
    for number, word in shown_words(place):  # which are cut where all ways are weighed
        yield "viterbi", place.to(CutPlace, path=place.name("words", number), word=word)


def _rounds(place: Place) -> Iterator[tuple[str, RoundPlace]]:
    """Yields the steps in which it comes to its vocabulary, at once or in rounds, each with its
    place."""
    rounds: dict[int, tuple[str, ...]] = dict.fromkeys(worked_rounds(place), ("learn",))
    rounds |= dict.fromkeys(worked_numbers(place), ("estimate", "prune"))
    rounds |= {1: ("prune",)} if trained_pruning(place) else {}
    numbers = {1, *shown_rounds(place), *shown_numbers(place)}
    for number, steps in rounds.items():
        path = place.name("rounds", number)
        at = place.to(RoundPlace, path=path, round=number, shown=number in numbers)
        for step in steps:
            yield step, at
