"""What is weak about the numbers of a scenario, for those who make exercises of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil, log10
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Bullets, Callout, Document, Paragraph, Section, Spans, Term
from attncli.equations.tree import Number
from attncli.marking.judging import Judge
from attncli.names import Phrase, Word
from attncli.nice_numbers.candidate_quantity import (
    Attempt,
    CandidateQuantity,
    Flags,
    ambiguous,
    attempts,
    is_share,
    made_of,
    reveals,
    shown_rows,
    under_both,
    units,
)
from attncli.nice_numbers.pools import drawn_of
from attncli.nice_numbers.rules import CHECKS, GIVEN_CHECKS, RULES, alike_columns, alike_rows
from attncli.numbers import decimals
from attncli.pages.parts.selection import made_by, place_in_words, select, shown_parts, title_of
from attncli.pages.parts.sentences import facts_of, printed_roots, rounding_facts
from attncli.steps.mistakes import mistaken
from attncli.trace import Quantity, Trace


class Rule(NamedTuple):
    """What findings are called, several of them and one, and what is said of them."""

    several: str
    singular: str
    says: str

    @property
    def title(self) -> str:
        return self.several[0].upper() + self.several[1:]


WEAK: Mapping[str, Rule] = MappingProxyType(
    {
        "ambiguous": Rule(
            "ambiguous roundings",
            "ambiguous rounding",
            "Rounding on the way (carry) and full precision (exact) give different numbers here."
            " A key has to accept both.",
        ),
        "wide": Rule(
            "answers that tell little",
            "answer that tells little",
            "Honest ways of rounding spread these numbers over more than five units of the last"
            " place, and a key has to accept them all. One more decimal for what they are"
            " computed from, and not for them, narrows that.",
        ),
        "hiding": Rule(
            "mistakes that rounding hides",
            "mistake that rounding hides",
            "These common mistakes give numbers so near to the right ones that honest ways of"
            " rounding give them, too. A key has to accept them.",
        ),
        "edges": Rule(
            "rounding edges",
            "rounding edge",
            "These are so near to where rounding changes direction that a tiny difference changes"
            " the last digit.",
        ),
        "ties": Rule(
            "ties",
            "tie",
            "Weights of one row look the same as shown. It isn't clear which key the query"
            " attends to most, and an exchange of the two goes unseen.",
        ),
        "sums": Rule(
            "rows that don't add up",
            "row that doesn't add up",
            "The weights of these rows don't add up to exactly 1 as they are shown, which looks"
            " like a mistake.",
        ),
        "extreme": Rule(
            "extreme weights",
            "extreme weight",
            "These weights are shown as 0 or are above 0.95, so that the softmax picks one value"
            " instead of blending several.",
        ),
        "uniform": Rule(
            "rows of nearly equal weights",
            "row of nearly equal weights",
            "The largest weight of these rows is less than a quarter above the smallest, so that"
            " the query attends to all keys alike.",
        ),
        "winners": Rule(
            "repeated winners",
            "repeated winner",
            "These rows have their largest weight where an earlier row has it.",
        ),
        "exponentials": Rule(
            "long exponentials",
            "long exponential",
            "These powers of e have more than two digits before the decimal point.",
        ),
        "method": Rule(
            "subtracted maxima",
            "subtracted maximum",
            "The maximum of these rows is subtracted first, since e^x would be too long or too"
            " small.",
        ),
        "singular": Rule(
            "singular matrices",
            "singular matrix",
            "One of the rows or columns of these follows from the others.",
        ),
        "unvaried": Rule(
            "unvaried matrices",
            "unvaried matrix",
            "More than half of the numbers of these are the same.",
        ),
        "trivial": Rule(
            "trivial cells",
            "trivial cell",
            "Fewer than two of the products in these sums are other than 0, so that there is"
            " nothing to add up.",
        ),
        "zeros": Rule("rows of zeros", "row of zeros", "All numbers of these rows are 0."),
        "repeats": Rule(
            "repeated rows and columns",
            "repeated row or column",
            "These look the same as another row or column of their matrix, so that working them"
            " out is mere copying.",
        ),
        "large": Rule(
            "large numbers",
            "large number",
            "These have more than four digits before the decimal point.",
        ),
        "mistakes": Rule(
            "mistakes that can't be revealed",
            "mistake that can't be revealed",
            "With these numbers a common mistake gives the right numbers, or numbers that look"
            " the same as shown.",
        ),
    }
)
"""All that can be weak, in the order in which it is told."""


_MANY = 5.001
"""Units of the last place, and what floats are off by."""
_LEFT = _MANY - 2
"""What more decimals may leave of them, beside the rounding of the answer itself."""
_MOST = 10
"""More decimals than this are nobody's."""


