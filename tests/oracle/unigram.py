"""Unigram tokenizers (Kudo 2018, arXiv:1804.10959), learned or with pieces that are given, and
the words of SentencePiece, in which a space is a sign like any other (Kudo and Richardson 2018,
arXiv:1808.06226)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal, localcontext
from pathlib import Path
from typing import NamedTuple

from tests.oracle import lesson, normal, viterbi
from tests.oracle.book import Book, Record
from tests.oracle.lesson import LearnedPieces, PruningTask, Words
from tests.oracle.numerals import UnknownError
from tests.oracle.viterbi import Cut, Pieces, Scores

_KINDS = ("unigram", "sentencepiece")
_CONTROL = ("<s>", "</s>", "<pad>")
_BYTES = 256


class UnigramSetting(NamedTuple):
    """What holds of any such tokenizer: `front` has the tokens that no word is cut into; where
    spaces are characters, a text may be written otherwise first, as a `record` of settings says."""

    marks: str
    record: Record
    unknown: str
    front: Cut
    byte_fallback: bool


class UnigramTask(NamedTuple):
    """A tokenizer: each token's ID from 0, the scores of the pieces, and how they were learned, if
    they were."""

    setting: UnigramSetting
    vocabulary: dict[str, int]
    scores: Scores
    learned: LearnedPieces | None


def is_unigram(data: Record) -> bool:
    """Whether a stack's tokenizer is of this kind."""
    record = _record(data)
    return record.get("kind") in _KINDS and record.get("model", "unigram") == "unigram"


def unigram(data: Record) -> UnigramTask | None:
    """A stack's tokenizer; None where it is of another kind."""
    if not is_unigram(data):
        return None
    if _record(data).get("training", "counts") != "counts" and "pieces" not in data:
        raise UnknownError("training: expected")
    setting = _setting(_record(data))
    if "pieces" in data:
        return _given(setting, data["pieces"])
    learned = lesson.learn(_lesson(data, setting))
    order = sorted(learned.scores, key=lambda piece: -learned.scores[piece])
    return UnigramTask(setting, _numbered((*setting.front, *order)), learned.scores, learned)


def tell(book: Book, data: Record) -> None:
    """Writes down the told rounds, and how the words of the sentence are cut."""
    known = unigram(data)
    if known is None:
        return
    if known.learned is None:
        scores: Scores = {piece: book.number(score) for piece, score in known.scores.items()}
    else:
        scores = lesson.tell(book, known.learned)
    if "sentence" in data and "tokens" not in data:
        words = split(data["sentence"], known.setting)
        viterbi.tell(book, words, Pieces.of(scores, known.setting.front))


def tokens_of(data: Record, known: UnigramTask) -> list[str]:
    """The sentence's tokens, word by word."""
    setting, book = known.setting, _scratch(data)
    words = split(data["sentence"], setting)
    pieces = Pieces.of(known.scores, setting.front)
    unknown = None if setting.byte_fallback else setting.unknown
    with localcontext() as context:
        context.prec = book.precision
        cuts = viterbi.cuts(book, words, pieces)
    return [token for word in words for token in viterbi.tokens(cuts[word], pieces, unknown)]


def _record(data: Record) -> Record:
    said = data.get("tokenizer")
    return said if isinstance(said, Mapping) else {"kind": said}


def _setting(record: Record) -> UnigramSetting:
    unknown = str(record.get("unknown", "<unk>"))
    front = [str(token) for token in record.get("special") or ()]
    if unknown not in front:
        front.insert(0, unknown)
    byte_fallback = _is_true(record.get("byte_fallback"))
    if byte_fallback:
        front += map(viterbi.byte_token, range(_BYTES))
    of_spaces = record["kind"] == "sentencepiece"
    marks = viterbi.SPACE if of_spaces else str(record.get("marks", "none"))
    written = dict(record) if of_spaces else {"normalize": "none", "extra_spaces": "kept"}
    return UnigramSetting(marks, written, unknown, tuple(front), byte_fallback)


def split(text: object, setting: UnigramSetting) -> list[str]:
    """A text's words."""
    return viterbi.split(normal.sentencepiece(str(text), setting.record), setting.marks)


def _is_true(value: object) -> bool:
    return str(value).lower() == "true"


def _numbered(order: Iterable[str]) -> dict[str, int]:
    return {token: k for k, token in enumerate(dict.fromkeys(order))}


def _given(setting: UnigramSetting, pieces: Record) -> UnigramTask:
    """A tokenizer whose pieces and scores are as they are written."""
    by_name = {str(piece): Decimal(str(score)) for piece, score in pieces.items()}
    control = (piece for piece in by_name if piece in _CONTROL and piece not in setting.front)
    setting = setting._replace(front=(*setting.front, *control))
    order = (*(token for token in setting.front if token not in by_name), *by_name)
    return UnigramTask(setting, _numbered(order), by_name, None)


def _lesson(data: Record, setting: UnigramSetting) -> PruningTask:
    record = _record(data)
    return PruningTask(
        front=setting.front,
        words=_words(data["corpus"], setting),
        size=int(data["vocabulary_size"]),
        min_count=int(record.get("min_count", 2)),
        longest=int(record.get("longest", 16)),
        whole=_is_true(record.get("whole", True)),
        share=Decimal(str(record.get("share", "0.1"))),
        rounding=repr(data.get("rounding")),
        scratch=_scratch(data),
    )


def _words(corpus: object, setting: UnigramSetting) -> Words:
    """Words and their counts, as they first appear."""
    texts = corpus if isinstance(corpus, list | Mapping) else [corpus]
    counts = Counter[str]()
    for text in texts:
        times = int(texts[text]) if isinstance(texts, Mapping) else 1
        for word in split(text, setting):
            counts[word] += times
    return tuple(counts.items())


def _scratch(data: Record) -> Book:
    """A book for numbers that decide between cuts, and are then left; `choices` has the policy
    that they are made under where all others are worked under another."""
    rounding = data.get("rounding") or {}
    policy = rounding.get("choices", rounding.get("policy", "carry"))
    return Book.of({"rounding": {**rounding, "policy": policy}}, Path(), {}, decimal=True)
