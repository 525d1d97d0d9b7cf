"""Tokenizers that cut words into pieces: learned from a scenario's corpus, or given by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.scenario.keys.tokenizing import LEARNED, MARKS
from attncli.scenario.model import Tokenizing, below
from attncli.scenario.problems import Problems, Where
from attncli.scenario.tokenizers import TOKENIZERS

if TYPE_CHECKING:  # what learns is imported by scenarios that learn
    from attncli.tokenizing.corpus import Word
    from attncli.tokenizing.pieces import Affixes, Model
    from attncli.tokenizing.rounds import Learned

Values = Mapping[str, Any]
Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much in all."""


def kind_of(values: Values) -> str:
    """Which tokenizer a stack has."""
    said = values.get("tokenizer", "whitespace")
    return str(said) if isinstance(said, str) else str(said.get("kind", "whitespace"))


_OF_A_CORPUS = (
    "vocabulary_size",
    *("tokenizer.min_count", "tokenizer.unknown", "tokenizer.special"),
)


class _Cutting(NamedTuple):
    """A tokenizer's way of cutting a text, by its name."""

    kind: str

    def cut(self, text: str) -> list[str]:
        return TOKENIZERS[self.kind](text)

    def join(self, tokens: Sequence[str]) -> str:
        return ("" if self.kind == "character" else " ").join(tokens)


