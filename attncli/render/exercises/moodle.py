"""Moodle XML: a category of cloze questions, one a form, their blanks as fields that mark
themselves.

Each question holds all that it takes to answer it, so that a quiz can draw one at random.
What can't be said twice: mathematics is left to Moodle's MathJax, as `\\(…\\)`; a field can't stand
inside it, and neither do somebody's words. The text of a question is searched for fields and for
their numbers, `{#1}`, so that no brace of anybody's words is left in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attncli.arithmetic.expression import Blank
from attncli.document import AnswerSpace, Block, Document, Facts, Fields, Section
from attncli.notation.words import visible
from attncli.questions import OWN_FORM, MistakenAnswer, Paper, Question
from attncli.records import NamedTuple
from attncli.render.abilities import Abilities
from attncli.render.exercises._answers import asking, paper_of
from attncli.render.exercises._cloze import (
    AcceptedRange,
    Alternatives,
    TakenWrong,
    field,
    filler,
    masked_field,
)
from attncli.render.exercises._moodle_text import cdata, mathematics, name_of, text, word, xml
from attncli.render.html import (
    HtmlStyle,
    blocks_html,
    expression_html,
    spans_html,
)
from attncli.render.html.tables import facts_html
from attncli.render.numbers import text_of
from attncli.render.page import Page
from attncli.render.sentences import text_of_spans

SUFFIXES = (".xml",)
ABILITIES = Abilities(
    keys=("embedded",), self_keyed=True, share=50, hints="embedded", gathered=True
)
"""A field holds what is right, so the exercise itself is written, not a sheet and a key."""

_LEVEL = 4
_MOST_NAMED = 2
_HIDDEN = "▢"
"""In the place of a number that is asked for elsewhere, or would tell what is asked for."""

_ABOUT = """\
All fields of a question have one size: that of its longest answer, which each field has as its
last answer, worth nothing. Moodle adds to it by chance, which the style in the questions undoes.
A field whose answer isn't the middle of what is accepted has it twice: first the answer, which is
what Moodle shows as right, then all that is accepted."""
_LOOKS = """\
<style>
.attn table { border-collapse: collapse; margin: 0 0 1em }
.attn th, .attn td { padding: .25em .75em; border-bottom: 1px solid rgba(127, 127, 127, .4) }
.attn th { text-align: left; font-weight: 600 }
.attn th, .attn td { vertical-align: baseline }
.attn .figure { text-align: right; font-variant-numeric: tabular-nums }
.attn .result { white-space: nowrap }
.attn aside { border-left: 3px solid rgba(127, 127, 127, .4); padding-left: 1em }
.attn input[type=text] { width: SIZEch !important; display: inline-block }
</style>"""
_ROOM_FOR_BORDERS = 4
_HOW_MASKED = "<p>Type −∞, what a masked score is, as <code>-inf</code>.</p>"


def render(document: Document, page: Page) -> str:
    """A form as a file of one question."""
    return render_forms([document], page)


def render_forms(documents: Sequence[Document], page: Page) -> str:  # noqa: ARG001
    """All forms of an exercise as a category, with a question each. Raises ValueError for a
    document that doesn't say what is right."""
    questions = (_question(_Exercise.of(one, paper_of(one, "moodle"))) for one in documents)
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n<!--\n{_ABOUT}\n-->'
    return "\n".join([start, _category(documents[0]), *questions, "</quiz>"]) + "\n"


class _Exercise(NamedTuple):
    """A document, what is accepted for its blanks by their ids, and the answer that gives all
    fields their size."""

    document: Document
    paper: Paper
    told: Mapping[str, Alternatives]
    filler: str

    @classmethod
    def of(cls, document: Document, paper: Paper) -> _Exercise:
        told = {
            question.id: Alternatives.of(question.key)
            for section in asking(document)
            for question in section.questions
            if question.key is not None and question.key.number.shown.is_finite()
        }
        return cls(document, paper, told, filler(list(told.values())))

    def field(self, question: Question) -> str:
        if question.key is None:
            raise ValueError(f"{question.id} has no key, which moodle can't do without")
        right = f"Right: {text_of(question.key.number)}."
        if question.id not in self.told:
            return masked_field(question, right, self.filler)
        told = self.told[question.id]
        slips = tuple(
            TakenWrong(accepted, self.share_of(accepted), self.said_of(slip, accepted))
            for slip, accepted in told.slips
        )
        return field(question, told.right, right, slips, self.filler)

    @property
    def has_masked(self) -> bool:
        """Whether a masked score is asked for."""
        asked = (question for section in asking(self.document) for question in section.questions)
        return any(question.id not in self.told for question in asked)

    def share_of(self, accepted: AcceptedRange) -> int:
        """What a mistake earns, in per cent: nothing where it gives 0, which anybody can type."""
        return 0 if accepted.low <= 0 <= accepted.high else self.paper.share

    def said_of(self, slip: MistakenAnswer, accepted: AcceptedRange) -> str:
        name, share = word(slip.name.replace("_", " ")), self.share_of(accepted)
        earns = f" This earns {share} % of the points." if share else ""
        return f"<b>{name}:</b> {word(slip.says)}{earns}"


