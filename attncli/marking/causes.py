"""Why numbers are wrong: what an author may have done instead, where that would have led, and which
of it explains most."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.equations.enclosures import Enclosure
from attncli.equations.tree import (
    Apply,
    E,
    Expression,
    Location,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Total,
    constant,
    e_to,
)
from attncli.file.problems import ScenarioError
from attncli.marking.honest_paths import (
    Flags,
    Paths,
    Places,
    Tolerance,
    Written,
    at_cell,
    ranges,
    rounded,
    taken,
)
from attncli.marking.one_way import OneWayWorkings
from attncli.marking.slips import (
    RightNumbers,
    comes_of_rounding_early,
    moved_tables,
    scaled_tables,
    slips_of_a_term,
    slips_of_the_pen,
    times_in_words,
)
from attncli.marking.verdicts import Cause, Given, Judgement
from attncli.numbers import decimals
from attncli.numbers.rounding import Array
from attncli.operations.activations import DivideBy
from attncli.operations.attention import Exponential
from attncli.operations.equation import Indexed, is_a
from attncli.operations.operation import One
from attncli.operations.prediction import LossTimes, MeanOfAll, SquaredError
from attncli.steps import step_named
from attncli.steps.mistakes import all_made_wrongly, swapped
from attncli.trace import Definition, PlannedStep, Trace


class WrongWay(NamedTuple):
    """A known mistake that can be made in a trace: what it makes in other ways, the first of these
    being what it is called a mistake in."""

    name: str
    says: str
    definitions: tuple[Definition, ...]
    all: tuple[WrongWay, ...] = ()
    """The same mistake in each place, where it is made in several."""
    variant: int = 0
    """Which of the ways to make it this is."""
    setting: str = ""
    """The setting of a scenario that is another, if it is one."""

    def places_in(self, names: Collection[str]) -> int:
        """In how many places it makes one of some quantities."""
        return sum(any(d.name in names for d in way.definitions) for way in self.all or (self,))

    def cause(self, quantity: str) -> Cause:
        """The mistake as a cause of what is wrong in a quantity."""
        names = [d.name for d in self.definitions]
        return Cause(self.name, self.says, "" if quantity in names else names[0])


class KnownMistakes:
    """The known mistakes of a trace, each with the paths on which it alone is made."""

    def __init__(self, trace: Trace, tolerance: Tolerance) -> None:
        self.trace, self.tolerance = trace, tolerance
        self._instead: dict[int, dict[str, Definition]] = {}

    @cached_property
    def ways(self) -> tuple[WrongWay, ...]:
        """All of them, in the order of the story; then each that may be made in several places as
        it is made in all of them."""
        single = [way for part in self.trace.story for way in declared_ways(self.trace, part)]
        alike: dict[tuple[str, str, int], list[WrongWay]] = {}
        for way in single:
            alike.setdefault((way.definitions[0].step, way.name, way.variant), []).append(way)
        return (*single, *(_everywhere(ways) for ways in alike.values() if len(ways) > 1))

    @cached_property
    def _everywhere(self) -> Mapping[int, WrongWay]:
        """Those of a single place as they are made in all, by their numbers."""
        numbers = {way: k for k, way in enumerate(self.ways)}
        return {numbers[way]: whole for whole in self.ways for way in whole.all}

    def all_that(self, k: int | None) -> tuple[Definition, ...]:
        """All that whoever makes a mistake in one place makes by it, there and in the others."""
        if k is None:
            return ()
        return self._everywhere.get(k, self.ways[k]).definitions

    @cached_property
    def _by_quantity(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for k, way in enumerate(self.ways):
            for definition in way.definitions:
                found.setdefault(definition.name, []).append(k)
        return found

    def leading_to(self, name: str, given: Collection[str], again: Collection[str]) -> list[int]:
        """The mistakes that may show first in a quantity: those in making it, or in making what is
        between it and quantities that are given; those of some names, which were made before, in
        making anything that it is made of."""
        near = _between(self.trace, name, given)
        found = {k for text in near for k in self._by_quantity.get(text, ())}
        if again:
            near = _between(self.trace, name, ())
            every = {k for text in near for k in self._by_quantity.get(text, ())}
            found |= {k for k in every if self.ways[k].name in again}
        return sorted(k for k in found if self.ways[k].places_in(near) > 1 or not self.ways[k].all)

    def paths(self, k: int, theirs: Paths) -> Paths:
        """Where a mistake leads from an author's own numbers."""
        if k not in self._instead:
            self._instead[k] = {d.name: self._by_hand(d, theirs) for d in self.ways[k].definitions}
        return theirs.from_here(instead=self._instead[k])

    @staticmethod
    def _by_hand(definition: Definition, theirs: Paths) -> Definition:
        """The same, where an exponent that is a quotient is worked by itself first."""
        places = constant(theirs.decimals(definition.name))
        return swapped(definition, lambda node: _worked_first(node, places)) or definition

    def ranges(self, paths: Paths, name: str, places: Places | None = None) -> Enclosure | None:
        """What is right for a quantity on some paths, for numbers of so many decimals; None of a
        mistake that its numbers, or their shapes, don't allow."""
        if paths.is_circular:
            return None
        try:
            if paths.made(name).low.shape != self.trace[name].matrix.shape:
                return None
            return ranges(paths, name, self.tolerance, places)
        except (ValueError, ArithmeticError, ScenarioError, IndexError, TypeError):
            return None


