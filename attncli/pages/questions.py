"""Questions that learners have, each answered with the numbers of a shipped scenario.

They stand in `questions.yaml`: what is asked, the words by which it is found, a scenario, and the
settings that are compared. A sentence holds its numbers in braces, which are worked when it is
shown: `{weights[love, AI]}` of the first setting, `{without: weights[love, AI]}` of another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from math import log
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

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
from attncli.pages.topics import DRAWN, SEED, lesson_blocks
from attncli.pipeline import load, work_on_demand
from attncli.scenario.file import reading
from attncli.scenario.file.address import AddressError, parse_address
from attncli.scenario.file.keys import (
    Choice,
    Either,
    Key,
    ListOf,
    MapOf,
    Needs,
    Record,
    TextKind,
)
from attncli.scenario.file.nodes import Scalar
from attncli.scenario.file.problems import Diagnostics
from attncli.steps.order import STORY, keys_of, step_named
from attncli.steps.schema import SCENARIO, STEP_NAMES
from attncli.trace import Quantity, Trace
from attncli.trace.quantity import known_name

_TEXT = TextKind()
_TEXTS = ListOf(_TEXT)
_NO_CHANGE = Choice(("none",))
_CHANGES = Either(
    lambda node: _NO_CHANGE if isinstance(node, Scalar) else _TEXTS, (_NO_CHANGE, _TEXTS)
)
_QUESTION = Record.of(
    Key("title", _TEXT, "what is asked"),
    Key("words", _TEXTS, "words by which it is found, besides those of its title", ()),
    Key("scenario", _TEXT, "the shipped scenario whose numbers answer it", ""),
    Key("settings", MapOf(_CHANGES, "setting"), "name → changes, or none", {"as it is": "none"}),
    Key("says", _TEXT, "the answer in short"),
    Key("compare", _TEXTS, "rows and cells that are set side by side in all settings", ()),
    Key("stages", MapOf(_TEXTS, "stage"), "name → the same numbers at several stages", {}),
    Key("lines", _TEXTS, "cells whose working is shown", ()),
    Key("more", _TEXTS, "what follows the numbers, a paragraph each", ()),
    Key("lesson", _TEXT, "a lesson of `topics` whose numbers follow", ""),
    Key("try", MapOf(_TEXT, "question"), "question → the command that answers it", {}),
    needs=Needs("a question", ("title", "says", "try"), "{title: …, says: …, try: …}"),
)
_FILE = MapOf(_QUESTION, "question")


class Question(NamedTuple):
    """A question and how it is answered."""

    key: str
    """What is typed for it: `why_sqrt_d_k`."""
    title: str
    words: Sequence[str]
    """Words by which it is found, besides those of its title."""
    scenario: str
    """The shipped scenario whose numbers answer it; none where a lesson does."""
    settings: Mapping[str, Sequence[str]]
    """What is compared: changes to the scenario by what they are called."""
    says: str
    """The answer in short, with its numbers in braces."""
    compare: Sequence[str]
    """Rows and cells that are set side by side in all settings."""
    stages: Mapping[str, Sequence[str]]
    """Numbers of the first setting at several stages, by what these are called."""
    lines: Sequence[str]
    """Cells whose working is shown, each perhaps behind its setting."""
    more: Sequence[str]
    """What follows the numbers."""
    lesson: str
    """A lesson of `topics` whose numbers follow."""
    tries: Mapping[str, str]
    """What one may try next: commands by their questions."""

    @property
    def found_by(self) -> frozenset[str]:
        """Returns the stems of the words by which it is found."""
        return frozenset(stems((self.title, *self.words, self.key.replace("_", " "))))


@cache
def questions() -> Mapping[str, Question]:
    """Reads all questions by their keys. Raises ScenarioError for a file that is wrong."""
    path, problems = Path(__file__).parent / "questions.yaml", Diagnostics()
    tree = reading.tree_of_bytes(path.read_bytes(), path.name, problems)
    said = _FILE.read(tree, problems) or {}
    problems.stop_if_any()
    return {key: _question(key, values) for key, values in said.items()}


def _question(key: str, said: Mapping[str, Any]) -> Question:
    values = {part.name: said.get(part.name, part.default) for part in _QUESTION.keys}
    tries, settings = values.pop("try"), values.pop("settings")
    changes = {name: () if said == "none" else said for name, said in settings.items()}
    return Question(key, settings=changes, tries=tries, **values)


# -- found by free words ---------------------------------------------------------------------------

_SIGNS = {"√": " sqrt ", "−∞": " infinity ", "-inf": " infinity ", "∞": " infinity "}
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w\w\w)(?:ings?|ed|es|s|e)$")
_SAYS_NOTHING = """
a all an and are as at be been between by can come comes did do does doing done for from get gets
give goes had happen happens has have how i if in into is it its kind make makes mean means much
must need needs not of on or our s should so such t than that the their them then there they this
those to too us use used very was we were what whats when where which while who whose why will with
would you your
"""
"""Words that stand in any question."""
_STOPS = frozenset(_SAYS_NOTHING.split())


def stems(texts: Iterable[str]) -> Iterator[str]:
    """Yields the stems of the words of some texts that say what is asked: `divid` for
    `dividing`."""
    for text in texts:
        for sign, word in _SIGNS.items():
            text = text.replace(sign, word)  # noqa: PLW2901
        for word in _WORD.findall(text.casefold()):
            if word not in _STOPS:
                yield _ENDING.sub("", word)


def questions_with(text: str) -> list[Question]:
    """Finds the questions that a text asks, as its words tell: the one that shares most with it, or
    several that share as much, those before others whose titles are most like it. A word counts the
    more, the fewer questions have it."""
    each = _shared_with(text)
    most = max(each.values())
    found = [questions()[key] for key, share in each.items() if most > 0 and share == most]
    alike = {question.key: _alike(text, question.title) for question in found}
    return [question for question in found if alike[question.key] == max(alike.values())]


def _alike(text: str, title: str) -> float:
    """Tells how much of the words of a text and of a title are in both, as a share of all."""
    asked, titled = frozenset(stems([text])), frozenset(stems([title]))
    return len(asked & titled) / len(asked | titled)


def _shared_with(text: str) -> Mapping[str, float]:
    """Tells how much each question shares with a text, by its key."""
    asked = frozenset(stems([text]))
    known = questions().values()
    counts = Counter(stem for question in known for stem in question.found_by)
    return {
        question.key: sum(log(1 + len(known) / counts[stem]) for stem in asked & question.found_by)
        for question in known
    }


_NEAREST = 3
"""So many questions are listed where none has half of the words."""


def nearest_to(text: str) -> list[Question]:
    """Lists the questions that share most with a text, where none has half of its words; else
    none."""
    asked = frozenset(stems([text]))
    if any(len(asked & q.found_by) * 2 >= len(asked) for q in questions_with(text)):
        return []
    each = _shared_with(text)
    nearest = sorted(each, key=lambda key: -each[key])[:_NEAREST]
    return [questions()[key] for key in nearest if each[key] > 0]


def step_asked_for(text: str) -> str:
    """Returns the step that a text asks for by its name, or by what people call it, and by nothing
    else: `norm` for “what is layer norm”. Returns nothing for other texts."""
    words = [word for word in _WORD.findall(text.casefold()) if word not in _STOPS]
    name = "_".join(words)
    return name if name in STORY else STEP_NAMES.get(name, "")


def questions_about(word: str) -> list[Question]:
    """Lists the questions that have a word among those by which they are found."""
    return [question for question in questions().values() if word in question.words]


class Named(NamedTuple):
    """What a scenario may say, or what a step makes."""

    word: str
    says: str
    """What it is."""
    step: str
    """The step that takes or makes it; none where it is no step's."""

    @property
    def line(self) -> DefinitionList:
        """Returns the line that tells it."""
        return DefinitionList(((self.word, tuple(_with_terms(self.says))),))


