"""The selections, cells and questions that an exercise orders, found in a worked scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import groupby, islice
from types import MappingProxyType
from typing import NamedTuple

from attncli.classroom.exercises.asking import ENGLISH, WholePage, takes, terms_of
from attncli.classroom.exercises.line_blanks import Blankable, Terms, revealing
from attncli.classroom.exercises.settled import SettledCells, is_mask
from attncli.classroom.exercises.workable_sections import (
    Cells,
    StepSection,
    Wanted,
    sections_of,
)
from attncli.classroom.files.exercise_file import Ask, Blanking, ExerciseFile, Points, Within
from attncli.classroom.marking.word_answers import WordQuestion, questions_at
from attncli.document.blocks import Block, Derivation, Line, Section, Table, WordBlank, each
from attncli.document.languages import FrameWords, Words
from attncli.document.questions import Item, RightWords, counted_points, points_text
from attncli.document.tables import MatrixBlock
from attncli.errors import Problem, Where, listed
from attncli.judging.honest_paths import Paths, Tolerance
from attncli.judging.judging import beyond_reach
from attncli.maths.equations.tree import Blank, Location, Omitted
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.rearranging import TakeRows
from attncli.names import Name, Word, WordedText, words
from attncli.option_values import LAYOUTS, Layout
from attncli.pages.explain import address_of, find_cells
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.selection import (
    Selection,
    SelectionError,
    cells_along,
    check_on_page,
    check_steps,
    made_by,
    own_steps,
    select,
    shown_parts,
)
from attncli.scenario.file.address import Address, AddressError
from attncli.steps.order import STORY, inquiries, made
from attncli.steps.schema import nearest_step
from attncli.trace import Definition, PlannedStep, Trace


class WordsWanted(NamedTuple):
    """A name of questions in words that are wanted of some part of the trace."""

    text: str
    """The name of the questions, or the id of one."""
    selection: Selection = Selection()
    written: bool = False
    """Whether the answer is to be written."""
    points: Decimal | None = None
    """The points of each, if they are said; they may be 0."""
    entry: int = 0
    """The number of the question that it is, if it is one by itself."""

    def questions(self, trace: Trace) -> list[WordQuestion]:
        """Returns the questions of that name that are wanted. Raises AddressError where the trace
        has none."""
        return [q for q in questions_at(trace, self.text) if self.tells(trace, q)]

    def tells(self, trace: Trace, question: WordQuestion) -> bool:
        """Tells whether a question is of the part of the trace that is asked about."""
        own = is_of_rows(trace, question, self.selection)
        return own and self.selection.includes(question.part)


def is_of_rows(trace: Trace, question: WordQuestion, selection: Selection) -> bool:
    """Tells whether a question is of a row that a selection shows, or of none."""
    row = question.asked.row
    return row is None or row in selection.rows(trace[question.reads])


class AskedInWords(NamedTuple):
    """A question that is asked, and how."""

    question: WordQuestion
    written: bool = False
    points: Decimal = Decimal(1)
    is_said: bool = False
    """Whether the points are said of it, or of its kind."""
    entry: int = 0
    """The number of the question that it is, if it is one by itself."""

    def asked_on(self, paths: Paths) -> Item:
        """Returns the question with its key, for the options that are listed, or for all."""
        asked, right = self.question.asked, self.question.right_on(paths)
        listed = [k for k, label in enumerate(asked.labels) if label and not self.written]
        kept = listed or [*range(len(asked.options))]
        key = RightWords(
            words(tuple(asked.options[k] for k in kept)),
            tuple(kept.index(k) for k in right if k in kept),
            tuple(asked.labels[k] for k in listed),
        )
        return Item(self.question.id, self.points, words=key)

    def block(self, key: RightWords, words: FrameWords, rule: WordedText = ()) -> WordBlank:
        """Returns the question as it stands on the page, with its answer, and with the rule behind
        it if there is one."""
        points = counted_points(self.points, words)
        says = (*self.question.asked.says, *((" ", *rule) if rule else ()), f" ({points})")
        listed = key.labels and not self.question.asked.tables
        options = key.options if listed else ()
        heading = words.keys.answer
        return WordBlank(self.question.id, says, options, key.labels, heading, key.answer)

    def tables(self, trace: Trace) -> list[MatrixBlock]:
        """Returns the options that are no words."""
        asked, like = self.question.asked, trace[self.question.reads]
        block = matrix_block(like, Selection(), self.question.part.path)
        return [
            block._replace(
                name=label,
                matrix=table,
                display=block.display._replace(begins_row=k == 0),
                quantity=Name(label),
            )
            for k, (label, table) in enumerate(zip(asked.labels, asked.tables, strict=False))
        ]


def given_away(trace: Trace, question: WordQuestion, blocks: Iterable[Block]) -> MatrixBlock | None:
    """Finds a table with numbers that tell the answer of a question about a whole table. Returns
    None if there is none."""
    if not question.asked.tables:
        return None
    tell = revealing(trace, [question.reads])
    tables = (
        block for block in each(blocks) if isinstance(block, MatrixBlock) and block.quantity in tell
    )
    return next((block for block in tables if not _is_blank(block)), None)


def _is_blank(table: MatrixBlock) -> bool:
    rows, columns = table.matrix.shape
    cells = (table.entry(i, j) for i in range(rows) for j in range(columns))
    return all(isinstance(cell, Blank) for cell in cells)


def asked_in_words(
    trace: Trace, wanted: Sequence[WordsWanted], points: Points
) -> list[AskedInWords]:
    """Returns what is asked of a trace, each question once, in the order of the story. What is said
    of a single one comes before what is said of all."""
    found: dict[str, AskedInWords] = {}
    for want in sorted(wanted, key=lambda w: not w.text.endswith("]")):
        for question in want.questions(trace):
            said = points.named(question.part.called, question.name.local)
            said = said if want.points is None else want.points
            worth = points.each if said is None else said
            asked = AskedInWords(question, want.written, worth, said is not None, want.entry)
            found.setdefault(question.id, asked)
    order = list(trace.story)
    return sorted(
        found.values(),
        key=lambda q: (
            order.index(q.question.part),
            q.question.name,
            q.question.asked.row or 0,
        ),
    )


def by_names(section: Section) -> Section:
    """Returns a section whose lists go by names, so that their order doesn't tell what is
    largest."""
    return section._replace(
        blocks=tuple(map(_by_names, each(section.blocks))),
        questions=tuple(sorted(section.questions, key=lambda item: item.id)),
        solution=tuple(map(_by_names, each(section.solution))),
    )


def _by_names(block: Block) -> Block:
    match block:
        case MatrixBlock() if block.is_list and not block.given:
            rows = sorted(block.rows, key=lambda row: block.names.rows[row].raw)
            return block._replace(rows=tuple(rows))
        case Derivation():
            return block._replace(lines=tuple(sorted(block.lines, key=_label_of)))
        case _:
            return block


def _label_of(line: Line | Omitted) -> str:
    return str(line.label) if isinstance(line, Line) else ""


def blocks_of(
    trace: Trace, asked: Sequence[AskedInWords], keys: Sequence[RightWords], words: FrameWords
) -> list[Block]:
    """Returns the questions as they stand on the page, the first of a kind with its rule."""
    blocks: list[Block] = []
    rules: set[WordedText] = set()
    for question, key in zip(asked, keys, strict=True):
        blocks += question.tables(trace)
        rule = question.question.rule
        blocks.append(question.block(key, words, () if rule in rules else rule))
        rules.add(rule)
    return blocks


def table_of_answers(questions: Sequence[Item], words: Words) -> list[Block]:
    """Returns a table of the answers in words. Where several are right, it has all of them."""
    rows = tuple(
        (
            Word(q.id),
            label_of(q.words, words),
            answers_of(q.words, words),
            points_text(q.points),
        )
        for q in questions
        if q.words is not None
    )
    return [Table((words.blank, "", words.answer, words.points), rows)] if rows else []


def label_of(key: RightWords, words: Words) -> str:
    """Returns what is to be chosen, and an empty text where that is called what the answer is."""
    labels = [key.labels[k] for k in key.right if key.labels]
    return "" if labels == [word.raw for word in key.answers] else _either(labels, words)


def answers_of(key: RightWords, words: Words) -> Word:
    """Returns all that is right, as one text."""
    return Word(_either([word.raw for word in key.answers], words))


def _either(texts: Sequence[str], words: Words) -> str:
    """Joins texts: `A or C`"""
    *before, last = texts or [""]
    return words.either.format(first=", ".join(before), last=last) if before else last


class PartAsked(NamedTuple):
    """A part of what an exercise asks for: a selection, or single cells."""

    selection: Selection
    cells: Cells = ()
    blanking: Blanking = Blanking()
    """What is taken out of it."""
    points: Decimal | None = None
    """What each blank is worth, if that is said."""
    entry: int = 0
    """The number of the question that it is, if it is one by itself."""

    def allows(self, trace: Trace, part: PlannedStep, place: Blankable) -> bool:
        """Tells whether a number that a part tells is among those that may be asked for."""
        if not self.cells:
            included, some = self.selection.includes(part), bool(self.selection.queries)
            return included and (not some or self.selection.tells(trace[place.quantity]))
        wanted = {Location(name, *trace[name].find(address)) for name, address in self.cells}
        if place.cell is not None:
            return place.cell in wanted
        return place.line in {trace[c.quantity].address(c.row, c.column) for c in wanted}


class ExerciseRequest(NamedTuple):
    """A request for an exercise, of one thing after the other."""

    asks: tuple[PartAsked, ...]
    points: Points = Points()
    seed: str = ""
    share: int | None = None
    """What a known mistake earns, in per cent. Where it is None, mistakes aren't sought."""
    tolerance: Tolerance = Tolerance()
    layout: Layout = LAYOUTS[1]
    room: int | None = None
    """The number of lines that each question has, if that is said, in place of what the layout
    gives."""
    words: tuple[WordsWanted, ...] = ()
    """What is asked in words."""
    ordered: ExerciseFile | None = None
    """What it was read from, where that says so."""

    def on(self, trace: Trace) -> ExerciseRequest:
        """Returns the same request on a form, which may have other tokens if its corpus has other
        counts: columns, rows and cells are found anew there. Raises SelectionError."""
        others = trace.scenario.file.recount is not None and any(ask.cells for ask in self.asks)
        if self.ordered is None or not others:
            return self
        found = request_of(trace, self.ordered, together=False)
        return found._replace(share=self.share)

    @property
    def terms(self) -> Terms:
        """Returns which numbers inside lines are asked for."""
        return terms_of([ask.blanking for ask in self.asks])

    @property
    def wants_everything(self) -> bool:
        """Tells whether all that the page makes is asked for."""
        if not self.asks:
            return False
        first = self.asks[0].blanking.kind
        whole = (not (ask.cells or ask.selection.queries) for ask in self.asks)
        alike = all(ask.blanking.kind == first for ask in self.asks)
        return all(whole) and alike and first in ("results", "all")

    def quantities(self, trace: Trace) -> set[str]:
        """Returns what is asked for, by the full names of quantities that are made. For a given one
        these are what its first use makes."""
        page = self.page(trace)
        names = {
            place.quantity
            for s, place in page.placed()
            if any(ask.allows(trace, s.part, place) for ask in self.asks)
        }
        made = {name for name in names if not trace[name].given}
        users = (section.part for section in page.sections if names - made)
        made |= {q.question.reads for q in self.in_words(trace)}
        return made | {definition.name for part in users for definition in part.definitions}

    def page(self, trace: Trace, words: Words = ENGLISH) -> WholePage:
        """Returns the page that is asked about, in the words of a frame."""
        cells = [cell for ask in self.asks for cell in ask.cells]
        inputs = tuple(name for name, _ in cells if trace[name].given)
        asks = [Wanted(ask.selection, ask.cells, ask.entry) for ask in self.asks]
        in_words = [(q.question.part, q.entry) for q in self.in_words(trace)]
        sections = sections_of(trace, asks, in_words)
        named = self.named_by_steps(sections)
        page = WholePage(
            trace,
            sections,
            self.terms,
            inputs,
            again=bool(cells),
            in_rows=any(ask.selection.queries for ask in self.asks),
            looked_up=any(isinstance(d.operation, TakeRows) for d in named),
            masks=any(isinstance(d.operation, Masked) for d in named),
            named=frozenset(Location(name, *trace[name].find(at)) for name, at in cells),
            words=words,
        )
        return page if page.makes else replace(page, again=True)

    def named_by_steps(self, sections: Sequence[StepSection]) -> list[Definition]:
        """Lists the definitions of the steps that are asked for by their names."""
        steps = {step for ask in self.asks for step in ask.selection.steps}
        parts = (s.part for s in sections if s.part.is_named(tuple(steps)))
        return [definition for part in parts for definition in part.definitions]

    def in_words(self, trace: Trace) -> list[AskedInWords]:
        """Returns what is asked of a trace besides numbers."""
        asked = asked_in_words(trace, self.words, self.points)
        shown = [q for q in asked if self._shows_rows_of(trace, q.question)]
        kept = [q for q in shown if not q.question.last]
        last = (q for q in shown if q.question.last and self._ends_with(trace, q.question))
        return [*kept, *islice(last, 1)]

    def _ends_with(self, trace: Trace, question: WordQuestion) -> bool:
        """Tells whether nothing is told after a question that would tell its answer."""
        parts = shown_parts(trace)
        if question.part not in parts:
            return False
        later = parts[parts.index(question.part) + 1 :]
        made = {d.name for part in later for d in part.definitions}
        cells = any(name in made for ask in self.asks for name, _ in ask.cells)
        whole = (ask.selection for ask in self.asks if not ask.cells)
        return not cells and not any(s.includes(part) for s in whole for part in later)

    def _shows_rows_of(self, trace: Trace, question: WordQuestion) -> bool:
        """Tells whether the section of a question has its row, if it shows only some."""
        whole = [ask for ask in self.asks if not ask.cells]
        own = [ask.selection for ask in whole if ask.selection.includes(question.part)]
        return not own or any(is_of_rows(trace, question, s) for s in own)

    def allowed(self, page: WholePage) -> list[tuple[PartAsked, PlannedStep, Blankable]]:
        """Returns the numbers of a page that may be asked for, each with what asks for it first,
        and the part that tells it."""
        placed = ((s.part, place) for s, place in page.placed())
        asking = ((self.asking_for(page.trace, *pair), *pair) for pair in placed)
        beyond = beyond_reach(page.trace)
        return [
            (ask, part, place)
            for ask, part, place in asking
            if ask is not None and place.quantity not in beyond
        ]

    def asking_for(self, trace: Trace, part: PlannedStep, place: Blankable) -> PartAsked | None:
        """Returns what asks for a number that a part tells. What is said of single cells comes
        first. Returns None where nothing asks for it."""
        asks = sorted(self.asks, key=lambda ask: not ask.cells) if len(self.asks) > 1 else self.asks
        for ask in asks:
            if takes(ask.blanking, place) and ask.allows(trace, part, place):
                return ask
        return None

    def worth(self, trace: Trace, part: PlannedStep, place: Blankable) -> Decimal:
        """Returns the points of a blank, where it doesn't share those of the whole."""
        said = self.worth_said(trace, part, place)
        return self.points.each if said is None else said

    def worth_said(self, trace: Trace, part: PlannedStep, place: Blankable) -> Decimal | None:
        """Returns the points of a blank that are said of it, or of its kind; else None."""
        ask = self.asking_for(trace, part, place)
        own = None if ask is None else ask.points
        return self.points.named(part.called, place.quantity.local) if own is None else own

    def all_points(self, trace: Trace) -> Decimal:
        """Adds up the points of all numbers that may be asked for."""
        if self.points.total is not None:
            return self.points.total
        each = self.allowed(self.page(trace))
        return sum((self.worth(trace, part, place) for _, part, place in each), Decimal(0))


