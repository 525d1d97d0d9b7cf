"""A scenario: what is given, read and checked; and the limits of work without `--large`.

Without `--large` so much may be done that it ends within some five seconds and a gigabyte on an
ordinary machine.

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
from attncli.errors import Where, counted
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Rounding
from attncli.names import Name
from attncli.scenario.file.problems import nearest_place
from attncli.scenario.file.sources import RandomSource
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
from attncli.scenario.written import WrittenModel

ALL_OURS = ("all",)
"""The value of `ours` where the source has no numbers."""

MOST_VALUES = 150_000
"""The most values of a file, those that aliases and variants repeat counted each time."""

MOST_NUMBERS = 2**24
"""The most numbers that are drawn, read from files of arrays, or ones and zeros of `one_hot`."""

MOST_PLACES = 6000
"""The most steps at all their places: layers, heads and times, of all variants and generated
tokens."""

MOST_LINES = 6000
"""The most lines of working on one page."""

MOST_PUBLISHED = 10_000
"""The most numbers that a source prints, each compared with one that is worked."""

MOST_SETTLED = 500_000
"""The most operands of one quantity that floats leave in doubt. Each is settled by itself, in some
microseconds."""

_MOST_MEMORY = 2.0**30
_PER_NUMBER = 10
"""Bytes: a float, and a little besides."""

_MOST_SECONDS = 3.5
_PER_PLACE, _PER_CELL, _PER_TERM = 4.5e-4, 3e-8, 1e-10


class Cost(NamedTuple):
    """An estimate of what the working of a scenario costs."""

    places: int = 0
    """Steps, each counted at every place."""
    cells: int = 0
    """Numbers of all quantities."""
    terms: int = 0
    """Terms of the sums that are worked."""
    made: int = 0
    """Numbers that are made, and not given."""

    def plus(self, other: Cost) -> Cost:
        return Cost(*(index + more for index, more in zip(self, other, strict=True)))

    def times(self, factor: int) -> Cost:
        return Cost(*(index * factor for index in self))

    def seconds(self, effort: Effort = WORKING) -> float:
        """Estimates how many seconds it takes."""
        places, cells = self.places * effort.steps, self._cells(effort.numbers)
        return places * _PER_PLACE + cells * _PER_CELL + self.terms * _PER_TERM

    def memory(self, effort: Effort = WORKING) -> float:
        """Estimates how many bytes it takes."""
        return self._cells(effort.memory) * _PER_NUMBER

    def _cells(self, times: float) -> float:
        """Counts the numbers, those that are made so many times."""
        return self.cells + self.made * (times - 1)

    def is_too_much(self, effort: Effort = WORKING) -> bool:
        return (
            self.places > MOST_PLACES
            or self.memory(effort) > _MOST_MEMORY
            or self.seconds(effort) > _MOST_SECONDS
        )

    def description(self, effort: Effort = WORKING) -> str:
        """Describes the cost in words: `7 steps, 300 numbers, 1,200 terms of sums (about 12
        seconds, 1.5 GB)`."""
        counts = zip(self[:3], ("steps", "numbers", "terms of sums"), strict=True)
        told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
        seconds, size = math.ceil(self.seconds(effort)), round(self.memory(effort) / 2**30, 1)
        takes = f"about {seconds:,} second{'s' * (seconds != 1)}"
        return f"{told} ({takes}{f', {size:,.1f} GB' if size else ''})"


Places = Mapping[str, Where]
Shape = tuple[int | None, int | None]


class Site(NamedTuple):
    """An attention with its layer and its stack."""

    stack: Stack
    layer: Layer
    attention: Attention


class Changed(NamedTuple):
    """The changes to a scenario file for one run."""

    made: tuple[str, ...] = ()
    """The changes as they were typed."""
    unsaid: bool = False
    """Whether what the source says of the unchanged numbers is left out."""


@dataclass(frozen=True, eq=False, repr=False)
class GivenMatrices:
    """The matrices that a scenario gives, and the extents that it states."""

    matrices: Mapping[Name, Matrix] = field(default_factory=dict)
    """The matrices by full name: `W_Q`, `b1` [1, d_ff], `layers[1].heads[2].W_Q`."""
    random: Mapping[Name, RandomSource] = field(default_factory=dict)
    """Those that are drawn once their shapes are known."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where those come from that the file doesn't write out, in words."""
    row_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of rows, for those that have some."""
    vectors: Collection[Name] = frozenset()
    """The names of those [1, n] whose row has no name."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Stated extents, such as `d_model`."""

    @property
    def names(self) -> tuple[Name, ...]:
        """Returns the names of all, those that are yet to be drawn last."""
        return (*self.matrices, *self.random)


@dataclass(frozen=True, eq=False, repr=False)
class ScenarioPlan:
    """How far a scenario is worked, and, once it is planned, by which steps."""

    until: str = ""
    """The last step that is worked; all are where none is named."""
    backward: bool = False
    """Whether gradients are asked for, and no updates after them."""
    written: WrittenModel = WrittenModel()
    """The steps that it writes itself, as equations."""
    story: Sequence[Any] = ()
    """Every step that it takes, planned once: `PlannedStep`s of `trace`, which a scenario doesn't
    know."""
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """The shapes of all quantities in the story that can be told before anything is worked. Other
    numbers have the same story."""


