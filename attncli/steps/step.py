"""What a step is: its part of the story, the operations that make its quantities, and what it can
be asked in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np

from attncli.equations.matrix import Matrix
from attncli.equations.tree import Equation
from attncli.file.keys import Key
from attncli.file.problems import Objection
from attncli.names import TOP, Name, Phrase, phrase
from attncli.numbers.rounding import Array
from attncli.scenario.model import Positions, Recurrent
from attncli.scenario.scenario import Scenario
from attncli.trace import BackwardPlace, Definition
from attncli.trace.place import P

if TYPE_CHECKING:
    from attncli.trace import Trace


Chosen = frozenset[int]
"""Options by their places, from 0."""


class Misreading(NamedTuple):
    """A common mistake in answering a question: what it gives where numbers lie between two
    arrays."""

    name: str
    says: str
    gives: Callable[[Array, Array], Chosen]


class WordsAsked(NamedTuple):
    """A question at a place: of which row of what it is read from, where there is one of each; how
    it is put, what may be answered, and which of that is right where the numbers that it is read
    from lie between two arrays. Of many options only some are `listed`, to choose from. Options
    that are no words are `tables`, by their labels. `misread` are common mistakes."""

    row: int | None
    says: Phrase
    options: tuple[str, ...]
    right: Callable[[Array, Array], Chosen]
    listed: tuple[int, ...] = ()
    tables: tuple[Matrix, ...] = ()
    misread: tuple[Misreading, ...] = ()

    def misread_as(self, name: str, low: Array, high: Array) -> Chosen:
        """What a common mistake gives; nothing where it can't be made."""
        gives = (m.gives for m in self.misread if m.name == name)
        return next(gives, lambda _, __: frozenset())(low, high)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the options are called in a list, nothing those that it leaves out; none where
        there can't be a list."""
        from attncli.document.questions import labels_of

        if self.tables:
            return self.options
        listed = self.listed or range(len(self.options))
        labels = labels_of([self.options[k] for k in listed])
        own = dict(zip(listed, labels, strict=False))
        return tuple(own.get(k, "") for k in range(len(self.options))) if labels else ()


def largest(low: Array, high: Array) -> Chosen:
    """The places of the numbers that may be the largest of some that lie between two bounds."""
    return frozenset(np.flatnonzero(high >= low.max()).tolist())


def in_no_order(count: int, numbers: Array) -> list[int]:
    """The places of some options in an order that tells nothing, another for other numbers."""
    from random import Random

    seed = " ".join(f"{number:.6g}" for number in numbers.flat)
    return Random(seed).sample(range(count), count)


# --------------------------------------------------------------------------------------------------
# What a step is: its part of the story, and the operations that make its quantities.

Planned = tuple[Definition, ...]
"""What a step makes at a place."""


class Mistake(NamedTuple, Generic[P]):
    """A common mistake: quantities made in another way than they should be.

    Marking replays it; the lesson shows what it would give. `ways` are the ways to make it, of what
    a step makes at a place: each is all that whoever makes it makes in another way, what it is a
    mistake in first. The lesson and the keys go by the first way, marking by all. There are none
    where it can't be made. `says` tells both directions of what has two, `says_which` the one of
    what was made, of the right definition and that one.
    """

    name: str
    says: str
    ways: Callable[[P, Planned], Iterable[Planned]]
    says_which: Callable[[Definition, Definition], str] | None = None

    def says_of(self, made: Definition, planned: Planned) -> str:
        """What it is where this is made by it, of what is planned."""
        right = next((d for d in planned if d.name == made.name), made)
        return self.says if self.says_which is None else self.says_which(right, made)

    def says_at(self, place: P, planned: Planned) -> str:
        """What it is where it can be made in the first way; in general where it can't."""
        ways = (self.says_of(made, planned) for made, *_ in self.ways(place, planned))
        return next(iter(ways), self.says)


class General(NamedTuple):
    """What a step is shown with where it has all that it can have, for its formulas in general:
    what flows in, what is said and given, its positions or its cell."""

    x: str = "X"
    path: Name = TOP
    config: Mapping[str, Any] = MappingProxyType({})
    gives: tuple[str, ...] = ()
    heads: int = 1
    positions: tuple[Positions, ...] = ()
    cell: Recurrent | None = None


class Backward(NamedTuple, Generic[P]):
    """How gradients go back through a step, for which the derivatives of its equations speak.

    `through` is what it is called then, `why` says in a sentence where the gradient comes from and
    which way it pushes, `why_at` the same at a place, and `more` what a lesson adds.
    `usual_mistakes` are the names of those in `steps.backward.gradient_steps` that are made here,
    `mistakes` its own. `whole` puts several equations of the step together to one whose derivative
    people know, as those of a softmax.
    `fixed` are the last names of what is given to a step and isn't learned: it gets no
    gradient. `gives` are more that are given where it is shown in general. `example` is the
    shipped scenario on whose numbers the way back is explained if none is asked for,
    `shown_with` the changes that give that step to it. That through a cell's memory, where
    gradients vanish, is to be `read_first`; what is `explained_once` isn't again where it goes
    back from other quantities.
    """

    through: str
    why: str
    more: str = ""
    why_at: Callable[[P], str] | None = None
    whole: Callable[[P, tuple[Definition, ...]], tuple[Definition, ...]] = lambda _, made: made
    usual_mistakes: tuple[str, ...] = ()
    mistakes: tuple[Mistake[BackwardPlace], ...] = ()
    fixed: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    example: str = "learning_to_attend"
    shown_with: tuple[str, ...] = ()
    read_first: bool = False
    explained_once: bool = False