def request_of(trace: Trace, ordered: ExerciseFile, *, together: bool = True) -> ExerciseRequest:
    """Reads what an exercise asks of a scenario, `together` on one sheet. Raises SelectionError,
    naming all that is wrong: of a file, each where it stands."""
    wrong: list[Problem] = []
    asks: list[PartAsked] = []
    words: list[WordsWanted] = []
    within = (ask._replace(within=ask.within.inside(ordered.within)) for ask in ordered.ask)
    for group in _alike(_standing_apart([*within])):
        try:
            if group[0].question is None:
                asks.append(_asked(trace, ordered, group))
            else:
                words += (wanted_in_words(trace, ask) for ask in group)
        except SelectionError as error:
            wrong += (_placed(problem, group[0]) for problem in error.problems)
    if wrong:
        raise SelectionError(wrong)
    share, tolerance = ordered.mistakes, tolerance_of(ordered.tolerance)
    found = ExerciseRequest(
        tuple(_each_once(trace, asks)), ordered.points, str(ordered.numbers.seed), share, tolerance
    )
    layout = ordered.layout or found.layout
    found = found._replace(ordered=ordered, words=tuple(words), room=ordered.room, layout=layout)
    if together:
        check_words(trace, ordered.ask, found)
        _check_points(trace, ordered, found)
    return found


