"""The indices of an equation, and the sides that they go along."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NoReturn

from attncli.maths.equations import language as said
from attncli.maths.equations.language import Bound, Cell, EquationError, Over, Part, Place, walk
from attncli.scenario.file.problems import nearest
from attncli.steps.written.arrays import Environment, Known, Moment, Side
from attncli.steps.written.functions import ALONG, FUNCTIONS, REDUCED


class Indices:
    """The indices of an equation, and the sides that they go along."""

    def __init__(self, known: Environment, moment: Moment | None) -> None:
        self.known, self.moment = known, moment
        self.of: dict[str, Side] = {}
        self.read: dict[str, str] = {}
        """What each index was found along, as an error would have it."""

    def survey(
        self, target: said.Target, value: Part, unknown: Collection[str] = (), *, some: bool = False
    ) -> None:
        """Finds how far each index goes, but for those of `unknown` arrays; with `some`, as far as
        that can be told.

        Raises EquationError where two sides disagree.
        """
        inner = (part.bounds for part in walk(value) if isinstance(part, Over))
        bounds = [*target.bounds, *(bound for several in inner for bound in several)]
        for bound in bounds:
            if bound.side:
                self.learn(bound.name, self.side(bound), bound.side, bound.start)
        cells = [p for p in walk(value) if isinstance(p, Cell) and p.name not in unknown]
        for cell in cells:
            self._learn_from(cell, shifted=False)
        for cell in cells:  # a shifted index tells how far it goes only where nothing else does
            self._learn_from(cell, shifted=True)
        for bound in () if some else bounds:
            if bound.name not in self.of and not self.is_time(bound.name):
                named = next(iter(self.known.sides), "token")
                wrong = f"nothing says how far {bound.name} goes"
                raise EquationError(wrong, f"write {bound.name} in {named}", bound.start)

    def _learn_from(self, cell: Cell, *, shifted: bool) -> None:
        for place, side in zip(cell.places, self.array(cell).sides, strict=True):
            if not self.is_index(place) or bool(place.shift) != shifted:
                continue
            if not (shifted and place.name in self.of):
                self.learn(place.name, side, cell.name, place.start)

    def is_time(self, index: str) -> bool:
        """Tells whether an index is that of the times, which is known at each."""
        return self.moment is not None and index == self.moment.index

    def is_index(self, place: Place) -> bool:
        """Tells whether a place is an index, and neither a number nor the time."""
        return place.name not in ("", "last") and not self.is_time(place.name)

    def check_free(self, bound: Bound) -> None:
        """Raises EquationError for an index that is called like something else."""
        index = bound.name
        if index in self.known.arrays or index in self.known.functions or index == "pi":
            wrong = f"{index} is an index here, and something else above"
            raise EquationError(wrong, "take another letter for the index", bound.start)
        if index in self.known.sides and bound.side != index:
            wrong = f"{index} is a side, which is as long as it is"
            raise EquationError(wrong, f"take another letter, like i in {index}", bound.start)

    def learn(self, index: str, side: Side, of: str, start: int) -> None:
        before = self.of.setdefault(index, side)
        if before.length != side.length:
            first, here = f"{before.length} of {self.read[index]}", f"{side.length} of {of}"
            wrong = f"{index} goes along {first}, here along {here}"
            right = f"take another index, or a {of} that has {before.length} there"
            raise EquationError(wrong, right, start)
        if side.labels and not before.labels:
            self.of[index] = side
        self.read.setdefault(index, of)

    def side(self, bound: Bound) -> Side:
        if bound.side in self.known.broken:
            raise EquationError("", "", bound.start)
        if bound.side not in self.known.sides:
            wrong = f"no side is called {bound.side}"
            raise EquationError(wrong, nearest(bound.side, self.known.sides), bound.start)
        return self.known.sides[bound.side]

    def array(self, cell: Cell) -> Known:
        """Returns the array that a cell is of. Raises EquationError where there is none, or it has
        other sides."""
        array = self.known.arrays.get(cell.name)
        if array is None:
            self.refuse_name(cell.name, cell.start)
        if len(array.sides) != len(cell.places):
            has = counted_in_words(len(array.sides), "side")
            wrong = f"{cell.name} has {has}, here {len(cell.places)}"
            raise EquationError(wrong, f"write {example(cell.name, array)}", cell.start)
        return array

    def refuse_name(self, name: str, start: int) -> NoReturn:
        """Raises the error of a name that nothing has."""
        if name in self.known.broken:
            raise EquationError("", "", start)
        if name in self.known.later:
            wrong = f"{name} is made further down"
            raise EquationError(wrong, "move this equation below that", start)
        if name in self.known.functions or name in (*FUNCTIONS, *REDUCED, *ALONG):
            wrong = f"{name} is a function"
            raise EquationError(wrong, f"write what it is of, {name}(…)", start)
        names = (*self.known.arrays, *self.known.sides, "pi")
        raise EquationError(f"nothing is called {name}", nearest(name, names), start)


def example(name: str, array: Known) -> str:
    """Writes how a cell of an array is read: `X[i, j]`."""
    letters = ("t" if array.times else "i", "j", "k")
    return f"{name}[{', '.join(letters[: len(array.sides)])}]" if array.sides else name


def counted_in_words(count: int, noun: str) -> str:
    """Writes how many there are: `no sides`, `1 side`."""
    return f"{count or 'no'} {noun}{'s' * (count != 1)}"


def through_times(
    bounds: Iterable[Bound], value: Part, known: Environment
) -> tuple[Bound, Known] | None:
    """Finds an index that goes through what is a matrix for each of its places, and that; None
    where there is none."""
    for cell in (part for part in walk(value) if isinstance(part, Cell)):
        array = known.arrays.get(cell.name)
        if array is not None and array.times and cell.places:
            for bound in bounds:
                if cell.places[0].name == bound.name:
                    return bound, array
    return None
