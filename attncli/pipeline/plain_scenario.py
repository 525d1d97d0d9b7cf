"""Reads and writes a scenario as plain data: what some of its values stand for, its text with other
numbers, and the files that belong to it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attncli.errors import UserError
from attncli.maths.equations.matrix import Matrix
from attncli.names import TOP, Name, below
from attncli.pipeline.given_matrices import matrices_in
from attncli.pipeline.texts import ONE_HOT_TABLE, TOKENIZED, one_hot, one_hot_tokens
from attncli.pipeline.trees import Changes, Source, tree_of, with_changes
from attncli.scenario.file import shipped
from attncli.scenario.file.emitting import emitted
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.named_files import (
    CORPORA,
    TOKENIZERS,
    RefusedFileError,
    TextFile,
    found,
    named_in,
    text_of,
)
from attncli.scenario.file.nodes import Map, data_of
from attncli.scenario.file.problems import Diagnostics, NamedProblems, too_much
from attncli.scenario.model import ENCODER, Stack, Tokenizing, entry_path
from attncli.scenario.scenario import MOST_NUMBERS, Scenario
from attncli.scenario.tokenizers.settings import TokenizerSettings, check
from attncli.steps.input.embeddings import ONE_HOT
from attncli.steps.schema import LAYER, vectors

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
        if "encoder" in data:
            data["encoder"] = self.read(data["encoder"], ENCODER)
        return data

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


# --------------------------------------------------------------------------------------------------
# A scenario as plain data: what its YAML says before anybody reads meaning into it. This is what
# the oracle works from, which shares no other code with the package.

MatrixRows = Sequence[Sequence[Decimal]]
"""The numbers of a matrix, row by row."""
Plain = dict[str, Any]
"""Maps, lists and texts; arrays where a Python program handed some over."""


def plain_data(source: Source, changes: Changes = ()) -> Plain:
    """Returns what a file, a shipped scenario or a mapping says, with changes made as `--set` makes
    them.

    Nothing in it is shared: what anchors and aliases repeat is there as often as it is meant.
    Raises ScenarioError for what can't be read.
    """
    problems = Diagnostics()
    tree = with_changes(tree_of(source, problems), changes, problems)
    problems.stop_if_any()
    return {key.text: data_of(value) for key, value in tree.entries}


def text_counts(tree: Map) -> tuple[int, ...]:
    """Returns how often the corpus of a scenario's file has each of its texts; none where it is one
    text, or in a file of its own."""
    corpus = next((data_of(value) for key, value in tree.entries if key.text == "corpus"), None)
    match corpus:
        case Mapping() if "file" not in corpus:
            return tuple(map(int, corpus.values()))
        case [_, _, *_] if len(set(corpus)) == len(corpus):
            return (1,) * len(corpus)
        case _:
            return ()


def with_counts(tree: Map, counts: Sequence[int]) -> Plain:
    """Returns what a scenario's file says, but for other counts of the texts of its corpus."""
    data = {key.text: data_of(value) for key, value in tree.entries}
    corpus = data["corpus"]
    assert isinstance(corpus, Mapping | list)
    return {**data, "corpus": _counted(corpus, counts)}


def _counted(corpus: Iterable[str], counts: Iterable[object]) -> Plain:
    return dict(zip(corpus, map(str, counts), strict=True))


def with_numbers(data: Mapping[str, Any], given: Mapping[str, MatrixRows]) -> Plain:
    """Returns the same data with other numbers in the place of its own; `data` stays as it is.

    `given` has rows by full names as `Scenario.given` has them: `W_Q`, `layers[1].heads[2].W_K`,
    `encoder.embeddings`, `norm1.gamma`; `corpus` is how often it has each of its texts. Rows that
    have names keep them, and what was random or came from a file is written out. Raises KeyError
    for names that the data doesn't have, ValueError where rows with names are others than before.
    """
    found: set[str] = set()
    changed = _Numbers(given, found).record(data, TOP)
    if missing := given.keys() - found:
        raise KeyError(f"the scenario gives no {', '.join(sorted(missing))}")
    return changed


