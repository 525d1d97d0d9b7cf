"""Problems: where, what is wrong, and what would be right; and how they are written out.

Whatever can't be done as it is asked for is told as problems, in files as in options. What is
somebody's own is shortened and made visible here, so that a message is one line that people
can read, whatever it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

BAD_INPUT = 2
"""The exit status of what can't be done as it is asked for."""
_LONGEST_WORD = 60
_LONGEST_LIST = 160
_LONGEST_SOURCE = 160
_LONGEST_WRONG = 300
_LONGEST_RIGHT = 240
LONGEST_MESSAGE = _LONGEST_SOURCE + _LONGEST_WRONG + _LONGEST_RIGHT + 24
"""Characters that a message has at the most, those of its line and column among them."""

_MANY = 12
"""More names than this aren't all listed in a message."""

_ALIKE = 4
"""So many places where the same is wrong are told together."""

MOST_WRITTEN = 20
"""Problems that are written out; of others only the number is said."""


def shortened(text: str, most: int = _LONGEST_WORD) -> str:
    """Shortens a text to at most `most` characters, with `…` in the place of its middle."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - 1 - tail]}…{text[-tail:]}"


def quote(text: str) -> str:
    """Puts a text in double quotes, shortened where it is long."""
    return f'"{shortened(text)}"'


def agreed(count: int, one: str, several: str) -> str:
    """Returns the form of a word that agrees with a count: `follows` of 1, `follow` of others."""
    return one if count == 1 else several


def plural(noun: str) -> str:
    """Returns the plural of a noun: `tokens`, `quantities`, `classes`."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(s|x|ch|sh)$", noun) else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """Writes a count with its noun: `1 token`, `3 tokens`, `3 quantities`."""
    return f"{count} {agreed(count, noun, plural(noun))}"


def every(count: int, noun: str) -> str:
    """Writes that all of a count are meant: `the only row`, `both rows`, `all 4 rows`."""
    number = {1: "the only", 2: "both"}.get(count, f"all {count}")
    return f"{number} {agreed(count, noun, plural(noun))}"


def listed(names: Iterable[str], between: str = ", ") -> str:
    """Joins names with `between`, as many as a message has room for; `…` stands for the rest."""
    known = list(names)
    shown = [shortened(name) for name in known[:_MANY]]
    while len(shown) > 1 and len(between.join(shown)) > _LONGEST_LIST:
        shown.pop()
    return between.join([*shown, "…"] if len(shown) < len(known) else shown)


def _line(text: str, most: int) -> str:
    """Makes a text part of one line in which every character is visible."""
    from attncli.maths.notation.escaping import harmless, isolated

    return isolated(shortened(harmless(shortened(text, most)), most))


class Where(NamedTuple):
    """A place in a source. Lines and columns count from 1; 0 stands for none."""

    source: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        source = _line(self.source, _LONGEST_SOURCE)
        return f"{source}:{self.line}:{self.column}" if self.line else source


class Problem(NamedTuple):
    """A fault in some place: what is wrong there, and what would be right."""

    where: Where
    wrong: str
    right: str

    @classmethod
    def of(cls, source: str, wrong: str, right: str) -> Self:
        """Makes the problem of something that has no lines, such as an option or a file to
        write."""
        return cls(Where(source), wrong, right)

    def __str__(self) -> str:
        wrong, right = _line(self.wrong, _LONGEST_WRONG), _line(self.right, _LONGEST_RIGHT)
        return f"{self.where}: {wrong}; {right}"


def problem_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """Yields problems as lines: the first twenty, then how many more there are.

    What is wrong in the same way in several places is said once, with the lines of the others.
    """
    problems = _each_once(problems)
    more = len(problems) - MOST_WRITTEN
    yield from map(str, problems[:MOST_WRITTEN])
    if more > 0:
        wrong = f"{more:,} more {agreed(more, 'problem', 'problems')} from here on"
        yield str(Problem(problems[MOST_WRITTEN].where, wrong, "mend those above first"))


def _each_once(problems: Iterable[Problem]) -> list[Problem]:
    alike: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        source = problem.where.source if problem.where.line else ""
        alike.setdefault((source, problem.wrong, problem.right), []).append(problem)
    return [p for places in alike.values() for p in _gathered(places)]


def _gathered(places: list[Problem]) -> list[Problem]:
    """Gathers places with the same problem into one; fewer than four stay apart."""
    if len(places) < _ALIKE:
        return places
    first, *rest = places
    lines = "lines " if first.where.line else ""
    others = listed(str(p.where.line or p.where.source) for p in rest)
    return [first._replace(wrong=f"{first.wrong} (and the same in {lines}{others})")]


class UserError(ValueError):
    """A request that can't be met; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem_lines(self.problems)))

    @classmethod
    def of(cls, source: str, wrong: str, right: str) -> Self:
        """Makes the error for a single problem of something that has no lines."""
        return cls([Problem.of(source, wrong, right)])


class Complaints:
    """A collector of what is wrong with the input, so that all of it is said at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Keeps an error of the input (or a lack of memory) for later, and leaves the block."""
        try:
            yield
        except UserError as refusal:
            self.problems += refusal.problems
        except MemoryError:
            less = "give fewer tokens, layers or dimensions, or ask for less of the page"
            self.problems.append(Problem.of("attn", "there is not enough memory for it", less))

    def hear(self, act: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | None:
        """Calls `act` and returns its result; where that fails, keeps the problems and returns
        None."""
        with self.heard():
            return act(*arguments, **named)
        return None

    def stop_if_any(self) -> None:
        """Raises a UserError with all the problems, if there are any."""
        if self.problems:
            raise UserError(self.problems)
