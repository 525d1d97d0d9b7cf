"""Values that a scenario implies: of its files, its tokenizer, `one_hot`, and of an encoder."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from attncli.maths.equations.matrix import Matrix
from attncli.names import Name, below
from attncli.pipeline.given_matrices import matrices_in
from attncli.pipeline.texts import ONE_HOT_TABLE, TOKENIZED, one_hot, one_hot_tokens
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.named_files import (
    CORPORA,
    TOKENIZERS,
    RefusedFileError,
    TextFile,
    text_of,
)
from attncli.scenario.file.problems import NamedProblems, too_much
from attncli.scenario.model import ENCODER, Stack, Tokenizing
from attncli.scenario.scenario import MOST_NUMBERS
from attncli.scenario.tokenizers.settings import TokenizerSettings, check
from attncli.scenario.written import WrittenStep
from attncli.steps.input.embeddings import ONE_HOT
from attncli.steps.schema import LAYER

_MADE = ("vocabulary", "merges", "pieces", "corpus", "vocabulary_size")


class FileReader(NamedTuple):
    """A reader of the files that a scenario names besides its matrices."""

    folder: Path | None
    outside: bool
    complaints: NamedProblems

    def read(self, values: KeyValues, path: Name) -> KeyValues:
        """Returns the values of a stack with what its files say, and those of its encoder."""
        data = dict(values)
        for key, kinds, reading in (
            ("corpus", CORPORA, lambda text, _: {"corpus": tuple(text.splitlines())}),
            ("tokenizer", TOKENIZERS, lambda text, value: self._saved(text, value, path)),
        ):
            if isinstance(data.get(key), TextFile):
                try:
                    text = text_of(data.pop(key), self.folder, self.outside, kinds)
                    data |= reading(text, data)
                except RefusedFileError as refused:
                    self.complaints.add(below(path, key), refused.wrong, refused.right)
        if isinstance(data.get("steps"), TextFile):
            data["steps"] = self._steps(data["steps"])
        if "encoder" in data:
            data["encoder"] = self.read(data["encoder"], ENCODER)
        return data

    def _steps(self, file: TextFile) -> Mapping[str, WrittenStep]:
        from attncli.steps.written.files import steps_in  # which few scenarios need

        problems = self.complaints.problems
        try:
            return steps_in(file, self.folder, self.outside, problems)
        except RefusedFileError as refused:
            problems.add(file.where, refused.wrong, refused.right)
            return {}

    def _saved(self, text: str, values: KeyValues, path: Name) -> KeyValues:
        """Returns the settings and pieces of a tokenizer.json. Raises RefusedFileError."""
        from attncli.scenario.tokenizers import hugging_face

        saved = hugging_face.read(text)
        for key in (key for key in _MADE if key in values):
            wrong = f"{key} beside a tokenizer that is in a file with all that it has"
            self.complaints.add(below(path, key), wrong, "keep one of them")
        return saved


_COPIES = 4
"""Each vector is a matrix of its own before they are one table."""


_OWN = ("block", "mask", "cell", "direction")
"""The keys of an encoder that it doesn't take over from what reads it."""
_OF_THE_STACK = ("positions", "embedding_scale")


def with_inherited(values: KeyValues) -> KeyValues:
    """Returns the values with what an encoder takes over from the top, where it says no other: how
    layers of attention are made, and how positions are told, but no matrices."""
    encoder = values.get("encoder")
    if encoder is None or any("cell" in value for value in (encoder, *encoder.get("layers", ()))):
        return values
    shared = (key.name for key in LAYER.values() if key.shared and key.name not in _OWN)
    of_stack = () if "X" in encoder else _OF_THE_STACK  # nothing goes into an X that is given
    taken = {key for key in (*shared, *of_stack) if key in values and key not in encoder}
    taken -= {"kv_heads"} if "heads" in encoder else set()  # which are of other heads
    data = {key: values[key] for key in taken if not matrices_in({key: values[key]})}
    return {**values, "encoder": {**data, **encoder}}


def with_tokenizers(settings: TokenizerSettings, most: int = MOST_NUMBERS) -> KeyValues:
    """Returns the values with what they stand for, of an encoder too: a tokenizer and its
    vocabulary, and the vectors of `one_hot`, which have at most so many numbers."""
    data = dict(settings.values)
    tokenizing = _tokenizing(settings)
    if tokenizing is not None:
        data[TOKENIZED] = tokenizing
        data["vocabulary"] = dict(tokenizing.tokenizer.vocabulary)
    if "ids" in data:
        _name_ids(settings, data)
    if data.get("embeddings") == ONE_HOT:
        data["embeddings"], data[ONE_HOT_TABLE] = _one_hot(settings, data, most), True
        if not data["embeddings"]:
            wrong = "one_hot, and no tokens to tell apart"
            settings.complain("embeddings", wrong, "give a sentence or a vocabulary")
            del data["embeddings"]
    if "encoder" in data:
        encoder = settings._replace(path=ENCODER, values=data["encoder"])
        data["encoder"] = with_tokenizers(encoder, most)
    return data


def _name_ids(settings: TokenizerSettings, data: dict[str, Any]) -> None:
    """Calls tokens that are given by their IDs as the vocabulary does, or by these."""
    for other in ("sentence", "tokens"):
        if other in data:
            wrong = f"ids beside {other}, which say the tokens, too"
            settings.complain("ids", wrong, "keep one of them")
    names = {number: token for token, number in data.get("vocabulary", {}).items()}
    tokens = tuple(names.get(number, str(number)) for number in data["ids"])
    data["tokens"] = tokens
    data["vocabulary"] = {
        **data.get("vocabulary", {}),
        **dict(zip(tokens, data["ids"], strict=True)),
    }


def _tokenizing(settings: TokenizerSettings) -> Tokenizing | None:
    """Makes the tokenizer of a stack; returns None where it has no vocabulary of its own."""
    check(settings)
    unknown_to_it = settings.unknown is not None and "vocabulary" in settings.values
    if not (settings.model.vocabulary.given_by or "corpus" in settings.values or unknown_to_it):
        return None
    from attncli.scenario.tokenizers import making

    return making.tokenizing_of(settings)


def _one_hot(settings: TokenizerSettings, values: KeyValues, most: int) -> dict[str, Matrix]:
    """Returns the vectors of `one_hot`. Raises ScenarioError where they have too many numbers."""
    tokens = one_hot_tokens(values)
    if len(tokens) ** 2 > most // _COPIES:
        wrong = f"{len(tokens):,} × {len(tokens):,} numbers of one_hot"
        raise too_much(settings.complaints.where("embeddings"), wrong, "give fewer tokens")
    return one_hot(tokens)


def numbers_of_texts(*stacks: Stack | None) -> dict[Name, Matrix]:
    """Returns how often each word of a corpus occurs, where a tokenizer was learned from one, and
    the log-probabilities of pieces that have some, by full names."""
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
