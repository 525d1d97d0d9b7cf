"""The tensors at which an implementation departs from what follows from its own earlier ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from attncli.judging.verdicts import NOISE, Cause
from attncli.judging.wrong_ways import between
from attncli.maths.equations.enclosures import Enclosure, some_rows
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.masking import HIDING, Seen, as_seen
from attncli.maths.operations.operation import WholeNumbers
from attncli.models.dumps.bugs import KINDS
from attncli.models.dumps.floats import Floats, Judged, Lazily, fills, taken_by, tells_apart
from attncli.models.dumps.likenesses import likenesses
from attncli.models.dumps.suspects import SEEK, Hidden, Search, Suspects
from attncli.models.dumps.tensors import Dump, Misshapen
from attncli.scenario.file.dump_files import ROUNDOFFS
from attncli.trace import Quantity, Trace

Standing = Literal["agrees", "departs", "carried forward", "can't tell"]

_LITTLE = 1e-3
"""The share of what tells a number from a wrong one that float32 may be off by after many
operations in practice, whatever its bounds are."""


class Close(NamedTuple):
    """A tolerance, as that of numpy.allclose: |theirs − right| ≤ atol + rtol |right|."""

    rtol: float = 1e-5
    atol: float = 1e-8

    def around(self, right: Array) -> Enclosure:
        sizes = np.where(np.isfinite(right), np.abs(right), 0.0)  # -inf is near itself alone
        off = np.where(np.isfinite(right), self.atol + self.rtol * sizes, 0.0)
        return Enclosure(right - off, right + off)


_FREED = Enclosure.of(np.empty((0, 0)))


class Compared(NamedTuple):
    """A tensor of an implementation, compared with the quantity that it is."""

    name: str
    """The name of the quantity."""
    called: str
    """What the implementation calls the tensor."""
    theirs: Array
    quantity: Quantity
    value: Array
    """What follows, in full precision, from the implementation's own earlier tensors by the right
    working."""
    judged: Judged
    """How the tensor stands to that, as floats bring it. The bounds are freed where it agrees, or
    only carries forward what is wrong."""
    standing: Standing
    causes: tuple[Cause, ...] = ()
    """The bugs that give just this tensor, the likeliest first."""
    follows_from: tuple[str, ...] = ()
    """The earlier tensors that depart, from which this one is computed."""
    lower: str = ""
    """The type of floats that the tensor was computed in, if that is coarser than the one it is
    kept in."""

    @property
    def right(self) -> Array:
        """Returns what the tensor should be [n, m], which is worked out when it is first asked
        for."""
        return self.quantity.values

    @property
    def differences(self) -> Array:
        """Returns how far each number is from what follows [n, m]. What our own rounding does
        counts as 0."""
        return self._differences((slice(None), slice(None)))

    @property
    def off_by(self) -> float:
        """Returns how far the number is that is furthest from what follows."""
        i, j = self.largest
        return float(self._differences((slice(i, i + 1), slice(j, j + 1))).item())

    def _differences(self, cells: tuple[slice, slice]) -> Array:
        theirs, value = self.theirs[cells], self.value[cells]
        with np.errstate(invalid="ignore"):
            apart = np.abs(theirs - value)
            is_noise = (apart <= NOISE * np.abs(value)) & ~self.judged.off[cells]
        same = (theirs == value) | is_noise
        return np.where(same, 0.0, np.nan_to_num(apart, nan=np.inf))

    @property
    def largest(self) -> tuple[int, int]:
        """Finds the cell that is furthest from what follows, among those that depart if some do."""
        off, found, most = self.judged.off, (0, 0), -1.0
        is_off = off.any()
        for some in some_rows(*self.theirs.shape):
            differences = self._differences((some, slice(None)))
            among = np.where(off[some], differences, -1.0) if is_off else differences
            if among.max() > most:
                i, j = np.unravel_index(int(among.argmax()), among.shape)
                found, most = (some.start + int(i), int(j)), float(among.max())
        return found


@dataclass(frozen=True)
class Comparison:
    """A comparison of an implementation's tensors with a trace, in the order of the working."""

    trace: Trace
    """The right working, in full precision."""
    dump: Dump
    close: Close | None = None
    """A tolerance. With one, tensors are only compared by it, with the trace's own numbers."""
    seek: float = SEEK
    """For how many seconds bugs are sought."""

    @cached_property
    def search(self) -> Search:
        """Returns the search for bugs: how long it took, once all is compared, and what it left
        untried."""
        return Search(self.seek)

    @cached_property
    def floats(self) -> Floats:
        """Returns the working in floats, from the implementation's tensors."""
        return Floats(self.trace, self.dump.grain, Lazily(self.theirs, self._known))

    def _known(self, name: str) -> Enclosure:
        """Bounds a tensor as later steps may have taken it, before it was rounded. Whole numbers
        are exact."""
        definition, held = self.trace[name].definition, Enclosure.of(self.theirs[name])
        is_whole = definition is not None and isinstance(definition.operation, WholeNumbers)
        return held if is_whole else self.dump.grain.around(held)

    @cached_property
    def theirs(self) -> Mapping[str, Array]:
        """Returns the implementation's tensors, with −∞ for a large negative number that masks, and
        masks as ones and zeros."""
        return {name: self._with_infinities(name) for name in self.dump.tensors}

    def _with_infinities(self, name: str) -> Array:
        values = self.dump.tensors[name].values
        definition = self.trace[name].definition
        if definition is None or definition.step != "mask":
            return values
        if isinstance(definition.operation, Seen):
            return as_seen(values)
        return np.where(values <= HIDING, -np.inf, values)

    @cached_property
    def compared(self) -> tuple[Compared, ...]:
        """Returns each tensor compared, in the order of the working."""
        return tuple(map(self._close, self.theirs) if self.close else self._each())

    @property
    def first(self) -> Compared | None:
        """Returns the first tensor that departs, or None."""
        return self._first("departs")

    @property
    def lost(self) -> Compared | None:
        """Returns the first tensor of which nothing can be said, or None."""
        return self._first("can't tell")

    def _first(self, standing: Standing) -> Compared | None:
        return next((c for c in self.compared if c.standing == standing), None)

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        """Returns the known mistakes that couldn't be seen in such coarse floats."""
        if self.close is not None or not self.dump.grain.is_coarse:
            return ()
        return Suspects(self.trace, self.floats, self.theirs, self.search).hidden()

    @property
    def misshapen(self) -> tuple[Misshapen, ...]:
        """Returns the tensors that haven't the shape of what they are called, in the order of the
        working."""
        order = {name: k for k, name in enumerate(self.trace)}
        return tuple(sorted(self.dump.left_out.misshapen, key=lambda m: order[m.name]))

    def _close(self, name: str) -> Compared:
        """Compares a tensor with the trace's own numbers, by the tolerance."""
        assert self.close is not None
        theirs, right = self.theirs[name], self.trace[name].values
        follows = self.close.around(right)
        off = ~taken_by(follows, theirs)
        standing: Standing = "departs" if off.any() else "agrees"
        return Compared(
            name, self.dump.tensors[name].called, theirs, self.trace[name], right,
            Judged(follows, off, np.zeros_like(off)), standing,
        )  # fmt: skip

    def _each(self) -> Iterator[Compared]:
        wrong: set[str] = set()
        suspects = Suspects(self.trace, self.floats, self.theirs, self.search)
        leading = {name: {*between(self.trace, name, self.theirs)} for name in self.theirs}
        uses = Counter(x for names in leading.values() for x in names)
        for name, theirs in self.theirs.items():
            judged, value = self.floats.judged(name, theirs), self.floats.value(name)
            sources = tuple(s for s in self.sources(name) if s in wrong)
            compared = Compared(
                name, self.dump.tensors[name].called, theirs, self.trace[name], value, judged,
                "agrees",
            )  # fmt: skip
            compared = (
                self._departing(compared, suspects)
                if judged.departs
                else self._standing(compared, sources)
            )
            if compared.standing in ("departs", "carried forward"):
                wrong.add(name)
            is_plain = compared.standing in ("agrees", "carried forward")
            freed = compared.judged._replace(follows=_FREED)
            yield compared._replace(judged=freed) if is_plain else compared
            uses.subtract(leading[name])
            self.floats.forget(x for x in leading[name] if not uses[x])

    def _standing(self, compared: Compared, sources: tuple[str, ...]) -> Compared:
        """Returns the verdict on a tensor that doesn't depart from what follows."""
        follows = compared.judged.follows
        if not compared.judged.is_decided:
            return compared._replace(standing="can't tell")
        if not sources:
            return compared
        with np.errstate(invalid="ignore"):
            slack = np.nan_to_num(follows.high - follows.low)
            is_right = (np.abs(compared.theirs - compared.right) <= slack) | (
                compared.theirs == compared.right
            )
        if is_right.all():
            return compared
        return compared._replace(standing="carried forward", follows_from=sources)

    def _departing(self, compared: Compared, suspects: Suspects) -> Compared:
        """Returns the verdict on a tensor that departs. A known bug gives it, in floats of its type
        or in coarser ones; or coarser floats alone do; or it is only said what the tensor is
        like."""
        coarse = self._in_coarser(compared)
        compared = compared._replace(standing="departs")
        views = [(compared, suspects)]
        if coarse is None and self.seek:
            views += [self._seen_as(k, compared, suspects) for k in self._coarser(compared.theirs)]
        kinds = len(KINDS) if coarse is None else 1  # what floats explain is no rarer bug
        searches = (s.explaining(c.name, c.judged.follows, c.judged.off, kinds) for c, s in views)
        for found in zip(*searches, strict=False):  # until one is out of time
            each = [max((entry.departing for entry in some), default=-1) for some in found]
            k = each.index(max(each))
            if found[k]:
                seen, within = views[k]
                return seen._replace(causes=within.causes(seen.name, found[k]))
        return coarse or next((c for c in (self._like(v) for v, _ in views) if c.causes), compared)

    def _seen_as(
        self, kind: str, compared: Compared, suspects: Suspects
    ) -> tuple[Compared, Suspects]:
        """Compares a tensor with what follows in coarser floats. Returns it with the bugs made in
        these."""
        floats = self.floats.coarser(kind)
        judged = floats.judged(compared.name, compared.theirs)
        return compared._replace(judged=judged, lower=kind), suspects.in_floats(floats)

    def _like(self, compared: Compared) -> Compared:
        """Adds to a tensor that departs what it is like, if bugs are sought at all."""
        judged = compared.judged
        like = (
            likenesses(compared.theirs, compared.value, judged.follows, judged.off)
            if self.seek
            else ()
        )
        return compared._replace(causes=tuple(like))

    def _in_coarser(self, compared: Compared) -> Compared | None:
        """Returns the verdict on a tensor that coarser floats explain, and None where they
        don't."""
        for kind in self._coarser(compared.theirs):
            judged = self.floats.coarser(kind).judged(compared.name, compared.theirs)
            if judged.departs:
                continue
            coarse = compared._replace(judged=judged, lower=kind)
            if judged.is_decided:
                return coarse
            if (
                np.abs(compared.theirs - compared.value) <= _LITTLE * tells_apart(compared.value)
            ).all():
                return coarse._replace(standing="can't tell")
        return None

    def _coarser(self, theirs: Array) -> Iterator[str]:
        """Yields the types of floats that a tensor may have been computed in before it was kept in
        a finer one: float32 for float64, as in many norms and softmaxes, and a coarser one only
        where it can hold all numbers. Yields none where the type was stated."""
        own = self.dump.grain.type
        for kind in [] if self.dump.is_stated else ROUNDOFFS:
            if ROUNDOFFS[kind] > ROUNDOFFS[own] and (kind == "float32" or fills(kind, theirs)):
                yield kind

    def missing(self, name: str) -> list[str]:
        """Returns what lies between a tensor and those of the implementation that it is computed
        from, in the order of the working."""
        near = {*between(self.trace, name, self.theirs)} - {name}
        return [text for text in self.trace if text in near and not self.trace[text].given]

    def sources(self, name: str) -> list[str]:
        """Returns the tensors of the implementation that one is computed from, in the order of the
        working."""
        made = (self.trace[x].definition for x in between(self.trace, name, self.theirs))
        found = {operand for d in made if d is not None for operand in d.operands}
        return [text for text in self.theirs if text in found]
