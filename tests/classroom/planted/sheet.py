"""What an author writes down, who works as the oracle does, right or with one operation done otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    DivisionByZero,
    InvalidOperation,
    localcontext,
)
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.oracle.book import Book, Hand, Record
from tests.oracle.memory import Uses, drawn
from tests.oracle.numerals import Number, Numbers
from tests.oracle.stack import worked

Array = NDArray[np.float64]
PLACES = 3
UNIT = 10.0**-PLACES


def rounded(values: Array, places: int = PLACES) -> Array:
    """Half away from zero."""
    scaled = np.abs(values) * 10.0**places
    with np.errstate(invalid="ignore"):
        whole = np.copysign(np.floor(scaled + 0.5 + 1e-9), values) / 10.0**places
    return np.where(np.isfinite(values), whole + 0.0, values)


def truncated(values: Array) -> Array:
    with np.errstate(invalid="ignore"):
        cut = np.copysign(np.floor(np.abs(values) / UNIT + 1e-9), values) * UNIT
    return np.where(np.isfinite(values), cut + 0.0, values)


WAYS = {"truncated": ROUND_DOWN, "half_even": ROUND_HALF_EVEN}
"""Wrong ways to round all that is written down and gone on with, as `decimal` calls them."""
ROUNDED, COARSE = "rounded", "coarse"
"""The right way to round all of it, and the same with a decimal less."""


class Slip(NamedTuple):
    """A number that is written down wrongly, or worked with a term that is wrong."""

    kind: str
    name: str
    row: int
    column: int
    of: Callable[[Numbers, Numbers], Number] | None = None
    """What the cell of a product becomes, of the row and the column that it is made of."""
    change: Callable[[Array, Array], Array] | None = None
    """What a whole table becomes as it is written down, of its numbers in full and as rounded."""


class Sheet(NamedTuple):
    """One author's quantities: in full as the author has them, and as they are written down; of those
    that are a product what was multiplied."""

    full: Mapping[str, Array]
    written: Mapping[str, Array]
    products: Mapping[str, tuple[Array, Array]]


@dataclass(frozen=True)
class At:
    """Where a quantity is written down: numbers beside it are looked up by their names, in which `*` is
    what it is in its own."""

    student: Student
    book: Book
    place: str
    """What comes before its name."""
    star: str
    right: Numbers
    """What it should be."""

    def __getitem__(self, name: str) -> Numbers:
        """Numbers that were written down, as one has them who goes on with them."""
        return self.book.held[self.place + name.replace("*", self.star)]

    def first(self, *names: str) -> Numbers:
        """The first of some that is there."""
        places = (self.place + name.replace("*", self.star) for name in names)
        return self.book.held[next(place for place in places if place in self.book.held)]

    def at(self, place: str) -> At:
        """The same elsewhere."""
        return replace(self, place=place)

    @property
    def k(self) -> int:
        return int(self.star)

    @property
    def data(self) -> Record:
        """What is said of this place."""
        layer, data = re.match(r"layers\[(\d+)\]", self.place), self.student.data
        return {**data, **data["layers"][int(layer[1]) - 1]} if layer else data

    def said(self, key: str) -> Numbers:
        """A matrix, or a row of it, that the scenario gives."""
        return np.atleast_2d(self.book.numbers(self.data[key]))

    def plus(self, values: Numbers, bias: str) -> Numbers:
        """Numbers and a bias, where there is one."""
        return values + self.said(bias) if bias in self.data else values

    def number(self, value: float) -> Any:
        return self.book.number(value)

    def numbers(self, values: Any) -> Numbers:
        return self.book.numbers(values)


Instead = Callable[[At], Numbers]
Said = Callable[[Record], Record]


def as_it_is(_data: Record) -> Record:
    return {}


@dataclass(frozen=True)
class Mistake:
    """What is done otherwise: what is made of quantities, by the ends of their names; what is thought
    to be said by the scenario (None is not at all); how matrices are multiplied."""

    instead: Mapping[str, Instead] = field(default_factory=dict)
    said: Said = as_it_is
    product: Callable[[Numbers, Numbers, int], Numbers] = lambda a, b, _places: a @ b
    ahead: tuple[str, ...] = ()
    """What all heads must have, before one of them is gone on with."""


NONE = Mistake()


class _Multiplied(Uses):
    """Numbers that a student multiplies as matrices."""

    student: Student | None

    def __array_finalize__(self, other: Any) -> None:
        self.student = getattr(other, "student", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **data: Any) -> Any:
        if ufunc is np.matmul and self.student is not None:
            return self.student.product(*map(drawn, inputs))
        return super().__array_ufunc__(ufunc, method, *inputs, **data)


@dataclass(frozen=True)
class Student(Hand):
    """Somebody who makes a mistake or a slip."""

    data: Record = field(default_factory=dict)
    mistake: Mistake = NONE
    slip: Slip | None = None
    full: dict[str, Array] = field(default_factory=dict)
    changed: dict[str, Array] = field(default_factory=dict)
    """What is written down otherwise than it would be rounded."""
    products: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    latest: list[tuple[Numbers, Numbers]] = field(default_factory=list)
    """What was multiplied since something was written down."""

    def makes(self, book: Book, name: str, values: Numbers, /) -> Numbers:
        """What is written down, with the mistake or the slip where one is."""
        full = book.path + name
        instead, place, star = _found(full, tuple(self.mistake.instead))
        if instead:
            self.latest.clear()
            values = self.mistake.instead[instead](At(self, book, place, star, values))
        values = self._slipped(book, full, values)
        self.full[full] = floats(values)
        return values

    def holds(self, values: Numbers) -> Numbers:
        """Numbers whose products are noticed."""
        held = values.view(_Multiplied)
        held.student = self
        return held

    def product(self, a: Numbers, b: Numbers) -> Numbers:
        """a b"""
        self.latest.append((a, b))
        return self.mistake.product(a, b, self.places)

    @property
    def places(self) -> int:
        return int(self.data["rounding"].get("decimals", PLACES))

    def _slipped(self, book: Book, full: str, values: Numbers) -> Numbers:
        slip = None if full in book.copies else self.slip
        slip = slip if slip is not None and slip.name == full else None
        if len(self.latest) == 1:
            a, b = self.latest[0]
            self.products[full] = floats(a), floats(b)
            if slip is not None and slip.of is not None:
                i, j = slip.row, slip.column
                values = values.copy()
                values[i, j] += slip.of(a[i], b[:, j]) - a[i] @ b[:, j]
        self.latest.clear()
        if slip is None or slip.change is None:
            return values
        written = rounded(floats(values))
        self.changed[full] = changed = slip.change(floats(values), written)
        return np.where(changed != written, book.numbers(np.round(changed, PLACES + 1)), values)


def sheet(
    data: Record,
    mistake: Mistake = NONE,
    *,
    seed: int | None = None,
    slip: Slip | None = None,
    way: str = "",
) -> Sheet:
    """What an author writes down. With a `seed` each number, each time that it is used, is taken in full,
    rounded, or rounded to a decimal or two more; with a `way` all is gone on with as it is rounded in
    that way; else all is kept in full."""
    said = {**data, **mistake.said(data)}
    said = {key: value for key, value in said.items() if value is not None}
    said["rounding"] = {**said.get("rounding", {}), "policy": "carry" if way else "exact"}
    if way == COARSE:
        said["rounding"]["decimals"] = PLACES - 1
    rounding, (rng, again) = WAYS.get(way, ROUND_HALF_UP), (_random(seed), _random(seed))
    student = Student(rounding, rng, (), said, mistake, slip)
    decimal, start = seed is not None, {}
    with localcontext() as context, np.errstate(all="ignore"):
        context.traps[InvalidOperation] = context.traps[DivisionByZero] = False
        if mistake.ahead:
            first = worked(said, Path(), decimal=decimal, hand=Hand(rounding, again))
            start = {name: x for name, x in first.pages.items() if _is_ahead(name, mistake)}
        book = worked(said, Path(), start, decimal=decimal, hand=student)
    full = {name: student.full[name] if way else floats(x) for name, x in book.pages.items()}
    written = {
        name: floats(book.pages[name]) if way else rounded(x, student.places)
        for name, x in full.items()
    }
    return Sheet(full, written | student.changed, student.products)


def _random(seed: int | None) -> Random | None:
    return None if seed is None else Random(seed)


def _is_ahead(name: str, mistake: Mistake) -> bool:
    path, _, local = name.rpartition(".")
    return path.startswith("heads[") and local in mistake.ahead


@cache
def _found(full: str, ends: tuple[str, ...]) -> tuple[str, str, str]:
    """The end that a name has, what comes before it, and what `*` is in it. That of a gradient says
    so itself."""
    for end in ends:
        own = re.escape(end).replace(re.escape("*"), "(.+)")
        found = re.fullmatch(rf"((?:(?!grad\.)[^.]+\.)*){own}", full)
        if found:
            return end, found[1], found[2] if "*" in end else ""
    return "", "", ""


def floats(values: Numbers) -> Array:
    made = np.array([float(x) for x in np.asarray(values).flat], dtype=np.float64)
    return made.reshape(values.shape)
