"""What was made of what, and the way back over it: the gradient of the loss with respect to every
quantity that it hangs on (Rumelhart et al. 1986, doi:10.1038/323533a0; on a tape as Wengert 1964,
doi:10.1145/355586.364791, has it).

Whoever makes a quantity says by hand, for each that it is made of, what part of the gradient that
one gets of the gradient G of what is made. Numbers that nobody gave and nothing made are constants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tests.oracle.numerals import Numbers

Back = Callable[[Numbers], Numbers]
"""Of the gradient of what is made, the part of the gradient of one thing that it is made of."""
Backs = Sequence[tuple[Numbers, Back]]
"""What a quantity is made of, each with its way back."""
WaysBack = Backs | Callable[[Numbers], Backs]
"""The same, or of what was made: a softmax needs its own result on the way back."""
Made = tuple[Numbers, WaysBack]
"""Numbers, and the ways back from them."""
Keep = Callable[[str, Numbers, str], Numbers]
"""Writes a gradient down by the name of what it is of and its step, and hands it on."""


_ALONE = ("layers", "heads")
"""Of these a single one isn't counted: its matrices are called like those of what it is in."""


class Use(NamedTuple):
    """One quantity or given matrix in the making of another, by their full names."""

    of: str
    made: str
    step: str
    back: Back


@dataclass(frozen=True)
class Tape:
    """The uses in the order in which they happened. `names` knows each array of numbers by its
    identity, and holds it so that no other one gets that; `places` does so for the parts of a
    scenario, which become given matrices; `latest` has the numbers of those that were updated.
    What is made is called as it is without a path `under` which everything is."""

    uses: list[Use] = field(default_factory=list)
    names: dict[int, tuple[str, Numbers]] = field(default_factory=dict)
    places: dict[int, str] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    latest: Mapping[str, Numbers] = field(default_factory=dict)
    under: str = ""

    def reads(self, values: Numbers, value: object) -> Numbers:
        """A matrix that a scenario gives at some place, which has its name from that."""
        if id(value) in self.places:
            name = self.places[id(value)]
            self.given.add(name)
            values = self.latest.get(name, values).view()
            self.names[id(values)] = name, values
        return values

    def writes(self, name: str, step: str, values: Numbers, backs: WaysBack) -> Numbers:
        """Numbers that were made, as an array that is nothing else's."""
        own, name = values.view(), name.removeprefix(self.under)
        self.names[id(own)] = name, own
        for operand, back in backs(own) if callable(backs) else backs:
            if id(operand) in self.names:
                self.uses.append(Use(self.names[id(operand)][0], name, step, back))
        return own

    def go_back(self, loss: str, numbers: Numbers, keep: Keep) -> None:
        """Writes down the gradient of a loss with respect to all that it hangs on; a quantity that
        is used several times gets a part by each use, and their sum."""
        uses = self.leading_to(loss)
        if not uses:
            return
        counts = Counter(use.of for use in uses)
        gradients = {loss: keep(loss, numbers, _back_through(uses[0]))}
        parts: dict[str, list[Numbers]] = {}
        for use, name in zip(uses, _names(uses, counts), strict=True):
            part = keep(name, use.back(gradients[use.made]), _back_through(use))
            known = parts.setdefault(use.of, [])
            known.append(part)
            if len(known) == counts[use.of]:
                whole = part if len(known) == 1 else sum(known[1:], known[0])
                alone = len(known) == 1
                gradients[use.of] = whole if alone else keep(use.of, whole, _back_through(use))

    def leading_to(self, *made: str) -> list[Use]:
        """The uses by which what is made hangs on what is given, the last one first; of those in
        the making of one quantity the first one first."""
        hang = set(self.given)
        for use in self.uses:
            hang |= {use.made} if use.of in hang else set()
        order = {name: k for k, name in enumerate(dict.fromkeys(use.made for use in self.uses))}
        reached, found = {*made}, list[Use]()
        for use in sorted(self.uses, key=lambda use: -order[use.made]):
            if use.made in reached and use.of in hang:
                reached.add(use.of)
                found.append(use)
        return found


def named_parts(value: Any, tape: Tape, name: str = "") -> Any:
    """A scenario in which each matrix is an object of its own, whose place the tape knows:
    `layers[1].heads[2].W_Q`."""
    if isinstance(value, Mapping):
        prefix = f"{name}." if name else ""
        value = {key: named_parts(data, tape, f"{prefix}{key}") for key, data in value.items()}
    elif isinstance(value, list | tuple) and not _is_matrix(value):
        alone = len(value) == 1 and name.rpartition(".")[2] in _ALONE
        value = [
            named_parts(data, tape, name.rpartition(".")[0] if alone else f"{name}[{k}]")
            for k, data in enumerate(value, 1)
        ]
    elif isinstance(value, list | tuple):
        value = [*value]
    elif isinstance(value, np.ndarray):
        value = value.view()
    else:
        return value
    tape.places[id(value)] = name
    return value


def _is_matrix(entries: Sequence[object]) -> bool:
    """Whether these are numbers or rows of numbers, rather than records and whole matrices."""
    rows = (value for value in entries if isinstance(value, list | tuple | np.ndarray))
    deep = any(np.ndim(row[0]) if len(row) else 0 for row in rows)
    return not deep and not any(isinstance(value, Mapping) for value in entries)


def _back_through(use: Use) -> str:
    return f"backward_{use.step}"


def _names(uses: Sequence[Use], counts: Mapping[str, int]) -> Iterator[str]:
    """What each part is called: by what it is of, and where there are others by its use."""
    twice = Counter((use.of, use.made) for use in uses)
    so_far = Counter[tuple[str, str]]()
    for use in uses:
        pair = use.of, use.made
        so_far[pair] += 1
        number = f"[{so_far[pair]}]" if twice[pair] > 1 else ""
        yield use.of if counts[use.of] == 1 else f"{use.of}.{use.made}{number}"
