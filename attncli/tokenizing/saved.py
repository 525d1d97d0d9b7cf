"""A tokenizer.json's way from a text to words: added tokens are taken out first, then the text is
normalized, and cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from attncli.tokenizing.pieces import Piece
from attncli.tokenizing.pre_tokenizers import PreTokenizer
from attncli.tokenizing.splitting import Part, Splitter, is_letter, is_space

Normalizer = Callable[[str], str]


class Pipeline(NamedTuple):
    """A pre-tokenizer as a file has it; tokens are joined again as by another one that marks its
    pieces alike."""

    normalize: Normalizer
    cut: Splitter
    joins: PreTokenizer

    def split(self, text: str) -> list[str]:
        return self.words(Part(self.normalize(text), first=True))

    def words(self, part: Part) -> list[str]:
        """The words of a part that is normalized."""
        return [word.text for word in self.cut(part)] if part.text else []

    def join(self, tokens: Sequence[str]) -> str:
        return self.joins.join(tokens)


class AddedToken(NamedTuple):
    """A token that is none of the model's pieces. It is looked for in the text as it was, or when
    that is `normalized`; as a `single_word` not inside others; and with the white space before
    (`lstrip`) or after it (`rstrip`)."""

    content: str
    id: int
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


class AddedTokens(NamedTuple):
    """The added tokens of a pipeline."""

    tokens: tuple[AddedToken, ...]
    pipeline: Pipeline

    def parts(self, text: str) -> list[Piece | str]:
        """The added tokens of a text, and the words between them."""
        normal = {self.pipeline.normalize(t.content): t for t in self.tokens if t.normalized}
        found: list[Piece | str] = []
        as_they_were = {t.content: t for t in self.tokens if not t.normalized}
        for piece, part in _cut_out(Part(text, first=True), as_they_were):
            if piece is not None:
                found.append(piece)
                continue
            normalized = Part(self.pipeline.normalize(part.text), part.first)
            for inner, words in _cut_out(normalized, normal):
                found += self.pipeline.words(words) if inner is None else [inner]
        return found


def _cut_out(part: Part, tokens: dict[str, AddedToken]) -> Iterator[tuple[Piece | None, Part]]:
    """The tokens that occur in a text, the longest at each place, and what is between them."""
    text, done = part.text, 0
    longest_first = sorted(filter(None, tokens), key=len, reverse=True)
    for match in re.finditer("|".join(map(re.escape, longest_first)) or r"(?!)", text):
        token, (start, end) = tokens[match[0]], match.span()
        if token.single_word and _is_inside(text, start, end):
            continue
        while token.lstrip and start > done and is_space(text[start - 1]):
            start -= 1
        while token.rstrip and end < len(text) and is_space(text[end]):
            end += 1
        if done < start:
            yield None, Part(text[done:start], part.first and not done)
        yield Piece(token.content, token.id, text[start:end]), Part("")
        done = end
    if done < len(text):
        yield None, Part(text[done:], part.first and not done)


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether a word goes on before or after it."""
    return any(map(is_letter, text[max(0, start - 1) : start] + text[end : end + 1]))
