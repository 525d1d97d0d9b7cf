"""The indices of an equation, and the sides that they go along."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple, NoReturn

from attncli.maths.equations import language as said
from attncli.maths.equations.language import (
    Bound,
    Cell,
    Condition,
    EquationError,
    IndexedPlace,
    OverIndices,
    Part,
    walk,
)
from attncli.scenario.file.problems import nearest
from attncli.steps.written.arrays import ArraySide, Environment, KnownArray, Moment
from attncli.steps.written.functions import ALONG, FUNCTIONS, REDUCED

_POWERS = {"²": 2, "³": 3}
_MOST_PLACES = 100_000
"""Places of several indices that are looked through for one outside of a side."""
_OF_PLACES = (
    said.Literal,
    said.Reference,
    said.Minus,
    said.Binary,
    said.ComparedNumbers,
    said.All,
    said.Some,
)


class Indices:
    """The indices of an equation, and the sides that they go along."""

    def __init__(self, known: Environment, moment: Moment | None) -> None:
        self.known, self.moment = known, moment
        self.of: dict[str, ArraySide] = {}
        self.read: dict[str, str] = {}
        """What each index was found along, as an error would have it."""
        self.stated: set[str] = set()
        """The indices of which the equation says how far they go."""

    def survey(
        self, target: said.Target, value: Part, unknown: Collection[str] = (), *, some: bool = False
    ) -> None:
        """Finds how far each index goes, but for those of `unknown` arrays; with `some`, as far as
        that can be told.

        Raises EquationError where two sides disagree.
        """
        inner = (part.bounds for part in walk(value) if isinstance(part, OverIndices))
        bounds = [*target.bounds, *(bound for several in inner for bound in several)]
        self.stated = {bound.name for bound in bounds if bound.side}
        for bound in bounds:
            if bound.side:
                self.learn(bound.name, self.side(bound), bound.side, bound.start)
        cells = [p for p in walk(value) if isinstance(p, Cell) and p.name not in unknown]
        self._check_not_itself(target, value)
        for cell in cells:
            self._learn_from(cell, shifted=False)
        for cell in cells:  # a shifted index tells how far it goes only where nothing else does
            self._learn_from(cell, shifted=True)
        if not some:
            self._check_named_alone(value)
        for bound in () if some else bounds:
            if bound.name not in self.of and not self.is_time(bound.name):
                self._refuse_unbounded(bound, target, value)

    def _check_not_itself(self, target: said.Target, value: Part) -> None:
        """Raises EquationError for an equation that reads what it makes, over no times."""
        read = (p for p in walk(value) if isinstance(p, Cell | said.Reference))
        itself = next((part for part in read if part.name == target.name), None)
        if itself is not None and self.moment is None and target.name not in self.known.arrays:
            wrong = f"{target.name} is read where it is made"
            right = f"read something above; in a step over t, read {target.name}[t - 1]"
            raise EquationError(wrong, right, itself.start)

    def _refuse_unbounded(self, bound: Bound, target: said.Target, value: Part) -> NoReturn:
        """Raises the error of an index that nothing says the length of; where another one is read
        that goes along nothing, of that."""
        index, over = bound.name, [p for p in walk(value) if isinstance(p, OverIndices)]
        named = {b.name for b in (*target.bounds, *(b for part in over for b in part.bounds))}
        for cell in (part for part in walk(value) if isinstance(part, Cell)):
            for place in cell.places:
                if self.is_index(place) and place.name not in named:
                    wrong = f"{place.name} goes along nothing here"
                    right = f"write {index} here, or {place.name} in the place of {index}"
                    raise EquationError(wrong, right, place.start)
        wrong = f"nothing says how far {index} goes"
        right = self.known.bounded(index)
        for part in over:
            if part.function in ALONG and bound in part.bounds:
                right = f"write for {target.bounds[-1].name}" if target.bounds else right
        raise EquationError(wrong, right, bound.start)

    def _check_named_alone(self, value: Part) -> None:
        """Raises EquationError for an array that is read without its indices."""
        for part in walk(value):
            array = self.known.arrays.get(part.name) if isinstance(part, said.Reference) else None
            if isinstance(part, said.Reference) and array is not None and array.sides:
                has = counted_in_words(len(array.sides), "side")
                wrong = f"{part.name} has {has}, here none"
                raise EquationError(wrong, f"write {example(part.name, array)}", part.start)

    def _learn_from(self, cell: Cell, *, shifted: bool) -> None:
        for place, side in zip(cell.places, self.array(cell).sides, strict=True):
            if not self.is_index(place) or bool(place.shift) != shifted:
                continue
            if not (shifted and place.name in self.of):
                try:
                    self.learn(place.name, side, cell.name, place.start)
                except EquationError:
                    self._refuse_turned(cell)
                    raise

    def _refuse_turned(self, cell: Cell) -> None:
        """Raises EquationError for a cell whose two indices fit the other way round."""
        sides, places = self.array(cell).sides, cell.places
        lengths = [self.of[p.name].length if p.name in self.of else 0 for p in places]
        turned = zip(lengths, sides[::-1], strict=True)
        is_whole = not any(place.shift for place in places)
        if is_whole and places[1:] and all(n in (0, side.length) for n, side in turned):
            first, second = places
            wrong = f"{first.name} and {second.name} go along the other sides of {cell.name}"
            right = f"write {cell.name}[{second.name}, {first.name}]"
            raise EquationError(wrong, right, first.start)

    def check_shifts(self, value: Part) -> None:
        """Raises EquationError for a shifted index that leaves its side where no condition keeps it
        from that."""
        for cell, guards in guarded(value):
            sides = self.array(cell).sides
            for place, side in zip(cell.places, sides, strict=True):
                if place.shift and self.is_index(place):
                    self._check_shift(cell, place, side, guards)

    def _check_shift(
        self, cell: Cell, place: IndexedPlace, side: ArraySide, guards: Sequence[PlaceGuard]
    ) -> None:
        length = self.of[place.name].length
        outside = [k for k in range(1, length + 1) if not 1 <= k + place.shift <= side.length]
        others = sorted(
            {n for guard in guards for n in guard.names} & self.of.keys() - {place.name}
        )
        lengths = [range(1, self.of[name].length + 1) for name in others]
        if not outside or len(outside) * prod(map(len, lengths)) > _MOST_PLACES:
            return
        known = {name: side.length for name, side in self.known.sides.items()}
        if self.moment is not None:
            known[self.moment.index] = self.moment.now
        for k in outside:
            for combined in product(*lengths):
                at = {**known, place.name: k, **dict(zip(others, combined, strict=True))}
                if all(guard.may_hold(at) for guard in guards):
                    index, sign = place.name, ">" if place.shift < 0 else "<"
                    wrong = (
                        f"{cell.name} has nothing at {k + place.shift}, read where {index} is {k}"
                    )
                    last = side.length - place.shift if place.shift > 0 else -place.shift
                    right = f"say where it counts: if {index} {sign} {last + (place.shift > 0)}"
                    raise EquationError(wrong, right, place.start)

    def is_time(self, index: str) -> bool:
        """Tells whether an index is that of the times, which is known at each."""
        return self.moment is not None and index == self.moment.index

    def is_index(self, place: IndexedPlace) -> bool:
        """Tells whether a place is an index, and neither a number nor the time."""
        return place.name not in ("", "last") and not self.is_time(place.name)

    def met(self, condition: Condition, moment: Moment) -> bool | None:
        """Tells whether a condition is met at a time; None where that isn't told by the time."""
        known = {name: side.length for name, side in self.known.sides.items()}
        value = _Met({**known, moment.index: moment.now}).of(condition)
        return None if value is None else value == 1

    def check_free(self, bound: Bound) -> None:
        """Raises EquationError for an index that is called like something else."""
        index = bound.name
        if index in self.known.arrays or index in self.known.functions or index == "pi":
            wrong = f"{index} is an index here, and something else above"
            raise EquationError(wrong, "take another letter for the index", bound.start)
        if index in self.known.sides and bound.side != index:
            wrong = f"{index} is a side, which is as long as it is"
            raise EquationError(wrong, f"take another letter, like i in {index}", bound.start)

    def learn(self, index: str, side: ArraySide, of: str, start: int) -> None:
        before = self.of.setdefault(index, side)
        if index in self.stated and before.length < side.length:
            return  # X[i, j in half] is the first half
        if before.length != side.length:
            first, here = f"{before.length} of {self.read[index]}", f"{side.length} of {of}"
            wrong = f"{index} goes along {first}, here along {here}"
            right = f"take another index, or a {of} that has {before.length} there"
            right = "take another index" if of == self.read[index] else right
            raise EquationError(wrong, right, start)
        if side.labels and not before.labels:
            self.of[index] = side
        self.read.setdefault(index, of)

    def side(self, bound: Bound) -> ArraySide:
        if bound.side not in self.known.sides:
            raise self.known.no_side(bound)
        return self.known.sides[bound.side]

    def array(self, cell: Cell) -> KnownArray:
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
        if name in self.known.functions or name in (*FUNCTIONS, *REDUCED, *ALONG):
            wrong = f"{name} is a function"
            raise EquationError(wrong, f"write what it is of, {name}(…)", start)
        if name in self.known.later:
            wrong = f"{name} is made further down"
            raise EquationError(wrong, "move this equation below that", start)
        if name in ("inf", "infinity"):
            wrong = f"{name} is no number to work with"
            right = "leave out what is hidden by a condition: softmax(… for j if j <= i)"
            right += ", in a model instead_of: softmax"
            raise EquationError(wrong, right, start)
        if self.known.is_partly_read:
            raise EquationError("", "", start)
        raise EquationError(f"nothing is called {name}", self._meant(name), start)

    def _meant(self, name: str) -> str:
        """Suggests what a name that nothing has may stand for."""
        if name == "e":
            return "write exp(x) for e to the power of x"
        if name[-1] in _POWERS:
            return f"write {name[:-1]} ** {_POWERS[name[-1]]}"
        names = (*self.known.arrays, *self.known.sides, "pi")
        alike = [other for other in names if other.casefold() == name.casefold()]
        if len(name) > 1 or alike:
            return nearest(name, names)
        known = nearest("", names)  # one letter is like any other
        return f"{known}; an index stands on the left, or behind for"


