"""The page of a question: its answer in short, the numbers, then what to try."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from attncli.document.blocks import (
    Block,
    Callout,
    DefinitionList,
    Derivation,
    Document,
    Line,
    PageData,
    Paragraph,
    Section,
    Span,
    Spans,
    Table,
    Term,
)
from attncli.errors import agreed, listed
from attncli.maths.equations.tree import Number
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.names import Word
from attncli.pages.costs import CACHE, cache_line, value_of_cache
from attncli.pages.explain import find_cell, names_of
from attncli.pages.parts.sentences import rounding_facts
from attncli.pages.parts.tokenizing import cuts_beside, merges_beside
from attncli.pages.parts.working import cell_line
from attncli.pages.questions import Question
from attncli.pages.topics import DRAWN, SEED, lesson_blocks
from attncli.pipeline import load, work_on_demand
from attncli.scenario.file.address import AddressError, parse_address
from attncli.trace import Quantity, Trace
from attncli.trace.quantity import known_name


def question_page(question: Question) -> Document:
    """Returns the page that answers a question: in short, then the numbers, then what to try."""
    return _Answer(question).page()


class _Answer:
    """An answer in the making, with a trace for each setting."""

    def __init__(self, question: Question) -> None:
        self.question = question
        settings = question.settings.items() if question.scenario else ()
        self.traces = {
            name: work_on_demand(load(question.scenario, tuple(changes)))
            for name, changes in settings
        }

    def page(self) -> Document:
        asked = self.question
        blocks = (
            *self.numbers(),
            *(Paragraph(self.spans(text)) for text in asked.more),
            *(lesson_blocks(asked.lesson) if asked.lesson else ()),
        )
        return Document(
            Word(asked.title),
            (Section("", None, ("In numbers",), (), blocks),),
            DefinitionList(tuple(self.facts())),
            about=(Paragraph(self.spans(asked.says)),),
            closing=tuple(
                Callout((f"{says} ", Term(typed))) for says, typed in asked.tries.items()
            ),
            data=PageData(rounding=self.rounding),
        )

    @property
    def rounding(self) -> Mapping[str, object]:
        """Returns how the numbers are rounded, for data."""
        return next(map(rounding_facts, self.traces.values()), {})

    def facts(self) -> Iterator[tuple[str, Spans]]:
        """Yields where the numbers come from, and how they are rounded."""
        for scenario in [trace.scenario for trace in self.traces.values()][:1]:
            command = Term(f"attn run {self.question.scenario}")
            yield "Numbers", ("those of “", Word(scenario.title), "” (", command, ")")
            rounding = scenario.rounding
            count = f"{rounding.decimals} {agreed(rounding.decimals, 'decimal', 'decimals')}"
            yield "Rounding", (f"{rounding.policy}, {count}",)
        if self.question.lesson in DRAWN:
            yield "Drawn", (f"vectors of the lesson, with the seed {SEED}",)

    def numbers(self) -> Iterator[Block]:
        """Yields the numbers that answer it: what is compared, then what is worked."""
        if not self.traces:
            return
        yield from self.tables()
        worked = [(self.meant(text)[0], self.line(text)) for text in self.question.lines]
        names = {id(trace): name for name, trace in self.traces.items()}
        for trace, lines in groupby(worked, itemgetter(0)):
            if len(self.traces) > 1:
                yield Paragraph((f"{names[id(trace)]}:",))
            yield Derivation(tuple(line for _, line in lines))

    # -- tables

    def tables(self) -> Iterator[Block]:
        """Yields what is set side by side, in the order of the question: what stands together in a
        table is of one kind, and of rows has the same columns."""
        if self.question.stages:
            yield self.of_stages()
        for kind, texts in groupby(self.question.compare, self.kind_of):
            some = [*texts]
            if kind == "cells":
                yield self.of_cells(some)
            elif kind in _SIDE_BY_SIDE:
                yield _SIDE_BY_SIDE[kind](self.traces)
            elif len(self.traces) == 1:
                yield from self.of_rows(some)
            else:
                tables = [self.of_row(text) for text in some]
                yield from filter(_tells_apart, tables)

    def kind_of(self, text: str) -> str:
        """Tells what is compared: `cells`, `rows`, or something by its own name."""
        if text in _SIDE_BY_SIDE:
            return text
        if text == CACHE:
            return "cells"
        quantity = next(filter(None, (_named(trace, text) for trace in self.traces.values())), None)
        if quantity is None:
            raise LookupError(f"{self.question.key}: nothing is called {text}")
        is_cell = quantity.is_number or quantity.is_list
        return "cells" if is_cell or len(parse_address(text).indices) == 2 else "rows"  # noqa: PLR2004

    def of_row(self, text: str) -> Table:
        """Returns a table of a row in all settings that have it."""
        each = ((setting, _named(trace, text)) for setting, trace in self.traces.items())
        found = [(setting, quantity) for setting, quantity in each if quantity is not None]
        names = found[0][1].columns.words
        return Table((text, *names), tuple((s, *_row(quantity, text)) for s, quantity in found))

    def of_rows(self, texts: Sequence[str]) -> Iterator[Table]:
        """Yields tables of rows of the only setting, those together that have the same columns."""
        (trace,) = self.traces.values()
        named = ((text, _named(trace, text)) for text in texts)
        found = [(text, quantity) for text, quantity in named if quantity is not None]
        for names, some in groupby(found, lambda pair: pair[1].columns.words):
            rows = tuple((text, *_row(quantity, text)) for text, quantity in some)
            yield Table(("", *names), rows)

    def of_cells(self, texts: Sequence[str]) -> Table:
        """Returns a table of some cells, a column each, in all settings; nothing stands where
        one has no such cell."""
        rows = (
            (setting, *(_shown(trace, text) for text in texts))
            for setting, trace in self.traces.items()
        )
        return Table(("", *texts), tuple(rows))

    def of_stages(self) -> Table:
        """Returns a table of the same numbers at several stages of one trace, a row each; it is
        headed by those of the first."""
        trace = next(iter(self.traces.values()))
        stages = self.question.stages
        rows = (
            (stage, *(plain(_number(trace, text)) for text in texts))
            for stage, texts in stages.items()
        )
        return Table(("", *next(iter(stages.values()))), tuple(rows))

    # -- sentences and lines

    def line(self, text: str) -> Line:
        trace, named = self.meant(text)
        if named == CACHE:
            return cache_line(trace)
        name, address = find_cell(trace, named, "")
        quantity = trace[name]
        return cell_line(trace, quantity, *quantity.find(address), whole=True)

    def spans(self, text: str) -> Spans:
        """Returns a sentence with what stands in its braces worked."""
        parts = re.split(r"\{([^{}]+)\}", text)
        spans: list[Span] = []
        for k, part in enumerate(parts):
            spans += self.worked(part) if k % 2 else with_terms(part)
        return tuple(span for span in spans if span != "")

    def worked(self, text: str) -> Spans:
        """Returns a number, or what else is named: `most ROW`, the name of the largest number
        of a row or a list;
        `sum ROW`; `rows QUANTITY` and `columns QUANTITY`, how many there are; `tokens`, how
        many tokens."""
        trace, named = self.meant(text)
        if named == "tokens":
            return (Number.written(len(trace.scenario.text.tokens)),)
        asks, _, of = named.partition(" ")
        if asks not in _ASKED:
            return (_number(trace, named),)
        quantity = _named(trace, of)
        assert quantity is not None, f"{self.question.key}: nothing is called {of}"
        return _ASKED[asks](quantity, of)

    def meant(self, text: str) -> tuple[Trace, str]:
        """Returns the trace of the setting that a text begins with, or else the first, and the rest
        of it. Raises LookupError for a setting that there isn't."""
        setting, colon, named = text.rpartition(": ")
        if not colon:
            return next(iter(self.traces.values())), text
        if setting not in self.traces:
            wrong = f"{self.question.key} has no setting {setting!r}"
            raise LookupError(f"{wrong}; it has {listed(self.traces)}")
        return self.traces[setting], named


