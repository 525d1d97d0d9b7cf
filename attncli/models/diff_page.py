"""The report on a dump: where an implementation first departs, and which bug that looks like."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    DefinitionList,
    Derivation,
    Document,
    PageData,
    Paragraph,
    Section,
    Spans,
    Term,
)
from attncli.errors import counted
from attncli.maths.equations.matrix import Matrix
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers.rounding import Array
from attncli.models.dumps.departures import Compared, Comparison, Standing
from attncli.models.dumps.floats import DEPARTS as DEPARTING
from attncli.models.dumps.floats import FOLLOWS
from attncli.models.dumps.likenesses import in_words
from attncli.models.dumps.meanings import OUTPUT, outputs_of
from attncli.models.dumps.suspects import Hidden, Search
from attncli.models.dumps.tensors import Unjudged, as_said, each_of
from attncli.names import Name, Word, WordedText, raw_text
from attncli.pages.parts.blocks import table
from attncli.pages.parts.sentences import enumerated, joined
from attncli.pages.parts.working import cell_line
from attncli.trace import Trace

SIGNS: Mapping[Standing, str] = {
    "agrees": "✓",
    "departs": "✗",
    "carried forward": "→",
    "can't tell": "?",
}
_MOST_CELLS = 6
_MOST_IN_DATA = 1000
"""Cells that are told in data; the others are only counted."""
_MOST_TENSORS = 500
_LAST = "last"
"""The row that a prediction is made from, where that is one."""
_BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
_DIGITS = {"float64": 12, "float32": 7, "float16": 4, "bfloat16": 3}
_HOOKED = frozenset(
    ["X", "Q", "K", "V", "scores", "weights", "attention", "residual1", "normed", "hidden", "ffn"]
)
"""What hooks can easily see."""


_RANDOM: tuple[str, Spans] = (
    "Random",
    ("it gives other numbers each time it runs, as with a dropout that is left on",),
)


class OptionWords(NamedTuple):
    """A way to write the options of which a page speaks: typed, or in Python."""

    what: str
    """What is compared: a dump, or a module."""
    leave_out: str
    """How a tensor is left out."""
    precision: str
    """How floats are named, with a gap for their kind."""
    stated: str
    """The option by which floats are named."""
    close: str
    """The options by which near enough numbers are let pass."""


TYPED = OptionWords("dump", "--map NAME=", "--precision {}", "--precision", "--rtol and --atol")
PYTHON = OptionWords(
    "module", 'names={"NAME": ""}', 'precision="{}"', "precision=", "rtol= and atol="
)


def report(
    comparison: Comparison, dump: str, options: OptionWords = TYPED, *, is_random: bool = False
) -> Document:
    """Returns the page of a comparison: the first departure, its cause, all that depart, what can't
    be told, every tensor."""
    trace = comparison.trace
    sections = [
        *_wrong_shapes(comparison, options),
        *_departures(comparison, options),
        *_lost(comparison, options),
        *_unjudged(comparison),
        *_hidden(comparison),
    ]
    if comparison.compared:
        sections.append(Section("", None, ("Every tensor",), (), _tensors(comparison, options)))
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        DefinitionList((*_facts(comparison, dump, options), *([_RANDOM] if is_random else []))),
        closing=(Callout(in_short(comparison)),),
        data=PageData(told=_Data(comparison)),
    )


def _departures(comparison: Comparison, options: OptionWords) -> Iterator[Section]:
    first = comparison.first
    if first is not None:
        blocks = (*_first(comparison, first, options),)
        yield Section("", None, ("Where it departs first",), (), blocks)
        if comparison.close is None:
            yield Section("", None, ("What it looks like",), (), (*_causes(comparison, first),))
        yield from _others(comparison)


def _facts(comparison: Comparison, name: str, options: OptionWords) -> Iterator[tuple[str, Spans]]:
    dump = comparison.dump
    called = {t.called for t in dump.tensors.values()}
    read = f", {counted(len(called), 'tensor')} taken for {counted(len(dump.tensors), 'quantity')}"
    yield options.what.capitalize(), (Word(name), read)
    yield "Numbers", (_numbers(comparison, options),)
    if dump.call.other_input and comparison.first is not None:
        yield "Inputs", (Word(dump.call.other_input), " isn't X of the scenario")
    for what, names in dump.call.sides.items():
        yield "First side", (f"{what}: ", *joined((Word(text),) for text in names[:_MOST_CELLS]))
    if dump.call.given:
        words = joined((Word(text),) for text in dump.call.given)
        yield "Given", (*words, ": as the model's config says, since nothing else was passed")
    if dump.left_out.unknown:
        words = joined((Word(text),) for text in dump.left_out.unknown[:_MOST_CELLS])
        more = len(dump.left_out.unknown) - _MOST_CELLS
        yield "Left out", (*words, f" and {more} more" if more > 0 else "", ": no name known here")
    for text, ours in dump.by_numbers.items():
        is_what = joined(((Term(name),) for name in each_of(ours)), " and ")
        if is_what:
            yield "By numbers", (Word(text), " is ", *is_what, ", which its name doesn't say")
        else:
            says = ": it isn't what its name says, and what comes out is right"
            yield "Left out", (Word(text), says)
    for text, other in dump.left_out.repeated.items():
        yield (
            "Left out",
            (Word(text), ": ", Word(other), " is the same quantity, with other numbers"),
        )


def _numbers(comparison: Comparison, options: OptionWords) -> str:
    """Says in which floats all was worked and how that is known, or what is let pass."""
    dump, close = comparison.dump, comparison.close
    if close is not None:
        return (
            f"close enough within {close.atol:g} + {close.rtol:g} × the size of the scenario's own"
        )
    kind = dump.grain.type
    known = f"{dump.grain.called}, {_BITS[dump.grain.factors or kind]} bits"
    if dump.grain.factors:
        known += " in the factors of matrix products"
    if dump.is_stated:
        known += f", as {options.stated} says"
    elif dump.kept and kind not in dump.kept:
        kept = " and ".join(dump.kept)
        known += (
            f", by the digits that they have, though kept as {kept}"
            f" (else say {options.precision.format(dump.kept[0])})"
        )
    if dump.grain.half:
        known += f", written with {round(-math.log10(2 * dump.grain.half))} decimals"
    return f"{known}: what this rounding makes of the working is no departure"


DEPARTS, CANT_TELL = 1, 3


def status_of(comparison: Comparison) -> int:
    """Returns the exit status of a command: 0 when all follow, 1 when a tensor departs or has a
    wrong shape, 3 when nothing can be said of some, or of what a module returns."""
    if comparison.first is not None or comparison.misshapen:
        return DEPARTS
    is_told = comparison.lost is None and comparison.dump.left_out.unjudged is None
    return 0 if is_told else CANT_TELL


def in_short(comparison: Comparison) -> Spans:
    """Sums a comparison up: `heads[1].scaled departs first. It looks like this: Forgetting to
    scale, …`"""
    lost = sum(c.standing == "can't tell" for c in comparison.compared)
    more = f" Of {counted(lost, 'tensor')} nothing can be said." if lost else ""
    if comparison.first is not None:
        return (*_first_in_short(comparison, comparison.first), more)
    if comparison.misshapen:
        misshapen = comparison.misshapen[0]
        return (
            Term(misshapen.name),
            f" has the shape {_shape(misshapen.shape)} instead of {_shape(misshapen.right)}.",
            more,
        )
    unjudged = comparison.dump.left_out.unjudged
    if unjudged is not None:
        says = (*_cant_compare(unjudged), *_would_help(unjudged, comparison.trace))
        return (*says, f" {_all_follow(comparison)}" if not lost and comparison.compared else more)
    if comparison.lost is not None:
        index = len(comparison.compared) - lost
        rest = f" {_every(index, 'other tensor')} {_follow(index)}." if index else ""
        if lost == 1:
            return ("Nothing can be said of ", Term(comparison.lost.name), ".", rest)
        of_many = f"Nothing can be said of {counted(lost, 'tensor')}: "
        return (of_many, Term(comparison.lost.name), " is the first of them.", rest)
    return (_all_follow(comparison), *_judged(comparison))


def _cant_compare(unjudged: Unjudged) -> Spans:
    """Says why what a module returns can't be compared: `Nothing can be said of what the module
    returns: …`"""
    end = f"what comes out of the scenario is {_shape(unjudged.right)}"
    end = end if unjudged.right else "nothing comes out of the scenario"
    has = "is no array of floats" if unjudged.shape is None else f"is {_shape(unjudged.shape)}"
    return (
        "Nothing can be said of what the module returns: ", Word(unjudged.called),
        f" {has}, and {end}.",
    )  # fmt: skip


def _would_help(unjudged: Unjudged, trace: Trace) -> Spans:
    """Says what is missing, or which line of `names=` would help; nothing where nothing would."""
    if not unjudged.right and trace.unfinished is not None:
        missing = joined((Term(name),) for name in trace.unfinished.missing)
        return (" ", Term(trace.unfinished.definition.name), " needs ", *missing, ".")
    if unjudged.shape and _LAST in trace and unjudged.shape[1:] == unjudged.right[1:]:
        return (" It gives all rows; say ", Word("predict_from: every"), " in the scenario.")
    likely = f'names={{"{unjudged.called}": "{next(iter(unjudged.likely), "")}"}}'
    if unjudged.shape is None:
        return ()
    if unjudged.likely:
        return (" Say what it is, such as ", Word(likely), ".")
    return (" Nothing in the scenario has this shape; ", Word(likely), " leaves it out.")


def _unjudged(comparison: Comparison) -> Iterator[Section]:
    """Yields the section of what a module returns that can't be compared, with what would help."""
    unjudged = comparison.dump.left_out.unjudged
    if unjudged is not None:
        says = (*_cant_compare(unjudged), *_would_help(unjudged, comparison.trace))
        others = joined((Term(name),) for name in unjudged.likely)
        known = (" Its shape is that of ", *others, ".") if unjudged.likely else ()
        yield Section("", None, ("What the module returns",), (), (Paragraph((*says, *known)),))


def _judged(comparison: Comparison) -> Spans:
    """Says which tensors were compared, and which were not."""
    dump = comparison.dump
    called = [name for name in dump.taken if name not in dump.left_out.repeated]
    none = [called for called, ours in dump.by_numbers.items() if not ours]
    left = [*dump.left_out.unknown, *dump.left_out.repeated, *none]
    ours = (" Compared: ", *_some(called), ".") if called else ()
    return (
        *_returned(comparison),
        *ours,
        *((" Not compared: ", *_some(left), ".") if left else ()),
    )


def _returned(comparison: Comparison) -> Spans:
    """Says what was returned, where that is something else than what comes out of the scenario;
    else nothing."""
    returned, trace = comparison.dump.taken.get(OUTPUT), comparison.trace
    ends = [as_said(meant, trace) for meant in outputs_of(trace)][:1]
    if not isinstance(returned, str) or not ends or returned in (*ends, trace.output.name):
        return ()
    return (" What is returned is ", Term(returned), f", and not {ends[0]}.")


def _some(names: list[str]) -> Spans:
    """Joins some names; of many the first, how many more there are, and the last, which is what
    comes out."""
    if len(names) <= _MOST_CELLS:
        return joined((Word(name),) for name in names)
    shown = [*names[: _MOST_CELLS - 2], names[-1]]
    *first, last = ((Word(name),) for name in shown)
    more = (f"{len(names) - len(shown)} more",)
    return joined([*first, more, last])


def _first_in_short(comparison: Comparison, first: Compared) -> Spans:
    if comparison.close is not None:
        return (Term(first.name), " is the first that isn't close enough.")
    alike = sum(_is_like(c, first) for c in comparison.compared) - 1
    departs = f" departs first, {counted(alike, 'other')} like it." if alike else " departs first."
    if not first.causes:
        return (Term(first.name), departs, f" {_nameless(comparison, first, 'its')}")
    if len(first.causes) == 1:
        return (Term(first.name), departs, " It looks like this: ", *first.causes[0].worded)
    says = f" It looks like {_one_of(first)}: "
    return (Term(first.name), departs, says, *_either(first))


def _one_of(compared: Compared) -> str:
    return f"one of these {in_words(len(compared.causes))}, which these numbers can't tell apart"


def _either(compared: Compared) -> Iterator[Word | Term | str]:
    """Yields the sentences of several causes, numbered, one after the other."""
    for k, cause in enumerate(compared.causes[:_MOST_CELLS]):
        yield from ((f" ({k + 1}) " if k else "(1) "), *cause.worded)


def _is_like(compared: Compared, first: Compared) -> bool:
    """Tells whether a tensor departs in the same way as the first, in another head or another
    layer."""
    names = Name(compared.name), Name(first.name)
    is_other = len({name.local for name in names}) == len({name.path.path for name in names}) == 1
    return is_other and (compared.standing, compared.causes) == ("departs", first.causes)


def _every(count: int, noun: str) -> str:
    return f"The {noun}" if count == 1 else f"All of the {counted(count, noun)}"


def _follow(count: int) -> str:
    return "follows" if count == 1 else "follow"


def _all_follow(comparison: Comparison) -> str:
    """Says that all follow: `All of the 47 tensors follow, 13 of them as computed in float32.`"""
    every, entry = comparison.compared, comparison.dump.call.entry
    text = _every(len(every), "tensor")
    if entry is not None:
        text += f" of entry {entry.number} of the batch of {entry.size}"
    if comparison.close is not None:
        return f"{text} {'is' if len(every) == 1 else 'are'} close enough."
    lower = Counter(c.lower for c in every if c.lower)
    texts = [
        f"{f'{count} of them ' if len(every) > 1 else ''}as computed in {kind}"
        for kind, count in lower.items()
    ]
    as_computed = f", {enumerated(texts)}" if texts else ""
    says = f"{text} {_follow(len(every))}{as_computed}."
    is_open = [c.judged.open for c in every]
    opened, size = sum(int(o.sum()) for o in is_open), sum(o.size for o in is_open)
    return f"{says} Of {opened} of their {size} numbers nothing can be said." if opened else says


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _wrong_shapes(comparison: Comparison, options: OptionWords) -> Iterator[Section]:
    if comparison.misshapen:
        rows = (
            (Word(m.name), Word(m.called), _shape(m.shape), _shape(m.right))
            for m in comparison.misshapen
        )
        headings = ("Quantity", f"In the {options.what}", "Shape", "Should be")
        found = table(headings, rows, _MOST_TENSORS)
        says = (
            "These tensors don't have the shape of the quantity that they are named after, and"
            " aren't compared. Dump one sequence of a batch, as x[0]. Leave out a tensor that is"
            f" something else with {options.leave_out}."
        )
        yield Section("", None, ("Wrong shapes",), (), (Paragraph((says,)), found))


def _lost(comparison: Comparison, options: OptionWords) -> Iterator[Section]:
    """Yields the section of the first tensor of which nothing can be said, with why, and what would
    help."""
    compared = comparison.lost
    if compared is None:
        return
    digits = _DIGITS[comparison.dump.grain.type]
    cells = sorted(
        np.argwhere(compared.judged.open).tolist(),
        key=lambda cell: -compared.differences[tuple(cell)],
    )
    quantity = comparison.trace[compared.name]
    rows: list[tuple[Word | str, ...]] = [
        (
            Word(quantity.address(i, j)),
            *(
                number(float(x[i, j]), digits)
                for x in (compared.theirs, compared.value, *compared.judged.follows)
            ),
        )
        for i, j in cells[:_MOST_CELLS]
    ]
    says = (
        f" is the first of which nothing can be said: {_why_lost(comparison, compared, len(cells))}"
    )
    blocks = (
        Paragraph((Term(compared.name), *_called(compared, options), says)),
        table(("Cell", f"In the {options.what}", "Follows", "From", "To"), rows),
        Paragraph(("What would help:",)),
        Bullets(tuple(_help(comparison, compared, options))),
    )
    yield Section("", None, ("What remains open",), (), blocks)


def _why_lost(comparison: Comparison, compared: Compared, count: int) -> str:
    """Says what hides whether a tensor is right."""
    grain = compared.lower or comparison.dump.grain.called
    distance = compared.judged.distance
    if distance is not None and distance > FOLLOWS[0]:
        return (
            f"it is {distance:.2g} times as far from what follows as {grain} rounds. Up to"
            f" {FOLLOWS[0]:g} times is rounding, and from {DEPARTING[0]:g} times on it departs."
        )
    numbers = counted(compared.judged.open.size, "number")
    return (
        f"as {grain} rounds, {count} of its {numbers} may be so far"
        " from what follows that a wrong one looks the same as a right one."
    )


def _hidden(comparison: Comparison) -> Iterator[Section]:
    """Yields the sections of the known mistakes that rounding would hide, and of what these
    parameters can't show, where nothing departs."""
    if comparison.first is not None:
        return
    told = [*_told_hidden(comparison), *_untried(comparison.search)]
    if told:
        yield Section("", None, ("What can't be seen at this precision",), (), (*told,))
    neutral = (*_neutral(comparison.trace),)
    if neutral and comparison.close is None and status_of(comparison) == 0:
        yield Section("", None, ("What these parameters can't show",), (), neutral)


def _neutral(trace: Trace) -> Iterator[Block]:
    """Yields a paragraph on the biases that are 0 throughout, and one on the factors that are 1: to
    leave them out changes nothing."""
    for value in (0, 1):
        found = (
            re.sub(r"\[\d+\]", "[*]", name)
            for name in trace
            if trace[name].given and _is_row_of(value, trace[name].matrix)
        )
        names = [Word(name) for name in dict.fromkeys(found)]
        if names:
            says = f" {'is' if len(names) == 1 else 'are'} {value} throughout: a module that leaves"
            more = len(names) - _MOST_CELLS
            some = joined((name,) for name in names[:_MOST_CELLS])
            and_more = f" and {more} more" if more > 0 else ""
            them = "it" if len(names) == 1 else "them"
            yield Paragraph((*some, f"{and_more}{says} {them} out follows, too."))


def _is_row_of(value: int, matrix: Matrix) -> bool:
    """Tells whether a matrix is one row of several numbers which all have this value."""
    rows, columns = matrix.shape
    return rows == 1 < columns and bool((matrix.values == value).all())


def _told_hidden(comparison: Comparison) -> Iterator[Block]:
    if not comparison.hidden:
        return
    alike: dict[str, list[Hidden]] = {}
    for hidden in comparison.hidden:
        alike.setdefault(hidden.way.name, []).append(hidden)
    most = [max(each, key=lambda hidden: hidden.effect) for each in alike.values()]
    most.sort(key=lambda hidden: hidden.effect)
    rows = ((Word(h.way.says), number(h.effect, 2), Word(h.way.definitions[0].name)) for h in most)
    kind = comparison.dump.grain.called
    says = (
        f"These mistakes change less than {kind} rounds, or little more, and may follow, too. In"
        " float32 they are seen."
    )
    yield Paragraph((says,))
    yield table(("Mistake", "Effect ÷ rounding", "In"), rows, _MOST_TENSORS)


def _help(comparison: Comparison, compared: Compared, options: OptionWords) -> Iterator[Spans]:
    missing = comparison.missing(compared.name)
    shown = [name for name in missing if comparison.trace[name].name.local in _HOOKED] or missing
    if shown:
        some = joined((Term(name),) for name in shown[:_MOST_CELLS])
        what = counted(len(missing), "quantity")
        yield (
            f"more hooks: between it and the tensors before it are {what} that the {options.what}"
            " hasn't, and bounds start anew from each that it has, such as ", *some, ".",
        )  # fmt: skip
    if comparison.dump.grain.is_coarse:
        yield ("a dump of the same model in float32, as model.float() makes it.",)
    if compared.lower:
        kind = comparison.dump.grain.type
        yield (
            f"{options.precision.format(kind)}, if nothing was computed in {compared.lower}: then"
            " it departs.",
        )  # fmt: skip
    elif comparison.dump.grain.type == "float32":
        yield ("a dump of the same model in float64, as model.double() makes it.",)
    yield (f"{options.close}, where numbers that are near enough are all that is asked for.",)


def _called(compared: Compared, options: OptionWords) -> Spans:
    if compared.called == compared.name:
        return ()
    return " (", Word(compared.called), f" in the {options.what})"


def _first(comparison: Comparison, compared: Compared, options: OptionWords) -> Iterator[Block]:
    trace, digits = comparison.trace, _DIGITS[comparison.dump.grain.type]
    off = int(compared.judged.off.sum())
    from_what = "given" if trace[compared.name].given else "worked from the tensors before it"
    if comparison.close is not None:
        from_what = "as the scenario says"
    yield Paragraph(
        (
            Term(compared.name), *_called(compared, options),
            f" is the first that isn't what it should be, {from_what}: {off} of its "
            f"{counted(compared.judged.off.size, 'number')} {'departs' if off == 1 else 'depart'}.",
        )
    )  # fmt: skip
    headings = ("Cell", f"In the {options.what}", "Follows", "Difference")
    yield table(headings, _worst(trace, compared, digits))
    yield from _working(comparison, compared)


def _worst(trace: Trace, compared: Compared, digits: int) -> list[tuple[Word | str, ...]]:
    """Lists the cells that are furthest off: each with its address, its number there, the right
    one, and their difference."""
    differences = compared.differences
    quantity = trace[compared.name]
    return [
        (
            Word(quantity.address(*cell)),
            number(float(compared.theirs[cell]), digits),
            number(float(compared.value[cell]), digits),
            number(float(differences[cell]), 3),
        )
        for cell in _furthest(compared, _MOST_CELLS)
    ]


def _furthest(compared: Compared, count: int) -> list[tuple[int, int]]:
    """Lists at most `count` of the cells that depart, those that are furthest off first."""
    cells = np.argwhere(compared.judged.off)
    sizes = compared.differences[compared.judged.off]
    return [(int(i), int(j)) for i, j in cells[np.argsort(-sizes, kind="stable")[:count]]]


def _working(comparison: Comparison, compared: Compared) -> Iterator[Block]:
    """Yields the right working of the cell that is furthest off, from their own tensors, where it
    can be worked."""
    quantity = comparison.trace[compared.name]
    if quantity.definition is None or quantity.definition.operation.copies or comparison.close:
        return
    own = [name for name in quantity.definition.operands if name in comparison.theirs]
    if any(not (comparison.theirs[name] < math.inf).all() for name in own):  # nan isn't either
        return
    part = comparison.trace.part_of(compared.name)
    if part is None:
        return
    theirs: dict[str, Array] = {name: _short(comparison.theirs[name]) for name in own}
    try:
        trace = comparison.trace.within(part).replay(theirs)
    except (ValueError, ArithmeticError):
        return
    yield Paragraph(("The right working of the first of these, from the tensors before:",))
    yield Derivation((cell_line(trace, trace[compared.name], *compared.largest),))


def _short(values: Array) -> Array:
    """Rounds numbers to six digits, as one works with them on a page."""
    return np.array([[float(f"{x:.6g}") for x in row] for row in values])


def _causes(comparison: Comparison, compared: Compared) -> Iterator[Block]:
    if not compared.causes:
        yield Paragraph((_nameless(comparison, compared, "these"),))
    yield from _untried(comparison.search)
    if not compared.causes:
        return
    if len(compared.causes) > 1:
        yield Paragraph((f"It is {_one_of(compared)}:",))
    yield Bullets(tuple(_cause(compared, k) for k in range(min(len(compared.causes), _MOST_CELLS))))


def _nameless(comparison: Comparison, compared: Compared, whose: str) -> str:
    """Says how far bugs were sought, where a tensor departs and no bug gives it."""
    search = comparison.search
    if not search.seconds:
        return "No bug was sought (seek: 0)."
    if compared.name in search.ended_at:
        return f"The search ended before a bug was found that gives {whose} numbers."
    return f"No bug that is known here gives {whose} numbers."


def _untried(search: Search) -> Iterator[Block]:
    """Yields a paragraph on what was left untried, where the search took too long."""
    if search.seconds and search.ended_at:
        says = (
            f"The search ended after {search.seconds:g} seconds (seek), when"
            f" {counted(search.tried, 'bug')} had been tried. More are left untried for "
        )
        some = joined((Term(name),) for name in search.ended_at[:_MOST_CELLS])
        yield Paragraph((says, *some, f"{_more(search.ended_at)}."))


def _cause(compared: Compared, k: int) -> Spans:
    cause = compared.causes[k]
    made = (" This is in ", Term(cause.quantity), ".") if cause.quantity else ()
    lower = f" All was computed in {compared.lower} there." if compared.lower else ""
    return (*cause.worded, *made, lower)


def _others(comparison: Comparison) -> Iterator[Section]:
    """Yields the section of the tensors that depart besides the first, and don't follow from it."""
    departing = [c for c in comparison.compared if c.standing == "departs"][1:]
    if departing and comparison.close is None:
        alike: dict[WordedText, list[str]] = {}
        for compared in departing:
            like = (
                compared.causes[0].worded
                if compared.causes
                else (_nameless(comparison, compared, "its"),)
            )
            alike.setdefault(like, []).append(compared.name)
        lines = (
            (*joined((Term(name),) for name in names[:_MOST_CELLS]), _more(names), ": ", *like)
            for like, names in alike.items()
        )
        says = "These don't follow from the tensors before them either."
        yield Section(
            "", None, ("What else departs",), (), (Paragraph((says,)), Bullets(tuple(lines)))
        )


def _more(names: list[str]) -> str:
    more = len(names) - _MOST_CELLS
    return f" and {more} more" if more > 0 else ""


def _tensors(comparison: Comparison, options: OptionWords) -> tuple[Block, ...]:
    rows = [
        (
            SIGNS[c.standing],
            Word(c.name),
            Word(c.called) if c.called != c.name else "",
            number(c.off_by, 3),
            Word(c.follows_from[0]) if c.follows_from else "",
            c.lower,
        )
        for c in comparison.compared
    ]
    headings = ("", "Quantity", f"In the {options.what}", "Off by", "Follows from", "Computed in")
    kept = [True, True, *(any(row[k] for row in rows) for k in (2, 3, 4, 5))]
    summary = table(
        tuple(compress(headings, kept)), (tuple(compress(row, kept)) for row in rows), _MOST_TENSORS
    )
    known = {c.standing for c in comparison.compared}
    legend = (f"{SIGNS[name]} {says}" for name, says in _MEANING.items() if name in known)
    what = "the scenario says" if comparison.close else f"follows from the {options.what} itself"
    return summary, Paragraph((f"{'; '.join(legend)}. Off by: from what {what}.",))


_MEANING: Mapping[Standing, str] = {
    "agrees": "agrees",
    "departs": "departs from what follows from the tensors before it",
    "carried forward": "is carried forward: another number, which follows from one that departs",
    "can't tell": "can't be judged: its rounding may hide anything",
}


def number(value: float, digits: int) -> str:
    """Writes a float with so many digits, as it is printed."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else f"{MINUS if value < 0 else ''}∞"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 10.0**digits:  # noqa: PLR2004
        text = f"{value:.{digits}g}"
    else:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        text = f"{float(mantissa):g}e{int(exponent)}"
    return text.replace("-", MINUS)


class _Data(Mapping[str, object]):
    """A mapping of a comparison's data, which are gathered when a format asks for them, since they
    go through each number of each tensor once more."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    @cached_property
    def _known(self) -> Mapping[str, object]:
        return _data(self._comparison)

    def __getitem__(self, key: str) -> object:
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _data(comparison: Comparison) -> dict[str, object]:
    first, dump, close = comparison.first, comparison.dump, comparison.close
    standings, unjudged = [c.standing for c in comparison.compared], dump.left_out.unjudged
    return {
        "type": dump.grain.called,
        "type_is_said": dump.is_stated,
        "kept_as": list(dump.kept),
        "close": None if close is None else {"rtol": close.rtol, "atol": close.atol},
        "lost": comparison.lost and comparison.lost.name,
        "misshapen": [
            {
                "quantity": m.name,
                "called": m.called,
                "shape": list(m.shape),
                "expected": list(m.right),
            }
            for m in comparison.misshapen
        ],
        "search": {
            "seconds": _finite(comparison.search.seconds),
            "tried": comparison.search.tried,
            "untried": comparison.search.untried,
            "ended_at": [*comparison.search.ended_at],
        },
        "repeated": dict(dump.left_out.repeated),
        "first": None if first is None else _tensor_data(comparison.trace, first),
        "tensors": [_tensor_data(comparison.trace, c) for c in comparison.compared],
        "unknown": list(dump.left_out.unknown),
        "unjudged": unjudged
        and {
            "called": unjudged.called,
            "shape": unjudged.shape and list(unjudged.shape),
            "expected": list(unjudged.right),
            "likely": list(unjudged.likely),
        },
        "hidden": [
            {"name": h.way.name, "says": h.way.says, "effect": h.effect} for h in comparison.hidden
        ]
        if first is None
        else [],
        "counts": {standing: standings.count(standing) for standing in SIGNS},
    }


def _tensor_data(trace: Trace, compared: Compared) -> dict[str, object]:
    judged, (i, j) = compared.judged, compared.largest
    cells = [
        {
            "cell": trace[compared.name].address(int(a), int(b)),
            "given": _finite(float(compared.theirs[a, b])),
            "expected": _finite(float(compared.right[a, b])),
            "accepted": [_finite(float(end[a, b])) for end in judged.follows],
        }
        for a, b in sorted(_furthest(compared, _MOST_IN_DATA))
    ]
    causes = [
        {
            "name": cause.name,
            "says": raw_text(cause.worded),
            "quantity": cause.quantity or compared.name,
        }
        for cause in compared.causes
    ]
    return {
        "quantity": compared.name,
        "called": compared.called,
        "verdict": compared.standing,
        "computed_in": compared.lower or None,
        "distance": None if judged.distance is None else _finite(judged.distance),
        "open": int(judged.open.sum()),
        "largest": {
            "cell": trace[compared.name].address(i, j),
            "difference": _finite(compared.off_by),
        },
        "departing": int(judged.off.sum()),
        "cells": cells,
        "cause": causes[0] if causes else None,
        "others": causes[1:],
        "follows_from": list(compared.follows_from),
    }


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
