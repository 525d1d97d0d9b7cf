"""Reads the tokens of a stack, their IDs, and the table of their embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attncli.errors import quote
from attncli.maths.equations.matrix import Matrix
from attncli.names import Name, below, composed
from attncli.scenario.file.keys import KeyValues
from attncli.scenario.file.matrices import NamedRows
from attncli.scenario.file.problems import NamedProblems
from attncli.scenario.model import EmbeddingTable, TokenizedText
from attncli.scenario.tokenizers.settings import kind_of, tokenizer_kind

MatricesByToken = Mapping[str, Matrix]
"""The vectors of tokens, each a matrix of one row."""


class TextReader(NamedTuple):
    """A reader of the text of one stack."""

    path: Name
    values: KeyValues
    complaints: NamedProblems
    fallback: KeyValues
    """The main stack's values, for an encoder without a table of its own."""

    def _get(self, key: str) -> Any:  # noqa: ANN401
        return self.values.get(key, self.fallback.get(key))

    def _name(self, key: str) -> Name:
        own = key in self.values or key not in self.fallback
        return below(self.path, key) if own else Name(key)

    def text(self, table: Matrix | None, height: int | None) -> TokenizedText:
        """Returns the text; `table` is its table of embeddings and `height` how many rows that has,
        where they are known."""
        tokens = self.tokens()
        return TokenizedText(
            sentence=self.values.get("sentence"),
            cut="sentence" in self.values and "tokens" not in self.values,
            tokenizer=kind_of(self.values),
            tokens=tokens,
            ids=self._ids(tokens),
            known_ids={**self._every_id(height), **(self._get("vocabulary") or {})},
            table=self._embedding_table(table, height),
            rows_of_tokens=self._rows_of(tokens, height),
            tokenizing=self.values.get(TOKENIZED),
        )

    def _embedding_table(self, table: Matrix | None, height: int | None) -> EmbeddingTable:
        return EmbeddingTable(
            name=self._name("embeddings"),
            row_names=self._row_names(table, height),
            features=self.values.get("features", ()),
            by_id=self._named_by_id(height),
            rows={**self._every_id(height), **self.token_rows(height)},
            one_hot=ONE_HOT_TABLE in self.values,
        )

    def tokens(self) -> tuple[str, ...]:
        if "tokens" in self.values:
            return tuple(self.values["tokens"])
        if self.values.get("sentence") is None:
            named = self.values.get("X")
            return named.names if isinstance(named, NamedRows) else ()
        return tokens_of(self.values)

    def _in_order(self, height: int | None) -> bool:
        """Tells whether a matrix has a row for each token of the text, in order, none of which is
        there twice, and no vocabulary says which row is whose."""
        embeddings, tokens = self.values.get("embeddings"), self.tokens()
        is_matrix = embeddings is not None and not isinstance(embeddings, Mapping)
        alone = is_matrix and self._get("vocabulary") is None
        return alone and len(tokens) == height == len({*tokens})

    def token_rows(self, height: int | None) -> Mapping[str, int]:
        """Returns the row of the table that each known token has."""
        embeddings = self._get("embeddings")
        if self._in_order(height):
            return {token: row for row, token in enumerate(self.tokens())}
        if isinstance(embeddings, Mapping):
            return {token: row for row, token in enumerate(embeddings)}
        return dict(self._get("vocabulary") or {})

    def _every_id(self, height: int | None) -> dict[str, int]:
        """Returns the rows of a table by ID, where tokens are called by their IDs."""
        return {str(row): row for row in range(height or 0)} if "ids" in self.values else {}

    def _ids(self, tokens: Sequence[str]) -> tuple[int, ...]:
        vocabulary = self._get("vocabulary")
        if vocabulary is None:
            return ()
        if "vocabulary" in self.values:
            self._check_repeated_ids(vocabulary)
        for token in dict.fromkeys(tokens):
            if token not in vocabulary:
                self._outside(token)
        return tuple(vocabulary.get(token, -1) for token in tokens)

    def _outside(self, token: str) -> None:
        """Complains of a token of the sentence that has no ID."""
        tokenizing = None if "tokens" in self.values else self.values.get(TOKENIZED)
        free = max((self._get("vocabulary") or {}).values(), default=-1) + 1
        right = f"add it, like {quote(token)}: {free}"
        if tokenizing is None:
            self._missing(token, "vocabulary", right)
        elif token == tokenizing.tokenizer.unknown:
            wrong = f"the vocabulary has no {quote(token)}, the token of all that it doesn't have"
            self.complaints.add(self._name("vocabulary"), wrong, right)
        elif tokenizing.tokenizer.unknown is not None:
            wrong = f"the vocabulary has no {quote(token)}, which is what the merges make"
            self.complaints.add(self._name("vocabulary"), wrong, right)
        else:
            wrong = f"{quote(token)} is outside the vocabulary, and there is no unknown token"
            right = f"name one, like tokenizer: {{kind: {kind_of(self.values)}, unknown: <unk>}}"
            self.complaints.add(below(self.path, "sentence"), wrong, right)

    def _row_names(self, table: Matrix | None, height: int | None) -> tuple[str, ...]:
        """Returns what the rows of the table are called: IDs where all have one, else tokens."""
        embeddings = self._get("embeddings")
        if self._in_order(height):
            return self.tokens()
        if not isinstance(embeddings, Mapping):
            return tuple(map(str, range(height or 0)))
        if table is None:
            return ()
        if self._named_by_id(height):
            ids = self._get("vocabulary") or {}
            return tuple(str(ids[token]) for token in embeddings)
        return tuple(embeddings)

    def _named_by_id(self, height: int | None) -> bool:
        """Tells whether every row of the table has an ID."""
        embeddings = self._get("embeddings")
        if not isinstance(embeddings, Mapping):
            return embeddings is not None and not self._in_order(height)
        return all(token in (self._get("vocabulary") or {}) for token in embeddings)

    def _rows_of(self, tokens: Sequence[str], height: int | None) -> tuple[int, ...]:
        if self._get("embeddings") is None:
            return ()
        embeddings = self._get("embeddings")
        if not isinstance(embeddings, Mapping):
            return self._rows_by_id(tokens, height)
        rows = self.token_rows(height)
        known = self._get("vocabulary")
        for token in dict.fromkeys(tokens):
            outside = TOKENIZED in self.values and known is not None and token not in known
            if token not in rows and not outside:  # else that is said already
                self._missing(token, "embeddings", f"add its vector, like {quote(token)}: [1, 0]")
        return tuple(rows.get(token, 0) for token in tokens)

    def _rows_by_id(self, tokens: Sequence[str], height: int | None) -> tuple[int, ...]:
        vocabulary = self._get("vocabulary")
        if self._in_order(height):
            return tuple(range(len(tokens)))
        if vocabulary is None:
            if tokens:
                wrong = "a matrix of embeddings that hasn't a row for each token, and no vocabulary"
                right = "add a vocabulary (token → ID), or give the embeddings by token"
                self.complaints.add(self._name("embeddings"), wrong, right)
            return ()
        for token in dict.fromkeys(tokens):
            row = vocabulary.get(token, 0)
            if height is not None and row >= height:
                table = f"embeddings, a matrix of {height} rows counted from 0"
                wrong = f"the ID {row} of {quote(token)} has no row in {table}"
                right = "give it a smaller ID, or the matrix more rows"
                self.complaints.add(below(self._name("vocabulary"), token), wrong, right)
        return tuple(vocabulary.get(t, 0) for t in tokens)

    def _check_repeated_ids(self, vocabulary: Mapping[str, int]) -> None:
        owners: dict[int, str] = {}
        for token, number in vocabulary.items():
            if number in owners:
                wrong = f"{quote(token)} has the ID {number}, and so has {quote(owners[number])}"
                right = "give each token an ID of its own"
                self.complaints.add(below(self._name("vocabulary"), token), wrong, right)
            owners.setdefault(number, token)

    def _missing(self, token: str, key: str, right: str) -> None:
        wrong = f"the token {quote(token)} of the sentence is not in {key}"
        alike = (known for known in self._get(key) if known.casefold() == token.casefold())
        right = next((f"did you mean {quote(known)}? Or {right}" for known in alike), right)
        if any(composed(known) == composed(token) for known in self._get(key)):
            wrong += " in this form of Unicode"
            right = f"write it alike there and in the sentence, as {quote(composed(token))} (NFC)"
        self.complaints.add(self._name(key), wrong, right)


