"""An equation of a scenario as operations: one for what it makes, and those of each softmax in
it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from math import prod
from typing import NamedTuple

from attncli.maths.equations import language as said
from attncli.maths.equations import tree as ex
from attncli.maths.equations.language import Bound, Cell, EquationError, OverIndices, Part, walk
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Quotient,
    Symbol,
    Total,
    at,
    define,
    e_to,
)
from attncli.maths.numbers.rounding import Rounding
from attncli.maths.operations.masking import MINUS_INFINITY, Masked
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.softmax import DivideByRow, Exponential, RowSum
from attncli.maths.operations.written import Condition, Counting, Rearranged, WrittenOperation
from attncli.names import Name
from attncli.steps.written.arrays import MOST_SIDES, ArraySide, Environment, KnownArray, Moment
from attncli.steps.written.formulas import formula_of, symbol_of
from attncli.steps.written.functions import ALONG, check_functions, without_functions
from attncli.steps.written.indices import Indices, with_lengths
from attncli.steps.written.reading import Reader
from attncli.trace.axes import ONE_ROW
from attncli.trace.quantity import Definition, Towards

_MOST_AT_ONCE = 5_000_000
"""Numbers of an equation, or of a sum in it, that are made at once."""


class Planner(NamedTuple):
    """What the definitions of an equation need to know of the place where it is worked."""

    name: Callable[[str], Name]
    """Returns the full name of what is made there."""
    rounding: Rounding
    step: str
    """The step that its decimals are those of."""
    goes_back: bool = False
    """Whether gradients are made."""

    def rounded(self, name: Name) -> Rounding:
        """Returns the rounding of a quantity."""
        return self.rounding.of_quantity(self.step, name)


class Lowered(NamedTuple):
    """An equation as definitions, what it makes last."""

    definitions: tuple[Definition, ...]
    made: KnownArray


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
    return _Lowering(equation.target, equation.value, known, planner, moment).made()


def sides_of_target(
    equation: said.WrittenEquation, known: Environment, moment: Moment, unknown: Collection[str]
) -> tuple[ArraySide, ...] | None:
    """Returns the sides of what an equation makes at a moment, without the time; None where only
    what is `unknown` yet can tell them, or something is wrong."""
    target, indices = equation.target, Indices(known, moment)
    assert isinstance(target, said.Target)
    start = moment.starts.get(target.name)
    if start is not None and start.array in known.arrays:
        return known.arrays[start.array].sides
    try:
        value = with_lengths(without_functions(equation.value, known), known)
        indices.survey(target, value, unknown, some=True)
    except EquationError:
        return None
    names = [bound.name for bound in target.bounds if bound.name != moment.index]
    return tuple(indices.of[x] for x in names) if all(x in indices.of for x in names) else None


def check_sides(
    equation: said.WrittenEquation, known: Environment, moment: Moment, unknown: Collection[str]
) -> bool:
    """Returns True where all but what is `unknown` yet tells how far each index goes, and raises
    EquationError where it doesn't."""
    assert isinstance(equation.target, said.Target)
    value = with_lengths(without_functions(equation.value, known), known)
    Indices(known, moment).survey(equation.target, value, unknown)
    return True


