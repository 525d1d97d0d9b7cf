"""What decides how a text is cut into tokens, in words."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.scenario.tokenizer_settings import TokenizerSettings
from attncli.tokenizing.lesson import Lesson
from attncli.tokenizing.pieces import BYTE_TOKENS


def told(said: TokenizerSettings) -> str:
    """All that a stack says of its tokenizer, with the defaults that matter."""
    model = f" ({said.algorithm})" if said.algorithm not in ("", said.kind) else ""
    return f"{said.kind}{model}: {'; '.join(_parts(said))}"


_IF = (
    ("whole", False, "no piece is only ever a whole word"),
    ("score", "count", "pairs are chosen by their counts"),
    ("alphabet", "bytes", "all 256 bytes are there from the start"),
    ("normalize", "nfkc", "the text is written in its normal form NFKC first"),
)
"""Settings that aren't the usual ones, and what is said of them."""


def _parts(said: TokenizerSettings) -> Iterator[str]:
    yield _made(said)
    yield from (words for key, value, words in _IF if said.setting(key, None) == value)
    if said.algorithm and said.marks != "none":
        yield f"pieces are marked {said.marks}"
    special = [one for one in said.special if one not in BYTE_TOKENS]
    if special:
        yield f"special tokens: {' '.join(special)}"
    if said.byte_fallback:
        yield "a character that no piece has becomes its bytes"
    elif said.unknown:
        yield f"what is unknown becomes {said.unknown}"


def _made(said: TokenizerSettings) -> str:
    """How the vocabulary comes about."""
    size, least = said.values.get("vocabulary_size"), said.setting("min_count", None)
    if not said.algorithm:
        most = "" if size is None else f", at most {size} tokens with the special ones"
        return f"words that the corpus has {_or_more(least or 1)}{most}"
    if any(key in said.values for key in ("merges", "pieces")) or "corpus" not in said.values:
        return "its pieces are given"
    if said.algorithm != "unigram":
        return f"at most {size} tokens, of pairs that occur {_or_more(least or 1)}"
    usual = Lesson._field_defaults
    longest = f"at most {said.setting('longest', usual['longest'])} characters"
    if said.setting("training", "counts") == "expected":
        return f"at most {size} tokens, of {longest}, trained by how often pieces are expected"
    often = _or_more(least or usual["min_count"])
    return (
        f"at most {size} tokens, from substrings of {longest} that occur {often};"
        f" a round prunes {float(said.setting('share', usual['share'])):g} of those that may go"
    )


def _or_more(times: int) -> str:
    return "once or more" if times == 1 else f"{times} times or more"