class _Numbers:
    """A writer that puts numbers in by their names; `found` gathers the names that there are."""

    def __init__(self, given: Mapping[str, MatrixRows], found: set[str]) -> None:
        self.given, self.found = given, found

    def record(self, record: Mapping[str, Any], path: Name) -> Plain:
        return {key: self.value(key, value, path) for key, value in record.items()}

    def value(self, key: str, value: object, path: Name) -> object:
        name = below(path, key)
        if key in ("corpus", "pieces") or value == ONE_HOT:  # what is made of these stays as it is
            numbers = (key, "word_counts", "log_p") if key in ("corpus", "pieces") else (key,)
            self.found.update(below(path, n) for n in numbers)
            rows = self.given.get(name, ())
            if key == "corpus" and rows and isinstance(value, Mapping | list):
                return _counted(value, (row[0] for row in rows))
            return _copied(value)
        if isinstance(value, list) and _is_listing(value):
            return [self.entry(key, data, path, (k, len(value))) for k, data in enumerate(value)]
        # what is none of these is a word such as `tied`, or a count
        if name in self.given and isinstance(value, list | Mapping | np.ndarray):
            self.found.add(name)
            return _as_texts(key, value, self.given[name])
        return self.record(value, name) if isinstance(value, Mapping) else _copied(value)

    def entry(self, key: str, value: object, path: Name, place: tuple[int, int]) -> object:
        """Returns one of the things that a list holds, with its numbers: a layer, a head, a rule, a
        kind of positions."""
        if isinstance(value, Mapping) and not _is_source(value):
            return self.record(value, entry_path(path, key, *place))
        return self.value(key, value, path)


def _is_listing(value: Sequence[object]) -> bool:
    """Tells whether a list holds things of their own, rather than numbers, words or rows."""
    rows = all(isinstance(data, list) for data in value)
    return not rows and any(isinstance(data, list | Mapping | np.ndarray) for data in value)


def _is_source(value: Mapping[str, object]) -> bool:
    return any(isinstance(value.get(key), str) for key in ("random", "file"))


def _as_texts(key: str, value: object, rows: MatrixRows) -> object:
    """Writes numbers as texts, in the form that the value has: a map of rows, a single row, a
    matrix."""
    texts = [["-inf" if number == -np.inf else str(number) for number in row] for row in rows]
    if isinstance(value, Mapping) and not _is_source(value):
        return dict(zip(value, texts, strict=True))
    return texts[0] if key in vectors() else texts


def _copied(value: object) -> object:
    if isinstance(value, list):
        return [_copied(data) for data in value]
    return value.copy() if isinstance(value, np.ndarray) else value


_OF_THE_ORIGINAL = ("title", "about", "published", "claims", "ours", "variants")
"""The keys that aren't said of other numbers."""
_NOT_OF_FORMS = (*_OF_THE_ORIGINAL, "source")
_TEXT_FILES = ("corpus", "tokenizer")
"""The keys whose values may be in a text file of its own, which then stands beside the form."""


def exported(source: str, changes: Changes, scenario: Scenario) -> str:
    """Returns the text of a file with what a source says, and the numbers of a form of it."""
    data = _without(plain_data(source, changes), _OF_THE_ORIGINAL)
    numbers = all_numbers(scenario)
    return emitted(_beside(with_numbers({"title": scenario.title, **data}, numbers)))


def all_numbers(scenario: Scenario) -> dict[str, MatrixRows]:
    """Returns the numbers of all given matrices by their full names, and how often the corpus has
    each of its texts."""
    counts = [[Decimal(count)] for count in scenario.file.text_counts]
    numbers: dict[str, MatrixRows] = {
        name: numbers_of(scenario, name) for name in scenario.given.matrices
    }
    return {**numbers, **({"corpus": counts} if counts else {})}


