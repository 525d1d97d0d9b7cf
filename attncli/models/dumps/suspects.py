"""The search for the known bug of which a tensor comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import NamedTuple
from zlib import crc32

import numpy as np

from attncli.errors import UserError
from attncli.judging.verdicts import Cause
from attncli.judging.wrong_ways import WrongWay, between
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.numbers.rounding import Array, Flags
from attncli.maths.operations.operation import WholeNumbers
from attncli.models.dumps.bugs import KINDS, bugs
from attncli.models.dumps.floats import Floats, Lazily, Spread
from attncli.models.dumps.likenesses import BETTER
from attncli.models.dumps.swaps import of_another_configuration, with_its_own_ways
from attncli.names import Name
from attncli.steps.configurations import layer_around
from attncli.steps.mistakes import IMPOSSIBLE
from attncli.trace import Definition, LayerPlace, PlannedStep, Trace

_IMPOSSIBLE = (*IMPOSSIBLE, RecursionError)
"""What a bug raises that can't be made with these numbers or shapes, or only of itself."""
_FAR = 20.0
"""Times what rounding may come to: what is further off is another number."""
_EXPLAINED = 2.5
"""How far a tensor may be from what a bug gives, in standard deviations of what rounding does."""
_NO_CHANCE = float(np.log(1e6))
"""How much less likely a tensor must be by chance than by a bug, as a logarithm: some thousand bugs
are tried."""
_SAME = 1.0
"""How far apart the tensors of two bugs are at least, in these, to tell which of them it is."""
_ALIKE = 1e-9
"""How far apart numbers are at most that are worked by the same equation, written otherwise."""


class ExplainedTensor(NamedTuple):
    """A bug that gives a tensor."""

    way: WrongWay
    departing: int
    """How many other tensors the bug makes that don't follow otherwise."""
    remainder: float
    """How far the tensor is from what the bug gives, in standard deviations of what rounding
    does."""
    spread: Spread
    """What the bug gives of the tensor."""


def _how_far(found: ExplainedTensor) -> tuple[int, bool, int, int]:
    """Returns the key that sorts bugs which give the same: first what explains more, then what is
    left out, a setting before those inside it, and what changes less."""
    way = found.way
    is_other = not way.name.endswith("left_out")
    return -found.departing, is_other, way.setting.count("."), len(way.definitions)


class Hidden(NamedTuple):
    """A mistake that rounding hides."""

    way: WrongWay
    effect: float
    """How far the mistake moves a tensor, in multiples of what rounding does."""


_PLACES = 4
"""In how many places at most a mistake is tried, to tell whether it can be seen."""
SEEK = 10.0
"""Seconds that bugs are sought for by default."""


def check_seek(called: str, seconds: float) -> None:
    """Raises UserError for what is no time to seek for. The error begins with `called`, the name of
    the option or argument."""
    if not seconds >= 0:  # which nan isn't either
        raise UserError.of(f"{called}{seconds:g}", "no time", "give seconds, or 0 to seek nothing")