def wide(judge: Judge, names: Sequence[str]) -> Iterator[Spans]:
    """The cells of these quantities for which a key accepts too much to tell, and how many
    decimals of what they are made of would help; the widest of each quantity first."""
    each = [[*_wide(judge, name)] for name in names]
    firsts, others = [lines[:1] for lines in each], [lines[1:] for lines in each]
    yield from chain(*firsts, *others)


def _wide(judge: Judge, name: str) -> Iterator[Spans]:
    if not judge.key.rounds(name):
        return
    (low, high), places = judge.ranges(name), judge.key.decimals(name)
    with np.errstate(invalid="ignore"):
        many = (high - low) * 10.0**places
    cells = [*_shown(judge.trace, judge.trace[name], np.isfinite(many) & (many > _MANY))]
    cells.sort(key=lambda cell: -many[cell])
    if not cells:
        return
    more = min(_MOST, max(1, ceil(log10(many[cells[0]] / _LEFT))))
    known = f'"{name}"' if "[" in name else name  # as YAML takes it
    instead = f"rounding.decimals={places + more} with rounding.quantities={{{known}: {places}}}"
    for i, j in cells:
        ends = (decimals.shown(float(end[i, j]), places + 1) for end in (low, high))
        least, most = map(Number.written, ends)
        cell = Term(judge.trace[name].symbol(i, j))
        yield cell, " is right from ", least, " to ", most, f"; {instead} would tell more"


def hiding(judge: Judge, slip: Attempt, wrong: Trace) -> Spans | None:
    """Where a mistake gives a number that a key accepts, though it isn't the right one, and how
    many decimals would tell it apart; None where it does so nowhere."""
    name = slip.definition.name
    if not judge.key.rounds(name):
        return None
    (low, high), places = judge.ranges(name), judge.key.decimals(name)
    right, other = judge.trace[name], wrong[name]
    apart = units(other.values, places) != units(right.values, places)
    cells = [*_shown(judge.trace, right, apart & (low <= other.values) & (other.values <= high))]
    if not cells:
        return None
    gap = min(abs(other.values[cell] - right.values[cell]) for cell in cells)
    widest = max((high - low)[cell] for cell in cells)
    i, j = cells[0]
    also = f", and so at {len(cells) - 1} more" if len(cells) > 1 else ""
    return (
        "It gives ",
        other.matrix.number(i, j),
        " at ",
        Term(right.symbol(i, j)),
        ", which is ",
        right.matrix.number(i, j),
        f"{also}; {_apart(places, widest / max(gap, 10.0**-_MOST))}",
    )


def _apart(places: int, times: float) -> str:
    """How many decimals tell numbers apart that lie in a range so many times as wide as what is
    between them."""
    more = min(_MOST, max(1, ceil(log10(times))))
    return f"rounding.decimals={places + more} would tell them apart"


def _shown(trace: Trace, quantity: Quantity, found: Flags) -> Iterator[tuple[int, int]]:
    """The cells that a page shows, of those that were found."""
    rows = shown_rows(trace)(quantity)
    return ((i, j) for i, j in np.argwhere(found).tolist() if rows is None or i in rows)


MOST = 8
"""Of a longer list only so many are told, and how many more there are."""

_MOST_MISTAKES = 24
_LONG = ("mistakes", "hiding", "wide")

_MORE_PLACES = 4
"""How many places a number at a rounding edge is shown with beyond those it is rounded to."""


_REVEALED = "These change a number, so that an answer can tell them."


