"""Problems in a scenario: gathered with their places, and told all at once."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from attncli.errors import Problem, UserError, Where, listed, shortened

_MANY_PROBLEMS = 500
_ALMOST, _NEAR = 0.85, 0.63
"""How alike, from 0 to 1, a known name has to be to be surely meant, and to be suggested."""
_SHORTEST_PART = 3
"""The fewest characters of a name that is recognized in a longer one."""
ALL_THE_SAME = "--large (in Python large=True) to have it done all the same"


Hint = Callable[[str], str | None]
"""Says where an unknown word belongs, if it is a word of the field, and returns None otherwise."""


def knows_nothing(_: str) -> None:
    """Knows no hint for any word."""


def nearest_place(places: Mapping[str, Where], name: str) -> Where:
    """Returns where the value of a full name stands in a file, or the nearest one above it. The
    file itself is the empty name."""
    while name not in places:
        name = name.rpartition(".")[0]
    return places[name]


class ScenarioError(UserError):
    """The error of a scenario that can't be used. Its `problems` are all that is wrong."""


def scenario_error(where: Where, wrong: str, right: str) -> ScenarioError:
    """Makes the error of a single problem."""
    return ScenarioError([Problem(where, wrong, right)])


def too_much(where: Where, what: str, less: str) -> ScenarioError:
    """Makes the error of something that would take too long, or too much memory."""
    return scenario_error(where, f"{what} are too much at once", f"{less}, or give {ALL_THE_SAME}")


class Diagnostics:
    """A collection of problems, so that a reader hears of all of them at once."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self.is_misread = False
        """Whether something is missing where it belongs, since it stands elsewhere: what would be
        wrong without it isn't."""

    def add(self, where: Where, wrong: str, right: str) -> None:
        self.found.append(Problem(where, wrong, right))

    def nearest(self, name: str, known: Iterable[str], hint: Hint = knows_nothing) -> str:
        """Suggests as the function `nearest` does. Once there are hundreds of problems, which
        nobody reads, it only lists the known names, since a search takes a while."""
        if len(self.found) < _MANY_PROBLEMS:
            return nearest(name, known, hint)
        return f"known: {listed(known)}"

    def stop_if_any(self) -> None:
        """Raises ScenarioError with everything found so far, in the order of the file."""
        if self.found:
            raise ScenarioError(sorted(set(self.found)))


Objection = tuple[str, str, str]
"""An objection: the full name of what is wrong, what is wrong with it, and what would be right."""
Objections = Iterator[Objection]


class NamedProblems(NamedTuple):
    """Problems that are reported by the full name of what is wrong."""

    places: Mapping[str, Where]
    problems: Diagnostics

    def where(self, name: str) -> Where:
        """Returns where the value of a full name stands in the file, or the nearest one above
        it."""
        return nearest_place(self.places, name)

    def add(self, name: str, wrong: str, right: str) -> None:
        self.problems.add(self.where(name), wrong, right)

    def hear(self, objections: Iterable[Objection]) -> None:
        """Adds objections as problems."""
        for objection in objections:
            self.add(*objection)


def nearest(name: str, known: Iterable[str], hint: Hint = knows_nothing) -> str:
    """Suggests what a mistyped name stands for: `did you mean X?` for a known name, else what a
    hint says, else the known name nearest to it, or the list of them."""
    names = list(known)
    return (
        _written_otherwise(name, names)
        or _meant(name, names, _ALMOST)
        or hint(name)
        or _qualified(name, names)
        or _meant(name, names, _NEAR)
        or _contained(name, names)
        or f"known: {listed(names)}"
    )


_QUOTES = "“”„‟‘’‚‛«»‹›"


def _written_otherwise(name: str, names: Collection[str]) -> str | None:
    """Says what is wrong with a known name in typographic quotes, or without a space after its
    colon; None for other names."""
    inside, (key, colon, value) = name.strip(_QUOTES), name.partition(":")
    if inside != name and inside in names:
        return f"write {inside} without these quotes, which are no quotes in YAML"
    if colon and key in names:
        return f"write {shortened(f'{key}: {value}')}, with a space after the colon"
    return None


def _meant(name: str, names: Iterable[str], cutoff: float) -> str | None:
    match = almost(name, names, cutoff)
    return None if match is None else f"did you mean {match}?"


def almost(name: str, names: Iterable[str], cutoff: float = _NEAR) -> str | None:
    """Returns the name that is written nearly like another one; None where there is none."""
    folded = {shortened(candidate).casefold(): candidate for candidate in names}
    match = difflib.get_close_matches(shortened(name).casefold(), folded, n=1, cutoff=cutoff)
    return shortened(folded[match[0]]) if match else None


def _contained(name: str, names: Iterable[str]) -> str | None:
    """Suggests a known name that contains a name, or is contained in it: `did you mean
    yassine_gru?` for `gru`."""
    for candidate in names:
        part, whole = sorted((name.casefold(), candidate.casefold()), key=len)
        if len(part) >= _SHORTEST_PART and part in whole:
            return f"did you mean {shortened(candidate)}?"
    return None


def _qualified(name: str, names: Iterable[str]) -> str | None:
    """Suggests the known name that a longer one extends, such as `softcap` for `router_softcap`,
    which may be another thing."""
    for candidate in names:
        if name.startswith(f"{candidate}_") or name.endswith(f"_{candidate}"):
            return f"the nearest that is known: {shortened(candidate)}"
    return None
