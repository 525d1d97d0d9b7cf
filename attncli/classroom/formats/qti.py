"""QTI 2.1: a package of a test that draws one form, an item that holds the rules of its marking.

The files of a package are what is written here; packed they are a .zip file for Canvas, TAO, Onyx
and others. Identifiers, elements and their order are those of the published schema,
imsqti_v2p1.xsd; the test, the items and the manifest refer to each other by relative addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, Protocol

from attncli.classroom.formats._essays import Essay, essays_of, without_essays
from attncli.classroom.formats._self_marking import (
    DECLARATION,
    LEVEL,
    LOOKS,
    MASKED,
    SelfMarking,
    TakenWrong,
    allowed,
    headings,
    hinted,
    number_text,
    whole,
    written_answers,
    xml,
)
from attncli.classroom.formats.yaml import paper_of
from attncli.document.blocks import Document, Pool
from attncli.document.questions import Interval, Item, Paper, RightWords, Worth, points_text
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.formats.html.blocks import HtmlStyle, escaped
from attncli.maths.equations.tree import Blank
from attncli.maths.notation.escaping import ISOLATE, POP, visible
from attncli.maths.numbers import decimals

SUFFIXES = (".zip",)
ABILITIES = FormatInfo(
    PaperAbilities(
        keys=("embedded",),
        self_keyed=True,
        hints="embedded",
        share=50,
        gathered=True,
        packed=True,
        draws="items",
    )
)
"""An item marks itself by what is right in it, so the exercise itself is written."""

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
STYLES = "items/attn.css"
_LEAST_LENGTH = 6
_IN_QTI = (
    ("<bdi>", ISOLATE),
    ("</bdi>", POP),
    ("<aside>", '<div class="note">'),
    ("</aside>", "</div>"),
    ("<br>", "<br/>"),
)
"""What HTML has and QTI 2.1 hasn't, and what stands there instead."""


