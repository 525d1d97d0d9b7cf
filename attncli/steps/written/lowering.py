"""An equation of a scenario as operations: its indices become those of rows, columns and sums, what
it reads its operands.

A row or column that stands alone, `X[2, j]`, `p[i, i]`, `X[i - 1, j]`, is the sum over an index of
those whose place it is: that sum has one term, and is shown as just that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import reduce
from typing import NamedTuple, NoReturn

from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.language import Bound, Cell, EquationError, Over, Part, Place, walk
from attncli.maths.equations.tree import Apply, Expression, Number, Operand, constant, minus
from attncli.maths.numbers.rounding import Rounding
from attncli.maths.operations.attention import DivideByRow, Exponential, RowSum
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.written import Condition, Counting, Written
from attncli.names import Name, below
from attncli.scenario.file.problems import nearest
from attncli.steps.written.arrays import Environment, Known, Moment, Side
from attncli.steps.written.formulas import formula_of, joined, symbol_of
from attncli.trace.quantity import Definition

ALONG = ("softmax", "layer_norm")
"""What goes along an index and makes as many numbers."""
REDUCED = ("sum", "mean", "prod", "max", "min")
"""What makes one number of those along an index."""
_SUMMED = "klmnopqrstuvwxyzabcdefgh"
_OF_ONE: Mapping[str, Callable[[Expression], Expression]] = {
    "exp": ex.e_to,
    "sqrt": ex.Root,
    **{name: lambda x, name=name: Apply(name, (x,)) for name in ("ln", "abs", "sin", "cos")},
    **{name: lambda x, name=name: Apply(name, (x,)) for name in ("tanh", "erf")},
    "sigmoid": lambda x: ex.Quotient(ex.ONE, ex.Sum((ex.ONE, ex.e_to(ex.Negative(x))))),
    "softplus": lambda x: Apply("ln", (ex.Sum((ex.ONE, ex.e_to(x))),)),
    "relu": lambda x: Apply("max", (ex.ZERO, x)),
}
FUNCTIONS = (*_OF_ONE, "max", "min")
_COUNTS = Name("count")
"""The place of what counts along a side."""
_MOST_SIDES = 2


class Planner(NamedTuple):
    """What the definitions of an equation need to know of the place where it is worked."""

    name: Callable[[str], Name]
    """Returns the full name of what is made there."""
    rounding: Rounding
    step: str
    """The step that its decimals are those of."""

    def decimals(self, name: Name) -> int:
        """Returns the decimals that a quantity is shown with."""
        return self.rounding.of_quantity(self.step, name).of(self.step)


class Lowered(NamedTuple):
    """An equation as definitions, what it makes last."""

    definitions: tuple[Definition, ...]
    made: Known


def lowered(
    equation: said.WrittenEquation,
    known: Environment,
    planner: Planner,
    moment: Moment | None = None,
) -> Lowered:
    """Lowers an equation that makes an array; at a `moment`, for that time.

    Raises EquationError for one that doesn't go with what is known.
    """
    assert isinstance(equation.target, said.Target)
    return _Lowering(equation, equation.target, known, planner, moment).all()


def sides_of_target(
    equation: said.WrittenEquation, known: Environment, moment: Moment, unknown: Collection[str]
) -> tuple[Side, ...] | None:
    """Returns the sides of what an equation makes at a moment, without the time; None where only
    what is `unknown` yet can tell them, or something is wrong."""
    target, found = equation.target, _Sides(known, moment)
    assert isinstance(target, said.Target)
    try:
        value = _without_functions(equation.value, known)
        found.survey(target, value, unknown, some=True)
    except EquationError:
        return None
    bounds = [bound.index for bound in target.bounds if bound.index != moment.index]
    for name in unknown:
        start = moment.starts.get(name)
        if name == target.name and start is not None and start.array in known.arrays:
            return known.arrays[start.array].sides
    return tuple(found.of[b] for b in bounds) if all(b in found.of for b in bounds) else None


class _Sides:
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
        bounds = [*target.bounds]
        for part in walk(value):
            if isinstance(part, Over):
                bounds += part.bounds
        for bound in bounds:
            if bound.side:
                self.learn(bound.index, self.side(bound), bound.side, bound.start)
        cells = [p for p in walk(value) if isinstance(p, Cell) and p.name not in unknown]
        for shifted in (False, True):
            for cell in cells:
                for place, side in zip(cell.places, self.array(cell).sides, strict=True):
                    if self.is_index(place) and bool(place.shift) == shifted:
                        if shifted and place.index in self.of:
                            continue
                        self.learn(place.index, side, cell.name, place.start)
        for bound in bounds:
            is_time = self.moment is not None and bound.index == self.moment.index
            if bound.index not in self.of and not is_time and not some:
                wrong = f"nothing says how far {bound.index} goes"
                named = next(iter(self.known.sides), "token")
                raise EquationError(wrong, f"write {bound.index} in {named}", bound.start)

    def is_index(self, place: Place) -> bool:
        """Tells whether a place is an index, and neither a number nor the time."""
        fixed = place.index in ("", "last")
        return not fixed and (self.moment is None or place.index != self.moment.index)

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
            has = _counted(len(array.sides), "side")
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


def _counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'s' * (count != 1)}"


class _Operands:
    """The operands of an equation, each with the letters of its sides."""

    def __init__(self) -> None:
        self.places: dict[tuple[Name, str], int] = {}
        self.counts: set[int] = set()

    def take(self, name: Name, sides: str) -> int:
        return self.places.setdefault((name, sides), len(self.places))

    @property
    def names(self) -> tuple[Name, ...]:
        return tuple(name for name, _ in self.places)

    def shapes(self, result: str) -> str:
        return f"{', '.join(sides for _, sides in self.places)} -> {result}"


class _Lowering:
    """The lowering of one equation."""

    def __init__(
        self,
        equation: said.WrittenEquation,
        target: said.Target,
        known: Environment,
        planner: Planner,
        moment: Moment | None,
    ) -> None:
        self.target, self.known, self.planner, self.moment = target, known, planner, moment
        self.value = _without_functions(equation.value, known)
        self.told = formula_of(target, equation.value)
        self.sides = _Sides(known, moment)
        self.hoisted: list[Definition] = []
        self.own: dict[str, Known] = {}
        """What was made on the way, by names that no author can write."""
        self.operands = _Operands()
        self.letters: dict[str, str] = {}

    def all(self) -> Lowered:
        bounds = self._bounds_of_result()
        self.sides.survey(self.target, self.value)
        sides = tuple(self.sides.of[bound.index] for bound in bounds)
        lies = self.moment is not None and len(sides) == 1
        letters = "j" if lies else "ij"
        self.letters = {b.index: x for b, x in zip(bounds, letters, strict=False)}
        whole = self._along_whole(bounds)
        if whole is not None:
            return whole
        result = {0: "1 1", 1: "1 j" if lies else "i 1"}.get(len(sides), "i j")
        tree = self._read(self.value, {*self.letters})
        self._count_for(result)
        operation = Written(
            self.operands.shapes(result),
            tree,
            told=self.told,
            counts=frozenset(self.operands.counts),
            decimals=self.planner.decimals(self.planner.name(self.target.name)),
        )
        name = self.planner.name(self.target.name)
        made = Definition(name, operation, self.operands.names, **_axes(sides, lies))
        return Lowered((*self.hoisted, made), Known(name, sides, (), lies))

    def _bounds_of_result(self) -> tuple[Bound, ...]:
        """Returns the indices of what is made, without the time. Raises EquationError for those
        that can't be."""
        bounds, moment = self.target.bounds, self.moment
        seen: set[str] = set()
        for bound in bounds:
            if bound.index in seen:
                right = "take another index; X[i, i] may be read, not made"
                raise EquationError(f"{bound.index} is there twice", right, bound.start)
            seen.add(bound.index)
            self._check_index(bound)
        if moment is not None:
            if not bounds or bounds[0].index != moment.index:
                name = self.target.name
                others = ", ".join([moment.index, *(b.index for b in bounds)])
                wrong = (
                    f"in a step over {moment.index} an equation makes something at {moment.index}"
                )
                raise EquationError(wrong, f"write {name}[{others}]", self.target.start)
            bounds = bounds[1:]
        if len(bounds) > _MOST_SIDES:
            wrong = f"{self.target.name} would have {len(bounds)} sides"
            right = "two are the most; make a step over one of them, `over: t`"
            raise EquationError(wrong, right, bounds[_MOST_SIDES].start)
        return bounds

    def _check_index(self, bound: Bound) -> None:
        """Raises EquationError for an index that is called like something else."""
        index = bound.index
        if index in self.known.arrays or index in self.known.functions or index == "pi":
            wrong = f"{index} is an index here, and something else above"
            raise EquationError(wrong, "take another letter for the index", bound.start)
        if index in self.known.sides and bound.side != index:
            wrong = f"{index} is a side, which is as long as it is"
            raise EquationError(wrong, f"take another letter, like i in {index}", bound.start)

    # -- softmax and layer norm ----------------------------------------------------------------

    def _along_whole(self, bounds: tuple[Bound, ...]) -> Lowered | None:
        """Lowers an equation that is nothing but a softmax along its last index, which needs no
        quantity besides; returns None for others."""
        value = self.value
        if not isinstance(value, Over) or value.function not in ALONG or not bounds:
            return None
        along = self._along(value, {*self.letters}, self.planner.name(self.target.name))
        if [b.index for b in bounds] == [*along.indices] or len(bounds) == 1:
            sides = tuple(self.sides.of[index] for index in along.indices)
            made = Known(along.name, sides, (), lies=len(sides) == 1)
            *before, last = self.hoisted
            return Lowered((*before, last), made)
        # along the first one: the other way round
        *before, last = self.hoisted
        other = self.planner.name(f"{self.target.name}_turned")
        self.hoisted = [*before, last._replace(name=other)]
        place = self.operands.take(other, "j i")
        sides = tuple(self.sides.of[b.index] for b in bounds)
        operation = Written(self.operands.shapes("i j"), Operand(place, ("j", "i")), told=self.told)
        name = self.planner.name(self.target.name)
        made = Definition(name, operation, self.operands.names, **_axes(sides, lies=False))
        return Lowered((*self.hoisted, made), Known(name, sides))

    def _along(self, part: Over, scope: set[str], name: Name) -> _Along:
        """Makes what goes along an index a quantity of its own, whose last side is that index."""
        (bound, *others) = part.bounds
        if others:
            wrong = f"{part.function} goes along one index"
            raise EquationError(wrong, "leave the others out", others[0].start)
        if bound.index not in scope:
            wrong = (
                f"{part.function} goes along an index of the left side, and {bound.index} is none"
            )
            right = f"write {bound.index} on the left, or take one that is there"
            raise EquationError(wrong, right, bound.start)
        used = _free(part, {*self.letters})
        rest = tuple(index for index in self.letters if index in used and index != bound.index)
        if len(rest) > 1:
            wrong = f"{part.function} would have three sides"
            raise EquationError(wrong, "make its operand an array above", part.start)
        indices = (*rest, bound.index)
        inside = self._array_of(part.operand, indices, f"{name.local}_in", part)
        if part.condition is not None:
            inside = self._masked(part, indices, inside, name)
        if part.function == "softmax":
            exp, exp_sum = (self.planner.name(f"{name.local}_{x}") for x in ("exp", "sum"))
            self.hoisted += (
                Definition(
                    exp,
                    Exponential.under(
                        self.planner.rounding.of_quantity(self.planner.step, exp), self.planner.step
                    ),
                    (inside,),
                ),
                Definition(exp_sum, RowSum(), (exp,)),
                Definition(name, DivideByRow(), (exp, exp_sum)),
            )
        else:
            raise EquationError("layer_norm isn't there yet", "write it out", part.start)
        return _Along(name, indices)

    def _array_of(self, part: Part, indices: tuple[str, ...], local: str, around: Over) -> Name:
        """Returns the quantity that has a part for each of its cells, made anew where there is
        none."""
        if isinstance(part, Cell) and [p.index for p in part.places if not p.shift] == [*indices]:
            array = self.sides.array(part)
            if not array.times and (len(indices) > 1 or array.lies):
                return array.name
        target = said.Target(
            local, tuple(Bound(x, "", around.start) for x in indices), around.start
        )
        inner = self._inner(target, part, indices)
        tree = inner._read(part, {*inner.letters})
        return self._hoist(inner, tree, local, symbol_of(part), Written)

    def _inner(self, target: said.Target, part: Part, indices: tuple[str, ...]) -> _Lowering:
        equation = said.WrittenEquation(target, part, "")
        inner = _Lowering(equation, target, self.known, self.planner, self.moment)
        inner.sides, inner.hoisted = self.sides, self.hoisted
        inner.letters = dict(zip(indices, "ij" if len(indices) > 1 else "j", strict=True))
        return inner

    def _hoist(
        self, inner: _Lowering, tree: Expression, local: str, told: Expression, kind: type[Written]
    ) -> Name:
        letters = "".join(inner.letters.values())
        result = "i j" if letters == "ij" else "1 j"
        inner._count_for(result)
        name = self.planner.name(local)
        left = ex.at(local, *inner.letters)
        operation = kind(
            inner.operands.shapes(result),
            tree,
            told=ex.define(left, told),
            counts=frozenset(inner.operands.counts),
            decimals=self.planner.decimals(name),
        )
        sides = tuple(self.sides.of[index] for index in inner.letters)
        axes = _axes(sides, lies=len(sides) == 1)
        self.hoisted.append(Definition(name, operation, inner.operands.names, **axes))
        return name

    def _masked(self, part: Over, indices: tuple[str, ...], inside: Name, name: Name) -> Name:
        """Hides what doesn't meet the condition of a softmax by −∞."""
        assert part.condition is not None
        target = said.Target(name.local, (), part.start)
        inner = self._inner(target, part.operand, indices)
        tree = inner._condition(part.condition, {*inner.letters})
        told = symbol_of(part.condition)
        seen = self._hoist(inner, tree, f"{name.local}_seen", told, Condition)
        masked = self.planner.name(f"{name.local}_masked")
        self.hoisted.append(Definition(masked, Masked(), (inside, seen)))
        return masked

    # -- the parts of an equation --------------------------------------------------------------

    def _read(self, part: Part, scope: set[str]) -> Expression:
        read = lambda inner: self._read(inner, scope)  # noqa: E731
        match part:
            case said.Literal(text):
                return Number.written(Decimal(text))
            case said.Reference():
                return self._name(part, scope)
            case Cell():
                return self._cell(part, scope)
            case Over():
                return self._over(part, scope)
            case said.Minus(operand):
                return ex.Negative(read(operand))
            case said.Call(function, arguments):
                return self._call(part, function, tuple(map(read, arguments)))
            case said.Choice(condition, then, otherwise):
                return Apply(
                    "where", (self._condition(condition, scope), read(then), read(otherwise))
                )
            case said.Binary(sign, left, right):
                return joined(sign, part, read(left), read(right))
        raise TypeError(f"{part} is no part of an equation")

    def _name(self, part: said.Reference, scope: set[str]) -> Expression:
        name = part.name
        if self.moment is not None and name == self.moment.index:
            return constant(self.moment.now)
        if name in scope:
            return self._count(name)
        if name in self.letters or name in self.sides.of:
            raise self._out_of_scope(name, part.start)
        array = self.known.arrays.get(name)
        if array is not None:
            if array.sides:
                right = f"write {example(name, array)}"
                wrong = f"{name} has {_counted(len(array.sides), 'side')}, here none"
                raise EquationError(wrong, right, part.start)
            return Operand(self.operands.take(array.name, "1 1"))
        if name == "pi":
            return ex.PI
        if name in self.known.sides:
            return constant(self.known.sides[name].length)
        self.sides.refuse_name(name, part.start)

    def _count(self, index: str) -> Expression:
        """Returns the place that an index is at, as a number from 1."""
        letter = self._letter(index)
        place = self.operands.take(self._counting(self.sides.of[index].length), f"{letter} 1")
        self.operands.counts.add(place)
        return Operand(place, (letter,))

    def _counting(self, length: int) -> Name:
        name = below(_COUNTS, str(length))
        if all(name != d.name for d in self.hoisted):
            self.hoisted.insert(0, Definition(name, Counting(length), ()))
        return name

    def _count_for(self, result: str) -> None:
        """Counts along each side of the result that no operand has, so that it is as long."""
        known = {letter for _, sides in self.operands.places for letter in sides.split()}
        for index, letter in self.letters.items():
            if letter in result.split() and letter not in known:
                self._count(index)

    def _letter(self, index: str) -> str:
        if index not in self.letters:
            taken = {*self.letters.values()}
            self.letters[index] = next(x for x in _SUMMED if x not in taken)
        return self.letters[index]

    def _out_of_scope(self, index: str, start: int) -> EquationError:
        wrong = f"{index} goes along nothing here"
        right = f"write {index} on the left too, or add up: sum(… for {index})"
        return EquationError(wrong, right, start)

    def _call(
        self, part: said.Call, function: str, arguments: tuple[Expression, ...]
    ) -> Expression:
        if function in ("max", "min") and len(arguments) > 1:
            return reduce(lambda a, b: Apply(function, (a, b)), arguments)
        if function in (*REDUCED, *ALONG):
            wrong = f"{function} of one number"
            raise EquationError(wrong, f"say over what: {function}(… for k)", part.start)
        if function not in _OF_ONE:
            names = (*FUNCTIONS, *REDUCED, *ALONG, *self.known.functions)
            wrong = f"no function is called {function}"
            raise EquationError(wrong, nearest(function, names), part.start)
        if len(arguments) > 1:
            wrong = f"{function} is of one number, here of {len(arguments)}"
            raise EquationError(wrong, f"write {function}(x)", part.start)
        return _OF_ONE[function](*arguments)

    # -- what is read --------------------------------------------------------------------------

    def _cell(self, cell: Cell, scope: set[str]) -> Expression:
        array = self.sides.array(cell)
        for place in cell.places:
            if self.sides.is_index(place) and place.index not in scope:
                raise self._out_of_scope(place.index, place.start)
        places, sides, name = [*cell.places], [*array.sides], array.name
        at_first = self._time(places[0]) if self.moment is not None and places else None
        if at_first is not None:
            beside = self._at_time(cell, array, at_first, scope)
            if beside is not None:
                return beside
        if array.times:
            now = self._fixed(places[0], sides[0])
            if now is None:
                wrong = f"{cell.name} is a matrix for each {places[0].index}"
                raise EquationError(wrong, f"read it in a step over {places[0].index}", cell.start)
            self._check_inside(cell, places[0], now, len(array.times))
            places, sides, name = places[1:], sides[1:], name.at(now)
        return self._element(cell, array, name, places, sides)

    def _time(self, place: Place) -> int | None:
        """Returns the time that a place says, None where it says none."""
        moment = self.moment
        return moment.now + place.shift if moment and place.index == moment.index else None

    def _at_time(self, cell: Cell, array: Known, time: int, scope: set[str]) -> Expression | None:
        """Reads an array at a time outside of its own: what stands before the first; returns None
        for any other time."""
        moment = self.moment
        assert moment is not None
        if time == moment.now and not array.times:
            pass
        elif time not in (moment.now, moment.before):
            sign = "-" if moment.order[0] == 1 else "+"
            wrong = f"{cell.name} is read at {time}, where {moment.index} is {moment.now}"
            right = f"read it at {moment.index} or at {moment.index} {sign} 1"
            raise EquationError(wrong, right, cell.places[0].start)
        if time in moment.order:
            return None
        start = moment.starts.get(cell.name)
        if start is None:
            wrong = f"{cell.name} has nothing at {time}, read where {moment.index} is {moment.now}"
            raise EquationError(wrong, f"say start: {{{cell.name}: 0}}", cell.start)
        if not start.array:
            return Number.written(Decimal(start.number))
        beginning = Cell(start.array, cell.places[1:], cell.start)
        if not cell.places[1:]:
            return self._name(said.Reference(start.array, cell.start), scope)
        return self._cell(beginning, scope)

    def _element(
        self, cell: Cell, array: Known, name: Name, places: list[Place], sides: list[Side]
    ) -> Expression:
        """Reads a cell of one matrix, list or number."""
        indices: list[str] = []
        chosen: list[tuple[str, Expression]] = []
        for place, side in zip(places, sides, strict=True):
            now = self._fixed(place, side)
            letter = "" if now is not None else self._letter(place.index)
            if now is None and not place.shift and letter not in indices:
                indices.append(letter)
                continue
            if now is not None:
                self._check_inside(cell, place, now, side.length)
                wanted: Expression = constant(now)
            else:
                wanted = _shifted(self._count(place.index), place.shift)
            own = f"{cell.name} {cell.start} {place.start}"
            self.sides.of[own] = side
            indices.append(self._letter(own))
            chosen.append((own, wanted))
        spec = {0: "1 1", 1: f"1 {''.join(indices)}" if array.lies else f"{''.join(indices)} 1"}
        operand = self.operands.take(name, spec.get(len(indices), " ".join(indices)))
        tree: Expression = Operand(operand, tuple(indices))
        for own, wanted in chosen:
            met = _equal(self._count(own), wanted)
            tree = ex.Total(self.letters[own], Apply("where", (met, tree, ex.ZERO)))
        return tree

    def _fixed(self, place: Place, side: Side) -> int | None:
        """Returns the number that a place is fixed at, from 1; None for an index."""
        if place.index == "last":
            return side.length
        return self._time(place) if place.index else place.shift

    def _check_inside(self, cell: Cell, place: Place, at: int, length: int) -> None:
        if 1 <= at <= length:
            return
        moment = self.moment
        read = f", read where {moment.index} is {moment.now}" if moment and place.index else ""
        wrong = f"{cell.name} has nothing at {at}{read}"
        right = f"count from 1 to {length}"
        if moment and place.index and at == moment.beginning:
            right = f"say start: {{{cell.name}: 0}}"
        raise EquationError(wrong, right, place.start)

    # -- sums and conditions -------------------------------------------------------------------

    def _over(self, part: Over, scope: set[str]) -> Expression:
        if part.function in ALONG:
            along = self._along(
                part, scope, self.planner.name(f"{self.target.name}_{part.function}")
            )
            letters = [self._letter(index) for index in along.indices]
            spec = " ".join(letters) if len(letters) > 1 else f"1 {letters[0]}"
            return Operand(self.operands.take(along.name, spec), tuple(letters))
        if part.function not in REDUCED:
            known = part.function in FUNCTIONS or part.function in self.known.functions
            wrong = f"{part.function} is of one number, not of many"
            wrong = wrong if known else f"no function of many numbers is called {part.function}"
            raise EquationError(wrong, f"take {', '.join((*REDUCED, *ALONG))}", part.start)
        if part.extra is not None:
            wrong = f"{part.function} takes nothing behind a comma"
            raise EquationError(wrong, "leave it out", part.start)
        for bound in part.bounds:
            if bound.index in scope or (self.moment and bound.index == self.moment.index):
                wrong = f"{bound.index} is an index of this equation already"
                raise EquationError(wrong, "take another letter", bound.start)
            self._check_index(bound)
        inside = scope | {bound.index for bound in part.bounds}
        over = "".join(self._letter(bound.index) for bound in part.bounds)
        condition = part.condition and self._condition(part.condition, inside)
        operand = self._read(part.operand, inside)
        for bound in part.bounds:  # of which nothing else may have the side
            if not any(
                self.letters[bound.index] in sides.split() for _, sides in self.operands.places
            ):
                self._count(bound.index)
        if part.function in ("sum", "mean"):
            total = ex.Total(over, _kept(condition, operand, ex.ZERO))
            if part.function == "sum":
                return total
            return ex.Quotient(total, self._count_of(part, condition, over))
        nothing = ex.NEUTRAL[part.function]
        return ex.Reduction(part.function, over, _kept(condition, operand, nothing))

    def _count_of(self, part: Over, condition: Expression | None, over: str) -> Expression:
        """Counts the numbers that take part in a mean."""
        if condition is None:
            lengths = [self.sides.of[bound.index].length for bound in part.bounds]
            return constant(reduce(lambda a, b: a * b, lengths))
        return ex.Total(over, _kept(condition, ex.ONE, ex.ZERO))

    def _condition(self, part: said.Condition, scope: set[str]) -> Expression:
        """Returns an expression that is 1 where a condition holds, and 0 elsewhere."""
        match part:
            case said.All(parts):
                return ex.Product(tuple(self._condition(p, scope) for p in parts))
            case said.Some(parts):
                met = (self._condition(p, scope) for p in parts)
                return reduce(lambda a, b: Apply("max", (a, b)), met)
            case said.Comparison(relation, left, right):
                return _RELATIONS[relation](self._read(left, scope), self._read(right, scope))
        raise TypeError(f"{part} is no condition")


