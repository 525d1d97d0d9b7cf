"""The words that options and keys choose from, for those who must not wait for NumPy."""

from enum import IntEnum
from pathlib import Path
from typing import Literal

Policy = Literal["carry", "exact"]
POLICIES: tuple[Policy, Policy] = ("carry", "exact")
"""Rounding policies."""

DETAILS = ("summary", "rows", "full")
"""How closely a page tells its working."""

COST = "cost"
"""The detail that tells what a page's steps cost instead."""


class Pictures(IntEnum):
    """How many pictures a page has: none, one of a thing, or all that there are."""

    NONE = 0
    ONE = 1
    ALL = 2


BLANKS = ("results", "working", "all", "random")
"""What an exercise takes out of a page."""

KEYS = ("none", "embedded", "separate")
"""Where the key of an exercise goes."""

_FILES = (Path(__file__).parent / "document" / "languages").iterdir()
_OTHERS = sorted(file.stem for file in _FILES if file.suffix == ".json" and file.stem != "en")
LANGUAGES = ("en", *_OTHERS)
"""Languages of the words around an exercise: each is a file, and English the first."""

FLOATS = ("float64", "float32", "float16", "bfloat16")
"""The types of floats that numbers are kept in."""

PRECISIONS = (*FLOATS, "tf32")
"""What an implementation may have worked in: one of these, or float32 whose matrix products take
factors of 11 bits."""

Layout = Literal["compact", "lines", "pages"]
LAYOUTS: tuple[Layout, ...] = ("compact", "lines", "pages")
"""How much room an exercise leaves for the working."""

MOST_ROOM = 100
"""Lines that a question has room for, if their number is said."""

PaperSize = Literal["a4", "letter"]
PAPER_SIZES: tuple[PaperSize, ...] = ("a4", "letter")
"""What exercises are printed on."""
