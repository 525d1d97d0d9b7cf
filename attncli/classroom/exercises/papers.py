"""An exercise on paper: with answers, without, in other languages, checking itself; its key.

A sheet that checks itself judges numbers by their author's own ones before them, as they are
marked: it starts from what it prints and works the rest by the formulas, the key's numbers too,
which stand nowhere in the file. That keeps them from whoever looks into it, and not from whoever
works them.

For what can't be worked so it has what is right: for words, numbers inside lines, what no formula
for a browser leads to. A format may keep that from the eye, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from attncli.classroom.exercises.blanked import BlankedPage, taken
from attncli.classroom.exercises.fingerprint import MadeFrom, fingerprint
from attncli.classroom.exercises.functions_told import with_functions_told
from attncli.classroom.exercises.gate_by_gate import gate_by_gate
from attncli.classroom.exercises.line_blanks import Asked, is_in_words
from attncli.classroom.exercises.on_the_sheet import worked_from
from attncli.classroom.exercises.requests import ExerciseRequest
from attncli.classroom.exercises.tasks import arranged
from attncli.classroom.exercises.workable_sections import leading_to
from attncli.classroom.exercises.worked_in_browser import worked_in_browser
from attncli.classroom.files.exercise_file import Frame
from attncli.classroom.marking.exam import Exam
from attncli.document.blocks import (
    Answers,
    Block,
    Bullets,
    Callout,
    DefinitionList,
    Document,
    Fields,
    Line,
    PageData,
    Paragraph,
    Section,
    Span,
    Spans,
    Subheading,
    WordBlank,
    each,
    parts_of,
)
from attncli.document.languages import Words, named_sentences_in, sentences_in, words_of
from attncli.document.questions import (
    AcceptedAnswer,
    Item,
    JudgedPlace,
    MistakenAnswer,
    Owner,
    OwnNumbers,
    Paper,
    RightAnswer,
    SelfCheck,
    WorkedInBrowser,
    Worth,
    points_text,
)
from attncli.document.tables import MatrixBlock
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import Blank, Location, Node, Omitted, with_each
from attncli.maths.numbers import decimals
from attncli.maths.operations.attention import ProductOfMatrices
from attncli.names import Name, Word
from attncli.pages.parts.blocks import given_blocks, matrix_block
from attncli.pages.parts.products import has_room, products_in
from attncli.pages.parts.selection import (
    Selection,
    only_for_sizes,
    operands_of,
    routed_rows,
    shown_parts,
)
from attncli.pages.parts.sentences import facts_of, joined, put_in, rounding_facts
from attncli.scenario.model import Layer
from attncli.trace import CutPlace, LayerPlace, PlannedStep, Quantity, RoundPlace, Trace


def framing_facts(frame: Frame, words: Words) -> Iterator[tuple[str, Spans]]:
    """Yields the course, the institution, the date and so on, as far as they are said."""
    rows = (
        (words.course, frame.course),
        (words.institution, frame.institution),
        (words.date, frame.date),
        (words.duration, frame.duration),
        (words.tools, frame.tools),
    )
    yield from ((name, (Word(text),)) for name, text in rows if text)


def instructions(frame: Frame) -> Iterator[Paragraph]:
    """Yields what is to be known before the first question, if something is said."""
    if frame.instructions:
        yield Paragraph((Word(frame.instructions),))


def products_in_words(trace: Trace, words: Words) -> Iterator[str]:
    """Yields how the products of matrices are done, where there are some."""
    parts = (p for p in shown_parts(trace) if _is_worked(p) and not p.place.called)
    layers = {id(layer): layer for layer in map(_layer_of, parts)}
    rows = {entry.attention.config.linear for entry in layers.values() if entry.recurrent is None}
    columns = {entry.recurrent.in_out for entry in layers.values() if entry.recurrent is not None}
    out_in, in_out = words.rows_out_in, words.columns_in_out
    yield from (out_in if kept_so else words.rows for kept_so in sorted(rows))
    yield from (in_out if kept_so else words.columns for kept_so in sorted(columns))


def _is_worked(part: PlannedStep) -> bool:
    """Tells whether a part is worked, and not one of those that lead to the tokens."""
    of_tokens = isinstance(part.place, RoundPlace | CutPlace) or part.step == "dictionary"
    return bool(part.definitions) and not of_tokens


def _layer_of(part: PlannedStep) -> Layer:
    """Returns the layer of a part, or the first one for a part that leads to the layers, or on from
    them."""
    place = part.place
    return place.layer if isinstance(place, LayerPlace) else place.stack.layers[0]


def translated(section: Section, language: str) -> Section:
    """Returns a section as it is told in a language."""
    if not sentences_in(language):
        return section
    return section._replace(
        title=_parts(section.title, language),
        place=" · ".join(_translated(part, language) for part in section.place.split(" · ")),
        blocks=tuple(_block(block, language) for block in each(section.blocks)),
    )


def _block(block: Any, language: str) -> Any:  # noqa: ANN401
    """Returns a block, of any kind, whose text, headings, rows or origin are told in a language."""
    known = {"text", "headings", "rows", "origin"} & {*block._fields}
    return block._replace(**{name: _parts(getattr(block, name), language) for name in known})


def _parts(value: Any, language: str) -> Any:  # noqa: ANN401
    """Translates what a part of a block tells. Words of authors and numbers stay as they are."""
    if type(value) is tuple:
        return tuple(_parts(data, language) for data in value)
    return _span(value, language)


_NUMBER = re.compile(r"\((?:\d+, )*\d+\)|\d+(?:\.\d+)?")
"""A number, or several in parentheses: what a table leaves open."""
_BETWEEN = re.compile(r"(?<=[.?:]) (?=[A-Zε])|(?<= ·) ")
"""Where a sentence, or a part of a place, is followed by another."""


def _span(span: Span, language: str) -> Span:
    if not isinstance(span, str):
        return span
    return " ".join(_translated(part, language) for part in _BETWEEN.split(span))


def _translated(text: str, language: str) -> str:
    """Translates a title or a sentence, with its numbers and names as they are. Returns it
    unchanged where it isn't known."""
    bare, table = text.strip(), sentences_in(language)
    known = table.get(_NUMBER.sub("{}", bare))
    if known is not None:
        return text.replace(bare, known.format(*_NUMBER.findall(bare)))
    for pattern, own in named_sentences_in(language):
        if found := pattern.fullmatch(bare):
            gaps = found.groupdict().items()
            listed = {gap: put_in.replace(" and ", f" {table['and']} ") for gap, put_in in gaps}
            return text.replace(bare, own.format(**listed))
    return text