def _worked_first(node: Expression, places: Number) -> Expression | None:
    """e^(x / √d), of a root and a quotient each of which is gone on with in full, or rounded."""
    match node:
        case Power(base, Quotient(x, Root() as root)) if base == E:
            divisor = Apply("carried", (root, places))
            return e_to(Apply("carried", (Quotient(x, divisor), places)))
    return None


def declared_ways(trace: Trace, part: PlannedStep) -> Iterator[WrongWay]:
    """The mistakes that are declared beside the step of a part."""
    for mistake in step_named(part.step).mistakes:
        for k, definitions in enumerate(all_made_wrongly(trace, part, mistake)):
            says = mistake.says_of(definitions[0], part.definitions)
            yield WrongWay(mistake.name, says, definitions, variant=k)


def scaled_gradients(trace: Trace, factor: float) -> WrongWay | None:
    """All gradients so many times what they are, from that of the loss on; None where there are
    none."""
    first = [d for d in trace.plan if isinstance(d.operation, One) and d.name in trace]
    if not first:
        return None
    half = ", as by a loss of ½ Σ (y − t)²" if factor == _of_half_the_sum(trace, first[0]) else ""
    says = f"Each gradient is {times_in_words(factor)} what it should be{half}."
    times = LossTimes(Number.written(decimals.of_float(factor)))
    return WrongWay("other_factor", says, tuple(d._replace(operation=times) for d in first))


def _of_half_the_sum(trace: Trace, first: Definition) -> float | None:
    """By what half the sum of squares is larger than their mean, where that is the loss."""
    loss = trace[first.operands[0]].definition
    errors = None if loss is None else trace[loss.operands[0]].definition
    if loss is None or errors is None or not is_a(errors.operation, SquaredError):
        return None
    is_mean = is_a(loss.operation, MeanOfAll)
    return trace[errors.name].matrix.values.size / 2 if is_mean else None


def _everywhere(ways: list[WrongWay]) -> WrongWay:
    each = {d.name: d for way in ways for d in way.definitions}
    return ways[0]._replace(definitions=tuple(each.values()), all=tuple(ways))


def _between(trace: Trace, name: str, given: Collection[str]) -> set[str]:
    """A quantity, and those that it is made of, back to given ones."""
    waiting, found = [name], {name}
    while waiting:
        definition = trace[waiting.pop()].definition
        for operand in () if definition is None else definition.operands:
            if operand not in found and operand not in given and not trace[operand].given:
                found.add(operand)
                waiting.append(operand)
    return found


