"""The declaration of a step: its part of the story, its operations, and questions about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, NamedTuple

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Equation
from attncli.maths.numbers.rounding import Array
from attncli.names import TOP, Name, WordedText, worded
from attncli.scenario.file.keys import Key, KeyValues
from attncli.scenario.file.problems import Objection
from attncli.scenario.model import Positions, Recurrent
from attncli.scenario.scenario import Scenario
from attncli.trace import BackwardPlace, Definition
from attncli.trace.place import P

if TYPE_CHECKING:
    from attncli.trace import Trace


Chosen = frozenset[int]
"""Options by their places, from 0."""


class Misreading(NamedTuple):
    """A common mistake in answering a question."""

    name: str
    says: str
    gives: Callable[[Array, Array], Chosen]
    """Returns the options that it chooses, where the numbers lie between two arrays."""


class WordsAsked(NamedTuple):
    """A question at a place."""

    row: int | None
    """The row that it is asked of, where each row is asked of."""
    says: WordedText
    """How the question is put."""
    options: tuple[str, ...]
    """All that may be answered."""
    right: Callable[[Array, Array], Chosen]
    """Returns the right options, where the numbers that tell them lie between two arrays."""
    listed: tuple[int, ...] = ()
    """The places of the options to choose from, where not all are listed."""
    tables: tuple[Matrix, ...] = ()
    """The options that are no words, in the order of their labels."""
    misread: tuple[Misreading, ...] = ()
    """Common mistakes in answering it."""

    def misread_as(self, name: str, low: Array, high: Array) -> Chosen:
        """Returns the options that a common mistake chooses; none where it can't be made."""
        gives = (m.gives for m in self.misread if m.name == name)
        return next(gives, lambda _, __: frozenset())(low, high)

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns what the options are called in a list, with an empty text for each that the list
        leaves out; none where there can't be a list."""
        from attncli.document.questions import labels_of

        if self.tables:
            return self.options
        listed = self.listed or range(len(self.options))
        labels = labels_of([self.options[k] for k in listed])
        own = dict(zip(listed, labels, strict=False))
        return tuple(own.get(k, "") for k in range(len(self.options))) if labels else ()


def largest(low: Array, high: Array) -> Chosen:
    """Returns the places of the numbers that may be the largest of some that lie between two
    bounds."""
    return frozenset(np.flatnonzero(high >= low.max()).tolist())


def in_no_order(count: int, numbers: Array) -> list[int]:
    """Returns the places of some options in an order that tells nothing about them, another one for
    other numbers."""
    from random import Random

    seed = " ".join(f"{number:.6g}" for number in numbers.flat)
    return Random(seed).sample(range(count), count)


Planned = tuple[Definition, ...]
"""The definitions of what a step makes at a place."""


class Mistake(NamedTuple, Generic[P]):
    """A common mistake: quantities made in another way than they should be. Marking replays it; the
    lesson shows what it would give."""

    name: str
    says: str
    """What is done wrongly; of a mistake that has two directions, both."""
    ways: Callable[[P, Planned], Iterable[Planned]]
    """Returns the ways to make it, of what a step makes at a place; none where it can't be made.

    A way is all that whoever makes the mistake makes otherwise, first the quantity that the mistake
    is in. The lesson and the keys go by the first way, marking by all.
    """
    says_which: Callable[[Definition, Definition], str] | None = None
    """Says which of two directions was taken, of the right definition and the one that was made."""

    def says_of(self, made: Definition, planned: Planned) -> str:
        """Says what the mistake is where this definition was made by it, of what is planned."""
        right = next((d for d in planned if d.name == made.name), made)
        return self.says if self.says_which is None else self.says_which(right, made)

    def says_at(self, place: P, planned: Planned) -> str:
        """Says what the mistake is where it can be made in the first way, and in general where it
        can't."""
        ways = (self.says_of(made, planned) for made, *_ in self.ways(place, planned))
        return next(iter(ways), self.says)