class TokenizerBuilder(NamedTuple):
    """Builds the tokenizer of one stack."""

    path: str
    values: Values
    where: Callable[[str], Where]
    problems: Problems
    progress: Progress | None = None

    def build(self) -> Tokenizing | None:
        """The tokenizer, if it is one that cuts words into pieces; what is wrong with it goes to
        the problems."""
        self._check_foreign()
        if self._kind not in LEARNED:
            return self._dictionary() if "corpus" in self.values else None
        if "merges" in self.values or "corpus" not in self.values:
            return self._given()
        return self._learned()

    @property
    def _kind(self) -> str:
        return kind_of(self.values)

    @property
    def _settings(self) -> Values:
        said = self.values.get("tokenizer")
        return said if isinstance(said, Mapping) else {}

    @property
    def _affixes(self) -> Affixes:
        from attncli.tokenizing.pieces import Affixes

        usual = "##" if self._kind == "wordpiece" else "none"
        return Affixes(*MARKS[self._settings.get("marks", usual)])

    @property
    def _unknown(self) -> str | None:
        usual = "[UNK]" if self._kind == "wordpiece" else None
        unknown = self._settings.get("unknown", usual)
        return None if unknown is None else str(unknown)

    def _check_foreign(self) -> None:
        """Complains of what is said that is not for this tokenizer."""
        if self._kind not in LEARNED:
            self._check_absent("merges", "say bpe")
            for key in ("tokenizer.marks", "tokenizer.score"):
                self._check_absent(key, "leave it out")
            if not self._is_written("corpus"):
                for key in _OF_A_CORPUS:
                    self._check_absent(key, "leave it out, or give a corpus to count")
        elif self._kind == "wordpiece":
            self._check_absent("merges", "give the vocabulary, or say bpe")
            if self._settings.get("marks", "##") != "##":
                self._complain("tokenizer.marks", "wordpiece marks its pieces with ##", "say ##")
        else:
            self._check_absent("tokenizer.score", "leave it out, or say wordpiece")

    def _check_absent(self, key: str, right: str) -> None:
        inside = key.partition(".")[2]
        if (inside and inside in self._settings) or key in self.values:
            self._complain(key, f"{inside or key} is not for the tokenizer {self._kind}", right)

    def _is_written(self, key: str) -> bool:
        """Whether a key is in the file, read or not."""
        return self.where(below(self.path, key)) != self.where(self.path)

    def _given(self) -> Tokenizing | None:
        vocabulary: Mapping[str, int] = self.values.get("vocabulary") or {}
        if self._kind == "wordpiece" and vocabulary:
            from attncli.tokenizing.longest import LongestMatch

            return self._made(LongestMatch(vocabulary, self._unknown))
        if self._kind == "bpe" and "merges" in self.values:
            return self._of_merges(vocabulary)
        if any(map(self._is_written, ("corpus", "merges"))):  # it has a complaint of its own
            return None
        needed = "the vocabulary" if self._kind == "wordpiece" else "merges"
        self._complain(
            "tokenizer", f"nothing tells what pieces {self._kind} has",
            f"give a corpus with a vocabulary_size, or {needed}",
        )  # fmt: skip
        return None

    def _of_merges(self, vocabulary: Mapping[str, int]) -> Tokenizing | None:
        from attncli.tokenizing.merging import Merges, check_merges, vocabulary_of

        merges = [tuple(pair) for pair in self.values["merges"]]
        wrongs = check_merges(merges, self._affixes, vocabulary or None)
        for problem in wrongs:
            wrong = f"merge {problem.index + 1}: {problem.what}"
            self._complain("merges", wrong, "give them in the order in which they were learned")
        if wrongs:
            return None
        pairs = tuple((pair[0], pair[1]) for pair in merges)
        known = vocabulary or vocabulary_of(pairs, self._affixes, self._special)
        return self._made(Merges(known, pairs, self._affixes, self._unknown))

    @property
    def _special(self) -> tuple[str, ...]:
        special = tuple(self._settings.get("special", ()))
        front = [self._unknown] if self._unknown and self._unknown not in special else []
        return (*front, *special)

    def _words(self, cut: Callable[[str], list[str]]) -> tuple[Word, ...]:
        """The words of the corpus, which has some."""
        from attncli.tokenizing.corpus import count_words

        words = count_words(self.values["corpus"], cut)
        if not words:
            self._complain("corpus", "the corpus has no words", "write some")
        return words

    def _dictionary(self) -> Tokenizing | None:
        """A dictionary of whole words, as the corpus has them."""
        from attncli.tokenizing.dictionary import make_dictionary
        from attncli.tokenizing.tokenizer import WordTokenizer

        cutting = _Cutting(self._kind)
        words = self._words(cutting.cut)
        size = self.values.get("vocabulary_size")
        if size is not None and size < len(self._special):
            self._complain(
                "vocabulary_size", f"{size} tokens, and {len(self._special)} of them special",
                "say more",
            )  # fmt: skip
            return None
        counted = make_dictionary(
            words,
            min_count=self._settings.get("min_count", 1),
            most=None if size is None else size - len(self._special),
            special=self._special,
            unknown=self._unknown,
        )
        return Tokenizing(WordTokenizer(cutting, counted.model), words, counted=counted)

    def _learned(self) -> Tokenizing | None:
        from attncli.tokenizing.cutting import WhiteSpace
        from attncli.tokenizing.learning import Settings, learn

        if "vocabulary_size" not in self.values:
            self._complain(
                "corpus", "a corpus to learn from, and no vocabulary_size", "say how many tokens"
            )
            return None
        words = self._words(WhiteSpace().cut)
        if not words:
            return None
        usual = "likelihood" if self._kind == "wordpiece" else "count"
        settings = Settings(
            size=self.values["vocabulary_size"],
            min_count=self._settings.get("min_count", 1),
            affixes=self._affixes,
            special=self._special,
            bare=False,
            score=self._settings.get("score", usual),
        )
        try:
            learned = learn(words, settings, progress=self.progress)
        except ValueError as error:
            wrong, _, right = str(error).partition("; ")
            self._complain("vocabulary_size", wrong, right or "a larger one")
            return None
        return self._made(self._model(learned), learned, settings.score)

    def _model(self, learned: Learned) -> Model:
        from attncli.tokenizing.longest import LongestMatch
        from attncli.tokenizing.merging import Merges

        if self._kind == "wordpiece":
            return LongestMatch(learned.vocabulary, self._unknown)
        return Merges(learned.vocabulary, learned.merges, self._affixes, self._unknown)

    def _made(self, model: Model, learned: Learned | None = None, score: str = "") -> Tokenizing:
        from attncli.tokenizing.cutting import WhiteSpace
        from attncli.tokenizing.tokenizer import WordTokenizer

        tokenizer = WordTokenizer(WhiteSpace(self._affixes), model)
        words = () if learned is None else learned.words
        return Tokenizing(tokenizer, words, learned, score)

    def _complain(self, key: str, wrong: str, right: str) -> None:
        self.problems.add(self.where(below(self.path, key)), wrong, right)
