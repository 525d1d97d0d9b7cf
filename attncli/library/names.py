"""Names as people write them: full ones, and short ones where only one quantity can be meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import NamedTuple

from attncli.name import Name
from attncli.refusals import listed, shortened
from attncli.trace.quantity import meant, unknown_name

_PLACE = r"(.*?)(?:\[(\d+|\*)\])?"


class UnknownNameError(KeyError):
    """A name that nothing has, or that several things may be meant by."""

    def __str__(self) -> str:
        return str(self.args[0])


class CountedPlace(NamedTuple):
    """A place in a name, and what counts it: the layer, the head or the time; None where nothing
    does, or where all are meant."""

    local: str
    number: int | None


class TraceNames:
    """The names of a trace; `lists` are those of what isn't worked, such as `tokens`, `missing` is
    what those wait for that were planned and not made."""

    def __init__(
        self, known: Mapping[str, Name], lists: Sequence[Name], missing: Mapping[str, str]
    ) -> None:
        self.missing = missing
        self.known: Mapping[str, Name] = {**known, **{str(name): name for name in lists}}

    def find(self, text: str) -> Name | None:
        """The full name that is meant, if there is exactly one."""
        found = self.known.get(text) or meant(text, self.known)
        short = () if found else self._ending_so(text)
        return short[0] if len(short) == 1 else found

    def full(self, text: str) -> Name:
        """The same. Raises UnknownNameError."""
        found = self.find(text)
        if found is None:
            raise UnknownNameError(self._complaint(text))
        return found

    def _complaint(self, text: str) -> str:
        several = self._ending_so(text) or [name for name, _ in self._alike(_places(text))]
        if several:
            way = f'say which, or stacked("{text}") for all of them as one array'
            return f"{text} may be {listed(several, ' or ')}: {way}"
        if text in self.missing:
            return f"{text} wasn't made: the scenario gives no {self.missing[text]}"
        near = self._nearest(text)
        if near is None:
            return str(unknown_name(text, self.known.values()))
        return f"this trace has no quantity {shortened(text)}; did you mean {near}?"

    def _nearest(self, text: str) -> str | None:
        """The name whose last part is like that of a mistyped one, if any is."""
        ends = {last.casefold(): names for last, names in self._by_last.items()}
        like = get_close_matches(text.rpartition(".")[2].casefold(), ends, n=1)
        return get_close_matches(text, ends[like[0]], n=1, cutoff=0)[0] if like else None

    def _ending_so(self, text: str) -> Sequence[Name]:
        """The names that have all places of a short one: `layers[2].heads[1].Q` of `heads[1].Q`."""
        wanted = text.split(".")
        return [
            name
            for name in self._by_last.get(wanted[-1], ())
            if _in_order(wanted, [place.alone for place in name.places])
        ]

    @cached_property
    def _by_last(self) -> Mapping[str, Sequence[Name]]:
        found: dict[str, list[Name]] = {}
        for name in self.known.values():
            found.setdefault(name.alone, []).append(name)
        return found

    def stack(self, text: str) -> tuple[tuple[int, ...], Sequence[Name]]:
        """The names that differ only in what counts their places, such as layers and heads, and how
        many there are of each; those that `text` counts are fixed. Raises UnknownNameError."""
        wanted = _places(text)
        found: dict[tuple[str, ...], dict[tuple[int, ...], Name]] = {}
        for name, counts in self._alike(wanted):
            found.setdefault(tuple(place.local for place in name.places), {})[counts] = name
        groups = [group for group in found.values() if () not in group] or [*found.values()]
        if not groups:
            name = self.full(text)
            return (), [name]
        if len(groups) > 1:
            firsts = [next(iter(group.values())) for group in groups]
            raise UnknownNameError(f"{text} may be {listed(firsts, ' or ')}: say more of the name")
        return _grid(text, groups[0])

    def _alike(self, wanted: Sequence[CountedPlace]) -> Iterator[tuple[Name, tuple[int, ...]]]:
        """The names that have the places wanted, with the counts that these leave open."""
        for name in self.known.values():
            if name.local == wanted[-1].local:
                counts = _open_counts(wanted, [_counted(place) for place in name.places])
                if counts is not None:
                    yield name, counts


def _in_order(wanted: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(one in rest for one in wanted)


def _places(text: str) -> list[CountedPlace]:
    """The places of a short name; any number is `[*]`, or left out."""
    matches = (re.fullmatch(_PLACE, part, re.DOTALL) for part in text.split("."))
    parts = (match.groups() for match in matches if match is not None)
    return [
        CountedPlace(local, int(count) if (count or "*") != "*" else None) for local, count in parts
    ]


def _counted(place: Name) -> CountedPlace:
    alone = place.alone
    count = alone.time if alone.number is None else alone.number
    return CountedPlace(alone.local, count if isinstance(count, int) else None)


def _open_counts(
    wanted: Sequence[CountedPlace], whole: Sequence[CountedPlace]
) -> tuple[int, ...] | None:
    """The counts of a whole name that the places wanted leave open; None if it doesn't have these
    in this order."""
    waiting, found = [*wanted], list[int]()
    for place in whole:
        if (
            waiting
            and place.local == waiting[0].local
            and waiting[0].number in (None, place.number)
        ):
            fixed = waiting.pop(0).number is not None
        else:
            fixed = False
        found += [place.number] if place.number is not None and not fixed else []
    return None if waiting else tuple(found)


def _grid(text: str, group: Mapping[tuple[int, ...], Name]) -> tuple[tuple[int, ...], list[Name]]:
    """The names row by row, and the extents. Raises UnknownNameError where some aren't there."""
    counts = [sorted(set(along)) for along in zip(*group, strict=True)]
    extents = tuple(map(len, counts))
    whole = 1
    for extent in extents:
        whole *= extent
    if len(group) < whole:
        wrong = f"{text}: only {listed(group.values())} are there"
        raise UnknownNameError(f"{wrong}, which fill no array; say more of the name")
    return extents, [group[key] for key in sorted(group)]
