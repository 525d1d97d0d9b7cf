"""BPE and WordPiece, learned the long way round: every round counts all the pairs anew; or with
merges or a vocabulary that are given. What becomes of words is in `pieces`.

BPE: Sennrich et al. 2015, arXiv:1508.07909. WordPiece: Schuster and Nakajima 2012; its scores as
the Hugging Face course tells them (chapter 6), its longest matches as Devlin et al. 2018,
arXiv:1810.04805.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.oracle import byte_level, normal, viterbi
from tests.oracle.book import Book, Record
from tests.oracle.numerals import Numbers

Pair = tuple[str, str]
Cut = tuple[str, ...]
"""A word as the symbols that it is cut into."""

_KINDS = ("bpe", "wordpiece")
_END, INSIDE = "</w>", "##"
_UNKNOWN = {"wordpiece": "[UNK]", "sentencepiece": "<unk>"}
_TOLD_PAIRS = 40


@dataclass(frozen=True)
class MergeTask:
    """What a scenario says of a tokenizer that is learned.

    `special` are the tokens that come before all others, the unknown one among them; `written` has
    the settings by which a text is written and cut; `words` are the corpus's words with their
    counts, as they first appear.
    """

    wordpiece: bool
    marks: str
    likelihood: bool
    min_count: int
    size: int | None
    most: int | None
    ties: str
    unknown: str | None
    special: Cut
    byte_fallback: bool
    fused: bool
    written: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, int], ...]
    decimals: int | None


class MergeRound(NamedTuple):
    """The told pairs before a merge and the symbols in them, with their counts: the first pair
    is merged."""

    pairs: dict[Pair, int]
    symbols: dict[str, int]

    @property
    def chosen(self) -> Pair:
        return next(iter(self.pairs))


class LearnedMerges(NamedTuple):
    """What comes of a training: each token's ID from 0, the merges, and the rounds, of which there
    are none where these are given."""

    training: MergeTask
    vocabulary: dict[str, int]
    merges: tuple[Pair, ...]
    rounds: tuple[MergeRound, ...] = ()


def learned(data: Record) -> LearnedMerges | None:
    """What a stack's tokenizer learns; None for one that doesn't."""
    said = data.get("tokenizer")
    record = said if isinstance(said, Mapping) else {"kind": said}
    of_spaces = record.get("kind") == "sentencepiece" and record.get("model") == "bpe"
    if record.get("kind") not in _KINDS and not of_spaces:
        return None
    training = _training(data, record)
    return _learn(training) if "corpus" in data else _given(training, data)


def tell(book: Book, data: Record) -> None:
    """Writes down the counts of all rounds, and by likelihood the symbols' and the scores."""
    known = learned(data)
    if known is None:
        return
    rounds = dict(enumerate(known.rounds, 1))
    for k, merge_round in rounds.items():
        _tell_round(book, f"rounds[{k}]", merge_round, likelihood=known.training.likelihood)


def split(text: str, written: Record) -> list[str]:
    """A text's words, as the settings of a tokenizer say."""
    if "normalize" in written:
        return viterbi.split(normal.sentencepiece(text, written), viterbi.SPACE)
    if "marks" in written:
        return byte_level.words(text)
    return normal.words(text, str(written.get("cut", "whitespace")))


def _tell_round(book: Book, name: str, merge_round: MergeRound, *, likelihood: bool) -> None:
    counts = book.keep(f"{name}.counts", _column(book, merge_round.pairs.values()))
    if not likelihood:
        return
    symbols = book.keep(f"{name}.symbols", _column(book, merge_round.symbols.values()))
    row = {symbol: i for i, symbol in enumerate(merge_round.symbols)}
    left = symbols[[row[pair[0]] for pair in merge_round.pairs]]
    right = symbols[[row[pair[1]] for pair in merge_round.pairs]]
    book.keep(f"{name}.scores", counts / (left * right))


def _column(book: Book, counts: Iterable[int]) -> Numbers:
    return book.numbers([[count] for count in counts])


def _training(data: Record, record: Record) -> MergeTask:
    of_spaces = record["kind"] == "sentencepiece"
    wordpiece = record["kind"] == "wordpiece"
    unknown = record.get("unknown", _UNKNOWN.get(record["kind"]))
    special = [str(token) for token in record.get("special") or ()]
    if unknown is not None and unknown not in special:
        special.insert(0, str(unknown))
    byte_fallback = str(record.get("byte_fallback")).lower() == "true"
    special += map(viterbi.byte_token, range(256 if byte_fallback else 0))
    special += byte_level.alphabet() if record.get("alphabet") == "bytes" else []
    written = _written(record)
    number = str(data.get("merges", "")).isdigit()
    return MergeTask(
        wordpiece=wordpiece,
        marks=INSIDE if wordpiece else str(record.get("marks", "none")),
        likelihood=wordpiece and record.get("score", "likelihood") == "likelihood",
        min_count=int(record.get("min_count", 1)),
        size=int(data["vocabulary_size"]) if "vocabulary_size" in data else None,
        most=int(str(data["merges"])) if number else None,
        ties=str(record.get("ties", "shortest" if of_spaces else "ids")),
        unknown=None if unknown is None else str(unknown),
        special=tuple(special),
        byte_fallback=byte_fallback,
        fused=of_spaces,
        written=tuple(written.items()),
        words=tuple(_words(data.get("corpus", ()), written).items()),
        decimals=_decimals(data.get("rounding") or {}),
    )


