"""The declaration of a kind of tokenizer, and a stack's settings of its tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from attncli.maths.numbers.rounding import Rounding
from attncli.names import Name, below
from attncli.scenario.file.keys import (
    Choice,
    Either,
    Flag,
    Key,
    KeyValues,
    Kind,
    ListOf,
    MapOf,
    NumberKind,
    OwnedKeys,
    Record,
    TextKind,
    WholeNumber,
    looks_like_number,
)
from attncli.scenario.file.named_files import TextFileKind, names_file
from attncli.scenario.file.nodes import Items, Map, Node, Scalar
from attncli.scenario.file.problems import Diagnostics, NamedProblems
from attncli.scenario.model import Phrase, Tokenizing, phrase

if TYPE_CHECKING:
    from attncli.tokenizers.pieces import CountedWord, Progress, SubwordMarks
    from attncli.tokenizers.splitting import AddedTokens, Pipeline

    Given = Callable[["TokenizerSettings"], Tokenizing | None]
    Learned = Callable[["TokenizerSettings", tuple[CountedWord, ...]], Tokenizing | None]


TOKENIZERS = {
    "whitespace": "whole_words",
    "word": "whole_words",
    "character": "whole_words",
    "bpe": "bpe",
    "wordpiece": "bpe",
    "unigram": "unigram",
    "sentencepiece": "sentencepiece",
}
"""All kinds by name, and the module of each, which is imported by scenarios that name it."""
MARKS = {"none": ("", ""), "</w>": ("", "</w>"), "##": ("##", ""), "▁": ("", ""), "Ġ": ("", "")}
"""The marks of a piece's place in its word: before a piece that continues one, and after the last.
▁ and Ġ mark the space before a word, which is a character then."""
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
    Choice(("ids", "first", "shortest")),
    "of bpe and wordpiece: which of equal pairs is merged, that of the smaller `ids` (the "
    "default), that which is met `first`, or that which makes the `shortest` piece (the default "
    "of sentencepiece), of these the first by code points",
)
CUT_AS_BERT = (
    (CUT.name, "bert", "the text is cut, and written without capitals and accents, as BERT does"),
    (CUT.name, "bert_cased", "the text is cut as BERT does"),
)
"""The meaning of settings, for the page."""
OF_A_CORPUS: tuple[Key[object], ...] = (MIN_COUNT, UNKNOWN, SPECIAL)
"""Settings that every tokenizer has that is learned from a corpus."""


class WordSplitter(NamedTuple):
    """A pre-tokenizer whose words are tokens, and how they are joined again."""

    split: Callable[[str], list[str]]
    between: str = " "

    def join(self, tokens: Sequence[str]) -> str:
        return self.between.join(tokens)


class VocabularyMaker(NamedTuple):
    """A maker of vocabularies: of what the scenario gives, or of what it learns from a corpus."""

    given_by: str = ""
    """The scenario's key that gives the pieces."""
    given: Given | None = None
    """Makes the tokenizer of given pieces. Complains of what is wrong."""
    learned: Learned | None = None
    """Learns the tokenizer. Complains of what is wrong; raises ValueError, as "what is wrong; what
    is right", for a vocabulary_size that can't be met, and ScenarioError for what takes too
    long."""
    merges: bool = False
    """Whether pieces are learned by merges, of which a number may be asked for."""
    phrases: Callable[[TokenizerSettings], tuple[Phrase, ...]] = lambda _: ()
    """Says in words what is learned."""


class TokenizerKind(NamedTuple):
    """A kind of tokenizer. Pieces are learned from a corpus, or given by the scenario; where there
    is a setting `model`, both are done as another kind does."""

    name: str
    explained: str
    """How it cuts a sentence."""
    settings: tuple[Key[object], ...] = OF_A_CORPUS
    """The keys inside `tokenizer: {…}` that it has."""
    marks: tuple[str, ...] = ("none",)
    """The marks that its pieces may have, the default first."""
    unknown: str | None = None
    """Its usual unknown token."""
    remarks: tuple[tuple[str, object, str], ...] = ()
    """What settings that aren't the usual ones mean, on the page: the key, the value, the words."""
    words: WordSplitter | None = None
    """Cuts a text where whole words are tokens."""
    model: str = ""
    """The kind that pieces are learned as by default, where there is a setting `model`."""
    vocabulary: VocabularyMaker = VocabularyMaker()
    """Makes the vocabulary."""

    @property
    def names(self) -> tuple[str, ...]:
        """Returns the names of its settings."""
        return tuple(key.name for key in self.settings)


