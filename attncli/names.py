"""Names: somebody's words (a token, a title, a sentence, the name of a file), and what quantities
and places in the model are called."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn


@dataclass(frozen=True)
class Word:
    """Somebody's own words in a document. To be printed, never obeyed.

    It is no text: it can't be joined to one or put into one, so that nobody prints it as it is by
    forgetting. `notation.escaping` makes a text of it that can be printed; `raw` is what it is as
    data.
    """

    raw: str

    def __str__(self) -> NoReturn:
        raise TypeError("a word is no text; notation.escaping makes one of it")

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("a word is no text; notation.escaping makes one of it")


@lru_cache(maxsize=64)
def words(texts: tuple[str, ...]) -> tuple[Word, ...]:
    """Each of somebody's texts as a word."""
    return tuple(map(Word, texts))


Phrase = tuple[str | Word, ...]
"""A text of ours with somebody's words in it."""


def phrase(text: str | Phrase) -> Phrase:
    """A text as one that may have somebody's words in it."""
    return (text,) if isinstance(text, str) else text


def raw(text: str | Word) -> str:
    """A word, or a text of ours, as data."""
    return text.raw if isinstance(text, Word) else text


def composed(text: str) -> str:
    """A name in the one form in which names are compared (NFC): `é` may be one character or two,
    as keyboards, systems and spreadsheets have it, and is the same name."""
    return unicodedata.normalize("NFC", text)


def raw_text(text: Phrase) -> str:
    """A text with somebody's words in it, as data."""
    return "".join(map(raw, text))


# --------------------------------------------------------------------------------------------------
# The names of quantities, and of places in the model: `layers[1].heads[2].weights`. A name is a
# value with parts. Its text is made of these once and for all, and never taken apart.

_set = object.__setattr__


class Name(str):
    """What something is called inside a place.

    `local` is what it is called there, without what counts it; `number` is that of a layer, a head
    or a rule, from 1, `time` that of a recurrent cell: by itself, `a[2]`, or because the place is
    of one, `gates[2].forget`. In formulas a time may be any, `t−1`.

    It is a text, the full name, by which anybody may look it up or print it.
    """

    __slots__ = ("_own_time", "_path", "local", "number", "time")

    _own_time: int | str | None
    _path: Name | None
    local: str
    number: int | None
    time: int | str | None

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
        """The place that it is in."""
        return TOP if self._path is None else self._path

    @property
    def places(self) -> tuple[Name, ...]:
        """The places that it leads through, from the outermost one to itself."""
        return (*self.path.places, self) if self else ()

    @property
    def alone(self) -> Name:
        """The last part of it: `a[2]` of `layers[1].a[2]`."""
        if self._path is None:
            return self
        return Name(self.local, None, self.number, self._own_time)

    def at(self, time: int | str | None) -> Name:
        """The same at a time, or at none; where only its place has a time, of that place then."""
        if self._own_time is None and self.path.time is not None:
            return Name(self.local, self.path.at(time), self.number)
        return Name(self.local, self._path, self.number, time)

    def inside(self, place: Name) -> bool:
        """Whether it is in a place, however deep; at the top is everything."""
        path = self.path
        while path and path != place:
            path = path.path
        return path == place

    def seen_from(self, place: Name) -> Name:
        """The name without what it has in common with a place.

        Seen from `layers[1].heads[2]`, `layers[1].heads[2].Q` is `Q` and `layers[1].X` is `X`.
        """
        while place and not self.inside(place):
            place = place.path
        return self._below(place)

    def under(self, place: Name) -> Name:
        """The same name inside a place, with its own path below that: `grad.layers[1].W_Q`."""
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
    """The name of something inside a place: `layers[1].norm1`."""
    return Name(local, path, number)