class Inquiry(NamedTuple, Generic[P]):
    """A question of a step that is answered in words. `reads` are last names of quantities: the
    numbers of the first one that is made tell the answer. `does` says in a few words what is asked,
    and `rule` what settles it where several could be right. What comes later in the story may tell
    the answer of one that is asked `last`; rows of what the step makes may, `ranked` by it."""

    name: str
    does: str
    reads: tuple[str, ...]
    asks: Callable[[P, Trace], tuple[WordsAsked, ...]]
    rule: Callable[[P], Phrase] = lambda _: ()
    last: bool = False
    ranked: bool = False


class Step(NamedTuple, Generic[P]):
    """One step of the story, in the words and formulas of the literature.

    `at` is the type of the places where it is taken. `keys` are what a scenario may say of it,
    `check` complains of what is wrong at a place beyond the kinds of their values. `plan` says what
    it makes at a place before any shape is known; when all are, `fits` complains of one of these
    whose extents agree and that still doesn't fit, and `sized` says what it is then. Its formulas
    are those of the operations, unless `formulas` has others.
    `makes` are the names of all that it can make; `shapes` says what goes in and comes out,
    `does` says in a few words what it does, `happens` is the sentence that opens the working;
    `why`, one sentence, says what the step is for, and `more` what a lesson adds to that.
    `together` names quantities whose rows are set side by side at the end, under the headings
    given; `roles` say of what it makes what each is, what it is for, and what it would say.
    A later head or layer that is told in brief goes without what is `on_the_way`: its weights, and
    what it hands on, tell it. `shown_with` are changes that give the step to a scenario which goes
    without it; `example` names the shipped scenario on whose numbers it is explained if none is
    asked for. `titled` gives it another title than its place does, `why_at` another purpose.
    `inquiries` are what it can be asked besides numbers; `pictures` are those that it has, by the
    names of their kinds. `backward` says how gradients go back through it. A page that ends
    with the way back sends its reader to the step that is to be `read_first`. What is
    `explained_once` happens again in other words, of another norm, which a page leaves out.
    `running` are the names of what takes the place of something given when training goes on, with
    the name of that.
    """

    name: str
    at: type[P]
    title: str
    does: str
    makes: tuple[str, ...]
    shapes: str
    happens: Callable[[P], str | Phrase]
    why: str
    plan: Callable[[P], tuple[Definition, ...]]
    more: str = ""
    keys: tuple[Key[Any], ...] = ()
    check: Callable[[P], Iterable[Objection]] = lambda _: ()
    fits: Callable[[Definition, Scenario], Iterable[Objection]] = lambda _, __: ()
    sized: Callable[[P, Definition], Definition] = lambda _, planned: planned
    formulas: Callable[[P], tuple[Equation, ...] | None] = lambda _: None
    general: General = General()
    mistakes: tuple[Mistake[P], ...] = ()
    together: tuple[tuple[str, str], ...] = ()
    roles: tuple[tuple[str, str, str], ...] = ()
    adds_up_to_one: tuple[str, ...] = ()
    on_the_way: bool = False
    shown_with: tuple[str, ...] = ()
    example: str = ""
    titled: Callable[[P], str | Phrase] | None = None
    why_at: Callable[[P], str] | None = None
    inquiries: tuple[Inquiry[P], ...] = ()
    pictures: tuple[str, ...] = ()
    backward: Backward[P] | None = None
    read_first: bool = False
    explained_once: bool = False
    running: Mapping[str, str] = MappingProxyType({})

    def planned(self, place: P) -> tuple[Definition, ...]:
        """What it makes at a place before any shape is known."""
        return tuple([d._replace(step=self.name) for d in self.plan(place)])

    def why_here(self, place: P | None) -> str:
        """What the step is for, at a place or in general."""
        return self.why if place is None or self.why_at is None else self.why_at(place)

    def title_at(self, place: P) -> Phrase:
        """What the step is called at a place: `Norm 1`."""
        return phrase(place.titled(self.title) if self.titled is None else self.titled(place))

    def happens_at(self, place: P) -> Phrase:
        """The sentence that opens the working at a place."""
        return phrase(self.happens(place))


def formulas_of(
    step: Step[P], place: P, definitions: tuple[Definition, ...]
) -> tuple[Equation, ...]:
    """The formulas of a step at a place, each once, in the names of that place."""
    own = step.formulas(place)
    if own is not None:
        return own
    equations: dict[Equation, None] = {}
    for definition in definitions:
        names = map(place.here, (definition.name, *definition.operands))
        equations |= dict.fromkeys(definition.operation.formulas(*names))
    return tuple(equations)
