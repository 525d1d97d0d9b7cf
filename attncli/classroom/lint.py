"""The weak numbers of a scenario, for those who make exercises of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from math import ceil, log10
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.classroom.forms.candidate_quantity import (
    Attempt,
    Both,
    CandidateQuantity,
    ambiguous,
    attempts,
    is_share,
    made_of,
    reveals,
    shown_rows,
    under_both,
    units,
)
from attncli.classroom.forms.niceness import design_command
from attncli.classroom.forms.plan import plan_of
from attncli.classroom.forms.pools import drawn_of
from attncli.classroom.forms.rules import (
    CHECKS,
    GIVEN_CHECKS,
    OF_ONE_KIND,
    RULES,
    alike_columns,
    alike_rows,
)
from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    Document,
    PageData,
    Paragraph,
    Section,
    Spans,
    Term,
)
from attncli.errors import agreed
from attncli.judging.judging import Judge
from attncli.maths.equations.tree import Number
from attncli.maths.notation.escaping import harmless
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Flags
from attncli.names import Word, WordedText
from attncli.pages.parts.next_commands import as_asked_for, asking_for_large, typed
from attncli.pages.parts.selection import (
    made_by,
    only_joins,
    place_in_words,
    select,
    shown_parts,
    title_of,
)
from attncli.pages.parts.sentences import facts_of, printed_roots, rounding_facts
from attncli.steps.mistakes import mistaken
from attncli.trace import Quantity, Trace


class Rule(NamedTuple):
    """A rule that numbers may break."""

    several: str
    """What several findings are called."""
    singular: str
    """What one of them is called."""
    says: str
    """What is said of them."""

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
        "conditions": Rule(
            "conditions that decide nothing",
            "condition that decides nothing",
            "A condition in the equations of these holds in all cells, or in none.",
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


@dataclass
class Findings:
    """A count of what breaks a rule. Large quantities break one a million times, so that only what
    is told is put into words."""

    count: int = 0
    """How often the rule is broken."""
    told: list[Spans] = field(default_factory=list)
    """The first of these findings, in words."""
    short: list[Spans] = field(default_factory=list)
    """What they are called in short, where that isn't the cell that their words begin with."""

    def add(self, count: int, items: Iterable[Spans], short: Iterable[Spans] = ()) -> None:
        """Counts some more; as many of them are put into words as there is room for."""
        self.count += count
        self.told += islice(items, _MOST_TOLD - len(self.told))
        self.short += short

    @classmethod
    def of(cls, items: Iterable[Spans]) -> Findings:
        """Counts items that are there already."""
        made = [*items]
        return cls(len(made), made[:_MOST_TOLD])


def wide(judge: Judge, names: Sequence[str]) -> Findings:
    """Finds the cells of these quantities for which a key accepts too much to tell, and how many
    decimals of what they are made of would help; the widest of each quantity come first."""
    each = [wide_ones for name in names if (wide_ones := _wide(judge, name)).count]
    firsts, others = ([spans for w in each for spans in w.told[part]] for part in _FIRST_AND_REST)
    found = Findings()
    found.add(sum(wide_ones.count for wide_ones in each), chain(firsts, others))
    return found


_FIRST_AND_REST = (slice(1), slice(1, None))


def _wide(judge: Judge, name: str) -> Findings:
    found = Findings()
    if not judge.key.rounds(name):
        return found
    (low, high), places = judge.ranges(name), judge.key.decimals(name)
    with np.errstate(invalid="ignore"):
        many = (high - low) * 10.0**places
    flags = _shown(judge.trace, judge.trace[name], np.isfinite(many) & (many > _MANY))
    rows, columns = np.nonzero(flags)
    if not len(rows):
        return found
    first = np.argsort(-many[rows, columns], kind="stable")[:_MOST_TOLD]
    cells = list(zip(rows[first].tolist(), columns[first].tolist(), strict=True))
    more = min(_MOST, max(1, ceil(log10(many[cells[0]] / _LEFT))))
    known = f'"{name}"' if "[" in name else name  # as YAML takes it
    instead = f"rounding.decimals={places + more} with rounding.quantities={{{known}: {places}}}"

    def told() -> Iterator[Spans]:
        for i, j in cells:
            ends = (decimals.shown(float(end[i, j]), places + 1) for end in (low, high))
            least, most = map(Number.written, ends)
            cell = Term(judge.trace[name].symbol(i, j))
            yield cell, " is right from ", least, " to ", most, f"; {instead} would tell more"

    found.add(len(rows), told())
    return found


