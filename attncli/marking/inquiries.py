"""The questions of a trace that are answered in words: by their ids, and what is right for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.file.address import AddressError, Index, parse_address
from attncli.marking.paths import Paths
from attncli.name import Name
from attncli.refusals import listed, shortened
from attncli.steps import step_named
from attncli.steps.inquiry import WordsAsked
from attncli.steps.order import inquiries
from attncli.trace import PlannedStep, Trace
from attncli.trace.quantity import meant
from attncli.word import Phrase


class WordQuestion(NamedTuple):
    """A question that a part of the story can be asked, by its `id`; its `name` is that of all of
    its kind there, and `reads` the quantity that tells the answer. What comes later may tell it of
    one that is the `last`, and rows in their order of one that goes by rank."""

    id: str
    name: Name
    part: PlannedStep
    reads: Name
    asked: WordsAsked
    rule: Phrase = ()
    last: bool = False
    ranked: bool = False

    def right_on(self, paths: Paths) -> tuple[int, ...]:
        """The options that are right where honest paths lead, those of the trace's own first."""
        own = self.right_for(Enclosure.of(paths.trace[self.reads].values))
        return (*own, *(k for k in self.right_for(paths.written(self.reads)) if k not in own))

    def right_for(self, held: Enclosure) -> tuple[int, ...]:
        """The options that are right where numbers lie between two arrays."""
        return tuple(sorted(self.asked.right(held.low, held.high)))


def questions_of(trace: Trace, part: PlannedStep) -> Iterator[WordQuestion]:
    """What a part can be asked besides numbers, as far as the trace gets through it."""
    for inquiry in step_named(part.step).inquiries:
        name = part.place.name(inquiry.name)
        made = (part.place.name(local) for local in inquiry.reads)
        reads = next((one for one in made if one in trace and not trace[one].given), None)
        if reads is None:
            continue
        rule = inquiry.rule(part.place)
        for asked in inquiry.asks(part.place, trace):
            index = "" if asked.row is None else f"[{trace[reads].rows.index(asked.row)}]"
            yield WordQuestion(
                f"{name}{index}", name, part, reads, asked, rule, inquiry.last, inquiry.ranked
            )


def questions_at(trace: Trace, text: str) -> list[WordQuestion]:
    """The questions that an address means: all of a name, or one. Raises AddressError."""
    name, indices = parse_address(text)
    local = name.rpartition(".")[2]
    step = inquiries().get(local)
    parts = [part for part in trace.story if part.step == step]
    known = [one for part in parts for one in questions_of(trace, part) if one.name.local == local]
    if name != local:
        by_name: dict[str, Name] = {one.name: one.name for one in known}
        own = meant(name, by_name)
        known = [one for one in known if one.name == own]
    found = [one for one in known if not indices or one.asked.row == _row(trace, one, indices[0])]
    if not found:
        right = f"it has {listed([one.id for one in known])}" if known else _knows(trace)
        raise AddressError(f"nothing here is asked by {shortened(text)}", right)
    return found


def question_at(trace: Trace, text: str) -> WordQuestion:
    """The question of an id. Raises AddressError where it isn't that of one."""
    found = questions_at(trace, text)
    if len(found) > 1:
        raise AddressError(f"{shortened(text)} is asked more than once", f"say {found[0].id}")
    return found[0]


def _row(trace: Trace, question: WordQuestion, index: Index) -> int | None:
    """The row that an index means. Raises AddressError."""
    return trace[question.reads].rows.find(index, question.name)


def _knows(trace: Trace) -> str:
    names = dict.fromkeys(
        one.name.local for part in trace.story for one in questions_of(trace, part)
    )
    return f"ask {listed(names)}" if names else "ask for numbers instead"
