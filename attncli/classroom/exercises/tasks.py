"""Tasks in words, `Compute the three scores of the query “likes”.`, and hints, without numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.classroom.exercises.line_blanks import Asked, Blankable, LineAsker, ShownCells
from attncli.classroom.exercises.requests import ExerciseRequest
from attncli.document.blocks import (
    AnswerSpace,
    Block,
    Bullets,
    ColumnSum,
    Derivation,
    Document,
    Line,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Term,
    parts_of,
)
from attncli.document.languages import FrameWords, Words
from attncli.document.questions import Item, Worth, counted_points
from attncli.maths.equations.tree import Dot, Number
from attncli.maths.notation import plain
from attncli.maths.operations.subwords import CountInWords
from attncli.names import Name, Word
from attncli.pages.parts.sentences import joined, put_in
from attncli.pages.parts.working import cell_line
from attncli.steps import step_named
from attncli.steps.order import step_of
from attncli.steps.written.step import EQUATIONS_STEP
from attncli.trace import PlannedStep, Quantity, Trace
from attncli.trace.axes import KEYS, QUERIES, TOKENS

_KINDS = {QUERIES: "query", KEYS: "key", TOKENS: "token"}
"""What a row is, by what the rows are."""
_ROUND = Decimal("0.5")
"""What the points of each quantity are multiples of where they are told one by one."""
_LEAST, _MOST, _MOST_OF_A_PAGE = 2, 10, 10
_ON_A_LINE = 55
"""Signs that one writes by hand on a line."""
_BESIDES = 14
"""Signs for the relation and the result of what one works, and space behind it."""


_Numbers = Sequence[tuple[Blankable, Item]]


class _TaskPart(NamedTuple):
    """What is asked of one quantity."""

    what: Spans
    row: tuple[str, str] = ("", "")
    """What the only row is that is asked of, and its name; nothing where there are more."""
    says_row: bool = True
    """Whether `what` says already which row that is, or that there are more."""


def task_of(trace: Trace, path: Name, asked: _Numbers, words: FrameWords) -> Paragraph:
    """Writes the task of a section at a path, with the points of each quantity if there are several
    and they are round; those of all stand above it."""
    results: dict[Name, list[tuple[Blankable, Item]]] = {}
    terms: list[tuple[Blankable, Item]] = []
    for number, item in asked:
        group = terms if number.cell is None else results.setdefault(number.quantity, [])
        group.append((number, item))
    tasks, alone = words.tasks, len(results) + bool(terms) == 1
    parts = [
        (_numbers(trace[name], path, group, tasks, alone=alone), group)
        for name, group in results.items()
    ]
    if terms:
        parts.append((_TaskPart((tasks.missing,)), terms))
    if alone:
        return Paragraph(put_in(tasks.compute, what=_with_row(parts[0][0], tasks)))
    rows = {part.row for part, _ in parts}
    kind, name = next(iter(rows)) if len(rows) == 1 else ("", "")
    lines = [part.what if name else _with_row(part, tasks) for part, _ in parts]
    if all(_worth(own) % _ROUND == 0 for _, own in parts):
        pairs = zip(lines, parts, strict=True)
        lines = [put_in(tasks.part, what=w, points=_points(own, words)) for w, (_, own) in pairs]
    template = tasks.texts["several_of"][kind] if name else tasks.several
    return Paragraph(put_in(template, name=(Word(name),), what=joined(lines, "; ")))


def _worth(asked: _Numbers) -> Worth:
    return sum((question.points for _, question in asked), Decimal(0))


def _points(asked: _Numbers, words: FrameWords) -> str:
    return counted_points(_worth(asked), words)


def _with_row(part: _TaskPart, words: Words) -> Spans:
    """Says of which row numbers are, where they don't say it themselves."""
    kind, name = part.row
    if part.says_row or not name:
        return part.what
    return put_in(getattr(words, f"of_{kind}"), what=part.what, name=(Word(name),))


def _numbers(
    quantity: Quantity, path: Name, asked: _Numbers, words: Words, *, alone: bool
) -> _TaskPart:
    """Writes which numbers are asked for: `the three scores`, `the six numbers of Q`; of one number
    `exp_sum[I], the sum of the exponentials` where it is asked for alone."""
    first, _ = asked[0]
    cell, named = first.cell, quantity.name.seen_from(path)
    kind = _KINDS.get(quantity.rows.role, "row")
    if len(asked) == 1 and cell is not None:
        symbol = Term(quantity.symbol(cell.row, cell.column, named))
        what = _called(quantity, path, words.texts["one"])
        row = kind, quantity.rows.names[cell.row]
        if what is None:
            return _TaskPart((symbol,), row)
        if alone:
            told = _with_row(_TaskPart((what,), row, says_row=kind == "row"), words)
            return _TaskPart(put_in(words.called, name=(symbol,), what=told))
        return _TaskPart(put_in(words.one_of_several, name=(symbol,), what=what), row)
    name, many, numbers = Term(quantity.name_symbol(named)), len(asked), words.texts["numbers"]
    count = numbers[many] if many < len(numbers) else str(many)
    template = _called(quantity, path, words.texts["named"]) or words.numbers_of
    spans = put_in(template, count=count, name=(name,))
    rows = {place.cell.row for place, _ in asked if place.cell is not None}
    if len(rows) > 1 or quantity.is_list:
        return _TaskPart(spans)
    return _TaskPart(spans, (kind, quantity.rows.names[min(rows)]), says_row=False)