def hiding(judge: Judge, slip: Attempt, wrong: Trace) -> Spans | None:
    """Says where a mistake gives a number that a key accepts, though it isn't the right one, and
    how many decimals would tell it apart; None where it does so nowhere."""
    name = slip.definition.name
    if not judge.key.rounds(name):
        return None
    (low, high), places = judge.ranges(name), judge.key.decimals(name)
    right, other = judge.trace[name], wrong[name]
    apart = units(other.values, places) != units(right.values, places)
    flags = _shown(judge.trace, right, apart & (low <= other.values) & (other.values <= high))
    count = int(flags.sum())
    if not count:
        return None
    gap = float(np.abs(other.values[flags] - right.values[flags]).min())
    widest = float((high[flags] - low[flags]).max())
    i, j = divmod(int(flags.argmax()), flags.shape[1])
    also = f", and so at {count - 1} more" if count > 1 else ""
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
    """Says how many decimals tell numbers apart that lie in a range so many times as wide as what
    is between them."""
    more = min(_MOST, max(1, ceil(log10(times))))
    return f"rounding.decimals={places + more} would tell them apart"


def _shown(trace: Trace, quantity: Quantity, found: Flags) -> Flags:
    """Keeps the marks in the rows that a page shows."""
    return _of_rows(found, shown_rows(trace)(quantity))


def _of_rows(found: Flags, rows: Sequence[int] | None) -> Flags:
    """Keeps the marks in some rows; all of them where `rows` is None."""
    if rows is None:
        return found
    kept = np.zeros_like(found)
    kept[list(rows)] = found[list(rows)]
    return kept


MOST = 8
"""Of a longer list only so many are told, and how many more there are."""

_MOST_MISTAKES = 24
_MOST_TOLD = max(MOST, _MOST_MISTAKES)
_LONG = ("mistakes", "hiding", "wide")

_MORE_PLACES = 4
"""How many places a number at a rounding edge is shown with beyond those it is rounded to."""


_REVEALED = "These change a number, so that an answer can tell them."


def weaknesses(trace: Trace, steps: Sequence[str] = ()) -> Document:
    """Returns the page of what is weak about the numbers that some steps make (none named: all), a
    section a rule."""
    names = _names(trace, steps)
    judge = Judge(trace, printed=printed_roots(trace))
    tried = _Mistakes.of(judge, names)
    found = {**_numbers(trace, names), **_given(trace, names)}
    found |= {"mistakes": tried.never, "hiding": tried.hiding}
    found["ambiguous"] = _ambiguous(trace, names)
    found["wide"] = wide(judge, names)
    sections = [_section(rule, found[rule]) for rule in WEAK if found[rule].count]
    if tried.revealed.count:
        title, says = "Mistakes that can be revealed", _REVEALED
        sections.append(_listed("revealed", title, says, tried.revealed, _MOST_MISTAKES))
    sections.append(_criteria())
    return Document(
        Word(trace.scenario.title),
        tuple(sections),
        facts_of(trace),
        about=tuple(_in_short(found)),
        closing=tuple(_nicer(trace, found)),
        data=PageData(rounding=rounding_facts(trace)),
    )


_SOUGHT = RULES.keys() & WEAK.keys() - {"mistakes"}
"""What other numbers don't break; a mistake may be right by nature."""


def _nicer(trace: Trace, found: Mapping[str, Findings]) -> Iterator[Block]:
    """Yields which commands look for nicer numbers, where there may be some."""
    scenario, broken = trace.scenario, {rule for rule in _SOUGHT if found[rule].count}
    called, commands = as_asked_for(scenario), dict[str, str]()
    if called is not None and broken - OF_ONE_KIND and plan_of(trace, ()).drawn:
        command = f"attn design {typed(called)} --forms 2{asking_for_large(scenario)} -o nicer/"
        commands["in forms of it, "] = harmless(command)
    if broken and (command := design_command(trace)):
        commands["in a new scenario, "] = command
    told = [part for says, command in commands.items() for part in ("; ", says, Term(command))]
    if told:
        yield Callout(("Nicer numbers: ", *told[1:]))


def _names(trace: Trace, steps: Sequence[str]) -> list[str]:
    """Lists the quantities that the steps make, and given weights too where no step is named."""
    chosen = select(trace, steps)
    parts = [p for p in shown_parts(trace) if chosen.includes(p) and not only_joins(p)]
    made = [quantity.name for part in parts for quantity in made_by(trace, part)]
    given = [q.name for q in trace.quantities.values() if q.given and is_share(q.name)]
    return [*(() if steps else given), *made]


def _section(rule: str, found: Findings) -> Section:
    most = _MOST_MISTAKES if rule in _LONG else MOST
    return _listed(rule, WEAK[rule].title, WEAK[rule].says, found, most)


def _criteria() -> Section:
    """Returns the section of what is asked of numbers, by the names that `--allow` takes."""
    items = tuple((rule, ": ", RULES[rule]) for rule in WEAK if rule in RULES)
    blocks = (Paragraph(("Forms and new scenarios keep these rules.",)), Bullets(items))
    return Section("nice", None, ("What is taken for nice",), (), blocks)