def numbers_of(scenario: Scenario, name: Name) -> list[list[Decimal]]:
    """Returns the numbers of a given matrix, as they are written or, if nobody wrote them, in
    full."""
    matrix = scenario.given.matrices[name]
    if matrix.written is not None:
        return [list(row) for row in matrix.written]
    rows, columns = matrix.shape
    return [[matrix.number(i, j).full for j in range(columns)] for i in range(rows)]


def texts_beside(source: str) -> dict[str, str]:
    """Reads the files of text that a source goes on to read, and returns them by their names."""
    folder = shipped.find(source).parent
    found = {Path(path).name: folder / path for path in _paths(plain_data(source))}
    return {name: path.read_text("utf-8-sig") for name, path in found.items()}


def settings_that_differ(form: Path, source: str) -> list[str]:
    """Returns the keys of a scenario, but for those of numbers, that say something else than in a
    form that was made of it."""
    own, others = (_without(plain_data(text), _NOT_OF_FORMS) for text in (str(form), source))
    keys = [key for key in {**others, **own} if str(own.get(key)) != str(others.get(key))]
    return [key for key in keys if not _holds_numbers(own.get(key, others.get(key)))]


def _holds_numbers(value: object) -> bool:
    """Tells whether a value is rows of numbers, with names or without."""
    rows = [*value.values()] if isinstance(value, Mapping) else value
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def _without(data: Plain, keys: tuple[str, ...]) -> Plain:
    return {key: value for key, value in data.items() if key not in keys}


def _paths(data: Mapping[str, object]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from ([str(value["file"])] if _names_file(key, value) else _paths(value))


def _beside(data: Mapping[str, object]) -> Plain:
    """Returns the data with the files of text that it names beside it."""
    return {key: _moved(key, value) for key, value in data.items()}


def _moved(key: str, value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {"file": Path(str(value["file"])).name} if _names_file(key, value) else _beside(value)


def _names_file(key: str, value: Mapping[str, object]) -> bool:
    path = value.get("file")
    return key in _TEXT_FILES and isinstance(path, str) and not path.isdigit()


_LARGEST = 10_000_000


class NotTakenError(UserError):
    """An error: files that can't go with their scenario."""


def taken_along(source: str, *, outside: bool) -> Mapping[str, bytes]:
    """Returns the file of a source that was read, and those that it names, by paths from which it
    finds them again, its own the first.

    Raises NotTakenError for those that it names by a place on this machine, and for large ones.
    """
    own = shipped.find(source)
    folder = Path(os.path.abspath(own.parent))  # noqa: PTH100  (links stay as they are named)
    tree = tree_of(source, Diagnostics())
    named = {path: there for path in named_in(tree) if (there := _file(path, own, outside))}
    if any(Path(path).is_absolute() for path in named):
        wrong, right = "names a file by its absolute path", "name it from the scenario's folder"
        raise NotTakenError.of(source, wrong, right)
    if sum(there.stat().st_size for there in named.values()) > _LARGEST:
        wrong = f"its files are larger than {_LARGEST // 10**6} MB"
        raise NotTakenError.of(source, wrong, "hand them out in another way")
    files = {str(folder / own.name): own}
    files |= {os.path.normpath(folder / path): there for path, there in named.items()}
    root = os.path.commonpath([Path(path).parent for path in files])
    return {
        Path(path).relative_to(root).as_posix(): there.read_bytes() for path, there in files.items()
    }


def _file(path: str, own: Path, outside: bool) -> Path | None:
    """Returns the file that a path leads to; None of what is no path but somebody's word."""
    from attncli.scenario.file import array_files

    kinds = (*array_files.KINDS, *CORPORA, *TOKENIZERS)
    try:
        return found(path, own.parent, outside, kinds)
    except RefusedFileError:
        return None