class SheetItem(NamedTuple):
    """A form as one item of a test."""

    form: SelfMarking
    """The form."""
    variables: Mapping[str, str]
    """The variables of its answers, by the ids of what is asked."""
    mistakes: Mapping[str, TakenWrong]
    """The mistakes, by the names of their feedbacks."""
    length: int
    """The length of all places to answer in."""
    place: str
    """What its file is called."""

    @classmethod
    def of(cls, document: Document, paper: Paper, place: str = "") -> SheetItem:
        """Makes an item of a document. Raises ValueError for one that doesn't say what is right."""
        form = SelfMarking.of(document, paper)
        variables = {
            question.id: f"R{k}" for k, question in enumerate(form.document.items, start=1)
        }
        slips = {slip.name: slip for a in form.alternatives.values() for slip in a.slips}
        mistakes = {f"mistake{k}": slip for k, slip in enumerate(slips.values(), start=1)}
        lengths = (len(number_text(a.answer)) for a in form.alternatives.values())
        return cls(form, variables, mistakes, max(_LEAST_LENGTH, *lengths, 0), place or paper.form)

    @property
    def identifier(self) -> str:
        return f"item-{self.form.paper.hash}-{self.form.paper.form}"

    @property
    def path(self) -> str:
        return f"items/{self.place}.xml"

    @property
    def points(self) -> Worth:
        return self.form.paper.points

    @property
    def text(self) -> str:
        """Writes the item as a file."""
        title = " · ".join((visible(self.form.document.title), *self.form.names))
        asked, solved = body(self.form.asked(style, self._place)), body(self.form.solved(style))
        inside = f'{asked}\n<rubricBlock view="scorer tutor">\n{solved}\n</rubricBlock>'
        return self.file(self.identifier, title, inside)

    def file(self, identifier: str, title: str, inside: str) -> str:
        """Writes an item with these answers and rules, by what is inside its body."""
        return allowed(f"""\
{DECLARATION}
<assessmentItem xmlns="{QTI}" identifier="{xml(identifier)}" title="{xml(title)}" \
adaptive="false" timeDependent="false">
{_lines(self._declared())}
<stylesheet href="{STYLES.removeprefix("items/")}" type="text/css"/>
<itemBody>
{inside}
</itemBody>
<responseProcessing>
{_lines(self._rules())}
</responseProcessing>
{_lines(self._feedback())}
</assessmentItem>
""")

    def _place(self, question: Item) -> str:
        if question.words is not None and question.words.labels:
            return _choice(self.variables[question.id], question.words)
        return (
            f'<textEntryInteraction responseIdentifier="{self.variables[question.id]}" '
            f'expectedLength="{self.length}"/>'
        )

    def _declared(self) -> Iterator[str]:
        """Yields the declarations of the answers, and of what comes of them."""
        for question in self.form.document.items:
            kind, right = self._answer(question)
            yield (
                f'<responseDeclaration identifier="{self.variables[question.id]}" '
                f'cardinality="single" baseType="{kind}">'
                f"<correctResponse><value>{right}</value></correctResponse></responseDeclaration>"
            )
        most = self.form.paper.points
        yield (
            '<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" '
            f'normalMaximum="{most}" normalMinimum="0">'
            "<defaultValue><value>0</value></defaultValue></outcomeDeclaration>"
        )
        yield (
            '<outcomeDeclaration identifier="FEEDBACK" cardinality="multiple" '
            'baseType="identifier"/>'
        )

    def _answer(self, question: Item) -> tuple[str, str]:
        """Returns the kind of an answer, and the right one."""
        words, alternatives = question.words, self.form.alternatives.get(question.id)
        if words is not None and words.labels:
            return "identifier", option_name(words.right[0])
        if words is not None:
            return "string", xml(words.answer.raw)
        return (
            ("string", MASKED[0])
            if alternatives is None
            else ("float", decimals.text(alternatives.answer))
        )

    def _rules(self) -> Iterator[str]:
        """Yields how the answers are marked, and what is told after which try."""
        yield from map(self._rule, self.form.document.items)
        for number in range(1, len(self.form.document.answers.hints) + 1):
            wrong = _compared("lt", "SCORE", "float", str(self.form.paper.points))
            now = _compared("match", "numAttempts", "integer", str(number))
            text = _set_feedback(f"hint{number}")
            yield _condition([(f"<and>{wrong}{now}</and>", text)])

    def _rule(self, question: Item) -> str:
        name, alternatives = self.variables[question.id], self.form.alternatives.get(question.id)
        words = question.words
        if words is not None and words.labels:
            options = (_compared("match", name, "identifier", option_name(k)) for k in words.right)
            return _condition([(_any_of(options), _earned(Decimal(question.points)))])
        if alternatives is None:
            texts = MASKED if words is None else map(xml, written_answers(words))
            matches = (_is_text(name, text) for text in texts)
            return _condition([(_any_of(matches), _earned(Decimal(question.points)))])
        cases = [(_within(name, alternatives.right), _earned(Decimal(question.points)))]
        for slip in alternatives.slips:
            points = decimals.product(Decimal(question.points * slip.share), Decimal("0.01"))
            earned = _earned(points) if slip.share else ""
            cases.append(
                (_within(name, slip.mistake.accepted), earned + _set_feedback(self._mistake(slip)))
            )
        return _condition(cases)

    def _mistake(self, slip: TakenWrong) -> str:
        return next(name for name, entry in self.mistakes.items() if entry.name == slip.name)

    def _feedback(self) -> Iterator[str]:
        """Yields what is told of mistakes, and the hints."""
        for name, slip in self.mistakes.items():
            html = f"<p><strong>{xml(slip.name)}:</strong> {xml(slip.mistake.says)}</p>"
            yield _modal(name, html)
        for number, sections in enumerate(self.form.document.answers.hints, start=1):
            yield _modal(f"hint{number}", body(hinted(sections, style)))


class EssayItem(NamedTuple):
    """A question that a person marks as an item of a test."""

    essay: Essay
    identifier: str
    path: str

    @property
    def points(self) -> Worth:
        return self.essay.item.points

    @property
    def text(self) -> str:
        """Writes the item as a file: the question, room for the answer, and for who marks it what
        it is marked by."""
        essay = self.essay
        asked, right = body([essay.asked(style)]), body([essay.marked_by(style)])
        points = points_text(essay.item.points)
        return allowed(f"""\
{DECLARATION}
<assessmentItem xmlns="{QTI}" identifier="{xml(self.identifier)}" \
title="{xml(visible(essay.title))}" adaptive="false" timeDependent="false">
<responseDeclaration identifier="R1" cardinality="single" baseType="string"/>
<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" \
normalMaximum="{points}" normalMinimum="0"><defaultValue><value>0</value></defaultValue>\
</outcomeDeclaration>
<stylesheet href="{STYLES.removeprefix("items/")}" type="text/css"/>
<itemBody>
{asked}
<extendedTextInteraction responseIdentifier="R1" expectedLines="{essay.lines}"/>
<rubricBlock view="scorer tutor">
{right}
</rubricBlock>
</itemBody>
</assessmentItem>
""")


def _choice(name: str, key: RightWords) -> str:
    """Writes a list of options in the middle of a text."""
    options = "".join(
        f'<inlineChoice identifier="{option_name(k)}">{xml(visible(option))}</inlineChoice>'
        for k, option in enumerate(key.options)
    )
    return (
        f'<inlineChoiceInteraction responseIdentifier="{name}" shuffle="false">{options}'
        "</inlineChoiceInteraction>"
    )


def option_name(place: int) -> str:
    return f"option{place + 1}"


