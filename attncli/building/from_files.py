"""A corpus and a tokenizer that are in files of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attncli.file.files import RefusedFileError
from attncli.file.problems import NamedProblems
from attncli.file.text_files import CORPORA, TOKENIZERS, TextFile, text_of
from attncli.name import Name, below
from attncli.scenario.model import ENCODER

Values = Mapping[str, Any]
_MADE = ("vocabulary", "merges", "pieces", "corpus", "vocabulary_size")


class FileReader(NamedTuple):
    """What reads the files that a scenario names besides its matrices."""

    folder: Path | None
    outside: bool
    complaints: NamedProblems

    def read(self, values: Values, path: Name) -> Values:
        """The values of a stack with what its files say, and those of its encoder."""
        told = dict(values)
        if isinstance(told.get("corpus"), TextFile):
            told |= self._corpus(told.pop("corpus"), path)
        if isinstance(told.get("tokenizer"), TextFile):
            told |= self._tokenizer(told.pop("tokenizer"), told, path)
        if "encoder" in told:
            told["encoder"] = self.read(told["encoder"], ENCODER)
        return told

    def _corpus(self, file: TextFile, path: Name) -> Values:
        """The lines of a file."""
        try:
            text = text_of(file, self.folder, self.outside, CORPORA)
        except RefusedFileError as refused:
            self._refuse(below(path, "corpus"), refused)
            return {}
        return {"corpus": tuple(text.splitlines())}

    def _tokenizer(self, file: TextFile, told: Values, path: Name) -> Values:
        """The settings and pieces of a tokenizer.json."""
        from attncli.scenario.tokenizers import hugging_face

        try:
            text = text_of(file, self.folder, self.outside, TOKENIZERS)
            saved = hugging_face.read(text)
        except RefusedFileError as refused:
            self._refuse(below(path, "tokenizer"), refused)
            return {}
        self._check(told, path)
        return saved

    def _check(self, told: Values, path: Name) -> None:
        for key in (key for key in _MADE if key in told):
            wrong = f"{key} beside a tokenizer that is in a file with all that it has"
            self.complaints.add(below(path, key), wrong, "keep one of them")

    def _refuse(self, name: Name, refused: RefusedFileError) -> None:
        self.complaints.add(name, refused.wrong, refused.right)