def weaknesses(trace: Trace, steps: Sequence[str] = ()) -> Document:
    """What is weak about the numbers that some steps make (none named: all), a section a rule."""
    names = _names(trace, steps)
    judge = Judge(trace, printed=printed_roots(trace))
    tried = _Mistakes.of(judge, names)
    found = {**_numbers(trace, names), **_given(trace, names)}
    found |= {"mistakes": tried.never, "hiding": tried.hiding}
    found["ambiguous"] = [*_ambiguous(trace, names)]
    found["wide"] = [*wide(judge, names)]
    sections = [_section(rule, found[rule]) for rule in WEAK if found.get(rule)]
    if tried.revealed:
        title, says = "Mistakes that can be revealed", _REVEALED
        sections.append(_listed("revealed", title, says, tried.revealed, _MOST_MISTAKES))
    sections.append(_criteria())
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        facts_of(trace),
        closing=(Callout((_in_all(found),)),),
        rounding=rounding_facts(trace),
    )


def _names(trace: Trace, steps: Sequence[str]) -> list[str]:
    """The quantities that the steps make; given weights too, where no step is named."""
    chosen = select(trace, steps)
    parts = [part for part in shown_parts(trace) if chosen.includes(part)]
    made = [quantity.name for part in parts for quantity in made_by(trace, part)]
    given = [q.name for q in trace.quantities.values() if q.given and is_share(q.name)]
    return [*(() if steps else given), *made]


def _section(rule: str, items: Sequence[Spans]) -> Section:
    most = _MOST_MISTAKES if rule in _LONG else MOST
    return _listed(rule, WEAK[rule].title, WEAK[rule].says, items, most)


def _criteria() -> Section:
    """What is asked of numbers, by the names that `--allow` takes."""
    items = tuple((rule, ": ", RULES[rule]) for rule in WEAK if rule in RULES)
    blocks = (Paragraph(("Forms and new scenarios keep these rules.",)), Bullets(items))
    return Section("nice", None, ("What is taken for nice",), (), blocks)


def _listed(name: str, title: str, says: str, items: Sequence[Spans], most: int) -> Section:
    return Section(name, None, (title,), (), (Paragraph((says,)), _list(items, most)))


def _list(items: Sequence[Spans], most: int) -> Bullets:
    lines = list(items[:most])
    if len(items) > most:
        lines.append((f"… and {len(items) - most:,} more",))
    return Bullets(tuple(lines))


def _given(trace: Trace, names: Sequence[str]) -> dict[str, list[Spans]]:
    """What breaks the rules about matrices of numbers that may vary, of those that these
    quantities are made of."""
    made = (trace[name].definition for name in names)
    used = {name for definition in made if definition for name in definition.operands}
    matrices = [drawn.names[0] for drawn in drawn_of(trace.scenario, used) if not drawn.whole]
    return {
        rule: [(Term(name),) for name in matrices if check(trace[name].values).any()]
        for rule, check in GIVEN_CHECKS.items()
    }


def _in_all(found: Mapping[str, Sequence[Spans]]) -> str:
    """One sentence: nothing weak, or how many of each."""
    counts = {rule: len(found.get(rule, ())) for rule in WEAK}
    if not any(counts.values()):
        others = ", ".join(rule.several for rule in WEAK.values())
        return f"Nothing is weak here. Looked for: {others}."
    texts = [
        f"{count:,} {WEAK[rule].singular if count == 1 else WEAK[rule].several}"
        for rule, count in counts.items()
        if count
    ]
    return f"Weak here: {', '.join(texts)}."


def _ambiguous(trace: Trace, names: Sequence[str]) -> Iterator[Spans]:
    both = under_both(trace)
    if both is None:
        return
    for name in names:
        rows = shown_rows(trace)(trace[name])
        for quantity, i, j, carry, exact in ambiguous(both, name):
            if rows is None or i in rows:
                address = Term(quantity.symbol(i, j))
                yield (address, " is ", carry, " under carry and ", exact, " under exact")


def _numbers(trace: Trace, names: Sequence[str]) -> dict[str, list[Spans]]:
    """What breaks the rules that are about one quantity."""
    rows = shown_rows(trace)
    found: dict[str, list[Spans]] = {rule: [] for rule in CHECKS}
    for name in names:
        quantity = trace[name]
        made = made_of(trace, quantity, rows)
        for rule, check in CHECKS.items():
            broken = check(made)
            if broken is not None:
                found[rule] += _TELLERS[rule](quantity, made, broken)
    return found