# --------------------------------------------------------------------------------------------------
# Why numbers are wrong: each known mistake is made on purpose, from the author's own numbers, and
# what explains most of a quantity's numbers with least is what was done. A mistake is known where
# a number's neighbours agree: it explains more of a quantity's numbers than speak against it, or a
# whole row. Where it gives just a single number among right ones, that may be chance, and is told
# as a slip.

_TRUNCATED = Cause("truncated", "The digits behind were cut off instead of rounded.")
_HALF_EVEN = Cause("half_even", "A half was rounded to the even digit instead of away from zero.")
_EARLY = Cause("rounded_early", "It was rounded a digit too early on the way.")
_OF_A_TABLE = Cause("three_digits", "e^x was taken from a table of three digits.")
_ROOT = Cause("root_rounded", "The root was rounded to two decimals or fewer, √2 to 1.41.")
_TERMS = Cause("products_rounded", "Each product was rounded before they were added up.")
_NEAR = 1e-9
"""Units of the last place by which floats may miss a whole number, or a half."""
_FAR = 30
"""Times what honest paths differ by: a number further off wasn't just rounded too early."""


def _rounding_ways(paths: Paths, written: Written, name: str) -> Iterator[tuple[Cause, Enclosure]]:
    """What the right working of a quantity gives in other ways of rounding its numbers."""
    yield from ((cause, _otherwise(paths, name, cause, written.places)) for cause in _THROUGHOUT)


def _agreeing(paths: Paths, cause: Cause, values: Mapping[str, Array]) -> int:
    """How many numbers of a paper are what one of these ways gives."""
    held = (
        (_otherwise(paths, name, cause, paths.decimals(name)), numbers)
        for name, numbers in values.items()
    )
    return sum(int(np.count_nonzero(taken(*pairs))) for pairs in held)


def _otherwise(paths: Paths, name: str, cause: Cause, places: Places) -> Enclosure:
    return Enclosure(*(_THROUGHOUT[cause](end, places) for end in paths.made(name)))


def _coarsely(own: Paths, name: str) -> Iterator[tuple[Cause, Enclosure]]:
    """What an author's own numbers give where something inside a line is rounded that isn't to be:
    powers that a table gives, roots, the terms of a sum."""
    definition, places = own.definition(name), own.decimals(name)
    operation = None if definition is None else definition.operation
    match operation:
        case Exponential():
            yield _OF_A_TABLE, Enclosure(*(_to_digits(end, 3) for end in own.made(name)))
        case DivideBy(tree=Quotient(divisor=Root(Number() as square))):
            root = float(square.full) ** 0.5
            for digits in (2, 1):
                share = root / float(rounded(np.array(root), digits))
                ends = (rounded(end * share, places) for end in own.made(name))
                yield _ROOT, Enclosure(*ends)
        case Indexed() if definition is not None:
            terms = swapped(definition, lambda node: _of_rounded(node, places))
            if terms is not None:
                yield _TERMS, own.from_here(instead={name: terms}).written(name)


def _of_rounded(node: Expression, places: int) -> Expression | None:
    """A sum of products, each of which is rounded."""
    match node:
        case Total(over, Product() | Power() as term):
            return Total(over, Apply("rounded", (term, constant(places))))
    return None


@np.errstate(all="ignore")
def _to_digits(values: Array, digits: int) -> Array:
    """Numbers to so many significant digits, half away from zero."""
    size = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    scale = 10.0 ** (digits - 1 - size)
    return np.asarray(np.floor(values * scale + 0.5 + _NEAR) / scale)


def _rounded_early(paths: Paths, name: str) -> tuple[Cause, Enclosure]:
    """What the right working of a quantity gives where one rounds to a decimal fewer on the way."""
    return _EARLY, paths.from_here(fewer=1).written(name)


def _are_near(right: Enclosure, numbers: Array) -> bool:
    """Whether one of some numbers is so near to the right ones that rounding may explain it."""
    with np.errstate(invalid="ignore"):
        far = _FAR * (right.high - right.low)
        return bool(((right.low - far <= numbers) & (numbers <= right.high + far)).any())