def together(requests: Sequence[ExerciseRequest]) -> ExerciseRequest:
    """Returns one request of all that several ask of a scenario."""
    if len(requests) == 1:
        return requests[0]
    asks = tuple(ask for request in requests for ask in request.asks)
    words = tuple(want for request in requests for want in request.words)
    return requests[0]._replace(asks=asks, words=words, points=Points(), ordered=None)


def tolerance_of(by_name: Mapping[str, Decimal]) -> Tolerance:
    """Returns the tolerance that a file says."""
    entries = dict(by_name)
    digits = entries.pop("digits", None)
    return Tolerance(**entries, digits=None if digits is None else int(digits))


def _check_points(trace: Trace, ordered: ExerciseFile, found: ExerciseRequest) -> None:
    """Raises SelectionError for points of steps and quantities that aren't asked about."""
    sections = found.page(trace).sections
    steps = {s.part.called for s in sections}
    quantities = {d.name.local for s in sections for d in s.part.definitions}
    quantities |= {q.question.name.local for q in found.in_words(trace)}
    said, own = ordered.points, {*own_steps(trace)}
    check_names_in_points(trace, said, ordered.places)
    wrong: list[Problem] = []
    for known, by_name in ((steps, said.steps), (quantities, said.quantities)):
        for name in by_name.keys() - known - (own & steps):
            right = f"give points of {listed(sorted(known))}"
            where = _where_points(name, by_name[name], ordered.places)
            wrong.append(Problem(where, f"nothing is asked of {name}", right))
    if wrong:
        raise SelectionError(sorted(wrong))


