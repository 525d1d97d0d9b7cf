"""What is said to somebody who practises."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

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
from attncli.equations.tree import Symbol
from attncli.exercises.requests import AskedInWords, blocks_of
from attncli.exercises.tasks import line_by_names
from attncli.languages import words_of
from attncli.marking.verdicts import FOLLOW, Cause, Judgement, Verdict
from attncli.marking.word_answers import MarkedWords
from attncli.names import Name, Word
from attncli.option_values import LANGUAGES
from attncli.pages.parts.closing import as_asked_for, asking_for_large
from attncli.pages.parts.sentences import counted, joined
from attncli.pages.parts.working import cell_line
from attncli.practice.session import Session, Task, is_right
from attncli.steps import step_named

_MOST_OWN = 6
"""Numbers of somebody's own that are told again before a question."""
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
    """Some blocks without a title."""
    return Document(Word(""), tuple(sections), opening=tuple(blocks))


def greeting(session: Session) -> Document:
    """What is asked, and how to answer."""
    tasks, waiting = session.lesson.tasks, session.waiting
    numbers, questions = sum(len(task.cells) for task in tasks), sum(not t.cells for t in tasks)
    asked = [counted(numbers, "number")] * (numbers > 0) + [counted(questions, "question")] * (
        questions > 0
    )
    ways = ["the number"] * (numbers > 0) + ["the word or its letter"] * (questions > 0)
    rounding = session.lesson.trace.rounding
    rows: tuple[tuple[str, Spans], ...] = (
        ("Practice", (f"{' and '.join(asked)} to work out, {rounding.decimals} decimals",)),
        ("Answer", (f"write {', or '.join(ways)}",) + ((" of each cell, with spaces between",)
                   if session.lesson.by_rows else ()) + (", or",)),
        ("?", ("for a hint, another ? for the numbers that go in",)),
        ("skip", ("to see the answer,  quit  to stop here",)),
    )  # fmt: skip
    again = Callout(
        (f"Continuing where you stopped: {len(tasks) - len(waiting)} of {len(tasks)} done.",)
    )
    title = Word(session.lesson.trace.scenario.title)
    opening = (again,) if len(waiting) < len(tasks) else ()
    return Document(title, (), DefinitionList(rows), opening=opening)


def section_opening(session: Session, section: int) -> Document:
    """What a step is called and does, and the tables that it starts from."""
    opening = session.lesson.opening_of(section)
    return page_of(sections=(opening,))


def question(session: Session, task: Task) -> Spans:
    """What is asked: `3 of 21 · weights[love, AI]`, with somebody's own numbers that go in."""
    lesson = session.lesson
    number = lesson.tasks.index(task) + 1
    quantity, first = lesson.trace[task.cells[0].quantity], task.cells[0]
    row = lesson.by_rows and len(task.cells) > 1
    symbol = quantity.symbol(first.row, None if row else first.column, _here(session, task))
    columns = [Word(quantity.columns.names[cell.column]) for cell in task.cells] if row else []
    across: Spans = (" for ", *joined([(c,) for c in columns])) if columns else ()
    own = _own_numbers(session, task)
    return (f"{number} of {len(lesson.tasks)} · ", symbol, *across, *own)


def _here(session: Session, task: Task) -> Name:
    return task.part.place.here(session.lesson.trace[task.cells[0].quantity].name)


def _own_numbers(session: Session, task: Task) -> Spans:
    """`, with your exp[love, AI] = 1.778`"""
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
            Word(known[c].text),
        )
        for c in own
    ]
    return (", with your ", *joined(rows))


def hint(session: Session, task: Task, *, with_numbers: bool) -> Document:
    """How the next number is done: in names, or with the numbers that go in; never its result."""
    lines = tuple(_hint_lines(session, task, with_numbers=with_numbers))
    if with_numbers:
        return page_of(Derivation(lines))
    step = step_named(task.part.step)
    return page_of(Paragraph(step.happens_at(task.part.place)), Derivation(lines))


def _hint_lines(session: Session, task: Task, *, with_numbers: bool) -> Iterator[Line]:
    trace = session.leading_to(task)
    for _, i, j in task.cells[: None if with_numbers else 1]:
        line = cell_line(trace, trace[task.cells[0].quantity], i, j)
        if not with_numbers:
            yield line_by_names(line, trace, task.part.path)
        elif len(line.parts) > 1:
            yield line._replace(parts=line.parts[:1])


def answer(session: Session, task: Task) -> Document:
    """The whole line of each cell, from somebody's own numbers."""
    trace = session.leading_to(task)
    quantity = trace[task.cells[0].quantity]
    lines = tuple(cell_line(trace, quantity, cell.row, cell.column) for cell in task.cells)
    return page_of(Derivation(lines))


