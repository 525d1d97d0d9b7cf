"""Feedback on an answer in practice: verdict, hint, explanation."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from attncli.classroom.exercises.line_blanks import Asked
from attncli.classroom.exercises.requests import AskedInWords, blocks_of
from attncli.classroom.exercises.tasks import line_by_names
from attncli.classroom.marking.word_answers import MarkedWords
from attncli.classroom.practice.memory import Kind, Outcome
from attncli.classroom.practice.session import Course, Lesson, Marked, Review, Session, Task
from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Derivation,
    Document,
    Line,
    Paragraph,
    Section,
    Spans,
    Table,
    Term,
    WordBlank,
)
from attncli.document.languages import words_of
from attncli.errors import counted
from attncli.judging.verdicts import FOLLOW, Cause, Given, Judgement, Verdict, read_number
from attncli.maths.equations.tree import (
    INNER,
    Expression,
    Location,
    Number,
    Symbol,
    numbers_in,
    with_each,
)
from attncli.maths.numbers import decimals
from attncli.names import Word, worded
from attncli.option_values import LANGUAGES
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.next_commands import as_asked_for, asking_for_large
from attncli.pages.parts.sections import formulas_before
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import gives_it, joined, put_in
from attncli.pages.parts.working import cell_line
from attncli.steps.order import step_of
from attncli.trace import Quantity, Trace

_ENGLISH = words_of(LANGUAGES[0])
_MOST_OWN = 6
"""Numbers of somebody's own that are told again before a question."""
_HINTS = 3
"""Hints for a number; for a question in words, or where nothing is worked, one less."""
_SAID: Mapping[Judgement, str] = MappingProxyType(
    {
        "correct": "right.",
        "worked otherwise": "right, {cause}",
        "carried forward": "it follows from your earlier {earlier}, so it counts.",
        "rounding": "nearly. {cause}",
        "known mistake": "it doesn't follow. {cause}",
        "slip": "it doesn't follow. {cause}",
        "blank": "nothing was written.",
        "unreadable": "{unreadable}",
    }
)


def page_of(*blocks: Block, sections: Sequence[Section] = ()) -> Document:
    """Returns some blocks as a page without a title."""
    return Document(Word(""), tuple(sections), opening=tuple(blocks))


def greeting(course: Course) -> Document:
    """Says what is asked, and how to answer."""
    session = course.own
    lesson, tasks, waiting = session.lesson, session.lesson.tasks, session.waiting
    numbers, questions = sum(len(task.cells) for task in tasks), sum(not t.cells for t in tasks)
    asked = [counted(numbers, "number")] * (numbers > 0) + [counted(questions, "question")] * (
        questions > 0
    )
    ways = ["the number or an expression of digits (e^2, 7.389/12.825)"] * (numbers > 0) + [
        "the word or its letter"
    ] * (questions > 0)
    long = f"{counted(course.minutes, 'minute')}, each time " if course.minutes else ""
    decimals = lesson.trace.rounding.decimals
    rows: tuple[tuple[str, Spans], ...] = (
        ("Practice", (f"{long}{' and '.join(asked)} to work out, {decimals} decimals",)),
        ("Answer", (f"write {', or '.join(ways)}",) + ((" of each cell, with spaces between",)
                   if lesson.by_rows else ()) + (", or",)),
        ("?", ("for a hint, up to three times",)),
        ("show", ("to see another line worked",)),
        ("skip", ("to see the answer,  quit  to stop here",)),
    )  # fmt: skip
    done, again = len(tasks) - len(waiting), course.due_here
    opening = [f"Continuing where you stopped: {done} of {len(tasks)} done."] * (done > 0)
    if again:
        first = "First, with other numbers, what was wrong before"
        opening.append(f"{first}: {_kinds_in_words(again)}.")
    callouts = tuple(Callout((text,)) for text in opening)
    return Document(Word(lesson.trace.scenario.title), (), DefinitionList(rows), opening=callouts)


def _kinds_in_words(kinds: Iterable[Kind]) -> str:
    """Names kinds of questions by their steps: `softmax (exp, weights), scores`"""
    by_step: dict[str, list[str]] = {}
    for step, name in kinds:
        by_step.setdefault(step, []).append(name)
    return ", ".join(
        step if names == [step] else f"{step} ({', '.join(names)})"
        for step, names in by_step.items()
    )