def _listed(name: str, title: str, says: str, found: Findings, most: int) -> Section:
    return Section(name, None, (title,), (), (Paragraph((says,)), _list(found, most)))


def _list(found: Findings, most: int) -> Bullets:
    lines = found.told[:most]
    if found.count > most:
        lines.append((f"… and {found.count - most:,} more",))
    return Bullets(tuple(lines))


def _given(trace: Trace, names: Sequence[str]) -> dict[str, Findings]:
    """Finds which of the matrices that may vary, and that these quantities are made of, break a
    rule about given numbers."""
    made = (trace[name].definition for name in names)
    used = {name for definition in made if definition for name in definition.operands}
    matrices = [drawn.names[0] for drawn in drawn_of(trace.scenario, used) if not drawn.whole]
    return {
        rule: Findings.of((Term(name),) for name in matrices if check(trace[name].values).any())
        for rule, check in GIVEN_CHECKS.items()
    }


def _in_short(found: Mapping[str, Findings]) -> Iterator[Block]:
    """Yields what was found in short: that nothing is weak, or how many of each, with the first
    ones by name."""
    weak = {rule: found[rule] for rule in WEAK if found[rule].count}
    if not weak:
        others = ", ".join(rule.several for rule in WEAK.values())
        yield Paragraph((f"Nothing is weak here. Looked for: {others}.",))
        return
    yield Paragraph(("Weak here:",))
    yield Bullets(tuple(_counted(WEAK[rule], its) for rule, its in weak.items()))


def _counted(rule: Rule, found: Findings) -> Spans:
    """Says how many findings there are, and which: `2 ties: weights[I], weights[love]`"""
    count = f"{found.count:,} {agreed(found.count, rule.singular, rule.several)}"
    told = found.told[:_NAMED]
    cells: list[Spans] = [spans[:1] for spans in told if isinstance(spans[0], Term)]
    names, between = (found.short[:_NAMED], "; ") if found.short else (cells, ", ")
    if len(names) < len(told):  # a column is no cell
        return (count,)
    listed = [part for name in names for part in (between, *name)][1:]
    return count, ": ", *listed, *([f"{between}…"] if found.count > len(names) else [])


_NAMED = 3
"""Findings of a rule that are named at the beginning."""


def _ambiguous(trace: Trace, names: Sequence[str]) -> Findings:
    found, both = Findings(), under_both(trace)
    if both is None:
        return found
    rows = shown_rows(trace)
    for name in names:
        flags = _of_rows(ambiguous(both, name), rows(trace[name]))
        found.add(int(flags.sum()), _both_ways(both, name, flags))
    return found


def _both_ways(both: Both, name: str, flags: Flags) -> Iterator[Spans]:
    quantity, other = both.carry[name], both.exact[name]
    for i, j in _cells_of(flags):
        carry, exact = quantity.matrix.number(i, j), other.matrix.number(i, j)
        yield Term(quantity.symbol(i, j)), " is ", carry, " under carry and ", exact, " under exact"


def _numbers(trace: Trace, names: Sequence[str]) -> dict[str, Findings]:
    """Finds what breaks the rules that are about one quantity."""
    rows = shown_rows(trace)
    found = {rule: Findings() for rule in CHECKS}
    for name in names:
        quantity = trace[name]
        made = made_of(trace, quantity, rows)
        for rule, check in CHECKS.items():
            broken = check(made)
            if broken is not None and broken.any():
                _TELLERS[rule](found[rule], quantity, made, broken)
    return found


Telling = Callable[[Quantity, CandidateQuantity, int, int], Spans]
"""What is said of a cell, or of the row that it is the first of."""


def _each(tell: Telling) -> Teller:
    """Tells of each cell, or each row, of those that are shown."""

    def teller(found: Findings, quantity: Quantity, made: CandidateQuantity, broken: Flags) -> None:
        flags = _of_rows(broken, made.rows)
        cells = (tell(quantity, made, *cell) for cell in _cells_of(flags))
        found.add(int(flags.sum()), cells)

    return teller


def _cells_of(flags: Flags) -> Iterator[tuple[int, int]]:
    """Yields the cells that are marked, row by row."""
    for i in np.flatnonzero(flags.any(axis=1)).tolist():
        yield from ((i, j) for j in np.flatnonzero(flags[i]).tolist())


def _row_term(quantity: Quantity, i: int) -> Term:
    return Term(quantity.symbol(i))


def _cell(quantity: Quantity, made: CandidateQuantity, i: int, j: int) -> Spans:  # noqa: ARG001
    return Term(quantity.symbol(i, j)), " is ", quantity.matrix.number(i, j)


