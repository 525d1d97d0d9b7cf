"""A scenario: what is given, read and checked; and what may be done without being asked for by
`--large`, so much that it ends within some five seconds and a gigabyte on an ordinary machine.

The seconds were measured over layers of 64 to 4,000 tokens, 2 to 768 dimensions and 1 to 12 heads,
and over thousands of layers and times; what they come to may be off by a factor of 2. Learning a
tokenizer is counted beside it (`scenario.tokenizers.making`). How many numbers floats leave in
doubt, of which there are many with ten decimals or more, is known only when they are rounded
(`MOST_SETTLED`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from attncli.efforts import WORKING, Effort
from attncli.equations.matrix import Matrix
from attncli.errors import Where
from attncli.file.problems import nearest_place
from attncli.file.sources import RandomSource
from attncli.names import Name
from attncli.numbers.rounding import Rounding
from attncli.scenario.model import (
    AVERAGED,
    Attention,
    Layer,
    Prediction,
    Stack,
    TokenizedText,
    Training,
    pass_of,
)
from attncli.scenario.published import Claim, Printed
from attncli.scenario.show import Show

ALL_OURS = ("all",)
"""What `ours` says where the source has no numbers."""

MOST_VALUES = 150_000
"""Values of a file that are read, those that aliases and variants repeat counted each time."""

MOST_NUMBERS = 2**24
"""Numbers that are drawn, read from files of arrays, or ones and zeros of `one_hot`."""

MOST_PLACES = 6000
"""Steps at all their places: layers, heads and times, of all variants and generated tokens."""

MOST_LINES = 6000
"""Lines of working on one page."""

MOST_PUBLISHED = 10_000
"""Numbers that a source prints, each compared with one that is worked."""

MOST_SETTLED = 500_000
"""Numbers that those of one quantity are worked from which floats leave in doubt, each by itself,
in some microseconds each."""

_MOST_MEMORY = 2.0**30
_PER_NUMBER = 10
"""Bytes: a float, and a little besides."""

_MOST_SECONDS = 3.5
_PER_PLACE, _PER_CELL, _PER_TERM = 4.5e-4, 3e-8, 1e-10


class Cost(NamedTuple):
    """Steps at their places, numbers of quantities, terms of the sums that make them, and those of
    the numbers that are made, not given."""

    places: int = 0
    cells: int = 0
    terms: int = 0
    made: int = 0

    def plus(self, other: Cost) -> Cost:
        return Cost(*(index + more for index, more in zip(self, other, strict=True)))

    def times(self, factor: int) -> Cost:
        return Cost(*(index * factor for index in self))

    def seconds(self, effort: Effort = WORKING) -> float:
        """About how long it takes."""
        places, cells = self.places * effort.steps, self._cells(effort.numbers)
        return places * _PER_PLACE + cells * _PER_CELL + self.terms * _PER_TERM

    def memory(self, effort: Effort = WORKING) -> float:
        """About how many bytes it takes."""
        return self._cells(effort.memory) * _PER_NUMBER

    def _cells(self, times: float) -> float:
        """The numbers, those that are made so many times."""
        return self.cells + self.made * (times - 1)

    def is_too_much(self, effort: Effort = WORKING) -> bool:
        return (
            self.places > MOST_PLACES
            or self.memory(effort) > _MOST_MEMORY
            or self.seconds(effort) > _MOST_SECONDS
        )

    def description(self, effort: Effort = WORKING) -> str:
        """`7 steps, 300 numbers, 1,200 terms of sums (about 12 seconds, 1.5 GB)`."""
        counts = zip(self[:3], ("steps", "numbers", "terms of sums"), strict=True)
        told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
        seconds, size = math.ceil(self.seconds(effort)), round(self.memory(effort) / 2**30, 1)
        takes = f"about {seconds:,} second{'s' * (seconds != 1)}"
        return f"{told} ({takes}{f', {size:,.1f} GB' if size else ''})"


# --------------------------------------------------------------------------------------------------
# A scenario: what is given, read and checked.

Places = Mapping[str, Where]
Shape = tuple[int | None, int | None]


class Site(NamedTuple):
    """Where an attention stands."""

    stack: Stack
    layer: Layer
    attention: Attention


class Changed(NamedTuple):
    """What was changed for one run in what a file says: the changes as they were typed, and whether
    its source says something of the numbers as they were, which is left out."""

    made: tuple[str, ...] = ()
    unsaid: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Scenario:
    """Everything that a scenario file says, its numbers as matrices.

    `given` holds the matrices by their full names (W_Q, b1 [1, d_ff],
    `layers[1].heads[2].W_Q`, …), `random` those that are drawn once their shapes are known,
    `sources` says in words where those come from that the file doesn't write
    out, `row_names` the names of rows that have some,
    `vectors` the names of matrices [1, n] whose row has none, `sizes` stated extents such as
    d_model.
    `about` is what its page begins with: the question that it answers, and what to look at.
    `published` is what the source prints, by the addresses of quantities, rows and cells, `claims`
    what it says of some in words; `ours` are given matrices, or rows of such, that it hasn't.
    `large` lets it cost more than it may without being asked for.
    `varied` says what is other than in the scenario that this is a variant of, `changed` what was
    changed for this run.
    `story` is every step that it takes, planned once, and `shapes` are those of all quantities
    in it that can be told before anything is worked out; other numbers have the same story.
    `text_counts` is how often its corpus has each of its texts, `recount` reads it again with
    others; nothing where it is one text, or in a file.
    """

    title: str = "Scenario"
    rounding: Rounding = field(default_factory=Rounding)
    about: str = ""
    source: str | None = None
    stack: Stack = Stack()
    encoder: Stack | None = None
    prediction: Prediction = Prediction()
    show: Show = Show()
    until: str = ""
    backward: bool = False
    training: Training | None = None
    published: Mapping[str, Printed] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    ours: tuple[str, ...] = ()
    given: Mapping[Name, Matrix] = field(default_factory=dict)
    random: Mapping[Name, RandomSource] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    row_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    vectors: Collection[Name] = frozenset()
    sizes: Mapping[str, int] = field(default_factory=dict)
    story: Sequence[Any] = ()  # `trace.PlannedStep`s, of which a scenario knows nothing
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    variants: Mapping[str, Scenario] = field(default_factory=dict)
    varied: tuple[str, ...] = ()
    changed: Changed = Changed()
    large: bool = False
    places: Places = field(default_factory=lambda: {"": Where("scenario")})
    text_counts: tuple[int, ...] = ()
    recount: Callable[[Sequence[int]], Scenario] | None = None

    def __repr__(self) -> str:
        tokens, layers = len(self.text.tokens), len(self.stack.layers)
        text = f"{tokens} token{'s' * (tokens != 1)}, {layers} layer{'s' * (layers != 1)}"
        return f"<Scenario {self.title!r}: {text}, {len(self.given)} given>"

    def with_variants(self, variants: Mapping[str, Scenario]) -> Scenario:
        """The scenario with others to compare it with."""
        return replace(self, variants=variants)

    def alone(self) -> Scenario:
        """The scenario without what comes of its numbers besides its own trace: variants, and
        tokens that are generated."""
        return replace(self, variants={}, prediction=self.prediction._replace(generate=0))

    @property
    def goes_back(self) -> bool:
        """Whether gradients of its loss are worked."""
        return self.backward or self.training is not None

    @property
    def trained_loss(self) -> str:
        """The loss that training makes smaller: of several micro-batches their mean."""
        several = self.training is not None and self.training.batches
        return f"{AVERAGED}." * bool(several) + self.prediction.loss_name

    def gives(self, name: Name) -> bool:
        """Whether a matrix of a full name is given, be it before or after an update."""
        if self.training is not None:
            name = name.seen_from(pass_of(name))
        return name in self.given or name in self.random

    @property
    def text(self) -> TokenizedText:
        """The text of the main stack."""
        return self.stack.text

    @property
    def tokens_so_far(self) -> tuple[str, ...]:
        """The tokens of the main stack, those of a cache before them."""
        return (*(self.stack.layers[0].attention.cached or ()), *self.text.tokens)

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """The encoder, if there is one, and the main stack."""
        return (self.stack,) if self.encoder is None else (self.encoder, self.stack)

    @property
    def sites(self) -> Iterator[Site]:
        """Every attention of the model."""
        for stack in self.stacks:
            for layer in stack.layers:
                yield Site(stack, layer, layer.attention)
                if layer.cross is not None:
                    yield Site(stack, layer, layer.cross)

    @cached_property
    def sites_by_path(self) -> Mapping[Name, Site]:
        """The attention that a path is of, its own or that of one of its heads."""
        found: dict[Name, Site] = {}
        for site in self.sites:
            attention = site.attention
            for path in (attention.path, *map(attention.head_path, range(attention.heads))):
                found.setdefault(path, site)
        return found

    def writes(self, name: str) -> bool:
        """Whether the file says something for a full name, of which any sense could be made or
        not."""
        return name in self.places

    def where(self, name: str) -> Where:
        """Where the value of a full name stands in the file, or the nearest one above it."""
        return nearest_place(self.places, name)
