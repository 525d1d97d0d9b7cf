"""Canvas: a package of QTI 2.1 with a quiz a form, in which each blank is a question of its own.

Canvas's classic quizzes take no intervals in a question of several blanks: there only texts are
compared. A number in a question of its own is taken from `gte` to `lte`. What Canvas reads
(gems/plugins/qti_exporter/lib/qti):

* which kind a question is, from the manifest: the type of its interaction, and beside it, in
  `instructureMetadata`, an extension of Canvas's own, that it is numerical;
* the first `gte` and the first `lte` of an item as the ends of its interval;
* neither rubric blocks nor feedback of other cases: shares and hints of QTI are of no use here;
* of a visible section its title, and the weight of an item as its points.

What a student types into a classic quiz is rounded to four decimals: 0.00004 becomes 0.

A section's text stands in its first question; those that follow name their blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from attncli.classroom.formats._essays import Essay, essays_of, without_essays
from attncli.classroom.formats._self_marking import LOOKS, SelfMarking, xml
from attncli.classroom.formats.qti import (
    QTI,
    STYLES,
    EssayItem,
    SheetItem,
    as_renderers,
    body,
    drawn_by_itself,
    item_ref,
    manifest_of,
    option_name,
    resource_of,
    section_of_essays,
    section_of_pool,
    style,
    test_of,
)
from attncli.classroom.formats.yaml import asking, paper_of
from attncli.document.blocks import Document, Pool, Section, text_of_spans
from attncli.document.questions import Item, Paper, Worth
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.maths.notation.escaping import visible
from attncli.names import Word

SUFFIXES = (".canvas.zip",)
ABILITIES = FormatInfo(
    PaperAbilities(
        keys=("embedded",),
        self_keyed=True,
        hints="none",
        decimals=4,
        gathered=True,
        packed=True,
        draws="blanks",
    )
)
"""An item marks itself by what is right in it; mistakes earn nothing in Canvas."""

_LONGEST_TITLE = 200


class BlankItem(NamedTuple):
    """A blank as an item of a test."""

    form: SelfMarking
    """The form that it is of."""
    section: Section
    """The section that asks for it."""
    question: Item
    """What is asked."""
    number: int
    """Its number in the form, from 1."""
    numbers: Mapping[str, int]
    """The numbers of all blanks of the form, by their ids."""
    place: str
    """What its file is called."""

    @property
    def identifier(self) -> str:
        paper = self.form.paper
        return f"item-{paper.hash}-{paper.form}-{self.number}"

    @property
    def path(self) -> str:
        return f"items/{self.place}.xml"

    @property
    def points(self) -> Worth:
        return self.question.points

    @property
    def title(self) -> str:
        heading = text_of_spans(self.section.heading, visible)
        return f"{heading} ({self.number})"[:_LONGEST_TITLE]

    @property
    def is_first(self) -> bool:
        """Tells whether it is the first of its section, which tells what all of them need."""
        return self.section.questions[0] is self.question

    @property
    def kind(self) -> str:
        """Names its interaction as QTI does."""
        words = self.question.words
        if words is not None and words.labels:
            return "choiceInteraction"
        return "extendedTextInteraction" if self.is_number else "textEntryInteraction"

    @property
    def is_number(self) -> bool:
        return self.question.id in self.form.alternatives

    @property
    def text(self) -> str:
        """Writes the item as a file, its answers and rules those of this question alone."""
        section = self.section._replace(questions=(self.question,))
        document = self.form.document
        answers = document.answers._replace(hints=())
        alone = document._replace(sections=(section,), answers=answers)
        paper = self.form.paper._replace(points=self.question.points, share=0)
        item = SheetItem.of(alone, paper)
        return item.file(self.identifier, self.title, self._inside(item.length))

    def _inside(self, length: int) -> str:
        name = xml(visible(Word(self.question.id)))
        parts = [*(self._section_html() if self.is_first else ())]
        parts.append(f"<p>{_marker(self.number)} <code>{name}</code></p>")
        inside = body(parts)
        return f"{inside}\n{self._interaction(length)}"

    def _section_html(self) -> Iterator[str]:
        """Yields the section as HTML, each blank by its number; before the first one what opens the
        form."""
        document = self.form.document._replace(sections=(self.section,))
        if self.number > 1:
            document = document._replace(facts=None, opening=())
        form = SelfMarking.of(document, self.form.paper)
        return form.asked(style, lambda item: _marker(self.numbers[item.id]))

    def _interaction(self, length: int) -> str:
        words = self.question.words
        if words is not None and words.labels:
            options = "".join(
                f'<simpleChoice identifier="{option_name(k)}">{xml(visible(option))}</simpleChoice>'
                for k, option in enumerate(words.options)
            )
            return (
                '<choiceInteraction responseIdentifier="R1" shuffle="false" maxChoices="1">'
                f"{options}</choiceInteraction>"
            )
        text = f'<{self.kind} responseIdentifier="R1" expectedLength="{length}"/>'
        return text if self.is_number else f"<p>{text}</p>"


def _marker(number: int) -> str:
    return f"<strong>({number})</strong>"


def items_of(document: Document, place: str = "") -> list[BlankItem]:
    """Lists a form's items. Raises ValueError for a document that doesn't say what is right."""
    document = without_essays(document)
    form = SelfMarking.of(document, paper_of(document, "canvas"))
    numbers = {question.id: k for k, question in enumerate(document.items, start=1)}
    return [
        BlankItem(form, section, question, k, numbers, place or f"{form.paper.form}_{k}")
        for section in asking(document)
        for question in section.questions
        for k in [numbers[question.id]]
    ]


def files_of(documents: Sequence[Document], page: RenderOptions) -> Mapping[str, str]:  # noqa: ARG001
    """Returns the files of a package by their names. Raises ValueError for a document that doesn't
    say what is right."""
    rests, drawn = drawn_by_itself(documents, blanks=True)
    pools = [(pool, [*_items_of(pool, k)]) for k, pool in enumerate(drawn, start=1)]
    shared = [item for _, own in pools for item in own]
    asked = [items_of(rest) for rest in rests] or [[] for _ in documents]
    forms = [
        (paper_of(d, "canvas"), d, items, essay_items_of(d, drawn))
        for d, items in zip(documents, asked, strict=True)
    ]
    every = [item for *_, items, _ in forms for item in items]
    essays = {essay.identifier: essay for *_, own in forms for essay in own}
    tests = (
        resource_of(
            _name_of(paper),
            "test",
            _place_of(paper),
            [item.identifier for item in (*items, *shared, *own)],
        )
        for paper, _, items, own in forms
    )
    items = [*every, *shared, *essays.values()]
    resources = [*tests, *map(_resource, items)]
    return {
        "imsmanifest.xml": manifest_of(forms[0][0].hash, resources),
        **{_place_of(paper): _test(paper, d, items, pools, own) for paper, d, items, own in forms},
        STYLES: LOOKS,
        **{item.path: item.text for item in items},
    }


def _items_of(pool: Pool, number: int) -> Iterator[BlankItem | EssayItem]:
    """Yields each question of a pool as an item."""
    for k, page in enumerate(pool.questions, start=1):
        place = f"pool{number}_{k}"
        yield from (e._replace(path=f"items/{place}.xml") for e in essay_items_of(page))
        yield from items_of(page, place)


def _mark_of(essay: Essay) -> str:
    """Returns what tells a question from all others, which is the same in all forms."""
    return sha256(f"{essay.item.id} {essay.item.asks}".encode()).hexdigest()[:8]


def essay_items_of(document: Document, drawn: Sequence[Pool] = ()) -> list[EssayItem]:
    """Lists what a person marks of a form, by its ids, since forms share it; but for what is drawn
    from pools."""
    return [
        EssayItem(essay, f"essay-{mark}", f"items/essay_{mark}.xml")
        for essay in essays_of([document], drawn)
        for mark in [_mark_of(essay)]
    ]


render, render_forms = as_renderers(files_of)


def _place_of(paper: Paper) -> str:
    return f"{paper.form}.xml"


def _name_of(paper: Paper) -> str:
    return f"test-{paper.hash}-{paper.form}"


def _resource(item: BlankItem | EssayItem) -> str:
    if isinstance(item, EssayItem):
        told = _told("extendedTextInteraction", _ESSAY)
    else:
        told = _told(item.kind, "numerical_question" if item.is_number else "")
    return resource_of(item.identifier, "item", item.path, told=told)


_ESSAY = "essay_question"


def _told(interaction: str, kind: str) -> str:
    """Writes which kind of question an item is, by its interaction and as Canvas names it."""
    own = f"""
        <instructureMetadata>
          <instructureField name="question_type" value="{kind}"/>
        </instructureMetadata>"""
    return f"""
      <metadata>
        <qti:qtiMetadata xmlns:qti="{QTI}">
          <qti:interactionType>{interaction}</qti:interactionType>
        </qti:qtiMetadata>{own if kind else ""}
      </metadata>"""


def _test(
    paper: Paper,
    document: Document,
    items: Sequence[BlankItem],
    pools: Sequence[tuple[Pool, Sequence[BlankItem | EssayItem]]],
    essays: Sequence[EssayItem],
) -> str:
    """Writes a form as a test: a section for each of its sections, in order, one for each pool, and
    one for what else a person marks."""
    title = xml(f"{visible(document.title)} · {paper.called}")
    asked = dict.fromkeys(id(item.section) for item in items)
    sections = [
        _section(k, [item for item in items if id(item.section) == section])
        for k, section in enumerate(asked, start=1)
    ]
    name = _name_of(paper)
    drawn = [section_of_pool(f"{name}-pool{k}", *own) for k, own in enumerate(pools, start=1)]
    return test_of(name, title, "".join((*sections, *drawn)) + section_of_essays(essays, title))


def _section(number: int, items: Sequence[BlankItem]) -> str:
    title = xml(text_of_spans(items[0].section.heading, visible))
    refs = "".join(item_ref(b.identifier, b.path, b.points) for b in items)
    return f"""
    <assessmentSection identifier="section{number}" title="{title}" visible="true">{refs}
    </assessmentSection>"""
