"""Where in the model a step is taken, and how it finds what it works on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.name import TOP, Name, below
from attncli.records import dataclass, field, replace
from attncli.scenario.model import Attention, Layer, Norm, Recurrent, Stack, TokenizedText
from attncli.scenario.scenario import Scenario

_X = Name("X")


@dataclass(frozen=True, eq=False)
class Place:
    """One place of the model: its path, what flows in, and what is said of it.

    `x` is the full name of what flows in, `beside` of what comes in from the side: the input
    that a residual adds, the memory that keys and values are made of. `way` is where a recurrent
    cell goes, `time` its place in the sentence, from 1, of so many `times`; `round` is that of
    learning a tokenizer, from 1, `word` one that is cut into pieces. `separate` says that queries,
    keys and values may have inputs of their own; `out` is the full name of the result where it
    isn't the step's own. `wires` are the latest Q, K and V, where a step has put another in the
    place of what was projected.
    """

    scenario: Scenario
    path: Name = TOP
    x: Name = _X
    beside: Name = TOP
    separate: bool = False
    out: Name = TOP
    stack: Stack = Stack()
    layer: Layer = Layer()
    attention: Attention = Attention()
    head: int = 0
    norm: Norm = Norm(Name("norm"))
    way: str = "forward"
    time: int = 0
    times: int = 0
    round: int = 0
    word: str = ""
    wires: Mapping[str, Name] = field(default_factory=dict)

    def at(self, path: Name, **changes: Any) -> Place:  # noqa: ANN401
        """The scope of another path, with some changes."""
        return replace(self, path=path, **changes)

    def name(self, local: str, number: int | None = None) -> Name:
        """The full name of a quantity that is made here, or of a place."""
        return below(self.path, local, number)

    def latest(self, local: str) -> Name:
        """The full name of the queries, keys or values as the steps before have left them."""
        return self.wires.get(local) or self.name(local)

    def wired(self, wires: Mapping[str, Name]) -> Place:
        """The same place with other queries, keys or values as the latest."""
        return replace(self, wires={**self.wires, **wires})

    def gives(self, local: str) -> bool:
        """Whether a matrix is given here, or for all heads together."""
        return self.scenario.gives(self.find(local))

    def find(self, local: str) -> Name:
        """The full name of a matrix that is given here or for all heads; else its name here."""
        own, shared = self.name(local), below(self.attention.path, local)
        in_head = self.path == self.attention.head_path(self.head)
        if in_head and not self.scenario.gives(own) and self.scenario.gives(shared):
            return shared
        return own

    @property
    def cell(self) -> Recurrent:
        return self.layer.recurrent or Recurrent()

    def timed(self, local: str, time: int | None = None) -> Name:
        """The full name of a quantity at a time, by default this one: `a[2]`."""
        return self.name(local).at(self.time if time is None else time)

    @property
    def before(self) -> int:
        """The time that a cell comes from."""
        return self.time + 1 if self.way == "backward" else self.time - 1

    def weights(self, local: str) -> Name:
        """The full name of a matrix that a way of a cell is given."""
        back = self.way == "backward" and self.cell.direction == "both"
        return below(below(self.layer.path, "backward") if back else self.layer.path, local)

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

    @property
    def d_k(self) -> int | None:
        """The columns of the keys here; None where nothing tells them."""
        for local in ("K", "Q"):
            if (width := self.width(self.name(local))) is not None:
                return width
        return None