def _any_of(conditions: Iterable[str]) -> str:
    return f"<or>{''.join(conditions)}</or>"


def _is_text(name: str, text: str) -> str:
    return (
        f'<stringMatch caseSensitive="false"><variable identifier="{name}"/>'
        f'<baseValue baseType="string">{text}</baseValue></stringMatch>'
    )


def style(blank: Callable[[Blank], str]) -> HtmlStyle:
    return HtmlStyle(text=escaped, blank=blank, level=LEVEL + 1)


def body(parts: Iterable[str]) -> str:
    """Writes HTML as QTI has it."""
    html = whole(parts)
    for other, own in _IN_QTI:
        html = html.replace(other, own)
    return html


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(parts)


def _within(name: str, accepted: Interval) -> str:
    low = _compared("gte", name, "float", number_text(accepted.low))
    high = _compared("lte", name, "float", number_text(accepted.high))
    return f"<and>{low}{high}</and>"


def _compared(how: str, name: str, kind: str, value: str) -> str:
    variable = f'<variable identifier="{name}"/>'
    return f'<{how}>{variable}<baseValue baseType="{kind}">{value}</baseValue></{how}>'


def _condition(cases: Sequence[tuple[str, str]]) -> str:
    """Writes a condition of several cases, of which the first one that holds counts."""
    (condition, what), *others = cases
    rest = "".join(f"<responseElseIf>{a}{b}</responseElseIf>" for a, b in others)
    first = f"<responseIf>{condition}{what}</responseIf>"
    return f"<responseCondition>{first}{rest}</responseCondition>"


def _earned(points: Decimal) -> str:
    return _set("SCORE", "sum", "float", number_text(points))


def _set_feedback(feedback: str) -> str:
    return _set("FEEDBACK", "multiple", "identifier", feedback)


def _set(outcome: str, how: str, kind: str, value: str) -> str:
    """Writes a rule that adds something to an outcome."""
    changed = _compared(how, outcome, kind, value)
    return f'<setOutcomeValue identifier="{outcome}">{changed}</setOutcomeValue>'


def _modal(identifier: str, html: str) -> str:
    return (
        f'<modalFeedback outcomeIdentifier="FEEDBACK" showHide="show" identifier="{identifier}">'
        f"{html}</modalFeedback>"
    )


def as_renderers(
    files_of: Callable[[Sequence[Document], RenderOptions], Mapping[str, str]],
) -> tuple[
    Callable[[Document, RenderOptions], str], Callable[[Sequence[Document], RenderOptions], str]
]:
    """Returns what renders one form, and all forms: the files of their package, one after the
    other, each under its name."""

    def render_forms(documents: Sequence[Document], page: RenderOptions) -> str:
        files = files_of(documents, page)
        return "".join(f"----- {name}\n{text}" for name, text in files.items())

    def render(document: Document, page: RenderOptions) -> str:
        return render_forms([document], page)

    return render, render_forms


_NOTES = ".attn .note { border-left: 3px solid rgba(127, 127, 127, .4); padding-left: 1em }\n"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"


def files_of(documents: Sequence[Document], page: RenderOptions) -> Mapping[str, str]:  # noqa: ARG001
    """Returns the files of a package by their names. Raises ValueError for a document that doesn't
    say what is right."""
    rests, drawn = drawn_by_itself(documents, blanks=False)
    wholes = [*map(without_essays, rests)]
    items = [SheetItem.of(d, paper_of(d, "qti")) for d in wholes if d.items]
    mark = paper_of(documents[0], "qti").hash
    essays = [EssayItem(essay, f"essay-{mark}-{k}", f"items/essay_{k}.xml")
              for k, essay in enumerate(essays_of(documents, drawn), start=1)]  # fmt: skip
    pools = [(pool, [*_items_of(pool, k)]) for k, pool in enumerate(drawn, start=1)]
    every = [*items, *(item for _, own in pools for item in own), *essays]
    sections = [section_of_pool(f"pool{k}", *own) for k, own in enumerate(pools, start=1)]
    return {
        "imsmanifest.xml": _manifest(mark, every),
        "test.xml": _test(documents[0], items, sections, essays),
        STYLES: LOOKS + _NOTES,
        **{item.path: item.text for item in every},
    }


def drawn_by_itself(
    documents: Sequence[Document], *, blanks: bool
) -> tuple[Sequence[Document], Sequence[Pool]]:
    """Returns what everybody is asked of forms, and the pools from which a platform draws the rest,
    maybe only `blanks`; whole forms and no pools where it can't."""
    left = [document.answers.left_to_draw for document in documents]
    pools = left[0].drawn(blanks=blanks) if left[0] is not None else ()
    return ([own.rest for own in left if own and own.rest] if pools else documents), pools


