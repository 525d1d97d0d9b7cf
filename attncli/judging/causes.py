"""The causes of wrong numbers: what authors may have done, and which cause explains most.

Each known mistake is made on purpose, from the author's own numbers, and
what explains most of a quantity's numbers with least is what was done. A mistake is known where a
number's neighbours agree: it explains more of a quantity's numbers than speak against it, or a
whole row. Where it gives just a single number among right ones, that may be chance, and is told as
a slip.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.errors import counted
from attncli.judging.honest_paths import (
    Decimals,
    Paths,
    Written,
    at_cell,
    rounded,
    taken,
)
from attncli.judging.known_mistakes import KnownMistakes, scaled_gradients
from attncli.judging.one_way import OneWayWorkings
from attncli.judging.scaled_tables import scaled_tables
from attncli.judging.slips import (
    TURNED,
    RightNumbers,
    comes_of_rounding_early,
    exchanged_cells,
    moved_tables,
    slips_of_a_term,
    slips_of_the_pen,
)
from attncli.judging.verdicts import Cause, Given, Judgement
from attncli.judging.wrong_ways import WrongWay
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.tree import (
    Apply,
    Expression,
    Location,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Total,
    constant,
)
from attncli.maths.numbers.rounding import Array, Flags
from attncli.maths.operations.activations import DivideBy
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.softmax import Exponential
from attncli.steps.mistakes import swapped
from attncli.trace import Definition

_TRUNCATED = Cause("truncated", "The digits behind were cut off instead of rounded.")
_HALF_EVEN = Cause("half_even", "A half was rounded to the even digit instead of away from zero.")
_EARLY = Cause("rounded_early", "It was rounded a digit too early on the way.")
_OF_A_TABLE = Cause("three_digits", "e^x was taken from a table of three digits.")
_ROOT = Cause("root_rounded", "The root was rounded to two decimals or fewer, √2 to 1.41.")
_TERMS = Cause("products_rounded", "Each product was rounded before they were added up.")
_NEAR = 1e-9
"""Units of the last place by which floats may miss a whole number, or a half."""
_FAR = 30
"""How many times as far off as honest paths differ a number may be, and still be rounded too
early."""


def _rounding_ways(paths: Paths, written: Written, name: str) -> Iterator[tuple[Cause, Enclosure]]:
    """Yields what right working gives for a quantity under each other way of rounding."""
    yield from ((cause, _otherwise(paths, name, cause, written.places)) for cause in _THROUGHOUT)


def _agreeing(paths: Paths, cause: Cause, values: Mapping[str, Array]) -> int:
    """Counts the numbers of a paper that another way of rounding gives."""
    held = (
        (_otherwise(paths, name, cause, paths.decimals(name)), numbers)
        for name, numbers in values.items()
    )
    return sum(int(np.count_nonzero(taken(*pairs))) for pairs in held)


def _otherwise(paths: Paths, name: str, cause: Cause, places: Decimals) -> Enclosure:
    return Enclosure(*(_THROUGHOUT[cause](end, places) for end in paths.made(name)))


def _coarsely(own: Paths, name: str) -> Iterator[tuple[Cause, Enclosure]]:
    """Yields what an author's own numbers give where something inside a line is rounded that
    shouldn't be: powers from a table, roots, or the terms of a sum."""
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
    """Returns a sum of products in which each product is rounded, or None for any other node."""
    match node:
        case Total(over, Product() | Power() as term):
            return Total(over, Apply("rounded", (term, constant(places))))
    return None


@np.errstate(all="ignore")
def _to_digits(values: Array, digits: int) -> Array:
    """Rounds numbers to so many significant digits, half away from zero."""
    size = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    scale = 10.0 ** (digits - 1 - size)
    return np.asarray(np.floor(values * scale + 0.5 + _NEAR) / scale)


def _rounded_early(paths: Paths, name: str) -> tuple[Cause, Enclosure]:
    """Returns what right working gives for a quantity where earlier numbers are rounded to one
    decimal fewer."""
    return _EARLY, paths.from_here(fewer=1).written(name)


def _are_near(right: Enclosure, numbers: Array) -> bool:
    """Tells whether any of some numbers is near enough to the right ones for rounding to explain
    it."""
    with np.errstate(invalid="ignore"):
        far = _FAR * (right.high - right.low)
        return bool(((right.low - far <= numbers) & (numbers <= right.high + far)).any())


def _has(fewer: int, places: int) -> str:
    if not fewer:
        return f"It is rounded to a whole number, where {counted(places, 'decimal')} are asked for"
    return f"It has {counted(fewer, 'decimal')} instead of {places}"


