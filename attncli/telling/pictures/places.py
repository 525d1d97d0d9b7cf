"""What pictures are called."""

from __future__ import annotations

from attncli.telling.parts import place_in_words
from attncli.trace import PlannedStep, Quantity
from attncli.word import Word


def cut(shown: int, of: int, things: str, which: str = "first") -> str:
    """What a title says of a picture that shows some of many: `, the first 12 of 40 queries`."""
    return "" if shown >= of else f", the {which} {shown} of {of} {things}"


def called(part: PlannedStep, title: str) -> str:
    """A title with the place that a picture is of, where there are several."""
    place = place_in_words(part.path)
    return f"{title} ({place})" if place else title


def called_by(part: PlannedStep, title: str, quantity: Quantity, i: int) -> Word:
    """A title with the address of the row that a picture is of in the place of `{}`."""
    row = f"{part.place.here(quantity.name)}{quantity.inside(i)}"
    return Word(called(part, title.format(row)))