def _category(document: Document) -> str:
    """Where the questions go, by title and steps, and for teachers what made them."""
    name = name_of(document.title, _after(_headings(document))).replace("/", "//")
    made = Facts(tuple(row for row in document.marks.rows if row[0] != "Form"))
    info = facts_html(made, _style(_answer))
    return f"""\
  <question type="category">
    <category><text>$course$/top/{xml(name)}</text></category>
    <info format="html"><text>{cdata(info)}</text></info>
  </question>"""


def _headings(document: Document) -> list[str]:
    """The steps that something is asked of; of many the first and the last."""
    told = [text_of_spans(section.heading, visible) for section in asking(document)]
    return told if len(told) <= _MOST_NAMED else [f"{told[0]} to {told[-1]}"]


def _after(parts: Iterable[str]) -> str:
    return "".join(f" · {part}" for part in parts)


def _question(exercise: _Exercise) -> str:
    document, paper = exercise.document, exercise.paper
    form = () if paper.form == OWN_FORM else (f"form {paper.form}",)
    name = name_of(document.title, _after((*form, *_headings(document))))
    tags = (f"<tag><text>{xml(tag)}</text></tag>" for tag in (f"form {paper.form}", paper.hash))
    return f"""\
  <question type="cloze">
    <name><text>{xml(name)}</text></name>
    <questiontext format="html">
      <text>{cdata(_asked(exercise))}</text>
    </questiontext>
    <generalfeedback format="html">
      <text>{cdata(_solved(document))}</text>
    </generalfeedback>
    <penalty>0.3333333</penalty>
    <hidden>0</hidden>
    <idnumber>{xml(f"{paper.hash}-{paper.form}")}</idnumber>
    <tags>{"".join(tags)}</tags>{"".join(map(_hint, document.hints))}
  </question>"""


def _asked(exercise: _Exercise) -> str:
    """What is to be done: what the key depends on, what the exercise opens with, and each section,
    with a field for each blank."""
    document, style = exercise.document, _style(_answer)
    facts = document.facts
    looks = _LOOKS.replace("SIZE", str(len(exercise.filler) + _ROOM_FOR_BORDERS))
    sections: list[str] = []
    opening = document.opening
    for section in asking(document):
        sections += _with_fields(exercise, section, opening)
        opening = ()
    return _whole(
        [
            looks,
            *((facts_html(facts, style),) if facts is not None else ()),
            *((_HOW_MASKED,) if exercise.has_masked else ()),
            *sections,
        ]
    )


def _with_fields(exercise: _Exercise, section: Section, opening: Sequence[Block]) -> Iterator[str]:
    """A section, and before it what the exercise opens with."""
    fields = _Fields(exercise, section)
    style = _style(fields.of)
    yield blocks_html(_printed(opening), style)
    yield _heading(section, style)
    yield from (f"<p>{expression_html(formula, style)}</p>" for formula in section.formulas)
    yield blocks_html(_printed(section.blocks), style)
    fields.check()


def _solved(document: Document) -> str:
    """The worked solutions. The command isn't told to students, who could run it."""
    style = _style(_answer)
    return _whole(
        part
        for section in asking(document)
        for part in (_heading(section, style), blocks_html(_printed(section.solution), style))
    )


def _hint(told: Sequence[Section]) -> str:
    """What is told after a try that was wrong."""
    style = _style(_answer)
    html = _whole(
        part
        for section in told
        for part in (_heading(section, style), blocks_html(section.blocks, style))
    )
    return f"""
    <hint format="html">
      <text>{cdata(html)}</text>
      <shownumcorrect/>
      <clearwrong/>
    </hint>"""


def _heading(section: Section, style: HtmlStyle) -> str:
    return f"<h{_LEVEL}>{spans_html(section.heading, style)}</h{_LEVEL}>"


def _style(blank: Callable[[Blank], str]) -> HtmlStyle:
    return HtmlStyle(text, word, mathematics, blank, _LEVEL + 1)


def _printed(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks but those for writing on paper."""
    return (block for block in blocks if not isinstance(block, Fields | AnswerSpace))


def _whole(parts: Iterable[str]) -> str:
    inside = "\n".join(part for part in parts if part)
    return f'<div class="attn">\n{inside}\n</div>'


class _Fields:
    """The fields of a section: each of its questions at one place, where it comes first."""

    def __init__(self, exercise: _Exercise, section: Section) -> None:
        self.exercise = exercise
        self.left = {question.id: question for question in section.questions}
        self.known = set(self.left)

    def of(self, blank: Blank) -> str:
        if blank.id in self.left:
            return self.exercise.field(self.left.pop(blank.id))
        if blank.id and blank.id not in self.known:
            raise ValueError(f"no question of its section asks for {blank.id}")
        return _HIDDEN

    def check(self) -> None:
        """Raises ValueError where something is asked for that isn't on the page."""
        if self.left:
            raise ValueError(f"no blank on the page for {', '.join(self.left)}")


def _answer(blank: Blank) -> str:
    return _HIDDEN if blank.answer is None else text_of(blank.answer)