UNFRAMED = Frame()


def exercise(
    trace: Trace, request: ExerciseRequest, form: str, command: str, frame: Frame = UNFRAMED
) -> Document:
    """Makes the exercise with everything: blanks with their answers, keys, worked solutions.

    Raises SelectionError where there is nothing to ask for.
    """
    what = taken(trace, request, form, words_of(frame.language).tasks)
    return _document(what, form, command, frame, MadeFrom.of_scenario(trace.scenario))


def exercises(
    forms: Iterable[tuple[str, Trace]], request: ExerciseRequest, command: str, frame: Frame
) -> Iterator[tuple[str, Trace, Document]]:
    """Yields the exercise in each form. Raises SelectionError where there is nothing to ask for."""
    words, made_from = words_of(frame.language), None
    for form, trace in forms:
        what = taken(trace, request.on(trace), form, words.tasks)
        own = trace.scenario
        made_from = MadeFrom.of_scenario(own) if made_from is None else made_from.like(own)
        yield form, trace, _document(what, form, command, frame, made_from)


def _document(
    what: BlankedPage, form: str, command: str, frame: Frame, made_from: MadeFrom
) -> Document:
    words, request, trace = words_of(frame.language), what.request, what.trace
    sections = [translated(section, frame.language) for section in what.sections(words)]
    points = sum(section.points for section in sections)
    mark = fingerprint(trace, sections, made_from)
    opening, asking = arranged(sections, to_end=request.room is None)
    rest = tuple(
        _with_tables(what, section) for section in with_functions_told(asking, words.tasks)
    )
    asked = tuple(item for section in sections for item in section.questions)
    exam = Exam(trace, asked, tolerance=request.tolerance, printed=what.roots)
    return Document(
        Word(frame.title or trace.scenario.title),
        rest,
        DefinitionList((*framing_facts(frame, words.facts), *_facts(what, frame.language).rows)),
        opening=(
            fields_of(points, frame, words.paper),
            *instructions(frame),
            *opening,
        ),
        data=PageData(
            given=tuple(_given(trace, what.asked)),
            sources=trace.scenario.given.sources,
            rounding=rounding_facts(trace),
        ),
        paper=Paper(
            "exercise",
            form,
            mark,
            Word(command),
            points,
            request.share or 0,
            request.layout,
            frame.language,
            size=frame.paper,
        ),
        answers=Answers(own_numbers=(OwnNumbers(partial(_worked, exam)),)),
    )