def _has(fewer: int, places: int) -> str:
    return f"It has {fewer} decimal{'' if fewer == 1 else 's'} instead of {places}"


def _too_few_decimals(paths: Paths, cell: Location, given: Given) -> Iterator[Cause]:
    """Why a number is wrong that is the right one, but for so few decimals that they don't tell it
    from 0, or from others of its table."""
    made, places = paths.made(cell.quantity), paths.decimals(cell.quantity)
    if given.number is None or given.places is None or given.places >= places:
        return
    low, high = (float(rounded(end, given.places)[cell.row, cell.column]) for end in made)
    if low <= float(given.number) <= high:
        yield _too_few(_has(given.places, places))


def _too_few(says: str) -> Cause:
    return Cause("too_few_decimals", f"{says}, which is too few to tell it from other numbers.")


@np.errstate(invalid="ignore")
def _cut(values: Array, places: Places) -> Array:
    units = np.abs(values) * 10.0 ** np.asarray(places, dtype=float)
    return np.asarray(np.copysign(np.floor(units + _NEAR), values) / 10.0**places)


@np.errstate(invalid="ignore")
def _even(values: Array, places: Places) -> Array:
    units = np.abs(values) * 10.0**places
    low = np.floor(units)
    is_half = np.abs(units - low - 0.5) <= _NEAR * np.maximum(1.0, units)
    whole = np.where(is_half, low + low % 2, np.round(units))
    return np.asarray(np.copysign(whole, values) / 10.0**places)


_THROUGHOUT: Mapping[Cause, Callable[[Array, Places], Array]] = MappingProxyType(
    {_HALF_EVEN: _even, _TRUNCATED: _cut}
)
"""Ways that whoever has one rounds all numbers in. The first says more: only halves differ."""


class Fit(NamedTuple):
    """How well a cause explains the open numbers of a quantity: which of them it gives, and how
    many of the author's other numbers speak against it, being right, or are `left` open."""

    cause: Cause
    judgement: Judgement
    cells: Flags
    against: Flags
    left: int
    width: float
    way: int | None = None
    later: int = 0
    again: bool = False
    throughout: int = 0
    far: float = 0
    """How far back on the way it was done; what was only written down elsewhere is told last."""
    found: WrongWay | None = None
    """A way that isn't among the known ones, but was found by these numbers."""

    @property
    def explains(self) -> int:
        return int(np.count_nonzero(self.cells))

    @property
    def is_supported(self) -> bool:
        """Whether the neighbours agree; a single number may be rounded otherwise too."""
        if (
            self.judgement == "rounding"
            or self.explains > np.count_nonzero(self.against) + self.left
        ):
            return True
        rows = (self.cells.sum(axis=1) > 1) & ~self.against.any(axis=1)
        return bool(rows.any())

    def order(self) -> tuple[int, int, int, bool, int, int, float]:
        """The order in which causes are told; of those that explain as much, what was done before,
        then what holds fewest numbers, which is least by chance, or more of the whole paper; then
        the nearest on the way."""
        against, again = int(np.count_nonzero(self.against)), not self.again
        width = round(self.width)
        far = self.far
        return -self.explains, against, -self.later, again, width, -self.throughout, far


_UNBOUNDED = 1e6
"""How wide numbers are taken to be held that have no bound, such as quotients by what may be 0."""
_SHARP = 10.0
"""Units of the last place up to which having rounded too early says more than a slip in a term."""
_WHOLE = 1e-6
"""What floats may be off a whole number by."""
_LATER = 40
"""How many later quantities are looked at to tell causes apart."""


class GivenNumbers(NamedTuple):
    """Numbers that somebody gives for cells of a quantity: as given, and as `written`; which of
    them are `open`, neither right nor explained by earlier ones. [n, m]"""

    name: str
    given: Mapping[Location, Given]
    written: Written
    open: Flags

    @property
    def values(self) -> Array:
        """The numbers, nan where there is none."""
        return self.written.numbers