@dataclass(frozen=True, eq=False, repr=False)
class PageSettings:
    """What a scenario says of its page."""

    about: str = ""
    """What it begins with: the question that it answers, and what to look at."""
    show: Show = Show()


@dataclass(frozen=True, eq=False, repr=False)
class PublishedSource:
    """The source that a scenario is taken from, such as a paper or a lecture."""

    name: str | None = None
    published: Mapping[str, Printed] = field(default_factory=dict)
    """What it prints, by the addresses of quantities, rows and cells."""
    claims: Mapping[str, Claim] = field(default_factory=dict)
    """What it says in words, by address."""
    ours: tuple[str, ...] = ()
    """Given matrices, or rows of such, that it doesn't have."""


@dataclass(frozen=True, eq=False, repr=False)
class ScenarioFile:
    """How a scenario was read from its file."""

    places: Places = field(default_factory=lambda: {"": Where("scenario")})
    """Where each value stands, by its full name."""
    large: bool = False
    """Whether it may cost more than is worked without being asked for."""
    changed: Changed = Changed()
    """What was changed for this run."""
    varied: tuple[str, ...] = ()
    """What differs from the scenario that this is a variant of."""
    text_counts: tuple[int, ...] = ()
    """How often its corpus has each of its texts; none where the corpus is one text, or in a
    file."""
    recount: Callable[[Sequence[int]], Scenario] | None = None
    """Reads the scenario again with other counts of its texts."""


@dataclass(frozen=True, eq=False, repr=False)
class Scenario:
    """A scenario as its file states it, its numbers as matrices."""

    title: str = "Scenario"
    rounding: Rounding = field(default_factory=Rounding)
    stack: Stack = Stack()
    encoder: Stack | None = None
    prediction: Prediction = Prediction()
    training: Training | None = None
    given: GivenMatrices = GivenMatrices()
    plan: ScenarioPlan = ScenarioPlan()
    page: PageSettings = PageSettings()
    source: PublishedSource = PublishedSource()
    variants: Mapping[str, Scenario] = field(default_factory=dict)
    """The same with other values, to compare it with, by name."""
    file: ScenarioFile = ScenarioFile()

    def __repr__(self) -> str:
        tokens, layers = len(self.text.tokens), len(self.stack.layers)
        text = f"{counted(tokens, 'token')}, {counted(layers, 'layer')}"
        return f"<Scenario {self.title!r}: {text}, {len(self.given.matrices)} given>"

    def with_matrices(self, matrices: Mapping[Name, Matrix]) -> Scenario:
        """Returns the scenario with these matrices given, in the place of its own or beside
        them."""
        matrices = {**self.given.matrices, **matrices}
        return replace(self, given=replace(self.given, matrices=matrices))

    def with_variants(self, variants: Mapping[str, Scenario]) -> Scenario:
        """Returns the scenario with others to compare it with."""
        return replace(self, variants=variants)

    def alone(self) -> Scenario:
        """Returns the scenario without variants and without generated tokens."""
        generation = self.prediction.generation._replace(length=0)
        return replace(
            self, variants={}, prediction=self.prediction._replace(generation=generation)
        )

    @property
    def goes_back(self) -> bool:
        """Tells whether gradients of its loss are worked."""
        return self.plan.backward or self.training is not None

    @property
    def trained_loss(self) -> str:
        """Returns the name of the loss that training makes smaller: for several micro-batches,
        their mean."""
        several = self.training is not None and self.training.batches
        return f"{AVERAGED}." * bool(several) + self.prediction.loss.name

    def gives(self, name: Name) -> bool:
        """Tells whether a matrix of a full name is given, before or after an update."""
        if self.training is not None:
            name = name.seen_from(pass_of(name))
        return name in self.given.matrices or name in self.given.random

    @property
    def text(self) -> TokenizedText:
        """Returns the text of the main stack."""
        return self.stack.text

    @property
    def tokens_so_far(self) -> tuple[str, ...]:
        """Returns the tokens of the main stack, after those of a cache."""
        return (*(self.stack.layers[0].attention.cached or ()), *self.text.tokens)

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """Returns the encoder, if there is one, and the main stack."""
        return (self.stack,) if self.encoder is None else (self.encoder, self.stack)

    @property
    def sites(self) -> Iterator[Site]:
        """Yields every attention of the model."""
        for stack in self.stacks:
            for layer in stack.layers:
                yield Site(stack, layer, layer.attention)
                if layer.cross is not None:
                    yield Site(stack, layer, layer.cross)

    @cached_property
    def sites_by_path(self) -> Mapping[Name, Site]:
        """Returns each attention by its path and by those of its heads."""
        found: dict[Name, Site] = {}
        for site in self.sites:
            attention = site.attention
            for path in (attention.path, *map(attention.head_path, range(attention.heads))):
                found.setdefault(path, site)
        return found

    def writes(self, name: str) -> bool:
        """Tells whether the file says anything for a full name, even if it can't be read."""
        return name in self.file.places

    def where(self, name: str) -> Where:
        """Returns where the value of a full name stands in the file, or the nearest one above
        it."""
        return nearest_place(self.file.places, name)