def _too_few_decimals(paths: Paths, cell: Location, given: Given) -> Iterator[Cause]:
    """Yields a cause for a number that is right, but has so few decimals that it looks like 0 or
    like other numbers of its table."""
    made, places = paths.made(cell.quantity), paths.decimals(cell.quantity)
    if given.number is None or given.places is None or given.places >= places:
        return
    low, high = (float(rounded(end, given.places)[cell.row, cell.column]) for end in made)
    if low <= float(given.number) <= high:
        yield _too_few(_has(given.places, places))


def _too_few(says: str) -> Cause:
    return Cause("too_few_decimals", f"{says}, so it looks the same as other numbers.")


@np.errstate(invalid="ignore")
def _cut(values: Array, places: Decimals) -> Array:
    units = np.abs(values) * 10.0 ** np.asarray(places, dtype=float)
    return np.asarray(np.copysign(np.floor(units + _NEAR), values) / 10.0**places)


@np.errstate(invalid="ignore")
def _even(values: Array, places: Decimals) -> Array:
    units = np.abs(values) * 10.0**places
    low = np.floor(units)
    is_half = np.abs(units - low - 0.5) <= _NEAR * np.maximum(1.0, units)
    whole = np.where(is_half, low + low % 2, np.round(units))
    return np.asarray(np.copysign(whole, values) / 10.0**places)


_THROUGHOUT: Mapping[Cause, Callable[[Array, Decimals], Array]] = MappingProxyType(
    {_HALF_EVEN: _even, _TRUNCATED: _cut}
)
"""Ways of rounding that people use for all numbers. The first says more: only halves differ."""


class Fit(NamedTuple):
    """A cause, and how well it explains the open numbers of a quantity."""

    cause: Cause
    judgement: Judgement
    cells: Flags
    """Which open numbers it gives, [n, m]."""
    against: Flags
    """Which right numbers speak against it, [n, m]."""
    left: int
    """How many open numbers it leaves unexplained."""
    width: float
    """How wide the ranges of the explained numbers are, in bits: narrow ones are met less often by
    chance."""
    way: int | None = None
    """The number of the known mistake, if it is one."""
    later: int | None = None
    """How many later numbers follow if it is the cause; None where that wasn't counted."""
    again: bool = False
    """Whether the same mistake was made before."""
    throughout: int = 0
    """How many numbers of the whole paper it gives, for a way of rounding."""
    far: float = 0
    """How far back on the way it was done; what was only written down elsewhere is told last."""
    found: WrongWay | None = None
    """A way that isn't among the known ones, but was found by these numbers."""

    @property
    def explains(self) -> int:
        return int(np.count_nonzero(self.cells))

    @property
    def is_supported(self) -> bool:
        """Tells whether neighbouring numbers agree with the cause. A single number may also be
        rounded otherwise."""
        if (
            self.judgement == "rounding"
            or self.explains > np.count_nonzero(self.against) + self.left
        ):
            return True
        rows = (self.cells.sum(axis=1) > 1) & ~self.against.any(axis=1)
        return bool(rows.any())

    def order(self) -> tuple[int, int, int, bool, int, int, float]:
        """Returns the key by which causes are sorted: those that explain most with least against
        them come first, then those made before, narrow ones, and those nearest on the way."""
        against, again = int(np.count_nonzero(self.against)), not self.again
        width = round(self.width)
        far = self.far
        return -self.explains, against, -(self.later or 0), again, width, -self.throughout, far


_UNBOUNDED = 1e6
"""The width that stands for ranges without a bound, such as quotients by what may be 0."""
_SHARP = 10.0
"""Units of the last place up to which having rounded too early says more than a slip in a term."""
_WHOLE = 1e-6
"""How far floats may be off a whole number."""
_LATER = 40
"""How many later quantities are looked at to tell causes apart."""


class GivenNumbers(NamedTuple):
    """The numbers that somebody gives for the cells of a quantity."""

    name: str
    given: Mapping[Location, Given]
    """Each number by its cell, as it was given."""
    written: Written
    """The same as arrays [n, m], with their decimals."""
    open: Flags
    """Which numbers are neither right nor explained by earlier ones, [n, m]."""

    @property
    def values(self) -> Array:
        """Returns the numbers [n, m], nan where there is none."""
        return self.written.numbers


class Explained(NamedTuple):
    """A finding about the open numbers of a quantity: what was wrong with each, and why."""

    found: Mapping[Location, tuple[Judgement, list[Cause]]]
    """A judgement for each cell, and its causes, those that explain most first."""
    way: WrongWay | None = None
    """The mistake that the author goes on with, if one was found."""
    cells: frozenset[Location] = frozenset()
    """The cells that showed it."""