def _items_of(pool: Pool, number: int) -> Iterator[SheetItem | EssayItem]:
    """Yields each question of a pool as an item."""
    for k, page in enumerate(pool.questions, start=1):
        paper, place = paper_of(page, "qti"), f"pool{number}_{k}"
        for essay in essays_of([page]):
            yield EssayItem(essay, f"essay-{paper.hash}", f"items/{place}.xml")
        if (marked := without_essays(page)).items:
            yield SheetItem.of(marked, paper, place)


def section_of_pool(identifier: str, pool: Pool, items: Sequence[AnyItem]) -> str:
    """Writes the section of a test that draws from a pool."""
    refs = "".join(item_ref(item.identifier, item.path, item.points) for item in items)
    return f"""
    <assessmentSection identifier="{xml(identifier)}" title="{xml(visible(pool.title))}" \
visible="false">
      <selection select="{pool.take}"/>{refs}
    </assessmentSection>"""


class AnyItem(Protocol):
    """An item of a test."""

    @property
    def identifier(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def points(self) -> Worth: ...


render, render_forms = as_renderers(files_of)


def _manifest(mark: str, items: Sequence[SheetItem | EssayItem]) -> str:
    resources = (resource_of(item.identifier, "item", item.path) for item in items)
    test = resource_of(f"test-{mark}", "test", "test.xml", [item.identifier for item in items])
    return manifest_of(mark, [test, *resources])


def manifest_of(mark: str, resources: Iterable[str]) -> str:
    """Writes the manifest of a package, by the hash of what it is made from."""
    return f"""\
{DECLARATION}
<manifest xmlns="{_PACKAGE}" identifier="manifest-{xml(mark)}">
  <metadata>
    <schema>QTIv2.1 Package</schema>
    <schemaversion>1.0.0</schemaversion>
  </metadata>
  <organizations/>
  <resources>{"".join(resources)}
  </resources>
</manifest>
"""


def resource_of(
    identifier: str, kind: str, path: str, needed: Iterable[str] = (), told: str = ""
) -> str:
    """Writes a test, with the items that it has, or an item, with its looks; and what is `told` of
    it."""
    styles = f'\n      <file href="{STYLES}"/>' if kind == "item" else ""
    items = "".join(f'\n      <dependency identifierref="{xml(item)}"/>' for item in needed)
    return f"""
    <resource identifier="{xml(identifier)}" type="imsqti_{kind}_xmlv2p1" href="{xml(path)}">{told}
      <file href="{xml(path)}"/>{styles}{items}
    </resource>"""


def _test(
    document: Document,
    items: Sequence[SheetItem],
    pools: Sequence[str],
    essays: Sequence[EssayItem],
) -> str:
    """Writes a test of which each student gets one form, with a try more than there are hints, what
    is drawn from pools, and all else that a person marks. Its score is that of the items,
    unweighted; the weights tell Canvas what an item is worth."""
    title = xml(" · ".join((visible(document.title), *headings(document))))
    tries = 1 + max((len(item.form.document.answers.hints) for item in items), default=0)
    drawn = "".join(item_ref(item.identifier, item.path, item.points) for item in items)
    forms = f"""
    <assessmentSection identifier="forms" title="{title}" visible="false">
      <selection select="1"/>{drawn}
    </assessmentSection>"""
    control = f"""
    <itemSessionControl maxAttempts="{tries}" showFeedback="true"/>"""
    inside = f"{control}{forms if items else ''}{''.join(pools)}{section_of_essays(essays, title)}"
    return test_of(f"test-{paper_of(document, 'qti').hash}", title, inside)


def section_of_essays(essays: Sequence[EssayItem], title: str) -> str:
    """Writes the section of a test that has what a person marks; nothing where there is none."""
    refs = "".join(item_ref(e.identifier, e.path, e.points) for e in essays)
    return (
        refs
        and f"""
    <assessmentSection identifier="essays" title="{title}" visible="false">{refs}
    </assessmentSection>"""
    )


def item_ref(identifier: str, path: str, points: Worth) -> str:
    """Writes an item in a test, with its weight."""
    return f"""
      <assessmentItemRef identifier="{xml(identifier)}" href="{path}">
        <weight identifier="points" value="{points_text(points)}"/>
      </assessmentItemRef>"""


def test_of(identifier: str, title: str, parts: str) -> str:
    """Writes a test, whose score is the sum of its items' scores."""
    return f"""\
{DECLARATION}
<assessmentTest xmlns="{QTI}" identifier="{xml(identifier)}" title="{title}">
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>
  <testPart identifier="part" navigationMode="nonlinear" submissionMode="individual">{parts}
  </testPart>
  <outcomeProcessing>
    <setOutcomeValue identifier="SCORE">
      <sum>
        <testVariables variableIdentifier="SCORE"/>
      </sum>
    </setOutcomeValue>
  </outcomeProcessing>
</assessmentTest>
"""