def _tells_apart(table: Table) -> bool:
    """Tells whether a table has something that differs, or that only one setting has."""
    return len(table.rows) == 1 or len({row[1:] for row in table.rows}) > 1


def _named(trace: Trace, text: str) -> Quantity | None:
    """Returns the quantity that an address is of; None where the trace doesn't have it."""
    try:
        return trace[known_name(parse_address(text).name, names_of(trace))]
    except AddressError:
        return None


def _row_of(quantity: Quantity, text: str) -> int:
    indices = parse_address(text).indices
    return quantity.rows.find(indices[0], quantity.name) if indices else 0


def _number(trace: Trace, text: str) -> Number:
    """Returns the number of a cell, or the bytes of the cache."""
    if text == CACHE:
        return Number.written(value_of_cache(trace))
    name, address = find_cell(trace, text, "")
    return trace[name].number(*trace[name].find(address))


def _shown(trace: Trace, text: str) -> str:
    """Returns the number of a cell as it is shown; nothing where the trace doesn't have it."""
    has = text == CACHE or _named(trace, text) is not None
    return plain(_number(trace, text)) if has else ""


def _row(quantity: Quantity, text: str) -> Iterator[str]:
    """Yields the numbers of an addressed row, as they are shown."""
    i = _row_of(quantity, text)
    return (plain(quantity.number(i, j)) for j in range(quantity.matrix.shape[1]))


def _most(quantity: Quantity, text: str) -> Spans:
    if quantity.is_list:
        return "“", quantity.rows.word(int(quantity.values.argmax())), "”"
    i = _row_of(quantity, text)
    return "“", quantity.columns.word(int(quantity.values[i].argmax())), "”"


def _sum(quantity: Quantity, text: str) -> Spans:
    i = _row_of(quantity, text)
    numbers = (quantity.number(i, j).shown for j in range(quantity.matrix.shape[1]))
    return (Number.written(decimals.total(numbers)),)


def _rows(quantity: Quantity, _: str) -> Spans:
    return (Number.written(quantity.matrix.shape[0]),)


def _columns(quantity: Quantity, _: str) -> Spans:
    return (Number.written(quantity.matrix.shape[1]),)


_ASKED = {"most": _most, "sum": _sum, "rows": _rows, "columns": _columns}


def _tokens_beside(traces: Mapping[str, Trace]) -> Block:
    return cuts_beside({name: trace.scenario.text.tokens for name, trace in traces.items()})


_SIDE_BY_SIDE: Mapping[str, Callable[[Mapping[str, Trace]], Block]] = {
    "merges": merges_beside,
    "tokens": _tokens_beside,
}
"""What is compared that is no quantity, by its name."""


def with_terms(text: str) -> Iterator[str | Term]:
    """Yields a text with what stands between backquotes as names of the program."""
    for k, part in enumerate(text.split("`")):
        yield Term(part) if k % 2 else part