class _Lowering:
    """The lowering of one equation."""

    def __init__(
        self,
        target: said.Target,
        value: Part,
        known: Environment,
        planner: Planner,
        moment: Moment | None,
    ) -> None:
        self.target, self.known, self.planner = target, known, planner
        check_functions(value, known)
        self.value = with_lengths(without_functions(value, known), known)
        self.told = formula_of(target, value)
        self.indices = Indices(known, moment)
        self.definitions: list[Definition] = []

    def made(self, *, as_row: bool = False) -> Lowered:
        """Returns the definitions; a list of a step without times is a row if so asked."""
        bounds = self._bounds_of_result()
        self.indices.survey(self.target, self.value)
        self.indices.check_shifts(self.value)
        names = tuple(bound.name for bound in bounds)
        is_timed = self.indices.moment is not None
        if isinstance(self.value, OverIndices) and self.value.function in ALONG and names:
            return self._along_alone(self.value, names)
        lies = (is_timed or as_row) and len(names) == 1
        return self._of_result(names, self.value, lies=lies)

    def _of_result(self, names: tuple[str, ...], value: Part, *, lies: bool) -> Lowered:
        reader = self._reader(names, lies=lies)
        name = self.planner.name(self.target.name)
        made = self._define(name, reader, reader.read(value), names, self.told, lies=lies)
        return Lowered((*self.definitions, made), made_of(name, self._sides(names), lies=lies))

    def _sides(self, names: Collection[str]) -> tuple[ArraySide, ...]:
        return tuple(self.indices.of[index] for index in names)

    def _reader(self, names: Collection[str], *, lies: bool) -> Reader:
        letters = dict(zip(names, "j" if lies else "ij", strict=False))
        return Reader(self.indices, letters, self._hoisted)

    def _define(  # noqa: PLR0913  (what is made, of what, how it is told and lies)
        self,
        name: Name,
        reader: Reader,
        tree: Expression,
        names: tuple[str, ...],
        told: Equation,
        *,
        lies: bool,
        kind: type[WrittenOperation] = WrittenOperation,
    ) -> Definition:
        """Defines the quantity that a reader has read."""
        for index in names:  # along which its operands needn't go
            if not reader.operands.has(reader.letters[index]):
                reader.count(index)
        for count, length in reader.counted.items():
            if length not in self.known.counted:
                self.known.counted.add(length)
                self.definitions.append(Definition(count, Counting(length), ()))
        self._check_size(tree, reader)
        letters = [reader.letters[index] for index in names]
        result = (
            f"{letters[0]} 1"
            if len(names) == 1 and not lies
            else " ".join(["1", "1", *letters][-2:])
        )
        operation = kind(
            reader.operands.shapes(result),
            tree,
            told=told,
            counts=frozenset(reader.operands.counts),
            decimals=self.planner.rounded(name).decimals,
        )
        return _with_axes(name, operation, reader.operands.names, self._sides(names), lies=lies)

    def _check_size(self, tree: Expression, reader: Reader) -> None:
        """Raises EquationError for more numbers than can be worked at once."""
        lengths = {x: self.indices.of[index].length for index, x in reader.letters.items()}
        for node in (tree, *ex.each(tree, ex.Total), *ex.each(tree, ex.Reduced)):
            part = node.operand if isinstance(node, ex.Total | ex.Reduced) else node
            used = {letter for operand in ex.operands_in(part) for letter in operand.indices}
            count = prod(lengths[letter] for letter in used)
            if self.planner.goes_back and isinstance(node, ex.Reduced) and node.function == "prod":
                count *= prod(lengths[letter] for letter in node.over)  # of the others for each
            match node:
                case ex.Total(_, ex.Product((ex.Operand(), ex.Operand()))):
                    continue  # which the budget counts
            if count > _MOST_AT_ONCE:
                wrong = f"{self.target.name} is worked from {count:,} numbers at once"
                right = f"make sides shorter; {_MOST_AT_ONCE:,} are the most"
                raise EquationError(wrong, right, self.target.start)

    def _bounds_of_result(self) -> tuple[Bound, ...]:
        """Returns the indices of what is made, without the time. Raises EquationError for those
        that can't be."""
        bounds, moment = self.target.bounds, self.indices.moment
        for k, bound in enumerate(bounds):
            if any(bound.name == other.name for other in bounds[:k]):
                right = "take another index; X[i, i] may be read, not made"
                raise EquationError(f"{bound.name} is there twice", right, bound.start)
            self.indices.check_free(bound)
        if moment is not None:
            if not bounds or bounds[0].name != moment.index:
                others = ", ".join([moment.index, *(b.name for b in bounds)])
                wrong = f"a step over {moment.index} makes something at {moment.index}"
                raise EquationError(wrong, f"write {self.target.name}[{others}]", self.target.start)
            bounds = bounds[1:]
        if len(bounds) > MOST_SIDES:
            wrong = f"{self.target.name} would have {len(bounds)} sides"
            right = "two are the most; make a step over one of them, `over: t`"
            raise EquationError(wrong, right, bounds[MOST_SIDES].start)
        return bounds

    # -- softmax and layer norm --------------------------------------------------------------------

    def _along_alone(self, part: OverIndices, names: tuple[str, ...]) -> Lowered:
        """Lowers an equation that is nothing but a softmax, which is what it makes; where it goes
        along the first of two sides, its parts are made the other way round."""
        name = self.planner.name(self.target.name)
        indices = self._indices_along(part, names)
        if indices == names:
            self._along(part, names, name)
            return Lowered((*self.definitions,), made_of(name, self._sides(names), lies=True))
        if {*indices} == {*names} and part.function == "softmax":
            return self._turned(part, indices, names, name)
        return self._of_result(
            names, part, lies=self.indices.moment is not None and len(names) == 1
        )

    def _turned(
        self, part: OverIndices, indices: tuple[str, ...], names: tuple[str, ...], name: Name
    ) -> Lowered:
        """Lowers a softmax along the first side of what it makes: its parts have that side last,
        and only the quotient has the author's order."""
        exp, exp_sum = self._exponentials(part, indices, name)
        sides = self._sides(indices)
        arrays = {
            exp.local: self._timed(exp, sides, lies=False),
            exp_sum.local: self._timed(exp_sum, sides[:-1], lies=False),
        }
        known = replace(self.known, arrays={**self.known.arrays, **arrays})
        whole, of_row = (", ".join((*self._time, *x)) for x in (indices, indices[:-1]))
        equation = said.read_equation(
            f"{name.local}[{', '.join((*self._time, *names))}]"
            f" = {exp.local}[{whole}] / {exp_sum.local}[{of_row}]"
        )
        assert isinstance(equation.target, said.Target)
        moment = self.indices.moment
        made = _Lowering(equation.target, equation.value, known, self.planner, moment).made()
        return Lowered((*self.definitions, *made.definitions), made.made)

    @property
    def _time(self) -> tuple[str, ...]:
        """Returns the index of the times, which stands before all others."""
        return (self.indices.moment.index,) if self.indices.moment else ()

    def _hoisted(self, part: OverIndices, scope: Collection[str]) -> tuple[Name, tuple[str, ...]]:
        """Makes a softmax inside an equation a quantity of its own."""
        taken = sum(part.function in d.name.local for d in self.definitions)
        local = f"{self.target.name}_{part.function}{taken + 1 if taken else ''}"
        return self._along(part, scope, self.planner.name(local))

    def _along(
        self, part: OverIndices, scope: Collection[str], name: Name
    ) -> tuple[Name, tuple[str, ...]]:
        """Makes what goes along an index a quantity, whose last side is that index; returns its
        name and its indices."""
        indices = self._indices_along(part, scope)
        if part.function == "layer_norm":
            self._normalized(part, indices, self._array_of(part, indices, name), name)
            return name, indices
        exp, exp_sum = self._exponentials(part, indices, name)
        shares = self._cell(exp, indices), self._cell(exp_sum, indices[:-1])
        told = define(self._cell(name, indices), Quotient(*shares))
        divided = replace(DivideByRow(), told=told)
        rows = ONE_ROW if len(indices) == 1 else None
        self._on_the_way(Definition(name, divided, (exp, exp_sum), rows=rows), indices)
        return name, indices

    def _exponentials(
        self, part: OverIndices, indices: tuple[str, ...], name: Name
    ) -> tuple[Name, Name]:
        """Makes what a softmax divides, and what it divides by; returns their names."""
        inside = self._array_of(part, indices, name)
        if part.condition is not None:
            inside = self._masked(part, indices, inside, name)
        if part.extra is not None:
            raise EquationError("softmax takes nothing behind a comma", "leave it out", part.start)
        exp, exp_sum = (self._beside(name, what) for what in ("exp", "sum"))
        power = Exponential.under(self.planner.rounded(exp), self.planner.step)
        raised, each = self._cell(exp, indices), e_to(self._cell(inside, indices))
        total = Total(indices[-1], raised)
        power = replace(power, told=define(raised, each))
        added = replace(RowSum(), told=define(self._cell(exp_sum, indices[:-1]), total))
        self._on_the_way(Definition(exp, power, (inside,)), indices)
        self._on_the_way(Definition(exp_sum, added, (exp,)), (*indices[:-1], ""))
        return exp, exp_sum

    def _on_the_way(self, definition: Definition, indices: tuple[str, ...]) -> None:
        """Adds the definition of what is made on the way, whose sides go along these indices; a
        list is a row."""
        row, column = ("", *indices)[-2:]
        time = self._time
        target = tuple(b.name for b in self.target.bounds if b.name not in time)
        towards = Towards(self.planner.name(self.target.name), target, (row, column))
        self.definitions.append(definition._replace(towards=towards))

    def _cell(self, name: Name, indices: tuple[str, ...]) -> Symbol:
        """Writes a quantity with its author's indices, the time before them where it has one."""
        moment = self.indices.moment
        is_timed = moment is not None and name == name.at(moment.now)
        return at(name.at(None).local, *(self._time if is_timed else ()), *indices)

    def _normalized(
        self, part: OverIndices, indices: tuple[str, ...], inside: Name, name: Name
    ) -> None:
        """Makes a layer norm along the last index, in equations: (x − mean) / √(variance + ε)."""
        if part.condition is not None:
            wrong, right = "layer_norm takes no condition", "make an array of what takes part"
            raise EquationError(wrong, right, part.start)
        moment, local, of = self.indices.moment, name.local, inside.local
        time = (moment.index,) if moment else ()
        whole, rest = ", ".join((*time, *indices)), ", ".join((*time, *indices[:-1]))
        of_row, epsilon = f"[{rest}]" if rest else "", part.extra
        more = " + epsilon" if epsilon else ""
        texts = (
            f"{local}_mean{of_row} = mean({of}[{whole}] for {indices[-1]})",
            f"{local}_centered[{whole}] = {of}[{whole}] - {local}_mean{of_row}",
            f"{local}_variance{of_row} = mean({local}_centered[{whole}] ** 2 for {indices[-1]})",
            f"{local}[{whole}] = {local}_centered[{whole}] / sqrt({local}_variance{of_row}{more})",
        )
        sides = self._sides(indices)
        arrays = {
            **self.known.arrays,
            f"{local}_in": self._timed(inside, sides, lies=len(sides) == 1),
        }
        known = replace(self.known, arrays=arrays)
        for text in texts:
            equation = said.read_equation(text)
            assert isinstance(equation.target, said.Target)
            value = said.rewritten(
                equation.value,
                lambda x: epsilon if x[0] == "epsilon" else None,
            )
            inner = _Lowering(equation.target, value, known, self.planner, moment)
            made = inner.made(as_row=True)
            own = tuple(b.name for b in equation.target.bounds if b.name not in self._time)
            for definition in made.definitions:
                self._on_the_way(definition, own if len(own) == len(indices) else (*own, ""))
            arrays[equation.target.name] = self._timed(*made.made[:2], lies=made.made.lies)

    def _timed(self, name: Name, sides: tuple[ArraySide, ...], *, lies: bool) -> KnownArray:
        """Returns what is known of a quantity that is made on the way, at a moment if there is
        one."""
        moment = self.indices.moment
        if moment is None:
            return KnownArray(name, sides, (), lies)
        return KnownArray(name.at(None), (ArraySide(len(moment.order)), *sides), moment.order, lies)

    def _beside(self, name: Name, what: str) -> Name:
        """Returns the name of what is made on the way to a quantity: `alpha_exp`."""
        return self.planner.name(f"{name.local}_{what}")

    def _indices_along(self, part: OverIndices, scope: Collection[str]) -> tuple[str, ...]:
        """Returns the indices of what goes along one of them, which is the last. Raises
        EquationError."""
        bound, *others = part.bounds
        if others:
            wrong = f"{part.function} goes along one index"
            raise EquationError(wrong, "leave the others out", others[0].start)
        if bound.name not in scope:
            wrong = (
                f"{part.function} goes along an index of the left side, which {bound.name} isn't"
            )
            right = f"write {bound.name} on the left, or take one that is there"
            raise EquationError(wrong, right, bound.start)
        used = _names_in(part)
        rest = tuple(index for index in scope if index in used and index != bound.name)
        if len(rest) >= MOST_SIDES:
            wrong = f"{part.function} would have three sides"
            raise EquationError(wrong, "make its operand an array above", part.start)
        return (*rest, bound.name)

    def _array_of(self, part: OverIndices, indices: tuple[str, ...], name: Name) -> Name:
        """Returns the quantity of what a softmax is of, made anew where there is none."""
        operand, kind = part.operand, WrittenOperation
        if isinstance(operand, Cell):
            array, moment = self.indices.array(operand), self.indices.moment
            places = operand.places[1:] if array.times else operand.places
            first = operand.places[0] if operand.places else None
            is_now = not array.times or (moment and first and first[:2] == (moment.index, 0))
            straight = [p.name for p in places if not p.shift] == [*indices]
            kind = Rearranged if is_now and not straight else WrittenOperation
            if is_now and straight and (len(indices) > 1 or array.lies):
                return array.name.at(moment.now) if array.times and moment else array.name
        return self._made_beside(operand, indices, self._beside(name, "in"), kind)

    def _made_beside(
        self, part: said.Piece, indices: tuple[str, ...], name: Name, kind: type[WrittenOperation]
    ) -> Name:
        """Defines a quantity that has a part, or a condition, for each of its cells."""
        lies = len(indices) == 1
        reader = self._reader(indices, lies=lies)
        told = define(self._cell(name, indices), symbol_of(part))
        tree = reader.read(part)
        made = self._define(name, reader, tree, indices, told, lies=lies, kind=kind)
        self._on_the_way(made, indices)
        return name

    def _masked(
        self, part: OverIndices, indices: tuple[str, ...], inside: Name, name: Name
    ) -> Name:
        """Hides what doesn't meet the condition of a softmax by −∞."""
        assert part.condition is not None
        seen = self._made_beside(part.condition, indices, self._beside(name, "seen"), Condition)
        masked = self._beside(name, "masked")
        choice = (symbol_of(part.condition), self._cell(inside, indices), MINUS_INFINITY)
        told = define(self._cell(masked, indices), Apply("where", choice))
        rows = ONE_ROW if len(indices) == 1 else None
        self._on_the_way(Definition(masked, Masked(told=told), (inside, seen), rows=rows), indices)
        return masked


def made_of(name: Name, sides: tuple[ArraySide, ...], *, lies: bool) -> KnownArray:
    """Returns what is known of what an equation made."""
    return KnownArray(name, sides, (), lies=lies and len(sides) == 1)


def _with_axes(
    name: Name,
    operation: Operation,
    operands: tuple[Name, ...],
    sides: tuple[ArraySide, ...],
    *,
    lies: bool,
) -> Definition:
    """Defines a quantity with the axes of its sides."""
    axes = [side.axis for side in sides]
    if len(axes) == MOST_SIDES:
        return Definition(name, operation, operands, rows=axes[0], columns=axes[1])
    if not axes:
        return Definition(name, operation, operands)
    if lies:
        return Definition(name, operation, operands, columns=axes[0])
    return Definition(name, operation, operands, rows=axes[0])


def _names_in(part: Part) -> set[str]:
    """Returns the names of all indices, numbers and sides in a part."""
    cells = (inner.places for inner in walk(part) if isinstance(inner, Cell))
    names = {place.name for places in cells for place in places}
    return names | {inner.name for inner in walk(part) if isinstance(inner, said.Reference)}