class Wording(NamedTuple, Generic[P]):
    """How a step is told, in the words of the literature."""

    title: str
    does: str
    """What it does, in a few words."""
    shapes: str
    """What goes in and what comes out, with the shapes."""
    happens: Callable[[P], str | WordedText]
    """Returns the sentence that opens the working at a place."""
    why: str
    """One sentence that says what the step is for."""
    more: str = ""
    """What a lesson adds to its purpose."""
    titled: Callable[[P], str | WordedText] | None = None
    """Returns its title at a place, where that isn't the place's."""
    why_at: Callable[[P], str] | None = None
    """Says what the step is for at a place, where that isn't the same everywhere."""
    of_last_row: str = ""
    """A sentence of what happens that is about the last row alone."""


class Results(NamedTuple, Generic[P]):
    """The quantities that a step makes."""

    names: tuple[str, ...]
    """The last names of all that it can make."""
    plan: Callable[[P], Planned]
    """Defines what it makes at a place before any shape is known."""
    nouns: Mapping[str, str] = MappingProxyType({})
    """What a number of a quantity is called in a sentence, or the row that it stands in: `score`,
    `query`; of one that isn't here its name."""
    sized: Callable[[P, Definition], Definition] = lambda _, planned: planned
    """Returns a definition as it is when all shapes are known."""
    fits: Callable[[Definition, Scenario], Iterable[Objection]] = lambda _, __: ()
    """Complains of a quantity whose extents agree and that still doesn't fit."""
    together: tuple[tuple[str, str], ...] = ()
    """The names of quantities whose rows are set side by side at the end, each with its heading."""
    roles: tuple[tuple[str, str, str], ...] = ()
    """What each quantity is, what it is for, and what it would say."""
    adds_up_to_one: tuple[str, ...] = ()
    """The names of those whose rows are shares."""
    pictures: tuple[str, ...] = ()
    """The names of the kinds of their pictures."""
    further_pictures: tuple[str, ...] = ()
    """The kinds of pictures of the same things, which are drawn where all are asked for."""
    remark: Callable[[P, Trace], WordedText] = lambda _, __: ()
    """Says of what it made at a place what a key tells besides the working."""
    running: Mapping[str, str] = MappingProxyType({})
    """The names of what takes the place of something given when training goes on, each with the
    name of that."""


class Formulas(NamedTuple, Generic[P]):
    """The formulas of a step, and what it is shown with where they are told in general, with all
    that it can have."""

    x: str = "X"
    """What flows in."""
    path: Name = TOP
    config: KeyValues = MappingProxyType({})
    """What is said."""
    gives: tuple[str, ...] = ()
    """The local names of what is given."""
    heads: int = 1
    positions: tuple[Positions, ...] = ()
    cell: Recurrent | None = None
    own: Callable[[P], tuple[Equation, ...] | None] = lambda _: None
    """Returns the formulas at a place, or None where they are those of the step's operations."""


class Example(NamedTuple):
    """The numbers on which a step is explained if none are asked for."""

    scenario: str = ""
    """The name of a shipped scenario."""
    changes: tuple[str, ...] = ()
    """The changes that give the step to a scenario which goes without it."""


class Prominence(NamedTuple):
    """How much a page makes of a step."""

    on_the_way: bool = False
    """Whether a later head or layer that is told in brief goes without it: its weights, and what it
    hands on, tell it."""
    read_first: bool = False
    """Whether a page that ends with the way back sends its reader here first, as to a cell's
    memory, where gradients vanish."""
    explained_once: bool = False
    """Whether a page leaves it out where it happens again in other words, as that of another norm,
    or goes back from other quantities."""


