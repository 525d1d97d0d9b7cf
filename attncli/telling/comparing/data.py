"""A comparison as data, for formats that keep data."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from attncli.telling.comparing.compared import ComparedTraces
from attncli.telling.comparing.pairs import Pair, PairedCell

if TYPE_CHECKING:
    from attncli.telling.comparing.drift import Drift

MOST = 1000
"""Cells of a quantity that are kept as data."""


def data_of(told: ComparedTraces, drift: Drift | None) -> dict[str, Any]:
    first = told.first
    return {
        "first": told.own.called,
        "second": told.other.called,
        "changed": [
            {"key": one.key, "first": one.own or None, "second": one.other or None}
            for one in told.changed
        ],
        "first_difference": None if first is None else _cell(*first),
        "quantities": [_pair(told, pair) for pair in told.pairs],
        "only": {"first": [*told.only[0]], "second": [*told.only[1]]},
        "nothing_in_common": [*told.apart],
        **({} if drift is None else {"drift": _drift(drift)}),
    }


def _pair(told: ComparedTraces, pair: Pair) -> dict[str, Any]:
    names = {"first": pair.own.name, "second": pair.other.name}
    shown = {*told.rows(pair)}
    differing = ((k, m) for k, m in pair.differing() if k in shown)
    return {
        **names,
        "compared": len(shown) * len(pair.columns),
        "differ": int(pair.differs[[*shown]].sum()),
        "cells": [_cell(pair, pair.cell(k, m)) for k, m in islice(differing, MOST)],
    }


def _cell(pair: Pair, cell: PairedCell) -> dict[str, Any]:
    own, other = (float(value) for value in pair.values(cell))
    address = pair.own.address(*cell.own)
    elsewhere = pair.other.address(*cell.other)
    other_cell = {} if elsewhere == address else {"second_cell": elsewhere}
    return {"cell": address, **other_cell, "first": _finite(own), "second": _finite(other)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _drift(drift: Drift) -> dict[str, Any]:
    first, worst = drift.first, drift.worst
    return {
        "begins": None if first is None else first.address,
        "worst": None if worst is None else worst.address,
        "cells": [
            {**_cell(one.pair, cell), "units": float(one.units[k, m])}
            for one in drift.pairs
            for k, m in one.told(every=drift.told.detail == "full")[:MOST]
            for cell in (one.pair.cell(k, m),)
        ],
    }