def _places(broken: Flags, made: CandidateQuantity) -> Iterator[tuple[int, int]]:
    """The cells, or the first cells of rows, that break a rule, of the rows that are shown."""
    for i, j in np.argwhere(broken).tolist():
        if made.rows is None or i in made.rows:
            yield i, j


def _row(quantity: Quantity, i: int) -> Term:
    return Term(quantity.symbol(i))


def _cells(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:
    for i, j in _places(broken, made):
        yield Term(quantity.symbol(i, j)), " is ", quantity.matrix.number(i, j)


def _edges(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:
    for i, j in _places(broken, made):
        full = decimals.shown(float(made.full[i, j]), made.decimals + _MORE_PLACES)
        number = quantity.matrix.number(i, j)
        yield Term(quantity.symbol(i, j)), " is ", number, ", rounded from ", Number.written(full)


def _ties(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:
    for i in sorted({i for i, _ in _places(broken, made)}):
        numbers = [quantity.matrix.number(i, j) for j in np.flatnonzero(broken[i]).tolist()]
        for shown in dict.fromkeys(number.shown for number in numbers):
            times = sum(number.shown == shown for number in numbers)
            yield _row(quantity, i), " has ", Number.written(shown), f" {_TIMES.get(times, times)}"


_TIMES = {2: "twice", 3: "three times", 4: "four times"}


def _sums(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:
    for i, _ in _places(broken, made):
        row = (quantity.matrix.number(i, j).shown for j in range(quantity.matrix.shape[1]))
        yield _row(quantity, i), " adds up to ", Number.written(decimals.total(row))


def _winners(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:
    for i, _ in _places(broken, made):
        column = quantity.columns.index(int(made.values[i].argmax()))
        yield _row(quantity, i), " is largest at ", Word(column), ", as an earlier row is"


def _whole_rows(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:
    return ((_row(quantity, i),) for i, _ in _places(broken, made))


def _repeats(quantity: Quantity, made: CandidateQuantity, broken: Flags) -> Iterator[Spans]:  # noqa: ARG001
    yield from ((_row(quantity, i),) for i, _ in _places(alike_rows(made), made))
    for _, j in np.argwhere(alike_columns(made)).tolist():
        yield "column ", Word(quantity.columns.index(j)), " of ", Term(quantity.name)


_TELLERS: Mapping[str, Callable[[Quantity, CandidateQuantity, Flags], Iterator[Spans]]] = (
    MappingProxyType(
        {
            "large": _cells,
            "zeros": _whole_rows,
            "repeats": _repeats,
            "trivial": _cells,
            "ties": _ties,
            "extreme": _cells,
            "uniform": _whole_rows,
            "winners": _winners,
            "exponentials": _cells,
            "method": _whole_rows,
            "sums": _sums,
            "edges": _edges,
        }
    )
)


class _Mistakes(NamedTuple):
    """The common mistakes that the numbers reveal, those that they never do, and those that give
    somewhere what a key has to accept."""

    revealed: list[Spans]
    never: list[Spans]
    hiding: list[Spans]

    @classmethod
    def of(cls, judge: Judge, names: Sequence[str]) -> _Mistakes:
        found = cls([], [], [])
        for slip in attempts(judge.trace, names) if names else ():
            wrong = mistaken(judge.trace, slip.way, (slip.definition.name,))
            if wrong is None:
                continue
            spans = mistake_in_words(slip)
            shows = reveals(judge.trace, slip, wrong)
            (found.revealed if shows else found.never).append(spans)
            where = hiding(judge, slip, wrong)
            if where is not None:
                found.hiding.append((*spans, " ", *where))
        return found


def mistake_in_words(slip: Attempt) -> Phrase:
    """Where a mistake is made, and what it is."""
    before = f"{place} · " if (place := place_in_words(slip.part.path)) else ""
    says = slip.mistake.says_of(slip.definition, slip.part.definitions)
    return (before, *title_of(slip.part), f": {says}")
