"""What is said to somebody who practises of questions that are answered in words."""

from __future__ import annotations

from attncli.choices import LANGUAGES
from attncli.document import Document, Prose, Spans, WordBlank
from attncli.languages import words_of
from attncli.marking.grading.words import MarkedWords
from attncli.steps import step_named
from attncli.telling.exercise.requests import AskedInWords, blocks_of
from attncli.telling.practice.session import Session, Task
from attncli.telling.practice.words import page_of, said_of
from attncli.telling.sentences import joined
from attncli.word import Word

_ENGLISH = words_of(LANGUAGES[0])


def question(session: Session, task: Task) -> Document:
    """What is asked, its options and the rule that settles it."""
    asked = _asked(task)
    trace, number = session.lesson.trace, session.lesson.tasks.index(task) + 1
    key = asked.asked_on(session.judge.right).words
    assert key is not None
    tables = (b for b in blocks_of(trace, [asked], [key], _ENGLISH) if not isinstance(b, WordBlank))
    count: Spans = (f"{number} of {len(session.lesson.tasks)} · {asked.question.id}",)
    told = asked.block(key, _ENGLISH, asked.question.rule)
    options = [
        (f"{label})\u00a0", option)
        for label, option in zip(told.labels, told.options, strict=False)
    ]
    listed = (Prose(joined(options)),) if options else ()
    return page_of(*tables, Prose(count), Prose(told.text[:-1]), *listed)  # without its points


def _asked(task: Task) -> AskedInWords:
    assert task.words is not None
    return task.words


def hint(task: Task) -> Document:
    """What the step does, and what settles the answer."""
    place, asked = task.part.place, _asked(task)
    rule = (Prose(asked.question.rule),) if asked.question.rule else ()
    return page_of(Prose(step_named(task.part.step).happens_at(place)), *rule)


def answer(session: Session, task: Task) -> Document:
    """The right answer."""
    asked = _asked(task)
    return page_of(Prose((f"{asked.question.id}: ", Word(session.right_words(task)), ".")))


def verdict_on(marked: MarkedWords) -> Spans:
    """What is said of an answer at once."""
    name, cause = (marked.asked.id, ": "), next(iter(marked.causes), None)
    unreadable = "that is none of the answers that there are."
    return said_of(marked.judgement, name, cause, earlier="numbers", unreadable=unreadable)