def _edge(quantity: Quantity, made: CandidateQuantity, i: int, j: int) -> Spans:
    full = decimals.shown(float(made.full[i, j]), made.decimals + _MORE_PLACES)
    number = quantity.matrix.number(i, j)
    return Term(quantity.symbol(i, j)), " is ", number, ", rounded from ", Number.written(full)


def _sum(quantity: Quantity, made: CandidateQuantity, i: int, j: int) -> Spans:  # noqa: ARG001
    row = (quantity.matrix.number(i, k).shown for k in range(quantity.matrix.shape[1]))
    return _row_term(quantity, i), " adds up to ", Number.written(decimals.total(row))


def _winner(quantity: Quantity, made: CandidateQuantity, i: int, j: int) -> Spans:  # noqa: ARG001
    column = quantity.columns.index(int(made.values[i].argmax()))
    return _row_term(quantity, i), " is largest at ", Word(column), ", as an earlier row is"


def _whole_row(quantity: Quantity, made: CandidateQuantity, i: int, j: int) -> Spans:  # noqa: ARG001
    return (_row_term(quantity, i),)


def _whole(found: Findings, quantity: Quantity, _: CandidateQuantity, __: Flags) -> None:
    found.add(1, [(Term(quantity.name_symbol()),)])


def _ties(found: Findings, quantity: Quantity, made: CandidateQuantity, broken: Flags) -> None:
    """Tells of each number that some weights of a row share."""
    flags = _of_rows(broken, made.rows)
    for i in np.flatnonzero(flags.any(axis=1)).tolist():
        shared = np.unique(made.shown[i][flags[i]])
        found.add(len(shared), _ties_of_row(quantity, flags[i], i))


def _ties_of_row(quantity: Quantity, flags: Flags, i: int) -> Iterator[Spans]:
    numbers = (quantity.matrix.number(i, j) for j in np.flatnonzero(flags).tolist())
    for shown, times in Counter(number.shown for number in numbers).items():
        yield _row_term(quantity, i), " has ", Number.written(shown), f" {_TIMES.get(times, times)}"


_TIMES = {2: "twice", 3: "three times", 4: "four times"}


def _repeats(found: Findings, quantity: Quantity, made: CandidateQuantity, _: Flags) -> None:
    """Tells of the rows, then of the columns."""
    _each(_whole_row)(found, quantity, made, alike_rows(made))
    columns = np.flatnonzero(alike_columns(made)).tolist()
    found.add(len(columns), (("column ", Word(quantity.columns.index(j)), " of ",
                              Term(quantity.name)) for j in columns))  # fmt: skip


Teller = Callable[[Findings, Quantity, CandidateQuantity, Flags], None]
"""Adds where a rule is broken to what was found before."""

_TELLERS: Mapping[str, Teller] = MappingProxyType(
    {
        "large": _each(_cell),
        "zeros": _each(_whole_row),
        "repeats": _repeats,
        "trivial": _each(_cell),
        "conditions": _whole,
        "ties": _ties,
        "extreme": _each(_cell),
        "uniform": _each(_whole_row),
        "winners": _each(_winner),
        "exponentials": _each(_cell),
        "method": _each(_whole_row),
        "sums": _each(_sum),
        "edges": _each(_edge),
    }
)


class _Mistakes(NamedTuple):
    """A set of findings on the common mistakes."""

    revealed: Findings
    """Those that the numbers reveal."""
    never: Findings
    """Those that the numbers never reveal."""
    hiding: Findings
    """Those that give somewhere what a key has to accept."""

    @classmethod
    def of(cls, judge: Judge, names: Sequence[str]) -> _Mistakes:
        found = cls(Findings(), Findings(), Findings())
        for slip in attempts(judge.trace, names) if names else ():
            wrong = mistaken(judge.trace, slip.way, (slip.definition.name,))
            if wrong is None:
                continue
            spans, short = mistake_in_words(slip), mistake_in_words(slip, whole=False)
            shows = reveals(judge.trace, slip, wrong)
            (found.revealed if shows else found.never).add(1, [spans], [short])
            where = hiding(judge, slip, wrong)
            if where is not None:
                found.hiding.add(1, [(*spans, " ", *where)], [short])
        return found


def mistake_in_words(slip: Attempt, *, whole: bool = True) -> WordedText:
    """Says where a mistake is made, and what it is, or only how that begins."""
    before = f"{place} · " if (place := place_in_words(slip.part.path)) else ""
    says = slip.mistake.says_of(slip.definition, slip.part.definitions)
    said = says if whole else _END_OF_CLAUSE.split(says)[0]
    return (before, *title_of(slip.part), f": {said}")


_END_OF_CLAUSE = re.compile(r"[,:;]|\.$")
