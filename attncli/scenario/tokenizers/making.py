"""The tokenizer of a stack, if it has a vocabulary of its own: learned from a corpus, or given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attncli.names import Word, below
from attncli.scenario.file.problems import ScenarioError, too_much
from attncli.scenario.model import Phrase, Tokenizing, phrase
from attncli.scenario.tokenizers.sentencepiece import EXTRA_SPACES, NORMALIZE
from attncli.scenario.tokenizers.settings import CUT, TokenizerSettings
from attncli.tokenizers.pieces import CountedWord, Model, count_words
from attncli.tokenizers.splitting import (
    Bert,
    ByteLevel,
    Metaspace,
    PreTokenizer,
    WhiteSpace,
    WordTokenizer,
)


def tokenizing_of(settings: TokenizerSettings) -> Tokenizing | None:
    """Makes the tokenizer of a stack, given or learned. Returns None once it has reported what is
    wrong."""
    maker = settings.model.vocabulary
    if settings.is_learned:
        return _learned(settings)
    given_by = maker.given_by or "vocabulary"
    if maker.given is not None and settings.values.get(given_by) and settings.most_merges is None:
        return maker.given(settings)
    if settings.most_merges is not None and not settings.is_written("corpus"):
        wrong = "a number of merges to learn, and no corpus to learn them from"
        settings.complain("merges", wrong, "give a corpus, or the merges themselves")
    elif not _has_another_complaint(settings):
        needed = "the vocabulary" if maker.given_by == "vocabulary" else maker.given_by
        right = f"give a corpus with a vocabulary_size, or {needed}"
        settings.complain("tokenizer", f"nothing tells what pieces {settings.kind.name} has", right)
    return None


def _has_another_complaint(settings: TokenizerSettings) -> bool:
    """Tells whether what pieces are learned from, or given by, is there but wrong, or stands among
    the settings."""
    inside = below(settings.path, "tokenizer")
    misplaced = (f"{inside}.{key}" for key in ("corpus", "merges", "pieces", "vocabulary"))
    written = any(map(settings.is_written, ("corpus", "merges", "pieces")))
    return written or any(
        settings.complaints.where(key) != settings.complaints.where(inside) for key in misplaced
    )


def _learned(settings: TokenizerSettings) -> Tokenizing | None:
    maker = settings.model.vocabulary
    if maker.given_by and settings.size is None and settings.most_merges is None:
        of_size = ("vocabulary_size", *(("merges",) if maker.merges else ()))
        if not any(map(settings.is_written, of_size)):  # else it has a complaint of its own
            wrong = "a corpus to learn from, and no vocabulary_size"
            right = "say how many tokens" + (", or merges: 12" if maker.merges else "")
            settings.complain("corpus", wrong, right)
        return None
    words = count_words(settings.values["corpus"], pre_tokenizer(settings).split)
    if not words:
        settings.complain("corpus", "the corpus has no words", "write some")
    if maker.learned is None or (maker.given_by and not words):
        return None
    try:
        return maker.learned(settings, words)
    except ScenarioError:  # of too much
        raise
    except ValueError as error:
        wrong, _, right = str(error).partition("; ")
        settings.complain("vocabulary_size", wrong, right or "a larger one")
        return None


def pre_tokenizer(settings: TokenizerSettings) -> PreTokenizer:
    """Returns the pre-tokenizer that cuts a text into words."""
    if settings.saved is not None:
        return settings.saved.pipeline
    if settings.kind.words is not None:
        return settings.kind.words
    if settings.marks == "▁":
        return _metaspace(settings)
    if settings.marks == "Ġ":
        return ByteLevel()
    cut = settings.get(CUT)
    if cut == CUT.default:
        return WhiteSpace(settings.marks_of_pieces)
    return Bert(cut == "bert", settings.marks_of_pieces)


def _metaspace(settings: TokenizerSettings) -> Metaspace:
    """Returns the pre-tokenizer that marks spaces. Only SentencePiece normalizes the text first."""
    if settings.kind.name != "sentencepiece":
        return Metaspace()
    return Metaspace(settings.get(NORMALIZE), settings.get(EXTRA_SPACES) == "removed")


def tokenizing(settings: TokenizerSettings, model: Model) -> Tokenizing:
    name = (
        settings.kind.name
        if settings.model == settings.kind
        else f"{settings.kind.name} ({settings.model.name})"
    )
    counts_given = isinstance(settings.values.get("corpus"), Mapping)
    added = settings.saved.added if settings.saved else None
    tokenizer = WordTokenizer(pre_tokenizer(settings), model, added)
    phrases = tuple(_facts(settings))
    return Tokenizing(tokenizer, name=name, phrases=phrases, counts_given=counts_given)


def _facts(settings: TokenizerSettings) -> Iterator[Phrase]:
    """Yields all that a page says of a tokenizer, with the defaults that matter."""
    kind, model = settings.kind, settings.model
    given = "its pieces are given" if model.vocabulary.given_by else "its vocabulary is given"
    yield from model.vocabulary.phrases(settings) if settings.is_learned else (phrase(given),)
    if settings.saved is not None:
        yield settings.saved.phrase
    remarks = dict.fromkeys((*model.remarks, *kind.remarks))
    yield from (
        phrase(words) for key, value, words in remarks if settings.settings.get(key) == value
    )
    if model.vocabulary.given_by and settings.marks != "none":
        yield phrase("pieces are marked {marks}", marks=Word(settings.marks))
    if settings.front:
        yield phrase("special tokens: {tokens}", tokens=Word(" ".join(settings.front)))
    if settings.byte_fallback:
        yield phrase("a character that no piece has becomes its bytes")
    elif settings.unknown:
        yield phrase("what is unknown becomes {token}", token=Word(settings.unknown))


_MOST_SECONDS = 4.5
"""The numbers of a second were measured on natural and on random text, in short words and in long
ones; they may be off by a factor of 2 or 3."""


def check_cost(settings: TokenizerSettings, words: Sequence[CountedWord], seconds: float) -> None:
    """Raises ScenarioError for more than is learned without being asked for."""
    if seconds > _MOST_SECONDS and not settings.large:
        longest = max(len(word.text) for word in words)
        size, merges = settings.size, settings.most_merges
        much = f"{merges:,} merges" if size is None else f"{size:,} tokens"
        what = (
            f"{letters_of(words):,} letters of different words, the longest of {longest:,}, to "
            f"learn {much} from"
        )
        less = "give a smaller corpus, shorter words or fewer to learn"
        raise too_much(settings.complaints.where(below(settings.path, "corpus")), what, less)


def letters_of(words: Sequence[CountedWord]) -> int:
    """Counts the letters of the words, each word once."""
    return sum(len(word.text) for word in words)