class _Along(NamedTuple):
    """A quantity that goes along an index, which is its last one."""

    name: Name
    indices: tuple[str, ...]


def _axes(sides: tuple[Side, ...], lies: bool) -> dict[str, object]:
    """Returns the axes of what an equation makes, for its definition."""
    named = [side.axis for side in sides]
    if len(named) == _MOST_SIDES:
        return {"rows": named[0], "columns": named[1]}
    if len(named) == 1:
        return {"columns": named[0]} if lies else {"rows": named[0]}
    return {}


def _kept(condition: Expression | None, part: Expression, nothing: Expression) -> Expression:
    return part if condition is None else Apply("where", (condition, part, nothing))


def _shifted(place: Expression, shift: int) -> Expression:
    if not shift:
        return place
    return ex.Sum((place, constant(shift) if shift > 0 else ex.Negative(constant(-shift))))


def _above(a: Expression, b: Expression) -> Expression:
    """Is 1 where a is above b, and 0 elsewhere."""
    return Apply("step", (a if b == ex.ZERO else minus(a, b),))


def _not(condition: Expression) -> Expression:
    return minus(ex.ONE, condition)


def _equal(a: Expression, b: Expression) -> Expression:
    return ex.Product((_not(_above(a, b)), _not(_above(b, a))))


