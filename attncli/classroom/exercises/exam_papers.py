"""The parts of an exam as one paper, with blanks called `2/weights[love, AI]`.

Questions are numbered through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import tee

from attncli.classroom.exercises.drawing import drawn_part
from attncli.classroom.exercises.fingerprint import joint_mark
from attncli.classroom.exercises.own_questions import questions_page
from attncli.classroom.exercises.papers import (
    Rewriting,
    exercises,
    fields_of,
    framing_facts,
    instructions,
    key_page,
)
from attncli.classroom.exercises.requests import ExerciseRequest, request_of
from attncli.classroom.exercises.tasks import with_hints
from attncli.classroom.files.exam_file import ExamFile, ExamPart
from attncli.classroom.files.exercise_file import Frame
from attncli.classroom.files.scheme import Scheme
from attncli.classroom.marking.exam_parts import part_prefix
from attncli.document.blocks import (
    AnswerSpace,
    Block,
    Bullets,
    DefinitionList,
    Document,
    Fields,
    Section,
    Spans,
    Subheading,
    Table,
)
from attncli.document.languages import FrameWords, Words, words_of
from attncli.document.questions import Worth, counted_points, points_text
from attncli.maths.equations.tree import Blank
from attncli.names import Word, raw
from attncli.pages.parts.sentences import joined, put_in
from attncli.trace import Trace


def in_one(exam: ExamFile, wholes: Sequence[Document]) -> Document:
    """Makes one paper of all parts, with all its answers. The only part of an exam that is a
    scenario stays as it is."""
    parts, frame = exam.parts, exam.frame
    if len(parts) == 1 and parts[0].most is None and wholes[0].opening and not exam.cover:
        paper = wholes[0].paper
        return wholes[0]._replace(paper=paper and paper._replace(is_exam=exam.is_exam))
    words, titles = words_of(frame.language), [*map(_title, parts, wholes)]
    points = [*map(_most, parts, wholes)]
    count = len(wholes)
    wholes = [renamed(whole, part_prefix(k, count)) for k, whole in enumerate(wholes, start=1)]
    papers = [whole.paper for whole in wholes if whole.paper is not None]
    sections: list[Section] = []
    said: dict[str | None, list[tuple[str, Spans]]] = {}
    for k, whole in enumerate(wholes):
        says = counted_points(points[k], words)
        says = says if parts[k].most is None else words.paper.at_most.format(points=says)
        named: Spans = (" · ", titles[k]) if titles[k].raw else ()
        heading = (words.paper.part.format(number=k + 1), *named)
        if parts[k].most is not None or len([s for s in whole.sections if s.questions]) > 1:
            heading = (*heading, f" ({says})")  # else its only question says so
        facts = () if whole.facts is None else whole.facts.rows
        told = said.setdefault(exam.scenarios[k], [])
        new = [row for row in facts if row not in told]
        told += new
        sections += _sections(heading, whole, new, len([s for s in sections if s.questions]))
    if papers[0].layout != "pages":
        sections = [*map(_followed, sections[:-1]), sections[-1]]
    first, mark = wholes[0], joint_mark(paper.hash for paper in papers)
    return first._replace(
        title=Word(frame.title) if frame.title else first.title,
        sections=tuple(sections),
        facts=DefinitionList(tuple(framing_facts(frame, words.facts))),
        opening=(
            fields_of(sum(points), frame, words.paper),
            *instructions(frame),
            *([_table(titles, points, words)] if count > 1 else []),
        ),
        data=first.data._replace(
            given=tuple(block for whole in wholes for block in whole.data.given),
            sources={name: text for whole in wholes for name, text in whole.data.sources.items()},
        ),
        paper=papers[0]._replace(hash=mark, points=sum(points), cover=exam.cover, is_exam=True),
        answers=first.answers._replace(
            own_numbers=tuple(own for whole in wholes for own in whole.answers.own_numbers)
        ),
    )


def _most(part: ExamPart, whole: Document) -> Worth:
    """Returns the points that a part can bring."""
    assert whole.paper is not None
    return whole.paper.points if part.most is None else min(whole.paper.points, part.most)


def _title(part: ExamPart, whole: Document) -> Word:
    return Word(part.title) if part.title else whole.title


def _table(titles: Sequence[Word], points: Sequence[Worth], words: FrameWords) -> Table:
    """Makes a table of what each part is about, and its points, with room for those that are
    earned."""
    rows = tuple(
        (str(k), title, points_text(worth), "")
        for k, (title, worth) in enumerate(zip(titles, points, strict=True), start=1)
    )
    texts = words.paper
    return Table((texts.part_heading, "", words.keys.points, texts.earned), rows)


def _sections(
    heading: Spans, whole: Document, facts: Sequence[tuple[str, Spans]], before: int
) -> Iterator[Section]:
    """Yields the sections of a part behind one that says what it is about, with its facts."""
    blocks: tuple[Block, ...] = (
        *([DefinitionList(tuple(facts))] if facts else []),
        *(block for block in whole.opening if not isinstance(block, Fields)),
    )
    yield Section("", None, heading, (), blocks)
    for section in whole.sections:
        number = None if section.number is None else section.number + before
        yield section._replace(number=number)


def _followed(section: Section) -> Section:
    """Returns a section whose room for working doesn't fill the page, as more follows on it."""
    blocks = (b._replace(to_end=False) if isinstance(b, AnswerSpace) else b for b in section.blocks)
    return section._replace(blocks=tuple(blocks))