def check_names_in_points(
    trace: Trace, said: Points, places: Mapping[str, Where] = MappingProxyType({})
) -> None:
    """Raises SelectionError for points of what is no step, and nothing that steps make."""
    own = own_steps(trace)
    known = {*STORY, *inquiries(), *made(), *own, *(q.local for q in trace.quantities.values())}
    wrong: list[Problem] = []
    for name, worth in {**said.steps, **said.quantities}.items():
        if name not in known:
            where, right = _where_points(name, worth, places), nearest_step(name, own)
            named = f"{name}: " if f"points.{name}" in places else ""
            wrong.append(Problem(where, f"{named}no such step or quantity", right))
    if wrong:
        raise SelectionError(sorted(wrong))


def _where_points(name: str, worth: Decimal, places: Mapping[str, Where]) -> Where:
    option = Where(f"--points {name}={points_text(worth)}")
    return places.get(f"points.{name}", option)


def check_words(trace: Trace, asks: Sequence[Ask], found: ExerciseRequest) -> None:
    """Raises SelectionError for a question that the sheet tells the answer of, or hasn't."""
    asked = {q.question.id for q in found.in_words(trace)}
    wrong = []
    for ask, want in zip([entry for entry in asks if entry.question], found.words, strict=True):
        if asked.isdisjoint(q.id for q in want.questions(trace)):
            says = "the sheet would tell the answer, or hasn't what it takes"
            right = "ask it of the last round on a sheet, and of rows that this shows"
            wrong.append(_placed(Problem.of(f"--ask {want.text}", says, right), ask))
    if wrong:
        raise SelectionError(wrong)