def section_opening(session: Session, section: int) -> Document:
    """Returns what a step is called and does, and the tables that it starts from."""
    opening = session.lesson.opening_of(section)
    return page_of(sections=(opening,))


def question(session: Session, task: Task) -> Document:
    """Asks for a number, `3 of 21 · weights[love, AI]`, with somebody's own numbers that go in; or
    asks in words, with the options and the rule that settles it."""
    if task.words is not None:
        return _question_in_words(session, task, task.words)
    lesson = session.lesson
    quantity, first = lesson.trace[task.cells[0].quantity], task.cells[0]
    row = lesson.by_rows and len(task.cells) > 1
    here = task.part.place.here(quantity.name)
    symbol = quantity.symbol(first.row, None if row else first.column, here)
    columns = [Word(quantity.columns.names[cell.column]) for cell in task.cells] if row else []
    across: Spans = (" for ", *joined([(c,) for c in columns])) if columns else ()
    own = _own_numbers(session, task)
    return page_of(Paragraph((_count(lesson, task), symbol, *across, *own)))


def _count(lesson: Lesson, task: Task) -> str:
    if isinstance(lesson, Review):
        return "once more · "
    return f"{lesson.tasks.index(task) + 1} of {len(lesson.tasks)} · "


def _question_in_words(session: Session, task: Task, asked: AskedInWords) -> Document:
    key = asked.asked_on(session.judge.key).words
    assert key is not None
    blocks = blocks_of(session.lesson.trace, [asked], [key], _ENGLISH)
    tables = (block for block in blocks if not isinstance(block, WordBlank))
    blank = asked.block(key, _ENGLISH, asked.question.rule)
    options = [
        (f"{label})\u00a0", option)
        for label, option in zip(blank.labels, blank.options, strict=False)
    ]
    listed = (Paragraph(joined(options)),) if options else ()
    count = Paragraph((_count(session.lesson, task), Word(asked.question.id)))
    return page_of(*tables, count, Paragraph(blank.text[:-1]), *listed)  # without its points


def _own_numbers(session: Session, task: Task) -> Spans:
    """Names the own numbers that go in: `, with your exp[love, AI] = 1.778`; none where they are
    many."""
    known = session.numbers
    sources = dict.fromkeys(s for cell in task.cells for s in session.judge.sources(cell))
    own = [cell for cell in sources if cell in known]
    if not own or len(own) > _MOST_OWN:
        return ()
    trace = session.lesson.trace
    rows = [
        (
            trace[c.quantity].symbol(c.row, c.column, task.part.place.here(trace[c.quantity].name)),
            " = ",
            Word(_as_number(known[c])),
        )
        for c in own
    ]
    return (", with your ", *joined(rows))


def _as_number(given: Given) -> str:
    """Returns a number as it was written; of an expression the value."""
    is_worked = given.number is not None and read_number(given.text).number is None
    return decimals.text(given.number) if is_worked and given.number is not None else given.text


def hint(session: Session, task: Task, given: int) -> Document | None:
    """Returns the next hint, where some are `given`: what the step does, the line in names, the
    line in numbers but for the result and what tells it. None where there are no more."""
    if given == 0:
        return page_of(*_what_happens(session, task))
    if task.words is not None:
        says: Spans = ("The answer is read from ", Term(task.words.question.reads), ".")
        return page_of(Paragraph(says)) if given == 1 else None
    trace = session.leading_to(task)
    quantity = trace[task.cells[0].quantity]
    lines = [_line_from_its_start(trace, quantity, cell) for cell in task.cells]
    asked = None if given == 1 else Asked(cells=frozenset(_telling(session, task, lines)))
    wanted = lines[:1] if given == 1 else lines
    told = [line_by_names(line, trace, task.part.path, asked) for line in wanted]
    if known := tuple(line for line in told if line.parts):
        return page_of(Derivation(known)) if given < _HINTS else None
    formulas = session.lesson.sections[task.section].section.formulas
    return page_of(Paragraph(joined((f,) for f in formulas))) if given == 1 else None


