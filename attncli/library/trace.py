"""A trace as a program has it: a mapping of quantities, its steps, its page in a notebook.

`work` gives it. A page is told and rendered when something asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, Self, Unpack, overload

import numpy as np

from attncli import pipeline
from attncli.commands.renderings import text_of
from attncli.document.blocks import Document, text_of_spans
from attncli.errors import listed, shortened
from attncli.library.notebook import Binary, Showable, ShownPart, as_arguments, rendered
from attncli.library.quantity import WorkedQuantity, shown_of
from attncli.maths.notation import plain
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.maths.numbers.rounding import AnyArray, Array
from attncli.maths.operations.masking import Seen, as_seen
from attncli.names import Name
from attncli.pages.parts.sections import formulas_at
from attncli.pages.parts.selection import (
    Selection,
    check_lines,
    made_by,
    place_in_words,
    select,
    shown_parts,
    title_of,
)
from attncli.pages.parts.working import working_of
from attncli.pages.walkthrough import walkthrough
from attncli.pipeline.trees import Source
from attncli.scenario.file.address import Address, parse_address
from attncli.scenario.scenario import Scenario
from attncli.trace import PlannedStep, Quantity, Trace
from attncli.trace.quantity import meant, unknown_name
from attncli.trace.trace import NumbersLike, TokenList, token_lists

if TYPE_CHECKING:
    from attncli.commands.renderings import PagePart
    from attncli.document.blocks import Document
    from attncli.library.quantity import WorkedQuantity


_SHOWN_STEPS = 4
"""Quantities that are told of a step where that is to be short."""


@dataclass(frozen=True, eq=False, repr=False)
class WorkedStep(Showable):
    """A step at one place of the model; `number` is that on the page, from 1."""

    trace: WorkedTrace
    number: int
    part: PlannedStep

    @property
    def name(self) -> str:
        """Returns what `attn list steps` calls it: `softmax`."""
        return self.part.called

    @property
    def path(self) -> Name:
        """Returns where it is taken: `layers[1].heads[2]`; empty where there is only one such
        place."""
        return self.part.path

    @property
    def place(self) -> str:
        """Returns its path in words: `Layer 1 · Head 2`."""
        return place_in_words(self.path)

    @property
    def title(self) -> str:
        """Returns the heading of its section, without number and place: `Softmax`."""
        return text_of_spans(title_of(self.part))

    @property
    def formulas(self) -> Sequence[str]:
        """Tells how it makes what it makes: `weights[i, j] = exp[i, j] / exp_sum[i]`."""
        equations = formulas_at(self.trace.plain, self.part)
        return tuple(f"{plain(e.left)} = {plain(e.right)}".replace("\xa0", " ") for e in equations)

    @property
    def quantities(self) -> Sequence[WorkedQuantity]:
        """Returns what it made; nothing in a step without numbers, such as cutting a text into
        tokens."""
        made = made_by(self.trace.plain, self.part)
        return tuple(self.trace[quantity.name] for quantity in made)

    def working(self, *, width: int = 80) -> str:
        """Returns the working of all that it made, as on its page, where long sums leave terms out;
        nothing where numbers are only put elsewhere. Raises ValueError."""
        trace = self.trace.plain
        check_lines(trace, [self.part])
        made = made_by(trace, self.part)
        return text_of([block for q in made for block in working_of(trace, q, Selection())], width)

    def document(self) -> Document:
        trace = self.trace.plain
        return walkthrough(trace, select(trace)._replace(parts=(self.part,)))

    def __str__(self) -> str:
        return self.page()

    def __repr__(self) -> str:
        made = ", ".join(
            f"{q.name.seen_from(self.path)} {[*q.shape]}" for q in self.quantities[:_SHOWN_STEPS]
        )
        made += ", …" if len(self.quantities) > _SHOWN_STEPS else ""
        place = f"{self.place} · " if self.place else ""
        return f"<Step {self.number} · {place}{self.title}{f': {made}' if made else ''}>"


def steps_of(trace: WorkedTrace) -> Sequence[WorkedStep]:
    """Returns the steps that the page tells, in order."""
    steps = shown_parts(trace.plain)
    return tuple(WorkedStep(trace, number, part) for number, part in enumerate(steps, start=1))


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
    """A lookup of the names of a trace. `lists` are those of what isn't worked, such as `tokens`;
    `missing` is what those wait for that were planned and not made."""

    def __init__(
        self, known: Mapping[str, Name], lists: Sequence[Name], missing: Mapping[str, str]
    ) -> None:
        self.missing = missing
        self.known: Mapping[str, Name] = {**known, **{str(name): name for name in lists}}

    def find(self, text: str) -> Name | None:
        """Finds the full name that is meant, if there is exactly one."""
        found = self.known.get(text) or meant(text, self.known)
        short = () if found else self._ending_so(text)
        return short[0] if len(short) == 1 else found

    def full(self, text: str) -> Name:
        """Returns the full name that is meant. Raises UnknownNameError where there isn't exactly
        one."""
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
        """Finds the name whose last part is like that of a mistyped one, if any is."""
        ends = {last.casefold(): names for last, names in self._by_last.items()}
        like = get_close_matches(text.rpartition(".")[2].casefold(), ends, n=1)
        return get_close_matches(text, ends[like[0]], n=1, cutoff=0)[0] if like else None

    def _ending_so(self, text: str) -> Sequence[Name]:
        """Finds the names that have all places of a short one: `layers[2].heads[1].Q` of
        `heads[1].Q`."""
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
        """Finds the names that differ only in what counts their places, such as layers and heads.

        Returns how many there are of each, and the names; places that `text` counts are fixed.
        Raises UnknownNameError.
        """
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
        """Yields the names that have the places wanted, with the counts that these leave open."""
        for name in self.known.values():
            if name.local == wanted[-1].local:
                counts = _open_counts(wanted, [_counted(place) for place in name.places])
                if counts is not None:
                    yield name, counts


def _in_order(wanted: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(text in rest for text in wanted)


def _places(text: str) -> list[CountedPlace]:
    """Reads the places of a short name; any number is `[*]`, or left out."""
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
    """Returns the counts of a whole name that the places wanted leave open; None if it doesn't have
    these in this order."""
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
    """Returns the extents, and the names row by row. Raises UnknownNameError where some aren't
    there."""
    counts = [sorted(set(along)) for along in zip(*group, strict=True)]
    extents = tuple(map(len, counts))
    whole = 1
    for extent in extents:
        whole *= extent
    if len(group) < whole:
        wrong = f"{text}: only {listed(group.values())} are there"
        raise UnknownNameError(f"{wrong}, which fill no array; say more of the name")
    return extents, [group[key] for key in sorted(group)]


def numbers_of(quantity: Quantity, given: NumbersLike) -> AnyArray:
    """Returns the numbers of a quantity that are given for it [n, m]; a list, or a row without a
    name, may be [n].

    −∞ is what a mask makes of a score; a mask may be one that is added to the scores. Raises
    ValueError, which names the quantity.
    """
    array = _shaped(quantity, _array(given))
    if quantity.definition is not None and isinstance(quantity.definition.operation, Seen):
        array = as_seen(array)
    if array.dtype.kind in "biuf":
        wrong = np.argwhere(np.isnan(array) | np.isposinf(array))
    else:
        wrong = np.argwhere([[not _is_number(value) for value in row] for row in array])
    for i, j in wrong.tolist():
        raise ValueError(f"{quantity.address(i, j)} is {array[i, j]}, where a number belongs")
    return array.astype(int) if array.dtype.kind == "b" else array


def _array(given: NumbersLike) -> AnyArray:
    array = as_array(given)
    return np.array(given, dtype=object) if array is None else array


def _shaped(quantity: Quantity, array: AnyArray) -> AnyArray:
    n, m = quantity.matrix.shape
    is_flat = quantity.is_list or quantity.is_vector
    if array.shape == (n, m) or (is_flat and array.shape == (n * m,)):
        return array.reshape(n, m)
    raise ValueError(f"{quantity.name} has the shape ({n}, {m}), not {array.shape}")


def _is_number(value: object) -> bool:
    try:
        number = Decimal(str(value))
    except DecimalException:
        return False
    return not number.is_nan() and number != Decimal("Infinity")


_SHOWN = 8
"""TraceNames that are told of a trace where that is to be short."""


class WorkedTrace(Showable, Trace, Mapping[str, WorkedQuantity]):
    """A worked scenario: its quantities by their names, in the order in which they were made.

    A name may leave out places of the model where only one quantity can be meant: `heads[2].Q` for
    `layers[1].heads[2].Q`. `layers[1].heads[1].` may always be said. `steps` are what was done.
    """

    generated: tuple[WorkedTrace, ...]
    variants: Mapping[str, WorkedTrace]

    _is_whole = True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @overload
    def __getitem__(self, name: Literal["tokens", "ids"]) -> TokenList: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, name: str) -> WorkedQuantity: ...

    def __getitem__(self, name: str) -> TokenList | WorkedQuantity:
        full = self._names.full(name)
        if full not in self.quantities:
            return token_lists(self.scenario)[full]
        if full not in self._shown:
            self._shown[full] = shown_of(self.plain, full)
        return self._shown[full]

    if not TYPE_CHECKING:  # to which a misspelt name stays one

        def __getattr__(self, name: str) -> NoReturn:
            wrong = f"a trace has no {name}"
            is_private = name.startswith("_")
            if not is_private and name in self:
                wrong += f"; did you mean trace[{name!r}]?"
            raise AttributeError(wrong, name=name, obj=self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._names.find(name) is not None

    def __len__(self) -> int:
        return len(self.quantities) - len(self.untold)

    @cached_property
    def _names(self) -> TraceNames:
        known = {name: q.name for name, q in self.quantities.items()}
        lists = [t.name for t in token_lists(self.scenario).values()]
        wanted = listed(self.unfinished.missing if self.unfinished else ())
        return TraceNames(known, lists, {d.name: wanted for d in self.plan if wanted})

    @cached_property
    def plain(self) -> Trace:
        """Returns the trace that pages are told of: there a quantity is the same wherever it is
        met, and a name is always a full one."""
        generated = tuple(other.plain for other in self.generated)
        variants = {name: other.plain for name, other in self.variants.items()}
        so_far = self.scenario, self.quantities, self.story, self.unfinished
        return Trace(*so_far, generated, variants, self.unused)

    def __reduce__(self) -> tuple[object, ...]:
        return shown, (self.plain,)

    @cached_property
    def _shown(self) -> dict[str, WorkedQuantity]:
        """Returns a map that keeps the quantities that were asked for; at first it is empty."""
        return {}

    @property
    def output(self) -> WorkedQuantity:
        return self[super().output.name]

    def stacked(self, name: str) -> Array:
        """Stacks the values of quantities that differ only in their layer, head or time into one
        array with an axis for each of these.

        `stacked("weights")` of two heads is [2, n, m], of two layers with these [2, 2, n, m];
        `stacked("layers[2].weights")` is [2, n, m]. Raises KeyError, and ValueError for values of
        several shapes.
        """
        extents, names = self._names.stack(name)
        shapes = {self.quantities[entry].matrix.shape: entry for entry in names}
        if len(shapes) > 1:
            text = " and ".join(f"{entry} is {n} × {m}" for (n, m), entry in shapes.items())
            raise ValueError(f"{name}: {text}, which is no array")
        values = np.stack([self.quantities[entry].values for entry in names])
        return values.reshape(*extents, *values.shape[1:])

    def replay(self, replaced: Mapping[str, NumbersLike]) -> Self:
        given = {self._full(name): numbers for name, numbers in replaced.items()}
        return super().replay({n: numbers_of(self.quantities[n], x) for n, x in given.items()})

    def _full(self, name: str) -> str:
        """Returns the full name of a quantity. Raises KeyError."""
        full = self._names.full(name)
        if full not in self.quantities:
            raise UnknownNameError(f"{full} are no numbers that anything is worked from")
        return full

    @cached_property
    def steps(self) -> Sequence[WorkedStep]:
        """Returns what was done, in order: each step at its place, with its title, what it made,
        and its working."""

        return steps_of(self)

    def step(
        self,
        name: str,
        *,
        token: str | int | None = None,
        layer: str | int | None = None,
        head: str | int | None = None,
    ) -> ShownPart:
        """Shows a step wherever it is taken, as `attn run --step` does. Raises ValueError."""
        from attncli.pages.explain import step_page

        entries = [None if entry is None else str(entry) for entry in (token, layer, head)]
        with as_arguments():
            return ShownPart(step_page(self.plain, name, *entries))

    def cell(self, address: str) -> ShownPart:
        """Shows the working of one cell, `weights[love, AI]`, with the formulas of its step. Raises
        KeyError and ValueError."""
        from attncli.pages.explain import cells_page

        return ShownPart(cells_page(self.plain, self._cells(address)))

    def working(self, address: str, *, width: int = 80) -> str:
        """Returns the working of a cell, `weights[love, AI]`, as a line of text; of a row,
        `weights[love]`, and of a whole quantity, a line a cell. Raises KeyError and ValueError."""
        from attncli.commands.renderings import lines_of

        return lines_of(self.plain, self._cells(address), width)

    def _cells(self, text: str) -> Sequence[tuple[Name, Address]]:
        """Returns the cells that an address means. Raises KeyError and ValueError."""
        from attncli.commands.renderings import cells_of

        whole = self._names.find(text)
        address = Address(text) if whole else parse_address(text)
        name = whole or self._names.full(address.name)
        return cells_of(self.plain, name, address._replace(name=name))

    @overload
    def page(  # type: ignore[overload-overlap]
        self, form: Binary, *, width: int = 80, **part: Unpack[PagePart]
    ) -> bytes: ...

    @overload
    def page(self, form: str = "terminal", *, width: int = 80, **part: Unpack[PagePart]) -> str: ...

    def page(
        self, form: str = "terminal", *, width: int = 80, **part: Unpack[PagePart]
    ) -> str | bytes:
        """Writes the page in a format: `markdown`, `html`, `latex`, `json`, …; bytes of those whose
        files are no text, such as `pdf`.

        `part` are the options of `attn run`: `steps`, `token`, `layer`, `head`, `time`, `detail`,
        `pictures`. Raises ValueError.
        """
        from attncli.commands.renderings import document_of

        with as_arguments():
            return rendered(document_of(self.plain, form, part), form, width)

    def document(self) -> Document:
        from attncli.commands.renderings import document_of

        return document_of(self.plain, "markdown", {})

    def __repr__(self) -> str:
        first, count = [*islice(self, _SHOWN)], len(self)
        names = f"{', '.join([*first, '…'] if count > _SHOWN else first)}"
        return f"<Trace of {self.scenario.title!r}: {count} quantities, {names}>"

    def __str__(self) -> str:
        """Returns a line a step: what it made, and of what shapes."""
        lines = [self.scenario.title, *map(repr, self.steps)]
        return "\n  ".join([*lines, *([repr(self.unfinished)] if self.unfinished else [])])


def shown(trace: Trace) -> WorkedTrace:
    """Returns a trace that a Python program is given."""
    return WorkedTrace(
        trace.scenario,
        trace.quantities,
        trace.story,
        trace.unfinished,
        tuple(map(shown, trace.generated)),
        {name: shown(other) for name, other in trace.variants.items()},
        trace.unused,
    )


def work(scenario: Scenario | Source) -> WorkedTrace:
    """Works a scenario, as far as what is given goes; one that isn't loaded yet is loaded. A
    notebook shows the trace as a page.

    Raises ScenarioError where it can't be loaded, or the numbers can't be worked.
    """
    if isinstance(scenario, Trace):
        raise TypeError("this trace is worked already; trace.scenario is what it was worked from")
    loaded = scenario if isinstance(scenario, Scenario) else pipeline.load(scenario)
    return shown(pipeline.work(loaded))
