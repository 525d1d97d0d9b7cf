"""What pictures are called."""

from __future__ import annotations

from attncli.telling.parts import place_in_words
from attncli.trace import PlannedStep, Quantity
from attncli.word import Word


def called(part: PlannedStep, title: str) -> str:
    """A title with the place that a picture is of, where there are several."""
    place = place_in_words(part.path)
    return f"{title} ({place})" if place else title


def called_by(part: PlannedStep, title: str, quantity: Quantity, i: int) -> Word:
    """A title with the address of the row that a picture is of in the place of `{}`."""
    row = f"{part.place.here(quantity.name)}{quantity.inside(i)}"
    return Word(called(part, title.format(row)))
