"""The places in a model at which steps are taken, and the quantities that a step finds from there.

A place is of the type that says what is known there: a step that is taken at a head asks for a
`HeadPlace`, and can't be planned anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from attncli.names import GRADIENTS, TOP, Name, below
from attncli.scenario.model import Attention, Layer, Recurrent, Settings, Stack, TokenizedText
from attncli.scenario.scenario import Scenario
from attncli.trace.quantity import Definition

P = TypeVar("P", bound="Place")


@dataclass(eq=False, repr=False)  # frozen, the twelve would take 2 % of a short run to make
class Place:
    """A place in a stack where a step is taken, such as a layer or a head."""

    scenario: Scenario
    stack: Stack
    path: Name
    """The full name of the place."""
    x: Name
    """The full name of the quantity that flows in."""

    def to(self, kind: type[P], **own: Any) -> P:  # noqa: ANN401
        """Returns a place of another type at the same spot. Fields that both types have are kept,
        and `own` gives the others."""
        shared = {name: getattr(self, name) for name in kind.__match_args__ if hasattr(self, name)}
        return kind(**(shared | own))

    def at(self, path: Name) -> Self:
        """Returns the same place on another path."""
        return replace(self, path=path)

    def titled(self, title: str) -> str:
        """Returns the title that a step has here."""
        return title

    def name(self, local: str, number: int | None = None) -> Name:
        """Returns the full name of a quantity, or of a place, that is inside this one."""
        return below(self.path, local, number)

    def latest(self, local: str) -> Name:
        """Returns the full name of a quantity as the steps before have left it."""
        return self.name(local)

    def find(self, local: str) -> Name:
        """Returns the full name of a matrix that is given for this place."""
        return self.name(local)

    def gives(self, local: str) -> bool:
        """Tells whether a matrix is given for this place."""
        return self.scenario.gives(self.find(local))

    def here(self, full: Name) -> Name:
        """Shortens a full name to what it is called on this place's page: without the path."""
        return full.seen_from(self.path)

    def width(self, full: Name) -> int | None:
        """Returns the number of columns of a quantity, or None where it isn't known before it is
        made."""
        return self.scenario.plan.shapes.get(full, (None, None))[1]

    def height(self, full: Name) -> int | None:
        """Returns the number of rows of a quantity, or None where it isn't known before it is
        made."""
        return self.scenario.plan.shapes.get(full, (None, None))[0]

    @property
    def text(self) -> TokenizedText:
        return self.stack.text

    @property
    def own_step(self) -> Any:  # noqa: ANN401  (a `Step`, which places don't know)
        """Returns the step that a scenario wrote itself for this place; None for any other."""
        return None

    @property
    def called(self) -> str:
        """Returns what a scenario calls a step of its own here; nothing for others."""
        return ""


@dataclass(eq=False, repr=False)
class RoundPlace(Place):
    """A round of learning a tokenizer."""

    round: int
    """Its number, from 1."""
    shown: bool = True
    """Whether the page shows it: of many rounds only some are shown."""

    def titled(self, title: str) -> str:
        return f"{title}, round {self.round}"


@dataclass(eq=False, repr=False)
class CutPlace(Place):
    """A word that is cut into pieces."""

    word: str


@dataclass(eq=False, repr=False)
class NormPlace(Place):
    """A norm."""

    norm: Settings
    out: Name
    """The full name of what it makes."""


@dataclass(eq=False, repr=False)
class LayerPlace(Place):
    """A layer."""

    layer: Layer


@dataclass(eq=False, repr=False)
class ResidualPlace(LayerPlace):
    """The residual connection around a layer's sublayer."""

    skipped: Name
    """The full name of what went into the sublayer."""
    number: int
    """The number of the sublayer, from 1."""
    also: tuple[Name, ...] = ()
    """What parallel sublayers made of the same input."""


def into(step: str) -> str:
    """Returns the key in `AttentionPlace.wires` of what went into a step."""
    return f"into {step}"


