"""Slips that are planted in one table, and what else would give the same number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.classroom.planted.sheet import Array, Sheet, Slip, rounded
from tests.oracle.numerals import Number, Numbers

CELLS = ("sign", "decimal_point", "digits_transposed", "term_left_out", "operand_misread")
FACTORS = ("other_factor_of_row", "dropout_on")
TABLES = ("row_and_column", "another_row", "other_decimals", *FACTORS)


def draw(kind: str, sheet: Sheet, names: list[str], rng: np.random.Generator) -> Slip | None:
    """A slip of a kind in one of some quantities; None where none can be made."""
    names = [name for name in names if np.isfinite(sheet.full[name]).all()]
    if kind in ("term_left_out", "operand_misread"):
        names = [name for name in names if name in sheet.products]
    if kind == "row_and_column":
        names = [name for name in names if len({*sheet.full[name].shape}) == 1]
    if kind in ("another_row", *FACTORS):
        names = [name for name in names if min(sheet.full[name].shape) > 1]
    if not names:
        return None
    name = str(rng.choice(names))
    i, j = (int(rng.integers(0, count)) for count in sheet.full[name].shape)
    if kind in ("term_left_out", "operand_misread"):
        return _in_product(kind, name, i, j, sheet, rng)
    return _in_table(kind, name, i, j, sheet, rng)


def _in_product(
    kind: str, name: str, i: int, j: int, sheet: Sheet, rng: np.random.Generator
) -> Slip:
    count = len(sheet.products[name][1])
    k, other = (int(x) for x in rng.choice(count, 2, replace=count < 2))

    def left_out(a: Numbers, b: Numbers) -> Number:
        made: Number = a @ b - a[k] * b[k]
        return made

    def misread(a: Numbers, b: Numbers) -> Number:
        made: Number = a @ b + (a[other] - a[k]) * b[k]
        return made

    return Slip(kind, name, i, j, of=left_out if kind == "term_left_out" else misread)


def _in_table(
    kind: str, name: str, i: int, j: int, sheet: Sheet, rng: np.random.Generator
) -> Slip | None:
    number = float(sheet.written[name][i, j])
    changed = {
        "sign": -number,
        "decimal_point": number * float(rng.choice([10.0, 0.1])),
        "digits_transposed": transposed(number, int(rng.integers(0, 3))),
    }
    k = int(rng.integers(0, len(sheet.full[name])))
    if kind == "another_row" and k == i:
        return None
    factor, kept = (
        float(rng.choice([0.3, 0.65, 2.6])),
        rng.random(sheet.full[name].shape) < 0.7,
    )

    def change(full: Array, written: Array) -> Array:
        if kind == "row_and_column":
            return written.T.copy()
        if kind == "other_decimals":
            return rounded(full, 2)
        if kind == "dropout_on":
            return rounded(full * kept * 2)
        made = written.copy()
        if kind == "other_factor_of_row":
            made[i] = rounded(full[i] * factor)
        elif kind == "another_row":
            made[i] = made[k]
        else:
            made[i, j] = changed[kind]
        return made

    return Slip(kind, name, i, j, change=change)


def factor_tells(slip: Slip, before: Array, written: Array, spread: Array) -> bool:
    """Whether so many numbers have one factor, each so nearly, that it isn't by chance."""
    rows = slice(slip.row, slip.row + 1) if slip.kind == "other_factor_of_row" else slice(None)
    x, right, off = (array[rows] for array in (written, before, spread))
    kept = (x != 0) & (np.abs(right) > 2 * off)
    dropped = (x == 0) & (np.abs(right) > 2 * off)
    shares = np.sort(2 * off[kept] / np.abs(right[kept]) + 1e-3 / np.abs(x[kept]))
    is_there = slip.kind != "dropout_on" or bool(dropped.any())
    return is_there and len(shares) > 1 and bool(shares[1:].prod() < 1e-3)


def transposed(number: float, at: int) -> float:
    """The number with two digits next to each other exchanged, counted from the end."""
    digits = [*f"{abs(number):.3f}".replace(".", "")]
    at = len(digits) - 2 - at
    digits[at], digits[at + 1] = digits[at + 1], digits[at]
    return float(np.copysign(int("".join(digits)) / 1000, number))


def likenesses(sheet: Sheet, slip: Slip) -> Iterator[tuple[str, float]]:
    """What a cell would be by each kind of slip."""
    name, i, j = slip.name, slip.row, slip.column
    number = float(sheet.written[name][i, j])
    yield "sign", -number
    yield from (("decimal_point", number * 10.0**k) for k in (-3, -2, -1, 1, 2, 3))
    yield from (("digits_transposed", transposed(number, k)) for k in range(3))
    if name not in sheet.products:
        return
    a, b = sheet.products[name]
    row, column = a[i], b[:, j]
    full = float(sheet.full[name][i, j])
    for k, term in enumerate(row * column):
        yield "term_left_out", full - term
        yield "sign_of_a_term", full - 2 * term
        yield from (("operand_misread", full + (x - row[k]) * column[k]) for x in a.flat)
        yield from (("operand_misread", full + (y - column[k]) * row[k]) for y in b.flat)
        for m in range(k):
            crossed = row[k] * column[m] + row[m] * column[k] - term - row[m] * column[m]
            yield "products_exchanged", full + crossed
