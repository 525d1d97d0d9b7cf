"""A scenario: what is given, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from attncli.arithmetic.expression import Expression, Number, Root
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Rounding
from attncli.scenario.problems import Where

Places = Mapping[tuple[str, ...], Where]


@dataclass(frozen=True, eq=False)
class Scenario:
    """Everything that a scenario file says, its figures as matrices.

    `given` holds the matrices by name (`W_Q`, `b1` [1, d_ff], `weights`, …); `embeddings` is
    a table [v, d_model] whose rows `rows_of_tokens` picks for the tokens of the sentence;
    `embedded` names its rows: by ID where there is a vocabulary (`by_id`), else by token.
    """

    title: str = "Scenario"
    rounding: Rounding = field(default_factory=Rounding)
    source: str | None = None
    sentence: str | None = None
    tokenizer: str = "whitespace"
    tokens: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    embeddings: Matrix | None = None
    embedded: tuple[str, ...] = ()
    by_id: bool = False
    rows_of_tokens: tuple[int, ...] = ()
    given: Mapping[str, Matrix] = field(default_factory=dict)
    scale: str | Number = "sqrt_d_k"
    activation: str = "relu"
    places: Places = field(default_factory=dict, repr=False)
    origin: Where = field(default=Where("scenario"), repr=False)

    @property
    def d_k(self) -> int | None:
        """The number of columns of the queries and keys; None where nothing tells it."""
        for name in ("K", "W_K", "Q", "W_Q"):
            if name in self.given:
                return self.given[name].shape[1]
        return None

    @property
    def divisor(self) -> Expression | None:
        """What the scores are divided by: √d_k or a number; None where they aren't, or where
        d_k isn't known."""
        if isinstance(self.scale, Number):
            return self.scale
        if self.scale == "none" or self.d_k is None:
            return None
        return Root(Number.written(self.d_k))

    @property
    def scales(self) -> bool:
        return self.scale != "none"

    def where(self, *path: str) -> Where:
        """Where the value at a path of keys stands in the file, or the nearest key above it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, self.origin)
