"""Substrings that a Unigram vocabulary may start from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attncli.tokenizing.corpus import CountedWord

_BOUNDARY = ""


def substrings(text: str, longest: int) -> Iterator[str]:
    """All substrings of up to `longest` characters, shorter ones first at each place."""
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + longest) + 1):
            yield text[start:end]


def substring_counts(words: Sequence[CountedWord], longest: int) -> dict[str, int]:
    """How often the corpus has each substring of up to `longest` characters, in the order of first
    appearance."""
    counts: dict[str, int] = {}
    for word in words:
        for substring in substrings(word.text, longest):
            counts[substring] = counts.get(substring, 0) + word.count
    return counts


def branching(words: Sequence[CountedWord], longest: int) -> Iterator[tuple[str, int]]:
    """Substrings of 2 to `longest` characters that occur with different characters (or the end of
    the word) after them, and how often they occur, each word looked at once.

    These are the inner nodes of a suffix tree, from which SentencePiece takes its seeds: what is
    always followed by the same character is as frequent as the longer substring, and left out.
    """
    start = ((index, place) for index, word in enumerate(words) for place in range(len(word.text)))
    left = [("", list(start))]
    while left:
        prefix, places = left.pop()
        following = _following(words, places, len(prefix))
        if len(prefix) > 1 and len(following) > 1:
            yield prefix, len(places)
        if len(prefix) < longest:
            left += [
                (prefix + character, found)
                for character, found in following.items()
                if character != _BOUNDARY and len(found) > 1
            ]


def _following(
    words: Sequence[CountedWord], places: list[tuple[int, int]], length: int
) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, place in places:
        found[words[index].text[place + length : place + length + 1]].append((index, place))
    return found