def _each_once(trace: Trace, asks: Iterable[PartAsked]) -> Iterator[PartAsked]:
    """Yields what is asked, without the cells that something before asks for."""
    known: set[Location] = set()
    for ask in asks:
        places = {Location(name, *trace[name].find(at)): (name, at) for name, at in ask.cells}
        new = tuple(cell for place, cell in places.items() if place not in known)
        known |= places.keys()
        if new or not ask.cells:
            yield ask._replace(cells=new)


def _standing_apart(asks: Sequence[Ask]) -> Iterator[Ask]:
    """Yields what is asked for, each step that is named several times as several questions."""
    named = Counter(ask.step for ask in asks if ask.step is not None)
    for k, ask in enumerate(asks, start=1):
        again = not ask.entry and ask.step is not None and named[ask.step] > 1
        yield ask._replace(entry=k) if again else ask


def _alike(asks: Iterable[Ask]) -> Iterator[list[Ask]]:
    """Yields what is asked for in the same way, together: steps one after the other, or cells. What
    a file asks comes one by one, so that what is wrong is told where it stands."""

    def way(ask: Ask) -> tuple[object, ...]:
        return ask._replace(step=None, cell=None), ask.cell is None, ask.question

    return (list(group) for _, group in groupby(asks, way))


def _asked(trace: Trace, ordered: ExerciseFile, group: Sequence[Ask]) -> PartAsked:
    first = group[0]
    blanking = first.blank or ordered.blank
    detail = ordered.detail or ("full" if blanking.terms else "summary")
    steps = [ask.step for ask in group if ask.step is not None]
    check_steps(steps, own_steps(trace))
    within = first.within
    selection = select(trace, steps, detail=detail, **within.places)
    selection = _of_queries(trace, selection, within) or selection.along(
        within.rows, within.columns
    )
    check_on_page(trace, selection)
    cells = _cells(trace, group, selection)
    return PartAsked(selection, tuple(cells), blanking, first.points, first.entry)