def _with_tables(what: BlankedPage, section: Section) -> Section:
    """Returns a section whose products stand as on paper: what is asked of a result is to be filled
    in there, and what is asked elsewhere stands nowhere. All else that its working takes stands
    above what is asked, with room to carry over what isn't told."""
    trace, blocks = what.trace, [*section.blocks]
    asked = {item.cell: item.id for item in section.questions if item.cell is not None}
    for part in trace.story:
        if (part.path, part.step, part.place.called) == (section.path, section.step, section.own):
            own = {definition.name for definition in part.definitions}
            table_of = partial(_table_on_sheet, what, asked, part.path, own)
            blocks = products_in(trace, part, blocks, table_of, lambda _: False)
            if _is_worked(part):
                leads = leading_to(part, {cell.quantity for cell in asked})
                blocks = _with_operands(trace, leads, own, blocks, table_of, asked)
            if part.step == "gates":
                blocks = gate_by_gate(blocks, part.definitions)
    return section._replace(blocks=tuple(blocks))


def _with_operands(
    trace: Trace,
    part: PlannedStep,
    own: Collection[Name],
    blocks: Sequence[Block],
    table_of: Callable[[Quantity], MatrixBlock],
    asked: Collection[Location],
) -> list[Block]:
    """Returns the blocks of a part with a table of each quantity that it starts from and that none
    of them has, before the first of the part's `own`, where no lines tell what its numbers are made
    of; without those of an expert to which none of the `asked` rows goes, and without rows to carry
    over of which nothing is asked."""
    kinds: tuple[type[Line | MatrixBlock], ...] = (Line, MatrixBlock)
    told = [[*parts_of(block, kinds)] for block in blocks]
    lines = (entry for entries in told for entry in entries if isinstance(entry, Line))
    start = next((k for k, e in enumerate(told) if any(one.quantity in own for one in e)), None)
    if start is None or any(len(line.parts) > 1 for line in lines):
        return [*blocks]
    there = {entry.quantity for entries in told for entry in entries}
    there |= only_for_sizes(trace, part)
    missing = [q for q in operands_of(trace, part) if not is_in_words(trace, q.name)]
    rows, used = {cell.row for cell in asked}, worked_from(trace, own, asked)
    idle = {path for path, routed in routed_rows(trace).items() if not rows & {*routed}}
    missing = [q for q in missing if q.name not in there and q.name.path not in idle]
    given = given_blocks(trace, [q for q in missing if q.given], Selection(), part.path)
    tables = [_carried_over(table_of(q), used) for q in missing if not q.given]
    needed = [*given, *(table for table in tables if table.rows and has_room(table))]
    return [*blocks[:start], *needed, *blocks[start:]]


def _carried_over(table: MatrixBlock, used: Collection[Location]) -> MatrixBlock:
    """Leaves out of a table the rows that nothing asked is worked from."""
    needed = {cell.row for cell in used if cell.quantity == table.quantity}
    return table._replace(rows=tuple(i for i in table.rows if i in needed))


def _table_on_sheet(
    what: BlankedPage,
    asked: Mapping[Location, str],
    path: Name,
    own: Collection[Name],
    quantity: Quantity,
) -> MatrixBlock:
    """Makes the table of a quantity, without what is asked; of what a part makes itself, with
    blanks for what its section asks."""
    block, (rows, columns) = matrix_block(quantity, Selection(), path), quantity.matrix.shape
    cells = [Location(quantity.name, i, j) for i in range(rows) for j in range(columns)]
    blanks = {c.indices: asked[c] for c in cells if quantity.name in own and c in asked}
    hidden = [c.indices for c in cells if what.asked.hides(c) and c.indices not in blanks]
    matrix = block.matrix.without(block.matrix.marked(hidden)) if hidden else block.matrix
    return block._replace(matrix=matrix, blanks=blanks)


def _worked(exam: Exam, keyed: bool) -> WorkedInBrowser:
    """Returns how the numbers of an exercise are worked, by whoever marks it."""
    return worked_in_browser(exam.judge, exam.items, keyed=keyed)


