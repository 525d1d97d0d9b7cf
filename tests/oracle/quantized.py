"""Absmax quantization (Dettmers et al. 2022, arXiv:2208.07339; in groups: arXiv:2212.09720)."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from tests.oracle.book import Book, Record
from tests.oracle.matrices import matrix
from tests.oracle.numerals import Number, each, round_half_away

_MOST = {"int8": 127, "int4": 7}


def _whole(x: Number) -> Number:
    """Halves go away from zero."""
    if isinstance(x, Decimal):
        return round_half_away(x, 0)
    return math.copysign(math.floor(abs(x) + 0.5), x)


def with_restored(book: Book, data: Record) -> Record:
    """The scenario with what comes back of the matrices that it stores in few bits."""
    made = dict(data)
    for name, said in data.get("quantized", {}).items():
        said = {"kind": said} if isinstance(said, str) else said
        W, most, place = matrix(book, data[name]), _MOST[said["kind"]], book.at(f"quantized.{name}")
        if "group" in said:
            group = int(said["group"])
            tops = np.abs(W).reshape(len(W), -1, group).max(axis=2)
            scale = place.keep("scale", tops / most)
            scale = place.copy("scales", np.repeat(scale, group, axis=1), step="quantize")
        else:
            scale = place.keep("scale", np.abs(W).max(keepdims=True) / most)
        whole = each(_whole, W / scale)
        whole = place.copy("whole", np.clip(whole, -most, most))
        made[name] = place.keep("restored", whole * scale)
        place.keep("error", made[name] - W)
    return made