@dataclass
class Search:
    """A search for bugs, as long as there is time."""

    seconds: float = SEEK
    """How many seconds may be spent, in all."""
    clock: Callable[[], float] = monotonic
    spent: float = 0.0
    tried: int = 0
    """How many bugs were tried."""
    untried: int = 0
    """How many were left untried when the time was over."""
    ended_at: list[str] = field(default_factory=list)
    """The tensors for which not all was tried."""

    @property
    def is_over(self) -> bool:
        return self.spent >= self.seconds

    def each(self, ways: Sequence[WrongWay], name: str) -> Iterator[WrongWay]:
        """Yields the bugs to be tried on a tensor, as long as there is time."""
        for k, way in enumerate(ways):
            if self.is_over:
                self.untried += len(ways) - k
                self.ends_at(name)
                return
            self.tried += 1
            with self.counted():
                yield way

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Counts the time of the block as part of the search, which ends once its time is spent."""
        begun = self.clock()
        try:
            yield
        finally:
            self.spent += self.clock() - begun

    def ends_at(self, name: str) -> None:
        """Notes a tensor for which not all was tried."""
        if name not in self.ended_at:
            self.ended_at.append(name)


_FEW = 4
"""Rows of a tensor that a bug is tried on before all: it must give each."""


class _Rows(NamedTuple):
    """A few rows of a tensor that depart, on which bugs are tried first."""

    rows: tuple[int, ...]
    """The indices of the rows, from 0."""
    theirs: Array
    """The numbers of the tensor in these rows."""
    limit: Array
    """How near to each number a bug must come."""

    @classmethod
    @np.errstate(invalid="ignore")
    def of(cls, theirs: Array, follows: Enclosure, half: float) -> _Rows:
        """Takes the row that is furthest off, and others that depart."""
        limit = _limit(follows, half)
        off = np.nan_to_num(np.abs(theirs - follows.middle) / (limit + np.finfo(float).tiny))
        furthest = off.max(axis=1)
        some = np.argsort(-furthest, kind="stable")[: max(1, np.count_nonzero(furthest))]
        at = np.unique(np.linspace(0, len(some) - 1, _FEW).astype(int))
        rows = tuple(int(some[k]) for k in at)
        return cls(rows, theirs[list(rows)], limit[list(rows)])


@np.errstate(invalid="ignore")
def _limit(follows: Enclosure, half: float) -> Array:
    """Returns how far from each number of a tensor a bug may be at most."""
    slack = np.nan_to_num(follows.high - follows.low) + half
    return np.asarray(_FAR * (slack + slack.max() / _FAR))


@np.errstate(invalid="ignore")
def _within(value: Array, theirs: Array, limit: Array) -> bool:
    """Tells whether all numbers are so near to others, and infinite where these are."""
    far = np.abs(value - theirs) > limit
    return not (far | (np.isinf(value) != np.isinf(theirs))).any()


@dataclass(frozen=True)
class Suspects:
    """The bugs that a trace may have, tried on tensors that depart, as long as there is time."""

    trace: Trace
    floats: Floats
    theirs: Mapping[str, Array]
    search: Search = field(default_factory=Search)
    _known: dict[tuple[int, int], tuple[WrongWay, ...]] = field(default_factory=dict)
    _layers: dict[Name | None, tuple[WrongWay, ...]] = field(default_factory=dict)
    _rows: dict[str, _Rows] = field(default_factory=dict)

    def in_floats(self, floats: Floats) -> Suspects:
        """Returns the same bugs, made in other floats."""
        return replace(self, floats=floats, _rows={})

    def explaining(
        self, name: str, follows: Enclosure, off: Flags, kinds: int = len(KINDS)
    ) -> Iterator[list[ExplainedTensor]]:
        """Yields the bugs that give a tensor that departs, in a list for each of several kinds, the
        likeliest kind first."""
        for ways in self.leading_to(name, kinds):
            each = (self._explained(way, name, follows, off) for way in ways)
            yield [entry for entry in each if entry is not None]

    def causes(self, name: str, found: Sequence[ExplainedTensor]) -> tuple[Cause, ...]:
        """Returns the bugs that explain most of a tensor, with others that give the same numbers as
        far as rounding lets these be told apart, and no bug by two names."""
        best = min(found, key=lambda entry: (-entry.departing, entry.remainder))
        same = [e for e in found if best.spread.distance(e.spread.right) <= _SAME]
        same.sort(key=_how_far)
        ways: list[WrongWay] = []
        for way in (entry.way for entry in same):
            if not any(way.name == x.name or self._are_one(x, way, name) for x in ways):
                ways.append(way)
        return tuple(way.cause(name) for way in ways)

    def _are_one(self, way: WrongWay, other: WrongWay, name: str) -> bool:
        """Tells whether two bugs say the same: whatever numbers go in, the same tensor comes out.
        Two settings may agree by their values alone, unless one is a part of the other."""
        if set(way.definitions) == set(other.definitions):
            return True
        settings = sorted((way.setting, other.setting))
        if all(settings) and not settings[1].startswith(f"{settings[0]}."):
            return False
        try:
            a, b = (self._moved.otherwise(x.definitions).value(name) for x in (way, other))
        except _IMPOSSIBLE:
            return False
        return bool(np.allclose(a, b, rtol=_ALIKE, atol=_ALIKE, equal_nan=True))

    @cached_property
    def _moved(self) -> Floats:
        """Returns the working from other tensors than the implementation's, which differ in each
        number."""
        return Floats(self.trace, self.floats.grain, Lazily(self.theirs, self._moved_tensor))

    def _moved_tensor(self, name: str) -> Enclosure:
        theirs, definition = self.theirs[name], self.trace[name].definition
        if definition is not None and isinstance(definition.operation, WholeNumbers):
            return Enclosure.of(theirs)
        drawn = np.random.default_rng(crc32(name.encode())).normal(size=theirs.shape)
        finite = theirs[np.isfinite(theirs)]
        return Enclosure.of(theirs + drawn * (np.std(finite) if finite.size else 0.0))

    def _explained(
        self, way: WrongWay, name: str, follows: Enclosure, off: Flags
    ) -> ExplainedTensor | None:
        """Returns what a bug explains of a tensor, and None where that is no more than rounding
        does."""
        theirs, paths = self.theirs[name], self.floats.otherwise(way.definitions)
        if not self._is_near(paths, name, follows):
            return None
        try:
            if not self._gives(way, paths, name, follows, off):
                return None
            spread = paths.spread(name)
            made = sum(not self.floats.takes_all(x, self.theirs[x]) for x in self._made(way))
        except _IMPOSSIBLE:
            return None
        remainder = spread.distance(theirs)
        if remainder > _EXPLAINED or not self._is_no_chance(name, remainder):
            return None
        return ExplainedTensor(way, made, remainder, spread)

    def _is_no_chance(self, name: str, remainder: float) -> bool:
        """Tells whether a tensor has so many numbers, so far off, that none of the many bugs that
        are tried gives all of them by chance, as may happen in coarse floats."""
        if not self.floats.grain.is_coarse:
            return True
        theirs = self.theirs[name]
        times = self.floats.spread(name).distance(theirs) / max(remainder, 1.0)
        return bool(theirs.size * np.log(times) >= _NO_CHANCE)

    def _made(self, way: WrongWay) -> set[Name]:
        """Returns the tensors of the dump that a bug makes."""
        return {d.name for d in way.definitions if d.name in self.theirs}

    def leading_to(self, name: str, kinds: int) -> Iterator[Iterator[WrongWay]]:
        """Yields the bugs in making a quantity, or what lies between it and other tensors of the
        dump, the nearest first, in one iterator after another by how likely they are."""
        near = between(self.trace, name, self.theirs)
        parts = {id(part): part for text in near if (part := self.trace.part_of(text))}
        for kind in range(kinds):
            if self.search.is_over:
                self.search.ends_at(name)
                return
            ways = [way for part in parts.items() for way in self._of_part(*part, kind)]
            yield self.search.each([*ways, *_everywhere(ways)], name)
            if not kind and not self.search.is_over:
                with self.search.counted():
                    ways = self._configured(name, parts.values())
                yield self.search.each(ways, name)

    def _configured(self, name: str, parts: Iterable[PlannedStep]) -> list[WrongWay]:
        """Returns the bugs by which the layers of some parts, or what is outside of these, are
        configured otherwise, where that makes something between a tensor and others of the dump."""
        near = {*between(self.trace, name, self.theirs)}
        places: dict[Name | None, LayerPlace | None] = {}
        for part in parts:
            place = layer_around(self.trace, part)
            places[None if place is None else place.layer.path] = place
        ways = [
            way
            for path, place in places.items()
            for way in self._of_layer(path, place)
            if any(d.name in near for d in way.definitions)
        ]
        making = (way for way in ways if any(d.name == name for d in way.definitions))
        alone = (with_its_own_ways(way, name, self.theirs) for way in making)
        return [*ways, *filter(None, alone)]

    def _of_layer(self, path: Name | None, place: LayerPlace | None) -> tuple[WrongWay, ...]:
        if path not in self._layers:
            self._layers[path] = tuple(of_another_configuration(self.trace, place))
        return self._layers[path]

    def _of_part(self, key: int, part: PlannedStep, kind: int) -> tuple[WrongWay, ...]:
        if (key, kind) not in self._known:
            self._known[key, kind] = bugs(self.trace, part, kind)
        return self._known[key, kind]

    def _gives(
        self, way: WrongWay, paths: Floats, name: str, follows: Enclosure, off: Flags
    ) -> bool:
        """Tells whether a bug gives all of a tensor, and of others that it makes, and doesn't give
        just about anything."""
        theirs = self.theirs[name]
        if not all(paths.takes_all(x, self.theirs[x]) for x in self._shown(way, name, paths)):
            return False
        if self._spoils_another(paths, name):
            return False
        judged = paths.judged(name, theirs)
        if self.floats.grain.is_coarse:
            return judged.is_decided
        apart = np.where(off, _apart(theirs, follows), 0.0)
        furthest = np.unravel_index(int(apart.argmax()), apart.shape)
        with np.errstate(invalid="ignore"):
            wide = judged.follows.high[furthest] - judged.follows.low[furthest] > apart[furthest]
        return judged.is_decided and not wide

    def _spoils_another(self, paths: Floats, name: str) -> bool:
        """Tells whether another tensor departs with a bug that follows without it."""
        others = (x for x in self.theirs if x != name and paths.is_changed(x))
        return any(
            self.floats.takes_all(x, self.theirs[x]) and not paths.takes_all(x, self.theirs[x])
            for x in others
        )

    def hidden(self) -> tuple[Hidden, ...]:
        """Returns the mistakes with a name of their own that rounding hides wherever they were
        tried, each with the most that it does to a tensor."""
        most: dict[str, Hidden] = {}
        tried: Counter[str] = Counter()
        seen: set[str] = set()
        for name in self.theirs:
            for way in next(self.leading_to(name, 1), iter(())):
                if way.says in seen or tried[way.says] >= _PLACES:
                    continue
                effect = self._effect(way, name)
                if effect is None:
                    continue
                tried[way.says] += 1
                if effect > _EXPLAINED:
                    seen.add(way.says)
                elif effect >= most.get(way.says, Hidden(way, 0.0)).effect:
                    most[way.says] = Hidden(way, effect)
            self.floats.forget(between(self.trace, name, self.theirs))
        return tuple(entry for says, entry in most.items() if says not in seen)

    def _effect(self, way: WrongWay, name: str) -> float | None:
        """Returns how far a mistake moves a tensor, in multiples of what rounding does, and
        infinity where it would be seen. Returns None where it can't be made, or changes nothing."""
        try:
            other, spread = (
                self.floats.otherwise(way.definitions).value(name),
                self.floats.spread(name),
            )
        except _IMPOSSIBLE:
            return None
        if other.shape != spread.right.shape or np.array_equal(other, spread.right, equal_nan=True):
            return None
        return spread.distance(other) if spread.hides(other) else np.inf

    def _shown(self, way: WrongWay, name: str, paths: Floats) -> set[str]:
        """Returns the tensors that have to be what a bug gives: this one, those that it makes
        itself, and, where it is made in several heads, all that change with it."""
        made = {str(d.name) for d in way.definitions if d.name in self.theirs}
        heads = {d.name.path for d in way.definitions if d.name.path.local == "heads"}
        if len(heads) > 1:
            made |= {text for text in self.theirs if paths.is_changed(text)}
        return {name, *made}

    def _is_near(self, paths: Floats, name: str, follows: Enclosure) -> bool:
        """Tells whether a bug may give a tensor at all, which is known quickly."""
        theirs, half = self.theirs[name], self.floats.grain.half
        if not self._gives_some_rows(paths, name, follows):
            return False
        try:
            value = paths.value(name)
        except _IMPOSSIBLE:
            return False
        if value.shape != theirs.shape:
            return False
        right = self.floats.spread(name)
        left = right._replace(right=value).distance(theirs)
        if not np.isfinite(left) or left * BETTER > right.distance(theirs):
            return False
        return self.floats.grain.is_coarse or _within(value, theirs, _limit(follows, half))

    def _gives_some_rows(self, paths: Floats, name: str, follows: Enclosure) -> bool:
        """Tells whether a bug may give a few of the rows that depart, which is known more
        quickly."""
        theirs = self.theirs[name]
        if self.floats.grain.is_coarse or len(theirs) <= _FEW * _FEW:
            return True
        if name not in self._rows:
            self._rows[name] = _Rows.of(theirs, follows, self.floats.grain.half)
        rows = self._rows[name]
        try:
            value = paths.rows(name, rows.rows)
        except _IMPOSSIBLE:
            return True  # all of it is tried, which tells why
        return value.shape != rows.theirs.shape or _within(value, rows.theirs, rows.limit)


def _apart(theirs: Array, follows: Enclosure) -> Array:
    """Returns how far each number is from what follows [n, m]."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(theirs - follows.middle), nan=np.inf)


def _everywhere(ways: Iterable[WrongWay]) -> Iterator[WrongWay]:
    """Yields bugs that are made in all heads, or in all that they can be made in: in Q, K and V
    together, and in each of them."""
    alike: dict[tuple[str, str, int, str], dict[Definition, None]] = {}
    for way in ways:
        made = dict.fromkeys(way.definitions)
        for local in ("", way.definitions[0].name.local):
            alike.setdefault((way.name, way.says, way.variant, local), {}).update(made)
    seen: set[tuple[Definition, ...]] = set()
    for (name, says, variant, _), definitions in alike.items():
        together = tuple({d.name: d for d in definitions}.values())
        if len(together) == len(definitions) > 1 and together not in seen:
            seen.add(together)
            heads = {d.name.path for d in together if d.name.path.local == "heads"}
            everywhere = " It is so in all heads." if len(heads) > 1 else ""
            yield WrongWay(name, says + everywhere, together, variant=variant)
