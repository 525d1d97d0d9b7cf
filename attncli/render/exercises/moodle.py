"""Moodle XML: one cloze question a step, its blanks as fields that mark themselves.

What can't be said twice: mathematics is left to Moodle's MathJax, as `\\(…\\)`; a field can't stand
inside it, and neither do somebody's words. The text of a question is searched for fields and for
their numbers, `{#1}`, so that no brace of anybody's words is left in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attncli.arithmetic.expression import Blank, Equation, Expression
from attncli.document import AnswerSpace, Block, Document, Fields, Section
from attncli.notation.latex import latex
from attncli.notation.words import ISOLATE, POP, isolated, visible
from attncli.questions import OWN_FORM, MistakenAnswer, Paper, Question
from attncli.records import NamedTuple
from attncli.render.abilities import Abilities
from attncli.render.exercises._answers import asking, paper_of
from attncli.render.exercises._cloze import Alternatives, Feedback, field, filler, masked_field
from attncli.render.html import (
    HtmlStyle,
    blocks_html,
    escaped,
    expression_html,
    isolating,
    spans_html,
)
from attncli.render.html.tables import facts_html
from attncli.render.numbers import text_of
from attncli.render.page import Page
from attncli.render.sentences import text_of_spans
from attncli.word import Word

SUFFIXES = (".xml",)
ABILITIES = Abilities(keys=("embedded",), self_keyed=True, share=50, hints=False)
"""A field holds what is right, so the exercise itself is written, not a sheet and a key."""

_LEVEL = 4
_HIDDEN = "▢"
"""In the place of a number that is asked for elsewhere, or would tell what is asked for."""

_ABOUT = """\
All fields have one size: that of the longest answer of the file, which each field has as its last
answer, worth nothing. Moodle adds to it by chance, which the style in the questions undoes."""
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

_OBEYED = re.compile(r"[{}\\~$@`]")
"""What Moodle or its filters might take for a field, mathematics or the address of a file."""
_SIMPLE = re.compile(rf"[\w ,.'!?·…=≈+−×/√→⋮\[\]{ISOLATE}{POP}-]*")
_NO_MATHEMATICS = "tex2jax_ignore mathjax_ignore"
_LIKE_A_FIELD = re.compile(r"\{(?=[0-9]*:|#)")
_LONGEST_NAME = 255
_ENTITY = re.compile("&(?=#?[A-Za-z0-9]+;)")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(document: Document, page: Page) -> str:  # noqa: ARG001
    """Every section that asks for something as a question. Raises ValueError for a document that
    doesn't say what is right."""
    exercise = _Exercise.of(document, paper_of(document, "moodle"))
    questions = [
        _question(exercise, section, number)
        for number, section in enumerate(asking(document), start=1)
    ]
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n<!--\n{_ABOUT}\n-->'
    return "\n".join([start, *questions, "</quiz>"]) + "\n"


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
        said = Feedback(right, tuple(self.said_of(slip) for slip, _ in told.slips))
        return field(question, told, said, self.paper.share, self.filler)

    def has_masked(self, section: Section) -> bool:
        """Whether a masked score is asked for."""
        return any(question.id not in self.told for question in section.questions)

    def said_of(self, slip: MistakenAnswer) -> str:
        name = _word(slip.name.replace("_", " "))
        return f"<b>{name}:</b> {_word(slip.says)} This earns {self.paper.share} % of the points."


def _question(exercise: _Exercise, section: Section, number: int) -> str:
    paper = exercise.paper
    form = () if paper.form == OWN_FORM else (f"form {paper.form}",)
    rest = " · ".join(("", *form, text_of_spans(section.heading, visible)))
    name = _name(exercise.document.title, rest)
    tags = (f"<tag><text>{_xml(tag)}</text></tag>" for tag in (f"form {paper.form}", paper.hash))
    return f"""\
  <question type="cloze">
    <name><text>{_xml(name)}</text></name>
    <questiontext format="html">
      <text>{_cdata(_asked(exercise, section, number))}</text>
    </questiontext>
    <generalfeedback format="html">
      <text>{_cdata(_solved(exercise, section))}</text>
    </generalfeedback>
    <penalty>0.3333333</penalty>
    <hidden>0</hidden>
    <idnumber>{_xml(f"{paper.hash}-{paper.form}-{number}")}</idnumber>
    <tags>{"".join(tags)}</tags>
  </question>"""


def _asked(exercise: _Exercise, section: Section, number: int) -> str:
    """What is to be done: what the key depends on, and the section with fields for its blanks;
    in the first one also what the exercise opens with."""
    fields = _Fields(exercise, section)
    style = HtmlStyle(_text, _word, _mathematics, fields.of, _LEVEL + 1)
    facts = exercise.document.facts
    looks = _LOOKS.replace("SIZE", str(len(exercise.filler) + _ROOM_FOR_BORDERS))
    opening = exercise.document.opening if number == 1 else ()
    body = [
        looks,
        f"<h{_LEVEL}>{spans_html(section.heading, style)}</h{_LEVEL}>",
        *(f"<p>{expression_html(formula, style)}</p>" for formula in section.formulas),
        *((facts_html(facts, style),) if facts is not None else ()),
        *((_HOW_MASKED,) if exercise.has_masked(section) else ()),
        blocks_html(_printed((*opening, *section.blocks)), style),
    ]
    fields.check()
    return _whole(body)


def _solved(exercise: _Exercise, section: Section) -> str:
    """The worked solution, and what made the exercise."""
    style = HtmlStyle(_text, _word, _mathematics, _answer, _LEVEL + 1)
    solution = blocks_html(_printed(section.solution), style)
    return _whole([solution, facts_html(exercise.document.marks, style)])


def _printed(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """The blocks but those for writing on paper."""
    return (block for block in blocks if not isinstance(block, Fields | AnswerSpace))


def _whole(parts: list[str]) -> str:
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


def _text(text: str) -> str:
    """Text with nothing in it that HTML, Moodle or its filters would obey."""
    return _OBEYED.sub(lambda found: f"&#{ord(found[0])};", escaped(text))


def _word(text: str) -> str:
    """A text with somebody's words in it; what could be mathematics or a smiley is kept from the
    filters."""
    words = isolating(_text(text))
    if _SIMPLE.fullmatch(text):
        return words
    return f'<span class="nolink"><bdi class="{_NO_MATHEMATICS}">{words}</bdi></span>'


def _mathematics(node: Expression | Equation) -> str:
    """An expression for MathJax, to which a space after a brace makes no difference."""
    return rf"\({escaped(_LIKE_A_FIELD.sub('{ ', latex(node)))}\)"


def _name(title: Word, rest: str) -> str:
    """The name of a question, its title cut where Moodle has no room for it. Moodle takes tags
    out of names, and entities for what they mean."""
    shown, room = visible(title)[:_LONGEST_NAME], _LONGEST_NAME
    while len(name := isolated(_without_tags(f"{shown}{rest}"[:room]))) > _LONGEST_NAME:
        shown, room = (f"{shown[:-2]}…", room) if len(shown) > 1 else ("…", room - 1)
    return name


def _without_tags(text: str) -> str:
    return _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def _xml(text: str) -> str:
    return escaped(_allowed(text))


def _cdata(html: str) -> str:
    parts = _allowed(html).replace("]]>", "]]]]><![CDATA[>")
    return f"<![CDATA[{parts}]]>"


def _allowed(text: str) -> str:
    """The text with a replacement character for what XML can't hold at all."""
    return _NOT_IN_XML.sub("\ufffd", text)