def one_hot_tokens(values: KeyValues) -> list[str]:
    """Returns the tokens in the order of their IDs, or without a vocabulary in that of the
    sentence."""
    ids: Mapping[str, int] = values.get("vocabulary") or {}
    return sorted(ids, key=ids.__getitem__) or list(dict.fromkeys(tokens_of(values)))


def one_hot(tokens: Sequence[str]) -> dict[str, Matrix]:
    """Returns a vector for each token, in which its place is 1 and all others are 0."""
    places = range(len(tokens))
    return {
        token: Matrix(np.array([[float(index == place) for index in places]]), 0, 0)
        for place, token in enumerate(tokens)
    }


ONE_HOT_TABLE = "a table of ones and zeros"
"""The key, among the values of a stack, that says that its embeddings were `one_hot`."""

TOKENIZED = "tokenized with"
"""The key, among the values of a stack, of its tokenizer, where it is one that cuts words into
pieces."""


def tokens_of(values: KeyValues) -> tuple[str, ...]:
    """Returns the tokens that a stack gives, or that its sentence is cut into."""
    if "tokens" in values:
        return tuple(values["tokens"])
    sentence, tokenizing = values.get("sentence", ""), values.get(TOKENIZED)
    if tokenizing is not None:
        return tuple(piece.token for piece in tokenizing.tokenizer.encode(sentence))
    words = tokenizer_kind(kind_of(values)).words or tokenizer_kind("whitespace").words
    return tuple(words.split(sentence)) if words else ()


def stacked(rows: MatricesByToken, name: Name, complaints: NamedProblems) -> Matrix | None:
    """Returns the vectors of tokens as one table; None where their lengths differ, which is
    complained of."""
    first, width = next((token, row.shape[1]) for token, row in rows.items())
    agree = True
    for token, row in rows.items():
        if row.shape[1] != width:
            agree = False
            other = f"that of {quote(first)} has {width}"
            wrong = f"the embedding of {quote(token)} has {row.shape[1]} numbers, {other}"
            complaints.add(below(name, token), wrong, "give all of them the same length")
    if not agree:
        return None
    written = [row.written[0] for row in rows.values() if row.written is not None]
    if len(written) == len(rows):
        return Matrix.of_written(written)
    values = np.vstack([row.values for row in rows.values()])
    some = next(iter(rows.values()))
    return Matrix(values, some.places, some.decimals)