def _of_queries(trace: Trace, selection: Selection, within: Within) -> Selection | None:
    """Returns a selection of the rows that are asked for as those of queries, which is how `token`
    names one. Returns None where some table has other rows, or columns are asked for."""
    if not within.rows or within.columns or within.token is not None:
        return None
    try:
        found = [select(trace, token=row) for row in within.rows]
    except SelectionError:
        return None
    queries = dict.fromkeys(query for one in found for query in one.queries)
    chosen = selection._replace(queries=tuple(queries), axis=found[0].axis)
    parts = (part for part in shown_parts(trace) if selection.includes(part))
    made = [quantity for part in parts for quantity in made_by(trace, part)]
    return chosen if made and all(map(chosen.picks, made)) else None


def wanted_in_words(trace: Trace, ask: Ask) -> WordsWanted:
    """Returns a question that is answered in words. Raises SelectionError where nothing has it."""
    assert ask.question is not None
    within = ask.within
    selection = select(
        trace, token=within.token, layer=within.layer, head=within.head, time=within.time
    )
    wanted = WordsWanted(ask.question, selection, ask.written, ask.points, ask.entry)
    option = f"--ask {ask.question}"
    try:
        if wanted.questions(trace):
            return wanted
    except AddressError as error:
        raise SelectionError.of(option, error.wrong, error.right) from None
    raise SelectionError.of(option, "nothing that is asked about has it", "ask about more of it")


def _cells(trace: Trace, group: Sequence[Ask], selection: Selection) -> list[tuple[Name, Address]]:
    """Finds the cells that are asked for, each once: those that are named, or those in the rows and
    columns that are. Raises SelectionError for what holds no numbers."""
    texts = [ask.cell for ask in group if ask.cell is not None]
    if not texts and selection.sides.said:
        along = [(q.name, address_of(q, i, j)) for q, i, j in cells_along(trace, selection)]
        return _unsettled(trace, along, "--rows, --columns")
    others = [("--step", [ask.step for ask in group if ask.step is not None])] if texts else []
    found: dict[tuple[Name, int, int], Address] = {}
    wrong: list[Problem] = []
    for text in texts:
        for name, address in _meant(trace, text, others, selection):
            if name not in trace:
                right = "ask for another cell"
                wrong.append(Problem.of(f"--cell {name}", "holds no numbers", right))
            else:
                found.setdefault((name, *trace[name].find(address)), address)
    if wrong:
        raise SelectionError(wrong)
    return [(name, address) for (name, *_), address in found.items()]


def _meant(
    trace: Trace, text: str, others: Sequence[tuple[str, object]], within: Selection
) -> list[tuple[Name, Address]]:
    """Finds the cells that a text names: of several those that no mask settles. Raises
    SelectionError."""
    cells = find_cells(trace, [text], others, within=within)
    return _unsettled(trace, cells, f"--cell {text}") if len(cells) > 1 else cells


def _unsettled(
    trace: Trace, cells: Sequence[tuple[Name, Address]], option: str
) -> list[tuple[Name, Address]]:
    """Returns some cells without those that a mask settles, unless what it makes itself is named.
    Raises SelectionError where nothing is left."""
    settled = SettledCells(trace)
    masks = {name for name, _ in cells if (d := trace[name].definition) and is_mask(trace, d)}
    names = {name for name, _ in cells} - masks
    known = {cell for name in names for cell in settled.of(name)}
    kept = [(n, at) for n, at in cells if Location(n, *trace[n].find(at)) not in known]
    if not kept:
        wrong, right = "a mask settles all of it", "ask for the step mask, or for other cells"
        raise SelectionError.of(option, wrong, right)
    return kept


def _placed(problem: Problem, ask: Ask) -> Problem:
    """Places what is wrong with something that a file asks for where that stands in the file."""
    if ask.where is None:
        return problem
    text = problem.where.source.removeprefix("--")
    return Problem(ask.where, f"{text}: {problem.wrong}", problem.right)
