"""What some values stand for: the vectors of `one_hot`, a tokenizer with its vocabulary and its
numbers."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from attncli.arithmetic.matrix import Matrix
from attncli.building.given_matrices import matrices_in
from attncli.building.texts import ONE_HOT_TABLE, TOKENIZED, one_hot, one_hot_tokens
from attncli.file.files import CORPORA, TOKENIZERS, RefusedFileError, TextFile, text_of
from attncli.file.problems import NamedProblems, too_much
from attncli.name import Name, below
from attncli.scenario.budget import MOST_NUMBERS
from attncli.scenario.model import ENCODER, Stack, Tokenizing
from attncli.scenario.tokenizers.settings import TokenizerSettings, check
from attncli.steps.input.embeddings import ONE_HOT
from attncli.steps.schema import LAYER

_MADE = ("vocabulary", "merges", "pieces", "corpus", "vocabulary_size")


class FileReader(NamedTuple):
    """What reads the files that a scenario names besides its matrices."""

    folder: Path | None
    outside: bool
    complaints: NamedProblems

    def read(self, values: Values, path: Name) -> Values:
        """The values of a stack with what its files say, and those of its encoder."""
        told = dict(values)
        for key, kinds, reading in (
            ("corpus", CORPORA, lambda text, _: {"corpus": tuple(text.splitlines())}),
            ("tokenizer", TOKENIZERS, lambda text, said: self._saved(text, said, path)),
        ):
            if isinstance(told.get(key), TextFile):
                try:
                    text = text_of(told.pop(key), self.folder, self.outside, kinds)
                    told |= reading(text, told)
                except RefusedFileError as refused:
                    self.complaints.add(below(path, key), refused.wrong, refused.right)
        if "encoder" in told:
            told["encoder"] = self.read(told["encoder"], ENCODER)
        return told

    def _saved(self, text: str, told: Values, path: Name) -> Values:
        """The settings and pieces of a tokenizer.json. Raises RefusedFileError."""
        from attncli.scenario.tokenizers import hugging_face

        saved = hugging_face.read(text)
        for key in (key for key in _MADE if key in told):
            wrong = f"{key} beside a tokenizer that is in a file with all that it has"
            self.complaints.add(below(path, key), wrong, "keep one of them")
        return saved


Values = Mapping[str, Any]
_COPIES = 4
"""Each vector is a matrix of its own before they are one table."""


_OWN = ("block", "mask", "cell", "direction")
"""What an encoder does otherwise than what reads it, unless it is said of the encoder itself."""
_OF_THE_STACK = ("positions", "embedding_scale")


def with_inherited(values: Values) -> Values:
    """The values with what an encoder takes over from the top, where it says no other: how layers
    of attention are made, and how positions are told, but no matrices."""
    encoder = values.get("encoder")
    if encoder is None or any("cell" in one for one in (encoder, *encoder.get("layers", ()))):
        return values
    shared = (key.name for key in LAYER.values() if key.shared and key.name not in _OWN)
    of_stack = () if "X" in encoder else _OF_THE_STACK  # nothing goes into an X that is given
    taken = {key for key in (*shared, *of_stack) if key in values and key not in encoder}
    taken -= {"kv_heads"} if "heads" in encoder else set()  # which are of other heads
    said = {key: values[key] for key in taken if not matrices_in({key: values[key]})}
    return {**values, "encoder": {**said, **encoder}}


def spelled_out(said: TokenizerSettings, most: int = MOST_NUMBERS) -> Values:
    """The values with what they stand for: a tokenizer and its vocabulary, the vectors of
    `one_hot`, which have at most so many numbers; of an encoder too."""
    told = dict(said.values)
    tokenizing = _tokenizing(said)
    if tokenizing is not None:
        told[TOKENIZED] = tokenizing
        told["vocabulary"] = dict(tokenizing.tokenizer.vocabulary)
    if "ids" in told:
        _name_ids(said, told)
    if told.get("embeddings") == ONE_HOT:
        told["embeddings"], told[ONE_HOT_TABLE] = _one_hot(said, told, most), True
        if not told["embeddings"]:
            wrong = "one_hot, and no tokens to tell apart"
            said.complain("embeddings", wrong, "give a sentence or a vocabulary")
            del told["embeddings"]
    if "encoder" in told:
        encoder = said._replace(path=ENCODER, values=told["encoder"])
        told["encoder"] = spelled_out(encoder, most)
    return told


def _name_ids(said: TokenizerSettings, told: dict[str, Any]) -> None:
    """Calls tokens that are given by their IDs as the vocabulary does, or by these."""
    for other in ("sentence", "tokens"):
        if other in told:
            wrong = f"ids beside {other}, which say the tokens, too"
            said.complain("ids", wrong, "keep one of them")
    names = {number: token for token, number in told.get("vocabulary", {}).items()}
    tokens = tuple(names.get(number, str(number)) for number in told["ids"])
    told["tokens"] = tokens
    told["vocabulary"] = {
        **told.get("vocabulary", {}),
        **dict(zip(tokens, told["ids"], strict=True)),
    }


def _tokenizing(said: TokenizerSettings) -> Tokenizing | None:
    """The tokenizer of a stack, if it has a vocabulary of its own."""
    check(said)
    unknown_to_it = said.unknown is not None and "vocabulary" in said.values
    if not (said.model.given_by or "corpus" in said.values or unknown_to_it):
        return None
    from attncli.scenario.tokenizers import making

    return making.tokenizing_of(said)


def _one_hot(said: TokenizerSettings, told: Values, most: int) -> dict[str, Matrix]:
    """The vectors of `one_hot`. Raises ScenarioError where they have too many numbers."""
    tokens = one_hot_tokens(told)
    if len(tokens) ** 2 > most // _COPIES:
        wrong = f"{len(tokens):,} × {len(tokens):,} numbers of one_hot"
        raise too_much(said.complaints.where("embeddings"), wrong, "give fewer tokens")
    return one_hot(tokens)


def numbers_of_texts(*stacks: Stack | None) -> dict[Name, Matrix]:
    """How often each word of a corpus occurs, where a tokenizer was learned from one; and the
    log-probabilities of pieces that have some."""
    found: dict[Name, Matrix] = {}
    for stack in stacks:
        tokenizing = stack.text.tokenizing if stack else None
        if stack is None or tokenizing is None:
            continue
        if tokenizing.words:
            counts = [[Decimal(word.count)] for word in tokenizing.words]
            found[below(stack.path, "word_counts")] = Matrix.of_written(counts)
        if tokenizing.log_p is not None:
            found[below(stack.path, "log_p")] = tokenizing.log_p
    return found