def verdict_on(session: Session, verdict: Verdict) -> Spans:
    """What is said of a number at once."""
    trace, cell = session.lesson.trace, verdict.cell
    name: Spans = (
        Symbol(trace[cell.quantity].local, trace[cell.quantity].indices(*cell[1:])),
        ": ",
    )
    return said_of(verdict.judgement, name, verdict.cause)


def said_of(
    judgement: Judgement,
    name: Spans,
    cause: Cause | None,
    *,
    earlier: str = "number",
    unreadable: str = "that is no number.",
) -> Spans:
    """What is said of an answer, a number or one in words."""
    gives = "" if cause is None else cause.says
    if judgement == "known mistake":
        gives = f"It is what this gives: {gives[:1].lower()}{gives[1:]}"
    text = _SAID[judgement].format(cause=gives, earlier=earlier, unreadable=unreadable)
    return ("✓ " if judgement in FOLLOW else "✗ ", *name, text.rstrip())


def mistake_in_words(verdict: Verdict) -> str:
    """What is remembered of a wrong number."""
    usual = "A number that doesn't follow."
    return usual if verdict.cause is None else verdict.cause.says


def closing(session: Session) -> Document:
    """How it went, step by step, and what to practise again."""
    results = session.results()
    rows = tuple(
        (
            step,
            str(len(each)),
            str(sum(is_right(*pair) for pair in each)),
            str(sum(verdict is None for verdict, _ in each)),
        )
        for step, each in results.items()
    )
    if not rows:
        return page_of(Callout(("Nothing was answered.",)))
    table = Table(("Step", "Asked", "Right at once", "Shown"), rows)
    again = [s for s, each in results.items() if not all(is_right(*pair) for pair in each)]
    return page_of(table, *_mistakes(session), *_again(session, again))


def _mistakes(session: Session) -> Iterator[Block]:
    for says, count in session.mistakes.most_common():
        times = "" if count == 1 else f" ({count} times)"
        yield Callout((f"{says}{times}",))


def _again(session: Session, steps: Sequence[str]) -> Iterator[Block]:
    scenario = session.lesson.trace.scenario
    called = as_asked_for(scenario)
    if not steps:
        left = len(session.waiting)
        more = f"All that was answered is right; {counted(left, 'question')} to go."
        yield Callout((more if left else "All of it is right.",))
    elif called is not None:
        wanteds = session.lesson.request.words
        numbers = steps if session.lesson.request.asks else ()
        options = [("--step", step) for step in numbers] + [("--ask", w.text) for w in wanteds]
        text = " ".join(f"{option} {shlex.quote(value)}" for option, value in options)
        command = f"attn practice {shlex.quote(called)} {text} --fresh{asking_for_large(scenario)}"
        yield Callout(("To practise again: ", Term(command)))


# --------------------------------------------------------------------------------------------------
# What is said to somebody who practises of questions that are answered in words.

_ENGLISH = words_of(LANGUAGES[0])


def question_in_words(session: Session, task: Task) -> Document:
    """What is asked, its options and the rule that settles it."""
    asked = _asked(task)
    trace, number = session.lesson.trace, session.lesson.tasks.index(task) + 1
    key = asked.asked_on(session.judge.right).words
    assert key is not None
    tables = (b for b in blocks_of(trace, [asked], [key], _ENGLISH) if not isinstance(b, WordBlank))
    count: Spans = (f"{number} of {len(session.lesson.tasks)} · {asked.question.id}",)
    blank = asked.block(key, _ENGLISH, asked.question.rule)
    options = [
        (f"{label})\u00a0", option)
        for label, option in zip(blank.labels, blank.options, strict=False)
    ]
    listed = (Paragraph(joined(options)),) if options else ()
    return page_of(
        *tables, Paragraph(count), Paragraph(blank.text[:-1]), *listed
    )  # without its points


def _asked(task: Task) -> AskedInWords:
    assert task.words is not None
    return task.words


def hint_in_words(task: Task) -> Document:
    """What the step does, and what settles the answer."""
    place, asked = task.part.place, _asked(task)
    rule = (Paragraph(asked.question.rule),) if asked.question.rule else ()
    return page_of(Paragraph(step_named(task.part.step).happens_at(place)), *rule)


def answer_in_words(session: Session, task: Task) -> Document:
    """The right answer."""
    asked = _asked(task)
    return page_of(Paragraph((f"{asked.question.id}: ", Word(session.right_words(task)), ".")))


def verdict_in_words(marked: MarkedWords) -> Spans:
    """What is said of an answer at once."""
    name, cause = (marked.asked.id, ": "), next(iter(marked.causes), None)
    unreadable = "that is none of the answers that there are."
    return said_of(marked.judgement, name, cause, earlier="numbers", unreadable=unreadable)
