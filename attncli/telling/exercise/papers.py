"""The exercise with all its answers, of which the sheet and the key are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncli.document import Document, Facts, Fields, Spans
from attncli.languages import words_of
from attncli.languages.words import FactWords, PaperWords
from attncli.questions import Paper, Worth, points_text
from attncli.scenario.exercise import Frame
from attncli.tables import MatrixBlock
from attncli.telling.blocks import matrix_block
from attncli.telling.exercise.blanked import BlankedPage, taken, worked_together
from attncli.telling.exercise.conventions import products_in_words
from attncli.telling.exercise.fingerprint import MadeFrom, fingerprint
from attncli.telling.exercise.frame import framing_facts, instructions
from attncli.telling.exercise.groups import in_groups
from attncli.telling.exercise.lines import Asked
from attncli.telling.exercise.request import ExerciseRequest
from attncli.telling.exercise.tasks import arranged
from attncli.telling.exercise.translated import translated
from attncli.telling.facts import facts_of, rounding_facts
from attncli.telling.selection import Selection
from attncli.trace import Trace
from attncli.word import Word

UNFRAMED = Frame()


def exercise(
    trace: Trace, wish: ExerciseRequest, form: str, command: str, frame: Frame = UNFRAMED
) -> Document:
    """The exercise with everything: blanks with their answers, keys, worked solutions.

    Raises SelectionError where there is nothing to ask for.
    """
    what = taken(trace, wish, form, words_of(frame.language).tasks)
    return _told(what, form, command, frame, MadeFrom.told_of(trace.scenario))


def exercises(
    forms: Iterable[tuple[str, Trace]], wish: ExerciseRequest, command: str, frame: Frame
) -> Iterator[tuple[str, Trace, Document]]:
    """The exercise in each form; what their keys need is worked for many forms at once."""
    words = words_of(frame.language)
    for some in in_groups(forms):
        taken_out = [taken(trace, wish, form, words.tasks) for form, trace in some]
        made_from = MadeFrom.told_of(some[0][1].scenario)
        for (form, trace), what in zip(some, worked_together(taken_out), strict=True):
            made_from = made_from.like(trace.scenario)
            yield form, trace, _told(what, form, command, frame, made_from)


def _told(
    what: BlankedPage, form: str, command: str, frame: Frame, made_from: MadeFrom
) -> Document:
    words, wish, trace = words_of(frame.language), what.wish, what.trace
    sections = [translated(section, frame.language) for section in what.sections(words)]
    points = sum(section.points for section in sections)
    mark = fingerprint(trace, sections, made_from)
    opening, told = arranged(sections)
    return Document(
        Word(frame.title or trace.scenario.title),
        tuple(told),
        Facts((*framing_facts(frame, words.facts), *_facts(trace, words.facts).rows)),
        given=tuple(_given(trace, what.asked)),
        opening=(
            _fields(points, frame, words.paper),
            *instructions(frame),
            *opening,
        ),
        sources=trace.scenario.sources,
        rounding=rounding_facts(trace),
        paper=Paper(
            "exercise",
            form,
            mark,
            Word(command),
            points,
            wish.share or 0,
            wish.layout,
            frame.language,
        ),
    )


def _fields(points: Worth, frame: Frame, words: PaperWords) -> Fields:
    """What is to be written on the paper; the date, where that isn't printed above."""
    date = () if frame.date else (words.date,)
    return Fields((words.name, *date, words.points_of.format(points=points_text(points))))


def _facts(trace: Trace, words: FactWords) -> Facts:
    """What the key depends on, in words."""
    products = "; ".join(products_in_words(trace, words))
    told: tuple[tuple[str, Spans], ...] = ((words.products, (products,)),) if products else ()
    return Facts((*facts_of(trace, words=words).rows, *told))


def _given(trace: Trace, asked: Asked) -> Iterator[MatrixBlock]:
    """The given matrices as data, without what is asked for."""
    for quantity in trace.quantities.values():
        if quantity.given:
            block = matrix_block(quantity, Selection())
            cells = [c for c in asked.cells if c.quantity == quantity.name]
            blanks = {(c.row, c.column): quantity.address(c.row, c.column) for c in cells}
            yield block._replace(blanks=blanks) if blanks else block
