"""The numbers that a source prints, beside those that are worked here from the same inputs."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from attncli.maths.equations import deciding
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number
from attncli.maths.numbers import decimals
from attncli.names import Name, below
from attncli.scenario.file.address import Address, AddressError, Index, parse_address
from attncli.scenario.file.problems import Diagnostics, too_much
from attncli.scenario.published import Printed
from attncli.scenario.scenario import MOST_PUBLISHED, Scenario
from attncli.trace.quantity import Axis, Quantity, distinct_tokens
from attncli.trace.trace import Trace


class PublishedNumber(NamedTuple):
    """A number that the source prints for a cell, and the number worked here beside it."""

    quantity: Quantity
    row: int
    """The row and the column are counted from 0."""
    column: int
    theirs: Decimal
    ours: Number
    at: str = ""
    """Where in the source it is printed."""
    assumed: bool = False
    """Whether the source assumes the number instead of working it out."""

    @property
    def cell(self) -> tuple[Name, int, int]:
        """Returns the cell that the number is printed for: name, row and column."""
        return self.quantity.name, self.row, self.column

    @property
    def key(self) -> tuple[object, ...]:
        """Returns what tells this number from all others: its cell, its value and where it is
        printed. Verdicts have the same keys."""
        return self.cell, self.theirs, self.at

    @property
    def follows(self) -> bool:
        """Tells whether our number, rounded half away from zero to the decimals that the source
        prints, is the printed one. Under `carry` ours is rounded already; where it has fewer
        decimals than the source's, the value before rounding is taken."""
        places = decimals.places(self.theirs)
        ours = decimals.of_float(float(self.ours.full))  # without the noise of floats
        return self.theirs in (self.ours.shown, decimals.round_to(ours, places))

    @property
    def differs(self) -> bool:
        """Tells whether the source works the cell out to another number than ours."""
        return not (self.assumed or self.follows)


@lru_cache(maxsize=8)
def published_numbers(trace: Trace) -> tuple[PublishedNumber, ...]:
    """Lists the numbers that the source of a trace prints, in the order of the file. Raises
    ScenarioError that names every address which isn't in the trace."""
    _check_count(trace.scenario)
    problems = Diagnostics()
    ids = _ids(trace)
    found: list[PublishedNumber] = []
    for text, printed in trace.scenario.source.published.items():
        try:
            found += _numbers(trace, ids, text, printed)
        except AddressError as error:
            problems.add(trace.scenario.where(f"published.{text}"), error.wrong, error.right)
    problems.stop_if_any()
    return tuple(found)


def _check_count(scenario: Scenario) -> None:
    """Raises ScenarioError for more numbers than are compared without being asked for."""
    count = sum(len(printed.numbers) for printed in scenario.source.published.values())
    if count > MOST_PUBLISHED and not scenario.file.large:
        raise too_much(scenario.where("published"), f"{count:,} published numbers", "give fewer")


def _ids(trace: Trace) -> dict[str, Quantity]:
    """Returns the token IDs of each stack as quantities [n, 1], by their full names."""
    names = ((below(stack.path, "ids"), stack.text) for stack in trace.scenario.stacks)
    return {
        name: Quantity(
            name,
            Matrix.of_written([[Decimal(index)] for index in text.ids]),
            Axis(distinct_tokens(text.tokens), "Q"),
            Axis(()),
        )
        for name, text in names
        if text.ids
    }


def _numbers(
    trace: Trace, ids: Mapping[str, Quantity], text: str, printed: Printed
) -> list[PublishedNumber]:
    """Pairs the printed numbers of one entry with ours. Raises AddressError where the address, or
    the count of numbers, doesn't fit."""
    quantity, indices = quantity_at(trace, ids, parse_address(text))
    places = [
        axis.find(i, quantity.name)
        for axis, i in zip(_axes(quantity, indices), indices, strict=False)
    ]
    places = [0, *places] if quantity.is_vector and len(places) == 1 else places
    shape = quantity.matrix.shape if quantity.columns.names else quantity.matrix.shape[:1]
    free = shape[len(places) :]
    if _extents(free) != _extents(printed.shape):
        wrong = f"{_shape_in_words(printed.shape)} for {text}, which has {_shape_in_words(free)}"
        raise AddressError(wrong, "give all of them, row by row, or address a row or a cell")
    cells = product(*([place] for place in places), *map(range, free))
    return [
        PublishedNumber(quantity, i, j, theirs, _ours(trace, quantity, i, j, theirs), *printed[-2:])
        for (i, j), theirs in zip(((*cell, 0)[:2] for cell in cells), printed.numbers, strict=True)
    ]


def quantity_at(
    trace: Trace, ids: Mapping[str, Quantity], address: Address
) -> tuple[Quantity, tuple[Index, ...]]:
    """Finds the quantity that an address is in, which may be timed (`a[2]`), and the indices of a
    row or a cell in it. Raises AddressError."""
    from attncli.trace.quantity import meant, timed, unknown_name

    made = trace.quantities
    name, indices = timed(address, made)
    quantity = meant(name, ids) or meant(name, made)
    if quantity is None:
        raise unknown_name(name, [q.name for q in (*made.values(), *ids.values())])
    return quantity, indices


def _axes(quantity: Quantity, indices: Sequence[Index]) -> tuple[Axis, ...]:
    """Returns the axes that the indices run along. Raises AddressError for too many indices."""
    axes = (quantity.rows, quantity.columns)[: 1 if quantity.is_list else 2]
    if len(indices) > len(axes) or (indices and quantity.is_number):
        quantity.find(Address(quantity.name, tuple(indices)))
    return axes[1:] if quantity.is_vector and len(indices) == 1 else axes


def _extents(shape: Sequence[int]) -> list[int]:
    """Keeps the extents of a shape along which there is more than one number."""
    return [extent for extent in shape if extent > 1]


def _shape_in_words(shape: Sequence[int]) -> str:
    """Writes a shape in words: `1 number`, `3 numbers`, `2 rows of 3 numbers`."""
    numbers = "1 number" if shape[-1:] in ((), (1,)) else f"{shape[-1]} numbers"
    return f"{shape[0]} rows of {numbers}" if len(shape) > 1 else numbers


def _ours(trace: Trace, quantity: Quantity, i: int, j: int, theirs: Decimal) -> Number:
    """Returns our number of a cell, with as many decimals as the source's where it has more."""
    ours, places = quantity.number(i, j), decimals.places(theirs)
    if places <= decimals.places(ours.shown) or quantity.definition is None:
        return ours
    if not trace.rounding.carries:
        return Number(ours.full, decimals.shown(ours.full, places))
    operands = trace.operands(quantity.definition)
    try:
        form = quantity.definition.operation.cell(i, j, *operands)[-1]
        return Number.written(deciding.rounded(form, places))
    except (TypeError, ArithmeticError):  # a working that has no single value
        return ours
