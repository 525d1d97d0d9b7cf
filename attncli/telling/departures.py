"""The report on a dump: where an implementation first departs, and which bug that looks like."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import compress

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.document import (
    Block,
    Bullets,
    Document,
    Facts,
    Note,
    Prose,
    Section,
    Spans,
    Term,
    Working,
)
from attncli.marking.dumps.departures import Compared, Comparison, Standing
from attncli.notation.plain import MINUS
from attncli.telling.sentences import counted, joined
from attncli.telling.tables import table
from attncli.telling.working import cell_line
from attncli.trace import Trace
from attncli.word import Word

SIGNS: Mapping[Standing, str] = {"agrees": "✓", "departs": "✗", "carried forward": "→"}
_MOST_CELLS = 6
_MOST_TENSORS = 500
_BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
_DIGITS = {"float64": 12, "float32": 7, "float16": 4, "bfloat16": 3}


def report(comparison: Comparison, dump: str) -> Document:
    """The page: the first departure, its cause, all that depart, every tensor."""
    trace, first = comparison.trace, comparison.first
    sections: list[Section] = []
    if first is not None:
        sections = [
            Section("", None, ("Where it departs first",), (), (*_first(comparison, first),)),
            Section("", None, ("What it looks like",), (), (*_causes(first),)),
        ]
        sections += _others(comparison)
    sections.append(Section("", None, ("Every tensor",), (), _tensors(comparison)))
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        Facts(tuple(_facts(comparison, dump))),
        closing=(Note(in_short(comparison)),),
        data=_data(comparison),
    )


def _facts(comparison: Comparison, name: str) -> Iterator[tuple[str, Spans]]:
    dump = comparison.dump
    called = {one.called for one in dump.tensors.values()}
    read = f", {counted(len(called), 'tensor')} taken for {counted(len(dump.tensors), 'quantity')}"
    yield "Dump", (Word(name), read.replace("quantitys", "quantities"))
    known = f"{dump.type}, {_BITS[dump.type]} bits"
    if dump.grain.half:
        known += f", written with {round(-math.log10(2 * dump.grain.half))} decimals"
    yield "Numbers", (f"{known}: what this rounding makes of the working is no departure",)
    if dump.unknown:
        words = joined((Word(one),) for one in dump.unknown[:_MOST_CELLS])
        more = len(dump.unknown) - _MOST_CELLS
        yield "Left out", (*words, f" and {more} more" if more > 0 else "", ": no name known here")


def in_short(comparison: Comparison) -> Spans:
    """`heads[1].scaled departs first, and looks like not_scaled.`"""
    first = comparison.first
    if first is None:
        return (f"All of the {counted(len(comparison.compared), 'tensor')} follow.",)
    cause = first.causes[0].name if first.causes else ""
    like = (", and looks like ", Term(cause), ".") if cause else ("; no known bug gives it.",)
    return (Term(first.name), " departs first", *like)


def _first(comparison: Comparison, one: Compared) -> Iterator[Block]:
    trace, digits = comparison.trace, _DIGITS[comparison.dump.type]
    off = int(one.off.sum())
    called = () if one.called == one.name else (" (", Word(one.called), " in the dump)")
    from_what = "given" if trace[one.name].given else "worked from the tensors before it"
    yield Prose(
        (
            Term(one.name), *called, f" is the first that isn't what it should be, {from_what}: ",
            f"{off} of its {counted(one.off.size, 'number')} "
            f"{'departs' if off == 1 else 'depart'}.",
        )
    )  # fmt: skip
    yield table(_HEADINGS, _worst(trace, one, digits))
    yield from _working(comparison, one)


_HEADINGS = ("Cell", "In the dump", "Follows", "Difference")


def _worst(trace: Trace, one: Compared, digits: int) -> list[tuple[Word | str, ...]]:
    """The cells that are furthest off."""
    differences = one.differences
    cells = sorted(
        ((int(i), int(j)) for i, j in zip(*one.off.nonzero(), strict=True)),
        key=lambda cell: -differences[cell],
    )
    quantity = trace[one.name]
    return [
        (
            Word(quantity.address(*cell)),
            number(float(one.theirs[cell]), digits),
            number(float(one.follows.middle[cell]), digits),
            number(float(differences[cell]), 3),
        )
        for cell in cells[:_MOST_CELLS]
    ]


def _working(comparison: Comparison, one: Compared) -> Iterator[Block]:
    """The right working of the cell that is furthest off, of their own tensors."""
    quantity = comparison.trace[one.name]
    if quantity.definition is None or quantity.definition.operation.copies:
        return
    own = [name for name in quantity.definition.operands if name in comparison.theirs]
    if any(not all(map(math.isfinite, comparison.theirs[name].flat)) for name in own):
        return
    part = comparison.trace.part_of(one.name)
    if part is None:
        return
    theirs: dict[str, Array] = {name: _short(comparison.theirs[name]) for name in own}
    try:
        trace = comparison.trace.within(part).replay(theirs)
    except (ValueError, ArithmeticError):
        return
    yield Prose(("The right working of the first of these, from the tensors before:",))
    yield Working((cell_line(trace, trace[one.name], *one.largest),))


def _short(values: Array) -> Array:
    """Numbers with six digits, as one works with them on a page."""
    return np.array([[float(f"{x:.6g}") for x in row] for row in values])


def _causes(one: Compared) -> Iterator[Block]:
    if not one.causes:
        yield Prose(("No bug that is known here gives these numbers.",))
        return
    yield Bullets((_cause(one, 0),))
    if len(one.causes) > 1:
        yield Prose(("These give the same numbers, so that they can't be told apart:",))
        yield Bullets(tuple(_cause(one, k) for k in range(1, min(len(one.causes), _MOST_CELLS))))


def _cause(one: Compared, k: int) -> Spans:
    cause = one.causes[k]
    made = (", in ", Term(cause.quantity)) if cause.quantity else ()
    return (Term(cause.name), *made, ": ", cause.says)


def _others(comparison: Comparison) -> Iterator[Section]:
    """What departs besides, which doesn't follow from the first."""
    departing = [one for one in comparison.compared if one.standing == "departs"][1:]
    if departing:
        rows = ((Word(one.name), Word(one.called), _looks_like(one)) for one in departing)
        found = table(("Quantity", "In the dump", "Looks like"), rows, _MOST_TENSORS)
        says = "These don't follow from the tensors before them either."
        yield Section("", None, ("What else departs",), (), (Prose((says,)), found))