def _what_happens(session: Session, task: Task) -> list[Block]:
    """Returns what a step does; of one that a scenario wrote itself also what it is for, and the
    formula."""
    part = task.part
    step = step_of(part)
    says = [step.happens_at(part.place)]
    if part.place.called:
        says.append(worded(step.why_here(part.place)))
    names = dict.fromkeys(cell.quantity for cell in task.cells)
    formulas = formulas_before(part, (session.lesson.trace[name] for name in names))
    return [*(Paragraph(text) for text in says if any(text)), *formulas]


def _telling(session: Session, task: Task, lines: Sequence[Line]) -> Iterator[Location]:
    """Yields the cells whose numbers in some lines are, but for the sign, an answer to a task."""
    answers = session.right_answers(task)
    for number in (n for line in lines for _, form in line.parts[:-1] for n in numbers_in(form)):
        if number.cell is not None and number.cell is not INNER:
            either = (number.shown, -number.shown)
            if any(session.tells(task, answers, signed) for signed in either):
                yield number.cell


def _line_from_its_start(trace: Trace, quantity: Quantity, cell: Location) -> Line:
    """Returns the line of a cell, with nothing worked in its first form: of a copy that is what it
    copies, of what a form takes from a line of its own, `−(−2)`, what stands there."""
    line = cell_line(trace, quantity, cell.row, cell.column)
    definition = quantity.definition
    if definition is None:
        return line
    operands = trace.operands(definition)
    copied = definition.operation.first_form(cell.row, cell.column, *operands)
    (sign, form), *others = line.parts if len(line.parts) > 1 else [("=", copied), *line.parts]
    return line._replace(parts=((sign, _unfolded(form)), *others))


def _unfolded(form: Expression) -> Expression:
    """Replaces the numbers on the way in a form by what they were worked from."""
    return with_each(form, Number, lambda n: None if n.form is None else _unfolded(n.form))


def answer(session: Session, task: Task) -> Document:
    """Returns the whole line of each cell, from somebody's own numbers; or the right answer in
    words."""
    if task.words is not None:
        right = Word(session.right_answers(task)[0])
        return page_of(Paragraph((Word(task.words.question.id), ": ", right, ".")))
    trace = session.leading_to(task)
    quantity = trace[task.cells[0].quantity]
    lines = tuple(cell_line(trace, quantity, cell.row, cell.column) for cell in task.cells)
    return page_of(Derivation(lines))


def another(course: Course, session: Session, task: Task) -> Document:
    """Returns another line of the same kind in full, of what was answered or with other numbers; or
    says that there is none."""
    found = course.another(session, task)
    if found is None:
        return page_of(Callout(("There is no other line to show.",)))
    other, shown = found
    says = "This is how another was worked:" if other is session else "With other numbers:"
    reads = [] if shown.words is None else [other.lesson.trace[shown.words.question.reads]]
    tables = (matrix_block(quantity, Selection(), shown.part.path) for quantity in reads)
    return page_of(Paragraph((says,)), *tables, *answer(other, shown).opening)


def verdict_on(session: Session, marked: Marked) -> Document:
    """Says at once what an answer is."""
    if isinstance(marked, MarkedWords):
        no_answer = "that is none of the answers that there are."
        sign, *text = _said_of(marked.judgement, _cause(marked), "numbers", no_answer)
        return page_of(Paragraph((sign, Word(marked.asked.id), ": ", *text)))
    quantity = session.lesson.trace[marked.cell.quantity]
    name = Symbol(quantity.local, quantity.indices(*marked.cell.indices))
    unreadable: Spans = ("“", Word(marked.given.shown), _NO_NUMBER)
    sign, *text = _said_of(marked.judgement, marked.cause, "number", unreadable)
    shown, given = _as_number(marked.given), marked.given.text
    worked: Spans = ("" if shown == given else f" It counts as {shown}.",)
    return page_of(Paragraph((sign, name, ": ", *text, *worked)))


_NO_NUMBER = (
    "” is no number. Numbers are 0.422, 0,422, 2/3, 42.2%, 1e-3 and −∞; sums, products, quotients"
    " and powers of digits are worked out, as e^2 and 7.389/12.825."
)