def fields_of(points: Worth, frame: Frame, words: Words) -> Fields:
    """Returns what is to be written on the paper, with the date where that isn't printed above."""
    date = () if frame.date else (words.date,)
    return Fields((words.name, words.id, *date, words.points_of.format(points=points_text(points))))


def _facts(what: BlankedPage, language: str) -> DefinitionList:
    """Returns what the key depends on, in words: of scaling and of products of matrices where
    something is asked that takes them."""
    trace, words = what.trace, words_of(language).facts
    made = [d for name in what.quantities if (d := trace[name].definition) is not None]
    multiplies = any(isinstance(d.operation, ProductOfMatrices) for d in made)
    steps = {d.step for d in made}
    scales = "scale" in steps or ("scores" in steps and not steps.isdisjoint(("mask", "softmax")))
    products = "; ".join(products_in_words(trace, words)) if multiplies else ""
    pairs: tuple[tuple[str, Spans], ...] = ((words.products, (products,)),) if products else ()
    rows = facts_of(trace, language=language, asked=True).rows
    needless = {words.source}  # which only the scenario's page tells
    needless |= set() if scales else {words.scaling, words.encoder_scaling}
    needed = (row for row in rows if row[0] not in needless)
    return DefinitionList((*needed, *pairs))


def _dots(sections: Iterable[Section], words: Words) -> Iterator[tuple[str, Spans]]:
    """Yields what dotted places in tables are for, where there are some."""
    tables = (t for s in sections for block in s.blocks for t in parts_of(block, MatrixBlock))
    if any(table.has_dots for table in tables):
        yield words.dots, (words.dots_are,)


def _given(trace: Trace, asked: Asked) -> Iterator[MatrixBlock]:
    """Yields the given matrices as data, without what is asked for."""
    for quantity in trace.quantities.values():
        if quantity.given:
            block = matrix_block(quantity, Selection())
            cells = [c for c in asked.cells if c.quantity == quantity.name]
            blanks = {(c.row, c.column): quantity.address(c.row, c.column) for c in cells}
            yield block._replace(blanks=blanks) if blanks else block


def sheet_for(sheet: Document, name: str, number: str) -> Document:
    """Returns the sheet of a student, whose name needn't be written any more."""
    assert sheet.paper is not None
    words, owner = sheet.paper.words, Owner(Word(name), Word(number))
    whose = (owner.name, *((" · ", owner.id) if number else ()))
    rows = () if sheet.facts is None else sheet.facts.rows
    return sheet._replace(
        facts=DefinitionList(((words.facts.name, whose), *rows)),
        paper=sheet.paper._replace(owner=owner),
        opening=tuple(_without((words.paper.name, words.paper.id), b) for b in each(sheet.opening)),
    )


def _without(names: Collection[str], block: Block) -> Block:
    if not isinstance(block, Fields):
        return block
    return Fields(tuple(entry for entry in block.names if entry not in names))


def sheet_of(whole: Document) -> Document:
    """Returns the exercise without any answer, key or solution."""
    assert whole.paper is not None
    facts = () if whole.facts is None else whole.facts.rows
    dots = tuple(_dots(whole.sections, whole.paper.words.facts))
    return whole._replace(
        facts=DefinitionList((*facts, *dots)) if dots else whole.facts,
        sections=tuple(map(_unanswered_section, whole.sections)),
        opening=_unanswered(tuple(each(whole.opening))),
        data=whole.data._replace(given=_unanswered(whole.data.given)),
        paper=whole.paper._replace(kind="sheet", command=Word("")),
        answers=whole.answers._replace(own_numbers=()),
    )


def _unanswered_section(section: Section) -> Section:
    return section._replace(
        blocks=_unanswered(tuple(each(section.blocks))),
        questions=tuple(q.unanswered for q in section.questions),
        solution=(),
    )


class Rewriting(NamedTuple):
    """A way to rewrite whatever has the id of something that is asked for."""

    blank: Callable[[Blank], Blank]
    words: Callable[[WordBlank], WordBlank]
    table: Callable[[MatrixBlock], MatrixBlock]
    item: Callable[[Item], Item] = lambda item: item

    def of(self, part: object) -> Any:  # noqa: ANN401
        """Rewrites blocks, or whatever they are made of."""
        kinds: dict[type, Callable[[Any], object]] = {
            WordBlank: self.words, MatrixBlock: self.table, Item: self.item,
        }  # fmt: skip
        if type(part) in kinds:
            return kinds[type(part)](part)
        match part:
            case Node():
                return with_each(part, Blank, self.blank)
            case tuple():
                parts = map(self.of, part)
                return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
            case _:
                return part