def _looks_like(one: Compared) -> str:
    return one.causes[0].name if one.causes else "nothing known"


def _tensors(comparison: Comparison) -> tuple[Block, ...]:
    rows = [
        (
            SIGNS[one.standing],
            Word(one.name),
            Word(one.called) if one.called != one.name else "",
            number(float(one.differences[one.largest]), 3),
            Word(one.follows_from[0]) if one.follows_from else "",
        )
        for one in comparison.compared
    ]
    headings = ("", "Quantity", "In the dump", "Off by", "Follows from")
    kept = [True, True, *(any(row[k] for row in rows) for k in (2, 3, 4))]
    told = table(
        tuple(compress(headings, kept)), (tuple(compress(row, kept)) for row in rows), _MOST_TENSORS
    )
    known = {one.standing for one in comparison.compared}
    legend = (f"{SIGNS[name]} {says}" for name, says in _MEANING.items() if name in known)
    return told, Prose((f"{'; '.join(legend)}. Off by: from what follows from the dump itself.",))


_MEANING: Mapping[Standing, str] = {
    "agrees": "agrees",
    "departs": "departs from what follows from the tensors before it",
    "carried forward": "is carried forward: another number, which follows from one that departs",
}


def number(value: float, digits: int) -> str:
    """A float with so many digits, as it is printed."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else f"{MINUS if value < 0 else ''}∞"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 10.0**digits:  # noqa: PLR2004
        told = f"{value:.{digits}g}"
    else:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        told = f"{float(mantissa):g}e{int(exponent)}"
    return told.replace("-", MINUS)


def _data(comparison: Comparison) -> dict[str, object]:
    first = comparison.first
    standings = [one.standing for one in comparison.compared]
    return {
        "type": comparison.dump.type,
        "first": None if first is None else _tensor_data(comparison.trace, first),
        "tensors": [_tensor_data(comparison.trace, one) for one in comparison.compared],
        "unknown": list(comparison.dump.unknown),
        "counts": {standing: standings.count(standing) for standing in SIGNS},
    }


def _tensor_data(trace: Trace, one: Compared) -> dict[str, object]:
    i, j = one.largest
    cells = [
        {
            "cell": trace[one.name].address(int(a), int(b)),
            "given": _finite(float(one.theirs[a, b])),
            "expected": _finite(float(one.right[a, b])),
            "accepted": [_finite(float(end[a, b])) for end in one.follows],
        }
        for a, b in zip(*one.off.nonzero(), strict=True)
    ]
    causes = [
        {"name": cause.name, "says": cause.says, "quantity": cause.quantity or one.name}
        for cause in one.causes
    ]
    return {
        "quantity": one.name,
        "called": one.called,
        "verdict": one.standing,
        "largest": {
            "cell": trace[one.name].address(i, j),
            "difference": _finite(float(one.differences[i, j])),
        },
        "cells": cells,
        "cause": causes[0] if causes else None,
        "others": causes[1:],
        "follows_from": list(one.follows_from),
    }


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