class Explained(NamedTuple):
    """What is said of the open numbers of a quantity: a judgement each, and its causes, those that
    explain most first; the wrong way that is gone on with, and the cells that told it."""

    found: Mapping[Location, tuple[Judgement, list[Cause]]]
    way: WrongWay | None = None
    cells: frozenset[Location] = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class CauseSearch:
    """Why some numbers of a quantity are wrong, seen from the author's own earlier ones."""

    hypotheses: KnownMistakes
    theirs: Paths
    numbers: GivenNumbers
    earlier: Mapping[str, Array]
    later: Mapping[str, Array]
    again: Collection[str] = ()
    """The names of mistakes that were made before."""
    workings: OneWayWorkings | None = None
    """Of a publication, in which one quantity is rounded in one way."""

    def explained(self) -> Explained:
        fits = self.fits()
        judged = {}
        for cell in self._open_cells:
            judgement, causes = self._of_cell(cell, fits)
            judged[cell] = judgement, [*dict.fromkeys(causes)]
        known = [fit for fit in fits if fit.is_supported]
        way = self._way(known[0]) if known else None
        if way is None:
            return Explained(judged)
        cells = frozenset(cell for cell in judged if known[0].cells[cell.row, cell.column])
        return Explained(judged, way, cells)

    def _way(self, fit: Fit) -> WrongWay | None:
        return fit.found if fit.way is None else self.hypotheses.ways[fit.way]

    def few_decimals(self, coarse: Flags) -> dict[Location, tuple[Judgement, list[Cause]]]:
        """What is said of numbers that are right but for their few decimals: that they are rounded
        otherwise, or where a known mistake gives all numbers of the quantity as well, that they are
        too few to tell."""
        found: dict[Location, tuple[Judgement, list[Cause]]] = {}
        if not coarse.any():
            return found
        hidden = self._hidden_by_mistakes(coarse)
        places = self.theirs.decimals(self.numbers.name)
        for cell, given in self.numbers.given.items():
            i, j = cell.row, cell.column
            if coarse[i, j]:
                says = _has(given.places or 0, places)
                found[cell] = (
                    ("slip", [_too_few(says)])
                    if hidden[i, j]
                    else ("rounding", [Cause("other_decimals", f"{says}.")])
                )
        return found

    def _hidden_by_mistakes(self, coarse: Flags) -> Flags:
        """Which of some numbers with few decimals a known mistake gives as well, with all others of
        the quantity, where it would be another number with the decimals asked."""
        name, written = self.numbers.name, self.numbers.written
        hidden, given = np.zeros_like(coarse), ~np.isnan(written.numbers)
        unit = 10.0 ** -self.theirs.decimals(name)
        for k in self.hypotheses.leading_to(name, self.earlier, self.again):
            paths = self.hypotheses.paths(k, self.theirs)
            held = self.hypotheses.ranges(paths, name, written.own)
            gives_all = held is not None and (taken(held, written.numbers) | ~given).all()
            if gives_all and not self._is_refuted(self.hypotheses.ways[k], paths):
                other, right = paths.made(name), self.theirs.made(name)
                off = np.maximum(other.low - right.high, right.low - other.high)
                hidden |= coarse & (off > unit)
        return hidden

    def fits(self) -> list[Fit]:
        """The causes that explain something, those that explain most with least first."""
        name, written = self.numbers.name, self.numbers.written
        tried: list[Fit | None] = [
            self._fit(cause, "rounding", held, gives=partial(self._gives_rounded, cause))
            for paths in (self.theirs, self.own)
            for cause, held in _rounding_ways(paths, written, name)
        ]
        tried = self._throughout([fit for fit in tried if fit is not None])
        tried = [*self._inside_lines(), *tried]
        ways = self.hypotheses.leading_to(name, self.earlier, self.again)
        tried += map(self._of_way, ways)
        tried += [
            self._fit(cause, "known mistake", held)
            for cause, held in moved_tables(
                self.theirs.made(name), self.numbers.values, self._around
            )
        ]
        fits = sorted((fit for fit in tried if fit is not None), key=Fit.order)
        if all(fit.left or not fit.is_supported for fit in fits):
            found = (*filter(None, self._by_a_factor()), *fits)
            fits = sorted(found, key=lambda fit: (not fit.is_supported, fit.order()))
        return self._by_later(fits) if len(fits) > 1 else fits

    def _by_a_factor(self) -> Iterator[Fit | None]:
        """What is by one factor too large or too small, of gradients all from the loss on."""
        name = self.numbers.name
        definition, half = self.theirs.definition(name), 0.5 * self._unit
        operation = None if definition is None else definition.operation
        is_divided = isinstance(operation, Indexed) and isinstance(operation.tree, Quotient)
        made, values = self.theirs.made(name), self.numbers.values
        open_ = self.numbers.open
        for cause, factor, held in scaled_tables(made, values, open_, half, is_divided=is_divided):
            whole = self._of_all_gradients(factor) if cause.name == "other_factor" else None
            yield whole or self._fit(cause, "known mistake", held)

    def _of_all_gradients(self, factor: float) -> Fit | None:
        """How well it explains the numbers that all gradients are so many times too large, which
        none of the earlier ones denies."""
        way = scaled_gradients(self.theirs.trace, factor)
        if way is None:
            return None
        paths = self.theirs.from_here(instead={d.name: d for d in way.definitions})
        if self.numbers.name not in paths.changed or self._is_refuted(way, paths):
            return None
        held = self.hypotheses.ranges(paths, self.numbers.name)
        fit = self._fit(way.cause(self.numbers.name), "known mistake", held)
        return fit and fit._replace(found=way)

    def _inside_lines(self) -> Iterator[Fit]:
        """What was rounded inside lines of working, which is known where nothing speaks against
        it: the author writes all decimals elsewhere, and all right numbers of this quantity fit."""
        last = 10.0 ** (self.theirs.decimals(self.numbers.name) - 1)
        paper = (*self.earlier.values(), *self.later.values())
        others = np.concatenate([[0.0], *(x.ravel() for x in paper)]) * last
        others = others[np.isfinite(others)]
        if np.abs(others - np.rint(others)).max() < _WHOLE:
            return
        for cause, held in _coarsely(self.own, self.numbers.name):
            fit = self._fit(cause, "rounding", held)
            if fit is not None and not fit.against.any():
                yield fit

    def _throughout(self, fits: Sequence[Fit]) -> list[Fit | None]:
        """Other ways of rounding, with how much each explains of the whole paper where there are
        several."""
        causes = {fit.cause for fit in fits if fit.cause in _THROUGHOUT}
        if len(causes) < 2:  # noqa: PLR2004
            return [*fits]
        paths = self.theirs.from_here({n: Enclosure.of(x) for n, x in self._paper.items()})
        counts = {cause: _agreeing(paths, cause, self._paper) for cause in causes}
        return [fit._replace(throughout=counts.get(fit.cause, 0)) for fit in fits]

    @cached_property
    def own(self) -> Paths:
        """The paths on which the author went on with all numbers just as they are written."""
        return self.theirs.from_here({name: Enclosure.of(x) for name, x in self.earlier.items()})

    @cached_property
    def follows(self) -> Enclosure:
        """What is right from the author's own numbers."""
        held = self.hypotheses.ranges(self.theirs, self.numbers.name)
        assert held is not None
        return held

    def _held(self, paths: Paths) -> Enclosure | None:
        """What is right for the numbers on some paths, for those decimals that each is judged by;
        None where none can be."""
        return self.hypotheses.ranges(paths, self.numbers.name, self.numbers.written.places)

    def _around(self, made: Enclosure) -> Enclosure:
        """What is right for the numbers where these are made."""
        tolerance, asked = self.hypotheses.tolerance, self.theirs.decimals(self.numbers.name)
        return tolerance.around(made, asked, self.numbers.written.places)

    @property
    def _open_cells(self) -> list[Location]:
        return [cell for cell in self.numbers.given if self.numbers.open[cell.row, cell.column]]

    @cached_property
    def _unit(self) -> float:
        return float(10.0 ** -self.theirs.decimals(self.numbers.name))

    def _fit(
        self,
        cause: Cause,
        judgement: Judgement,
        held: Enclosure | None,
        way: int | None = None,
        gives: Callable[[OneWayWorkings], Flags] | None = None,
    ) -> Fit | None:
        """How well some ranges explain the numbers; None where they give none of the open ones. A
        publication's have to be what one of its workings `gives` as well."""
        if held is None:
            return None
        numbers = self.numbers
        takes = taken(held, numbers.values)
        cells = takes & numbers.open
        if cells.any() and gives is not None and self.workings is not None:
            takes &= gives(self.workings)
            cells &= takes
        if not cells.any():
            return None
        against = ~takes & ~numbers.open & ~np.isnan(numbers.values)
        with np.errstate(invalid="ignore"):
            widths = held.high[cells] - held.low[cells]
        widths = np.nan_to_num(widths, posinf=_UNBOUNDED)
        width = float(np.log2(1 + widths.sum() / self._unit))
        left = int(np.count_nonzero(numbers.open & ~cells))
        again, far = cause.name in self.again, self._far_back(way, judgement)
        return Fit(cause, judgement, cells, against, left, width, way, again=again, far=far)

    def _far_back(self, way: int | None, judgement: Judgement) -> float:
        """How many quantities come after what a way makes, up to this one."""
        if way is None:
            return math.inf if judgement == "known mistake" else 0
        order, made = [*self.theirs.trace], self.hypotheses.ways[way].definitions
        return max(order.index(self.numbers.name) - order.index(made[0].name), 0)

    def _of_way(self, k: int) -> Fit | None:
        """How well a known mistake explains them."""
        paths = self.hypotheses.paths(k, self.theirs)
        cause = self.hypotheses.ways[k].cause(self.numbers.name)
        gives = partial(self._gives_made, paths.instead.values())
        fit = self._fit(cause, "known mistake", self._held(paths), k, gives)
        way = self.hypotheses.ways[k]
        return None if fit is None or self._is_refuted(way, paths) else fit

    def _gives_rounded(self, cause: Cause, workings: OneWayWorkings) -> Flags:
        """Which numbers a publication's workings give that are rounded in another way."""
        tolerance, way = self.hypotheses.tolerance, _THROUGHOUT[cause]
        return workings.gives(self.numbers.name, self.numbers.written, tolerance, way)

    def _gives_made(self, definitions: Iterable[Definition], workings: OneWayWorkings) -> Flags:
        """Which numbers a publication's workings give where some quantities are made otherwise."""
        own, numbers = workings.apart(definitions), self.numbers
        return own.gives(numbers.name, numbers.written, self.hypotheses.tolerance)

    def _is_refuted(self, way: WrongWay, paths: Paths) -> bool:
        """Whether earlier numbers say that a mistake, which would show in them, wasn't made."""
        names = {d.name for d in way.definitions} | paths.changed
        for name in names & self.earlier.keys():
            held, values = self.hypotheses.ranges(paths, name), self.earlier[name]
            if held is None or not (taken(held, values) | np.isnan(values)).all():
                return True
        return False

    def _by_later(self, fits: list[Fit]) -> list[Fit]:
        """The same, where those that explain as much are told apart by later numbers."""
        first = fits[0]
        alike = [fit for fit in fits if fit.order()[:2] == first.order()[:2]]
        reaching = [fit for fit in alike if self._instead(fit)]
        if len(alike) == 1 or not reaching:
            return fits
        reached = [fit._replace(later=self._later(fit)) for fit in alike]
        return [*sorted(reached, key=Fit.order), *fits[len(alike) :]]

    def _instead(self, fit: Fit) -> list[str]:
        """What else a cause makes in other ways than this quantity."""
        made = self.hypotheses.all_that(fit.way)
        return [d.name for d in made if d.name != self.numbers.name]

    def _later(self, fit: Fit) -> int:
        """How many later numbers follow from those before them if a cause is the right one."""
        instead: dict[str, Definition] = {d.name: d for d in self.hypotheses.all_that(fit.way)}
        paths = self.theirs.from_here(self._all_given, instead)
        count = 0
        for name, values in [*self.later.items()][:_LATER]:
            held = self.hypotheses.ranges(paths, name)
            count += 0 if held is None else int(np.count_nonzero(taken(held, values)))
        return count

    @cached_property
    def _all_given(self) -> Mapping[str, Enclosure]:
        """The whole paper's numbers, whatever decimals behind those that are written; what only
        stands elsewhere again, such as given weights, has fewer than numbers are rounded to."""
        known, trace = {}, self.theirs.trace
        for name, values in self._paper.items():
            definition = trace[name].definition
            step = "" if definition is None else definition.step
            stated = trace.rounding.decimals_of(step, trace[name].name)
            half = 0.5 * 10.0 ** -max(self.theirs.decimals(name), stated)
            known[name] = Enclosure(values - half, values + half)
        return known

    @property
    def _paper(self) -> Mapping[str, Array]:
        return {**self.earlier, self.numbers.name: self.numbers.values, **self.later}

    def _of_cell(self, cell: Location, fits: list[Fit]) -> tuple[Judgement, list[Cause]]:
        here = [fit for fit in fits if fit.cells[cell.row, cell.column]]
        known = [fit for fit in here if fit.is_supported]
        if known:
            return known[0].judgement, [fit.cause for fit in (*known, *_without(here, known))]
        given = self.numbers.given[cell]
        number = given.number
        assert number is not None
        few = [*_too_few_decimals(self.theirs, cell, given)]
        if few:
            return "slip", few
        right = at_cell(self.follows, cell)
        full = at_cell(self.theirs.made(cell.quantity), cell)
        places = self.theirs.decimals(cell.quantity)
        pen = [*slips_of_the_pen(RightNumbers(right, full, places), number)]
        if pen:
            return "known mistake", pen
        if self._is_early(cell, most=_SHARP):
            return "rounding", [self._early[0]]
        own = [fit.cause for fit in here if not fit.cause.quantity]
        others = [fit.cause for fit in here if fit.cause.quantity]
        terms = [*slips_of_a_term(self.theirs, cell, right, float(number))]
        if not terms and self._is_early(cell):
            return "rounding", [self._early[0], *own, *others]
        return "slip", [*own, *terms, *others]

    @cached_property
    def _early(self) -> tuple[Cause, Enclosure]:
        return _rounded_early(self.theirs, self.numbers.name)

    @cached_property
    def _early_of_one_way(self) -> Flags:
        """The same of a publication's numbers."""
        assert self.workings is not None
        tolerance, (name, _, written, _) = self.hypotheses.tolerance, self.numbers
        return self.workings.coarser().gives(name, written, tolerance)

    def _is_early(self, cell: Location, most: float = math.inf) -> bool:
        """Whether a number may have been rounded too early, by what holds so many units at most."""
        if not _are_near(self.follows, np.where(self.numbers.open, self.numbers.values, np.nan)):
            return False
        held = self._early[1]
        i, j = cell.row, cell.column
        is_sharp = float(held.high[i, j] - held.low[i, j]) <= most * self._unit
        if not is_sharp or not taken(held, self.numbers.values)[i, j]:
            return False
        if self.workings is not None:
            return bool(self._early_of_one_way[i, j])
        return math.isfinite(most) or comes_of_rounding_early(
            self.theirs, cell, float(self.numbers.values[i, j])
        )


def _without(fits: list[Fit], others: list[Fit]) -> Iterator[Fit]:
    return (fit for fit in fits if all(fit is not other for other in others))
