"""Names: somebody's words (tokens, titles, names of files), and those of quantities and places.

The names of quantities, and of places in the model: `layers[1].heads[2].weights`. A name is a value
with parts. Its text is made of these once and for all, and never taken apart.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn


@dataclass(frozen=True)
class Word:
    """Somebody's own words in a document, to be printed and never obeyed.

    A word is no string and can't be joined to one or put into one, so that nobody prints it
    unescaped by accident. `notation.escaping` turns it into a string that can be printed; `raw` is
    the word as data.
    """

    raw: str

    def __str__(self) -> NoReturn:
        raise TypeError("a word is no text; notation.escaping makes one of it")

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("a word is no text; notation.escaping makes one of it")


@lru_cache(maxsize=64)
def words(texts: tuple[str, ...]) -> tuple[Word, ...]:
    """Wraps each of somebody's texts as a word."""
    return tuple(map(Word, texts))


WordedText = tuple[str | Word, ...]
"""A text of ours with somebody's words in it."""


def worded(text: str | WordedText) -> WordedText:
    """Wraps a plain text as one with words; returns one that has them as it is."""
    return (text,) if isinstance(text, str) else text


def raw(text: str | Word) -> str:
    """Returns a word, or a text of ours, as data."""
    return text.raw if isinstance(text, Word) else text


def composed(text: str) -> str:
    """Normalizes a name to the one form in which names are compared (NFC).

    `é` may be one character or two, depending on keyboard, system and spreadsheet, and is the same
    name.
    """
    return unicodedata.normalize("NFC", text)


def raw_text(text: WordedText) -> str:
    """Joins a text with somebody's words in it to one string, as data."""
    return "".join(map(raw, text))


_set = object.__setattr__


class Name(str):
    """The name of a quantity, or of a place in the model, made of parts:
    `layers[1].heads[2].weights`.

    It is a string, the full name, by which it can be looked up and printed.
    """

    __slots__ = ("_own_time", "_path", "local", "number", "time")

    _own_time: int | str | None
    _path: Name | None
    local: str
    """What it is called in its place, without a number or a time: `heads`."""
    number: int | None
    """The number of a layer, a head or a rule, from 1."""
    time: int | str | None
    """The step of a recurrent cell, its own (`a[2]`) or that of its place (`gates[2].forget`). In a
    formula it may be a text, `t−1`."""

    def __new__(
        cls,
        local: str,
        path: Name | None = None,
        number: int | None = None,
        time: int | str | None = None,
    ) -> Name:
        count = number if time is None else time
        text = local if count is None else f"{local}[{count}]"
        name = super().__new__(cls, f"{path}.{text}" if path else text)
        _set(name, "_path", path or None)
        _set(name, "local", local)
        _set(name, "number", number)
        _set(name, "time", path.time if path and time is None else time)
        _set(name, "_own_time", time)
        return name

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        raise AttributeError(f"{self}: names don't change")

    def __reduce__(self) -> tuple[type[Name], tuple[object, ...]]:
        return Name, (self.local, self._path, self.number, self._own_time)

    @property
    def path(self) -> Name:
        """Returns the place that it is in, TOP for a name without one."""
        return TOP if self._path is None else self._path

    @property
    def places(self) -> tuple[Name, ...]:
        """Lists the places on the way to it, from the outermost one to itself."""
        return (*self.path.places, self) if self else ()

    @property
    def alone(self) -> Name:
        """Returns its last part: `a[2]` of `layers[1].a[2]`."""
        if self._path is None:
            return self
        return Name(self.local, None, self.number, self._own_time)

    def at(self, time: int | str | None) -> Name:
        """Returns the same name at another time, or at none. Where only its place has a time, that
        is the one replaced."""
        if self._own_time is None and self.path.time is not None:
            return Name(self.local, self.path.at(time), self.number)
        return Name(self.local, self._path, self.number, time)

    def inside(self, place: Name) -> bool:
        """Tells whether it lies in a place, however deep; everything lies in TOP."""
        path = self.path
        while path and path != place:
            path = path.path
        return path == place

    def seen_from(self, place: Name) -> Name:
        """Leaves out what the name has in common with a place.

        Seen from `layers[1].heads[2]`, `layers[1].heads[2].Q` is `Q` and `layers[1].X` is `X`.
        """
        while place and not self.inside(place):
            place = place.path
        return self._below(place)

    def under(self, place: Name) -> Name:
        """Moves the name into a place, with its own path below that: `grad.layers[1].W_Q`."""
        path = self.path.under(place) if self.path else place
        return Name(self.local, path, self.number, self._own_time)

    def _below(self, place: Name) -> Name:
        if not place:
            return self
        path = None if self.path == place else self.path._below(place)
        return Name(self.local, path, self.number, self._own_time)


TOP = Name("")
"""The place that everything is in, which isn't printed."""
GRADIENTS = Name("grad")
"""The place of all gradients: ∂loss/∂W_Q is `grad.W_Q`, in mathematics ∂W_Q."""


def below(path: Name, local: str, number: int | None = None) -> Name:
    """Makes the name of something inside a place: `layers[1].norm1`."""
    return Name(local, path, number)