def or_more(times: int) -> Phrase:
    """Says in words how often: `once or more`, `2 times or more`."""
    return (
        phrase("once or more") if times == 1 else phrase("{times} times or more", times=str(times))
    )


T = TypeVar("T")

_GIVEN = {"merges": ("bpe", "give the vocabulary"), "pieces": ("unigram", "leave them out")}
"""The keys that give pieces instead of learning them, each with its tokenizer and with the advice
for others."""

SAVED = "as saved"
"""The key, among the values of a stack, of the SavedCut of a tokenizer that is in a file."""


def kind_of(values: KeyValues) -> str:
    """Returns the name of the tokenizer that a stack has."""
    value = values.get("tokenizer", "whitespace")
    return str(value) if isinstance(value, str) else str(value.get("kind", "whitespace"))


def tokenizer_kind(name: str) -> TokenizerKind:
    """Imports the kind of a name in TOKENIZERS."""
    module = import_module(f"attncli.scenario.tokenizers.{TOKENIZERS[name]}")
    kind: TokenizerKind = module.KINDS[name]
    return kind


class SavedCut(NamedTuple):
    """A tokenizer.json's way from a text to words."""

    pipeline: Pipeline
    added: AddedTokens | None
    phrase: Phrase
    """The same in words."""
    fused: bool = False
    """Whether unknown neighbours become one token."""
    whole: bool = False
    """Whether words that the vocabulary has are left whole."""


class TokenizerSettings(NamedTuple):
    """A stack's settings of its tokenizer, with their defaults."""

    path: Name
    values: KeyValues
    complaints: NamedProblems
    rounding: Rounding
    large: bool = False
    progress: Progress | None = None

    @property
    def kind(self) -> TokenizerKind:
        return tokenizer_kind(kind_of(self.values))

    @property
    def model(self) -> TokenizerKind:
        """Returns the kind that says what pieces are learned by: its own, except for
        sentencepiece."""
        kind = self.kind
        return tokenizer_kind(self.settings.get("model") or kind.model) if kind.model else kind

    def get(self, key: Key[T]) -> T:
        """Returns one of the settings, or its default."""
        value: T = self.settings.get(key.name, key.default)
        return value

    def some(self, keys: Iterable[str]) -> dict[str, Any]:
        """Returns those of some settings that are said."""
        return {key: self.settings[key] for key in keys if key in self.settings}

    @property
    def settings(self) -> KeyValues:
        """Returns the settings that `tokenizer: {…}` says."""
        name = self.values.get("tokenizer")
        return name if isinstance(name, Mapping) else {}

    @property
    def saved(self) -> SavedCut | None:
        """Returns how a text is cut where the tokenizer is in a file, or None."""
        return self.values.get(SAVED)

    @property
    def size(self) -> int | None:
        """Returns the vocabulary_size, or None."""
        size: int | None = self.values.get("vocabulary_size")
        return size

    @property
    def most_merges(self) -> int | None:
        """Returns how many merges are to be learned, or None where no number is asked for."""
        merges = self.values.get("merges")
        return merges if isinstance(merges, int) and self.model.vocabulary.merges else None

    @property
    def given(self) -> frozenset[str]:
        """Returns the keys of what is given instead of being learned, whichever tokenizer it is
        for."""
        learned = () if self.most_merges is None else ("merges",)
        return frozenset(_GIVEN.keys() & self.values.keys()).difference(learned)

    @property
    def is_learned(self) -> bool:
        """Tells whether there is a corpus to learn from, and nothing given instead."""
        return "corpus" in self.values and not (self.model.vocabulary.given_by and self.given)

    @property
    def marks(self) -> str:
        return str(self.settings.get("marks") or self.kind.marks[0])

    @property
    def marks_of_pieces(self) -> SubwordMarks:
        from attncli.tokenizers.pieces import SubwordMarks

        return SubwordMarks(*MARKS[self.marks])

    @property
    def unknown(self) -> str | None:
        unknown = self.settings.get("unknown") or self.kind.unknown
        return None if unknown is None else str(unknown)

    @property
    def byte_fallback(self) -> bool:
        return self.get(BYTE_FALLBACK)

    @property
    def special(self) -> tuple[str, ...]:
        """Returns the tokens that come first: the unknown one, those that are named, those of
        bytes."""
        from attncli.tokenizers.pieces import BYTE_TOKENS

        return (*self.front, *(BYTE_TOKENS if self.byte_fallback else ()))

    @property
    def front(self) -> tuple[str, ...]:
        """Returns the tokens that come first, without those of bytes."""
        from attncli.tokenizers.pieces import front_of

        return front_of(self.get(SPECIAL), self.unknown)

    def is_written(self, key: str) -> bool:
        """Tells whether a key is in the file, even if it can't be read."""
        where = self.complaints.where
        return key in self.values or where(below(self.path, key)) != where(self.path)

    def complain(self, key: str, wrong: str, right: str) -> None:
        self.complaints.add(below(self.path, key), wrong, right)


