"""Problems in a scenario: where, what is wrong, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Where(NamedTuple):
    """A place in a source; lines and columns count from 1, 0 stands for none."""

    source: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


def nearest_place(places: Mapping[str, Where], name: str, origin: Where) -> Where:
    """Where the value of a full name stands in a file, or the nearest one above it."""
    while name and name not in places:
        name = name.rpartition(".")[0]
    return places.get(name, origin)


class Problem(NamedTuple):
    """What is wrong somewhere, and what would be right."""

    where: Where
    wrong: str
    right: str

    def __str__(self) -> str:
        return f"{self.where}: {self.wrong}; {self.right}"


class ScenarioError(ValueError):
    """A scenario that can't be used; `problems` are all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def scenario_error(where: Where, wrong: str, right: str) -> ScenarioError:
    """The error of a single problem."""
    return ScenarioError([Problem(where, wrong, right)])


@dataclass
class Problems:
    """Gathers problems, so that a reader hears of all of them at once."""

    found: list[Problem] = field(default_factory=list)

    def add(self, where: Where, wrong: str, right: str) -> None:
        self.found.append(Problem(where, wrong, right))

    def stop_if_any(self) -> None:
        """Raises ScenarioError with everything found so far, in the order of the file."""
        if self.found:
            raise ScenarioError(sorted(set(self.found)))


MANY = 12
"""More names than this aren't all listed in a message."""


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean X?` for the known name nearest to a mistyped one, or the list of them."""
    names = list(known)
    folded = {candidate.casefold(): candidate for candidate in names}
    match = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    if match:
        return f"did you mean {folded[match[0]]}?"
    more = ", …" if len(names) > MANY else ""
    return f"known: {', '.join(names[:MANY])}{more}"