def _called(quantity: Quantity, path: Name, texts: Mapping[str, str]) -> str | None:
    """Finds what numbers of a quantity are called in words; None where that is a name alone, as it
    is of a scenario's own quantities, and of those elsewhere."""
    local, made = quantity.name.local, quantity.definition
    step = "" if made is None else made.step
    if step == EQUATIONS_STEP.name or local != quantity.name.seen_from(path):
        return None
    return texts.get(f"{step}.{local}", texts.get(local))


def room(
    trace: Trace, section: Section, places: Sequence[Blankable], request: ExerciseRequest
) -> list[Block]:
    """Returns room for the working: as many lines as are asked for, or else as many as it takes,
    where no line of it is there to be filled in."""
    if request.room is not None:
        return [AnswerSpace(request.room, exact=True)] if request.room else []
    layout = request.layout
    lines = (line for block in section.blocks for line in parts_of(block, Line))
    worked = any(len(line.parts) > 1 for line in lines)
    if layout == "compact" or worked or any(isinstance(x, ColumnSum) for x in section.blocks):
        return []
    if layout == "pages":
        return [AnswerSpace(min(_MOST_OF_A_PAGE, max(_LEAST + 1, len(places))), to_end=True)]
    lines_needed = sum(_lines_for(trace, places))
    return [AnswerSpace(min(_MOST, max(_LEAST, lines_needed)))] if lines_needed else []


