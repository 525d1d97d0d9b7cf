"""The parts of an equation as expressions: its indices become those of rows, columns and sums, what
it reads its operands.

A row or column that stands alone, `X[2, j]`, `p[i, i]`, `X[i - 1, j]`, is the sum over an index of
those whose place it is: that sum has one term, and is shown as just that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import reduce
from math import prod
from typing import Protocol

from attncli.maths.equations import elsewhere
from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.choices import RELATIONS
from attncli.maths.equations.language import Bound, Cell, EquationError, IndexedPlace, OverIndices
from attncli.maths.equations.tree import Apply, Expression, Number, Operand, constant
from attncli.names import Name, below
from attncli.steps.written.arrays import ArraySide, KnownArray, Moment
from attncli.steps.written.formulas import joined
from attncli.steps.written.functions import ALONG, FUNCTIONS, REDUCED, applied
from attncli.steps.written.indices import Indices, counted_in_words, example, through_times

_SUMMED = "klmnopqrstuvwxyzabcdefgh"
_COUNTS = Name("count")
"""The place of what counts along a side."""


class Operands:
    """The operands of an equation, each with the letters of its sides."""

    def __init__(self) -> None:
        self.places: dict[tuple[Name, str], int] = {}
        self.counts: set[int] = set()
        """The places of those that count along a side."""

    def take(self, name: Name, letters: Collection[str], *, lies: bool = False) -> int:
        """Returns the place of an operand whose sides have these letters; a list is a column, or a
        row where it `lies`."""
        both = (*letters, "1") if len(letters) == 1 and not lies else ("1", "1", *letters)[-2:]
        return self.places.setdefault((name, " ".join(both)), len(self.places))

    @property
    def names(self) -> tuple[Name, ...]:
        return tuple(name for name, _ in self.places)

    def has(self, letter: str) -> bool:
        """Tells whether an operand has a side of this letter."""
        return any(letter in sides.split() for _, sides in self.places)

    def shapes(self, result: str) -> str:
        """Writes the signature of an operation on them."""
        return f"{', '.join(sides for _, sides in self.places)} -> {result}"


class Hoisted(Protocol):
    """Makes what goes along an index a quantity of its own."""

    def __call__(self, part: OverIndices, scope: Collection[str]) -> tuple[Name, tuple[str, ...]]:
        """Returns its name and its indices."""


class OutsideError(EquationError):
    """A cell beyond the sides of an array, or before the first time."""


class Reader:
    """A reader of the parts of one equation; `letters` are those of its indices in the result,
    `hoisted` makes a softmax a quantity of its own."""

    def __init__(self, indices: Indices, letters: Mapping[str, str], hoisted: Hoisted) -> None:
        self.indices, self.known, self.moment = indices, indices.known, indices.moment
        self.letters = dict(letters)
        self.hoisted = hoisted
        self.operands = Operands()
        self.counted: dict[Name, int] = {}
        """The lengths that are counted along, by the names of the counts."""

    def read(self, part: said.Piece) -> Expression:
        """Reads a part in which the indices of the result are known; a condition is 1 where it
        holds, and 0 elsewhere. Raises EquationError."""
        return _EquationParts(self, frozenset(self.letters)).of(part)

    def letter(self, index: str) -> str:
        """Returns the letter of an index."""
        if index not in self.letters:
            unused = [x for x in _SUMMED if x not in self.letters.values()]
            if not unused:
                right = "make an equation of a part of it"
                raise EquationError(f"more than {len(self.letters)} indices", right, 0)
            self.letters[index] = unused[0]
        return self.letters[index]

    def count(self, index: str) -> Expression:
        """Returns the place that an index is at, as a number from 1."""
        letter, length = self.letter(index), self.indices.of[index].length
        name = below(_COUNTS, str(length))
        self.counted[name] = length
        place = self.operands.take(name, (letter,))
        self.operands.counts.add(place)
        return Operand(place, (letter,))

    def refuse_scope(self, index: str, start: int) -> EquationError:
        """Makes the error of an index that goes along nothing."""
        array = self.known.arrays.get(index)
        if array is not None:
            wrong = f"{index} is {'an array' if array.sides else 'a number'}, and no index"
            return EquationError(
                wrong, elsewhere.BY_VALUE.replace("k[i]", example(index, array)), start
            )
        wrong = f"{index} goes along nothing here"
        right = f"write {index} on the left too, or add up: sum(… for {index})"
        return EquationError(wrong, right, start)


class _EquationParts(said.Rules[Expression]):
    """The parts of an equation within the indices of a `scope`."""

    def __init__(self, reader: Reader, scope: frozenset[str]) -> None:
        self.reader, self.scope = reader, scope
        self.indices, self.known, self.moment = reader.indices, reader.known, reader.moment

    def of_literal(self, part: said.Literal) -> Expression:
        return Number.written(Decimal(part.text))

    def of_minus(self, part: said.Minus) -> Expression:
        return ex.Negative(self.of(part.operand))

    def of_binary(self, part: said.Binary) -> Expression:
        left, right = self.of(part.left), self.of(part.right)
        if (
            part.sign == "**"
            and isinstance(right, ex.Negative)
            and isinstance(right.operand, Number)
        ):
            return ex.Quotient(ex.ONE, ex.Power(left, right.operand))
        return joined(part, left, right)

    def of_chosen_number(self, part: said.ChosenNumber) -> Expression:
        met = None if self.moment is None else self.indices.met(part.condition, self.moment)
        if met is None:
            return Apply("where", self.each((part.condition, part.then, part.otherwise)))
        chosen, other = (part.then, part.otherwise) if met else (part.otherwise, part.then)
        value = self.of(chosen)
        try:
            beside = self.of(other)
        except OutsideError:  # which isn't worked
            return value
        both = (value, beside) if met else (beside, value)
        return Apply("where", (self.of(part.condition), *both))

    def of_call(self, part: said.Call) -> Expression:
        return applied(part, self.each(part.arguments), self.known)

    def of_compared_numbers(self, part: said.ComparedNumbers) -> Expression:
        return RELATIONS[part.relation](self.of(part.left), self.of(part.right))

    def of_all(self, part: said.All) -> Expression:
        return ex.Product(self.each(part.parts))

    def of_some(self, part: said.Some) -> Expression:
        return reduce(lambda a, b: Apply("max", (a, b)), self.each(part.parts))

    # -- names and cells ---------------------------------------------------------------------------

    def of_reference(self, part: said.Reference) -> Expression:
        name, array = part.name, self.known.arrays.get(part.name)
        if self.moment is not None and name == self.moment.index:
            return constant(self.moment.now)
        if name in self.scope:
            return self.reader.count(name)
        if name in self.indices.of:
            raise self.reader.refuse_scope(name, part.start)
        if array is not None:
            return self._number(part, array)
        if name != "pi" and name not in self.known.sides:
            self.indices.refuse_name(name, part.start)
        return ex.PI if name == "pi" else constant(self.known.sides[name].length)

    def _number(self, part: said.Reference, array: KnownArray) -> Expression:
        """Reads an array that is one number."""
        if array.sides:
            wrong = f"{part.name} has {counted_in_words(len(array.sides), 'side')}, here none"
            raise EquationError(wrong, f"write {example(part.name, array)}", part.start)
        return Operand(self.reader.operands.take(array.name, ()))

    def of_cell(self, cell: Cell) -> Expression:
        array = self.indices.array(cell)
        for place in cell.places:
            if self.indices.is_index(place) and place.name not in self.scope:
                raise self.reader.refuse_scope(place.name, place.start)
        if cell.places and (before := self._before_all(cell, array)) is not None:
            return before
        if not array.times:
            return self._element(cell, array, array.name, cell.places)
        first = cell.places[0]
        now = self._fixed(first, array.sides[0])
        if now is None:
            wrong = f"{cell.name} is a matrix for each {first.name}"
            raise EquationError(wrong, f"read it in a step over {first.name}", cell.start)
        self._check_inside(cell, first, now, len(array.times))
        if self.moment is not None and now == self.moment.now and cell.name in self.known.pending:
            wrong = f"{cell.name} isn't made yet at {self.moment.index}"
            right = "move this equation below that, or read what was made before"
            raise EquationError(wrong, right, cell.start)
        return self._element(cell, array, array.name.at(now), cell.places[1:])

    def _before_all(self, cell: Cell, array: KnownArray) -> Expression | None:
        """Reads what stands before the first time; returns None for a cell at any other time.

        Raises EquationError for a time that can't be read.
        """
        first, moment = cell.places[0], self.moment
        if moment is None or first.name != moment.index:
            return None
        time = moment.now + first.shift
        if array.times and time not in (moment.now, moment.before):
            sign = "-" if moment.order[0] == 1 else "+"
            wrong = f"{cell.name} is read at {time}, where {moment.index} is {moment.now}"
            right = f"read it at {moment.index} or at {moment.index} {sign} 1"
            raise EquationError(wrong, right, first.start)
        if time != moment.beginning:
            return None
        start = moment.starts.get(cell.name)
        if start is None:
            wrong = f"{cell.name} has nothing at {time}, read where {moment.index} is {moment.now}"
            raise OutsideError(wrong, f"say start: {{{cell.name}: 0}}", cell.start)
        if not start.array:
            return Number.written(Decimal(start.number))
        if not cell.places[1:]:
            return self.of(said.Reference(start.array, cell.start))
        return self.of(Cell(start.array, cell.places[1:], cell.start))

    def _element(
        self, cell: Cell, array: KnownArray, name: Name, places: tuple[IndexedPlace, ...]
    ) -> Expression:
        """Reads a cell of one matrix, list or number."""
        reader, letters = self.reader, list[str]()
        chosen: list[tuple[str, Expression]] = []
        for place, side in zip(places, array.each, strict=True):
            now = self._fixed(place, side)
            if now is None and self._is_all_of(place, side, letters):
                letters.append(reader.letter(place.name))
                continue
            if now is not None:
                self._check_inside(cell, place, now, side.length)
            own = f"{len(chosen)} {side.length}"  # which no author can write
            self.indices.of[own] = side
            letters.append(reader.letter(own))
            wanted = constant(now) if now is not None else self._shifted(place)
            chosen.append((own, wanted))
        operand = reader.operands.take(name, letters, lies=array.lies)
        tree: Expression = Operand(operand, tuple(letters))
        for own, wanted in chosen:
            met = RELATIONS["=="](reader.count(own), wanted)
            tree = ex.Total(reader.letters[own], Apply("where", (met, tree, ex.ZERO)))
        return tree

    def _is_all_of(self, place: IndexedPlace, side: ArraySide, letters: Collection[str]) -> bool:
        """Tells whether an index goes along all of a side, along which none of a cell's other
        indices goes."""
        is_as_long = self.indices.of[place.name].length == side.length
        return not place.shift and is_as_long and self.reader.letter(place.name) not in letters

    def _shifted(self, place: IndexedPlace) -> Expression:
        """Returns the number of a place beside an index: i − 1."""
        at, shift = self.reader.count(place.name), constant(abs(place.shift))
        if not place.shift:
            return at
        return ex.Sum((at, shift if place.shift > 0 else ex.Negative(shift)))

    def _fixed(self, place: IndexedPlace, side: ArraySide) -> int | None:
        """Returns the number that a place is fixed at, from 1; None for an index."""
        if place.name == "last":
            return side.length
        if self.moment is not None and place.name == self.moment.index:
            return self.moment.now + place.shift
        return None if place.name else place.shift

    def _check_inside(self, cell: Cell, place: IndexedPlace, at: int, length: int) -> None:
        """Raises EquationError for a place beyond a side."""
        if 1 <= at <= length:
            return
        moment: Moment | None = self.moment if place.name else None
        read = f", read where {moment.index} is {moment.now}" if moment else ""
        wrong = f"{cell.name} has nothing at {at}{read}"
        raise OutsideError(wrong, f"count from 1 to {length}", place.start)

    # -- over indices ------------------------------------------------------------------------------

    def of_over_indices(self, part: OverIndices) -> Expression:
        if part.function in ALONG:
            name, indices = self.reader.hoisted(part, self.scope)
            letters = tuple(map(self.reader.letter, indices))
            return Operand(self.reader.operands.take(name, letters, lies=True), letters)
        self._check_reduced(part)
        through = through_times(part.bounds, part.operand, self.known)
        if through is not None:
            return self._written_out(part, *through)
        inner = _EquationParts(self.reader, self.scope | {bound.name for bound in part.bounds})
        over = "".join(self.reader.letter(bound.name) for bound in part.bounds)
        condition = None if part.condition is None else inner.of(part.condition)
        operand = inner.of(part.operand)
        used = {letter for o in ex.operands_in(operand) for letter in o.indices}
        for bound in part.bounds:
            if self.reader.letter(bound.name) not in used:  # each place counts once all the same
                once = RELATIONS[">"](self.reader.count(bound.name), ex.ZERO)
                operand = Apply("where", (once, operand, ex.ZERO))
        if part.function not in ("sum", "mean"):
            return self._reduced(part, over, condition, operand)
        total = ex.Total(over, _kept(condition, operand, ex.ZERO))
        if part.function == "sum":
            return total
        count = prod(self.indices.of[bound.name].length for bound in part.bounds)
        if condition is None:
            return ex.Quotient(total, constant(count))
        return ex.Quotient(total, ex.Total(over, _kept(condition, ex.ONE, ex.ZERO)))

    def _reduced(
        self, part: OverIndices, over: str, condition: Expression | None, operand: Expression
    ) -> Expression:
        """Makes the largest, the smallest or the product of numbers along indices."""
        if part.function == "prod":  # a slope leaves out one factor, by its place
            for bound in part.bounds:
                self.reader.count(bound.name)
        nothing = ex.NEUTRAL[part.function]
        return ex.Reduced(part.function, over, _kept(condition, operand, nothing))

    def _written_out(self, part: OverIndices, bound: Bound, array: KnownArray) -> Expression:
        """Reads what is made of all numbers along an index number by number."""
        others = tuple(other for other in part.bounds if other is not bound)
        kept, name = [], "sum" if part.function == "mean" else part.function
        nothing = ex.NEUTRAL.get(name, ex.ZERO)
        conditions = []
        for time in sorted(array.times):
            operand, condition = said.at_place(part.operand, bound.name, time), part.condition
            met = None if condition is None else said.at_place(condition, bound.name, time)
            inner: said.Piece = operand
            if others:
                inner = part._replace(function=name, operand=operand, condition=met, bounds=others)
                met = None
            conditions.append(ex.ONE if met is None else self.of(met))
            kept.append(_kept(None if met is None else conditions[-1], self.of(inner), nothing))
        if name == "prod":
            return ex.Product(tuple(kept))
        if name in ("max", "min"):
            return reduce(lambda a, b: Apply(name, (a, b)), kept)
        total = ex.Sum(tuple(kept))
        if part.function == "sum":
            return total
        count = prod(self.indices.of[other.name].length for other in others)
        if part.condition is None:
            return ex.Quotient(total, constant(count * len(kept)))
        return ex.Quotient(total, ex.Product((constant(count), ex.Sum(tuple(conditions)))))

    def _check_reduced(self, part: OverIndices) -> None:
        """Raises EquationError for what can't be done over indices, or not over these."""
        name = part.function
        if name not in REDUCED:
            is_known = name in FUNCTIONS or name in self.known.functions
            wrong = f"{name} is of one number, not of many"
            wrong = wrong if is_known else f"no function of many numbers is called {name}"
            raise EquationError(wrong, f"take {', '.join((*REDUCED, *ALONG))}", part.start)
        if part.extra is not None:
            raise EquationError(f"{name} takes nothing behind a comma", "leave it out", part.start)
        for bound in part.bounds:
            self._check_bound(bound)

    def _check_bound(self, bound: Bound) -> None:
        if bound.name in self.scope or self.indices.is_time(bound.name):
            wrong = f"{bound.name} is an index of this equation already"
            raise EquationError(wrong, "take another letter", bound.start)
        self.indices.check_free(bound)


def _kept(condition: Expression | None, part: Expression, nothing: Expression) -> Expression:
    return part if condition is None else Apply("where", (condition, part, nothing))
