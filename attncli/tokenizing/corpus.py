"""A corpus, its words with their counts, and where things stand in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Corpus = str | Sequence[str] | Mapping[str, int]
"""A text, several, or texts (mostly single words) with how often each occurs."""

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much in all."""

Occurrences = tuple[tuple[int, int], ...]
"""The words that hold something, by their indices from 0, and how many times each."""

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class CountedWord:
    """A word (as it was cut, marks of spaces included) and how often the corpus has it."""

    text: str
    count: int


def count_words(corpus: Corpus, split: Callable[[str], list[str]]) -> tuple[CountedWord, ...]:
    """The words of a corpus in the order of their first appearance.

    Raises ValueError for a count that is no whole number of 1 or more.
    """
    counts: dict[str, int] = {}
    for text, times in _texts(corpus):
        for word in split(text):
            counts[word] = counts.get(word, 0) + times
    return tuple(CountedWord(word, count) for word, count in counts.items())


def _texts(corpus: Corpus) -> Iterator[tuple[str, int]]:
    if isinstance(corpus, Mapping):
        for text, count in corpus.items():
            if type(count) is not int or count < 1:
                raise ValueError(f"the count of “{text}” is {count}; a whole number of 1 or more")
            yield text, count
        return
    for text in (corpus,) if isinstance(corpus, str) else corpus:
        yield text, 1


def occurrences(
    things: Iterable[Thing], words: Iterable[Iterable[Thing]]
) -> tuple[Occurrences, ...]:
    """For each thing (a symbol, a pair, a piece) the words that hold it, whose parts are given."""
    found: dict[Thing, list[tuple[int, int]]] = {thing: [] for thing in things}
    for index, parts in enumerate(words):
        for thing, times in Counter(part for part in parts if part in found).items():
            found[thing].append((index, times))
    return tuple(map(tuple, found.values()))