_RELATIONS: Mapping[str, Callable[[Expression, Expression], Expression]] = {
    ">": _above,
    "<": lambda a, b: _above(b, a),
    ">=": lambda a, b: _not(_above(b, a)),
    "<=": lambda a, b: _not(_above(a, b)),
    "==": _equal,
    "!=": lambda a, b: _not(_equal(a, b)),
}


# -- indices and functions -----------------------------------------------------------------------


def _free(part: said.Any, indices: set[str]) -> set[str]:
    """Returns those of some indices that a part uses."""
    found: set[str] = set()
    for inner in walk(part):
        match inner:
            case Cell(_, places):
                found |= {place.index for place in places}
            case said.Reference(name):
                found.add(name)
    return found & indices


def _without_functions(part: Part, known: Environment) -> Part:
    """Puts what they stand for in the place of a scenario's own functions."""
    return _substituted(part, {}, known)


def _substituted(part: said.Any, by: Mapping[str, Part], known: Environment) -> said.Any:
    """Replaces names in a part, and the functions that the scenario defines."""
    inside: Callable[[said.Any], said.Any] = lambda inner: _substituted(inner, by, known)  # noqa: E731
    match part:
        case said.Reference(name) if name in by:
            return by[name]
        case said.Call(name, arguments) if name in known.functions:
            function = known.functions[name]
            if len(arguments) != len(function.parameters):
                has = _counted(len(function.parameters), "number")
                wrong = f"{name} is of {has}, here of {len(arguments)}"
                right = f"write {name}({', '.join(function.parameters)})"
                raise EquationError(wrong, right, part.start)
            own = dict(zip(function.parameters, map(inside, arguments), strict=True))
            return _substituted(function.value, own, known)
        case said.Call(_, arguments):
            return part._replace(arguments=tuple(map(inside, arguments)))
        case Over(_, operand, _, condition, extra):
            return part._replace(
                operand=inside(operand),
                condition=condition and inside(condition),
                extra=extra and inside(extra),
            )
        case said.Minus(operand):
            return part._replace(operand=inside(operand))
        case said.Binary(_, left, right) | said.Comparison(_, left, right):
            return part._replace(left=inside(left), right=inside(right))
        case said.All(parts) | said.Some(parts):
            return part._replace(parts=tuple(map(inside, parts)))
        case said.Choice(condition, then, otherwise):
            return part._replace(
                condition=inside(condition), then=inside(then), otherwise=inside(otherwise)
            )
        case _:
            return part