class Backward(NamedTuple, Generic[P]):
    """How gradients go back through a step, as the derivatives of its equations say."""

    through: str
    """What the step is called on the way back."""
    why: str
    """A sentence that says where the gradient comes from and which way it pushes."""
    more: str = ""
    """What a lesson adds."""
    why_at: Callable[[P], str] | None = None
    """Says the same at a place."""
    whole: Callable[[P, Planned], Planned] = lambda _, made: made
    """Puts several equations of the step together to one whose derivative people know, as those of
    a softmax."""
    usual_mistakes: tuple[str, ...] = ()
    """The names of the mistakes in `steps.backward.gradient_steps` that are made here."""
    mistakes: tuple[Mistake[BackwardPlace], ...] = ()
    """Mistakes of its own."""
    fixed: tuple[str, ...] = ()
    """The last names of what is given to the step and isn't learned: it gets no gradient."""
    gives: tuple[str, ...] = ()
    """The names of more that is given where it is shown in general."""
    example: Example = Example("learning_to_attend")
    """Where its changes are none, they are those of the step itself."""
    prominence: Prominence = Prominence()


class Inquiry(NamedTuple, Generic[P]):
    """A question of a step that is answered in words."""

    name: str
    does: str
    """What is asked, in a few words."""
    reads: tuple[str, ...]
    """Last names of quantities: the numbers of the first one that is made tell the answer."""
    asks: Callable[[P, Trace], tuple[WordsAsked, ...]]
    """Returns the question as it is asked at a place: once, or of each row."""
    rule: Callable[[P], WordedText] = lambda _: ()
    """Says what settles the answer where several could be right."""
    last: bool = False
    """Whether what comes later in the story may tell the answer."""
    ranked: bool = False
    """Whether the rows of what the step makes may tell the answer, as they are ranked by it."""


class Step(NamedTuple, Generic[P]):
    """One step of the story."""

    name: str
    at: type[P]
    """The type of the places where it is taken."""
    words: Wording[P]
    results: Results[P]
    keys: tuple[Key[object], ...] = ()
    """What a scenario may say of it."""
    check: Callable[[P], Iterable[Objection]] = lambda _: ()
    """Complains of what is wrong at a place beyond the kinds of the keys' values."""
    formulas: Formulas[P] = Formulas()
    example: Example = Example()
    prominence: Prominence = Prominence()
    inquiries: tuple[Inquiry[P], ...] = ()
    """What it can be asked besides numbers."""
    mistakes: tuple[Mistake[P], ...] = ()
    """The mistakes that people make in it."""
    backward: Backward[P] | None = None
    """How gradients go back through it."""

    def planned(self, place: P) -> Planned:
        """Defines what it makes at a place before any shape is known, marked as this step's."""
        return tuple([d._replace(step=self.name) for d in self.results.plan(place)])

    def why_here(self, place: P | None) -> str:
        """Says what the step is for, at a place or in general."""
        why_at = self.words.why_at
        return self.words.why if place is None or why_at is None else why_at(place)

    def title_at(self, place: P) -> WordedText:
        """Returns what the step is called at a place: `Norm 1`."""
        title, titled = self.words.title, self.words.titled
        return worded(place.titled(title) if titled is None else titled(place))

    def happens_at(self, place: P, *, with_last_row: bool = True) -> WordedText:
        """Returns the sentence that opens the working at a place; what is about the last row alone
        only where that is shown."""
        text, of_last = self.words.happens(place), self.words.of_last_row
        if isinstance(text, str) and of_last and not with_last_row:
            text = text.replace(f"{of_last} ", "")
        return worded(text)


def formulas_of(
    step: Step[P], place: P, definitions: tuple[Definition, ...]
) -> tuple[Equation, ...]:
    """Returns the formulas of a step at a place, each once, in the names of that place."""
    own = step.formulas.own(place)
    if own is not None:
        return own
    equations: dict[Equation, None] = {}
    for definition in definitions:
        names = map(place.here, (definition.name, *definition.operands))
        equations |= dict.fromkeys(definition.operation.formulas(*names))
    return tuple(equations)
