"""Moodle XML: a category of cloze questions, one a form, their blanks as fields that mark
themselves.

Each question holds all that it takes to answer it, so that a quiz can draw one at random.
What can't be said twice: mathematics is left to Moodle's MathJax, as `\\(…\\)`; a field can't stand
inside it, and neither do somebody's words. The text of a question is searched for fields and for
their numbers, `{#1}`, so that no brace of anybody's words is left in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import Blank
from attncli.document import Document, Facts, Section
from attncli.languages.words import FileWords
from attncli.notation.words import printed
from attncli.questions import OWN_FORM, Paper, Question
from attncli.render.abilities import Abilities
from attncli.render.exercises._accepted import TakenWrong
from attncli.render.exercises._answers import paper_of
from attncli.render.exercises._cloze import Size, field, masked_field, word_field
from attncli.render.exercises._moodle_text import mathematics, name_of, text, word
from attncli.render.exercises._self_marking import (
    LEVEL,
    LOOKS,
    SelfMarking,
    answer_of,
    headings,
    hinted,
    whole,
)
from attncli.render.exercises._xml import DECLARATION, cdata, xml
from attncli.render.html import HtmlStyle
from attncli.render.html.tables import facts_html
from attncli.render.numbers import text_of
from attncli.render.page import Page

SUFFIXES = (".xml",)
ABILITIES = Abilities(
    keys=("embedded",), self_keyed=True, share=50, hints="embedded", gathered=True
)
"""A field holds what is right, so the exercise itself is written, not a sheet and a key."""

_ABOUT = """\
All fields of a question have one size: that of its longest answer, which each field has as its
last answer, worth nothing. Moodle adds to it by chance, which the style in the questions undoes.
A field whose answer isn't the middle of what is accepted has it twice: first the answer, which is
what Moodle shows as right, then all that is accepted."""
_FIELDS = """\
.attn aside { border-left: 3px solid rgba(127, 127, 127, .4); padding-left: 1em }
.attn input[type=text] { width: SIZEch !important; display: inline-block }
"""
_ROOM_FOR_BORDERS = 4


def render(document: Document, page: Page) -> str:
    """A form as a file of one question."""
    return render_forms([document], page)


def render_forms(documents: Sequence[Document], page: Page) -> str:  # noqa: ARG001
    """All forms of an exercise as a category, with a question each. Raises ValueError for a
    document that doesn't say what is right."""
    questions = (_question(_Exercise.of(one)) for one in documents)
    start = f"{DECLARATION}\n<quiz>\n<!--\n{_ABOUT}\n-->"
    return "\n".join([start, _category(documents[0]), *questions, "</quiz>"]) + "\n"


class _Exercise(NamedTuple):
    """A form, and what its fields have in common."""

    form: SelfMarking
    size: Size

    @classmethod
    def of(cls, document: Document) -> _Exercise:
        form = SelfMarking.of(document, paper_of(document, "moodle"))
        return cls(form, Size.of(form.questions, list(form.told.values())))

    def field(self, question: Question) -> str:
        if question.words is not None:
            answers = " / ".join(word(printed(one)) for one in question.words.answers)
            right = self.words.right.format(number=answers)
            return word_field(question, question.words, right, self.size)
        assert question.key is not None
        right = self.words.right.format(number=text_of(question.key.number))
        if question.id not in self.form.told:
            return masked_field(question, right, self.size)
        return field(question, self.form.told[question.id], right, self._said_of, self.size)

    def _said_of(self, slip: TakenWrong) -> str:
        earns = self.words.earns.format(share=slip.share) if slip.share else ""
        return f"<b>{word(slip.name)}:</b> {word(slip.mistake.says)}{earns}"

    @property
    def words(self) -> FileWords:
        return self.form.paper.words.files


def _category(document: Document) -> str:
    """Where the questions go, by title and steps, and for teachers what made them."""
    name = name_of(document.title, _after(headings(document))).replace("/", "//")
    origin = paper_of(document, "moodle").origin
    made = Facts(tuple((name, (told,)) for name, told in origin))
    info = facts_html(made, _style(answer_of))
    return f"""\
  <question type="category">
    <category><text>$course$/top/{xml(name)}</text></category>
    <info format="html"><text>{cdata(info)}</text></info>
  </question>"""


def _after(parts: Iterable[str]) -> str:
    return "".join(f" · {part}" for part in parts)


def _question(exercise: _Exercise) -> str:
    document, paper, _ = exercise.form
    name = name_of(document.title, _after(exercise.form.names))
    form = paper.words.paper.one_form.format(form=paper.form)
    tags = (f"<tag><text>{xml(tag)}</text></tag>" for tag in (form, paper.hash))
    return f"""\
  <question type="cloze">
    <name><text>{xml(name)}</text></name>
    <questiontext format="html">
      <text>{cdata(_asked(exercise))}</text>
    </questiontext>
    <generalfeedback format="html">
      <text>{cdata(whole(exercise.form.solved(_style)))}</text>
    </generalfeedback>
    <penalty>0.3333333</penalty>
    <hidden>0</hidden>
    <idnumber>{xml(f"{paper.hash}-{paper.form}")}</idnumber>
    <tags>{"".join(tags)}</tags>{"".join(map(_hint, document.hints))}
  </question>"""


def _asked(exercise: _Exercise) -> str:
    fields = _FIELDS.replace("SIZE", str(len(exercise.size.filler) + _ROOM_FOR_BORDERS))
    looks = f"<style>\n{LOOKS}{fields}</style>"
    return whole((looks, *exercise.form.asked(_style, exercise.field), _mark(exercise.form.paper)))


def _mark(paper: Paper) -> str:
    """Which form it is, which Moodle's exports tell with the text of the question."""
    words = paper.words
    told = words.files.paper.format(hash=paper.hash)
    if paper.form != OWN_FORM:
        told = words.paper.called.format(paper=told, form=paper.form)
    return f"<p><small>{text(told)}</small></p>"


def _hint(told: Sequence[Section]) -> str:
    return f"""
    <hint format="html">
      <text>{cdata(whole(hinted(told, _style)))}</text>
      <shownumcorrect/>
      <clearwrong/>
    </hint>"""


def _style(blank: Callable[[Blank], str]) -> HtmlStyle:
    return HtmlStyle(text, word, mathematics, blank, LEVEL + 1)