@dataclass(eq=False, repr=False)
class AttentionPlace(LayerPlace):
    """All heads of an attention."""

    attention: Attention
    source: Name
    """The full name of what keys and values are made of."""
    wires: Mapping[str, Name]
    """The full names of the latest Q, K and V where a step has changed them, of what went into each
    of the steps before, and of what came out of each head, by the head's path."""

    def out_of(self, head: Name) -> Name:
        """Returns the full name of what came out of a head, by its path."""
        return self.wires.get(head) or below(head, "output")

    def latest(self, local: str) -> Name:
        """Returns the full name of the queries, keys or values as the steps before have left
        them."""
        return self.wires.get(local) or self.name(local)

    @property
    def d_k(self) -> int | None:
        """Returns the number of columns of the keys here, or None where nothing tells it."""
        widths = (self.width(self.latest(local)) for local in ("K", "Q"))
        return next((width for width in widths if width is not None), None)


@dataclass(eq=False, repr=False)
class HeadPlace(AttentionPlace):
    """One head of an attention, from 0."""

    head: int

    def find(self, local: str) -> Name:
        """Returns the full name of a matrix that is given for this head, or else for all heads; of
        one that isn't given, its name here."""
        own, shared = self.name(local), below(self.attention.path, local)
        only_shared = self.scenario.gives(shared) and not self.scenario.gives(own)
        return shared if only_shared else own


@dataclass(eq=False, repr=False)
class WayPlace(LayerPlace):
    """A pass of a recurrent layer's cell over the sentence, forward or backward."""

    cell: Recurrent
    way: str
    times: int
    """How many time steps the sentence has."""

    @property
    def order(self) -> Sequence[int]:
        """Lists the time steps, from 1, in the order in which the cell takes them."""
        times = range(1, self.times + 1)
        return times[::-1] if self.way == "backward" else times

    @property
    def start(self) -> int:
        """Returns the time step of the initial state, before the first one."""
        return self.times + 1 if self.way == "backward" else 0

    @property
    def memory(self) -> Name:
        """Returns the full name of the cell's last state: `c` of an LSTM, `a` of others."""
        path = self.path.path if self.path.local == "gates" else self.path
        return below(path, "c" if self.cell.kind == "lstm" else "a").at(self.order[-1])

    def weights(self, local: str) -> Name:
        """Returns the full name of a matrix that is given for this direction."""
        back = self.way == "backward" and self.cell.direction == "both"
        return below(below(self.layer.path, "backward") if back else self.layer.path, local)


@dataclass(eq=False, repr=False)
class CellPlace(WayPlace):
    """A recurrent cell at one time step."""

    time: int
    """The time step, from 1."""

    def titled(self, title: str) -> str:
        return f"{title} at step {self.time}"

    @property
    def before(self) -> int:
        """Returns the time step whose state flows into this one."""
        return self.time + 1 if self.way == "backward" else self.time - 1

    def timed(self, local: str, time: int | None = None) -> Name:
        """Returns the full name of a quantity at a time step, by default this one: `a[2]`."""
        return self.name(local).at(self.time if time is None else time)


@dataclass(eq=False, repr=False)
class BackwardPlace(Place):
    """The place at which the gradients flow back through a step."""

    forward: Place
    """The place of that step in the forward pass."""
    planned: tuple[Definition, ...]
    """The definitions of the gradients that are made here."""
    update: Name = TOP
    """The place of the update that went before, if one did."""

    def titled(self, title: str) -> str:
        return self.forward.titled(title)

    @property
    def gradients(self) -> Name:
        """Returns the full name of the place that holds the gradients."""
        return GRADIENTS.under(self.update) if self.update else GRADIENTS

    def here(self, full: Name) -> Name:
        if not full.inside(self.gradients):
            return self.forward.here(full)
        forth = full.seen_from(self.gradients)
        forth = forth.under(self.update) if self.update else forth
        return self.forward.here(forth).under(GRADIENTS)


@dataclass(eq=False, repr=False)
class UpdatePlace(Place):
    """An update of the parameters, or what is worked after it. Quantities keep their full names
    here, since some belong to the model before the update."""

    update: int
    """The number of the update, from 1."""
    after: int
    """After how many updates the step is taken."""
    planned: tuple[Definition, ...]
    """The definitions of what is made here."""

    def titled(self, title: str) -> str:
        return f"{title} {self.update}"

    def here(self, full: Name) -> Name:
        return full