def check(settings: TokenizerSettings) -> None:
    """Complains of what is said that is not for this tokenizer."""
    model = settings.model
    given_by = model.vocabulary.given_by
    known = {"kind", *settings.kind.names, *model.names}
    for key in (key for key in settings.settings if key not in known):
        owners = [name for name in TOKENIZERS if key in tokenizer_kind(name).names]
        other = f", or say {' or '.join(owners)}" if given_by else ""
        _not_for_it(settings, key, f"leave it out{other}")
    for key, (owner, otherwise) in _GIVEN.items():
        right_place = key == given_by or (key not in settings.given and model.vocabulary.merges)
        if key in settings.values and not right_place:
            say = f"say {owner}"
            _not_for_it(settings, key, f"{otherwise}, or {say}" if given_by else say)
    if not given_by and not settings.is_written("corpus"):
        of_a_vocabulary = {UNKNOWN.name} if settings.is_written("vocabulary") else set()
        for key in ("vocabulary_size", *(key.name for key in OF_A_CORPUS)):
            if key in of_a_vocabulary:
                continue
            if key in settings.values or key in settings.settings:
                _not_for_it(settings, key, "leave it out, or give a corpus to count")
    _check_marks(settings)
    _check_given(settings)


def _not_for_it(settings: TokenizerSettings, key: str, right: str) -> None:
    kind, model = settings.kind, settings.model.name
    name = f"{kind.name} with the model {model}" if kind.model not in ("", model) else kind.name
    place = f"tokenizer.{key}" if key in settings.settings else key
    settings.complain(place, f"{key} is not for the tokenizer {name}", right)


def _check_given(settings: TokenizerSettings) -> None:
    """Complains of a corpus, a size or a vocabulary beside pieces that are given, and of a
    vocabulary for a tokenizer that has none."""
    given = settings.model.vocabulary.given_by
    if given in settings.given:
        for other in filter(settings.is_written, ("corpus", "vocabulary_size")):
            wrong = f"{given} are given, so that {other} does nothing"
            settings.complain(other, wrong, "keep one of them")
    if not settings.is_written("vocabulary"):
        return
    if given == "pieces":
        wrong = f"the pieces of {settings.model.name} have their IDs in their own order"
        settings.complain("vocabulary", wrong, "leave it out")
    elif settings.is_written("corpus") and "merges" not in settings.given:
        wrong = "a vocabulary, and a corpus that one is learned from"
        settings.complain("vocabulary", wrong, "keep one of them")


def _check_marks(settings: TokenizerSettings) -> None:
    kind, marks = settings.kind, settings.marks
    if kind.words is None and marks not in kind.marks:
        own = kind.marks[0]
        if len(kind.marks) == 1:
            wrong, right = f"{kind.name} marks its pieces with {own}", f"say {own}"
        else:
            wrong = f"{kind.name} doesn't mark its pieces with {marks}"
            right = f"known: {', '.join(kind.marks)}"
        settings.complain("tokenizer.marks", wrong, right)
    if marks == "none" and "marks" not in settings.settings and settings.saved is None:
        _check_unmarked(settings)
    if marks in ("▁", "Ġ") and settings.get(CUT) != CUT.default:
        wrong = f"with the marks {marks} words begin with their spaces"
        settings.complain("tokenizer.cut", wrong, "leave it out, or mark pieces otherwise")
    if marks != "Ġ" and settings.settings.get("alphabet") == "bytes":
        settings.complain("tokenizer.alphabet", "bytes, and words aren't cut into any", "marks: Ġ")
    if marks == "Ġ" and settings.byte_fallback:
        wrong = "with the marks Ġ all characters are bytes already"
        settings.complain("tokenizer.byte_fallback", wrong, "leave it out")


