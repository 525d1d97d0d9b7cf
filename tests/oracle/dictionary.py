"""A dictionary of whole words: counted, cut off below a count or after so many, and numbered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from tests.oracle.book import Book, Record

_KINDS = ("whitespace", "word", "character")


class CountedWords(NamedTuple):
    """The words with their counts as they first appear, and the IDs of those that are kept, after
    special tokens; the unknown token, if there is one."""

    words: dict[str, int]
    vocabulary: dict[str, int]
    unknown: str | None


def counted(data: Record, cut: Callable[[str, str], list[str]]) -> CountedWords | None:
    """The dictionary of a scenario's corpus; None where there is no corpus, or one for pieces."""
    value = data.get("tokenizer", "whitespace")
    record: Record = value if isinstance(value, Mapping) else {"kind": value}
    kind = str(record.get("kind", "whitespace"))
    if "corpus" not in data or kind not in _KINDS:
        return None
    words: dict[str, int] = {}
    for text, times in _texts(data["corpus"]):
        for word in cut(text, kind):
            words[word] = words.get(word, 0) + times
    unknown = None if "unknown" not in record else str(record["unknown"])
    front = [str(token) for token in record.get("special", ())]
    front = [unknown, *front] if unknown is not None and unknown not in front else front
    least = int(record.get("min_count", 1))
    order = sorted((w for w in words if words[w] >= least), key=lambda word: -words[word])
    if "vocabulary_size" in data:
        order = order[: int(data["vocabulary_size"]) - len(front)]
    return CountedWords(
        words, {w: k for k, w in enumerate(dict.fromkeys([*front, *order]))}, unknown
    )


def _texts(corpus: object) -> list[tuple[str, int]]:
    if isinstance(corpus, Mapping):
        return [(str(text), int(times)) for text, times in corpus.items()]
    texts = corpus if isinstance(corpus, list) else [corpus]
    return [(str(text), 1) for text in texts]


def known(dictionary: CountedWords, words: list[str]) -> list[str]:
    """The words as tokens: what isn't there is the unknown token, if there is one."""
    return [w if w in dictionary.vocabulary else dictionary.unknown or w for w in words]


def tell(book: Book, dictionary: CountedWords) -> None:
    """How much of the corpus the dictionary covers."""
    words = dictionary.words
    kept = sum(count for word, count in words.items() if word in dictionary.vocabulary)
    totals = book.keep("totals", book.numbers(np.array([[kept], [sum(words.values())]])))
    book.keep("coverage", totals[:1] / totals[1:])
