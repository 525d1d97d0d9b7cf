"""Tokenizers that cut words into pieces: learned from a scenario's corpus, or given by it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from attncli.records import NamedTuple
from attncli.scenario import given_pieces, learning_cost
from attncli.scenario.model import Tokenizing
from attncli.scenario.problems import ScenarioError
from attncli.scenario.tokenizer_settings import TokenizerSettings

if TYPE_CHECKING:  # what learns is imported by scenarios that learn
    from attncli.tokenizing.corpus import CountedWord
    from attncli.tokenizing.pieces import Model
    from attncli.tokenizing.rounds import Learned

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much in all."""

_MOST_SEEDS = 5000
"""Substrings that can still be tried one by one."""


def tokenizing_of(said: TokenizerSettings, progress: Progress | None = None) -> Tokenizing | None:
    """The tokenizer of a stack with a vocabulary of its own; what is wrong with it goes to the
    problems."""
    if not said.algorithm:
        return _Training(said).dictionary()
    given = any(key in said.values for key in ("merges", "pieces"))
    if given or "corpus" not in said.values:
        return given_pieces.tokenizing_of(said)
    return _Training(said, progress).learned()


class _Training(NamedTuple):
    """What is learned from the corpus of one stack."""

    said: TokenizerSettings
    progress: Progress | None = None

    def _words(self) -> tuple[CountedWord, ...]:
        """The words of the corpus, which has some."""
        from attncli.tokenizing.corpus import count_words

        words = count_words(self.said.values["corpus"], self.said.cutting.cut)
        if not words:
            self.said.complain("corpus", "the corpus has no words", "write some")
        return words

    def dictionary(self) -> Tokenizing | None:
        """A dictionary of whole words, as the corpus has them."""
        from attncli.tokenizing.dictionary import make_dictionary
        from attncli.tokenizing.tokenizer import WordTokenizer

        said, words = self.said, self._words()
        size, special = said.values.get("vocabulary_size"), said.special
        if size is not None and size < len(special):
            said.complain(
                "vocabulary_size", f"{size} tokens, and {len(special)} of them special", "say more"
            )
            return None
        counted = make_dictionary(
            words,
            min_count=said.setting("min_count", 1),
            most=None if size is None else size - len(special),
            special=special,
            unknown=said.unknown,
        )
        return Tokenizing(WordTokenizer(said.cutting, counted.model), words, counted=counted)

    def learned(self) -> Tokenizing | None:
        """Pieces of words."""
        if "vocabulary_size" not in self.said.values:
            if not self.said.is_written("vocabulary_size"):  # else it has a complaint of its own
                wrong = "a corpus to learn from, and no vocabulary_size"
                self.said.complain("corpus", wrong, "say how many tokens")
            return None
        words = self._words()
        if not words:
            return None
        learn = self._unigram if self.said.algorithm == "unigram" else self._merges
        try:
            return learn(words)
        except ScenarioError:  # of too much
            raise
        except ValueError as error:
            wrong, _, right = str(error).partition("; ")
            self.said.complain("vocabulary_size", wrong, right or "a larger one")
            return None

    def _merges(self, words: tuple[CountedWord, ...]) -> Tokenizing:
        """Merges by counts or by likelihood. Raises ValueError for a size that can't be met."""
        from attncli.tokenizing.cutting import BYTE_ALPHABET
        from attncli.tokenizing.learning import Settings, learn
        from attncli.tokenizing.tokenizer import WordTokenizer

        said = self.said
        usual = "likelihood" if said.algorithm == "wordpiece" else "count"
        settings = Settings(
            size=said.values["vocabulary_size"],
            min_count=said.setting("min_count", 1),
            affixes=said.affixes,
            special=said.special,
            alphabet=BYTE_ALPHABET if said.setting("alphabet", "corpus") == "bytes" else (),
            score=said.setting("score", usual),
            decimals=said.decimals_of_scores,
        )
        likely = settings.score == "likelihood"
        cost = learning_cost.of_merges(words, said.values["vocabulary_size"], by_likelihood=likely)
        learning_cost.check(said, words, cost)
        learned = learn(words, settings, progress=self.progress)
        tokenizer = WordTokenizer(said.cutting, self._model(learned))
        return Tokenizing(tokenizer, words, learned, settings.score)

    def _model(self, learned: Learned) -> Model:
        from attncli.tokenizing.longest import LongestMatch
        from attncli.tokenizing.merging import Merges

        said, vocabulary = self.said, learned.vocabulary
        if said.algorithm == "wordpiece":
            return LongestMatch(vocabulary, said.unknown)
        return Merges(vocabulary, learned.merges, said.affixes, said.unknown, said.byte_fallback)

    def _unigram(self, words: tuple[CountedWord, ...]) -> Tokenizing | None:
        """Pieces with log-probabilities. Raises ValueError for a size that can't be met."""
        return (
            self._expected(words)
            if self.said.setting("training", "counts") == "expected"
            else self._counted(words)
        )

    def _counted(self, words: tuple[CountedWord, ...]) -> Tokenizing | None:
        from attncli.tokenizing.lesson import Lesson, seed_counts, teach
        from attncli.tokenizing.tokenizer import WordTokenizer

        said = self.said
        lesson = Lesson(
            size=said.values["vocabulary_size"],
            special=said.special,
            unknown=said.unknown,
            longest=said.setting("longest", Lesson._field_defaults["longest"]),
            min_count=said.setting("min_count", Lesson._field_defaults["min_count"]),
            whole=said.setting("whole", True),
            share=Fraction(said.setting("share", Lesson._field_defaults["share"])),
            rounded=said.rounded,
            byte_fallback=said.byte_fallback,
        )
        seeds = seed_counts(words, lesson)
        if len(seeds) > _MOST_SEEDS:
            said.complain(
                "corpus",
                f"it has {len(seeds)} substrings to start with, too many to try each of them",
                "say training: expected, a smaller `longest`, or a larger `min_count`",
            )  # fmt: skip
            return None
        cost = learning_cost.of_trials(words, seeds, lesson.size, float(lesson.share))
        learning_cost.check(said, words, cost)
        taught = teach(words, lesson, progress=self.progress)
        tokenizer = WordTokenizer(said.cutting, taught.model)
        pieces = tuple(one.token for one in taught.rounds[-1].pieces)
        return Tokenizing(tokenizer, words, taught=taught, pieces=pieces)

    def _expected(self, words: tuple[CountedWord, ...]) -> Tokenizing:
        from attncli.tokenizing.training import Training, train

        said = self.said
        for key in ("share", "whole", "min_count"):
            if said.setting(key, None) is not None:
                said.complain(
                    f"tokenizer.{key}", f"{key} is for the training by counts",
                    "leave it out, or say training: counts",
                )  # fmt: skip
        training = Training(
            size=said.values["vocabulary_size"],
            special=said.special,
            unknown=said.unknown,
            byte_fallback=said.byte_fallback,
            longest=said.setting("longest", Training._field_defaults["longest"]),
        )
        cost = learning_cost.of_expectation(words, training.size, 1 - training.shrinking)
        learning_cost.check(said, words, cost)
        trained = train(words, training, progress=self.progress)
        scored = given_pieces.rounded_scores(said, trained.model)
        return given_pieces.of_scores(said, scored)._replace(words=words, trained=trained)
