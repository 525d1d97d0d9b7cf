"""Where in the model a step is taken, and how it finds what it works on.

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
    """A place of a stack: its path, and the full name of what flows in."""

    scenario: Scenario
    stack: Stack
    path: Name
    x: Name

    def to(self, kind: type[P], **own: Any) -> P:  # noqa: ANN401
        """A place of another type: what both have, and what is its own."""
        shared = {name: getattr(self, name) for name in kind.__match_args__ if hasattr(self, name)}
        return kind(**(shared | own))

    def at(self, path: Name) -> Self:
        """The same place on another path."""
        return replace(self, path=path)

    def titled(self, title: str) -> str:
        """What a step of this title is called here."""
        return title

    def name(self, local: str, number: int | None = None) -> Name:
        """The full name of a quantity that is made here, or of a place."""
        return below(self.path, local, number)

    def latest(self, local: str) -> Name:
        """The full name of a quantity as the steps before have left it."""
        return self.name(local)

    def find(self, local: str) -> Name:
        """The full name of a matrix that is given for this place."""
        return self.name(local)

    def gives(self, local: str) -> bool:
        """Whether a matrix is given for this place."""
        return self.scenario.gives(self.find(local))

    def here(self, full: Name) -> Name:
        """A full name as it is called on this place's page: without the path."""
        return full.seen_from(self.path)

    def width(self, full: Name) -> int | None:
        """The columns of a quantity, where they can be told before it is made."""
        return self.scenario.shapes.get(full, (None, None))[1]

    def height(self, full: Name) -> int | None:
        """The rows of a quantity, where they can be told before it is made."""
        return self.scenario.shapes.get(full, (None, None))[0]

    @property
    def text(self) -> TokenizedText:
        return self.stack.text


@dataclass(eq=False, repr=False)
class RoundPlace(Place):
    """A round of learning a tokenizer, from 1. Of many rounds only some are `shown` on the page."""

    round: int
    shown: bool = True

    def titled(self, title: str) -> str:
        return f"{title}, round {self.round}"


@dataclass(eq=False, repr=False)
class CutPlace(Place):
    """A word that is cut into pieces."""

    word: str


@dataclass(eq=False, repr=False)
class NormPlace(Place):
    """A norm, and the full name of what it makes."""

    norm: Settings
    out: Name


@dataclass(eq=False, repr=False)
class LayerPlace(Place):
    """A layer."""

    layer: Layer


@dataclass(eq=False, repr=False)
class ResidualPlace(LayerPlace):
    """The residual of a layer's sublayer, from 1, and the full name of what went into that; `also`
    is what other sublayers made of it, beside that one."""

    skipped: Name
    number: int
    also: tuple[Name, ...] = ()


def into(step: str) -> str:
    """What wires call that which went into a step."""
    return f"into {step}"


@dataclass(eq=False, repr=False)
class AttentionPlace(LayerPlace):
    """All heads of an attention. Keys and values are made of the `source`; `wires` are the latest
    Q, K and V, where a step has put another in the place of what was projected, and what went
    `into` each of the steps before."""

    attention: Attention
    source: Name
    wires: Mapping[str, Name]

    def latest(self, local: str) -> Name:
        """The full name of the queries, keys or values as the steps before have left them."""
        return self.wires.get(local) or self.name(local)

    @property
    def d_k(self) -> int | None:
        """The columns of the keys here; None where nothing tells them."""
        widths = (self.width(self.latest(local)) for local in ("K", "Q"))
        return next((width for width in widths if width is not None), None)


@dataclass(eq=False, repr=False)
class HeadPlace(AttentionPlace):
    """One head of an attention, from 0."""

    head: int

    def find(self, local: str) -> Name:
        """The full name of a matrix that is given here or for all heads; else its name here."""
        own, shared = self.name(local), below(self.attention.path, local)
        only_shared = self.scenario.gives(shared) and not self.scenario.gives(own)
        return shared if only_shared else own


@dataclass(eq=False, repr=False)
class WayPlace(LayerPlace):
    """A way over the sentence of a recurrent layer's cell, of so many times."""

    cell: Recurrent
    way: str
    times: int

    @property
    def order(self) -> Sequence[int]:
        """The times, from 1, in the order in which the cell takes them."""
        times = range(1, self.times + 1)
        return times[::-1] if self.way == "backward" else times

    @property
    def start(self) -> int:
        """The time before the first one."""
        return self.times + 1 if self.way == "backward" else 0

    @property
    def memory(self) -> Name:
        """The full name of what the cell remembers in the end."""
        path = self.path.path if self.path.local == "gates" else self.path
        return below(path, "c" if self.cell.kind == "lstm" else "a").at(self.order[-1])

    def weights(self, local: str) -> Name:
        """The full name of a matrix that this way is given."""
        back = self.way == "backward" and self.cell.direction == "both"
        return below(below(self.layer.path, "backward") if back else self.layer.path, local)


@dataclass(eq=False, repr=False)
class CellPlace(WayPlace):
    """A recurrent cell at a time, from 1."""

    time: int

    def titled(self, title: str) -> str:
        return f"{title} at step {self.time}"

    @property
    def before(self) -> int:
        """The time that the cell comes from."""
        return self.time + 1 if self.way == "backward" else self.time - 1

    def timed(self, local: str, time: int | None = None) -> Name:
        """The full name of a quantity at a time, by default this one: `a[2]`."""
        return self.name(local).at(self.time if time is None else time)


@dataclass(eq=False, repr=False)
class BackwardPlace(Place):
    """Where the gradients of what a step made go back through it: the place of that step, and how
    the gradients before it are made; `update` is the place of an update that went before."""

    forward: Place
    planned: tuple[Definition, ...]
    update: Name = TOP

    def titled(self, title: str) -> str:
        return self.forward.titled(title)

    @property
    def gradients(self) -> Name:
        """The place of the gradients."""
        return GRADIENTS.under(self.update) if self.update else GRADIENTS

    def here(self, full: Name) -> Name:
        if not full.inside(self.gradients):
            return self.forward.here(full)
        forth = full.seen_from(self.gradients)
        forth = forth.under(self.update) if self.update else forth
        return self.forward.here(forth).under(GRADIENTS)


@dataclass(eq=False, repr=False)
class UpdatePlace(Place):
    """An update of the parameters, from 1, or what came of it, after so many updates, and how that
    is made. Quantities are called by their full names, since some are of before the update."""

    update: int
    after: int
    planned: tuple[Definition, ...]

    def titled(self, title: str) -> str:
        return f"{title} {self.update}"

    def here(self, full: Name) -> Name:
        return full