def with_lengths(part: Part, known: Environment) -> Part:
    """Puts numbers in the place of the lengths that are added to indices. Raises EquationError for
    what is no side."""

    def place_of(place: IndexedPlace) -> IndexedPlace:
        if not place.side:
            return place
        if place.side not in known.sides:
            raise EquationError(
                f"{place.side} is no side whose length could be added to {place.name}",
                "name a side, of given or in sizes, or write a whole number such as 1",
                place.start,
            )
        return IndexedPlace(place.name, place.shift * known.sides[place.side].length, place.start)

    def change(inner: said.Piece) -> said.Piece | None:
        if not isinstance(inner, Cell) or not any(place.side for place in inner.places):
            return None
        return inner._replace(places=tuple(map(place_of, inner.places)))

    return said.rewritten(part, change)


class PlaceGuard(NamedTuple):
    """A condition under which a part is worked; or the one under which it isn't."""

    condition: Condition
    holds: bool

    @property
    def names(self) -> set[str]:
        """Returns the names by themselves in it."""
        return {p.name for p in walk(self.condition) if isinstance(p, said.Reference)}

    def may_hold(self, at: Mapping[str, int]) -> bool:
        """Tells whether a part is worked where these indices are at these places; where that
        depends on numbers of arrays, it counts as kept away."""
        met = _Met(at).of(self.condition)
        return met is not None and (met == 1) == self.holds