def _check_unmarked(settings: TokenizerSettings) -> None:
    """Complains of given pieces that bear marks where no marks are said: they would never be found.
    Letters that the text has itself are no marks."""
    text = str(settings.values.get("sentence", ""))
    for key in sorted(settings.given & {settings.model.vocabulary.given_by}):
        given = settings.values[key]
        pieces = (
            [*given] if isinstance(given, Mapping) else [part for value in given for part in value]
        )
        for mark in (name for name in MARKS if name != "none"):
            bears = str.endswith if mark == "</w>" else str.startswith
            if mark not in text and any(bears(str(piece), mark) for piece in pieces):
                wrong = f"{key} with the mark {mark}, and no marks are said"
                right = f"say tokenizer: {{kind: {settings.kind.name}, marks: {mark}}}"
                settings.complain(key, wrong, f"{right}, or marks: none where it is no mark")


_COUNT = WholeNumber(1, 10**9)
_WORD = Choice(tuple(TOKENIZERS))
_KIND = Key("kind", _WORD, "which it is")
_OWNERS = {
    "kind": "word",
    "marks": "bpe",
    "min_count": "word",
    **dict.fromkeys(("cut", "ties"), "bpe"),
    "score": "wordpiece",
    "model": "sentencepiece",
    **dict.fromkeys(("training", "share", "longest", "whole"), "unigram"),
    **dict.fromkeys(("alphabet", "byte_fallback"), "bpe"),
    **dict.fromkeys(("normalize", "extra_spaces"), "sentencepiece"),
    **dict.fromkeys(("unknown", "special"), "word"),
}
"""For each setting a kind of tokenizer that has it."""
_SETTINGS = Record(
    OwnedKeys(lambda: _OWNERS, lambda kind: (_KIND, *tokenizer_kind(kind).settings)),
    outside=("corpus", "vocabulary_size", "merges", "pieces", "vocabulary", "sentence"),
)
_TEXT = TextKind("a text")
_TEXTS = ListOf(TextKind("a text", blank=True))
_COUNTS = MapOf(_COUNT, "word")


class _Spaced(TextKind):
    """A text of parts with a space between, as files of merges have them: `u g`."""

    def read(self, node: Node, problems: Diagnostics) -> Any:  # noqa: ANN401
        text = super().read(node, problems)
        return None if text is None else tuple(text.split(" "))


_PARTS = ListOf(TOKEN)
_MERGE = Either(lambda node: _Spaced() if isinstance(node, Scalar) else _PARTS, (_PARTS, _Spaced()))
_MERGES = ListOf(_MERGE)


def _tokenizer(node: Node) -> Kind[object]:
    if names_file(node):
        return TextFileKind()
    return _WORD if isinstance(node, Scalar) else _SETTINGS


def _corpus(node: Node) -> Kind[object]:
    if names_file(node):
        return TextFileKind()
    if isinstance(node, Map):
        return _COUNTS
    return _TEXTS if isinstance(node, Items) else _TEXT


TOKENIZING = (
    Key(
        "tokenizer",
        Either(_tokenizer, (_WORD, _SETTINGS, TextFileKind())),
        "how the sentence is cut into tokens, `whitespace` by default; `bpe`, `wordpiece`, "
        "`unigram` and `sentencepiece` cut words into pieces; with settings, below, it is "
        "`{kind: bpe, …}`; `{file: tokenizer.json}` is one that Hugging Face's `tokenizers` saved",
    ),
    Key(
        "corpus",
        Either(_corpus, (_TEXT, _TEXTS, _COUNTS, TextFileKind())),
        "what a tokenizer is learned from: a text, a list of texts, or text → count; or the lines "
        "of a file of text, `{file: corpus.txt}`; texts are cut at white space, with `▁` and `Ġ` "
        "before each space",
    ),
    Key(
        "vocabulary_size",
        _COUNT,
        "how many tokens there are to be: special tokens, single symbols and pieces",
    ),
    Key(
        "merges",
        Either(lambda node: _COUNT if looks_like_number(node) else _MERGES, (_COUNT, _MERGES)),
        "of bpe: the merges `[[u, g], [h, ug]]`, or `[u g, h ug]`, in their order, instead of "
        "learning them; or how many bpe and wordpiece are to learn, beside a vocabulary_size or "
        "instead of it",
    ),
    Key(
        "pieces",
        MapOf(NumberKind(most=0), "piece"),
        "of unigram and sentencepiece: piece → log-probability, in the order of their IDs, "
        "instead of learning them",
    ),
)