def _written(record: Record) -> dict[str, str]:
    """The settings by which a text is written and cut; spaces that are characters of words are so
    in a text as it is, but for SentencePiece."""
    if record["kind"] == "sentencepiece":
        rules = {"normalize": "nmt_nfkc", "extra_spaces": "removed"}
        return {key: str(record.get(key, usual)) for key, usual in rules.items()}
    if record.get("marks") == viterbi.SPACE:
        return {"normalize": "none", "extra_spaces": "kept"}
    if record.get("marks") == byte_level.MARK:
        return {"marks": byte_level.MARK}
    return {"cut": str(record.get("cut", "whitespace"))}


def _given(training: MergeTask, data: Record) -> LearnedMerges:
    """A tokenizer whose merges, or whose vocabulary, are as they are written."""
    parts = [
        value.split(" ") if isinstance(value, str) else value for value in data.get("merges", ())
    ]
    merges = [(str(left), str(right)) for left, right in parts]
    if data.get("vocabulary"):
        ids = {str(token): int(value) for token, value in data["vocabulary"].items()}
        return LearnedMerges(training, ids, tuple(merges))
    made = [joined(pair, training.marks) for pair in merges]
    first = {part for pair in merges for part in pair} - {*made}
    order = sorted(first, key=lambda symbol: (len(symbol) > 1, symbol))
    known = dict.fromkeys((*training.special, *order, *made))
    return LearnedMerges(training, {token: k for k, token in enumerate(known)}, tuple(merges))


def _decimals(rounding: Record) -> int | None:
    """What scores are rounded to before they are compared; None where they aren't."""
    if rounding.get("choices", rounding.get("policy", "carry")) != "carry":
        return None
    book = Book.of({"rounding": rounding}, Path(), {}, decimal=True)
    return book.places_of("scores", step="learn")


def _words(corpus: Mapping[str, int | str] | Sequence[str], written: Record) -> dict[str, int]:
    """Words and their counts, as they first appear in texts."""
    texts = [corpus] if isinstance(corpus, str) else corpus
    counts = Counter[str]()
    for text in texts:
        times = int(texts[text]) if isinstance(texts, Mapping) else 1
        for word in split(str(text), written):
            counts[word] += times
    return dict(counts)


@lru_cache(maxsize=8)
def _learn(training: MergeTask) -> LearnedMerges:
    """Round by round, the best pair becomes a symbol."""
    words = [(symbols(word, training.marks), count) for word, count in training.words]
    first = {symbol for word, _ in words for symbol in word}
    first |= {character for word, _ in training.words for character in word}
    order = sorted(first, key=lambda symbol: (len(symbol) > 1, symbol))  # the longer have a mark
    vocabulary: dict[str, int] = {}
    for token in (*training.special, *order):
        vocabulary.setdefault(token, len(vocabulary))
    rounds: list[MergeRound] = []
    while not _is_full(training, len(vocabulary), len(rounds)):
        merge_round = _round(training, words, vocabulary)
        if not merge_round.pairs or merge_round.pairs[merge_round.chosen] < training.min_count:
            break
        piece = joined(merge_round.chosen, training.marks)
        words = [(_merged(word, merge_round.chosen, piece), count) for word, count in words]
        vocabulary.setdefault(piece, len(vocabulary))
        rounds.append(merge_round)
    return LearnedMerges(training, vocabulary, tuple(m.chosen for m in rounds), tuple(rounds))


def _is_full(training: MergeTask, tokens: int, merges: int) -> bool:
    """Whether a size that is asked for is reached."""
    asked = ((training.size, tokens), (training.most, merges))
    return any(most is not None and most <= there for most, there in asked)


def _round(training: MergeTask, words: list[tuple[Cut, int]], ids: Mapping[str, int]) -> MergeRound:
    """The best pairs: by count; or by count(ab) / (count(a) · count(b)) as it is rounded, then by
    count. Those that are still equal come in the order of their IDs; or of equal ones comes first
    what is first met, or makes the shortest piece, whatever its count."""
    pairs, symbols = Counter[Pair](), Counter[str]()
    for word, count in words:
        for symbol in word:
            symbols[symbol] += count
        for pair in pairwise(word):
            pairs[pair] += count

    met = {pair: place for place, pair in enumerate(pairs)}

    def rank(pair: Pair) -> tuple[Fraction, int, int | str, int]:
        a, b = pair
        over = symbols[a] * symbols[b] if training.likelihood else 1
        score = Fraction(pairs[pair], over)
        if training.likelihood and training.decimals is not None:
            units = 10**training.decimals
            score = Fraction(int(score * units + Fraction(1, 2)), units)
        if training.ties == "first":
            return -score, met[pair], 0, 0
        if training.ties == "shortest":
            piece = joined(pair, training.marks)
            return -score, len(piece), piece, 0
        return -score, -pairs[pair], ids[a], ids[b]

    least = training.min_count if training.likelihood else 0
    best = sorted((pair for pair in pairs if pairs[pair] >= least), key=rank)[:_TOLD_PAIRS]
    by_name = {symbol: symbols[symbol] for pair in best for symbol in pair}
    return MergeRound({pair: pairs[pair] for pair in best}, by_name)


def symbols(word: str, marks: str) -> Cut:
    """A word's characters with their marks."""
    if marks == INSIDE:
        return (*word[:1], *(INSIDE + c for c in word[1:]))
    return (*word[:-1], word[-1:] + _END) if marks == _END else tuple(word)


def joined(pair: Pair, marks: str) -> str:
    left, right = pair
    return left + (right.removeprefix(INSIDE) if marks == INSIDE else right)


def _merged(word: Cut, pair: Pair, piece: str) -> Cut:
    """The word with the pair as one piece, wherever it stands, leftmost first."""
    found: list[str] = []
    rest = list(word)
    while rest:
        here = tuple(rest[:2]) == pair
        found.append(piece if here else rest[0])
        del rest[: 2 if here else 1]
    return tuple(found)