def named(word: str) -> Named | None:
    """Finds the key or the quantity of a name, in whatever case it is written; a key comes first.
    None where there is none."""
    keys = {key.name.casefold(): key for key in SCENARIO.keys}
    owners = keys_of("stack", "attention", "layer", "cell", "way", "file").owners
    key = keys.get(word.casefold())
    if key is not None:
        return Named(key.name, key.says, owners.get(key.name, ""))
    for step in map(step_named, STORY):
        for name in step.results.names:
            if name.casefold() == word.casefold():
                return Named(name, f"made by the step {step.name}: {step.words.shapes}", step.name)
    return None


def answer(text: str) -> Document | None:
    """Answers a text: with the page of the question that it asks, with the list of several that
    share as much with it, or of all where it is empty. None where it is the name of what a step
    takes or makes, or where no question has its words."""
    if not text:
        return questions_page()
    if text in questions():
        return question_page(questions()[text])
    known = named(text)
    if known is not None:
        return _page_on(known)
    return _page_for(text)


def _page_for(text: str) -> Document | None:
    """Returns the page for words in which somebody asks; a step that these name is told first."""
    if nearest := nearest_to(text):
        page = questions_page(nearest, "Nearest to your question")
        says = Paragraph(("No question has these words. Nearest to them:",))
        steps = dict.fromkeys(map(step_asked_for, _WORD.findall(text)))
        return page._replace(closing=(says, *page.closing, *map(_itself, filter(None, steps))))
    found = questions_with(text)
    if not found:
        return None
    page, step = _page_of(found), step_asked_for(text)
    if not step:
        return page
    is_tried = any(_itself_typed(step) in question.tries.values() for question in found)
    return page if is_tried else page._replace(closing=(*page.closing, _itself(step)))