def key_of(form: ExamForm) -> Document:
    """Makes the key of a form, with how marks are given where its exam says so."""
    key = key_page(form.whole)
    if form.exam.scheme == Scheme():
        return key
    words = words_of(form.exam.frame.language).scheme
    says = Bullets(tuple(_scheme_in_words(form.exam.scheme, words)))
    return key._replace(opening=(Subheading((words.heading,)), says, *key.opening))


def _scheme_in_words(scheme: Scheme, words: Words) -> Iterator[Spans]:
    """Yields a sentence for each kind of mistake with what it costs, and what brings which
    grade."""
    yield from ((text,) for text in _costs_in_words(scheme, words))
    if scheme.grades:
        rows = ((Word(name), f" {points_text(least)}") for name, least in scheme.grades.items())
        yield put_in(words.grades, grades=joined(rows))


def _costs_in_words(scheme: Scheme, words: Words) -> Iterator[str]:
    for name, share in scheme.costs._asdict().items():
        if share or name != "otherwise":
            each = "" if scheme.carry else f"{name}_each"
            text = words.texts.get(each, words.texts[name])
            yield text.format(share=f"{points_text(100 * share)} %")
    yield from (words.carry, words.doubt) if scheme.carry else (words.no_carry,)
    if scheme.free:
        yield words.free.format(names=", ".join(scheme.free))
    if scheme.unit is not None:
        yield words.unit.format(number=points_text(scheme.unit))


@dataclass(frozen=True)
class ExamForm:
    """A form of an exam."""

    exam: ExamFile
    name: str
    traces: tuple[Trace | None, ...]
    """The worked trace of each part, if it has one."""
    wholes: tuple[Document, ...]
    """The paper of each part, with all its answers."""

    @cached_property
    def whole(self) -> Document:
        """Returns all parts as one paper."""
        return in_one(self.exam, self.wholes)

    @property
    def most(self) -> dict[str, Worth]:
        """Returns what parts can bring that can't bring all of their points, by how their ids
        begin."""
        pairs = enumerate(zip(self.exam.parts, self.wholes, strict=True), start=1)
        return {
            part_prefix(k, len(self.wholes)): part.most
            for k, (part, whole) in pairs
            if part.most is not None and whole.paper is not None and part.most < whole.paper.points
        }

    def changed(self, change: Callable[[Document, Trace], Document]) -> Document:
        """Returns one paper of all parts, in which each part about a scenario is changed."""
        pairs = zip(self.wholes, self.traces, strict=True)
        changed = [whole if t is None else change(whole, t) for whole, t in pairs]
        return in_one(self.exam, changed)

    @property
    def hinted(self) -> Document:
        """Returns all parts as one paper with hints."""
        return self.changed(with_hints)

    def asking(
        self, parts: Sequence[ExamPart], traces: Sequence[Trace | None], frame: Frame | None = None
    ) -> ExamForm:
        """Returns the form with other parts, with nothing to draw."""
        exam = self.exam._replace(parts=tuple(parts), draws={}, frame=frame or self.exam.frame)
        pairs, paper = zip(parts, traces, strict=True), self.whole.paper
        requests = [
            None
            if trace is None or part.exercise is None
            else request_of(trace, part.exercise, together=False)
            for part, trace in pairs
        ]
        assert paper is not None
        forms = [(self.name, tuple(traces))]
        (made,) = exam_forms(exam, requests, forms, raw(paper.command))
        return made


