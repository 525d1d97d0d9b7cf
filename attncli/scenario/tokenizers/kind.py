"""What a kind of tokenizer declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.file.keys import Choice, Flag, Key, ListOf, TextKind, WholeNumber
from attncli.scenario.model import Phrase, Tokenizing, phrase

if TYPE_CHECKING:  # what learns is imported by scenarios that learn
    from attncli.scenario.tokenizers.settings import TokenizerSettings
    from attncli.tokenizers.pieces import CountedWord

    Given = Callable[[TokenizerSettings], Tokenizing | None]
    Learned = Callable[[TokenizerSettings, tuple[CountedWord, ...]], Tokenizing | None]

MARKS = {"none": ("", ""), "</w>": ("", "</w>"), "##": ("##", ""), "▁": ("", ""), "Ġ": ("", "")}
"""How the place of a piece in its word is marked: what stands before a piece that continues one,
and what after the last; ▁ and Ġ mark the space before a word, which is a character then."""
TOKEN = TextKind("a token")
MARKED = Key(
    "marks",
    Choice(tuple(MARKS)),
    "how a piece shows where in its word it stands: `none` (the default of bpe and "
    "unigram), `</w>` after the last, `##` before those that continue a word (always so "
    "in wordpiece); or the space before a word is a character of it, `▁` (always so in "
    "sentencepiece), or with all other bytes a character, `Ġ`",
)
MIN_COUNT = Key(
    "min_count",
    WholeNumber(1, 10**9),
    "how often a pair must occur to be merged, a word to be kept, 1 by default; a piece "
    "of unigram to be there at first, 2 by default",
    1,
)
BYTE_FALLBACK = Key(
    "byte_fallback",
    Flag(),
    "whether a character that no piece has becomes the tokens of its bytes, `<0xC3>`, of "
    "which all 256 are in the vocabulary then; `false` by default",
    False,
)
UNKNOWN = Key(
    "unknown",
    TOKEN,
    "the token of what the vocabulary (given for whole words, too) doesn't have; by "
    "default `[UNK]` in wordpiece, `<unk>` in unigram and sentencepiece, none in bpe",
)
SPECIAL = Key("special", ListOf(TOKEN, empty=True), "tokens that come first in the vocabulary", ())
CUT = Key(
    "cut",
    Choice(("whitespace", "bert", "bert_cased")),
    "of bpe and wordpiece: where words end, at `whitespace` (the default), or as `bert` has it: "
    "punctuation marks and Chinese characters are words, and there are neither capitals nor "
    "accents, which `bert_cased` keeps",
    "whitespace",
)
TIES = Key(
    "ties",
    Choice(("ids", "first")),
    "of bpe and wordpiece: which of equal pairs is merged, that of the smaller `ids` (the "
    "default) or that which is met `first`",
    "ids",
)
CUT_AS_BERT = (
    (CUT.name, "bert", "the text is cut, and written without capitals and accents, as BERT does"),
    (CUT.name, "bert_cased", "the text is cut as BERT does"),
)
"""What the settings mean, on the page."""
OF_A_CORPUS: tuple[Key[Any], ...] = (MIN_COUNT, UNKNOWN, SPECIAL)
"""Settings that every tokenizer has that is learned from a corpus."""


class WordSplitter(NamedTuple):
    """A pre-tokenizer whose words are tokens, and how they are joined again."""

    split: Callable[[str], list[str]]
    between: str = " "

    def join(self, tokens: Sequence[str]) -> str:
        return self.between.join(tokens)


class TokenizerKind(NamedTuple):
    """A kind of tokenizer.

    `explained` says how it cuts a sentence. `settings` are the keys inside `tokenizer: {…}` that
    it has; `marks` those that its pieces may have, its own first; `unknown` its usual unknown
    token. Of a setting that isn't the usual one `remarks` say what it means, on the page.

    `words` cuts a text where whole words are tokens. Otherwise pieces are `learned` from a corpus,
    by `merges`, of which a number may be asked for, or otherwise; or they are `given` by the
    scenario's key `given_by`. Where there is a setting `model`, whose default is here, both are
    done as another kind does. Both complain of what is wrong; `learned` may raise ValueError for a
    vocabulary_size that can't be met, as "what is wrong; what is right", and ScenarioError for what
    takes too long. `told` says what is learned.
    """

    name: str
    explained: str
    settings: tuple[Key[Any], ...] = OF_A_CORPUS
    marks: tuple[str, ...] = ("none",)
    unknown: str | None = None
    remarks: tuple[tuple[str, Any, str], ...] = ()
    words: WordSplitter | None = None
    model: str = ""
    given_by: str = ""
    merges: bool = False
    given: Given | None = None
    learned: Learned | None = None
    phrases: Callable[[TokenizerSettings], tuple[Phrase, ...]] = lambda _: ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its settings."""
        return tuple(key.name for key in self.settings)


def or_more(times: int) -> Phrase:
    """`twice or more`, in numbers."""
    return (
        phrase("once or more") if times == 1 else phrase("{times} times or more", times=str(times))
    )
