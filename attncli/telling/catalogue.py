"""What there is to read: the steps with their formulas in general, the shipped scenarios in the
order of learning, what a scenario holds in a line, the topics of the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from attncli.arithmetic.expression import Equation, Symbol, with_each
from attncli.document import Block, Document, Facts, Note, Prose, Spans, Subheading, Term
from attncli.file import shipped
from attncli.name import Name
from attncli.steps import Step, formulas_of, steps
from attncli.steps.general import general_place
from attncli.steps.order import THROUGH
from attncli.telling.sentences import counted, sizes
from attncli.trace import Trace, WayPlace
from attncli.trace.outline import Outline
from attncli.trace.published import published_numbers
from attncli.word import Word, raw


def steps_catalogue() -> Document:
    """Every step and what it does, a line each, in the order they are told; then those that lead
    back through others."""
    rows = tuple((step.name, (step.does,)) for step in steps() if step.name not in THROUGH)
    back = Prose(("The gradients go back, the last step first: ", ", ".join(THROUGH), "."))
    learn = Note(("Why, and how: ", Term("attn explain softmax")))
    return Document(Word("Steps"), (), closing=(Facts(rows), back, learn))


def general_formulas(step: Step[Any]) -> tuple[Equation, ...]:
    """The formulas of a step with all that it can have, at any time if it has times."""
    place = general_place(step.name)
    formulas = formulas_of(step, place, step.planned(place))
    if not formulas:
        raise LookupError(f"the step {step.name} makes nothing where `general_place` puts it")
    return tuple(map(_at_any_time, formulas)) if isinstance(place, WayPlace) else formulas


def _at_any_time(formula: Equation) -> Equation:
    """A formula that was made for the second of three times, for any time t."""

    def change(node: Symbol) -> Symbol:
        name = node.name
        if isinstance(name, Name) and name.time in _TIMES:
            name = name.at(_TIMES[name.time])
        index = ("t" if raw(index) == "2" else index for index in node.indices)
        return Symbol(name, tuple(index))

    return Equation(*(with_each(side, Symbol, change) for side in formula))


_TIMES: dict[object, str] = {1: "t−1", 2: "t", 3: "t+1"}


_FILE = "contents.json"

Contents = Mapping[str, Mapping[str, str]]
"""What each scenario shows, by the title of its group and its name."""


def contents() -> Contents:
    """The table of contents, in the order of learning."""
    path = shipped.folder() / _FILE
    found: Contents = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def scenarios_catalogue(*more: Block) -> Document:
    """Where to start, the scenarios in their groups, and what else there is to say."""
    return Document(Word("Scenarios"), (), closing=(*_blocks(contents()), *more))


def _blocks(groups: Contents) -> list[Block]:
    first = [name for shown in groups.values() for name in shown][:1]
    blocks: list[Block] = [Prose(("Start here: ", Term(f"attn run {name}"))) for name in first]
    for title, shown in groups.items():
        rows = tuple((name, (says,)) for name, says in shown.items())
        blocks += [Subheading((title,)), Facts(rows)]
    return blocks


def summary(outline: Outline) -> Spans:
    """`I love AI: 3 tokens, d_model = 2, …; carry, 3 decimals; tokenize → … → ffn`"""
    scenario = outline.scenario
    steps = [part.step for part in outline.parts]
    path = f"{steps[0]} → {steps[-1]}" if len(steps) > 1 else "".join(steps) or "nothing to work"
    rounding = f"{scenario.rounding.policy}, {scenario.rounding.decimals} decimals"
    return (Word(scenario.title), ": ", *sizes(outline, scenario.stack), f"; {rounding}; {path}")


def published_in_short(trace: Trace) -> str:
    """`; 8 of 62 published numbers differ`; nothing where it prints none."""
    printed = published_numbers(trace) if trace.scenario.published else ()
    worked = [one for one in printed if not one.assumed]
    differing = sum(one.differs for one in worked)
    if not worked:
        return ""
    verb = "differs" if differing == 1 else "differ"
    return f"; {differing or 'none'} of {counted(len(worked), 'published number')} {verb}"


FILE = "README.md"
_HEADING = re.compile(r"^## (?=\w+: )", re.MULTILINE)
_COMMENT = re.compile(r"^<!-- .* -->\n\n", re.MULTILINE)
"""What says which table comes."""
_HEADING_OR_TABLE = re.compile(
    r"^#+ (?P<heading>.*)$|(?P<before>(?:^[^#|\n].*\n)*^[^#|\n].*:\n\n)?(?P<table>(?:^\|.*\n)+)",
    re.MULTILINE,
)


class Topic(NamedTuple):
    """A part of the reference, `## Rounding: what is rounded when`, and its text as Markdown."""

    name: str
    says: str
    text: str


def topics() -> dict[str, Topic]:
    """The parts of the reference by name, in their order."""
    return {one.name: one for one in map(_topic, _HEADING.split(_whole())[1:])}


def entries(word: str) -> str:
    """The rows of the reference's tables about a key, a step, an option, or a value that a key
    takes, each below its heading."""
    return "\n".join(_entries(word))


def _entries(word: str) -> Iterator[str]:
    heading = told = ""
    for found in _HEADING_OR_TABLE.finditer(_whole()):
        heading = found["heading"] or heading
        named, rule, *rows = (found["table"] or "\n\n").splitlines()
        about = [row for row in rows if f"`{word}`" in " | ".join(row.split(" | ")[:2])]
        if about:
            opening = () if heading == told else (f"## {heading}", "")
            told = heading
            yield "\n".join((*opening, found["before"] or "", named, rule, *about, ""))


def _whole() -> str:
    return _COMMENT.sub("", (shipped.folder() / FILE).read_text("utf-8"))


def topics_page() -> Document:
    """Each topic and what it is about, and how to look a word up."""
    rows = tuple((one.name, (one.says,)) for one in topics().values())
    how: Spans = (
        Term("attn help rounding"), " prints a topic; ", Term("attn help softcap"),
        " what is said of a key, a step, an option or a value.",
    )  # fmt: skip
    return Document(Word("attn help TOPIC"), (), closing=(Facts(rows), Note(how)))


def _topic(part: str) -> Topic:
    heading, _, _ = part.partition("\n")
    name, _, says = heading.partition(": ")
    return Topic(name.lower(), says, f"## {part}")