class _Met(said.Rules[Fraction | None]):
    """The values of conditions on places: 1 where they are met, 0 where not, None where that isn't
    known."""

    def __init__(self, at: Mapping[str, int]) -> None:
        self.at = at

    def of(self, part: said.Piece) -> Fraction | None:
        if isinstance(part, _OF_PLACES):
            return super().of(part)
        return None

    def of_literal(self, part: said.Literal) -> Fraction | None:
        return Fraction(part.text)

    def of_reference(self, part: said.Reference) -> Fraction | None:
        return Fraction(self.at[part.name]) if part.name in self.at else None

    def of_minus(self, part: said.Minus) -> Fraction | None:
        value = self.of(part.operand)
        return None if value is None else -value

    def of_binary(self, part: said.Binary) -> Fraction | None:
        left, right = self.of(part.left), self.of(part.right)
        if left is None or right is None or part.sign not in _SIGNS:
            return None
        if part.sign == "/" and not right:
            return None
        return _SIGNS[part.sign](left, right)

    def of_compared_numbers(self, part: said.ComparedNumbers) -> Fraction | None:
        left, right = self.of(part.left), self.of(part.right)
        if left is None or right is None:
            return None
        return Fraction(_RELATIONS[part.relation](left, right))

    def of_all(self, part: said.All) -> Fraction | None:
        met = self.each(part.parts)
        return Fraction(0) if 0 in met else None if None in met else Fraction(1)

    def of_some(self, part: said.Some) -> Fraction | None:
        met = self.each(part.parts)
        return Fraction(1) if 1 in met else None if None in met else Fraction(0)


_SIGNS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_RELATIONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def guarded(
    value: said.Piece, guards: tuple[PlaceGuard, ...] = ()
) -> Iterator[tuple[Cell, tuple[PlaceGuard, ...]]]:
    """Yields each cell that a part reads, with the conditions under which it is worked."""
    match value:
        case Cell():
            yield value, guards
        case said.ChosenNumber(condition, then, otherwise):
            yield from guarded(condition, guards)
            yield from guarded(then, (*guards, PlaceGuard(condition, True)))
            yield from guarded(otherwise, (*guards, PlaceGuard(condition, False)))
        case OverIndices(_, operand, _, condition, extra):
            if condition is not None:
                yield from guarded(condition, guards)
                guards = (*guards, PlaceGuard(condition, True))
            yield from guarded(operand, guards)
            if extra is not None:
                yield from guarded(extra, guards)
        case _:
            for part in said.parts_of(value):
                yield from guarded(part, guards)


def example(name: str, array: KnownArray) -> str:
    """Writes how a cell of an array is read: `X[i, j]`."""
    letters = ("t" if array.times else "i", "j", "k")
    return f"{name}[{', '.join(letters[: len(array.sides)])}]" if array.sides else name


def counted_in_words(count: int, noun: str) -> str:
    """Writes how many there are: `no sides`, `1 side`."""
    return f"{count or 'no'} {noun}{'s' * (count != 1)}"


def through_times(
    bounds: Iterable[Bound], value: Part, known: Environment
) -> tuple[Bound, KnownArray] | None:
    """Finds an index that goes through what is a matrix for each of its places, and that; None
    where there is none."""
    for cell in (part for part in walk(value) if isinstance(part, Cell)):
        array = known.arrays.get(cell.name)
        if array is not None and array.times and cell.places:
            for bound in bounds:
                if cell.places[0].name == bound.name:
                    return bound, array
    return None