def _lines_for(trace: Trace, places: Sequence[Blankable]) -> Iterator[int]:
    """Yields how many lines one writes for the numbers of each quantity, told by the first of them,
    as many beside each other as fit: none for what is only looked up or counted."""
    counts = Counter(place.quantity for place in places if place.cell is not None)
    first = {p.quantity: p.cell for p in reversed(places) if p.cell is not None}
    for name, cell in first.items():
        quantity = trace[name]
        *before, _ = cell_line(trace, quantity, cell.row, cell.column).parts
        if before and not is_counted(quantity):
            forms = [form for _, form in before if not isinstance(form, Dot)]
            signs = max((len(plain(form)) for form in forms), default=0) + _BESIDES
            yield -(-counts[name] // max(1, _ON_A_LINE // signs))


def is_counted(quantity: Quantity) -> bool:
    """Tells whether the numbers of a quantity are counts, which are whole."""
    definition = quantity.definition
    return definition is not None and isinstance(definition.operation, CountInWords)


def arranged(sections: Iterable[Section], *, to_end: bool) -> tuple[list[Block], list[Section]]:
    """Arranges sections into what opens a paper, and its questions, numbered from 1. Sections that
    ask for nothing go to the beginning of the next one that does, and what one before has said
    isn't said again. The room for the last one's working may go on `to_end` of the last page."""
    opening: list[Block] = []
    waiting: list[Block] = []
    asking: list[Section] = []
    done: list[Section] = []
    for section in sections:
        if not section.questions:
            heading = section._replace(number=None).heading
            waiting += [Subheading(heading), *section.blocks]
            continue
        opening += waiting if not done else []
        before = waiting if done else []
        new = _without_repeated(section, asking)
        asking.append(section)
        done.append(new._replace(number=len(done) + 1, blocks=(*before, *new.blocks)))
        waiting = []
    return opening, [*done[:-1], *map(_to_the_end, done[-1:])] if to_end else done


def _to_the_end(section: Section) -> Section:
    match section.blocks:
        case [*before, AnswerSpace() as last]:
            return section._replace(blocks=(*before, last._replace(to_end=True)))
    return section


def _without_repeated(section: Section, before: Sequence[Section]) -> Section:
    """Returns a section without the first sentence and the formulas that the same step had
    before."""
    alike = [s for s in before if s.step == section.step]
    first = section.blocks[:1]
    begins = first and isinstance(first[0], Paragraph)
    repeats = bool(begins) and any(s.blocks[:1] == first for s in alike)
    again = any(s.formulas == section.formulas for s in alike)
    return section._replace(
        blocks=section.blocks[1:] if repeats else section.blocks,
        formulas=() if again else section.formulas,
    )


def hints_page(whole: Document, trace: Trace) -> Document:
    """Makes a sheet of hints for an exercise: what each step is for, how one of its cells is
    worked, and the mistakes people make."""
    assert whole.paper is not None
    return whole._replace(
        sections=tuple(
            how._replace(blocks=(*how.blocks, *mistakes.blocks))
            for how, mistakes in _hints(whole.sections, trace, whole.paper.words.tasks)
        ),
        data=whole.data._replace(given=()),
        opening=(),
        paper=whole.paper._replace(kind="hints", command=Word("")),
    )


def with_hints(whole: Document, trace: Trace) -> Document:
    """Adds to an exercise its hints, one list for each try: how each step is done, then the
    mistakes people make."""
    assert whole.paper is not None
    words = whole.paper.words.tasks
    how, mistakes = zip(*_hints(whole.sections, trace, words), strict=True)
    tries = (tuple(s for s in sections if s.blocks) for sections in (how, mistakes))
    hints = tuple(sections for sections in tries if sections)
    return whole._replace(answers=whole.answers._replace(hints=hints))


def _hints(
    sections: Sequence[Section], trace: Trace, words: Words
) -> Iterator[tuple[Section, Section]]:
    """Yields for each section how it is done, and the mistakes of its step. What a step is for, and
    its mistakes, come only with its first section."""
    known: set[tuple[str, str]] = set()
    for section in sections:
        bare, own = section._replace(questions=(), solution=()), _own_part(section, trace)
        kind = (section.step, "") if own is None else own.kind
        parts = [part for part in trace.story if part.kind == kind]
        step = step_of(parts[0]) if parts else step_named(section.step)
        why = step.why_here(parts[0].place if parts else None)
        purpose = (Paragraph((why,)),) if why and kind not in known else ()
        mistakes = () if kind in known else _mistakes(parts, words)
        known.add(kind)
        yield (
            bare._replace(blocks=(*purpose, *_by_names(section, trace, words))),
            bare._replace(blocks=tuple(mistakes)),
        )


def _own_part(section: Section, trace: Trace) -> PlannedStep | None:
    """Finds the part that a section is about where a scenario wrote its step itself."""
    asked = (item.cell.quantity for item in section.questions if item.cell is not None)
    parts = map(trace.part_of, asked)
    return next((part for part in parts if part is not None and part.place.called), None)


def _mistakes(parts: Sequence[PlannedStep], words: Words) -> Sequence[Block]:
    """Returns the mistakes of a step that can be made in one of some parts, in the words of the
    first such part."""
    said: dict[str, str] = {}
    for part in parts:
        at = part.place, part.definitions
        for mistake in step_of(part).mistakes:
            said.setdefault(mistake.name, "")
            if not said[mistake.name] and any(mistake.ways(*at)):
                said[mistake.name] = mistake.says_at(*at)
    mistakes = tuple((says,) for says in said.values() if says)
    return [Subheading((words.common_mistakes,)), Bullets(mistakes)] if mistakes else []


def _by_names(section: Section, trace: Trace, words: Words) -> list[Block]:
    """Returns the first line of each quantity of the solution, with names in place of its
    numbers."""
    lines = [line_by_names(line, trace, section.path) for line in _first_lines(section.solution)]
    filled = tuple(line for line in lines if line.parts)
    return [Subheading((words.how_one_is_done,)), Derivation(filled)] if filled else []


def line_by_names(
    line: Line | ColumnSum, trace: Trace, path: Name, hidden: Asked | None = None
) -> Line:
    """Returns a line without its result, with names in place of its numbers, or of `hidden`
    ones."""
    asked = hidden or Asked(quantities=frozenset(trace))
    asker = LineAsker(trace, path, asked, ShownCells(trace))
    if isinstance(line, ColumnSum):
        added, _ = asker.addition(line)
        assert isinstance(added, Derivation)
        (line,) = (entry for entry in added.lines if isinstance(entry, Line))
    forms = [form for _, form in line.parts[:-1]]
    expressions, _ = asker.forms(forms, line, asks=True)
    kept = (form for form in expressions if form is not None and not isinstance(form, Number))
    return line._replace(parts=tuple(("=", form) for form in kept))


def _first_lines(blocks: Sequence[Block]) -> Iterator[Line | ColumnSum]:
    seen: set[str] = set()
    kinds: tuple[type[Line | ColumnSum], ...] = (Line, ColumnSum)
    for line in (entry for block in blocks for entry in parts_of(block, kinds)):
        if line.quantity not in seen:
            seen.add(line.quantity)
            yield line