@dataclass(frozen=True, eq=False, repr=False)
class CauseSearch:
    """The search for why some numbers of a quantity are wrong, starting from the author's own
    earlier ones."""

    hypotheses: KnownMistakes
    theirs: Paths
    numbers: GivenNumbers
    earlier: Mapping[str, Array]
    later: Mapping[str, Array]
    again: Collection[str] = ()
    """The names of mistakes that were made before."""
    workings: OneWayWorkings | None = None
    """The workings of a publication, in which one quantity is rounded in one way."""

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
        """Judges numbers that are right but for their few decimals: as rounded otherwise, or as a
        slip where a known mistake gives all numbers of the quantity as well."""
        found: dict[Location, tuple[Judgement, list[Cause]]] = {}
        if not coarse.any():
            return found
        hidden = self._hidden_by_mistakes(coarse)
        places = self.theirs.decimals(self.numbers.name)
        for cell in self.numbers.given:
            i, j = cell.row, cell.column
            if coarse[i, j]:
                says = _has(int(self.numbers.written.own[i, j]), places)
                found[cell] = (
                    ("slip", [_too_few(says)])
                    if hidden[i, j]
                    else ("rounding", [Cause("other_decimals", f"{says}.")])
                )
        return found

    def given_by_mistakes(self, coarse: Flags) -> Flags:
        """Tells which of the numbers with few decimals a known mistake gives as they are written,
        to all decimals asked for, along with all others of the quantity: a spreadsheet drops zeros
        at the end. [n, m]"""
        name, written = self.numbers.name, self.numbers.written
        exact, given = np.zeros_like(coarse), ~np.isnan(written.numbers)
        for k in self.hypotheses.leading_to(name, self.earlier, self.again) if coarse.any() else ():
            paths = self.hypotheses.paths(k, self.theirs)
            held = self._held(paths)
            gives_all = held is not None and (taken(held, written.numbers) | ~given).all()
            if gives_all and not self._is_refuted(self.hypotheses.ways[k], paths):
                exact |= coarse
        return exact

    def _hidden_by_mistakes(self, coarse: Flags) -> Flags:
        """Tells which of the numbers with few decimals a known mistake gives as well, along with
        all others of the quantity, though it would differ at the decimals asked for. [n, m]"""
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
        """Lists the causes that explain something, those that explain most with least against them
        first."""
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
        """Yields fits for numbers that are all too large or too small by one factor; for gradients,
        all from the loss on."""
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
        """Returns how well a factor on all gradients explains the numbers, or None where earlier
        numbers deny it."""
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
        """Yields fits for rounding inside lines of working. Such rounding is only believed where
        the author writes all decimals elsewhere and no right number of the quantity speaks against
        it."""
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
        """Returns the fits of other ways of rounding, with how much of the whole paper each
        explains if there are several."""
        causes = {fit.cause for fit in fits if fit.cause in _THROUGHOUT}
        if len(causes) < 2:  # noqa: PLR2004
            return [*fits]
        paths = self.theirs.from_here({n: Enclosure.of(x) for n, x in self._paper.items()})
        counts = {cause: _agreeing(paths, cause, self._paper) for cause in causes}
        return [fit._replace(throughout=counts.get(fit.cause, 0)) for fit in fits]

    @cached_property
    def own(self) -> Paths:
        """Returns the paths on which the author continued with all numbers exactly as written."""
        return self.theirs.from_here({name: Enclosure.of(x) for name, x in self.earlier.items()})

    @cached_property
    def follows(self) -> Enclosure:
        """Returns the range that is right for each number, given the author's own earlier ones."""
        held = self.hypotheses.ranges(self.theirs, self.numbers.name)
        assert held is not None
        return held

    def _held(self, paths: Paths) -> Enclosure | None:
        """Returns the range that is right for each number on some paths, at the decimals it is
        judged by; None where there is none."""
        return self.hypotheses.ranges(paths, self.numbers.name, self.numbers.written.places)

    def _around(self, made: Enclosure) -> Enclosure:
        """Widens what is made to the range that is accepted for the numbers."""
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
        """Measures how well some ranges explain the numbers; None where they give none of the open
        ones. A publication's numbers also have to come of one of its workings, as `gives` tells."""
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
        """Counts the quantities from what a way makes to this one. A mistake without a number is
        infinitely far back."""
        if way is None:
            return math.inf if judgement == "known mistake" else 0
        order, made = [*self.theirs.trace], self.hypotheses.ways[way].definitions
        return max(order.index(self.numbers.name) - order.index(made[0].name), 0)

    def _of_way(self, k: int) -> Fit | None:
        """Measures how well known mistake `k` explains the numbers, or returns None."""
        paths = self.hypotheses.paths(k, self.theirs)
        cause = self.hypotheses.ways[k].cause(self.numbers.name)
        gives = partial(self._gives_made, paths.instead.values())
        fit = self._fit(cause, "known mistake", self._held(paths), k, gives)
        way = self.hypotheses.ways[k]
        return None if fit is None or self._is_refuted(way, paths) else fit

    def _gives_rounded(self, cause: Cause, workings: OneWayWorkings) -> Flags:
        """Tells which numbers a publication's workings give where they are rounded in another way.
        [n, m]"""
        tolerance, way = self.hypotheses.tolerance, _THROUGHOUT[cause]
        return workings.gives(self.numbers.name, self.numbers.written, tolerance, way)

    def _gives_made(self, definitions: Iterable[Definition], workings: OneWayWorkings) -> Flags:
        """Tells which numbers a publication's workings give where some quantities are made
        otherwise. [n, m]"""
        own, numbers = workings.apart(definitions), self.numbers
        return own.gives(numbers.name, numbers.written, self.hypotheses.tolerance)

    def _is_refuted(self, way: WrongWay, paths: Paths) -> bool:
        """Tells whether earlier numbers show that a mistake wasn't made: it would have changed
        them."""
        names = {d.name for d in way.definitions} | paths.changed
        for name in names & self.earlier.keys():
            held, values = self.hypotheses.ranges(paths, name), self.earlier[name]
            if held is None or not (taken(held, values) | np.isnan(values)).all():
                return True
        return False

    def _by_later(self, fits: list[Fit]) -> list[Fit]:
        """Sorts the fits again, so that later numbers decide between those that explain equally
        much."""
        first = fits[0]
        alike = [fit for fit in fits if fit.order()[:2] == first.order()[:2]]
        reaching = [fit for fit in alike if self._instead(fit)]
        if len(alike) == 1 or not reaching:
            return fits
        reached = [fit._replace(later=self._later(fit)) for fit in alike]
        return [*sorted(reached, key=Fit.order), *fits[len(alike) :]]

    def _instead(self, fit: Fit) -> list[str]:
        """Lists the other quantities that a cause makes in another way."""
        made = self.hypotheses.all_that(fit.way)
        return [d.name for d in made if d.name != self.numbers.name]

    def _later(self, fit: Fit) -> int:
        """Counts the later numbers that follow from those before them if a cause is the right
        one."""
        instead: dict[str, Definition] = {d.name: d for d in self.hypotheses.all_that(fit.way)}
        paths = self.theirs.from_here(self._all_given, instead)
        count = 0
        for name, values in [*self.later.items()][:_LATER]:
            held = self.hypotheses.ranges(paths, name)
            count += 0 if held is None else int(np.count_nonzero(taken(held, values)))
        return count

    @cached_property
    def _all_given(self) -> Mapping[str, Enclosure]:
        """Returns the range that each number of the whole paper stands for, whatever decimals lie
        behind those written. Repeated quantities, such as given weights, may be written with fewer
        decimals than numbers are rounded to."""
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
            best = known[0]
            rest = (*known[1:], *_without(here, known))
            as_good = [fit for fit in rest if fit.later is None or fit.later >= (best.later or 0)]
            if best.way is not None:  # a mistake that transposes the table says so itself
                as_good = [fit for fit in as_good if fit.cause != TURNED]
            return best.judgement, [best.cause, *(fit.cause for fit in as_good)]
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
        wrong = np.where(self.numbers.open, self.numbers.values, np.nan)
        quantity = self.theirs.trace[cell.quantity]
        exchanged = [*exchanged_cells(quantity, self.follows, wrong, cell.indices)]
        own = [fit.cause for fit in here if not fit.cause.quantity]
        others = [fit.cause for fit in here if fit.cause.quantity]
        terms = exchanged or [*slips_of_a_term(self.theirs, cell, right, float(number))]
        if not terms and self._is_early(cell):
            return "rounding", [self._early[0], *own, *others]
        return "slip", exchanged or [*own, *terms, *others]

    @cached_property
    def _early(self) -> tuple[Cause, Enclosure]:
        return _rounded_early(self.theirs, self.numbers.name)

    @cached_property
    def _early_of_one_way(self) -> Flags:
        """Tells which of a publication's numbers come of rounding a decimal too early. [n, m]"""
        assert self.workings is not None
        tolerance, (name, _, written, _) = self.hypotheses.tolerance, self.numbers
        return self.workings.coarser().gives(name, written, tolerance)

    def _is_early(self, cell: Location, most: float = math.inf) -> bool:
        """Tells whether a number may have been rounded too early. Ranges wider than `most` units of
        the last place don't count."""
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
