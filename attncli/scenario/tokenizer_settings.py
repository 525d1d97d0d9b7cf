"""What a stack says of its tokenizer, with its defaults, and what of it is for another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from attncli.arithmetic.decimals import round_to
from attncli.arithmetic.rounding import Rounding
from attncli.name import Name, below
from attncli.records import NamedTuple
from attncli.refusals import Where
from attncli.scenario.keys.tokenizing import LEARNED, MARKS
from attncli.scenario.problems import Problems
from attncli.scenario.tokenizers import TOKENIZERS

if TYPE_CHECKING:  # what learns is imported by scenarios that learn
    from attncli.tokenizing.cutting import Cutting
    from attncli.tokenizing.lattice import Rounded
    from attncli.tokenizing.pieces import Affixes

Values = Mapping[str, Any]

_NOISE = 12
"""Decimals past which sums of numbers that were rounded hold noise."""
_ALIKE = 9
"""Decimals to which numbers that nobody rounds are compared."""


def kind_of(values: Values) -> str:
    """Which tokenizer a stack has."""
    said = values.get("tokenizer", "whitespace")
    return str(said) if isinstance(said, str) else str(said.get("kind", "whitespace"))


class _Only(NamedTuple):
    """A key that is for some tokenizers only, and what is right for another one."""

    key: str
    tokenizers: tuple[str, ...]
    right: str


_BPE, _WORDPIECE, _UNIGRAM, _SENTENCEPIECE = LEARNED
_FOR = (
    _Only("merges", (_BPE,), "give the vocabulary, or say bpe"),
    _Only("pieces", (_UNIGRAM,), "leave them out, or say unigram"),
    _Only("tokenizer.marks", LEARNED, "leave it out"),
    _Only("tokenizer.score", (_WORDPIECE,), "leave it out, or say wordpiece"),
    *(
        _Only(f"tokenizer.{key}", (_SENTENCEPIECE,), "leave it out, or say sentencepiece")
        for key in ("model", "normalize")
    ),
    *(
        _Only(f"tokenizer.{key}", (_UNIGRAM,), "leave it out, or say unigram")
        for key in ("training", "share", "longest", "whole")
    ),
    _Only("tokenizer.alphabet", (_BPE,), "leave it out, or say bpe"),
    _Only("tokenizer.byte_fallback", (_BPE, _UNIGRAM), "leave it out, or say bpe or unigram"),
)
_OF_A_CORPUS = (
    "vocabulary_size",
    *("tokenizer.min_count", "tokenizer.unknown", "tokenizer.special"),
)
_MARKS_OF = {
    _BPE: tuple(MARKS),
    _WORDPIECE: ("##",),
    _UNIGRAM: ("none", "▁", "Ġ"),
    _SENTENCEPIECE: ("▁",),
}
"""The marks that a tokenizer may have, its own first."""
_UNKNOWN_OF = {_WORDPIECE: "[UNK]", _UNIGRAM: "<unk>", _SENTENCEPIECE: "<unk>"}
_STEP_OF = {
    "log_p": "estimate",
    **dict.fromkeys(("cut_scores", "growth"), "prune"),
    **dict.fromkeys(("totals", "best"), "viterbi"),
}


class TokenizerSettings(NamedTuple):
    """What one stack says of its tokenizer."""

    path: Name
    values: Values
    where: Callable[[str], Where]
    problems: Problems
    rounding: Rounding
    large: bool = False

    @property
    def kind(self) -> str:
        return kind_of(self.values)

    @property
    def algorithm(self) -> str:
        """What pieces are learned by: bpe, wordpiece or unigram; of whole words nothing."""
        if self.kind == _SENTENCEPIECE:
            return str(self.setting("model", _UNIGRAM))
        return self.kind if self.kind in LEARNED else ""

    def setting(self, key: str, usual: Any) -> Any:  # noqa: ANN401
        """One of the settings `tokenizer: {…}`."""
        return self._settings.get(key, usual)

    @property
    def _settings(self) -> Values:
        said = self.values.get("tokenizer")
        return said if isinstance(said, Mapping) else {}

    @property
    def marks(self) -> str:
        return str(self.setting("marks", _MARKS_OF.get(self.kind, ("none",))[0]))

    @property
    def affixes(self) -> Affixes:
        from attncli.tokenizing.pieces import Affixes

        return Affixes(*MARKS[self.marks])

    @property
    def cutting(self) -> Cutting:
        """How a text is cut into words."""
        from attncli.tokenizing.cutting import Bytes, Metaspace, WhiteSpace

        if self.kind in TOKENIZERS:
            return WordCutting(self.kind)
        if self.marks == "▁":
            return Metaspace(nfkc=self.setting("normalize", "none") == "nfkc")
        return Bytes() if self.marks == "Ġ" else WhiteSpace(self.affixes)

    @property
    def unknown(self) -> str | None:
        unknown = self.setting("unknown", _UNKNOWN_OF.get(self.kind))
        return None if unknown is None else str(unknown)

    @property
    def byte_fallback(self) -> bool:
        return bool(self.setting("byte_fallback", False))

    @property
    def special(self) -> tuple[str, ...]:
        """The tokens that come first: the unknown one, those that are named, those of bytes."""
        from attncli.tokenizing.pieces import BYTE_TOKENS, front_of

        front = front_of(tuple(self.setting("special", ())), self.unknown)
        return (*front, *(BYTE_TOKENS if self.byte_fallback else ()))

    @property
    def rounded(self) -> Rounded:
        """How the numbers are rounded that decide what is learned, and how words are cut: as they
        are on the page, so that it never shows another choice than they do."""

        of_step = self.rounding.decimals_of
        decimals = {name: of_step(step, Name(name)) for name, step in _STEP_OF.items()}

        def carried(name: str, number: float) -> float:
            if name not in decimals:
                return number
            return float(round_to(Decimal(repr(round(number, _NOISE))), decimals[name]))

        def exact(name: str, number: float) -> float:
            return number if name in _STEP_OF else round(number, _ALIKE)

        return carried if self.rounding.carries else exact

    @property
    def decimals_of_scores(self) -> int | None:
        """What the scores of pairs are rounded to before they decide; None where they aren't."""
        return self.rounding.decimals_of("learn", Name("scores")) if self.rounding.carries else None

    def is_written(self, key: str) -> bool:
        """Whether a key is in the file, read or not."""
        return key in self.values or self.where(below(self.path, key)) != self.where(self.path)

    @property
    def is_misplaced(self) -> bool:
        """Whether what pieces are learned from, or given by, stands among the settings."""
        inside = below(self.path, "tokenizer")
        keys = ("corpus", "merges", "pieces", "vocabulary")
        return any(self.where(f"{inside}.{key}") != self.where(inside) for key in keys)

    def complain(self, key: str, wrong: str, right: str) -> None:
        self.problems.add(self.where(below(self.path, key)), wrong, right)

    def check(self) -> None:
        """Complains of what is said that is not for this tokenizer."""
        own = {self.kind, self.algorithm}
        for key, tokenizers, right in _FOR:
            if own.isdisjoint(tokenizers):
                self._check_absent(key, right if self.algorithm else _of_words(key))
        if not self.algorithm and not self.is_written("corpus"):
            for key in _OF_A_CORPUS:
                self._check_absent(key, "leave it out, or give a corpus to count")
        self._check_marks()
        self._check_given()
        if self.is_written("vocabulary"):
            self._check_vocabulary()

    def _check_absent(self, key: str, right: str) -> None:
        inside = key.partition(".")[2]
        if (inside and inside in self._settings) or key in self.values:
            self.complain(key, f"{inside or key} is not for the tokenizer {self._named}", right)

    @property
    def _named(self) -> str:
        """The tokenizer, and what it learns by if that is not its own."""
        bpe = self.kind == _SENTENCEPIECE and self.algorithm == _BPE
        return f"{self.kind} with the model bpe" if bpe else self.kind

    def _check_given(self) -> None:
        """What is given isn't learned."""
        key = {_BPE: "merges", _UNIGRAM: "pieces"}.get(self.algorithm, "")
        if key in self.values:
            for other in filter(self.is_written, ("corpus", "vocabulary_size")):
                wrong = f"{key} are given, so that {other} does nothing"
                self.complain(other, wrong, "keep one of them")

    def _check_vocabulary(self) -> None:
        """A vocabulary with IDs is for merges, for wordpiece, and where nothing is learned."""
        if self.algorithm == _UNIGRAM:
            wrong = "the pieces of unigram have their IDs in their own order"
            self.complain("vocabulary", wrong, "leave it out")
        elif self.is_written("corpus") and "merges" not in self.values:
            wrong = "a vocabulary, and a corpus that one is learned from"
            self.complain("vocabulary", wrong, "keep one of them")

    def _check_marks(self) -> None:
        known = _MARKS_OF.get(self.kind, (self.marks,))
        if self.marks not in known:
            own = f"say {known[0]}" if len(known) == 1 else f"known: {', '.join(known)}"
            wrong = f"{self.kind} marks its pieces with {known[0]}"
            if len(known) > 1:
                wrong = f"{self.kind} doesn't mark its pieces with {self.marks}"
            self.complain("tokenizer.marks", wrong, own)
        if self.marks != "Ġ" and self.setting("alphabet", "corpus") == "bytes":
            self.complain("tokenizer.alphabet", "bytes, and words aren't cut into any", "marks: Ġ")
        if self.marks == "Ġ" and self.byte_fallback:
            self.complain(
                "tokenizer.byte_fallback", "with the marks Ġ all characters are bytes already",
                "leave it out",
            )  # fmt: skip


def _of_words(key: str) -> str:
    """What is right where whole words are tokens."""
    return {"merges": "say bpe", "pieces": "say unigram"}.get(key, "leave it out")


class WordCutting(NamedTuple):
    """A tokenizer's way of cutting a text, by its name."""

    kind: str

    def cut(self, text: str) -> list[str]:
        return TOKENIZERS[self.kind](text)

    def join(self, tokens: Sequence[str]) -> str:
        return ("" if self.kind == "character" else " ").join(tokens)