def _itself(step: str) -> Callout:
    """Says how one is shown a step."""
    return Callout((f"The step {step} by itself? ", Term(_itself_typed(step))))


def _itself_typed(step: str) -> str:
    return f"attn explain {step}"


def asked_about(word: str) -> tuple[Callout, ...]:
    """Says how the questions are asked that a word is among the words of."""
    return tuple(
        Callout((f"{question.title} ", Term(f"attn explain {question.key}")))
        for question in questions_about(word)
    )


def _page_of(found: Sequence[Question]) -> Document:
    return question_page(found[0]) if len(found) == 1 else questions_page(found, "Which of these?")


def _page_on(known: Named) -> Document | None:
    """Returns the page of the question that has a name among its words, or the list of several;
    where none has it, None for what is a step's, and else a page that tells what it is."""
    about = questions_about(known.word)
    if len(about) == 1:
        page = question_page(about[0])
        return page._replace(about=(known.line, *page.about))
    if about:
        return questions_page(about, known.word)._replace(facts=known.line)
    more = Callout(("More of it: ", Term(f"attn help {known.word}")))
    return None if known.step else Document(Word(known.word), (), known.line, closing=(more,))


# -- the page of a question ------------------------------------------------------------------------


def questions_page(some: Iterable[Question] = (), title: str = "Questions") -> Document:
    """Returns the list of some questions, or of all."""
    shown = [*some] or [*questions().values()]
    rows = tuple((question.key, (question.title,)) for question in shown)
    how: Spans = (
        Term("attn explain why_positions"), ", or in your own words: ",
        Term("attn explain why divide by sqrt d_k"), ". A step by its name: ",
        Term("attn explain softmax"), ", all of them: ", Term("attn explain steps"), ".",
    )  # fmt: skip
    told = {"questions": [{"name": q.key, "title": q.title} for q in shown]}
    data = PageData(told=told)
    return Document(Word(title), (), closing=(DefinitionList(rows), Callout(how)), data=data)


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
        spans: list[Any] = []
        for k, part in enumerate(parts):
            spans += self.worked(part) if k % 2 else _with_terms(part)
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


def _with_terms(text: str) -> Iterator[str | Term]:
    """Yields a text with what stands between backquotes as names of the program."""
    for k, part in enumerate(text.split("`")):
        yield Term(part) if k % 2 else part