def _cause(marked: Marked) -> Cause | None:
    return marked.cause if isinstance(marked, Verdict) else next(iter(marked.causes), None)


def mistake_of(marked: Marked) -> Cause:
    """Returns what is remembered of a wrong answer: a name, where it has one, and a sentence."""
    what = "A number" if isinstance(marked, Verdict) else "An answer in words"
    return _cause(marked) or Cause("", f"{what} that doesn't follow.")


def _said_of(
    judgement: Judgement, cause: Cause | None, earlier: str, unreadable: str | Spans
) -> Spans:
    """Returns the mark of an answer, then what is said of it."""
    says = () if cause is None else cause.worded
    if judgement == "known mistake":
        says = gives_it(says)
    text = put_in(_SAID[judgement], cause=says, earlier=earlier, unreadable=unreadable)
    return ("✓ " if judgement in FOLLOW else "✗ ", *text)


_HEADINGS: Mapping[str, Outcome] = MappingProxyType(
    {"Right at once": "right", "After hints": "hinted", "Wrong": "wrong", "Shown": "shown"}
)


def closing(course: Course, *, remembers: bool) -> Document:
    """Says how it went, step by step: what sits and what doesn't, which mistakes were made, and
    what comes the next time where somebody `remembers`."""
    results = [pair for session in course.begun for pair in session.results()]
    if not results:
        return page_of(Callout(("Nothing was answered.",)))
    steps: dict[str, Counter[str]] = {}
    kinds: dict[Kind, set[str]] = {}
    for kind, cell in results:
        steps.setdefault(kind[0], Counter())[cell.outcome] += 1
        kinds.setdefault(kind, set()).add(cell.outcome)
    rows = tuple(
        (step, str(counts.total()), *(str(counts[name]) for name in _HEADINGS.values()))
        for step, counts in steps.items()
    )
    mistakes = Counter(says for _, cell in results for says in cell.mistakes)
    again = [step for step, counts in steps.items() if counts.keys() != {"right"}]
    return page_of(
        Table(("Step", "Asked", *_HEADINGS), rows),
        DefinitionList(tuple(_sits(kinds, course.due_here if remembers else ()))),
        *(
            Callout((Word(says), *[f" ({count} times)"] * (count > 1)))
            for says, count in mistakes.most_common()
        ),
        *_again(course, again),
    )


def _sits(kinds: Mapping[Kind, set[str]], due: Sequence[Kind]) -> Iterator[tuple[str, Spans]]:
    """Yields what was right at once, what was after hints, what wasn't, and what comes the next
    time."""
    wrong = [kind for kind, outcomes in kinds.items() if outcomes & {"wrong", "shown"}]
    hinted = [k for k, outcomes in kinds.items() if "hinted" in outcomes and k not in wrong]
    sits = [kind for kind, outcomes in kinds.items() if outcomes == {"right"}]
    named = (("Mastered", sits), ("After hints", hinted), ("To repeat", wrong))
    yield from ((name, (_kinds_in_words(found),)) for name, found in named if found)
    if due:
        yield "Next time", (f"first, with other numbers: {_kinds_in_words(due)}",)


def _again(course: Course, steps: Sequence[str]) -> Iterator[Block]:
    session, minutes = course.own, course.minutes
    scenario = session.lesson.trace.scenario
    called = as_asked_for(scenario)
    if not steps:
        left = 0 if minutes else len(session.waiting)
        more = f"All that was answered is right. {counted(left, 'question')} to go."
        yield Callout((more if left else "All of it is right.",))
    elif called is not None:
        wanteds = session.lesson.request.words
        numbers = steps if session.lesson.request.asks else ()
        options = [("--step", step) for step in numbers] + [("--ask", w.text) for w in wanteds]
        text = " ".join(f"{option} {shlex.quote(value)}" for option, value in options)
        text += f" --minutes {minutes}" if minutes else " --fresh"
        command = f"attn practice {shlex.quote(called)} {text}{asking_for_large(scenario)}"
        yield Callout(("To practise again: ", Term(command)))