FormTraces = tuple[str, tuple[Trace | None, ...]]
"""The name of a form, and what is worked in each of its parts."""


def requests_of(
    exam: ExamFile, traces: Sequence[Trace | None]
) -> tuple[ExerciseRequest | None, ...]:
    """Returns what each part asks of its scenario, if it has one. Raises SelectionError."""
    pairs = zip(exam.parts, traces, strict=True)
    return tuple(
        None
        if trace is None or ordered is None
        else request_of(trace, ordered, together=not part.pool)
        for part, trace in pairs
        for ordered in (part.asks_at_most,)
    )


def exam_forms(
    exam: ExamFile,
    requests: Sequence[ExerciseRequest | None],
    forms: Iterable[FormTraces],
    command: str,
) -> Iterator[ExamForm]:
    """Yields the exam in each form. Of many forms each part is worked at once."""
    each = tee(forms, len(exam.parts) + 1)
    wholes = [
        _part_in_each(exam, k, request, own, command)
        for k, (request, own) in enumerate(zip(requests, each, strict=False))
    ]
    for (name, traces), *papers in zip(each[-1], *wholes, strict=True):
        yield ExamForm(exam, name, traces, tuple(papers))


def _part_in_each(
    exam: ExamFile,
    k: int,
    request: ExerciseRequest | None,
    forms: Iterable[FormTraces],
    command: str,
) -> Iterator[Document]:
    """Yields the papers of a part in each form. What stands around all parts isn't said in a single
    one."""
    frame = exam.frame
    if len(exam.parts) > 1:
        frame = Frame(language=frame.language, paper=frame.paper)
    if request is not None and exam.parts[k].pool:
        for name, traces in forms:
            trace, ordered = traces[k], drawn_part(exam, name, k).exercise
            assert trace is not None
            assert ordered is not None
            own = request_of(trace, ordered)
            yield from (whole for *_, whole in exercises([(name, trace)], own, command, frame))
        return
    if request is not None:
        known = ((name, t) for name, traces in forms if (t := traces[k]) is not None)
        yield from (whole for *_, whole in exercises(known, request, command, frame))
        return
    for name, _ in forms:
        yield questions_page(drawn_part(exam, name, k), name, frame, exam.seed)


def renamed(document: Document, prefix: str) -> Document:
    """Returns a document whose blanks and items have a prefix before their names."""
    if not prefix:
        return document

    def called(id_: str) -> str:
        return f"{prefix}{id_}" if id_ else id_

    renaming = Rewriting(
        lambda blank: Blank(called(blank.id), blank.answer),
        lambda block: block._replace(id=called(block.id)),
        lambda table: table._replace(blanks={at: called(i) for at, i in table.blanks.items()}),
        lambda item: item._replace(id=called(item.id)),
    )
    data, answers = document.data, document.answers
    own = tuple(numbers._replace(prefix=prefix) for numbers in answers.own_numbers)
    return document._replace(
        sections=renaming.of(document.sections),
        opening=renaming.of(document.opening),
        data=data._replace(given=renaming.of(data.given)),
        answers=answers._replace(hints=renaming.of(answers.hints), own_numbers=own),
    )