def _without_answers(table: MatrixBlock) -> MatrixBlock:
    matrix = table.matrix
    if table.blanks:
        matrix = matrix.without(matrix.marked(table.blanks))
    return table._replace(matrix=matrix)


_unanswered = Rewriting(
    lambda blank: Blank(blank.id), lambda block: block._replace(answer=None), _without_answers
).of


def key_page(whole: Document) -> Document:
    """Makes the key of an exercise. How it is to be read stands above it, and beside a question
    only what is otherwise there."""
    assert whole.paper is not None
    read = next(filter(None, map(_how_to_read, whole.sections)), ())
    return whole._replace(
        sections=tuple(_section(s, read, whole.paper.words.keys) for s in whole.sections),
        opening=read,
        data=whole.data._replace(given=()),
        paper=whole.paper._replace(kind="key"),
    )


def _how_to_read(section: Section) -> tuple[Block, ...]:
    """Returns how the solution of a section is to be read, which it begins with."""
    return tuple(takewhile(lambda block: isinstance(block, Callout), section.solution))


def _section(section: Section, read: Sequence[Block], words: Words) -> Section:
    own = _how_to_read(section)
    solution = (*(b for b in own if b not in read), *section.solution[len(own) :])
    return section._replace(blocks=(*solution, *_slips(section, words)), solution=())


def _slips(section: Section, words: Words) -> list[Block]:
    """Returns what common mistakes would give, by which they can be told."""
    found: dict[str, list[tuple[str, MistakenAnswer]]] = {}
    for question in section.questions:
        for slip in question.key.slips if question.key is not None else ():
            found.setdefault(slip.says, []).append((question.called, slip))
    if not found:
        return []
    rows = tuple(_slip(says, places, words) for says, places in found.items())
    return [Subheading((words.known_mistakes,)), Bullets(rows)]


def _slip(says: str, places: Sequence[tuple[str, MistakenAnswer]], words: Words) -> Spans:
    lines = [
        put_in(words.number_for, number=(slip.number,), blank=(Word(name),))
        for name, slip in places
    ]
    shown = elided(len(lines), MOST_PARTS)
    given = joined((Omitted(),) if place is None else lines[place] for place in shown)
    return put_in(words.gives, mistake=says, numbers=given)


def self_checking(whole: Document) -> Document:
    """Makes the student's sheet of an exercise, with what it takes to check itself."""
    assert whole.paper is not None
    numbers = [item.key.number.shown for item in whole.items if item.key is not None]
    parts = [(own.prefix, own.worked(False)) for own in whole.answers.own_numbers]
    places = {
        f"{prefix}{id_}": JudgedPlace(k, *place, part.hints.get(id_))
        for k, (prefix, part) in enumerate(parts)
        for id_, place in part.places.items()
    }
    asked = [item for item in whole.items if not item.by_hand]
    check = SelfCheck(
        {item.id: places.get(item.id) or _accepted(item) for item in asked},
        max((len(decimals.text(number)) for number in numbers), default=0),
        any(number < 0 for number in numbers),
        tuple(part.data for _, part in parts),
    )
    sheet = sheet_of(whole)
    return sheet._replace(answers=sheet.answers._replace(check=check))


def _accepted(item: Item) -> AcceptedAnswer:
    """Returns what is right for something that isn't judged by its author's own numbers."""
    if item.words is not None:
        words = item.words
        texts = map(str, words.right) if words.labels else (word.raw for word in words.answers)
        return AcceptedAnswer(tuple(texts))
    return _accepted_number(item.right)._replace(unlike=item.cell is not None)


def _accepted_number(key: RightAnswer) -> AcceptedAnswer:
    if not key.number.shown.is_finite():
        return AcceptedAnswer((decimals.text(key.number.shown),))
    return AcceptedAnswer(
        interval=key.accepted, with_fewer_decimals=tuple(_with_fewer_decimals(key))
    )


def _with_fewer_decimals(key: RightAnswer) -> Iterator[str]:
    """Yields the right number with each number of decimals that is too few."""
    for places in range(decimals.places(key.number.shown)):
        number = decimals.shown(key.number.full, places)
        if decimals.fits(number, places):
            yield f"{number:.{places}f}"
